// Compares the shim's declarations with libdbus's own headers, where the compiler is told of them (`make check` is). It
// produces no code.
#if __has_include(<dbus/dbus.h>)
#include <dbus/dbus.h>

#include "CDBus.h"
#include "symbols.h"

#define SAME_TYPE(result, name, parameters)                                                                            \
    _Static_assert(__builtin_types_compatible_p(__typeof__(dbus_##name), result parameters), "dbus_" #name);
#define SAME_NUMBER(ours, libdbuss) _Static_assert((int)(ours) == (int)(libdbuss), #libdbuss);

CDBUS_FUNCTIONS(SAME_TYPE)
SAME_NUMBER(CDBUS_CALL, DBUS_MESSAGE_TYPE_METHOD_CALL)
SAME_NUMBER(CDBUS_RETURN, DBUS_MESSAGE_TYPE_METHOD_RETURN)
SAME_NUMBER(CDBUS_ERROR, DBUS_MESSAGE_TYPE_ERROR)
SAME_NUMBER(CDBUS_SIGNAL, DBUS_MESSAGE_TYPE_SIGNAL)
SAME_NUMBER(1, DBUS_BUS_SYSTEM)
SAME_NUMBER(sizeof(CDBusPlace), sizeof(DBusMessageIter))
SAME_NUMBER(_Alignof(CDBusPlace), _Alignof(DBusMessageIter))
SAME_NUMBER(sizeof(int), sizeof(DBusBusType))
SAME_NUMBER(sizeof(uint32_t), sizeof(dbus_bool_t))
SAME_NUMBER(2 * sizeof(void *) + 8 + sizeof(void *), sizeof(DBusError))
#endif
