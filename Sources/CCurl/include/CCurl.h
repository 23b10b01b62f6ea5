// The part of libcurl that MatterHTTP uses, opened with dlopen when it is first needed.
// Nothing here makes the program link libcurl: a host without it can do everything but talk to a cloud.
//
// The declarations repeat the stable ABI of libcurl.so.4, so that building needs no development package. curl_easy_setopt
// and curl_easy_getinfo take any type; the functions below take one each. CurlLibraryTests compares the numbers of the
// options with those that the library on the machine tells.
#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>
#include <stdint.h>

typedef struct CCurlEasy CCurlEasy;
typedef struct CCurlMulti CCurlMulti;
typedef struct CCurlList CCurlList;

// Options that take a long.
typedef enum {
    CCURL_LOW_SPEED_LIMIT = 19,
    CCURL_LOW_SPEED_TIME = 20,
    CCURL_SSLVERSION = 32,
    CCURL_POST = 47,
    CCURL_NETRC = 51,
    CCURL_FOLLOWLOCATION = 52,
    CCURL_POSTFIELDSIZE = 60,
    CCURL_SSL_VERIFYPEER = 64,
    CCURL_FRESH_CONNECT = 74,
    CCURL_FORBID_REUSE = 75,
    CCURL_SSL_VERIFYHOST = 81,
    CCURL_HTTP_VERSION = 84,
    CCURL_NOSIGNAL = 99,
    CCURL_MAXFILESIZE = 114,
    CCURL_CONNECT_ONLY = 141,
    CCURL_TIMEOUT_MS = 155,
    CCURL_CONNECTTIMEOUT_MS = 156,
    CCURL_PROTOCOLS = 181,
    CCURL_HEADEROPT = 229,
    CCURL_PATH_AS_IS = 234,
    CCURL_SUPPRESS_CONNECT_HEADERS = 265,
    CCURL_QUICK_EXIT = 322
} CCurlNumberOption;

// Options that take a string, which is copied.
typedef enum {
    CCURL_URL = 10002,
    CCURL_PROXY = 10004,
    CCURL_USERAGENT = 10018,
    CCURL_CUSTOMREQUEST = 10036,
    CCURL_CAINFO = 10065,
    CCURL_PROXYUSERNAME = 10175,
    CCURL_PROXYPASSWORD = 10176,
    CCURL_NOPROXY = 10177,
    CCURL_UNIX_SOCKET_PATH = 10231,
    CCURL_PROTOCOLS_STR = 10318
} CCurlTextOption;

// Options behind functions of their own below.
typedef enum {
    CCURL_WRITEDATA = 10001,
    CCURL_HTTPHEADER = 10023,
    CCURL_HEADERDATA = 10029,
    CCURL_OPENSOCKETDATA = 10164,
    CCURL_COPYPOSTFIELDS = 10165,
    CCURL_PREREQDATA = 10313,
    CCURL_WRITEFUNCTION = 20011,
    CCURL_HEADERFUNCTION = 20079,
    CCURL_OPENSOCKETFUNCTION = 20163,
    CCURL_PREREQFUNCTION = 20312
} CCurlOtherOption;

// Values of options.
enum {
    CCURL_HTTP_1_1 = 2,
    CCURL_TLS_1_2 = 6,
    CCURL_HEADER_SEPARATE = 1,
    CCURL_PROTOCOL_HTTP = 1,
    CCURL_PROTOCOL_HTTPS = 2
};

// What can be asked about an exchange: a long, and microseconds.
typedef enum { CCURL_RESPONSE_CODE = 0x200002, CCURL_HTTP_CONNECTCODE = 0x200016, CCURL_LOCAL_PORT = 0x20002a } CCurlNumber;
typedef enum { CCURL_APPCONNECT_TIME = 0x600038 } CCurlTime;

// How an exchange ended, as far as that is told apart.
typedef enum {
    CCURL_OK = 0,
    CCURL_UNSUPPORTED_PROTOCOL = 1,
    CCURL_URL_MALFORMAT = 3,
    CCURL_COULDNT_RESOLVE_PROXY = 5,
    CCURL_COULDNT_RESOLVE_HOST = 6,
    CCURL_COULDNT_CONNECT = 7,
    CCURL_WEIRD_SERVER_REPLY = 8,
    CCURL_PARTIAL_FILE = 18,
    CCURL_WRITE_ERROR = 23,
    CCURL_OPERATION_TIMEDOUT = 28,
    CCURL_SSL_CONNECT_ERROR = 35,
    CCURL_ABORTED_BY_CALLBACK = 42,
    CCURL_GOT_NOTHING = 52,
    CCURL_SEND_ERROR = 55,
    CCURL_RECV_ERROR = 56,
    CCURL_SSL_CIPHER = 59,
    CCURL_PEER_FAILED_VERIFICATION = 60,
    CCURL_BAD_CONTENT_ENCODING = 61,
    CCURL_FILESIZE_EXCEEDED = 63,
    CCURL_SSL_CACERT_BADFILE = 77,
    CCURL_AGAIN = 81,
    CCURL_PROXY_FAILED = 97
} CCurlCode;

// Takes bytes; another result than `size * count` ends the exchange with CCURL_WRITE_ERROR.
typedef size_t (*CCurlReceiver)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable user);
// Is called when a request is about to be sent; not 0 ends the exchange with CCURL_ABORTED_BY_CALLBACK.
typedef int (*CCurlGate)(void *_Nullable user, char *_Nullable, char *_Nullable, int, int);

// The opened library.
typedef struct CCurlLibrary CCurlLibrary;

