// The part of the Avahi client library that MatterDiscovery uses, opened with dlopen when it is first needed.
// Nothing here makes the program link libavahi: a host without it can run everything but discovery.
//
// The declarations repeat the stable ABI of libavahi-client.so.3 and libavahi-common.so.3, so that building needs no
// development package either; where its headers are installed, abi-check.c compares them with these.
#ifndef CAVAHI_H
#define CAVAHI_H

#include <stddef.h>
#include <stdint.h>

typedef struct AvahiClient AvahiClient;
typedef struct AvahiServiceBrowser AvahiServiceBrowser;
typedef struct AvahiServiceResolver AvahiServiceResolver;
typedef struct AvahiRecordBrowser AvahiRecordBrowser;
typedef struct AvahiEntryGroup AvahiEntryGroup;
typedef struct AvahiStringList AvahiStringList;
typedef struct AvahiAddress AvahiAddress;

// Interfaces and protocols; both take -1 for "any".
enum { CAVAHI_UNSPEC = -1, CAVAHI_INET = 0, CAVAHI_INET6 = 1 };
// States of a client.
enum {
    CAVAHI_CLIENT_REGISTERING = 1,
    CAVAHI_CLIENT_RUNNING = 2,
    CAVAHI_CLIENT_COLLISION = 3,
    CAVAHI_CLIENT_FAILURE = 100,
    CAVAHI_CLIENT_CONNECTING = 101
};
// Events of a browser and of a resolver.
enum {
    CAVAHI_BROWSER_NEW = 0,
    CAVAHI_BROWSER_REMOVE = 1,
    CAVAHI_BROWSER_CACHE_EXHAUSTED = 2,
    CAVAHI_BROWSER_ALL_FOR_NOW = 3,
    CAVAHI_BROWSER_FAILURE = 4
};
enum { CAVAHI_RESOLVER_FOUND = 0, CAVAHI_RESOLVER_FAILURE = 1 };
// States of an entry group.
enum { CAVAHI_GROUP_ESTABLISHED = 2, CAVAHI_GROUP_COLLISION = 3, CAVAHI_GROUP_FAILURE = 4 };
// Error numbers that are told apart.
enum {
    CAVAHI_ERR_COLLISION = -8,
    CAVAHI_ERR_DBUS = -22,
    CAVAHI_ERR_DISCONNECTED = -23,
    CAVAHI_ERR_NO_MEMORY = -24,
    CAVAHI_ERR_NO_DAEMON = -26
};
// DNS record types.
enum { CAVAHI_TYPE_A = 1, CAVAHI_TYPE_AAAA = 28, CAVAHI_TYPE_SRV = 33 };

typedef void (*CAvahiClientCallback)(AvahiClient *_Nullable client, int state, void *_Nullable user);
typedef void (*CAvahiServiceBrowserCallback)(AvahiServiceBrowser *_Nullable browser, int interface, int protocol,
                                             int event, const char *_Nullable name, const char *_Nullable type,
                                             const char *_Nullable domain, int flags, void *_Nullable user);
typedef void (*CAvahiServiceResolverCallback)(AvahiServiceResolver *_Nullable resolver, int interface, int protocol,
                                              int event, const char *_Nullable name, const char *_Nullable type,
                                              const char *_Nullable domain, const char *_Nullable host,
                                              const AvahiAddress *_Nullable address, uint16_t port,
                                              AvahiStringList *_Nullable txt, int flags, void *_Nullable user);
typedef void (*CAvahiRecordBrowserCallback)(AvahiRecordBrowser *_Nullable browser, int interface, int protocol,
                                            int event, const char *_Nullable name, uint16_t clazz, uint16_t type,
                                            const void *_Nullable data, size_t size, int flags, void *_Nullable user);
typedef void (*CAvahiEntryGroupCallback)(AvahiEntryGroup *_Nullable group, int state, void *_Nullable user);

// The opened library.
typedef struct CAvahiLibrary CAvahiLibrary;

// Opens both libraries by name; NULL, with the loader's words in `message`, when one or a symbol is missing.
CAvahiLibrary *_Nullable cavahi_open(const char *_Nonnull common, const char *_Nonnull client, char *_Nonnull message,
                                     size_t size);
// Frees the table of functions. The library itself stays loaded: D-Bus leaves exit handlers behind.
void cavahi_forget(CAvahiLibrary *_Nonnull library);
const char *_Nonnull cavahi_strerror(const CAvahiLibrary *_Nonnull library, int error);
// Whether the D-Bus system bus answers: Avahi reports a missing bus and a missing daemon alike.
int cavahi_bus_answers(const CAvahiLibrary *_Nonnull library);

