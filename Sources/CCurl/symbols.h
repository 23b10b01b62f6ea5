// The functions of the library that the shim calls, with their types: FUNCTION(result, name, parameters).
#define CCURL_FUNCTIONS(FUNCTION)                                                                                      \
    FUNCTION(int, global_init, (long))                                                                                 \
    FUNCTION(const Version *, version_info, (int))                                                                     \
    FUNCTION(const char *, easy_strerror, (int))                                                                       \
    FUNCTION(CCurlEasy *, easy_init, (void))                                                                           \
    FUNCTION(void, easy_cleanup, (CCurlEasy *))                                                                        \
    FUNCTION(int, easy_setopt, (CCurlEasy *, int, ...))                                                                \
    FUNCTION(int, easy_getinfo, (CCurlEasy *, int, ...))                                                               \
    FUNCTION(int, easy_perform, (CCurlEasy *))                                                                         \
    FUNCTION(int, easy_send, (CCurlEasy *, const void *, size_t, size_t *))                                            \
    FUNCTION(int, easy_recv, (CCurlEasy *, void *, size_t, size_t *))                                                  \
    FUNCTION(CCurlList *, slist_append, (CCurlList *, const char *))                                                   \
    FUNCTION(void, slist_free_all, (CCurlList *))                                                                      \
    FUNCTION(CCurlMulti *, multi_init, (void))                                                                         \
    FUNCTION(int, multi_cleanup, (CCurlMulti *))                                                                       \
    FUNCTION(int, multi_add_handle, (CCurlMulti *, CCurlEasy *))                                                       \
    FUNCTION(int, multi_remove_handle, (CCurlMulti *, CCurlEasy *))                                                    \
    FUNCTION(int, multi_perform, (CCurlMulti *, int *))                                                                \
    FUNCTION(int, multi_poll, (CCurlMulti *, void *, unsigned, int, int *))                                            \
    FUNCTION(int, multi_wakeup, (CCurlMulti *))                                                                        \
    FUNCTION(const Message *, multi_info_read, (CCurlMulti *, int *))
