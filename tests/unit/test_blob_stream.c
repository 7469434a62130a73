/* test_blob_stream.c: checks how kernel IR becomes descriptors: what becomes an operand's
 * term, what is computed, how control is laid out, and how large it gets. */
#include "blob_parts.h"

#include "pipeline.h"

#define HEAD                                                                             \
    "kernel k soc=Ascend310P3 {\n"                                                       \
    "  in %x: float16[65536]\n"                                                          \
    "  out %y: float16[65536]\n"                                                         \
    "  reg $s: int32\n"                                                                  \
    "  reg $t: int64\n"                                                                  \
    "  peak UB=16384\n"                                                                  \
    "  alloc %a: float16[4096] UB at=0\n"                                                \
    "  alloc %b: float16[4096] UB at=8192\n"

#define MOVE(src)                                                                        \
    "data_move dst=%a+0:float16 src=%x+" src ":float16 sid=0 nburst=1 burst=2 "          \
    "src_stride=0 dst_stride=0 mode=0 [proved]\n"

typedef struct Built {
    Unit u;
    Kernel *k;
    const uint8_t *bytes;
    size_t size;
    bool ok;
    char *text;
} Built;

static Built *
build_kernel(const char *text)
{
    Built *b = calloc(1, sizeof *b);
    unit_init(&b->u);
    b->k = ir_parse(&b->u, unit_add_source(&b->u, "dir/t.ir", text, strlen(text)));
    Text diags;
    text_init(&diags, &b->u.arena);
    if (b->k == NULL) {
        diag_render_all(&b->u, DIAG_TEXT, &diags);
        fail_msg("%s", diags.p);
    }
    ir_verify(b->k, "parse");
    b->ok = tikc_blob(&b->u, &b->k, 1, &b->bytes, &b->size);
    if (b->ok) {
        TikBlobDiag diag;
        assert_true(tikblob_disassemble(b->bytes, b->size, &b->text, &diag));
    } else {
        text_put(&diags, "");
        diag_render_all(&b->u, DIAG_TEXT, &diags);
        b->text = strdup(diags.p);
    }
    return b;
}

static Built *
build(const char *body)
{
    size_t size = strlen(HEAD) + strlen(body) + 8;
    char *text = malloc(size);
    snprintf(text, size, "%s%s}\n", HEAD, body);
    Built *b = build_kernel(text);
    free(text);
    return b;
}

static void
drop(Built *b)
{
    free(b->text);
    kernel_free(b->k);
    unit_free(&b->u);
    free(b);
}

