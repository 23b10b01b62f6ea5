// The functions of the two libraries that the shim calls, with their types: FUNCTION(result, name, parameters).
// Used twice: for the table that cavahi_open fills, and for the comparison with Avahi's own headers.
#define CAVAHI_COMMON_FUNCTIONS(FUNCTION)                                                                              \
    FUNCTION(AvahiSimplePoll *, simple_poll_new, (void))                                                               \
    FUNCTION(void, simple_poll_free, (AvahiSimplePoll *))                                                              \
    FUNCTION(const AvahiPoll *, simple_poll_get, (AvahiSimplePoll *))                                                  \
    FUNCTION(int, simple_poll_iterate, (AvahiSimplePoll *, int))                                                       \
    FUNCTION(void, simple_poll_quit, (AvahiSimplePoll *))                                                              \
    FUNCTION(const char *, strerror, (int))                                                                            \
    FUNCTION(size_t, string_list_serialize, (AvahiStringList *, void *, size_t))                                       \
    FUNCTION(int, string_list_parse, (const void *, size_t, AvahiStringList **))                                       \
    FUNCTION(void, string_list_free, (AvahiStringList *))

#define CAVAHI_CLIENT_FUNCTIONS(FUNCTION)                                                                              \
    FUNCTION(AvahiClient *, client_new, (const AvahiPoll *, AvahiClientFlags, AvahiClientCallback, void *, int *))     \
    FUNCTION(void, client_free, (AvahiClient *))                                                                       \
    FUNCTION(int, client_errno, (AvahiClient *))                                                                       \
    FUNCTION(AvahiServiceBrowser *, service_browser_new,                                                               \
             (AvahiClient *, AvahiIfIndex, AvahiProtocol, const char *, const char *, AvahiLookupFlags,                \
              AvahiServiceBrowserCallback, void *))                                                                    \
    FUNCTION(int, service_browser_free, (AvahiServiceBrowser *))                                                       \
    FUNCTION(AvahiServiceResolver *, service_resolver_new,                                                             \
             (AvahiClient *, AvahiIfIndex, AvahiProtocol, const char *, const char *, const char *, AvahiProtocol,     \
              AvahiLookupFlags, AvahiServiceResolverCallback, void *))                                                 \
    FUNCTION(int, service_resolver_free, (AvahiServiceResolver *))                                                     \
    FUNCTION(AvahiRecordBrowser *, record_browser_new,                                                                 \
             (AvahiClient *, AvahiIfIndex, AvahiProtocol, const char *, uint16_t, uint16_t, AvahiLookupFlags,          \
              AvahiRecordBrowserCallback, void *))                                                                     \
    FUNCTION(int, record_browser_free, (AvahiRecordBrowser *))                                                         \
    FUNCTION(AvahiEntryGroup *, entry_group_new, (AvahiClient *, AvahiEntryGroupCallback, void *))                     \
    FUNCTION(int, entry_group_free, (AvahiEntryGroup *))                                                               \
    FUNCTION(int, entry_group_reset, (AvahiEntryGroup *))                                                              \
    FUNCTION(int, entry_group_commit, (AvahiEntryGroup *))                                                             \
    FUNCTION(int, entry_group_add_service_strlst,                                                                      \
             (AvahiEntryGroup *, AvahiIfIndex, AvahiProtocol, AvahiPublishFlags, const char *, const char *,           \
              const char *, const char *, uint16_t, AvahiStringList *))                                                \
    FUNCTION(int, entry_group_add_service_subtype,                                                                     \
             (AvahiEntryGroup *, AvahiIfIndex, AvahiProtocol, AvahiPublishFlags, const char *, const char *,           \
              const char *, const char *))                                                                             \
    FUNCTION(int, entry_group_update_service_txt_strlst,                                                               \
             (AvahiEntryGroup *, AvahiIfIndex, AvahiProtocol, AvahiPublishFlags, const char *, const char *,           \
              const char *, AvahiStringList *))
