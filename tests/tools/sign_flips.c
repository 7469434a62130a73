/* sign_flips.c: changes each byte of a signed blob, for tests/cross/signatures.py.
 *  sign_flips BLOB SIGNATURE KEY   KEY: the public key in hexadecimal digits
 * It prints a line for each change: the offset, "plain" or "checksums" (these were
 * computed again), and the rule that refuses the blob or its signature, "accepted", or
 * "same" if it was a checksum that was changed and computed again. Which bit of a byte is
 * changed depends on its place. */
#include "tikblob.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 1 << 20
};

static uint8_t blob[MOST], changed[MOST], signature[MOST];

static size_t
read_file(const char *path, uint8_t *out)
{
    FILE *f = fopen(path, "rb");
    size_t n = f == NULL ? 0 : fread(out, 1, MOST, f);
    if (f == NULL || n == 0 || n == MOST || fclose(f) != 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    return n;
}

static bool
ed25519(void *context, const uint8_t key[TIKBLOB_KEY_BYTES], const uint8_t *message,
        uint64_t size, const uint8_t sig[TIKBLOB_SIGNATURE_BYTES])
{
    (void)context;
    return crypto_sign_verify_detached(sig, message, size, key) == 0;
}

static const char *
answer(size_t n, size_t nsig, const TikBlobTrust *trust, TikBlobDiag *diag)
{
    TikBlob b;
    bool ok = tikblob_open(&b, changed, n, diag) && tikblob_identify(&b, diag) &&
              tikblob_trusted(&b, signature, nsig, trust, diag);
    return ok ? "accepted" : diag->code;
}

int
main(int argc, char **argv)
{
    uint8_t key[1][TIKBLOB_KEY_BYTES];
    TikBlobDiag diag;
    if (argc != 4 || sodium_hex2bin(key[0], sizeof key[0], argv[3], strlen(argv[3]), NULL,
                                    NULL, NULL) != 0) {
        fprintf(stderr, "usage: sign_flips BLOB SIGNATURE KEY\n");
        return 2;
    }
    size_t n = read_file(argv[1], blob), nsig = read_file(argv[2], signature);
    TikBlobTrust trust = {
        .keys = (const uint8_t(*)[TIKBLOB_KEY_BYTES])key, .nkeys = 1, .ed25519 = ed25519};
    memcpy(changed, blob, n);
    if (strcmp(answer(n, nsig, &trust, &diag), "accepted") != 0) {
        fprintf(stderr, "the signature is not that of the blob: %s\n", diag.code);
        return 1;
    }
    for (size_t i = 0; i < 2 * n; i++) {
        size_t at = i / 2;
        memcpy(changed, blob, n);
        changed[at] ^= (uint8_t)(1 << at % 8);
        if (i % 2 == 1) {
            tikblob_update_checksums(changed, n);
        }
        printf("%zu %s %s\n", at, i % 2 == 1 ? "checksums" : "plain",
               memcmp(changed, blob, n) == 0 ? "same" : answer(n, nsig, &trust, &diag));
    }
    return 0;
}
