/* test_blob.c: checks the container (P1) rule by rule, each just outside and just inside
 * its limit; round trips; damaged blobs. The verifier is in test_blob_verify.c, compiled
 * kernels in test_blob_stream.c. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "blob_parts.h"

#include <sys/mman.h>
#include <unistd.h>

#define TARGET                                                                           \
    "blob 1.0 Ascend310P3\n"                                                             \
    "meta \"test\"\n"
#define FRAMES                                                                           \
    "frame 1 0 \"both\" @ \"a b.tik\" 20:9\n"                                            \
    "frame 2 1 \"fill\" @ \"a b.tik\" 7:5\n"                                             \
    "frame 3 1 \"fill\" @ \"a b.tik\" 8:5\n"
#define KERNEL                                                                           \
    "kernel \"add\" cores 2 steps 0 fill\n"                                              \
    "peak UB 4096\n"                                                                     \
    "arg \"x\" input float16 (2, 1024)\n"                                                \
    "arg \"y\" output float16 (2048)\n"                                                  \
    "region 0 \"x\" GM float16 arg 0\n"                                                  \
    "region 1 \"y\" GM float16 arg 1\n"                                                  \
    "region 2 \"x_ub\" UB float16 at 0 bytes 2048\n"                                     \
    "region 3 \"y_ub\" UB float16 at 2048 bytes 2048\n"                                  \
    "code\n"
#define HEAD TARGET KERNEL

#define IN                                                                               \
    "data_move dst=float16[2, 0] src=float16[0, 0, 2048*core] sid=0 nburst=1 burst=64 "  \
    "src_stride=0 dst_stride=0 mode=0 @ \"a b.tik\" 4:9\n"
#define OUT                                                                              \
    "data_move dst=float16[1, 0, 2048*core] src=float16[3, 0] sid=0 nburst=1 burst=64 "  \
    "src_stride=0 dst_stride=0 mode=0\n"

/* Descriptors by index: 0 loop, 1 move, 2 rem, 3 mul, 4 vec_add, 5 if, 6 load, 7 else, 8
 * store, 9 break, 10 endif, 11 endloop, 12 set_padding, 13 move */
static const char seed[] = TARGET FRAMES KERNEL
    "loop s0 = 0 4 @ \"a b.tik\" 3:5 named \"i\" int32 s0\n" IN
    "r0 = rem int32 s0 2 @ \"a b.tik\" 4:9 in 2\n"
    "r1 = mul int32 r0 512 @ \"other.tik\" 1:1 in 3\n"
    "vec_add mask=count(128) dst=float16[3, 0] src0=float16[2, 0, 1*r1] "
    "src1=float16[2, 0] "
    "repeat_times=4 dst_rep_stride=8 src0_rep_stride=8 src1_rep_stride=8 in 3 "
    "named \"left\" int32 r1\n"
    "if r0 @ \"a b.tik\" 6:1 in 1\n"
    "r2 = load float16[2, 6]\n"
    "else\n"
    "store float16[2, 2] r2\n"
    "break\n"
    "endif\n"
    "endloop s0\n"
    "set_padding value=4294967296\n" OUT "end\n";

/* Two kernels, no places, no meta, the smallest names. */
static const char seed_two[] = "blob 1.0 Ascend910B1\n"
                               "kernel \"a\" cores 1 steps 0\n"
                               "code\n"
                               "end\n"
                               "kernel \"b\" cores 65535 steps 9 ordered\n"
                               "peak UB 32\n"
                               "region 0 \"\" UB int32 at 0 bytes 32\n"
                               "code\n"
                               "r0 = cast int64 int32 5000000000\n"
                               "store checked int32[0, 8589934588, -3*r0, 7*core] core\n"
                               "return\n"
                               "end\n";

static const char *const seeds[] = {seed, seed_two};

/* ---- round trips --------------------------------------------------------- */

static void
text_and_bytes_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        Bin a = assemble(seeds[i]);
        char *text;
        TikBlobDiag diag;
        assert_string_equal(open_code(&a), "");
        assert_true(tikblob_disassemble(a.p, a.n, &text, &diag));
        Bin b = assemble(text);
        assert_int_equal(a.n, b.n);
        assert_memory_equal(a.p, b.p, a.n);
        free(text);
        free(a.p);
        free(b.p);
    }
}

static void
seeds_are_verified(void **state)
{
    (void)state;
    Bin a = assemble(seed);
    assert_string_equal(verify_code(&a), "");
    free(a.p);
}

static void
descriptors_come_back(void **state)
{
    (void)state;
    Bin a = assemble(seed);
    TikBlob b;
    TikBlobDiag diag;
    TikCursor c;
    TikDesc *d = malloc(sizeof *d);
    assert_true(tikblob_open(&b, a.p, a.n, &diag));
    tikblob_cursor(&c, &b, 0);
    assert_int_equal(tikblob_next(&c, d, &diag), 1);
    assert_int_equal(d->kind, DESC_LOOP);
    assert_int_equal(d->b.imm, 4);
    assert_int_equal(tikblob_next(&c, d, &diag), 1);
    assert_int_equal(d->op, OP_DATA_MOVE);
    assert_int_equal(d->args[1].t.nterms, 1);
    assert_int_equal(d->args[1].t.terms[0].num.kind, NUM_CORE);
    assert_int_equal(d->args[1].t.terms[0].coef, 2048);
    assert_int_equal(d->args[4].v.imm, 64);
    assert_true(d->args[4].literal);
    for (int i = 2; i < 13; i++) {
        assert_int_equal(tikblob_next(&c, d, &diag), 1);
        assert_int_equal(d->index, i);
    }
    assert_int_equal(d->op, OP_SET_PADDING);
    assert_true(d->args[0].v.imm == 4294967296);
    assert_int_equal(tikblob_next(&c, d, &diag), 1);
    assert_int_equal(tikblob_next(&c, d, &diag), 0);
    free(d);
    free(a.p);
}

static void
places_come_back(void **state)
{
    (void)state;
    Bin a = assemble(seed);
    TikBlob b;
    TikBlobDiag diag;
    const char *file;
    uint32_t line, column;
    assert_true(tikblob_open(&b, a.p, a.n, &diag));
    assert_true(tikblob_place(&b, 0, 3, &file, &line, &column));
    assert_string_equal(file, "other.tik");
    assert_int_equal(line, 1);
    assert_false(tikblob_place(&b, 0, 4, &file, &line, &column));
    assert_true(tikblob_place(&b, 0, 5, &file, &line, &column));
    assert_string_equal(file, "a b.tik");
    assert_int_equal(line, 6);
    assert_int_equal(column, 1);
    assert_false(tikblob_place(&b, 0, 14, &file, &line, &column));
    free(a.p);
}

