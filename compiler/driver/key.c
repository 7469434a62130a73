/* key.c: keys and signatures of ed25519 (RFC 8032) with libsodium. Keys are files in PEM
 * as 'openssl genpkey -algorithm ed25519' and 'openssl pkey -pubout' make them: PKCS #8
 * and SubjectPublicKeyInfo (RFC 8410), whose only variable part is the last 32 bytes. It
 * owns the diagnostic key. Private keys are wiped from memory after use. */
#include "driver/driver.h"

#include <sodium.h>
#include <string.h>

typedef struct Pem {
    const char *begin, *end;
    const char *what;
    uint8_t head[16]; /* of the DER form, nhead bytes; the key follows */
    size_t nhead;
} Pem;

static const Pem private_pem = {"-----BEGIN PRIVATE KEY-----",
                                "-----END PRIVATE KEY-----",
                                "private",
                                {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03,
                                 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20},
                                16};
static const Pem public_pem = {
    "-----BEGIN PUBLIC KEY-----",
    "-----END PUBLIC KEY-----",
    "public",
    {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00},
    12};

static bool
starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static const char *
skip_space(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

/* Takes the key out of a PEM text that ends in a zero. */
static bool
parse(const Pem *form, const char *text, uint8_t key[TIKBLOB_KEY_BYTES])
{
    uint8_t der[64];
    size_t n;
    const char *p = skip_space(text), *rest;
    if (!starts(p, form->begin)) {
        return false;
    }
    p += strlen(form->begin);
    bool ok = sodium_base642bin(der, sizeof der, p, strlen(p), " \t\r\n", &n, &rest,
                                sodium_base64_VARIANT_ORIGINAL) == 0 &&
              n == form->nhead + TIKBLOB_KEY_BYTES &&
              memcmp(der, form->head, form->nhead) == 0 &&
              starts(skip_space(rest), form->end) &&
              *skip_space(skip_space(rest) + strlen(form->end)) == 0;
    memcpy(key, der + form->nhead, TIKBLOB_KEY_BYTES);
    sodium_memzero(der, sizeof der);
    return ok;
}

static bool
read_key(Cmd *c, const Pem *form, uint8_t key[TIKBLOB_KEY_BYTES])
{
    char *text;
    size_t size;
    TRY(io_read(&c->unit, c->key, &text, &size));
    bool ok = sodium_init() >= 0 && strlen(text) == size && parse(form, text, key);
    sodium_memzero(text, size);
    if (!ok) {
        diag_add(&c->unit, D_KEY, (Span){0}, 0, "'%s' is no %s ed25519 key in PEM",
                 c->key, form->what);
    }
    return ok;
}

bool
key_public(Cmd *c, uint8_t key[TIKBLOB_KEY_BYTES])
{
    return read_key(c, &public_pem, key);
}

bool
key_sign(Cmd *c, const uint8_t message[TIKBLOB_MESSAGE_BYTES],
         uint8_t signature[TIKBLOB_SIGNATURE_BYTES], uint8_t key[TIKBLOB_KEY_BYTES])
{
    uint8_t seed[TIKBLOB_KEY_BYTES], secret[crypto_sign_SECRETKEYBYTES];
    TRY(read_key(c, &private_pem, seed));
    bool ok = crypto_sign_seed_keypair(key, secret, seed) == 0 &&
              crypto_sign_detached(signature, NULL, message, TIKBLOB_MESSAGE_BYTES,
                                   secret) == 0;
    sodium_memzero(seed, sizeof seed);
    sodium_memzero(secret, sizeof secret);
    return ok ||
           (diag_add(&c->unit, D_KEY, (Span){0}, 0, "'%s' cannot sign", c->key), false);
}

bool
key_signed(void *context, const uint8_t key[TIKBLOB_KEY_BYTES], const uint8_t *message,
           uint64_t size, const uint8_t signature[TIKBLOB_SIGNATURE_BYTES])
{
    (void)context;
    return crypto_sign_verify_detached(signature, message, size, key) == 0;
}

void
key_hex(const uint8_t *bytes, size_t n, char *out)
{
    sodium_bin2hex(out, 2 * n + 1, bytes, n);
}
