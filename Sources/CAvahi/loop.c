#include "library.h"

#include "CProcess.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { FLAG_NO_FAIL = 2 };

struct CAvahiLoop {
    const CAvahiLibrary *library;
    AvahiSimplePoll *poll;
    AvahiWatch *watch;
    int wake_fd;
    void (*work)(void *);
    void (*ended)(void *);
    void *user;
};

static void woken(AvahiWatch *watch, int fd, AvahiWatchEvent event, void *user) {
    (void)watch, (void)event;
    CAvahiLoop *loop = user;
    eventfd_t count;
    eventfd_read(fd, &count);
    loop->work(loop->user);
}

static void destroy(CAvahiLoop *loop) {
    if (loop->watch) loop->library->simple_poll_get(loop->poll)->watch_free(loop->watch);
    if (loop->poll) loop->library->simple_poll_free(loop->poll);
    if (loop->wake_fd >= 0) close(loop->wake_fd);
    free(loop);
}

static void *run(void *user) {
    CAvahiLoop *loop = user;
    int result;
    do result = loop->library->simple_poll_iterate(loop->poll, -1);
    while (result == 0 || (result < 0 && errno == EINTR));
    void (*ended)(void *) = loop->ended;
    void *context = loop->user;
    destroy(loop);
    ended(context);
    return NULL;
}

CAvahiLoop *cavahi_loop_start(const CAvahiLibrary *library, void (*work)(void *), void (*ended)(void *), void *user) {
    CAvahiLoop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    *loop = (CAvahiLoop){.library = library, .work = work, .ended = ended, .user = user};
    loop->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    loop->poll = library->simple_poll_new();
    if (loop->wake_fd >= 0 && loop->poll) {
        const AvahiPoll *poll = library->simple_poll_get(loop->poll);
        loop->watch = poll->watch_new(poll, loop->wake_fd, POLLIN, woken, loop);
    }
    int failed = !loop->watch;
    if (!failed) failed = cprocess_start_thread("avahi", run, loop);
    if (failed) {
        destroy(loop);
        return NULL;
    }
    return loop;
}

void cavahi_loop_wake(CAvahiLoop *loop) { eventfd_write(loop->wake_fd, 1); }

void cavahi_loop_quit(CAvahiLoop *loop) { loop->library->simple_poll_quit(loop->poll); }

AvahiClient *cavahi_client_new(CAvahiLoop *loop, int wait_for_daemon, CAvahiClientCallback callback, void *user,
                               int *error) {
    return loop->library->client_new(loop->library->simple_poll_get(loop->poll), wait_for_daemon ? FLAG_NO_FAIL : 0,
                                     callback, user, error);
}
