#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CProcess.h"

// Little is done on such a thread.
enum { STACK = 256 * 1024, MOST_DESCRIPTORS = 4 };

struct CProcessWait {
    CProcessWaitKind kind;
    int descriptor;
    struct flock range;
    struct pollfd polled[MOST_DESCRIPTORS];
    nfds_t count;

    void (*ended)(void *context, int outcome);
    void *context;

    pthread_t thread;
    sigjmp_buf way_out;
    // Whether the thread is to leave its call.
    atomic_bool is_cancelled;
    // Guards the thread's life: a signal must not be sent to one that is gone.
    pthread_mutex_t life;
    bool is_over;
    // The thread and who started it.
    atomic_int holders;
};

// The wait of this thread, while it may be left by a jump.
static _Thread_local struct CProcessWait *volatile here;

// A signal that came before the call began would be lost if it only interrupted the call: so it leaves by a jump.
static void leave(int number) {
    (void)number;
    struct CProcessWait *wait = here;
    if (!wait || !atomic_load(&wait->is_cancelled)) return;
    here = NULL;
    siglongjmp(wait->way_out, 1);
}

// The usual default of this signal is to be ignored, so one that strays ends no program.
enum { SIGNAL = SIGURG };

static void handle(void) {
    struct sigaction action = {.sa_handler = leave};
    sigaction(SIGNAL, &action, NULL);
}

static void release(struct CProcessWait *wait) {
    if (atomic_fetch_sub(&wait->holders, 1) != 1) return;
    pthread_mutex_destroy(&wait->life);
    free(wait);
}

// The plain calls of the kernel: those of the C library may do something before and after, which a jump would cut short.
static long call(struct CProcessWait *wait) {
    switch (wait->kind) {
    case CPROCESS_WAIT_FILE_LOCK: return syscall(SYS_flock, wait->descriptor, LOCK_EX);
    case CPROCESS_WAIT_RANGE: return syscall(SYS_fcntl, wait->descriptor, F_OFD_SETLKW, &wait->range);
    case CPROCESS_WAIT_DESCRIPTORS: return syscall(SYS_ppoll, wait->polled, wait->count, NULL, NULL, 0);
    }
    errno = EINVAL;
    return -1;
}

static void *run(void *argument) {
    struct CProcessWait *wait = argument;
    volatile int outcome = ECANCELED;
    if (sigsetjmp(wait->way_out, 1) == 0) {
        here = wait;
        sigset_t ours;
        sigemptyset(&ours);
        sigaddset(&ours, SIGNAL);
        pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
        while (!atomic_load(&wait->is_cancelled)) {
            if (call(wait) >= 0) {
                outcome = 0;
            } else if (errno == EINTR) {
                continue;
            } else {
                outcome = errno;
            }
            break;
        }
        here = NULL;
    }
    if (wait->kind == CPROCESS_WAIT_RANGE) {
        // To have had it is enough. After a jump it may be there all the same.
        struct flock none = wait->range;
        none.l_type = F_UNLCK;
        (void)fcntl(wait->descriptor, F_OFD_SETLK, &none);
    }
    pthread_mutex_lock(&wait->life);
    wait->is_over = true;
    pthread_mutex_unlock(&wait->life);
    wait->ended(wait->context, outcome);
    release(wait);
    return NULL;
}

int cprocess_wait_start(CProcessWaitKind kind, const CProcessWaitDescriptor *descriptors, int count, int64_t start,
                        int64_t length, void (*ended)(void *context, int outcome), void *context,
                        CProcessWait **started) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, handle);
    if (count < 1 || count > MOST_DESCRIPTORS) return EINVAL;
    struct CProcessWait *wait = calloc(1, sizeof *wait);
    if (!wait) return ENOMEM;
    wait->kind = kind;
    wait->descriptor = descriptors[0].descriptor;
    wait->range = (struct flock){.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    for (int i = 0; i < count; i++) {
        wait->polled[i].fd = descriptors[i].descriptor;
        wait->polled[i].events = descriptors[i].is_written ? POLLOUT : POLLIN;
    }
    wait->count = (nfds_t)count;
    wait->ended = ended;
    wait->context = context;
    pthread_mutex_init(&wait->life, NULL);
    atomic_init(&wait->holders, 2);

    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&wait->thread, &attributes, run, wait);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (failure) {
        pthread_mutex_destroy(&wait->life);
        free(wait);
        return failure;
    }
    *started = wait;
    return 0;
}

void cprocess_wait_cancel(CProcessWait *wait) {
    atomic_store(&wait->is_cancelled, true);
    pthread_mutex_lock(&wait->life);
    if (!wait->is_over) pthread_kill(wait->thread, SIGNAL);
    pthread_mutex_unlock(&wait->life);
}

void cprocess_wait_forget(CProcessWait *wait) { release(wait); }
