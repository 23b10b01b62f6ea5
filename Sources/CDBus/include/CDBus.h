// The part of libdbus that MatterBluetooth uses, opened with dlopen when it is first needed. Nothing here makes the
// program link libdbus: a host without it can run everything but Bluetooth.
//
// The declarations repeat the stable ABI of libdbus-1.so.3, so that building needs no development package; abi-check.c
// compares them with libdbus's own headers.
//
// libdbus ends the process when an argument breaks the rules of D-Bus (a path that is none, text that is not UTF-8). What
// is given here is constant, comes from libdbus itself, or is checked with cdbus_is_path.
#ifndef CDBUS_H
#define CDBUS_H

#include <stddef.h>
#include <stdint.h>

typedef struct DBusMessage DBusMessage;

// A place in the arguments of a message: room for libdbus's own struct, of which nothing is public.
typedef struct {
    void *_Nullable first[2];
    uint32_t middle[10];
    void *_Nullable last[2];
} CDBusPlace;

// Kinds of message.
enum { CDBUS_CALL = 1, CDBUS_RETURN = 2, CDBUS_ERROR = 3, CDBUS_SIGNAL = 4 };

// The opened library.
typedef struct CDBusLibrary CDBusLibrary;

// Opens the library by name; NULL, with the loader's words in `message`, when it or a symbol is missing.
CDBusLibrary *_Nullable cdbus_open(const char *_Nonnull name, char *_Nonnull message, size_t size);
// Frees the table of functions. The library itself stays loaded: it leaves exit handlers behind.
void cdbus_forget(CDBusLibrary *_Nonnull library);

// A private connection to the system bus, on a thread of its own. Everything below that takes a loop is called on that
// thread only, but for `wake`.
typedef struct CDBusLoop CDBusLoop;

typedef struct {
    // The connection is there; or it is not, with libdbus's name and words of the error. Called once.
    void (*_Nonnull opened)(void *_Nullable user, const char *_Nullable error, const char *_Nullable words);
    // Runs after each `wake`.
    void (*_Nonnull work)(void *_Nullable user);
    // A message has come; it is the caller's only during the call.
    void (*_Nonnull received)(void *_Nullable user, DBusMessage *_Nonnull message);
    // The bus has ended the connection. Called once at most.
    void (*_Nonnull lost)(void *_Nullable user);
    // The thread ends; the loop no longer exists.
    void (*_Nonnull ended)(void *_Nullable user);
} CDBusCallbacks;

// Starts the thread, which connects before all else: a bus that hangs keeps the thread, and no one else.
CDBusLoop *_Nullable cdbus_start(const CDBusLibrary *_Nonnull library, CDBusCallbacks callbacks, void *_Nullable user);
void cdbus_wake(CDBusLoop *_Nonnull loop);
void cdbus_quit(CDBusLoop *_Nonnull loop);
// Sends a message; returns its serial number, or 0 without memory or connection.
uint32_t cdbus_send(CDBusLoop *_Nonnull loop, DBusMessage *_Nonnull message);

// Making messages. NULL and 0: no memory.
DBusMessage *_Nullable cdbus_call(const CDBusLibrary *_Nonnull library, const char *_Nonnull destination,
                                  const char *_Nonnull path, const char *_Nonnull interface,
                                  const char *_Nonnull member);
DBusMessage *_Nullable cdbus_return(const CDBusLibrary *_Nonnull library, DBusMessage *_Nonnull call);
DBusMessage *_Nullable cdbus_error(const CDBusLibrary *_Nonnull library, DBusMessage *_Nonnull call,
                                   const char *_Nonnull name, const char *_Nonnull words);
DBusMessage *_Nullable cdbus_signal(const CDBusLibrary *_Nonnull library, const char *_Nonnull path,
                                    const char *_Nonnull interface, const char *_Nonnull member);