// An Avahi event loop on a thread of its own. Everything below but `wake` is called on that thread only.
typedef struct CAvahiLoop CAvahiLoop;
// Starts the thread. `work` runs on it after each `wake`, `ended` last of all, when the loop no longer exists.
CAvahiLoop *_Nullable cavahi_loop_start(const CAvahiLibrary *_Nonnull library, void (*_Nonnull work)(void *_Nullable),
                                        void (*_Nonnull ended)(void *_Nullable), void *_Nullable user);
void cavahi_loop_wake(CAvahiLoop *_Nonnull loop);
void cavahi_loop_quit(CAvahiLoop *_Nonnull loop);

AvahiClient *_Nullable cavahi_client_new(CAvahiLoop *_Nonnull loop, int wait_for_daemon,
                                         CAvahiClientCallback _Nonnull callback, void *_Nullable user,
                                         int *_Nonnull error);
void cavahi_client_free(const CAvahiLibrary *_Nonnull library, AvahiClient *_Nonnull client);
int cavahi_client_errno(const CAvahiLibrary *_Nonnull library, AvahiClient *_Nonnull client);

// Lookups in the domain "local" on all interfaces and over both protocols. NULL: see cavahi_client_errno.
AvahiServiceBrowser *_Nullable cavahi_service_browser_new(const CAvahiLibrary *_Nonnull library,
                                                          AvahiClient *_Nonnull client, const char *_Nonnull type,
                                                          CAvahiServiceBrowserCallback _Nonnull callback,
                                                          void *_Nullable user);
void cavahi_service_browser_free(const CAvahiLibrary *_Nonnull library, AvahiServiceBrowser *_Nonnull browser);

// `address_protocol` is the family of the address that the answer shall carry.
AvahiServiceResolver *_Nullable cavahi_service_resolver_new(const CAvahiLibrary *_Nonnull library,
                                                            AvahiClient *_Nonnull client, const char *_Nonnull name,
                                                            const char *_Nonnull type, int address_protocol,
                                                            CAvahiServiceResolverCallback _Nonnull callback,
                                                            void *_Nullable user);
void cavahi_service_resolver_free(const CAvahiLibrary *_Nonnull library, AvahiServiceResolver *_Nonnull resolver);

AvahiRecordBrowser *_Nullable cavahi_record_browser_new(const CAvahiLibrary *_Nonnull library,
                                                        AvahiClient *_Nonnull client, const char *_Nonnull name,
                                                        uint16_t type, CAvahiRecordBrowserCallback _Nonnull callback,
                                                        void *_Nullable user);
void cavahi_record_browser_free(const CAvahiLibrary *_Nonnull library, AvahiRecordBrowser *_Nonnull browser);

// The octets of an address in network order: 4 or 16, or 0 for an unknown family. `octets` has room for 16.
size_t cavahi_address_octets(const AvahiAddress *_Nonnull address, uint8_t *_Nonnull octets);
// TXT data in the form of DNS; returns its length, and writes it if there is room for it.
size_t cavahi_txt_octets(const CAvahiLibrary *_Nonnull library, AvahiStringList *_Nullable txt,
                         uint8_t *_Nullable octets, size_t size);

// Services of this host, on all interfaces. These return 0 or an error number.
AvahiEntryGroup *_Nullable cavahi_group_new(const CAvahiLibrary *_Nonnull library, AvahiClient *_Nonnull client,
                                            CAvahiEntryGroupCallback _Nonnull callback, void *_Nullable user);
void cavahi_group_free(const CAvahiLibrary *_Nonnull library, AvahiEntryGroup *_Nonnull group);
int cavahi_group_reset(const CAvahiLibrary *_Nonnull library, AvahiEntryGroup *_Nonnull group);
int cavahi_group_commit(const CAvahiLibrary *_Nonnull library, AvahiEntryGroup *_Nonnull group);
int cavahi_group_add_service(const CAvahiLibrary *_Nonnull library, AvahiEntryGroup *_Nonnull group,
                             const char *_Nonnull name, const char *_Nonnull type, uint16_t port,
                             const uint8_t *_Nullable txt, size_t txt_size);
int cavahi_group_add_subtype(const CAvahiLibrary *_Nonnull library, AvahiEntryGroup *_Nonnull group,
                             const char *_Nonnull name, const char *_Nonnull type, const char *_Nonnull subtype);
int cavahi_group_update_txt(const CAvahiLibrary *_Nonnull library, AvahiEntryGroup *_Nonnull group,
                            const char *_Nonnull name, const char *_Nonnull type, const uint8_t *_Nullable txt,
                            size_t txt_size);

#endif
