#define _GNU_SOURCE  // memfd_create
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "CCurl.h"
#include "reach.h"

// curl_version_info_data as far as its seventh version.
typedef struct {
    int age;
    const char *version;
    unsigned number;
    const char *host;
    int features;
    const char *tls;
    long tls_number;
    const char *zlib;
    const char *const *protocols;
    const char *ares;
    int ares_number;
    const char *idn;
    int iconv_number;
    const char *ssh;
    unsigned brotli_number;
    const char *brotli;
    unsigned http2_number;
    const char *http2;
    const char *quic;
    const char *authorities;
} Version;

// CURLMsg.
typedef struct {
    int kind;
    CCurlEasy *easy;
    union {
        void *pointer;
        int code;
    } data;
} Message;

enum { GLOBAL_ALL = 3, SEVENTH_VERSION = 6, MESSAGE_DONE = 1, LONGEST_WAIT = 60000, ACTIVE_SOCKET = 0x50002c };

#include "symbols.h"

struct CCurlLibrary {
#define DECLARE(result, name, parameters) result(*name) parameters;
    CCURL_FUNCTIONS(DECLARE)
};

CCurlLibrary *ccurl_open(const char *name, char *message, size_t size) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    CCurlLibrary *library = handle ? calloc(1, sizeof *library) : NULL;
    int complete = library != NULL;
    // Casting through a pointer to the function pointer is how POSIX wants dlsym to be used.
