/* test_blob_data.c: checks constant tables, presets and address lists of blobs: their
 * text, the rules of their records just outside and just inside the limit, and what the
 * verifier says of accesses to them. */
#include "blob_parts.h"

#define MOVE(dst, src, burst)                                                            \
    "data_move " dst " " src " sid=0 nburst=1 burst=" burst                              \
    " src_stride=0 dst_stride=0 mode=0\n"

#define HEAD                                                                             \
    "blob 1.0 Ascend310P3\n"                                                             \
    "kernel \"t\" cores 1 steps 0\n"                                                     \
    "peak UB 96\n"                                                                       \
    "arg \"x\" input float16 (16)\n"                                                     \
    "arg \"y\" output float16 (16) preset 16640\n"                                       \
    "arg \"l\" list int64 (2)\n"                                                         \
    "region 0 \"c\" GM float16 table bytes 38\n"                                         \
    "data 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"            \
    "data 202122232425\n"                                                                \
    "region 1 \"d\" GM uint8 table bytes 1\n"                                            \
    "data ff\n"                                                                          \
    "region 2 \"ub\" UB float16 at 0 bytes 96\n"                                         \
    "region 3 \"y\" GM float16 arg 1\n"                                                  \
    "region 4 \"l\" GM int64 list 2\n"                                                   \
    "code\n"

static const char seed[] = HEAD MOVE("dst=float16[2, 0]", "src=float16[0, 0]", "2")
    MOVE("dst=float16[2, 0]", "src=float16[1, 0]", "1")
        MOVE("checked dst=float16[2, 0]", "src=float16[4, 68719476768]", "1")
            MOVE("checked dst=float16[4, 0]", "src=float16[2, 0]", "1")
                MOVE("dst=float16[3, 0]", "src=float16[2, 0]", "1") "end\n";

static uint8_t *
bytes(Parts *s, const char *name)
{
    return part(s, name)->p;
}

static uint8_t *
region(Parts *s, int i)
{
    return bytes(s, "REGN") + REGION_BYTES * i;
}

static uint8_t *
arg(Parts *s, int i)
{
    return bytes(s, "ARGS") + ARG_BYTES * i;
}

/* ---- the container ------------------------------------------------------- */

#define CASE(name, body)                                                                 \
    static void name(Parts *s)                                                           \
    {                                                                                    \
        body;                                                                            \
    }

CASE(nothing, (void)s)
CASE(table_base, put64(region(s, 0) + 8, 32))
CASE(table_overlaps, put64(region(s, 1) + 8, 32))
CASE(table_later, put64(region(s, 1) + 8, 96))
CASE(table_empty, put64(region(s, 0) + 16, 0))
CASE(table_odd, put64(region(s, 0) + 16, 37))
CASE(table_shorter, put64(region(s, 0) + 16, 36))
CASE(table_larger, put64(region(s, 0) + 16, 40))
CASE(table_long, put64(region(s, 1) + 16, 33))
CASE(table_huge, put64(region(s, 1) + 16, UINT64_MAX))
CASE(table_tail, bytes(s, "CNST")[95] = 1)
CASE(section_longer, resize(part(s, "CNST"), 128))
CASE(section_shorter, resize(part(s, "CNST"), 64))
CASE(section_gone, remove_part(s, "CNST"))
CASE(section_align, part(s, "CNST")->align = 5)
CASE(kind_3, region(s, 0)[6] = 3)
CASE(kind_of_ub, region(s, 2)[6] = TIKBLOB_TABLE)
CASE(kind_reserved, region(s, 0)[7] = 1)
CASE(list_of_tensor, region(s, 3)[6] = TIKBLOB_LIST)
CASE(tensor_of_list, region(s, 4)[6] = TIKBLOB_TENSOR)
CASE(list_bytes, put64(region(s, 4) + 16, LIST_WINDOW))
CASE(list_dtype, arg(s, 2)[4] = DT_S32)
CASE(list_preset, arg(s, 2)[7] = ARG_PRESET)
CASE(list_length, put64(arg(s, 2) + 8, LIST_MAX + 1); put64(arg(s, 2) + 16, LIST_MAX + 1))
CASE(list_longest, put64(arg(s, 2) + 8, LIST_MAX); put64(arg(s, 2) + 16, LIST_MAX);
     put64(region(s, 4) + 16, LIST_MAX *(uint64_t)LIST_WINDOW))
