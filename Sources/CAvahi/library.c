#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASS_IN = 1, PUBLISH_NO_COOKIE = 32 };
static const char domain[] = "local";

CAvahiLibrary *cavahi_open(const char *common, const char *client, char *message, size_t size) {
    void *common_handle = dlopen(common, RTLD_NOW | RTLD_LOCAL);
    void *client_handle = common_handle ? dlopen(client, RTLD_NOW | RTLD_LOCAL) : NULL;
    CAvahiLibrary *library = client_handle ? calloc(1, sizeof *library) : NULL;
    int complete = library != NULL;
    // Casting through a pointer to the function pointer is how POSIX wants dlsym to be used.
#define FIND(handle, name) (complete = complete && (*(void **)&library->name = dlsym(handle, "avahi_" #name)) != NULL)
#define FIND_COMMON(result, name, parameters) FIND(common_handle, name);
#define FIND_CLIENT(result, name, parameters) FIND(client_handle, name);
    CAVAHI_COMMON_FUNCTIONS(FIND_COMMON)
    CAVAHI_CLIENT_FUNCTIONS(FIND_CLIENT)
    if (!complete) {
        const char *reason = dlerror();
        snprintf(message, size, "%s", reason ? reason : "out of memory");
        free(library);
        return NULL;
    }
    *(void **)&library->bus_get_private = dlsym(client_handle, "dbus_bus_get_private");
    *(void **)&library->bus_set_exit_on_disconnect = dlsym(client_handle, "dbus_connection_set_exit_on_disconnect");
    *(void **)&library->bus_close = dlsym(client_handle, "dbus_connection_close");
    *(void **)&library->bus_unref = dlsym(client_handle, "dbus_connection_unref");
    return library;
}

void cavahi_forget(CAvahiLibrary *library) { free(library); }

const char *cavahi_strerror(const CAvahiLibrary *library, int error) {
    const char *text = library->strerror(error);
    return text ? text : "unknown error";
}

int cavahi_bus_answers(const CAvahiLibrary *library) {
    if (!library->bus_get_private || !library->bus_set_exit_on_disconnect || !library->bus_close || !library->bus_unref)
        return 1;
    enum { SYSTEM_BUS = 1 };
    void *connection = library->bus_get_private(SYSTEM_BUS, NULL);
    if (!connection) return 0;
    library->bus_set_exit_on_disconnect(connection, 0);
    library->bus_close(connection);
    library->bus_unref(connection);
    return 1;
}

void cavahi_client_free(const CAvahiLibrary *library, AvahiClient *client) { library->client_free(client); }

int cavahi_client_errno(const CAvahiLibrary *library, AvahiClient *client) { return library->client_errno(client); }

AvahiServiceBrowser *cavahi_service_browser_new(const CAvahiLibrary *library, AvahiClient *client, const char *type,
                                                CAvahiServiceBrowserCallback callback, void *user) {
    return library->service_browser_new(client, CAVAHI_UNSPEC, CAVAHI_UNSPEC, type, domain, 0, callback, user);
}

void cavahi_service_browser_free(const CAvahiLibrary *library, AvahiServiceBrowser *browser) {
    library->service_browser_free(browser);
}

AvahiServiceResolver *cavahi_service_resolver_new(const CAvahiLibrary *library, AvahiClient *client, const char *name,
                                                  const char *type, int address_protocol,
                                                  CAvahiServiceResolverCallback callback, void *user) {
    return library->service_resolver_new(client, CAVAHI_UNSPEC, CAVAHI_UNSPEC, name, type, domain, address_protocol, 0,
                                         callback, user);
}

void cavahi_service_resolver_free(const CAvahiLibrary *library, AvahiServiceResolver *resolver) {
    library->service_resolver_free(resolver);
}

AvahiRecordBrowser *cavahi_record_browser_new(const CAvahiLibrary *library, AvahiClient *client, const char *name,
                                              uint16_t type, CAvahiRecordBrowserCallback callback, void *user) {
    return library->record_browser_new(client, CAVAHI_UNSPEC, CAVAHI_UNSPEC, name, CLASS_IN, type, 0, callback, user);
}

void cavahi_record_browser_free(const CAvahiLibrary *library, AvahiRecordBrowser *browser) {
    library->record_browser_free(browser);
}

size_t cavahi_address_octets(const AvahiAddress *address, uint8_t *octets) {
    size_t size = address->proto == CAVAHI_INET6 ? 16 : address->proto == CAVAHI_INET ? 4 : 0;
    memcpy(octets, address->data, size);
    return size;
}

size_t cavahi_txt_octets(const CAvahiLibrary *library, AvahiStringList *txt, uint8_t *octets, size_t size) {
    size_t needed = library->string_list_serialize(txt, NULL, 0);
    if (octets && size >= needed) needed = library->string_list_serialize(txt, octets, size);
    return needed;
}

// TXT data in the form of DNS as Avahi's list; no data is the empty list, which Avahi writes as NULL.
static int parse_txt(const CAvahiLibrary *library, const uint8_t *txt, size_t size, AvahiStringList **list) {
    *list = NULL;
    return txt && size ? library->string_list_parse(txt, size, list) : 0;
}

AvahiEntryGroup *cavahi_group_new(const CAvahiLibrary *library, AvahiClient *client, CAvahiEntryGroupCallback callback,
                                  void *user) {
    return library->entry_group_new(client, callback, user);
}

void cavahi_group_free(const CAvahiLibrary *library, AvahiEntryGroup *group) { library->entry_group_free(group); }

int cavahi_group_reset(const CAvahiLibrary *library, AvahiEntryGroup *group) {
    return library->entry_group_reset(group);
}

int cavahi_group_commit(const CAvahiLibrary *library, AvahiEntryGroup *group) {
    return library->entry_group_commit(group);
}

int cavahi_group_add_service(const CAvahiLibrary *library, AvahiEntryGroup *group, const char *name, const char *type,
                             uint16_t port, const uint8_t *txt, size_t txt_size) {
    AvahiStringList *list;
    if (parse_txt(library, txt, txt_size, &list) < 0) return CAVAHI_ERR_NO_MEMORY;
    int result = library->entry_group_add_service_strlst(group, CAVAHI_UNSPEC, CAVAHI_UNSPEC, PUBLISH_NO_COOKIE, name,
                                                         type, domain, NULL, port, list);
    library->string_list_free(list);
    return result;
}

int cavahi_group_add_subtype(const CAvahiLibrary *library, AvahiEntryGroup *group, const char *name, const char *type,
                             const char *subtype) {
    return library->entry_group_add_service_subtype(group, CAVAHI_UNSPEC, CAVAHI_UNSPEC, 0, name, type, domain,
                                                    subtype);
}

int cavahi_group_update_txt(const CAvahiLibrary *library, AvahiEntryGroup *group, const char *name, const char *type,
                            const uint8_t *txt, size_t txt_size) {
    AvahiStringList *list;
    if (parse_txt(library, txt, txt_size, &list) < 0) return CAVAHI_ERR_NO_MEMORY;
    int result = library->entry_group_update_service_txt_strlst(group, CAVAHI_UNSPEC, CAVAHI_UNSPEC, PUBLISH_NO_COOKIE,
                                                                name, type, domain, list);
    library->string_list_free(list);
    return result;
}
