#include <stddef.h>
#include <stdint.h>

#include "CProcess.h"

// What the Swift runtime exports for a program that has an executor of its own (swift/Runtime/Concurrency.h).
#define SWIFTCC __attribute__((swiftcall))
typedef struct {
    void *identity;
    uintptr_t implementation;
} SerialExecutor;
extern SWIFTCC void (*swift_task_enqueueGlobal_hook)(void *job, SWIFTCC void (*original)(void *job));
extern SWIFTCC void swift_job_run(void *job, SerialExecutor executor);

static void (*taker)(void *job);

static SWIFTCC void take(void *job, SWIFTCC void (*original)(void *job)) {
    (void)original;
    taker(job);
}

void cprocess_take_jobs(void (*take_job)(void *job)) {
    taker = take_job;
    swift_task_enqueueGlobal_hook = take;
}

void cprocess_run_job(void *job) {
    SerialExecutor none = {NULL, 0};
    swift_job_run(job, none);
}