static void
places_of_later_kernels(void **state)
{
    (void)state;
    Bin a = assemble("blob 1.0 Ascend310P3\n"
                     "kernel \"a\" cores 1 steps 9\ncode\n"
                     "return @ \"a.tik\" 2:3\nreturn\nend\n"
                     "kernel \"b\" cores 1 steps 9\ncode\n"
                     "return\nreturn @ \"b.tik\" 4:5\nend\n");
    TikBlob b;
    TikBlobDiag diag;
    const char *file;
    uint32_t line, column;
    assert_true(tikblob_open(&b, a.p, a.n, &diag));
    assert_true(tikblob_place(&b, 0, 0, &file, &line, &column));
    assert_int_equal(line, 2);
    assert_false(tikblob_place(&b, 0, 1, &file, &line, &column));
    assert_false(tikblob_place(&b, 1, 0, &file, &line, &column));
    assert_true(tikblob_place(&b, 1, 1, &file, &line, &column));
    assert_string_equal(file, "b.tik");
    assert_int_equal(line, 4);
    assert_int_equal(column, 5);
    assert_false(tikblob_place(&b, 1, 2, &file, &line, &column));
    free(a.p);
}

static void
calls_come_back(void **state)
{
    (void)state;
    static const uint32_t in[] = {0, 0, 2, 3, 3, 1, 0};
    Bin a = assemble(seed);
    TikBlob b;
    TikBlobFrame f;
    assert_true(tikblob_open(&b, a.p, a.n, NULL));
    assert_int_equal(tikblob_frames(&b), 3);
    for (uint32_t i = 0; i < sizeof in / sizeof in[0]; i++) {
        assert_int_equal(tikblob_frame_of(&b, 0, i), in[i]);
    }
    assert_int_equal(tikblob_frame_of(&b, 0, 14), 0); /* there is no such descriptor */
    tikblob_frame(&b, 3, &f);
    assert_string_equal(f.callee, "fill");
    assert_string_equal(f.file, "a b.tik");
    assert_int_equal(f.line, 8);
    assert_int_equal(f.column, 5);
    assert_int_equal(f.parent, 1);
    tikblob_frame(&b, 1, &f);
    assert_string_equal(f.callee, "both");
    assert_int_equal(f.parent, 0);
    free(a.p);
}

/* Frames have one order, whatever order they came in, and each is there once; each kernel
 * has its own runs. */
static void
calls_are_canonical(void **state)
{
    (void)state;
    static const char *const frames[] = {
        "frame 1 0 \"a\"\nframe 2 0 \"b\" @ \"f\" 1:1\nframe 3 1 \"c\" @ \"f\" 1:1\n"
        "frame 4 2 \"a\" @ \"f\" 1:1\n",
        "frame 1 0 \"b\" @ \"f\" 1:1\nframe 2 1 \"a\" @ \"f\" 1:1\nframe 3 0 \"a\"\n"
        "frame 4 3 \"c\" @ \"f\" 1:1\n",
        "frame 1 0 \"a\"\nframe 2 0 \"b\" @ \"f\" 1:1\nframe 3 0 \"a\"\n"
        "frame 4 3 \"c\" @ \"f\" 1:1\nframe 5 2 \"a\" @ \"f\" 1:1\n"};
    static const int in[][3] = {{3, 4, 0}, {4, 2, 0}, {4, 5, 0}};
    Bin first = {NULL, 0};
    for (int i = 0; i < 3; i++) {
        char text[1000];
        const int *n = in[i];
        snprintf(text, sizeof text,
                 "blob 1.0 Ascend310P3\n%skernel \"k\" cores 1 steps 0\ncode\nreturn in "
                 "%d\nreturn in %d\nend\nkernel \"l\" cores 1 steps 0\ncode\nreturn in "
                 "%d\nreturn in %d\nend\n",
                 frames[i], n[0], n[1], n[1], n[2]);
        Bin a = assemble(text);
        assert_string_equal(open_code(&a), "");
        if (i == 0) {
            first = a;
            continue;
        }
        assert_int_equal(a.n, first.n);
        assert_memory_equal(a.p, first.p, a.n);
        free(a.p);
    }
    TikBlob b;
    assert_true(tikblob_open(&b, first.p, first.n, NULL));
    assert_int_equal(tikblob_frames(&b), 4);
    assert_int_equal(tikblob_frame_of(&b, 0, 1), 4);
    assert_int_equal(tikblob_frame_of(&b, 1, 0), 4);
    assert_int_equal(tikblob_frame_of(&b, 1, 1), 0);
    free(first.p);
}

/* Calls may nest up to the limit; of a deeper chain the inner calls are left out. */
static void
calls_have_a_depth(void **state)
{
    (void)state;
    for (uint32_t over = 0; over < 2; over++) {
        TikBlobWriter *w = tikblob_writer_new(soc_find("Ascend310P3"));
        TikBlobKernelInfo info = {.name = "k", .cores = 1};
        TikDesc *d = calloc(1, sizeof *d);
        TikBlobFrame f = {.callee = "f", .file = "k.tik", .line = 2, .column = 5};
        char error[100];
        Bin a;
        TikBlob b;
        for (uint32_t i = 0; i < TIKBLOB_MAX_CALLS + over; i++) {
            f.parent = tikblob_add_frame(w, &f);
        }
        tikblob_begin_kernel(w, &info);
        d->kind = DESC_RETURN;
        assert_true(tikblob_emit(w, d, NULL, 0, 0, error, sizeof error));
        tikblob_emit_frame(w, f.parent);
        tikblob_end_kernel(w);
        assert_true(tikblob_finish(w, NULL, &a.p, &a.n));
        assert_true(tikblob_open(&b, a.p, a.n, NULL));
        assert_int_equal(tikblob_frames(&b), TIKBLOB_MAX_CALLS);
        assert_int_equal(tikblob_frame_of(&b, 0, 0), TIKBLOB_MAX_CALLS);
        tikblob_writer_free(w);
        free(d);
        free(a.p);
    }
}

/* Trip counts are numbers in the blob; they never make more descriptors. */
static void
size_is_independent_of_trips(void **state)
{
    (void)state;
    static const char *const trips[] = {"1", "10", "1000000"};
    size_t size = 0;
    for (int i = 0; i < 3; i++) {
        char text[2000];
        snprintf(text, sizeof text, HEAD "loop s0 = 0 %s\n" IN "endloop s0\n" OUT "end\n",
                 trips[i]);
        Bin a = assemble(text);
        assert_true(i == 0 || a.n == size);
        size = a.n;
        free(a.p);
    }
}

