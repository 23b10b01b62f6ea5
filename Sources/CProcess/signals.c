#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "CProcess.h"

// How long a signal may go unnoticed by the program, in seconds.
enum { PATIENCE = 5 };

static struct {
    const char *interrupted, *late;
    int interrupted_status, late_status;
} ending;

static atomic_int listener = -1, reader = -1;
// Whether a signal came that the program has not taken notice of yet.
static atomic_int has_come;
// When the first signal came that the program has not acted on yet, and when the process is to end, in seconds; 0: never.
static atomic_long unheard, limit;

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

static _Noreturn void end(const char *message, int status) {
    if (message) (void)!write(STDERR_FILENO, message, strlen(message));
    _exit(status);
}

static void handle(int number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaction(number, &action, NULL);
}

static void on_alarm(int number);

// One alarm for whichever comes first.
static void set_alarm(void) {
    long signal_end = atomic_load(&unheard), last = atomic_load(&limit);
    if (signal_end) signal_end += PATIENCE;
    long next = signal_end && (!last || signal_end < last) ? signal_end : last;
    if (!next) {
        alarm(0);
        return;
    }
    handle(SIGALRM, on_alarm);
    long rest = next - now();
    alarm(rest > 0 ? (unsigned)rest : 1);
}

static void on_signal(int number) {
    (void)number;
    int error = errno, descriptor = atomic_load(&listener);
    if (descriptor < 0) end(ending.interrupted, ending.interrupted_status);
    long first = 0;
    // A second one: the program is not listening any more.
    if (!atomic_compare_exchange_strong(&unheard, &first, now()) && now() > first)
        end(ending.interrupted, ending.interrupted_status);
    atomic_store(&has_come, 1);
    uint64_t one = 1;
    (void)!write(descriptor, &one, sizeof one);
    int second = atomic_load(&reader);
    if (second >= 0) (void)!write(second, &one, sizeof one);
    set_alarm();
    errno = error;
}

static void on_alarm(int number) {
    (void)number;
    int error = errno;
    long signal_start = atomic_load(&unheard), last = atomic_load(&limit), time = now();
    if (signal_start && time >= signal_start + PATIENCE) end(ending.interrupted, ending.interrupted_status);
    if (last && time >= last) end(ending.late, ending.late_status);
    set_alarm();
    errno = error;
}

void cprocess_arm(const char *interrupted, int interrupted_status) {
    ending.interrupted = interrupted;
    ending.interrupted_status = interrupted_status;
    handle(SIGINT, on_signal);
    handle(SIGTERM, on_signal);
    // A parent's thread pool may have blocked them, and masks are inherited.
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGALRM);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
}

void cprocess_listen(int alarm) { atomic_store(&listener, alarm); }

void cprocess_listen_too(int alarm) { atomic_store(&reader, alarm); }

bool cprocess_signal_came(void) { return atomic_exchange(&has_come, 0); }

void cprocess_acknowledge(void) {
    atomic_store(&unheard, 0);
    set_alarm();
}

static atomic_int hung_up;

static void on_hangup(int number) {
    (void)number;
    atomic_store(&hung_up, 1);
}

void cprocess_watch_hangup(void) { handle(SIGHUP, on_hangup); }

bool cprocess_hangup_came(void) { return atomic_exchange(&hung_up, 0); }

void cprocess_limit(unsigned seconds, const char *late, int late_status) {
    ending.late = late;
    ending.late_status = late_status;
    atomic_store(&limit, now() + seconds);
    set_alarm();
}
