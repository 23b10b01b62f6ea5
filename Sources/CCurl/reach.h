// The addresses that an exchange may connect to.
#ifndef MATTERCTL_CCURL_REACH_H
#define MATTERCTL_CCURL_REACH_H

#include <sys/socket.h>

// curl_sockaddr. The address is as long as its length says.
typedef struct {
    int family;
    int type;
    int protocol;
    unsigned length;
    struct sockaddr address;
} CCurlSocketAddress;

// The callback CURLOPT_OPENSOCKETFUNCTION; `user` is a CCurlReach. -1 makes libcurl try the next address.
int ccurl_open_socket(void *user, int purpose, CCurlSocketAddress *address);

#endif
