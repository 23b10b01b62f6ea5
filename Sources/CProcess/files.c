#define _GNU_SOURCE
#include <dirent.h>
#include <linux/magic.h>
#include <sys/auxv.h>
#include <sys/vfs.h>

#include "CProcess.h"

bool cprocess_in_memory(int descriptor) {
    struct statfs system;
    return fstatfs(descriptor, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

ssize_t cprocess_entries(int folder, void *buffer, size_t size) { return getdents64(folder, buffer, size); }

uid_t cprocess_user(void) { return (uid_t)getauxval(AT_EUID); }
