#include "library.h"

#include "CProcess.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { SYSTEM_BUS = 1 };

struct CDBusLoop {
    const CDBusLibrary *library;
    CDBusCallbacks callbacks;
    void *user;
    DBusConnection *connection;
    int wake_fd;
    atomic_int is_ending;
};

static void destroy(CDBusLoop *loop) {
    if (loop->wake_fd >= 0) close(loop->wake_fd);
    free(loop);
}

static void connect_to_bus(CDBusLoop *loop) {
    DBusError error;
    loop->library->error_init(&error);
    loop->connection = loop->library->bus_get_private(SYSTEM_BUS, &error);
    // Otherwise libdbus ends the process with the connection.
    if (loop->connection) loop->library->connection_set_exit_on_disconnect(loop->connection, 0);
    loop->callbacks.opened(loop->user, loop->connection ? NULL : error.name ? error.name : "", error.message);
    loop->library->error_free(&error);
}

static void disconnect(CDBusLoop *loop) {
    if (!loop->connection) return;
    loop->library->connection_close(loop->connection);
    loop->library->connection_unref(loop->connection);
    loop->connection = NULL;
}

// Reads and writes what can be without waiting, and hands over what has come.
static void exchange(CDBusLoop *loop) {
    if (!loop->connection) return;
    loop->library->connection_read_write(loop->connection, 0);
    DBusMessage *message;
    while ((message = loop->library->connection_pop_message(loop->connection))) {
        loop->callbacks.received(loop->user, message);
        loop->library->message_unref(message);
    }
    if (loop->library->connection_get_is_connected(loop->connection)) return;
    disconnect(loop);
    loop->callbacks.lost(loop->user);
}

static void wait(CDBusLoop *loop) {
    struct pollfd fds[2] = {{.fd = loop->wake_fd, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
    if (loop->connection && loop->library->connection_get_unix_fd(loop->connection, &fds[1].fd) &&
        loop->library->connection_has_messages_to_send(loop->connection))
        fds[1].events |= POLLOUT;
    if (poll(fds, 2, -1) > 0 && fds[0].revents) {
        eventfd_t count;
        eventfd_read(loop->wake_fd, &count);
        loop->callbacks.work(loop->user);
    }
}

static void *run(void *user) {
    CDBusLoop *loop = user;
    connect_to_bus(loop);
    while (!atomic_load(&loop->is_ending)) {
        exchange(loop);
        // Jobs that the messages made have rung already.
        wait(loop);
    }
    // What was sent last goes out.
    exchange(loop);
    disconnect(loop);
    void (*ended)(void *) = loop->callbacks.ended;
    void *context = loop->user;
    destroy(loop);
    ended(context);
    return NULL;
}

CDBusLoop *cdbus_start(const CDBusLibrary *library, CDBusCallbacks callbacks, void *user) {
    CDBusLoop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    loop->library = library;
    loop->callbacks = callbacks;
    loop->user = user;
    loop->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int failed = loop->wake_fd < 0;
    if (!failed) failed = cprocess_start_thread("dbus", run, loop);
    if (failed) {
        destroy(loop);
        return NULL;
    }
    return loop;
}

void cdbus_wake(CDBusLoop *loop) { eventfd_write(loop->wake_fd, 1); }

void cdbus_quit(CDBusLoop *loop) {
    atomic_store(&loop->is_ending, 1);
    cdbus_wake(loop);
}

uint32_t cdbus_send(CDBusLoop *loop, DBusMessage *message) {
    dbus_uint32_t serial = 0;
    if (!loop->connection || !loop->library->connection_send(loop->connection, message, &serial)) return 0;
    return serial;
}
