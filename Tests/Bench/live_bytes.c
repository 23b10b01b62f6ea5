// Counts the bytes that a program has taken from the heap and not given back, in a file that others can read meanwhile.
//
// Loaded before the C library (LD_PRELOAD); LIVE_BYTES is the path of a file of 16 bytes: bytes, and allocations.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// The allocator of glibc under its own names.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

struct counts {
    atomic_llong bytes, blocks;
};

// Before the file is open.
static struct counts early;
static struct counts *_Atomic counts = &early;

static void *taken(void *block) {
    if (block) {
        atomic_fetch_add(&counts->bytes, (long long)malloc_usable_size(block));
        atomic_fetch_add(&counts->blocks, 1);
    }
    return block;
}

static void given(void *block) {
    if (!block) return;
    atomic_fetch_sub(&counts->bytes, (long long)malloc_usable_size(block));
    atomic_fetch_sub(&counts->blocks, 1);
}

void *malloc(size_t size) { return taken(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return taken(__libc_calloc(count, size)); }
void *memalign(size_t alignment, size_t size) { return taken(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return taken(__libc_memalign(alignment, size)); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *found = taken(__libc_memalign(alignment, size));
    if (!found) return ENOMEM;
    *block = found;
    return 0;
}

void *realloc(void *old, size_t size) {
    size_t before = old ? malloc_usable_size(old) : 0;
    void *block = __libc_realloc(old, size);
    if (!block && size) return NULL;
    if (old) {
        atomic_fetch_sub(&counts->bytes, (long long)before);
        atomic_fetch_sub(&counts->blocks, 1);
    }
    return taken(block);
}

void free(void *block) {
    given(block);
    __libc_free(block);
}

__attribute__((constructor)) static void open_file(void) {
    const char *path = getenv("LIVE_BYTES");
    if (!path) return;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof(struct counts)) != 0) return;
    struct counts *shared = mmap(NULL, sizeof(struct counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared == MAP_FAILED) return;
    atomic_store(&shared->bytes, atomic_load(&early.bytes));
    atomic_store(&shared->blocks, atomic_load(&early.blocks));
    counts = shared;
}