/* By the loader, or in the build id, which comes last, by the comparison of that. */
static void
every_flipped_bit_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        Bin a = assemble(seeds[i]);
        for (size_t bit = 0; bit < a.n * 8; bit++) {
            bool id = bit / 8 >= a.n - 32;
            a.p[bit / 8] ^= (uint8_t)(1 << (bit % 8));
            if (strcmp(identify_code(&a), "build-id") == 0 ? !id : *open_code(&a) == 0) {
                fail_msg("bit %zu of seed %zu", bit, i);
            }
            a.p[bit / 8] ^= (uint8_t)(1 << (bit % 8));
        }
        free(a.p);
    }
}

static void
every_truncation_is_refused(void **state)
{
    (void)state;
    Bin a = assemble(seed);
    for (size_t n = 0; n < a.n; n++) {
        Bin cut = {malloc(n + 1), n};
        memcpy(cut.p, a.p, n);
        assert_true(*open_code(&cut) != 0);
        tikblob_update_checksums(cut.p, cut.n);
        assert_true(*open_code(&cut) != 0);
        free(cut.p);
    }
    free(a.p);
}

/* With the checksums corrected, a flipped bit is refused, or it gives a blob that is
 * still valid: disassembling it and assembling the text gives its bytes. */
static void
flips_with_right_checksums_stay_canonical(void **state)
{
    (void)state;
    Bin a = assemble(seed);
    Bin b = {malloc(a.n), a.n};
    for (size_t bit = 0; bit < a.n * 8; bit++) {
        char *text;
        TikBlobDiag diag;
        memcpy(b.p, a.p, a.n);
        b.p[bit / 8] ^= (uint8_t)(1 << (bit % 8));
        tikblob_update_checksums(b.p, b.n);
        if (*open_code(&b) != 0 || !tikblob_disassemble(b.p, b.n, &text, &diag)) {
            continue;
        }
        (void)verify_code(&b);
        Bin c = assemble(text);
        if (c.n != b.n || memcmp(c.p, b.p, c.n) != 0) {
            fail_msg("bit %zu gives another encoding:\n%s", bit, text);
        }
        free(c.p);
        free(text);
    }
    free(a.p);
    free(b.p);
}

/* ---- rules, one by one --------------------------------------------------- */

/* A case changes the seed's sections; the rule's name says which rule it breaks. in: the
 * nearest change that is still legal; null when the seed is that. */
typedef struct Case {
    const char *code;
    void (*out)(Parts *s);
    void (*in)(Parts *s);
} Case;

static uint8_t *
bytes(Parts *s, const char *name)
{
    return part(s, name)->p;
}

static uint8_t *
desc(Parts *s, int index)
{
    uint8_t *p = bytes(s, "CODE");
    while (index-- > 0) {
        p += SLOT_BYTES * p[0];
    }
    return p;
}

#define CASE(name, body)                                                                 \
    static void name(Parts *s)                                                           \
    {                                                                                    \
        body;                                                                            \
    }

static Part
strange(uint32_t flags)
{
    return (Part){code_of("XYZW"), flags, 0, 1, calloc(1, 8), 5, 0};
}

static void
fill_up(Parts *s, int n)
{
    while (s->n < n) {
        insert_part(s, 1, strange(0));
    }
}

CASE(features, s->required = 1)
CASE(optional, s->optional = 1)
CASE(optional_later, s->optional = 1; s->minor = 1)
CASE(no_sections, for (int i = 0; i < s->n; i++) free(s->p[i].p); s->n = 0)
CASE(sections_17, fill_up(s, 17))
CASE(sections_16, fill_up(s, 16))
CASE(unknown_must, insert_part(s, 2, strange(BLOB_MUST)))
CASE(unknown_skip, insert_part(s, 2, strange(0)))
CASE(wrong_flags, part(s, "LINE")->flags = BLOB_MUST)
CASE(record_longer, part(s, "KERN")->record = 104)
CASE(record_later, part(s, "KERN")->record = 104; resize(part(s, "KERN"), 104);
     s->minor = 1)
CASE(record_tail, record_later(s); bytes(s, "KERN")[103] = 1)
CASE(size_cut, part(s, "REGN")->n -= 8)
CASE(offset_gap, part(s, "CODE")->skip = 16)
CASE(order_swapped, Part t = *part(s, "ARGS"); *part(s, "ARGS") = *part(s, "REGN");
     s->p[4] = t)
CASE(order_twice, Part t = *part(s, "META"); t.p = calloc(1, t.n + 1); t.p[0] = 'x';
     insert_part(s, s->n - 1, t))
CASE(after_id, insert_part(s, s->n, strange(0)))
CASE(missing, remove_part(s, "AFFN"))
CASE(no_line, remove_part(s, "LINE"))
CASE(soc_name, bytes(s, "TARG")[0] = 'B')
CASE(soc_family, memcpy(bytes(s, "TARG"), "Ascend310P\0", 11))
CASE(soc_bytes, bytes(s, "TARG")[46] ^= 1)

CASE(strings_large, resize(part(s, "STRS"), MAX_STRING_BYTES + 1))
CASE(strings_open, bytes(s, "STRS")[part(s, "STRS")->n - 1] = 'x')
CASE(strings_none, part(s, "STRS")->n = 0)
CASE(strings_latin, bytes(s, "STRS")[1] = 0xe9)
CASE(strings_utf8, memcpy(bytes(s, "STRS") + part(s, "STRS")->n - 3, "\xc3\xa9", 2))
CASE(strings_order, bytes(s, "STRS")[1] = 'z')
CASE(strings_twice, memcpy(bytes(s, "STRS") + part(s, "STRS")->n - 2, "y\0", 2);
     resize(part(s, "STRS"), part(s, "STRS")->n + 2);
     memcpy(bytes(s, "STRS") + part(s, "STRS")->n - 2, "y\0", 2))
CASE(strings_unused, resize(part(s, "STRS"), part(s, "STRS")->n + 3);
     memcpy(bytes(s, "STRS") + part(s, "STRS")->n - 3, "zz", 3))
CASE(string_inside, put32(bytes(s, "KERN"), get32(bytes(s, "KERN")) + 1))
CASE(string_past_end, put32(bytes(s, "KERN"), (uint32_t)part(s, "STRS")->n))

