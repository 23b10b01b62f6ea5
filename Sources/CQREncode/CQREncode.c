#include "CQREncode.h"

#include <dlfcn.h>

// QRcode of qrencode.h, which the major version in the file name promises to keep.
typedef struct {
    int version, width;
    // One byte for each module; bit 0 is its darkness.
    unsigned char *data;
} Code;

enum { ANY_VERSION = 0, LOW_CORRECTION = 0, BYTE_MODE = 2, CASE_SENSITIVE = 1 };

int cqrencode(const char *text, uint8_t *modules, size_t room) {
    void *library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    Code *(*encode)(const char *, int, int, int, int);
    void (*release)(Code *);
    // Casting through a pointer to the function pointer is how POSIX wants dlsym to be used.
    *(void **)&encode = dlsym(library, "QRcode_encodeString");
    *(void **)&release = dlsym(library, "QRcode_free");
    Code *code = encode && release ? encode(text, ANY_VERSION, LOW_CORRECTION, BYTE_MODE, CASE_SENSITIVE) : NULL;
    int width = code && code->width > 0 && code->width <= CQRENCODE_LARGEST_WIDTH ? code->width : 0;
    size_t count = (size_t)width * (size_t)width;
    if (count > room) width = 0;
    else
        for (size_t i = 0; i < count; i++) modules[i] = code->data[i] & 1;
    if (code) release(code);
    dlclose(library);
    return width;
}
