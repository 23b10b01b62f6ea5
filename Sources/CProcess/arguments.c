#include "CProcess.h"

#include <stddef.h>

static int argument_count;
static char **argument_values;

// glibc calls constructors with what main gets.
__attribute__((constructor)) static void take_arguments(int count, char **values, char **environment) {
    (void)environment;
    argument_count = count;
    argument_values = values;
}

const char *cprocess_argument(int index) {
    return index >= 0 && index < argument_count ? argument_values[index] : NULL;
}
