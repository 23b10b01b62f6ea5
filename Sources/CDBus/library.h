// The opened library as the shim's own files see it.
#ifndef CDBUS_LIBRARY_H
#define CDBUS_LIBRARY_H

#include "CDBus.h"

// In the C ABI libdbus's enumerations are plain int.
typedef int DBusBusType;
typedef uint32_t dbus_bool_t, dbus_uint32_t;
typedef struct DBusConnection DBusConnection;
typedef CDBusPlace DBusMessageIter;

typedef struct {
    const char *name, *message;
    unsigned flags;
    void *padding;
} DBusError;

#include "symbols.h"

struct CDBusLibrary {
#define DECLARE(result, name, parameters) result(*name) parameters;
    CDBUS_FUNCTIONS(DECLARE)
#undef DECLARE
};

#endif