CASE(kernels_none, part(s, "KERN")->n = 0)
CASE(kernel_unnamed, put32(bytes(s, "KERN"), 0))
CASE(kernel_less, put32(bytes(s, "KERN") + 8, get32(bytes(s, "KERN") + 8) - 4))
CASE(kernel_more, put32(bytes(s, "KERN") + 8, get32(bytes(s, "KERN") + 8) + 1))
CASE(kernel_count, put32(bytes(s, "KERN") + 12, 13))
CASE(kernel_args, put32(bytes(s, "KERN") + 20, 1))
CASE(kernel_first, put32(bytes(s, "KERN") + 24, 1))
CASE(cores_0, put32(bytes(s, "KERN") + 40, 0))
CASE(cores_1, put32(bytes(s, "KERN") + 40, 1))
CASE(cores_65536, put32(bytes(s, "KERN") + 40, 65536))
CASE(cores_65535, put32(bytes(s, "KERN") + 40, 65535))
CASE(regs_65537, put32(bytes(s, "KERN") + 32, 65537))
CASE(loops_17, put32(bytes(s, "KERN") + 36, 17))
CASE(loops_16, put32(bytes(s, "KERN") + 36, 16))
CASE(steps_0, put64(bytes(s, "KERN") + 48, 0))
CASE(steps_1, put64(bytes(s, "KERN") + 48, 1))
CASE(flags_16, put32(bytes(s, "KERN") + 44, 16))
CASE(flags_15, put32(bytes(s, "KERN") + 44, 15))
CASE(kernel_tail, bytes(s, "KERN")[87] = 1)
CASE(peak_over, put32(bytes(s, "KERN") + 56, 262145))
CASE(peak_full, put32(bytes(s, "KERN") + 56, 262144))
CASE(peak_under, put32(bytes(s, "KERN") + 56, 4095))
CASE(regs_less, put32(bytes(s, "KERN") + 32, 2))
CASE(regs_more, put32(bytes(s, "KERN") + 32, 4))

CASE(arg_role, bytes(s, "ARGS")[5] = ARGROLE_COUNT)
CASE(arg_role_2, bytes(s, "ARGS")[5] = 2)
CASE(arg_dtype, bytes(s, "ARGS")[4] = DT_PLAIN)
CASE(arg_dims, bytes(s, "ARGS")[6] = 9)
CASE(arg_reserved, bytes(s, "ARGS")[7] = 4)
CASE(arg_tail, bytes(s, "ARGS")[79] = 1)
CASE(arg_elems, put64(bytes(s, "ARGS") + 8, 2049))
CASE(arg_zero, put64(bytes(s, "ARGS") + 16, 0))
CASE(arg_huge, put64(bytes(s, "ARGS") + 16, (uint64_t)1 << 60))
CASE(region_scope, bytes(s, "REGN")[52] = SC_COUNT)
CASE(region_dtype, bytes(s, "REGN")[53] = 0)
CASE(region_reserved, bytes(s, "REGN")[54] = 2)
CASE(region_odd, put64(bytes(s, "REGN") + 56, 16))
CASE(region_even, put64(bytes(s, "REGN") + 56, 32))
CASE(region_negative, put64(bytes(s, "REGN") + 56, (uint64_t)-32))
CASE(region_arg, put64(bytes(s, "REGN") + 8, 2))
CASE(region_empty, put64(bytes(s, "REGN") + 64, 0))
CASE(region_one, put64(bytes(s, "REGN") + 64, 1))
CASE(region_large, put64(bytes(s, "REGN") + 64, 262145))
CASE(region_global, put64(bytes(s, "REGN") + 16, 4095))

CASE(row_mark, bytes(s, "AFFN")[0] = 3)
CASE(row_terms, bytes(s, "AFFN")[1] = 9)
CASE(row_reserved, bytes(s, "AFFN")[2] = 1)
CASE(term_zero, put64(bytes(s, "AFFN") + 40, 0))
CASE(term_one, put64(bytes(s, "AFFN") + 40, 1))
CASE(term_tag, bytes(s, "AFFN")[33] = 0)
CASE(row_link, put32(bytes(s, "AFFN") + 12, get32(bytes(s, "AFFN") + 12) ^ 1))
CASE(row_same, bytes(s, "AFFN")[4] = bytes(s, "AFFN")[52])
CASE(row_unused, memcpy(desc(s, 13) + 8, desc(s, 1) + 16, 3))

CASE(class_0, desc(s, 0)[1] = 0)
CASE(class_13, desc(s, 0)[1] = 13)
CASE(slots_2, desc(s, 0)[0] = 2)
CASE(slots_end, desc(s, 13)[0] = 4)
CASE(reserved_loop, desc(s, 0)[3] = 1)
CASE(reserved_tags, desc(s, 0)[5] |= 0x10)
CASE(reserved_if, desc(s, 5)[12] = 1)
CASE(reserved_tail, desc(s, 8)[31] = 1)
CASE(reserved_form, desc(s, 12)[3] |= 0x20)
CASE(dtype_alu, desc(s, 2)[3] = 0)
CASE(dtype_alu_last, desc(s, 2)[3] = DT_PLAIN - 1)
CASE(dtype_operand, desc(s, 6)[11] = DT_COUNT)
CASE(op_alu, desc(s, 2)[2] = SOP_COUNT)
CASE(reg_alu, put16(desc(s, 2) + 6, 3))
CASE(slot_loop, desc(s, 0)[2] = 1)
CASE(opcode, put16(desc(s, 12) + 2, OP_COUNT))
CASE(number_reg, put32(desc(s, 5) + 8, 3))
CASE(number_loop, put32(desc(s, 2) + 8, 1))
CASE(number_core, put32(desc(s, 2) + 8, CORE_INDEX))
CASE(wide_order, put32(desc(s, 12) + 8, 1))
CASE(wide_small, put64(desc(s, 12) + 12, 0x7fffffff))
CASE(wide_least, put64(desc(s, 12) + 12, 0x80000000))
CASE(row_ahead, desc(s, 1)[8] = 3)
CASE(row_inside, desc(s, 13)[8] = 2)
CASE(row_region, put32(bytes(s, "AFFN") + 16 * (desc(s, 4)[12]) + 4, 4))
CASE(offset_under, put32(bytes(s, "AFFN") + 8, 0x80000000);
     put32(desc(s, 1) + 12, (uint32_t)-1))
CASE(offset_least, put32(bytes(s, "AFFN") + 8, 0x80000000))
CASE(line_short, part(s, "LINE")->n--)
CASE(line_long, resize(part(s, "LINE"), part(s, "LINE")->n + 1))
CASE(line_padded, resize(part(s, "LINE"), part(s, "LINE")->n + 1);
     bytes(s, "LINE")[part(s, "LINE")->n - 2] |= 0x80)
CASE(line_empty, part(s, "LINE")->n = 0)
CASE(name_empty, part(s, "NAME")->n = 0)
CASE(name_order, put32(bytes(s, "NAME") + 16, 0); put32(bytes(s, "NAME"), 1))
CASE(name_past_end, put32(bytes(s, "NAME") + 16, 14))
CASE(name_last, put32(bytes(s, "NAME") + 16, 13))
CASE(name_slot, put32(bytes(s, "NAME") + 8, 1))
CASE(name_kind, bytes(s, "NAME")[12] = 3)
CASE(name_dtype, bytes(s, "NAME")[13] = DT_S4)
CASE(name_tail, bytes(s, "NAME")[15] = 1)