// Opens the library by name; NULL, with the loader's words in `message`, when it or a symbol is missing. It stays loaded.
CCurlLibrary *_Nullable ccurl_open(const char *_Nonnull name, char *_Nonnull message, size_t size);
void ccurl_forget(CCurlLibrary *_Nonnull library);
const char *_Nonnull ccurl_version(const CCurlLibrary *_Nonnull library);
// The file of certificate authorities that the library was built to use, if it is one.
const char *_Nullable ccurl_authorities(const CCurlLibrary *_Nonnull library);
const char *_Nonnull ccurl_strerror(const CCurlLibrary *_Nonnull library, int code);

CCurlEasy *_Nullable ccurl_easy_init(const CCurlLibrary *_Nonnull library);
void ccurl_easy_cleanup(const CCurlLibrary *_Nonnull library, CCurlEasy *_Nonnull easy);
// These return a CCurlCode.
int ccurl_set_number(const CCurlLibrary *_Nonnull library, CCurlEasy *_Nonnull easy, CCurlNumberOption option,
                     long value);
int ccurl_set_text(const CCurlLibrary *_Nonnull library, CCurlEasy *_Nonnull easy, CCurlTextOption option,
                   const char *_Nonnull value);
// The list must live as long as the exchange.
int ccurl_set_headers(const CCurlLibrary *_Nonnull library, CCurlEasy *_Nonnull easy, CCurlList *_Nullable headers);
// Copies the body.
int ccurl_set_body(const CCurlLibrary *_Nonnull library, CCurlEasy *_Nonnull easy, const void *_Nonnull bytes, long size);
int ccurl_set_receivers(const CCurlLibrary *_Nonnull library, CCurlEasy *_Nonnull easy, CCurlReceiver _Nonnull body,
                        CCurlReceiver _Nonnull header, void *_Nonnull user);
int ccurl_set_gate(const CCurlLibrary *_Nonnull library, CCurlEasy *_Nonnull easy, CCurlGate _Nonnull gate,
                   void *_Nonnull user);
// Which addresses an exchange may connect to, and whether one was refused.
typedef struct {
    int allows_loopback;
    int refused;
} CCurlReach;

// None refused, no loopback; NULL when memory has run out.
CCurlReach *_Nullable ccurl_reach_new(void);
void ccurl_reach_free(CCurlReach *_Nonnull reach);
// Lets an exchange connect to addresses of the public internet alone, whatever name it looked up. `reach` must live as
// long as the exchange.
int ccurl_set_reach(const CCurlLibrary *_Nonnull library, CCurlEasy *_Nonnull easy, CCurlReach *_Nonnull reach);
// Whether a host, written as an address, may be connected to: 1 for a name, which says nothing of its addresses.
int ccurl_is_in_reach(const char *_Nonnull host, int allows_loopback);
// 0 where there is nothing to tell.
long ccurl_number(const CCurlLibrary *_Nonnull library, CCurlEasy *_Nonnull easy, CCurlNumber what);
int64_t ccurl_time(const CCurlLibrary *_Nonnull library, CCurlEasy *_Nonnull easy, CCurlTime what);

// A connection that is only made (CCURL_CONNECT_ONLY), and then used as it is. These return a CCurlCode; CCURL_AGAIN means that
// nothing can be sent or received now.
int ccurl_connect(const CCurlLibrary *_Nonnull library, CCurlEasy *_Nonnull easy);
// The descriptor to wait for; -1 if there is none.
int ccurl_socket(const CCurlLibrary *_Nonnull library, CCurlEasy *_Nonnull easy);
int ccurl_send(const CCurlLibrary *_Nonnull library, CCurlEasy *_Nonnull easy, const void *_Nonnull bytes, size_t size,
               size_t *_Nonnull sent);
// 0 bytes: the other side has ended the connection.
int ccurl_receive(const CCurlLibrary *_Nonnull library, CCurlEasy *_Nonnull easy, void *_Nonnull bytes, size_t size,
                  size_t *_Nonnull received);

// A list of strings, which are copied; NULL is the empty one. NULL is returned when memory has run out.
CCurlList *_Nullable ccurl_list_append(const CCurlLibrary *_Nonnull library, CCurlList *_Nullable list,
                                       const char *_Nonnull text);
void ccurl_list_free(const CCurlLibrary *_Nonnull library, CCurlList *_Nullable list);

// Exchanges that run side by side, on one thread; only `wake` may be called on others. 0 is success.
CCurlMulti *_Nullable ccurl_multi_init(const CCurlLibrary *_Nonnull library);
void ccurl_multi_cleanup(const CCurlLibrary *_Nonnull library, CCurlMulti *_Nonnull multi);
int ccurl_multi_add(const CCurlLibrary *_Nonnull library, CCurlMulti *_Nonnull multi, CCurlEasy *_Nonnull easy);
void ccurl_multi_remove(const CCurlLibrary *_Nonnull library, CCurlMulti *_Nonnull multi, CCurlEasy *_Nonnull easy);
// Does what can be done without waiting.
int ccurl_multi_perform(const CCurlLibrary *_Nonnull library, CCurlMulti *_Nonnull multi);
// Waits until there is something to do, or `wake` is called.
int ccurl_multi_wait(const CCurlLibrary *_Nonnull library, CCurlMulti *_Nonnull multi);
void ccurl_multi_wake(const CCurlLibrary *_Nonnull library, CCurlMulti *_Nonnull multi);
// The next exchange that has ended, and how; NULL if there is none.
CCurlEasy *_Nullable ccurl_multi_ended(const CCurlLibrary *_Nonnull library, CCurlMulti *_Nonnull multi,
                                       int *_Nonnull code);

// A file in memory, without a name; -1 if there can be none. Some systems want it said that it is no program.
int ccurl_unnamed_file(void);

#endif