#define FIND(result, name, parameters)                                                                                 \
    complete = complete && (*(void **)&library->name = dlsym(handle, "curl_" #name)) != NULL;
    CCURL_FUNCTIONS(FIND)
    if (complete && library->global_init(GLOBAL_ALL) == 0) return library;
    const char *reason = complete ? "it cannot be set up" : dlerror();
    snprintf(message, size, "%s", reason ? reason : "out of memory");
    free(library);
    return NULL;
}

void ccurl_forget(CCurlLibrary *library) { free(library); }

const char *ccurl_version(const CCurlLibrary *library) { return library->version_info(0)->version; }

const char *ccurl_authorities(const CCurlLibrary *library) {
    const Version *version = library->version_info(SEVENTH_VERSION);
    return version->age >= SEVENTH_VERSION ? version->authorities : NULL;
}

const char *ccurl_strerror(const CCurlLibrary *library, int code) { return library->easy_strerror(code); }

CCurlEasy *ccurl_easy_init(const CCurlLibrary *library) { return library->easy_init(); }

void ccurl_easy_cleanup(const CCurlLibrary *library, CCurlEasy *easy) { library->easy_cleanup(easy); }

int ccurl_set_number(const CCurlLibrary *library, CCurlEasy *easy, CCurlNumberOption option, long value) {
    return library->easy_setopt(easy, option, value);
}

int ccurl_set_text(const CCurlLibrary *library, CCurlEasy *easy, CCurlTextOption option, const char *value) {
    return library->easy_setopt(easy, option, value);
}

int ccurl_set_headers(const CCurlLibrary *library, CCurlEasy *easy, CCurlList *headers) {
    return library->easy_setopt(easy, CCURL_HTTPHEADER, headers);
}

int ccurl_set_body(const CCurlLibrary *library, CCurlEasy *easy, const void *bytes, long size) {
    int code = library->easy_setopt(easy, CCURL_POSTFIELDSIZE, size);
    return code ? code : library->easy_setopt(easy, CCURL_COPYPOSTFIELDS, bytes);
}

int ccurl_set_receivers(const CCurlLibrary *library, CCurlEasy *easy, CCurlReceiver body, CCurlReceiver header,
                        void *user) {
    int code = library->easy_setopt(easy, CCURL_WRITEFUNCTION, body);
    if (!code) code = library->easy_setopt(easy, CCURL_WRITEDATA, user);
    if (!code) code = library->easy_setopt(easy, CCURL_HEADERFUNCTION, header);
    return code ? code : library->easy_setopt(easy, CCURL_HEADERDATA, user);
}

int ccurl_set_gate(const CCurlLibrary *library, CCurlEasy *easy, CCurlGate gate, void *user) {
    int code = library->easy_setopt(easy, CCURL_PREREQFUNCTION, gate);
    return code ? code : library->easy_setopt(easy, CCURL_PREREQDATA, user);
}

int ccurl_set_reach(const CCurlLibrary *library, CCurlEasy *easy, CCurlReach *reach) {
    int code = library->easy_setopt(easy, CCURL_OPENSOCKETFUNCTION, ccurl_open_socket);
    return code ? code : library->easy_setopt(easy, CCURL_OPENSOCKETDATA, reach);
}

long ccurl_number(const CCurlLibrary *library, CCurlEasy *easy, CCurlNumber what) {
    long value = 0;
    return library->easy_getinfo(easy, what, &value) == 0 ? value : 0;
}

int64_t ccurl_time(const CCurlLibrary *library, CCurlEasy *easy, CCurlTime what) {
    int64_t value = 0;
    return library->easy_getinfo(easy, what, &value) == 0 ? value : 0;
}

int ccurl_connect(const CCurlLibrary *library, CCurlEasy *easy) { return library->easy_perform(easy); }

int ccurl_socket(const CCurlLibrary *library, CCurlEasy *easy) {
    int socket = -1;
    return library->easy_getinfo(easy, ACTIVE_SOCKET, &socket) == 0 ? socket : -1;
}

int ccurl_send(const CCurlLibrary *library, CCurlEasy *easy, const void *bytes, size_t size, size_t *sent) {
    return library->easy_send(easy, bytes, size, sent);
}

int ccurl_receive(const CCurlLibrary *library, CCurlEasy *easy, void *bytes, size_t size, size_t *received) {
    return library->easy_recv(easy, bytes, size, received);
}

CCurlList *ccurl_list_append(const CCurlLibrary *library, CCurlList *list, const char *text) {
    return library->slist_append(list, text);
}

void ccurl_list_free(const CCurlLibrary *library, CCurlList *list) { library->slist_free_all(list); }

CCurlMulti *ccurl_multi_init(const CCurlLibrary *library) { return library->multi_init(); }

void ccurl_multi_cleanup(const CCurlLibrary *library, CCurlMulti *multi) { library->multi_cleanup(multi); }

int ccurl_multi_add(const CCurlLibrary *library, CCurlMulti *multi, CCurlEasy *easy) {
    return library->multi_add_handle(multi, easy);
}

void ccurl_multi_remove(const CCurlLibrary *library, CCurlMulti *multi, CCurlEasy *easy) {
    library->multi_remove_handle(multi, easy);
}

int ccurl_multi_perform(const CCurlLibrary *library, CCurlMulti *multi) {
    int running;
    return library->multi_perform(multi, &running);
}

int ccurl_multi_wait(const CCurlLibrary *library, CCurlMulti *multi) {
    return library->multi_poll(multi, NULL, 0, LONGEST_WAIT, NULL);
}

void ccurl_multi_wake(const CCurlLibrary *library, CCurlMulti *multi) { library->multi_wakeup(multi); }

CCurlEasy *ccurl_multi_ended(const CCurlLibrary *library, CCurlMulti *multi, int *code) {
    int left;
    const Message *message;
    while ((message = library->multi_info_read(multi, &left))) {
        if (message->kind != MESSAGE_DONE) continue;
        *code = message->data.code;
        return message->easy;
    }
    return NULL;
}

int ccurl_unnamed_file(void) {
    enum { NOEXEC_SEAL = 8 };
    int file = memfd_create("certificate authorities", MFD_CLOEXEC | NOEXEC_SEAL);
    return file >= 0 ? file : memfd_create("certificate authorities", MFD_CLOEXEC);
}
