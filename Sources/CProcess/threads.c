#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>

#include "CProcess.h"

int cprocess_start_thread(const char *name, void *(*run)(void *), void *argument) {
    // The program's signal handlers are for its own threads: this one is created with all signals blocked.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    int failure = pthread_create(&thread, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure) return failure;
    pthread_setname_np(thread, name);
    pthread_detach(thread);
    return 0;
}
