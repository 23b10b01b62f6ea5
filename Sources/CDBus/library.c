#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CDBusLibrary *cdbus_open(const char *name, char *message, size_t size) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    CDBusLibrary *library = handle ? calloc(1, sizeof *library) : NULL;
    int complete = library != NULL;
    // Casting through a pointer to the function pointer is how POSIX wants dlsym to be used.
#define FIND(result, name, parameters)                                                                                 \
    complete = complete && (*(void **)&library->name = dlsym(handle, "dbus_" #name)) != NULL;
    CDBUS_FUNCTIONS(FIND)
    if (!complete) {
        const char *reason = dlerror();
        snprintf(message, size, "%s", reason ? reason : "out of memory");
        free(library);
        return NULL;
    }
    return library;
}

void cdbus_forget(CDBusLibrary *library) { free(library); }

// MARK: Messages

DBusMessage *cdbus_call(const CDBusLibrary *library, const char *destination, const char *path, const char *interface,
                        const char *member) {
    return library->message_new_method_call(destination, path, interface, member);
}

DBusMessage *cdbus_return(const CDBusLibrary *library, DBusMessage *call) {
    return library->message_new_method_return(call);
}

DBusMessage *cdbus_error(const CDBusLibrary *library, DBusMessage *call, const char *name, const char *words) {
    return library->message_new_error(call, name, words);
}

DBusMessage *cdbus_signal(const CDBusLibrary *library, const char *path, const char *interface, const char *member) {
    return library->message_new_signal(path, interface, member);
}

DBusMessage *cdbus_retain(const CDBusLibrary *library, DBusMessage *message) { return library->message_ref(message); }

void cdbus_release(const CDBusLibrary *library, DBusMessage *message) { library->message_unref(message); }

int cdbus_is_path(const CDBusLibrary *library, const char *path) { return library->validate_path(path, NULL) != 0; }

int cdbus_is_signature(const CDBusLibrary *library, const char *signature) {
    return library->signature_validate(signature, NULL) != 0;
}

int cdbus_kind(const CDBusLibrary *library, DBusMessage *message) { return library->message_get_type(message); }

uint32_t cdbus_reply_to(const CDBusLibrary *library, DBusMessage *message) {
    return library->message_get_reply_serial(message);
}

int cdbus_wants_reply(const CDBusLibrary *library, DBusMessage *message) {
    return !library->message_get_no_reply(message);
}

const char *cdbus_path(const CDBusLibrary *library, DBusMessage *message) { return library->message_get_path(message); }

const char *cdbus_interface(const CDBusLibrary *library, DBusMessage *message) {
    return library->message_get_interface(message);
}

const char *cdbus_member(const CDBusLibrary *library, DBusMessage *message) {
    return library->message_get_member(message);
}

const char *cdbus_sender(const CDBusLibrary *library, DBusMessage *message) {
    return library->message_get_sender(message);
}

const char *cdbus_error_name(const CDBusLibrary *library, DBusMessage *message) {
    return library->message_get_error_name(message);
}

// MARK: Reading arguments

int cdbus_first(const CDBusLibrary *library, DBusMessage *message, CDBusPlace *place) {
    return library->message_iter_init(message, place) != 0;
}

int cdbus_type(const CDBusLibrary *library, CDBusPlace *place) { return library->message_iter_get_arg_type(place); }

int cdbus_element_type(const CDBusLibrary *library, CDBusPlace *place) {
    return library->message_iter_get_element_type(place);
}

void cdbus_enter(const CDBusLibrary *library, CDBusPlace *place, CDBusPlace *inner) {
    library->message_iter_recurse(place, inner);
}

void cdbus_next(const CDBusLibrary *library, CDBusPlace *place) { library->message_iter_next(place); }

uint64_t cdbus_number(const CDBusLibrary *library, CDBusPlace *place) {
    // libdbus writes as many bytes as the type has.
    union {
        uint8_t byte;
        uint16_t half;
        uint32_t word;
        uint64_t number;
    } value = {.number = 0};
    library->message_iter_get_basic(place, &value);
    switch (library->message_iter_get_arg_type(place)) {
    case 'y': return value.byte;
    case 'n':
    case 'q': return value.half;
    case 'b':
    case 'i':
    case 'u': return value.word;
    default: return value.number;
    }
}

const char *cdbus_text(const CDBusLibrary *library, CDBusPlace *place) {
    const char *text = NULL;
    library->message_iter_get_basic(place, &text);
    return text ? text : "";
}

const uint8_t *cdbus_bytes(const CDBusLibrary *library, CDBusPlace *inner, int *count) {
    const uint8_t *bytes = NULL;
    *count = 0;
    library->message_iter_get_fixed_array(inner, &bytes, count);
    return bytes;
}

char *cdbus_signature(const CDBusLibrary *library, CDBusPlace *place) {
    return library->message_iter_get_signature(place);
}

void cdbus_free_text(const CDBusLibrary *library, char *text) { library->free(text); }

// MARK: Writing arguments

void cdbus_begin(const CDBusLibrary *library, DBusMessage *message, CDBusPlace *place) {
    library->message_iter_init_append(message, place);
}

int cdbus_add_number(const CDBusLibrary *library, CDBusPlace *place, int type, uint64_t number) {
    uint8_t byte = (uint8_t)number;
    uint16_t half = (uint16_t)number;
    uint32_t word = (uint32_t)number;
    const void *value = type == 'y'                                 ? (const void *)&byte
                        : type == 'n' || type == 'q'                ? (const void *)&half
                        : type == 'b' || type == 'i' || type == 'u' ? (const void *)&word
                                                                    : (const void *)&number;
    return library->message_iter_append_basic(place, type, value) != 0;
}

int cdbus_add_text(const CDBusLibrary *library, CDBusPlace *place, int type, const char *text) {
    return library->message_iter_append_basic(place, type, &text) != 0;
}

int cdbus_add_bytes(const CDBusLibrary *library, CDBusPlace *place, const uint8_t *bytes, size_t count) {
    static const uint8_t nothing[1];
    const uint8_t *start = bytes ? bytes : nothing;
    CDBusPlace inner;
    return library->message_iter_open_container(place, 'a', "y", &inner) &&
           library->message_iter_append_fixed_array(&inner, 'y', &start, (int)count) &&
           library->message_iter_close_container(place, &inner);
}

int cdbus_begin_inner(const CDBusLibrary *library, CDBusPlace *place, int type, const char *signature,
                      CDBusPlace *inner) {
    return library->message_iter_open_container(place, type, signature, inner) != 0;
}

int cdbus_end_inner(const CDBusLibrary *library, CDBusPlace *place, CDBusPlace *inner) {
    return library->message_iter_close_container(place, inner) != 0;
}