CASE(preset_input, arg(s, 0)[7] = ARG_PRESET)
CASE(preset_workspace, arg(s, 1)[5] = ARGROLE_WORKSPACE)
CASE(preset_global, arg(s, 1)[5] = ARGROLE_GLOBAL)
CASE(preset_wide, put64(arg(s, 1) + 80, 65536))
CASE(preset_widest, put64(arg(s, 1) + 80, 65535))
CASE(preset_flag, arg(s, 1)[7] = 4)
CASE(preset_unsaid, arg(s, 1)[7] = 0)

static const struct {
    const char *code; /* "": accepted */
    void (*change)(Parts *);
} cases[] = {
    {"", nothing},
    {"constant-range", table_base},
    {"constant-range", table_overlaps},
    {"constant-range", table_later},
    {"region-bytes", table_empty},
    {"region-bytes", table_odd},
    {"constant-range", table_shorter},
    {"", table_larger},
    {"region-bytes", table_long},
    {"region-bytes", table_huge},
    {"constant-range", table_tail},
    {"constant-range", section_longer},
    {"region-bytes", section_shorter},
    {"region-bytes", section_gone},
    {"section-flags", section_align},
    {"region-field", kind_3},
    {"region-field", kind_of_ub},
    {"region-field", kind_reserved},
    {"region-base", list_of_tensor},
    {"region-base", tensor_of_list},
    {"region-bytes", list_bytes},
    {"arg-field", list_dtype},
    {"arg-field", list_preset},
    {"arg-shape", list_length},
    {"", list_longest},
    {"arg-field", preset_input},
    {"", preset_workspace},
    {"", preset_global},
    {"arg-field", preset_wide},
    {"", preset_widest},
    {"arg-field", preset_flag},
    {"arg-field", preset_unsaid},
};

static void
records_are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Bin a = assemble(seed);
        Parts s = take_apart(&a);
        free(a.p);
        cases[i].change(&s);
        Bin b = put_together(&s);
        if (strcmp(open_code(&b), cases[i].code) != 0) {
            fail_msg("case %zu: expected '%s', found '%s'", i, cases[i].code,
                     open_code(&b));
        }
        free(b.p);
    }
}

static void
text_and_bytes_agree(void **state)
{
    (void)state;
    char *text, *again;
    TikBlobDiag diag;
    Bin a = assemble(seed);
    assert_true(tikblob_disassemble(a.p, a.n, &text, &diag));
    Bin b = assemble(text);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.p, b.p, a.n);
    assert_true(tikblob_disassemble(b.p, b.n, &again, &diag));
    assert_string_equal(text, again);
    assert_non_null(strstr(text, "(16) preset 16640\n"));
    assert_non_null(strstr(text, "data 202122232425\n"));
    free(text);
    free(again);
    free(a.p);
    free(b.p);
}

static void
wrong_texts_name_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
        int line;
    } wrong[] = {
        {"region 0 \"c\" GM int8 table bytes 0\n", "a table has 1 to 16777216 bytes", 3},
        {"region 0 \"c\" GM int8 table bytes 2\ndata 0\n",
         "two hexadecimal digits expected", 4},
        {"region 0 \"c\" GM int8 table bytes 2\ndata 000102\n",
         "more bytes than the table has", 4},
        {"region 0 \"c\" GM int8 table bytes 2\ndata 00\ncode\nend\n",
         "the table above misses 1 bytes", 5},
        {"data 00\n", "more bytes than the table has", 3},
        {"arg \"l\" lists int64 (1)\n",
         "'lists' is not a role: input, output, workspace, global or list", 3},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[400], error[300];
        Bin b;
        int line;
        snprintf(text, sizeof text,
                 "blob 1.0 Ascend310P3\nkernel \"t\" cores 1 steps 0\n%s", wrong[i].text);
        assert_false(
            tikblob_assemble(text, strlen(text), &b.p, &b.n, &line, error, sizeof error));
        assert_string_equal(error, wrong[i].error);
        assert_int_equal(line, wrong[i].line);
    }
}

