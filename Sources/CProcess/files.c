#include <linux/magic.h>
#include <sys/vfs.h>

#include "CProcess.h"

bool cprocess_in_memory(int descriptor) {
    struct statfs system;
    return fstatfs(descriptor, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}
