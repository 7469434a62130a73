/* signed.c: the beginning of a loader that runs only what the owner of a key has signed
 * ('tikc sign'). Nothing of a blob is used before its signature has been checked but the
 * container, which tikblob_open goes through; tikblob_verify comes after that, since a
 * signature says who made a program, not that it keeps its bounds.
 *
 *   signed BLOB SIGNATURE
 *
 * The check itself is libsodium's here. A device has a function of its own, or one of a
 * library for devices, with the same arguments.
 *
 * make loader TARGET=Ascend310P, then
 * cc -DTIK_LEAN -Ibuild/loader/Ascend310P/src -Ibuild/loader/Ascend310P/src/include
 *    samples/loader/signed.c build/loader/Ascend310P/libtikload.a -Wl,--gc-sections
 *    -lsodium -o signed */
#include "tikblob.h"

#include <sodium.h>
#include <stdio.h>

enum {
    BLOB_BYTES = 1 << 20,
    WORKSPACE = 1 << 17
};

/* The keys that this loader trusts. The private key of this one is test 1 of RFC 8032,
 * which everybody knows:
 *   openssl pkey -in private.pem -pubout -outform DER | tail -c 32 | xxd -i */
static const uint8_t pinned[][TIKBLOB_KEY_BYTES] = {
    {0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe,
     0xd3, 0xc9, 0x64, 0x07, 0x3a, 0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6,
     0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a},
};

static uint8_t blob[BLOB_BYTES];
static uint8_t signature[TIKBLOB_SIGNATURE_BYTES + 1];
static uint8_t workspace[WORKSPACE] __attribute__((aligned(16)));

static bool
ed25519(void *context, const uint8_t key[TIKBLOB_KEY_BYTES], const uint8_t *message,
        uint64_t size, const uint8_t sig[TIKBLOB_SIGNATURE_BYTES])
{
    (void)context;
    return crypto_sign_verify_detached(sig, message, size, key) == 0;
}

static size_t
read_file(const char *path, uint8_t *out, size_t size)
{
    FILE *f = path == NULL ? NULL : fopen(path, "rb");
    size_t n = f == NULL ? 0 : fread(out, 1, size, f);
    return f != NULL && fclose(f) != 0 ? 0 : n;
}

/* Refuses what is not signed, before what is not safe. */
static bool
accepts(TikBlob *b, size_t size, size_t signature_size, TikBlobDiag *diag)
{
    static const TikBlobTrust trust = {
        .keys = pinned, .nkeys = sizeof pinned / sizeof pinned[0], .ed25519 = ed25519};
    if (!tikblob_open(b, blob, size, diag) ||
        !tikblob_trusted(b, signature, signature_size, &trust, diag)) {
        return false;
    }
    for (int i = 0; i < b->nkernels; i++) {
        TikBlobProof proof;
        if (!tikblob_verify(b, i, workspace, sizeof workspace, &proof, diag)) {
            return false;
        }
    }
    return true;
}

int
main(int argc, char **argv)
{
    TikBlob b;
    TikBlobDiag diag;
    if (argc != 3 || sodium_init() < 0) {
        fprintf(stderr, "usage: signed BLOB SIGNATURE\n");
        return 2;
    }
    size_t n = read_file(argv[1], blob, sizeof blob);
    size_t nsig = read_file(argv[2], signature, sizeof signature);
    if (!accepts(&b, n, nsig, &diag)) {
        fprintf(stderr, "refused by rule %u\n", (unsigned)diag.rule);
        return 4;
    }
    printf("%d kernels of a trusted owner\n", b.nkernels);
    return 0;
}
