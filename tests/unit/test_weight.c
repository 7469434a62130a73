/* test_weight.c: checks the pass weight-reorder, packed constants in the text form of the
 * IR, and section PACK of blobs, on golden case m02: three channels in a lane,
 * requantisation and bias before the weight. */
#include "blob_parts.h"

#include "ir/ir.h"
#include "ir/packed_const.h"
#include "passes/passes.h"
#include "tikrt.h"

enum {
    OC = 130,
    WEIGHT = 130 * 33 * 2,
    TOTAL = 36864
};

static const char pack_dims[] = "(int8[130, 33, 1, 2] requant bias)";

static TikArray
golden(const char *name, Dtype dtype, int64_t elems)
{
    char path[128];
    TikArray a;
    TikError err;
    (void)snprintf(path, sizeof path, "tests/golden/lmem/m02_%s.npy", name);
    if (!tik_npy_read(path, dtype, elems, &a, &err)) {
        fail_msg("%s: %s", path, err.text);
    }
    return a;
}

/* Writes the words of requantisation, bias, weight and zeros. */
static void
plain_bytes(uint8_t *out)
{
    TikArray w = golden("w", DT_S8, WEIGHT), bias = golden("bias", DT_S32, OC);
    TikArray mul = golden("mul", DT_S32, OC), shift = golden("shift", DT_S32, OC);
    int32_t zp = -5;
    PackTarget t;
    PackRequant q = {mul.data, shift.data, &zp, 0};
    assert_true(pack_target(soc_find("bm1684x"), NULL, &t));
    pack_requant_words(&t, OC, &q, out);
    memcpy(out + 12 * OC, bias.data, 4 * OC);
    memcpy(out + 16 * OC, w.data, WEIGHT);
    TikArray all[] = {w, bias, mul, shift};
    for (size_t i = 0; i < 4; i++) {
        tik_array_free(&all[i]);
    }
}

static void
put_hex(Text *t, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        text_printf(t, "%s%02x", i % 32 == 0 ? "\n    " : "", p[i]);
    }
}

static Kernel *
parse(Unit *u, const char *text)
{
    return ir_parse(u, unit_add_source(u, "t.ir", text, strlen(text)));
}

/* Makes a kernel with the constant and nothing else. */
static Kernel *
kernel_with(Unit *u, const char *form, const uint8_t *bytes)
{
    Text t;
    text_init(&t, &u->arena);
    text_printf(&t,
                "kernel k soc=bm1684x {\n  const %%k: uint8[1, 64, 1, 576] %s%s =", form,
                pack_dims);
    put_hex(&t, bytes, TOTAL);
    text_put(&t, "\n}\n");
    Kernel *k = parse(u, t.p);
    assert_non_null(k);
    return k;
}

static const char *
print(const Kernel *k)
{
    Text t;
    text_init(&t, &k->unit->arena);
    ir_print(k, &t);
    return t.p;
}

static void
reordered(void **state)
{
    (void)state;
    Unit u;
    static uint8_t plain[TOTAL];
    TikArray merged = golden("merged", DT_U8, TOTAL);
    unit_init(&u);
    plain_bytes(plain);
    Kernel *k = kernel_with(&u, "plain", plain);
    assert_false(k->bufs.p[1].packed);
    assert_true(pass_weight_reorder(k));
    assert_true(k->bufs.p[1].packed);
    assert_memory_equal(k->bufs.p[1].data, merged.data, TOTAL);
    assert_true(pass_weight_reorder(k)); /* a second run does not change it */
    assert_memory_equal(k->bufs.p[1].data, merged.data, TOTAL);
    kernel_free(k);
    unit_free(&u);
    tik_array_free(&merged);
}

static void
kept_plain(void **state)
{
    (void)state;
    Unit u;
    static uint8_t plain[TOTAL];
    unit_init(&u);
    u.opt.no_weight_reorder = true;
    plain_bytes(plain);
    Kernel *k = kernel_with(&u, "plain", plain);
    assert_true(pass_weight_reorder(k));
    assert_false(k->bufs.p[1].packed);
    assert_memory_equal(k->bufs.p[1].data, plain, TOTAL);
    kernel_free(k);
    unit_free(&u);
}

