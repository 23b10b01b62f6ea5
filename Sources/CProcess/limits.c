#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "CProcess.h"

enum { MOST = 64, ARENAS = 2 };

void cprocess_seal(void) {
    const char *wanted = getenv("MATTERCTL_CORE_DUMPS");
    if (wanted && strcmp(wanted, "1") == 0) return;
    // Without it no core is dumped, whatever the limit, not even into a pipe (core(5)).
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void cprocess_take_memory_at_once(void) {
    enum { STEP = 1 << 20 };
    mallopt(M_TOP_PAD, STEP);
}

static void *wait_for_release(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

int cprocess_has_threads(int count) {
    // Each thread would get an arena of 64 MB of address space, which then lacks for the threads after it.
    mallopt(M_ARENA_MAX, ARENAS);
    if (count == 0) return 0;
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[MOST];
    int started = 0, failure = 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&gate);
    while (!failure && started < count && started < MOST) {
        failure = pthread_create(&threads[started], NULL, wait_for_release, &gate);
        if (!failure) started++;
    }
    pthread_mutex_unlock(&gate);
    while (started > 0) pthread_join(threads[--started], NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

// Whether there is so much room that counting is not worth the time: descriptors are given from the lowest on.
static int has_many_descriptors(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    // It is of use later.
    int lowest = cprocess_alarm();
    if (lowest < 0) return 0;
    cprocess_alarm_spare(lowest);
    return limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > (rlim_t)lowest + 4 * MOST;
}

int cprocess_has_descriptors(int count) {
    if (has_many_descriptors()) return 0;
    int descriptors[MOST];
    int opened = 0, failure = 0;
    while (!failure && opened < count && opened < MOST) {
        descriptors[opened] = eventfd(0, EFD_CLOEXEC);
        if (descriptors[opened] < 0) failure = errno;
        else opened++;
    }
    while (opened > 0) close(descriptors[--opened]);
    return failure;
}