/* ---- the verifier -------------------------------------------------------- */

static void
expect_code(const char *code, const char *body)
{
    char text[2000];
    snprintf(text, sizeof text, HEAD "%send\n", body);
    Bin b = assemble(text);
    if (strcmp(verify_code(&b), code) != 0) {
        fail_msg("expected '%s', found '%s' for %s", code, verify_code(&b), body);
    }
    free(b.p);
}

static void
accesses_are_proved(void **state)
{
    (void)state;
    expect_code("", MOVE("dst=float16[2, 0]", "src=float16[0, 0]", "2"));
    expect_code("tensor-overflow", MOVE("dst=float16[2, 0]", "src=float16[0, 2]", "2"));
    expect_code("read-only", MOVE("dst=float16[0, 0]", "src=float16[2, 0]", "1"));
    expect_code("read-only", MOVE("checked dst=float16[0, 0]", "src=float16[2, 0]", "1"));
    expect_code("read-only", "store float16[0, 0] 5\n");
    expect_code("read-only", "store checked float16[1, 0] 5\n");
    expect_code("", "r0 = load float16[0, 36]\n");
    /* the size of an array of a list is not known before the launch */
    expect_code("unproved", MOVE("dst=float16[2, 0]", "src=float16[4, 0]", "1"));
    expect_code("", MOVE("checked dst=float16[2, 0]", "src=float16[4, 0]", "1"));
    expect_code("unproved", "r0 = load int64[4, 0]\n");
    expect_code("", "r0 = load checked int64[4, 0]\n");
    /* but it has a number, and a first byte */
    expect_code("list-index",
                MOVE("dst=float16[2, 0]", "src=float16[4, 137438953472]", "1"));
    expect_code("list-index",
                MOVE("dst=float16[2, 0]", "src=float16[4, -68719476736]", "1"));
    expect_code("tensor-overflow", MOVE("dst=float16[2, 0]", "src=float16[4, -2]", "1"));
    expect_code("tensor-overflow",
                MOVE("dst=float16[2, 0]", "src=float16[4, 68719476704]", "1"));
    expect_code("list-index", "loop s0 = 0 3\n" MOVE("dst=float16[2, 0]",
                                                     "src=float16[4, 0, 68719476736*s0]",
                                                     "1") "endloop s0\n");
    expect_code("", "loop s0 = 0 2\n" MOVE("checked dst=float16[2, 0]",
                                           "src=float16[4, 0, 68719476736*s0]",
                                           "1") "endloop s0\n");
}

/* What can be packed: not on a processor without lanes, not halves of wide elements, nor
 * more than a blob holds. */
static void
plans_of_packed_constants(void **state)
{
    (void)state;
    static const struct {
        const char *soc;
        TikBlobPack pack;
        bool ok;
    } rows[] = {
        {"bm1684x", {.weight = DT_S8, .dim = {3, 5, 1, 2}}, true},
        {"bm1684x", {.weight = DT_S8, .dim = {3, 5, 1, 2}, .nibbles = true}, true},
        {"bm1684x", {.weight = DT_U8, .dim = {3, 5, 1, 2}, .nibbles = true}, true},
        {"bm1684x", {.weight = DT_F16, .dim = {3, 5, 1, 2}, .nibbles = true}, false},
        {"bm1684x", {.weight = DT_S8, .dim = {0, 5, 1, 2}}, false},
        {"bm1684x", {.weight = DT_S8, .dim = {65535, 8191, 1, 1}}, true},
        {"bm1684x", {.weight = DT_S8, .dim = {65535, 65535, 1, 2}}, false},
        {"Ascend310P3", {.weight = DT_S8, .dim = {3, 5, 1, 2}}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Choices choices = {0};
        TikBlobPack p = rows[i].pack;
        if (blob_pack_plan(soc_find(rows[i].soc), &choices, &p) != rows[i].ok) {
            fail_msg("row %zu", i);
        }
        assert_true(!rows[i].ok || p.plan.total > 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_of_packed_constants),
        cmocka_unit_test(records_are_checked),
        cmocka_unit_test(text_and_bytes_agree),
        cmocka_unit_test(wrong_texts_name_the_line),
        cmocka_unit_test(accesses_are_proved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
