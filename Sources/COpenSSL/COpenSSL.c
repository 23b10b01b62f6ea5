// SHA256_* and SHA1 are deprecated in favour of EVP, which allocates, can fail and has no value semantics. A handshake
// hashes its transcript at several points, so a state that can be copied and cannot fail is what it needs.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "COpenSSL.h"

#include <errno.h>
#include <openssl/core_names.h>
#include <openssl/obj_mac.h>
#include <openssl/params.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>

static int started;

static void start(void) {
    // The exit handler would free what other threads may still use while the process ends.
    started = OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL);
}

int copenssl_start(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    return started;
}

// One object, fetched by the first caller.
#define FETCHED(type, name, expression)                  \
    static type *name##_object;                          \
    static void name##_fetch(void) {                     \
        if (copenssl_start()) name##_object = expression; \
    }                                                    \
    static type *name##_get(void) {                      \
        static pthread_once_t once = PTHREAD_ONCE_INIT;  \
        pthread_once(&once, name##_fetch);               \
        return name##_object;                            \
    }

FETCHED(EVP_MD, sha256, EVP_MD_fetch(NULL, "SHA256", NULL))
// Fetching a cipher fills tables of all names and of all ciphers, for six million instructions; a copy of the built-in
// description is used as it is, with the same code behind it. OpenSSL 4 has none.
#if OPENSSL_VERSION_MAJOR < 4
FETCHED(EVP_CIPHER, ccm, EVP_CIPHER_meth_dup(EVP_aes_128_ccm()))
#else
FETCHED(EVP_CIPHER, ccm, EVP_CIPHER_fetch(NULL, "AES-128-CCM", NULL))
#endif
FETCHED(EVP_CIPHER, ctr, EVP_CIPHER_fetch(NULL, "AES-128-CTR", NULL))
FETCHED(EC_GROUP, p256, EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1))

const EVP_MD *copenssl_sha256_algorithm(void) { return sha256_get(); }
const EVP_CIPHER *copenssl_aes128_ccm(void) { return ccm_get(); }
const EVP_CIPHER *copenssl_aes128_ctr(void) { return ctr_get(); }
const EC_GROUP *copenssl_p256(void) { return p256_get(); }

void copenssl_sha256_init(SHA256_CTX *context) { SHA256_Init(context); }

void copenssl_sha256_update(SHA256_CTX *context, const void *data, size_t count) {
    if (count > 0) SHA256_Update(context, data, count);
}

void copenssl_sha256_final(SHA256_CTX *context, uint8_t digest[32]) {
    SHA256_Final(digest, context);
    OPENSSL_cleanse(context, sizeof *context);
}

void copenssl_sha256(const void *data, size_t count, uint8_t digest[32]) {
    SHA256_CTX context;
    copenssl_sha256_init(&context);
    copenssl_sha256_update(&context, data, count);
    copenssl_sha256_final(&context, digest);
}

void copenssl_sha1(const void *data, size_t count, uint8_t digest[20]) {
    SHA_CTX context;
    SHA1_Init(&context);
    if (count > 0) SHA1_Update(&context, data, count);
    SHA1_Final(digest, &context);
}

size_t copenssl_digest(const char *name, const void *data, size_t count, uint8_t digest[64]) {
    EVP_MD *algorithm = copenssl_start() ? EVP_MD_fetch(NULL, name, NULL) : NULL;
    unsigned int size = 0;
    if (algorithm && (EVP_MD_get_size(algorithm) > 64 || !EVP_Digest(data, count, digest, &size, algorithm, NULL))) size = 0;
    EVP_MD_free(algorithm);
    return size;
}

// HMAC (RFC 2104) and HKDF (RFC 5869) stand on the hash above for the same reason; and fetching libcrypto's own takes longer
// than all that a handshake derives.
typedef struct {
    SHA256_CTX inner, outer;
} HMACState;

static void hmac_begin(HMACState *state, const void *key, size_t count) {
    uint8_t block[SHA256_CBLOCK] = {0};
    if (count > sizeof block)
        copenssl_sha256(key, count, block);
    else if (count > 0)
        memcpy(block, key, count);
    for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36;
    copenssl_sha256_init(&state->inner);
    copenssl_sha256_update(&state->inner, block, sizeof block);
    for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36 ^ 0x5C;
    copenssl_sha256_init(&state->outer);
    copenssl_sha256_update(&state->outer, block, sizeof block);
    OPENSSL_cleanse(block, sizeof block);
}

static void hmac_end(HMACState *state, uint8_t digest[32]) {
    copenssl_sha256_final(&state->inner, digest);
    copenssl_sha256_update(&state->outer, digest, 32);
    copenssl_sha256_final(&state->outer, digest);
}

void copenssl_hmac_sha256(const void *key, size_t key_count, const void *message, size_t message_count,
                          uint8_t digest[32]) {
    HMACState state;
    hmac_begin(&state, key, key_count);
    copenssl_sha256_update(&state.inner, message, message_count);
    hmac_end(&state, digest);
}

