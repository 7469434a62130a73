/* test_blob_trust.c: whether a blob is for a device, from its first bytes; and the
 * identity of its content, which stripping keeps and every change of meaning changes. */
#include "blob_parts.h"

static const char body[] = "kernel \"k\" cores 1 steps 0\n"
                           "peak UB 64\n"
                           "arg \"x\" input float16 (32)\n"
                           "region 0 \"x\" GM float16 arg 0\n"
                           "region 1 \"ub\" UB float16 at 0 bytes 64\n"
                           "code\n";

static Bin
make(const char *soc, const char *extra, const char *place)
{
    char text[1000];
    snprintf(text, sizeof text,
             "blob 1.0 %s\n%sr0 = add int32 1 2%s\nr0 = add int32 r0 %s\nend\n", soc,
             body, place, extra);
    return assemble(text);
}

static void
first_bytes_tell_the_device(void **state)
{
    (void)state;
    Bin b = make("Ascend310P3", "3", "");
    const Soc *here = tikblob_soc("Ascend310P3");
    uint64_t at = get64(b.p + HEADER_BYTES + 8);
    assert_int_equal(tikblob_fit(b.p, b.n, here), TIKBLOB_FIT_HERE);
    /* exactly the bytes up to the end of TARG */
    assert_int_equal(tikblob_fit(b.p, at + TARG_BYTES, here), TIKBLOB_FIT_HERE);
    for (uint64_t n = 0; n < at + TARG_BYTES; n++) {
        uint8_t *part = malloc(n + 1);
        memcpy(part, b.p, n);
        assert_int_equal(tikblob_fit(part, n, here), TIKBLOB_FIT_UNKNOWN);
        free(part);
    }
    assert_int_equal(tikblob_fit(b.p, b.n, tikblob_soc("Ascend310P1")),
                     TIKBLOB_FIT_RECOMPILED);
    assert_int_equal(tikblob_fit(b.p, b.n, tikblob_soc("Ascend910B1")),
                     TIKBLOB_FIT_OTHER);
    assert_int_equal(tikblob_fit(b.p, b.n, tikblob_soc("bm1684x")), TIKBLOB_FIT_OTHER);
    free(b.p);
}

static void
nothing_is_said_of_damage_and_of_other_versions(void **state)
{
    (void)state;
    Bin b = make("Ascend310P3", "3", "");
    const Soc *here = tikblob_soc("Ascend310P3");
    uint64_t at = get64(b.p + HEADER_BYTES + 8);
    for (uint64_t i = 0; i < 64; i++) { /* each bit of the header, and those of TARG */
        for (int bit = 0; bit < 8; bit++) {
            b.p[i] ^= (uint8_t)(1 << bit);
            assert_int_equal(tikblob_fit(b.p, b.n, here), TIKBLOB_FIT_UNKNOWN);
            b.p[i] ^= (uint8_t)(1 << bit);
        }
    }
    b.p[at + 30] ^= 1;
    assert_int_equal(tikblob_fit(b.p, b.n, here), TIKBLOB_FIT_UNKNOWN);
    b.p[at + 30] ^= 1;
    static const int fields[] = {8, 40}; /* major version, required features */
    for (int i = 0; i < 2; i++) {
        b.p[fields[i]] ^= 2;
        put32(b.p + 60, blob_crc32c(b.p, 60));
        assert_int_equal(tikblob_fit(b.p, b.n, here), TIKBLOB_FIT_UNKNOWN);
        b.p[fields[i]] ^= 2;
        put32(b.p + 60, blob_crc32c(b.p, 60));
    }
    b.p[10] ^= 2; /* a later minor version with an optional feature */
    b.p[48] ^= 4;
    put32(b.p + 60, blob_crc32c(b.p, 60));
    assert_int_equal(tikblob_fit(b.p, b.n, here), TIKBLOB_FIT_HERE);
    free(b.p);
}

