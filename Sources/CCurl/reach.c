#define _GNU_SOURCE
#include "reach.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "CCurl.h"

typedef struct {
    uint32_t start;
    int bits;
} Range;

// Special-purpose addresses (IANA registry, RFC 6890) and multicast.
static const Range special[] = {
    {0x00000000, 8},   // this network
    {0x0A000000, 8},   // private
    {0x64400000, 10},  // shared by a provider's customers
    {0x7F000000, 8},   // loopback
    {0xA9FE0000, 16},  // link-local
    {0xAC100000, 12},  // private
    {0xC0000000, 24},  // protocol assignments
    {0xC0000200, 24},  // documentation
    {0xC0A80000, 16},  // private
    {0xC6120000, 15},  // benchmarks
    {0xC6336400, 24},  // documentation
    {0xCB007100, 24},  // documentation
    {0xE0000000, 4},   // multicast
    {0xF0000000, 4},   // reserved, broadcast
};

static int is_public_v4(uint32_t address) {
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if ((address ^ special[i].start) >> (32 - special[i].bits) == 0) return 0;
    return 1;
}

static uint32_t v4_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static int is_public_v6(const uint8_t address[16]) {
    static const uint8_t translated[12] = {0x00, 0x64, 0xFF, 0x9B};
    // NAT64 and 6to4 carry an IPv4 address.
    if (memcmp(address, translated, sizeof translated) == 0) return is_public_v4(v4_at(address + 12));
    if (address[0] == 0x20 && address[1] == 0x02) return is_public_v4(v4_at(address + 2));
    // Global unicast alone: no loopback, mapped, unique local, link-local or multicast address is in it.
    if (address[0] >> 5 != 1) return 0;
    // Teredo and other protocol assignments, and documentation.
    if (address[0] == 0x20 && address[1] == 0x01)
        return address[2] > 0x01 && !(address[2] == 0x0D && address[3] == 0xB8);
    return 1;
}

static int is_in_reach(const struct sockaddr *address, int allows_loopback) {
    static const uint8_t loopback[16] = {[15] = 1};
    if (address->sa_family == AF_INET) {
        uint32_t bits = ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr);
        return is_public_v4(bits) || (allows_loopback && bits >> 24 == 127);
    }
    if (address->sa_family == AF_INET6) {
        const uint8_t *bytes = ((const struct sockaddr_in6 *)address)->sin6_addr.s6_addr;
        return is_public_v6(bytes) || (allows_loopback && memcmp(bytes, loopback, sizeof loopback) == 0);
    }
    return 0;
}

CCurlReach *ccurl_reach_new(void) { return calloc(1, sizeof(CCurlReach)); }

void ccurl_reach_free(CCurlReach *reach) { free(reach); }

int ccurl_open_socket(void *user, int purpose, CCurlSocketAddress *address) {
    (void)purpose;
    CCurlReach *reach = user;
    if (!is_in_reach(&address->address, reach->allows_loopback)) {
        reach->refused = 1;
        return -1;
    }
    return socket(address->family, address->type | SOCK_CLOEXEC, address->protocol);
}

int ccurl_is_in_reach(const char *host, int allows_loopback) {
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    // Also the old forms, such as 127.1 and 0x7f000001.
    if (inet_aton(host, &v4.sin_addr)) return is_in_reach((const struct sockaddr *)&v4, allows_loopback);
    if (inet_pton(AF_INET6, host, &v6.sin6_addr) == 1)
        return is_in_reach((const struct sockaddr *)&v6, allows_loopback);
    return 1;
}