/* The section has frames and the bytes of the runs: 2 0, 1 2, 2 3, 1 1, 8 0. */
static uint8_t *
frame(Parts *s, int number)
{
    return bytes(s, "CALL") + CALL_HEAD + FRAME_BYTES * (number - 1);
}

static uint8_t *
run(Parts *s, int index)
{
    return frame(s, 4) + 2 * index;
}

CASE(call_empty, part(s, "CALL")->n = 0)
CASE(call_head, part(s, "CALL")->n = 3)
CASE(call_none, put32(bytes(s, "CALL"), 0))
CASE(call_many, put32(bytes(s, "CALL"), 4))
CASE(call_most, put32(bytes(s, "CALL"), UINT32_MAX))
CASE(call_table, part(s, "CALL")->n = CALL_HEAD + 3 * FRAME_BYTES - 1)
CASE(frame_self, put32(frame(s, 1) + 4, 1))
CASE(frame_later, put32(frame(s, 2) + 4, 3))
CASE(frame_parent, put32(frame(s, 2) + 4, UINT32_MAX))
CASE(frame_depth, put32(frame(s, 3), 3))
CASE(frame_flat, put32(frame(s, 3), 1))
CASE(frame_zero, put32(frame(s, 1), 0))
CASE(frame_deeper, put32(frame(s, 3) + 4, 2); put32(frame(s, 3), 3))
CASE(frame_callee, put32(frame(s, 3) + 8, get32(frame(s, 3) + 8) + 1))
CASE(frame_unnamed, put32(frame(s, 1) + 8, 0))
CASE(frame_file, put32(frame(s, 1) + 12, (uint32_t)part(s, "STRS")->n))
CASE(frame_nowhere, put32(frame(s, 1) + 12, 0))
CASE(frame_no_place, put32(frame(s, 1) + 12, 0); put64(frame(s, 1) + 16, 0))
CASE(frame_twice, put32(frame(s, 3) + 16, 7))
CASE(frame_next, put32(frame(s, 3) + 16, 7); frame(s, 3)[20]++)
CASE(frame_order, put32(frame(s, 3) + 16, 6))
CASE(frame_unused, run(s, 1)[1] = 1)
CASE(run_none, run(s, 0)[0] = 0)
CASE(run_more, run(s, 4)[0] = 9)
CASE(run_less, run(s, 4)[0] = 7)
CASE(run_same, run(s, 3)[1] = 3)
CASE(run_frame, run(s, 1)[1] = 4)
CASE(run_short, part(s, "CALL")->n--)
CASE(run_long, resize(part(s, "CALL"), part(s, "CALL")->n + 2))
CASE(run_padded, resize(part(s, "CALL"), part(s, "CALL")->n + 1); run(s, 4)[1] = 0x80)
/* A chain of calls that is as long as may be, and one longer. */
static void
chain(Parts *s, uint32_t depth)
{
    Part *q = part(s, "CALL");
    uint8_t first[FRAME_BYTES];
    memcpy(first, frame(s, 1), FRAME_BYTES);
    resize(q, CALL_HEAD + FRAME_BYTES * depth + 4);
    put32(q->p, depth);
    for (uint32_t i = 1; i <= depth; i++) {
        uint8_t *f = frame(s, (int)i);
        memcpy(f, first, FRAME_BYTES);
        put32(f, i);
        put32(f + 4, i - 1);
    }
}
CASE(frames_65536, chain(s, 65536))

CASE(kernels_65536, resize(part(s, "KERN"), part(s, "KERN")->record * 65536))
CASE(meta_empty, part(s, "META")->n = 0)
CASE(meta_zero, bytes(s, "META")[3] = 0)
CASE(meta_latin, bytes(s, "META")[0] = 0xff)