/* Expects this code of the kernel, without places and indentation. */
static void
expect(const char *body, const char *code)
{
    Built *b = build(body);
    size_t size = strlen(b->text) + 1;
    size_t n = 0;
    char *found = calloc(1, size);
    bool on = false;
    char *save;
    if (!b->ok) {
        fail_msg("%s", b->text);
    }
    for (char *l = strtok_r(b->text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
        char *at = strstr(l, " @ ");
        if (at != NULL) {
            *at = 0;
        }
        if (on && strcmp(l, "end") != 0) {
            n += (size_t)snprintf(found + n, size - n, "%s\n", l + strspn(l, " "));
        }
        on |= strcmp(l, "code") == 0;
    }
    if (strcmp(found, code) != 0) {
        fail_msg("for\n%sfound\n%sexpected\n%s", body, found, code);
    }
    free(found);
    drop(b);
}

#define MOVED(src)                                                                       \
    "data_move dst=float16[2, 0] src=float16[" src                                       \
    "] sid=0 nburst=1 burst=2 src_stride=0 dst_stride=0 mode=0\n"
#define MOVED_IN(src)                                                                    \
    "data_move dst=float16[1, 0] src=float16[" src                                       \
    "] sid=0 nburst=1 burst=2 src_stride=0 dst_stride=0 mode=0\n"

/* ---- addresses ----------------------------------------------------------- */

static void
sums_become_terms(void **state)
{
    (void)state;
    expect("for @i: int32 = 0 to 8 {\n" MOVE("(int64((@i * 32)) * 2)") "}\n",
           "loop s0 = 0 8\n" MOVED_IN("0, 0, 64*s0") "endloop s0\n");
    expect("for @i: int32 = 0 to 8 {\n for @j: int32 = 0 to 4 {\n" MOVE(
               "(int64((((@i * 32) - @j) + 100)) * 2)") "}\n}\n",
           "loop s0 = 0 8\nloop s1 = 0 4\n" MOVED_IN(
               "0, 200, 64*s0, -2*s1") "endloop s1\nendloop s0\n");
    expect("for @i: int32 = 0 to 8 {\n" MOVE("int64((@i << 6))") "}\n",
           "loop s0 = 0 8\n" MOVED_IN("0, 0, 64*s0") "endloop s0\n");
    /* a term that cancels is no term */
    expect("for @i: int32 = 0 to 8 {\n" MOVE("int64(((@i + 64) - @i))") "}\n",
           "loop s0 = 0 8\n" MOVED_IN("0, 64") "endloop s0\n");
}

static void
sums_that_may_wrap_are_computed(void **state)
{
    (void)state;
    /* int32: i * 2^21 leaves the type at i = 1024 */
    expect("for @i: int32 = 0 to 1024 {\n" MOVE("int64((@i * 2097152))") "}\n",
           "loop s0 = 0 1024\n"
           "data_move checked dst=float16[1, 0] src=float16[0, 0, 2097152*s0] sid=0 "
           "nburst=1 "
           "burst=2 src_stride=0 dst_stride=0 mode=0\nendloop s0\n");
    expect("for @i: int32 = 0 to 1025 {\n" MOVE("int64((@i * 2097152))") "}\n",
           "loop s0 = 0 1025\nr0 = mul int32 s0 2097152\n"
           "data_move checked dst=float16[1, 0] src=float16[0, 0, 1*r0] sid=0 nburst=1 "
           "burst=2 "
           "src_stride=0 dst_stride=0 mode=0\nendloop s0\n");
    /* a register has the range of its type */
    expect("$s = load %a+0:int32 [proved]\nstore %b+(int64(($s + 1)) * 2):float16 = 1.0 "
           "[checked]\n",
           "r0 = load int32[0, 0]\nr1 = add int32 r0 1\n"
           "store checked float16[1, 0, 2*r1] 15360\n");
    expect("$s = load %a+0:int32 [proved]\nstore %b+((int64($s) * 2) + 6):float16 = 1.0 "
           "[checked]\n",
           "r0 = load int32[0, 0]\nstore checked float16[1, 6, 2*r0] 15360\n");
}

static void
remainders_are_computed_once(void **state)
{
    (void)state;
    expect("for @i: int32 = 0 to 8 {\n"
           "data_move dst=%a+(int64(((@i % 2) * 64)) * 2):float16 src=%x+(int64(((@i % "
           "2) * 64)) "
           "* 2):float16 sid=0 nburst=1 burst=(@i % 2) src_stride=0 dst_stride=0 mode=0 "
           "[checked]\n}\n",
           "loop s0 = 0 8\nr0 = rem int32 s0 2\n"
           "data_move checked dst=float16[1, 0, 128*r0] src=float16[0, 0, 128*r0] sid=0 "
           "nburst=1 "
           "burst=r0 src_stride=0 dst_stride=0 mode=0\nendloop s0\n");
}

/* Three registers do not fit an address: the sum is computed. */
static void
too_many_registers_are_summed(void **state)
{
    (void)state;
    Built *b =
        build("$s = load %a+0:int32 [proved]\n$t = load %a+8:int64 [proved]\n"
              "store %b+((int64($s) + $t) + int64(($s % 7))):float16 = 1.0 [checked]\n");
    assert_true(b->ok);
    assert_non_null(strstr(b->text, "store checked float16[1, 0, 1*r"));
    drop(b);
}

/* ---- values -------------------------------------------------------------- */

static void
assignments_write_in_place(void **state)
{
    (void)state;
    expect("$s = 5\n$s = ($s + 1)\n$s = (($s * 3) - $s)\n",
           "r0 = bits int32 int32 5\nr0 = add int32 r0 1\nr1 = mul int32 r0 3\n"
           "r0 = sub int32 r1 r0\n");
    expect("$s = load %a+0:int32 [proved]\n$t = int64($s)\n$t = int64(($s + 1))\n",
           "r0 = load int32[0, 0]\nr1 = bits int64 int64 r0\n"
           "r1 = add int32 r0 1\n");
    expect("$t = load %a+8:int64 [proved]\n$s = int32($t)\n",
           "r0 = load int64[0, 8]\nr1 = cast int32 int64 r0\n");
}

/* A shared expression is computed once, however often it is shared. */
static void
shared_formulas_stay_small(void **state)
{
    (void)state;
    Unit u;
    unit_init(&u);
    Kernel *k = kernel_new(&u);
    k->name = intern(&u.names, "k");
    RegId r = ir_reg(k, intern(&u.names, "s"), DT_S32, (Span){0});
    ExprId e = ir_reg_value(k, r);
    for (int i = 0; i < 10; i++) {
        e = ir_op2(k, SOP_MUL, e, e);
    }
    ExprId deep = ir_reg_value(k, r);
    for (int i = 0; i < 2000; i++) {
        deep = ir_op2(k, SOP_ADD, deep, ir_reg_value(k, r));
    }
    Cursor c = ir_cursor_body(0, 0);
    ir_append(k, &c, &(Stmt){.kind = ST_SET, .set = {r, e}});
    ir_append(k, &c, &(Stmt){.kind = ST_SET, .set = {r, deep}});
    const uint8_t *bytes;
    size_t size;
    assert_true(tikc_blob(&u, &k, 1, &bytes, &size));
    TikBlob b;
    TikBlobKernel info;
    assert_true(tikblob_open(&b, bytes, size, NULL));
    tikblob_kernel(&b, 0, &info);
    assert_int_equal(info.ndescriptors, 2010);
    kernel_free(k);
    unit_free(&u);
}

/* ---- control ------------------------------------------------------------- */

static void
control_is_structured(void **state)
{
    (void)state;
    expect("for @i: int32 = 0 to 8 {\n"
           " for @j: int32 = 0 to @i {\n"
           "  if (@j == 3) {\n   break\n  } else {\n   continue\n  }\n"
           " }\n"
           "}\n"
           "return\n",
           "loop s0 = 0 8\nloop s1 = 0 s0\nr0 = eq int32 s1 3\nif "
           "r0\nbreak\nelse\ncontinue\n"
           "endif\nendloop s1\nendloop s0\nreturn\n");
    expect("scope {\n if ($s == 1) {\n  $s = 2\n }\n}\n",
           "r1 = eq int32 r0 1\nif r1\nr0 = bits int32 int32 2\nendif\n");
}

static void
cores_take_their_iteration(void **state)
{
    (void)state;
    expect("for @i: int32 = 0 to 8 block_num=8 {\n" MOVE("(int64((@i * 32)) * 2)") "}\n",
           MOVED_IN("0, 0, 64*core"));
    /* a smaller loop next to it */
    expect("for @i: int32 = 0 to 8 block_num=8 {\n" MOVE(
               "(int64((@i * 32)) * 2)") "}\n"
                                         "for @j: int32 = 0 to 4 block_num=4 {\n" MOVE(
                                             "(int64((@j * 64)) * 2)") "}\n",
           MOVED_IN("0, 0, 64*core") "r0 = lt int64 core 4\nif r0\n" MOVED_IN(
               "0, 0, 128*core") "endif\n");
}

static void
nest(char *text, size_t size, int loops)
{
    size_t n = 0;
    for (int i = 0; i < loops; i++) {
        n += (size_t)snprintf(text + n, size - n, "for @i%d: int32 = 0 to 2 {\n", i);
    }
    for (int i = 0; i < loops; i++) {
        n += (size_t)snprintf(text + n, size - n, "}\n");
    }
}

static void
limits_are_diagnosed(void **state)
{
    (void)state;
    static char text[8000];
    nest(text, sizeof text, 16);
    Built *b = build(text);
    assert_true(b->ok);
    drop(b);
    nest(text, sizeof text, 17);
    b = build(text);
    assert_false(b->ok);
    assert_non_null(strstr(b->text, "loops nest more than 16 deep; a blob allows 16"));
    assert_non_null(strstr(b->text, "[blob]"));
    assert_non_null(strstr(b->text, "dir/t.ir:25:"));
    drop(b);
}

/* Instructions that the passes proved but the verifier cannot prove are marked, so that
 * every blob that is built verifies. */
static void
unproved_instructions_are_marked(void **state)
{
    (void)state;
    expect("$s = load %a+0:int32 [proved]\nif (($s >= 0) & ($s < 64)) {\n" MOVE(
               "(int64($s) * 2)") "}\n",
           "r0 = load int32[1, 0]\nr1 = ge int32 r0 0\nr2 = lt int32 r0 64\n"
           "r3 = and bool r1 r2\nif r3\n"
           "data_move checked dst=float16[1, 0] src=float16[0, 0, 2*r0] sid=0 nburst=1 "
           "burst=2 "
           "src_stride=0 dst_stride=0 mode=0\nendif\n");
}

/* ---- size ---------------------------------------------------------------- */

static void
size_does_not_grow_with_trips(void **state)
{
    (void)state;
    static const char *const trips[] = {"1", "10", "1000000"};
    size_t size = 0;
    for (int i = 0; i < 3; i++) {
        char body[1000];
        snprintf(body, sizeof body,
                 "for @i: int32 = 0 to %s {\n for @j: int32 = 0 to %s {\n"
                 "  $s = (@i + @j)\n }\n}\n",
                 trips[i], trips[i]);
        Built *b = build(body);
        assert_true(b->ok);
        assert_true(i == 0 || b->size == size);
        size = b->size;
        drop(b);
    }
}

/* There are at most 64 bytes per statement of the source and 1 KiB of tables. */
static void
size_is_bounded_by_statements(void **state)
{
    (void)state;
    static const int counts[] = {1, 10, 100};
    for (int i = 0; i < 3; i++) {
        const size_t room = 100000;
        char *body = calloc(1, room);
        size_t used = 0;
        for (int n = 0; n < counts[i]; n++) {
            used += (size_t)snprintf(
                body + used, room - used,
                "for @i%d: int32 = 0 to 4 {\n"
                "data_move dst=%%a+0:float16 src=%%x+(int64((@i%d * 32)) * 2):float16 "
                "sid=0 "
                "nburst=1 burst=2 src_stride=0 dst_stride=0 mode=0 [proved]\n"
                "vec_add mask=128 dst=%%b+0:float16 src0=%%a+0:float16 "
                "src1=%%b+0:float16 "
                "repeat_times=8 dst_rep_stride=8 src0_rep_stride=8 src1_rep_stride=8 "
                "[proved]\n"
                "vec_muls mask=128 dst=%%b+0:float16 src=%%b+0:float16 scalar=0.5 "
                "repeat_times=8 dst_rep_stride=8 src_rep_stride=8 [proved]\n"
                "}\n",
                n, n);
        }
        Built *b = build(body);
        int statements = 4 * counts[i] + 6;
        assert_true(b->ok);
        if (b->size > (size_t)(64 * statements + 1024)) {
            fail_msg("%zu bytes for %d statements", b->size, statements);
        }
        drop(b);
        free(body);
    }
}

static void
bytes_are_the_same_every_time(void **state)
{
    (void)state;
    Built *a = build("for @i: int32 = 0 to 8 {\n" MOVE("(int64((@i * 32)) * 2)") "}\n");
    Built *b = build("for @i: int32 = 0 to 8 {\n" MOVE("(int64((@i * 32)) * 2)") "}\n");
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->bytes, b->bytes, a->size);
    assert_non_null(strstr(a->text, "\"dir/t.ir\" 10:"));
    assert_non_null(strstr(a->text, "meta \"tikc "));
    drop(a);
    drop(b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_become_terms),
        cmocka_unit_test(sums_that_may_wrap_are_computed),
        cmocka_unit_test(remainders_are_computed_once),
        cmocka_unit_test(too_many_registers_are_summed),
        cmocka_unit_test(assignments_write_in_place),
        cmocka_unit_test(shared_formulas_stay_small),
        cmocka_unit_test(control_is_structured),
        cmocka_unit_test(cores_take_their_iteration),
        cmocka_unit_test(limits_are_diagnosed),
        cmocka_unit_test(unproved_instructions_are_marked),
        cmocka_unit_test(size_does_not_grow_with_trips),
        cmocka_unit_test(size_is_bounded_by_statements),
        cmocka_unit_test(bytes_are_the_same_every_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
