#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "CProcess.h"

int cprocess_events(void) { return epoll_create1(EPOLL_CLOEXEC); }

int cprocess_events_add(int events, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = descriptor}};
    return epoll_ctl(events, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}

int cprocess_events_wait(int events, int *descriptors, int most, int milliseconds) {
    struct epoll_event found[64];
    if (most > 64) most = 64;
    int count = epoll_wait(events, found, most, milliseconds);
    for (int i = 0; i < count; i++) descriptors[i] = found[i].data.fd;
    return count < 0 ? 0 : count;
}

// One that was opened and not used; -1 if there is none.
static atomic_int spare = -1;

int cprocess_alarm(void) {
    int found = atomic_exchange(&spare, -1);
    return found >= 0 ? found : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void cprocess_alarm_spare(int alarm) {
    int before = atomic_exchange(&spare, alarm);
    if (before >= 0) close(before);
}

void cprocess_alarm_ring(int alarm) {
    uint64_t one = 1;
    (void)!write(alarm, &one, sizeof one);
}

void cprocess_alarm_quiet(int alarm) {
    uint64_t count;
    (void)!read(alarm, &count, sizeof count);
}