static const Case cases[] = {
    {"feature-required", features, NULL},
    {"feature-optional", optional, optional_later},
    {"section-count", no_sections, NULL},
    {"section-count", sections_17, sections_16},
    {"section-unknown", unknown_must, unknown_skip},
    {"section-flags", wrong_flags, NULL},
    {"section-record", record_longer, record_later},
    {"section-record", record_tail, NULL},
    {"section-size", size_cut, NULL},
    {"section-offset", offset_gap, NULL},
    {"section-order", order_swapped, NULL},
    {"section-order", order_twice, NULL},
    {"section-order", after_id, NULL},
    {"section-missing", missing, NULL},
    {"string-unused", no_line, NULL}, /* the file names are left over */
    {"target-unknown", soc_name, NULL},
    {"target-profile", soc_family, NULL},
    {"target-profile", soc_bytes, NULL},
    {"string-limit", strings_large, NULL},
    {"string-end", strings_open, NULL},
    {"string-end", strings_none, NULL},
    {"string-utf8", strings_latin, strings_utf8},
    {"string-order", strings_order, NULL},
    {"string-order", strings_twice, NULL},
    {"string-unused", strings_unused, NULL},
    {"string-ref", string_inside, NULL},
    {"string-ref", string_past_end, NULL},
    {"kernel-count", kernels_none, NULL},
    {"kernel-count", kernels_65536, NULL},
    {"kernel-name", kernel_unnamed, NULL},
    {"kernel-range", kernel_less, NULL},
    {"kernel-range", kernel_more, NULL},
    {"kernel-range", kernel_count, NULL},
    {"kernel-range", kernel_args, NULL},
    {"kernel-range", kernel_first, NULL},
    {"kernel-limit", cores_0, cores_1},
    {"kernel-limit", cores_65536, cores_65535},
    {"kernel-limit", regs_65537, NULL},
    {"kernel-limit", loops_17, NULL},
    {"kernel-loops", loops_16, NULL},
    {"kernel-steps", steps_0, steps_1},
    {"kernel-flags", flags_16, flags_15},
    {"kernel-flags", kernel_tail, NULL},
    {"kernel-peak", peak_over, peak_full},
    {"kernel-peak", peak_under, NULL},
    {"descriptor-field", regs_less, NULL},
    {"kernel-registers", regs_more, NULL},
    {"arg-field", arg_role, arg_role_2},
    {"arg-field", arg_dtype, NULL},
    {"arg-field", arg_dims, NULL},
    {"arg-field", arg_reserved, NULL},
    {"arg-field", arg_tail, NULL},
    {"arg-shape", arg_elems, NULL},
    {"arg-shape", arg_zero, NULL},
    {"arg-shape", arg_huge, NULL},
    {"region-field", region_scope, NULL},
    {"region-field", region_dtype, NULL},
    {"region-field", region_reserved, NULL},
    {"region-base", region_odd, region_even},
    {"region-base", region_negative, NULL},
    {"region-base", region_arg, NULL},
    {"region-bytes", region_empty, region_one},
    {"region-bytes", region_large, NULL},
    {"region-bytes", region_global, NULL},
    {"row-field", row_mark, NULL},
    {"row-field", row_terms, NULL},
    {"row-field", row_reserved, NULL},
    {"row-term", term_zero, term_one},
    {"row-term", term_tag, NULL},
    {"row-unique", row_link, NULL},
    {"row-unique", row_same, NULL},
    {"row-unused", row_unused, NULL},
    {"descriptor-class", class_0, NULL},
    {"descriptor-class", class_13, NULL},
    {"descriptor-size", slots_2, NULL},
    {"descriptor-size", slots_end, NULL},
    {"descriptor-reserved", reserved_loop, NULL},
    {"descriptor-reserved", reserved_tags, NULL},
    {"descriptor-reserved", reserved_if, NULL},
    {"descriptor-reserved", reserved_tail, NULL},
    {"descriptor-reserved", reserved_form, NULL},
    {"descriptor-field", dtype_alu, dtype_alu_last},
    {"descriptor-field", dtype_operand, NULL},
    {"descriptor-field", op_alu, NULL},
    {"descriptor-field", reg_alu, NULL},
    {"descriptor-field", slot_loop, NULL},
    {"opcode", opcode, NULL},
    {"number-index", number_reg, NULL},
    {"number-index", number_loop, number_core},
    {"wide-order", wide_order, NULL},
    {"wide-small", wide_small, wide_least},
    {"operand-row", row_ahead, NULL},
    {"operand-row", row_inside, NULL},
    {"operand-region", row_region, NULL},
    {"operand-offset", offset_under, offset_least},
    {"line-field", line_short, NULL},
    {"line-field", line_long, NULL},
    {"line-field", line_padded, NULL},
    {"line-field", line_empty, NULL},
    {"name-field", name_empty, NULL},
    {"name-field", name_order, NULL},
    {"name-field", name_past_end, name_last},
    {"name-field", name_slot, NULL},
    {"name-field", name_kind, NULL},
    {"name-field", name_dtype, NULL},
    {"name-field", name_tail, NULL},
    {"call-frame", call_empty, NULL},
    {"call-frame", call_head, NULL},
    {"call-frame", call_none, NULL},
    {"call-frame", call_many, NULL},
    {"call-frame", call_most, NULL},
    {"call-frame", call_table, NULL},
    {"call-frame", frame_self, NULL},
    {"call-frame", frame_later, NULL},
    {"call-frame", frame_parent, NULL},
    {"call-frame", frame_depth, frame_deeper},
    {"call-frame", frame_flat, NULL},
    {"call-frame", frame_zero, NULL},
    {"call-frame", frame_callee, NULL},
    {"call-frame", frame_unnamed, NULL},
    {"call-frame", frame_file, NULL},
    {"call-frame", frame_nowhere, frame_no_place},
    {"call-frame", frame_twice, frame_next},
    {"call-frame", frame_order, NULL},
    {"call-frame", frame_unused, NULL},
    {"call-frame", frames_65536, NULL},
    {"call-run", run_none, NULL},
    {"call-run", run_more, NULL},
    {"call-run", run_less, NULL},
    {"call-run", run_same, NULL},
    {"call-run", run_frame, NULL},
    {"call-run", run_short, NULL},
    {"call-run", run_long, NULL},
    {"call-run", run_padded, NULL},
    {"meta-text", meta_empty, NULL},
    {"meta-text", meta_zero, NULL},
    {"string-utf8", meta_latin, NULL},
};

static Bin
changed(void (*change)(Parts *))
{
    Bin a = assemble(seed);
    Parts s = take_apart(&a);
    free(a.p);
    change(&s);
    return put_together(&s);
}

static void
rules_hold_at_their_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Bin out = changed(cases[i].out);
        if (strcmp(open_code(&out), cases[i].code) != 0) {
            fail_msg("case %zu: expected %s, found '%s'", i, cases[i].code,
                     open_code(&out));
        }
        free(out.p);
        if (cases[i].in != NULL) {
            Bin in = changed(cases[i].in);
            if (*open_code(&in) != 0) {
                fail_msg("case %zu, inside of %s: refused for %s", i, cases[i].code,
                         open_code(&in));
            }
            free(in.p);
        }
    }
}

/* Rules that a correction of the checksums would hide, or that are about bytes outside of
 * sections. */
static void
header_rules(void **state)
{
    (void)state;
    Bin a = assemble(seed);
    Bin cut = {a.p, 63};
    assert_string_equal(open_code(&cut), "file-short");
    a.p[4] = '\n';
    assert_string_equal(open_code(&a), "magic");
    a.p[4] = '\r';
    a.p[40] = 1;
    assert_string_equal(open_code(&a), "header-crc");
    a.p[40] = 0;
    a.p[70] ^= 1;
    assert_string_equal(open_code(&a), "table-crc");
    a.p[70] ^= 1;
    section(&a, "CODE")[8] ^= 1;
    assert_string_equal(open_code(&a), "section-crc");
    section(&a, "CODE")[8] ^= 1;
    section(&a, "IDNT")[0] ^= 1;
    assert_string_equal(open_code(&a), "");
    assert_string_equal(identify_code(&a), "build-id");
    tikblob_update_checksums(a.p, a.n);
    put16(a.p + 8, 2);
    tikblob_update_checksums(a.p, a.n);
    assert_string_equal(open_code(&a), "version-major");
    put16(a.p + 8, 1);
    put32(a.p + 12, 72);
    tikblob_update_checksums(a.p, a.n);
    assert_string_equal(open_code(&a), "header-size");
    put32(a.p + 12, 64);
    put64(a.p + 16, a.n + 1);
    tikblob_update_checksums(a.p, a.n);
    assert_string_equal(open_code(&a), "total-size");
    put64(a.p + 16, a.n);
    put32(a.p + 32, 1);
    tikblob_update_checksums(a.p, a.n);
    assert_string_equal(open_code(&a), "target-fingerprint");
    put32(a.p + 32, CORE_A310P_AIC);
    section(&a, "KERN")[-1] = 1;
    tikblob_update_checksums(a.p, a.n);
    assert_string_equal(open_code(&a), "section-gap");
    free(a.p);
}

/* Strings are looked for in all of STRS, not only near its beginning. */
static void
far_strings_are_used(void **state)
{
    (void)state;
    enum {
        LONG = 140000
    };
    char *text = malloc(LONG + 1000), *name = malloc(LONG + 1);
    memset(name, 'k', LONG);
    name[LONG] = 0;
    snprintf(text, LONG + 1000,
             "blob 1.0 Ascend310P3\nkernel \"%s\" cores 1 steps 1\ncode\nend\n"
             "kernel \"l\" cores 1 steps 1\ncode\nend\n"
             "kernel \"m\" cores 1 steps 1\ncode\nend\n",
             name);
    Bin a = assemble(text);
    assert_string_equal(open_code(&a), "");
    put32(section(&a, "KERN") + 2 * 96, get32(section(&a, "KERN") + 96));
    tikblob_update_checksums(a.p, a.n);
    assert_string_equal(open_code(&a), "string-unused");
    free(a.p);
    free(text);
    free(name);
}

