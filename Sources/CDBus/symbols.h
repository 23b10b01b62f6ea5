// The functions of libdbus that the shim calls, with their types: FUNCTION(result, name, parameters).
// Used twice: for the table that cdbus_open fills, and for the comparison with libdbus's own headers.
#define CDBUS_FUNCTIONS(FUNCTION)                                                                                      \
    FUNCTION(DBusConnection *, bus_get_private, (DBusBusType, DBusError *))                                            \
    FUNCTION(void, connection_set_exit_on_disconnect, (DBusConnection *, dbus_bool_t))                                 \
    FUNCTION(void, connection_close, (DBusConnection *))                                                               \
    FUNCTION(void, connection_unref, (DBusConnection *))                                                               \
    FUNCTION(dbus_bool_t, connection_get_unix_fd, (DBusConnection *, int *))                                           \
    FUNCTION(dbus_bool_t, connection_get_is_connected, (DBusConnection *))                                             \
    FUNCTION(dbus_bool_t, connection_read_write, (DBusConnection *, int))                                              \
    FUNCTION(dbus_bool_t, connection_has_messages_to_send, (DBusConnection *))                                         \
    FUNCTION(DBusMessage *, connection_pop_message, (DBusConnection *))                                                \
    FUNCTION(dbus_bool_t, connection_send, (DBusConnection *, DBusMessage *, dbus_uint32_t *))                         \
    FUNCTION(void, error_init, (DBusError *))                                                                          \
    FUNCTION(void, error_free, (DBusError *))                                                                          \
    FUNCTION(void, free, (void *))                                                                                     \
    FUNCTION(dbus_bool_t, validate_path, (const char *, DBusError *))                                                  \
    FUNCTION(dbus_bool_t, signature_validate, (const char *, DBusError *))                                             \
    FUNCTION(DBusMessage *, message_new_method_call, (const char *, const char *, const char *, const char *))         \
    FUNCTION(DBusMessage *, message_new_method_return, (DBusMessage *))                                                \
    FUNCTION(DBusMessage *, message_new_error, (DBusMessage *, const char *, const char *))                            \
    FUNCTION(DBusMessage *, message_new_signal, (const char *, const char *, const char *))                            \
    FUNCTION(DBusMessage *, message_ref, (DBusMessage *))                                                              \
    FUNCTION(void, message_unref, (DBusMessage *))                                                                     \
    FUNCTION(int, message_get_type, (DBusMessage *))                                                                   \
    FUNCTION(dbus_uint32_t, message_get_reply_serial, (DBusMessage *))                                                 \
    FUNCTION(dbus_bool_t, message_get_no_reply, (DBusMessage *))                                                       \
    FUNCTION(const char *, message_get_path, (DBusMessage *))                                                          \
    FUNCTION(const char *, message_get_interface, (DBusMessage *))                                                     \
    FUNCTION(const char *, message_get_member, (DBusMessage *))                                                        \
    FUNCTION(const char *, message_get_sender, (DBusMessage *))                                                        \
    FUNCTION(const char *, message_get_error_name, (DBusMessage *))                                                    \
    FUNCTION(dbus_bool_t, message_iter_init, (DBusMessage *, DBusMessageIter *))                                       \
    FUNCTION(void, message_iter_init_append, (DBusMessage *, DBusMessageIter *))                                       \
    FUNCTION(int, message_iter_get_arg_type, (DBusMessageIter *))                                                      \
    FUNCTION(int, message_iter_get_element_type, (DBusMessageIter *))                                                  \
    FUNCTION(char *, message_iter_get_signature, (DBusMessageIter *))                                                  \
    FUNCTION(void, message_iter_recurse, (DBusMessageIter *, DBusMessageIter *))                                       \
    FUNCTION(dbus_bool_t, message_iter_next, (DBusMessageIter *))                                                      \
    FUNCTION(void, message_iter_get_basic, (DBusMessageIter *, void *))                                                \
    FUNCTION(void, message_iter_get_fixed_array, (DBusMessageIter *, void *, int *))                                   \
    FUNCTION(dbus_bool_t, message_iter_append_basic, (DBusMessageIter *, int, const void *))                           \
    FUNCTION(dbus_bool_t, message_iter_append_fixed_array, (DBusMessageIter *, int, const void *, int))                \
    FUNCTION(dbus_bool_t, message_iter_open_container, (DBusMessageIter *, int, const char *, DBusMessageIter *))      \
    FUNCTION(dbus_bool_t, message_iter_close_container, (DBusMessageIter *, DBusMessageIter *))