static void
text_form(void **state)
{
    (void)state;
    Unit u;
    static const char *const forms[] = {"plain", "packed"};
    static uint8_t bytes[TOTAL];
    unit_init(&u);
    for (int i = 0; i < 2; i++) {
        Kernel *k = kernel_with(&u, forms[i], bytes);
        assert_int_equal(k->bufs.p[1].packed, i);
        const char *text = print(k);
        assert_non_null(strstr(text, pack_dims));
        Kernel *again = parse(&u, text);
        assert_non_null(again);
        assert_string_equal(print(again), text);
        kernel_free(again);
        kernel_free(k);
    }
    unit_free(&u);
}

/* Elements have 4 bits: 128 input channels are in a run, two to a byte. */
static void
text_of_nibbles(void **state)
{
    (void)state;
    Unit u;
    char text[512];
    unit_init(&u);
    (void)snprintf(
        text, sizeof text,
        "kernel k soc=bm1684x {\n  const %%k: uint8[1, 1, 1, 64] packed(int8[1, "
        "3, 1, 1] nibbles) =\n    %0128d\n}\n",
        7);
    Kernel *k = parse(&u, text);
    assert_non_null(k);
    assert_true(k->bufs.p[1].pack->nibbles);
    assert_non_null(strstr(print(k), "packed(int8[1, 3, 1, 1] nibbles)"));
    Kernel *again = parse(&u, print(k));
    assert_non_null(again);
    assert_string_equal(print(again), print(k));
    kernel_free(again);
    kernel_free(k);
    unit_free(&u);
}

static void
refused_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "kernel k soc=bm1684x {\n const %k: uint8[1, 1, 1, 64] packed(int8[1, 64, 1, 1]) "
        "= 00\n}\n",
        "kernel k soc=bm1684x {\n const %k: int8[1, 1, 64, 1] packed(int8[1, 64, 1, 1]) "
        "= 00\n}\n",
        "kernel k soc=bm1684x {\n const %k: int32[1, 1, 1, 64] packed(int32[1, 64, 1, "
        "1]) = 00\n}\n",
        "kernel k soc=bm1684x {\n const %k: uint8[1, 1, 1, 64] packed(int32[1, 3, 1, 1] "
        "nibbles) = 00\n}\n",
        "kernel k soc=bm1684x {\n const %k: int8[1, 1, 1, 64] packed(int8[1, 3, 1, 1] "
        "nibbles) = 00\n}\n",
        "kernel k soc=Ascend310P3 {\n const %k: int8[1, 1, 1, 64] packed(int8[1, 64, 1, "
        "1]) = 00\n}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Unit u;
        unit_init(&u);
        assert_null(parse(&u, texts[i]));
        assert_non_null(strstr(u.diags.p[0]->text, "packs no such constant"));
        unit_free(&u);
    }
}

/* ---- blobs --------------------------------------------------------------- */

/* The blob has a weight by itself, one channel of 64 bytes, and a table before it. */
static const char seed[] =
    "blob 1.0 bm1684x\n"
    "kernel \"t\" cores 1 steps 0\n"
    "region 0 \"a\" GM uint8 table bytes 2\n"
    "data 0102\n"
    "region 1 \"k\" GM int8 table bytes 64 packed int8 1 3 1 1\n"
    "data 0102030000000000000000000000000000000000000000000000000000000000\n"
    "data 0000000000000000000000000000000000000000000000000000000000000000\n"
    "code\n"
    "end\n";

static uint8_t *
record(Parts *s)
{
    return part(s, "PACK")->p;
}

#define CASE(name, body)                                                                 \
    static void name(Parts *s)                                                           \
    {                                                                                    \
        body;                                                                            \
    }

