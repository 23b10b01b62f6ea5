// What MatterCrypto uses of OpenSSL 3's libcrypto, and a shim for what Swift cannot call itself: objects that are
// fetched once per process, parameter arrays, and the hash functions that work without allocation.
#ifndef MATTERCTL_COPENSSL_H
#define MATTERCTL_COPENSSL_H

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <stddef.h>
#include <stdint.h>

// Starts libcrypto once: no configuration file, no exit handler. Returns 1 when it is ready.
int copenssl_start(void);

// Algorithms and the curve, fetched at the first call and kept for the life of the process; NULL when libcrypto refuses.
const EVP_MD *copenssl_sha256_algorithm(void);
const EVP_CIPHER *copenssl_aes128_ccm(void);
const EVP_CIPHER *copenssl_aes128_ctr(void);
const EC_GROUP *copenssl_p256(void);

// SHA-256 and SHA-1 on caller-owned state; none of these can fail. Finishing wipes the state.
void copenssl_sha256_init(SHA256_CTX *context);
void copenssl_sha256_update(SHA256_CTX *context, const void *data, size_t count);
void copenssl_sha256_final(SHA256_CTX *context, uint8_t digest[32]);
void copenssl_sha256(const void *data, size_t count, uint8_t digest[32]);
void copenssl_sha1(const void *data, size_t count, uint8_t digest[20]);

// The digest of another hash function, by libcrypto's name for it ("SHA512", "SHA3-256"), of at most 64 bytes. Returns its size; 0 if
// libcrypto does not have it.
size_t copenssl_digest(const char *name, const void *data, size_t count, uint8_t digest[64]);

// HMAC-SHA256 (RFC 2104).
void copenssl_hmac_sha256(const void *key, size_t key_count, const void *message, size_t message_count,
                          uint8_t digest[32]);

// HKDF-SHA256 (RFC 5869), extract and expand, for at most 8160 bytes.
void copenssl_hkdf_sha256(const void *secret, size_t secret_count, const void *salt, size_t salt_count, const void *info,
                          size_t info_count, void *output, size_t output_count);

// Random bytes of the operating system. Returns 1 on success.
int copenssl_random(void *output, size_t count);

// PBKDF2-HMAC-SHA256 (RFC 8018). Returns 1 on success.
int copenssl_pbkdf2_sha256(const void *password, size_t password_count, const void *salt, size_t salt_count,
                           int iterations, void *output, size_t output_count);

// ChaCha20-Poly1305 (RFC 8439) without associated data: the text, and 16 bytes of a tag. Both return 1 on success; opening
// returns 0 for a text that is damaged or was sealed under another key.
int copenssl_chacha20_poly1305_seal(const uint8_t key[32], const uint8_t nonce[12], const void *text, size_t count,
                                    uint8_t *output);
int copenssl_chacha20_poly1305_open(const uint8_t key[32], const uint8_t nonce[12], const void *sealed, size_t count,
                                    uint8_t *output);

// scrypt (RFC 7914) with at most 5 GiB of memory. Returns 1 on success.
int copenssl_scrypt(const void *password, size_t password_count, const void *salt, size_t salt_count, uint64_t cost,
                    uint64_t block, uint64_t parallel, void *output, size_t output_count);

// X25519 (RFC 7748): the public point of a private key; and what two sides have in common, which returns 0 for a point of
// small order.
int copenssl_x25519_public(const uint8_t scalar[32], uint8_t point[32]);
int copenssl_x25519_shared(const uint8_t scalar[32], const uint8_t point[32], uint8_t output[32]);

// A P-256 key for the EVP functions: an uncompressed point of 65 octets and, or NULL, the private scalar of 32 octets,
// big-endian. The caller frees it. NULL when libcrypto refuses it.
EVP_PKEY *copenssl_p256_key(const uint8_t point[65], const uint8_t *scalar);

#endif