/* Frames are looked for in all runs, however many there are. */
static void
many_frames_are_used(void **state)
{
    (void)state;
    enum {
        COUNT = (1 << 17) + 2,
        ROOM = COUNT * 60
    };
    char *text = malloc(ROOM);
    for (int unused = 0; unused < 2; unused++) {
        int n = snprintf(text, ROOM, "blob 1.0 Ascend310P3\n");
        for (int i = 1; i <= COUNT; i++) {
            n += snprintf(text + n, (size_t)(ROOM - n), "frame %d 0 \"f\" @ \"a\" %d:1\n",
                          i, i);
        }
        n += snprintf(text + n, (size_t)(ROOM - n),
                      "kernel \"k\" cores 1 steps 0\ncode\n");
        for (int i = 1; i <= COUNT - unused; i++) {
            n += snprintf(text + n, (size_t)(ROOM - n), "return in %d\n", i);
        }
        snprintf(text + n, (size_t)(ROOM - n), "end\n");
        Bin a = assemble(text);
        assert_string_equal(open_code(&a), unused ? "call-frame" : "");
        free(a.p);
    }
    free(text);
}

/* Zeros are looked for in the file alone: where an argument says that it has more
 * dimensions than there are, nothing after the end is read. */
static void
nothing_is_read_past_the_end(void **state)
{
    (void)state;
    Bin a = assemble("blob 1.0 Ascend310P3\nkernel \"k\" cores 1 steps 1\n"
                     "arg \"x\" input uint8 (1)\ncode\nend\n");
    section(&a, "ARGS")[6] = 9;
    tikblob_update_checksums(a.p, a.n);
    memset(section(&a, "IDNT"), 0, 32);
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (a.n / page + 1) * page;
    uint8_t *pages = mmap(NULL, room + page, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED && mprotect(pages + room, page, PROT_NONE) == 0);
    Bin at_end = {pages + room - a.n, a.n};
    memcpy(at_end.p, a.p, a.n);
    assert_string_equal(open_code(&at_end), "arg-field");
    munmap(pages, room + page);
    free(a.p);
}

/* A size that no file has is told before a byte is read that is not there. */
static void
sizes_fit_signed_numbers(void **state)
{
    (void)state;
    Bin a = assemble(seed);
    TikBlob b;
    TikBlobDiag diag;
    put64(a.p + 16, (uint64_t)1 << 63);
    tikblob_update_checksums(a.p, a.n);
    assert_false(tikblob_open(&b, a.p, (uint64_t)1 << 63, &diag));
    assert_string_equal(diag.code, "total-size");
    assert_int_equal(diag.offset, 16);
    free(a.p);
}

/* The shortest forms of all code points but surrogates are UTF-8, and nothing else. */
static void
text_is_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t good; /* bytes that are */
    } rows[] = {{"a\x7f", 2},
                {"\x80", 0},
                {"\xc1\xbf", 0},
                {"\xc2\x80", 2},
                {"\xdf\xbf", 2},
                {"\xc2\xc0", 0},
                {"ab\xe0\x9f\xbf", 2},
                {"\xe0\xa0\x80", 3},
                {"\xed\x9f\xbf", 3},
                {"\xed\xa0\x80", 0},
                {"\xee\x80\x80", 3},
                {"\xef\xbf\xbf", 3},
                {"\xf0\x8f\xbf\xbf", 0},
                {"\xf0\x90\x80\x80", 4},
                {"\xf4\x8f\xbf\xbf", 4},
                {"\xf4\x90\x80\x80", 0},
                {"\xf5\x80\x80\x80", 0},
                {"\xe1\x80", 0},
                {"\xe1\x80\x7f", 0},
                {"\xf1\x80\x80\xc0", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint8_t *p = (const uint8_t *)rows[i].text;
        uint64_t n = strlen(rows[i].text), bad = n;
        assert_int_equal(blob_utf8(p, n, &bad), rows[i].good == n);
        assert_int_equal(bad, rows[i].good);
    }
}

static void
longest_strings(void **state)
{
    (void)state;
    static const char head[] = "blob 1.0 Ascend310P3\nkernel \"";
    static const char tail[] = "\" cores 1 steps 1\ncode\nend\n";
    for (size_t extra = 0; extra < 2; extra++) {
        size_t n = MAX_STRING_BYTES - 1 + extra;
        char *text = malloc(n + sizeof head + sizeof tail);
        memcpy(text, head, sizeof head - 1);
        memset(text + sizeof head - 1, 'k', n);
        memcpy(text + sizeof head - 1 + n, tail, sizeof tail);
        Bin a = assemble(text);
        assert_string_equal(open_code(&a), extra ? "string-limit" : "");
        free(text);
        free(a.p);
    }
}

/* ---- text ---------------------------------------------------------------- */

static void
expect_error(const char *text, int line, const char *part_of_error)
{
    Bin b;
    int found;
    char error[300];
    assert_false(
        tikblob_assemble(text, strlen(text), &b.p, &b.n, &found, error, sizeof error));
    if (found != line || strstr(error, part_of_error) == NULL) {
        fail_msg("line %d: %s\nexpected line %d: %s", found, error, line, part_of_error);
    }
}

static void
assembler_names_the_line(void **state)
{
    (void)state;
    expect_error("", 1, "ends inside");
    expect_error("blob 1.2 Ascend310P3\n", 1, "'0' expected");
    expect_error("# comment\n\nblob 1.0 Nobody\n", 3, "'Nobody' is not a processor");
    expect_error("blob 1.0 Ascend310P\n", 1, "not a processor");
    expect_error(HEAD "nonsense x=1\nend\n", 12, "'nonsense' is neither");
    expect_error(HEAD "r0 = frob int32 1 2\nend\n", 12, "not a scalar operation");
    expect_error(HEAD "set_padding value=99999999999999999999\nend\n", 12,
                 "64-bit integer");
    expect_error(HEAD "r65536 = add int32 1 2\nend\n", 12, "register 65536");
    expect_error(HEAD "store float16[4, 0] 1\nend\n", 12, "region 4");
    expect_error(HEAD "return 5\nend\n", 12, "after the end");
    expect_error(HEAD "return\n", 13, "ends inside");
    expect_error(HEAD "endloop r0\nend\n", 12, "loop slot");
    expect_error(TARGET "frame 2 0 \"f\"\n", 3, "frame 2 out of order");
    expect_error(TARGET "frame 1 1 \"f\"\n", 3, "there is no frame 1 above");
    expect_error(TARGET FRAMES KERNEL "return in 4\nend\n", 15, "there is no frame 4");
    expect_error(HEAD "return @ \"x 1:2\nend\n", 12, "'\"' expected");
}