void copenssl_hkdf_sha256(const void *secret, size_t secret_count, const void *salt, size_t salt_count, const void *info,
                          size_t info_count, void *output, size_t output_count) {
    uint8_t key[32], block[32], number = 0;
    // Without a salt, its block is all zeros, as that of 32 zeros is.
    copenssl_hmac_sha256(salt, salt_count, secret, secret_count, key);
    for (size_t done = 0; done < output_count;) {
        HMACState state;
        hmac_begin(&state, key, sizeof key);
        if (number > 0) copenssl_sha256_update(&state.inner, block, sizeof block);
        copenssl_sha256_update(&state.inner, info, info_count);
        number++;
        copenssl_sha256_update(&state.inner, &number, 1);
        hmac_end(&state, block);
        size_t part = output_count - done < sizeof block ? output_count - done : sizeof block;
        memcpy((uint8_t *)output + done, block, part);
        done += part;
    }
    OPENSSL_cleanse(key, sizeof key);
    OPENSSL_cleanse(block, sizeof block);
}

int copenssl_random(void *output, size_t count) {
    size_t done = 0;
    while (done < count) {
        ssize_t part = getrandom((uint8_t *)output + done, count - done, 0);
        if (part < 0 && errno != EINTR) return 0;
        if (part > 0) done += (size_t)part;
    }
    return 1;
}

int copenssl_pbkdf2_sha256(const void *password, size_t password_count, const void *salt, size_t salt_count,
                           int iterations, void *output, size_t output_count) {
    const EVP_MD *hash = copenssl_sha256_algorithm();
    if (hash == NULL || password_count > INT32_MAX || salt_count > INT32_MAX || output_count > INT32_MAX) return 0;
    return PKCS5_PBKDF2_HMAC(password, (int)password_count, salt, (int)salt_count, iterations, hash, (int)output_count,
                             output) == 1;
}

static int chacha20_poly1305(int sealing, const uint8_t *key, const uint8_t *nonce, const uint8_t *input, size_t count,
                             uint8_t *output, uint8_t tag[16]) {
    if (!copenssl_start() || count > INT32_MAX) return 0;
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "ChaCha20-Poly1305", NULL);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    uint8_t rest[16];
    int written = 0, good = cipher != NULL && context != NULL
                            && EVP_CipherInit_ex2(context, cipher, key, nonce, sealing, NULL) == 1
                            && (sealing || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1)
                            && (count == 0 || EVP_CipherUpdate(context, output, &written, input, (int)count) == 1)
                            && EVP_CipherFinal_ex(context, rest, &written) == 1
                            && (!sealing || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1);
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(cipher);
    if (!good) ERR_clear_error();
    return good;
}

int copenssl_chacha20_poly1305_seal(const uint8_t key[32], const uint8_t nonce[12], const void *text, size_t count,
                                    uint8_t *output) {
    return chacha20_poly1305(1, key, nonce, text, count, output, output + count);
}

int copenssl_chacha20_poly1305_open(const uint8_t key[32], const uint8_t nonce[12], const void *sealed, size_t count,
                                    uint8_t *output) {
    if (count < 16) return 0;
    uint8_t tag[16];
    memcpy(tag, (const uint8_t *)sealed + count - 16, sizeof tag);
    return chacha20_poly1305(0, key, nonce, sealed, count - 16, output, tag);
}

int copenssl_scrypt(const void *password, size_t password_count, const void *salt, size_t salt_count, uint64_t cost,
                    uint64_t block, uint64_t parallel, void *output, size_t output_count) {
    const uint64_t most = (uint64_t)5 << 30;
    int good = copenssl_start()
               && EVP_PBE_scrypt(password, password_count, salt, salt_count, cost, block, parallel, most, output,
                                 output_count)
                      == 1;
    if (!good) ERR_clear_error();
    return good;
}

int copenssl_x25519_public(const uint8_t scalar[32], uint8_t point[32]) {
    if (!copenssl_start()) return 0;
    size_t count = 32;
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key_ex(NULL, "X25519", NULL, scalar, 32);
    int good = key != NULL && EVP_PKEY_get_raw_public_key(key, point, &count) == 1 && count == 32;
    EVP_PKEY_free(key);
    return good;
}

int copenssl_x25519_shared(const uint8_t scalar[32], const uint8_t point[32], uint8_t output[32]) {
    if (!copenssl_start()) return 0;
    size_t count = 32;
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key_ex(NULL, "X25519", NULL, scalar, 32);
    EVP_PKEY *peer = EVP_PKEY_new_raw_public_key_ex(NULL, "X25519", NULL, point, 32);
    EVP_PKEY_CTX *context = key == NULL ? NULL : EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    int good = peer != NULL && context != NULL && EVP_PKEY_derive_init(context) == 1
               && EVP_PKEY_derive_set_peer(context, peer) == 1 && EVP_PKEY_derive(context, output, &count) == 1
               && count == 32;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(peer);
    EVP_PKEY_free(key);
    if (!good) ERR_clear_error();
    return good;
}

EVP_PKEY *copenssl_p256_key(const uint8_t point[65], const uint8_t *scalar) {
    if (!copenssl_start()) return NULL;
    unsigned char native[32];
    OSSL_PARAM parameters[4];
    size_t count = 0;
    parameters[count++] = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)SN_X9_62_prime256v1, 0);
    parameters[count++] = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, 65);
    if (scalar != NULL) {
        BIGNUM *number = BN_bin2bn(scalar, 32, NULL);
        int written = number == NULL ? -1 : BN_bn2nativepad(number, native, sizeof native);
        BN_clear_free(number);
        if (written < 0) return NULL;
        parameters[count++] = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native, sizeof native);
    }
    parameters[count] = OSSL_PARAM_construct_end();

    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    int selection = scalar == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR;
    if (context == NULL || EVP_PKEY_fromdata_init(context) != 1
        || EVP_PKEY_fromdata(context, &key, selection, parameters) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    OPENSSL_cleanse(native, sizeof native);
    return key;
}
