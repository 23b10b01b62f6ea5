// The opened library as the shim's own files see it.
#ifndef CAVAHI_LIBRARY_H
#define CAVAHI_LIBRARY_H

#include "CAvahi.h"

// In the C ABI Avahi's enumerations are plain int.
typedef int AvahiIfIndex, AvahiProtocol, AvahiClientFlags, AvahiLookupFlags, AvahiPublishFlags, AvahiWatchEvent;
typedef struct AvahiSimplePoll AvahiSimplePoll;
typedef struct AvahiPoll AvahiPoll;
typedef struct AvahiWatch AvahiWatch;
typedef CAvahiClientCallback AvahiClientCallback;
typedef CAvahiServiceBrowserCallback AvahiServiceBrowserCallback;
typedef CAvahiServiceResolverCallback AvahiServiceResolverCallback;
typedef CAvahiRecordBrowserCallback AvahiRecordBrowserCallback;
typedef CAvahiEntryGroupCallback AvahiEntryGroupCallback;
typedef void (*AvahiWatchCallback)(AvahiWatch *, int, AvahiWatchEvent, void *);

struct AvahiAddress {
    AvahiProtocol proto;
    uint8_t data[16];
};

// The head of Avahi's struct; the rest (timeouts) is not used here.
struct AvahiPoll {
    void *userdata;
    AvahiWatch *(*watch_new)(const AvahiPoll *, int, AvahiWatchEvent, AvahiWatchCallback, void *);
    void (*watch_update)(AvahiWatch *, AvahiWatchEvent);
    AvahiWatchEvent (*watch_get_events)(AvahiWatch *);
    void (*watch_free)(AvahiWatch *);
};

#include "symbols.h"

struct CAvahiLibrary {
#define DECLARE(result, name, parameters) result(*name) parameters;
    CAVAHI_COMMON_FUNCTIONS(DECLARE)
    CAVAHI_CLIENT_FUNCTIONS(DECLARE)
#undef DECLARE
    // libdbus, which comes along with libavahi-client; NULL where it cannot be found.
    void *(*bus_get_private)(int type, void *error);
    void (*bus_set_exit_on_disconnect)(void *connection, unsigned exit);
    void (*bus_close)(void *connection);
    void (*bus_unref)(void *connection);
};

#endif