DBusMessage *_Nonnull cdbus_retain(const CDBusLibrary *_Nonnull library, DBusMessage *_Nonnull message);
void cdbus_release(const CDBusLibrary *_Nonnull library, DBusMessage *_Nonnull message);
int cdbus_is_path(const CDBusLibrary *_Nonnull library, const char *_Nonnull path);
int cdbus_is_signature(const CDBusLibrary *_Nonnull library, const char *_Nonnull signature);

// What a message says of itself; NULL and 0 for what it does not say.
int cdbus_kind(const CDBusLibrary *_Nonnull library, DBusMessage *_Nonnull message);
uint32_t cdbus_reply_to(const CDBusLibrary *_Nonnull library, DBusMessage *_Nonnull message);
int cdbus_wants_reply(const CDBusLibrary *_Nonnull library, DBusMessage *_Nonnull message);
const char *_Nullable cdbus_path(const CDBusLibrary *_Nonnull library, DBusMessage *_Nonnull message);
const char *_Nullable cdbus_interface(const CDBusLibrary *_Nonnull library, DBusMessage *_Nonnull message);
const char *_Nullable cdbus_member(const CDBusLibrary *_Nonnull library, DBusMessage *_Nonnull message);
const char *_Nullable cdbus_sender(const CDBusLibrary *_Nonnull library, DBusMessage *_Nonnull message);
const char *_Nullable cdbus_error_name(const CDBusLibrary *_Nonnull library, DBusMessage *_Nonnull message);

// Reading arguments. The type is D-Bus's letter, 0 at the end.
int cdbus_first(const CDBusLibrary *_Nonnull library, DBusMessage *_Nonnull message, CDBusPlace *_Nonnull place);
int cdbus_type(const CDBusLibrary *_Nonnull library, CDBusPlace *_Nonnull place);
int cdbus_element_type(const CDBusLibrary *_Nonnull library, CDBusPlace *_Nonnull place);
void cdbus_enter(const CDBusLibrary *_Nonnull library, CDBusPlace *_Nonnull place, CDBusPlace *_Nonnull inner);
void cdbus_next(const CDBusLibrary *_Nonnull library, CDBusPlace *_Nonnull place);
// A number of any width, its bits in the low end of the result.
uint64_t cdbus_number(const CDBusLibrary *_Nonnull library, CDBusPlace *_Nonnull place);
// A string, a path or a signature, which is the message's.
const char *_Nonnull cdbus_text(const CDBusLibrary *_Nonnull library, CDBusPlace *_Nonnull place);
// The bytes of an array of bytes that was entered, which are the message's.
const uint8_t *_Nullable cdbus_bytes(const CDBusLibrary *_Nonnull library, CDBusPlace *_Nonnull inner,
                                     int *_Nonnull count);
// The signature of what stands here; to be freed with cdbus_free_text.
char *_Nullable cdbus_signature(const CDBusLibrary *_Nonnull library, CDBusPlace *_Nonnull place);
void cdbus_free_text(const CDBusLibrary *_Nonnull library, char *_Nullable text);

// Writing arguments. 0: no memory.
void cdbus_begin(const CDBusLibrary *_Nonnull library, DBusMessage *_Nonnull message, CDBusPlace *_Nonnull place);
int cdbus_add_number(const CDBusLibrary *_Nonnull library, CDBusPlace *_Nonnull place, int type, uint64_t number);
int cdbus_add_text(const CDBusLibrary *_Nonnull library, CDBusPlace *_Nonnull place, int type,
                   const char *_Nonnull text);
int cdbus_add_bytes(const CDBusLibrary *_Nonnull library, CDBusPlace *_Nonnull place, const uint8_t *_Nullable bytes,
                    size_t count);
// `signature`: of the elements of an array, of the content of a variant; NULL otherwise.
int cdbus_begin_inner(const CDBusLibrary *_Nonnull library, CDBusPlace *_Nonnull place, int type,
                      const char *_Nullable signature, CDBusPlace *_Nonnull inner);
int cdbus_end_inner(const CDBusLibrary *_Nonnull library, CDBusPlace *_Nonnull place, CDBusPlace *_Nonnull inner);

#endif