/* Nor of a table that has no TARG, has it in another size, or too many sections. */
static void
nothing_is_said_without_a_target(void **state)
{
    (void)state;
    const Soc *here = tikblob_soc("Ascend310P3");
    for (int i = 0; i < 4; i++) {
        Bin b = make("Ascend310P3", "3", "");
        Bin big = {calloc(1, b.n + 4096), b.n + 4096};
        memcpy(big.p, b.p, b.n);
        uint32_t n = i == 1 ? MAX_SECTIONS + 1 : get32(b.p + 24);
        uint8_t *entry = big.p + HEADER_BYTES;
        put32(big.p + 24, n);
        for (uint32_t s = 0; i < 2 && s < n; s++) {
            memcpy(entry + ENTRY_BYTES * s, "XYZW", 4);
        }
        if (i == 2) {
            put64(entry + 16, TARG_BYTES + 8);
        }
        put32(big.p + 56, blob_crc32c(entry, (uint64_t)n * ENTRY_BYTES));
        put32(big.p + 60, blob_crc32c(big.p, 60));
        assert_int_equal(tikblob_fit(big.p, big.n, here),
                         i == 3 ? TIKBLOB_FIT_HERE : TIKBLOB_FIT_UNKNOWN);
        free(big.p);
        free(b.p);
    }
}

static void
content_of(const Bin *b, uint8_t id[32])
{
    TikBlob blob;
    TikBlobDiag diag;
    assert_true(tikblob_open(&blob, b->p, b->n, &diag));
    tikblob_content_id(&blob, id);
}

static void
content_survives_what_may_be_stripped(void **state)
{
    (void)state;
    uint8_t with[32], without[32], other[32];
    /* The name of the file stands before those of the arguments, so that these move. */
    Bin a = make("Ascend310P3", "3", " @ \"a.tik\" 3:5");
    Bin b = make("Ascend310P3", "3", "");
    Bin c = make("Ascend310P3", "4", "");
    Bin d = make("Ascend310P1", "3", "");
    assert_true(a.n != b.n);
    content_of(&a, with);
    content_of(&b, without);
    assert_memory_equal(with, without, 32);
    content_of(&c, other);
    assert_memory_not_equal(with, other, 32);
    content_of(&d, other);
    assert_memory_not_equal(with, other, 32);
    free(a.p);
    free(b.p);
    free(c.p);
    free(d.p);
}

/* Stands for ed25519: a signature is the key, then the last bytes of the message. */
static bool
is_signed(void *context, const uint8_t *key, const uint8_t *message, uint64_t size,
          const uint8_t *signature)
{
    ++*(int *)context;
    assert_int_equal(size, TIKBLOB_MESSAGE_BYTES);
    return memcmp(signature, key, TIKBLOB_KEY_BYTES) == 0 &&
           memcmp(signature + TIKBLOB_KEY_BYTES, message + size - 32, 32) == 0;
}

static void
a_signature_is_of_one_of_the_keys(void **state)
{
    (void)state;
    Bin bin = make("Ascend310P3", "3", "");
    static const uint8_t keys[3][TIKBLOB_KEY_BYTES] = {{1}, {2}, {3}};
    int asked = 0;
    TikBlobTrust trust = {keys, 3, is_signed, &asked};
    TikBlob b;
    TikBlobDiag diag;
    uint8_t signature[TIKBLOB_SIGNATURE_BYTES + 1] = {2};
    assert_true(tikblob_open(&b, bin.p, bin.n, &diag));
    tikblob_content_id(&b, signature + TIKBLOB_KEY_BYTES);
    assert_true(tikblob_trusted(&b, signature, TIKBLOB_SIGNATURE_BYTES, &trust, &diag));
    assert_int_equal(asked, 2);
    for (int more = -1; more < 2; more += 2) {
        assert_false(tikblob_trusted(
            &b, signature, (uint64_t)(TIKBLOB_SIGNATURE_BYTES + more), &trust, &diag));
        assert_string_equal(diag.code, "signature-size");
    }
    signature[0] = 4;
    assert_false(tikblob_trusted(&b, signature, TIKBLOB_SIGNATURE_BYTES, &trust, &diag));
    assert_string_equal(diag.code, "signature");
    assert_int_equal(asked, 5);
    trust.nkeys = 0;
    assert_false(tikblob_trusted(&b, signature, TIKBLOB_SIGNATURE_BYTES, &trust, &diag));
    free(bin.p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_bytes_tell_the_device),
        cmocka_unit_test(nothing_is_said_of_damage_and_of_other_versions),
        cmocka_unit_test(nothing_is_said_without_a_target),
        cmocka_unit_test(content_survives_what_may_be_stripped),
        cmocka_unit_test(a_signature_is_of_one_of_the_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