static void
addresses_have_bounded_terms(void **state)
{
    (void)state;
    char text[2000];
    snprintf(text, sizeof text, "%sstore float16[2, 0, 1*r0, 1*r1, 1*r2] 1\nend\n", HEAD);
    expect_error(text, 12, "2 register terms");
    snprintf(text, sizeof text,
             "%sstore float16[2, 0, 1*s0, 1*s1, 1*s2, 1*s3, 1*s4, 1*s5, 1*s6, 1*s7, "
             "1*core] 1\nend\n",
             HEAD);
    expect_error(text, 12, "8 loop terms");
    /* equal terms are one, and terms that vanish are none */
    Bin a = assemble(HEAD
                     "store checked float16[2, 0, 1*core, 3*r0, 2*core, -3*r0] 1\nend\n");
    char *out;
    TikBlobDiag diag;
    assert_true(tikblob_disassemble(a.p, a.n, &out, &diag));
    assert_non_null(strstr(out, "float16[2, 0, 3*core] 1"));
    free(out);
    free(a.p);
}

static void
registers_fit_up_to_the_limit(void **state)
{
    (void)state;
    Bin a = assemble(HEAD "r65535 = add int32 1 2\nend\n");
    assert_string_equal(verify_code(&a), "");
    free(a.p);
}

/* A text that is not UTF-8 does not enter a blob. */
static void
odd_names_are_written_safely(void **state)
{
    (void)state;
    Bin a = assemble(
        "blob 1.0 Ascend310P3\nmeta \"a\\x0a\\\"\xff\"\n"
        "kernel \"k\" cores 1 steps 1\ncode\nreturn @ \"d\xc3\xa9/\xe9.tik\" 1:1\nend\n");
    char *text;
    TikBlobDiag diag;
    assert_string_equal(open_code(&a), "");
    assert_true(tikblob_disassemble(a.p, a.n, &text, &diag));
    assert_non_null(strstr(text, "meta \"a\\x0a\\\"?\""));
    assert_non_null(strstr(text, "\"d\xc3\xa9/?.tik\""));
    free(text);
    free(a.p);
}

static void
explanations_have_names_and_places(void **state)
{
    (void)state;
    Bin a = assemble(HEAD "loop s0 = 0 3\n" IN "endloop s0\n"
                          "store float16[2, 2048] 1 @ \"dir/k.tik\" 7:3\nend\n");
    TikBlobDiag diag;
    TikBlobProof proof;
    TikBlob b;
    char text[400];
    assert_string_equal(verify_diag(&a, &proof, &diag), "tensor-overflow");
    assert_true(tikblob_open(&b, a.p, a.n, NULL));
    tikblob_explain(&b, 0, &diag, text, sizeof text);
    assert_non_null(
        strstr(text, "kernel 'add', descriptor 3 (store) from dir/k.tik:7:3"));
    tikblob_explain(NULL, 0, &diag, text, 20);
    assert_int_equal(strlen(text), 19);
    free(a.p);
}

/* The normative text's table contains every rule. */
static void
rules_are_documented(void **state)
{
    (void)state;
    FILE *f = fopen("docs/blob-format.md", "rb");
    if (f == NULL) {
        skip();
    }
    char *doc = calloc(1, 1 << 20);
    size_t n = fread(doc, 1, (1 << 20) - 1, f);
    fclose(f);
    assert_true(n > 0);
    const BlobRuleInfo *rule;
    for (int i = 0; (rule = blob_rule_at(i)) != NULL; i++) {
        char cell[80];
        snprintf(cell, sizeof cell, "| `%s` |", rule->name);
        if (strstr(doc, cell) == NULL) {
            fail_msg("%s is not in docs/blob-format.md", rule->name);
        }
    }
    free(doc);
}

static void
digests_match_their_definitions(void **state)
{
    (void)state;
    static const uint8_t abc[32] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
                                    0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
                                    0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c,
                                    0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
    Sha256 s;
    uint8_t out[32];
    assert_int_equal(blob_crc32c((const uint8_t *)"123456789", 9), 0xe3069283);
    assert_int_equal(blob_crc32c_tables((const uint8_t *)"123456789", 9), 0xe3069283);
    blob_sha256_init(&s);
    blob_sha256_add(&s, (const uint8_t *)"abc", 3);
    blob_sha256_end(&s, out);
    assert_memory_equal(out, abc, 32);
    /* the checksum does not depend on the pieces in which the bytes arrive */
    uint8_t data[300];
    uint8_t again[32];
    for (int i = 0; i < 300; i++) {
        data[i] = (uint8_t)(i * 7);
    }
    blob_sha256_init(&s);
    blob_sha256_add(&s, data, 300);
    blob_sha256_end(&s, out);
    blob_sha256_init(&s);
    for (int i = 0; i < 300; i += 50) {
        blob_sha256_add(&s, data + i, 50);
    }
    blob_sha256_end(&s, again);
    assert_memory_equal(out, again, 32);
    /* nor on whether the processor has an instruction for it, at any length and place */
    for (int n = 0; n < 40; n++) {
        assert_int_equal(blob_crc32c(data + n % 7, (uint64_t)n),
                         blob_crc32c_tables(data + n % 7, (uint64_t)n));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_match_their_definitions),
        cmocka_unit_test(text_and_bytes_agree),
        cmocka_unit_test(seeds_are_verified),
        cmocka_unit_test(descriptors_come_back),
        cmocka_unit_test(places_come_back),
        cmocka_unit_test(places_of_later_kernels),
        cmocka_unit_test(calls_come_back),
        cmocka_unit_test(calls_are_canonical),
        cmocka_unit_test(calls_have_a_depth),
        cmocka_unit_test(size_is_independent_of_trips),
        cmocka_unit_test(every_flipped_bit_is_refused),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(flips_with_right_checksums_stay_canonical),
        cmocka_unit_test(rules_hold_at_their_limits),
        cmocka_unit_test(header_rules),
        cmocka_unit_test(far_strings_are_used),
        cmocka_unit_test(many_frames_are_used),
        cmocka_unit_test(nothing_is_read_past_the_end),
        cmocka_unit_test(sizes_fit_signed_numbers),
        cmocka_unit_test(text_is_utf8),
        cmocka_unit_test(longest_strings),
        cmocka_unit_test(assembler_names_the_line),
        cmocka_unit_test(addresses_have_bounded_terms),
        cmocka_unit_test(registers_fit_up_to_the_limit),
        cmocka_unit_test(odd_names_are_written_safely),
        cmocka_unit_test(explanations_have_names_and_places),
        cmocka_unit_test(rules_are_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