CASE(nothing, (void)s)
CASE(tag_plain, record(s)[4] = 0)
CASE(flag_unknown, record(s)[4] = 16)
CASE(flag_bias, record(s)[4] = 9)
CASE(other_region, put32(record(s), 0))
CASE(no_region, put32(record(s), 2))
CASE(other_type, record(s)[6] = DT_U8)
CASE(no_type, record(s)[6] = 200)
CASE(parts, record(s)[5] = 2)
CASE(rows, put32(record(s) + 8, 2))
CASE(row_bytes, put32(record(s) + 12, 32))
CASE(axis, put32(record(s) + 28, 32))
CASE(channels_that_pack_alike, put32(record(s) + 36, 64))
CASE(channels, put32(record(s) + 36, 65))
CASE(no_channels, put32(record(s) + 32, 0))
CASE(part_kind, record(s)[48] = PACK_BIAS)
CASE(part_offset, put32(record(s) + 52, 16))
CASE(part_slot, put32(record(s) + 56, 32))
CASE(part_pitch, put32(record(s) + 60, 32))
CASE(reserved, record(s)[7] = 1)
CASE(reserved_part, record(s)[49] = 1)
CASE(section_gone, remove_part(s, "PACK"))
CASE(section_empty, resize(part(s, "PACK"), 0))
CASE(gap, part(s, "CNST")->p[100] = 1)
CASE(base, put64(part(s, "REGN")->p + REGION_BYTES + 8, 32))

static const struct {
    const char *code; /* "": accepted */
    void (*change)(Parts *);
} cases[] = {
    {"", nothing},
    {"", tag_plain},
    {"packed-constant", flag_unknown},
    {"packed-constant", flag_bias},
    {"constant-range", other_region},
    {"constant-range", no_region},
    {"packed-constant", other_type},
    {"packed-constant", no_type},
    {"packed-constant", parts},
    {"packed-constant", rows},
    {"packed-constant", row_bytes},
    {"packed-constant", axis},
    {"", channels_that_pack_alike},
    {"packed-constant", channels},
    {"packed-constant", no_channels},
    {"packed-constant", part_kind},
    {"packed-constant", part_offset},
    {"packed-constant", part_slot},
    {"packed-constant", part_pitch},
    {"packed-constant", reserved},
    {"packed-constant", reserved_part},
    {"constant-range", section_gone},
    {"constant-range", section_empty},
    {"constant-range", gap},
    {"constant-range", base},
};

static void
records(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Bin b = assemble(seed);
        Parts s = take_apart(&b);
        free(b.p);
        cases[i].change(&s);
        Bin changed = put_together(&s);
        const char *code = open_code(&changed);
        if (strcmp(code, cases[i].code) != 0) {
            fail_msg("case %zu: '%s', expected '%s'", i, code, cases[i].code);
        }
        free(changed.p);
    }
}

static void
empty_section(void **state)
{
    (void)state;
    Bin b = assemble("blob 1.0 bm1684x\n"
                     "kernel \"t\" cores 1 steps 0\n"
                     "region 0 \"k\" GM float32 table bytes 4 packed float32 1 1 1 1\n"
                     "data 01020304\n"
                     "code\n"
                     "end\n");
    Parts s = take_apart(&b);
    section_empty(&s);
    Bin changed = put_together(&s);
    assert_string_equal(open_code(&changed), "packed-constant");
    free(changed.p);
    free(b.p);
}

static void
disassembly(void **state)
{
    (void)state;
    Bin b = assemble(seed);
    char *text;
    TikBlobDiag diag;
    assert_true(tikblob_disassemble(b.p, b.n, &text, &diag));
    assert_non_null(strstr(text, "table bytes 64 packed int8 1 3 1 1\n"
                                 "# 1 rows of 64 bytes, 1 channels in a row\n"
                                 "#   weight  at 0: 64 bytes every 64\n"));
    Bin again = assemble(text);
    assert_int_equal(again.n, b.n);
    assert_memory_equal(again.p, b.p, b.n);
    free(again.p);
    free(text);
    free(b.p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reordered),     cmocka_unit_test(kept_plain),
        cmocka_unit_test(text_form),     cmocka_unit_test(text_of_nibbles),
        cmocka_unit_test(refused_texts), cmocka_unit_test(records),
        cmocka_unit_test(empty_section), cmocka_unit_test(disassembly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
