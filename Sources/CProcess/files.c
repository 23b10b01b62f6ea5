#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/timex.h>
#include <sys/vfs.h>

#include "CProcess.h"

bool cprocess_in_memory(int descriptor) {
    struct statfs system;
    return fstatfs(descriptor, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

ssize_t cprocess_entries(int folder, void *buffer, size_t size) { return getdents64(folder, buffer, size); }

uid_t cprocess_user(void) { return (uid_t)getauxval(AT_EUID); }

int cprocess_clock_state(void) {
    struct timex state = {.modes = 0};
    int answer = adjtimex(&state);
    return answer < 0 ? -1 : answer != TIME_ERROR && !(state.status & STA_UNSYNC);
}

int cprocess_has_entropy(void) {
    char byte;
    if (getrandom(&byte, 1, GRND_NONBLOCK) == 1) return 1;
    return errno == EAGAIN ? 0 : -1;
}
