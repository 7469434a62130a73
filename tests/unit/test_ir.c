/* test_ir.c: checks builder, evaluation, text form and structural check of kernel IR. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ir/ir.h"

static Unit *
new_unit(void)
{
    Unit *u = malloc(sizeof *u);
    unit_init(u);
    return u;
}

static void
drop_unit(Unit *u)
{
    unit_free(u);
    free(u);
}

static Kernel *
parse(Unit *u, const char *text)
{
    return ir_parse(u, unit_add_source(u, "t.ir", text, strlen(text)));
}

static const char *
print(const Kernel *k)
{
    Text t;
    text_init(&t, &k->unit->arena);
    ir_print(k, &t);
    return t.p;
}

static const char *
print_expr(const Kernel *k, ExprId e)
{
    Text t;
    text_init(&t, &k->unit->arena);
    ir_print_expr(k, e, &t);
    return t.p;
}

/* ---- builder ------------------------------------------------------------- */

static void
expressions_are_shared_and_folded(void **state)
{
    (void)state;
    Unit *u = new_unit();
    Kernel *k = kernel_new(u);
    RegId r = ir_reg(k, intern(&u->names, "s"), DT_S32, (Span){0});
    RegId f = ir_reg(k, intern(&u->names, "f"), DT_F32, (Span){0});
    ExprId s = ir_reg_value(k, r);
    ExprId zero = ir_const(k, DT_S32, 0);
    ExprId one = ir_const(k, DT_S32, 1);
    ExprId two = ir_const(k, DT_S32, 2);
    assert_int_equal(ir_op2(k, SOP_ADD, s, two), ir_op2(k, SOP_ADD, s, two));
    assert_int_not_equal(ir_op2(k, SOP_ADD, s, two), ir_op2(k, SOP_ADD, two, s));
    assert_int_equal(ir_op2(k, SOP_ADD, one, one), two);
    assert_int_equal(ir_op2(k, SOP_ADD, s, zero), s);
    assert_int_equal(ir_op2(k, SOP_ADD, zero, s), s);
    assert_int_equal(ir_op2(k, SOP_SUB, s, zero), s);
    assert_int_equal(ir_op2(k, SOP_MUL, s, one), s);
    assert_int_equal(ir_op2(k, SOP_MUL, one, s), s);
    assert_int_equal(ir_op2(k, SOP_MUL, s, zero), zero);
    assert_int_equal(ir_op2(k, SOP_MUL, zero, s), zero);
    assert_int_equal(ir_op2(k, SOP_SUB, s, s), zero);
    assert_int_equal(ir_op2(k, SOP_LT, s, s), ir_const(k, DT_BOOL, 0));
    assert_int_equal(ir_op2(k, SOP_LE, s, s), ir_const(k, DT_BOOL, 1));
    assert_false(ir_is_const(k, ir_op2(k, SOP_SUB, zero, s)));
    assert_false(ir_is_const(k, ir_op2(k, SOP_DIV, one, zero)));
    ExprId x = ir_reg_value(k, f);
    assert_false(ir_is_const(k, ir_op2(k, SOP_SUB, x, x)));
    assert_false(ir_is_const(k, ir_op2(k, SOP_MUL, x, ir_float(k, DT_F32, 0))));
    assert_false(ir_is_const(k, ir_op2(k, SOP_EQ, x, x)));
    assert_int_equal(ir_cast(k, DT_S32, s), s);
    assert_int_equal(ir_cast(k, DT_U8, ir_const(k, DT_S32, 258)), ir_const(k, DT_U8, 2));
    kernel_free(k);
    drop_unit(u);
}

/* One operand may have many more sums than there are slots beside it. */
static void
many_sums_of_one_operand_are_shared(void **state)
{
    enum {
        SUMS = 5000
    };
    (void)state;
    Unit *u = new_unit();
    Kernel *k = kernel_new(u);
    ExprId first[SUMS];
    RegId late = 0;
    for (int i = 0; i < SUMS; i++) {
        (void)ir_const(k, DT_S32, i + 1);
        late = ir_reg(k, intern(&u->names, "s"), DT_S32, (Span){0});
    }
    ExprId s = ir_reg_value(k, late);
    for (int i = 0; i < SUMS; i++) {
        first[i] = ir_op2(k, SOP_ADD, s, ir_const(k, DT_S32, i + 1));
        assert_int_equal(first[i], k->exprs.n - 1);
    }
    uint32_t n = k->exprs.n;
    Kernel *copy = kernel_clone(k);
    for (int i = SUMS - 1; i >= 0; i--) {
        assert_int_equal(ir_op2(k, SOP_ADD, s, ir_const(k, DT_S32, i + 1)), first[i]);
        assert_int_equal(ir_op2(copy, SOP_ADD, s, ir_const(copy, DT_S32, i + 1)),
                         first[i]);
    }
    assert_int_equal(k->exprs.n, n);
    assert_int_equal(copy->exprs.n, n);
    kernel_free(copy);
    kernel_free(k);
    drop_unit(u);
}

static void
large_expressions_are_cut(void **state)
{
    (void)state;
    Unit *u = new_unit();
    Kernel *k = kernel_new(u);
    ExprId e = ir_reg_value(k, ir_reg(k, intern(&u->names, "s"), DT_S64, (Span){0}));
    for (int i = 0; i < 11; i++) {
        e = ir_op2(k, SOP_ADD, e, e);
    }
    assert_false(k->expr_too_large);
    e = ir_op2(k, SOP_ADD, e, e);
    assert_true(k->expr_too_large);
    assert_true(ir_is_const(k, e));
    kernel_free(k);
    drop_unit(u);
}

static void
promotion(void **state)
{
    (void)state;
    assert_int_equal(ir_promote(DT_S32, DT_S32), DT_S32);
    assert_int_equal(ir_promote(DT_S32, DT_U32), DT_U32);
    assert_int_equal(ir_promote(DT_S64, DT_U32), DT_S64);
    assert_int_equal(ir_promote(DT_F16, DT_S64), DT_F16);
    assert_int_equal(ir_promote(DT_U64, DT_F32), DT_F32);
    assert_int_equal(ir_promote(DT_F16, DT_F32), DT_F32);
    assert_int_equal(ir_promote(DT_F16, DT_BF16), DT_F32);
    assert_int_equal(ir_promote(DT_BOOL, DT_S8), DT_S8);
}

static void
evaluation(void **state)
{
    (void)state;
    Unit *u = new_unit();
    Kernel *k = kernel_new(u);
    VarId i = ir_var(k, intern(&u->names, "i"), DT_S32);
    ExprId v = ir_var_value(k, i);
    ExprId e = ir_op2(k, SOP_REM, ir_op2(k, SOP_SUB, v, ir_const(k, DT_S32, 10)),
                      ir_const(k, DT_S32, 4));
    ExprId wide = ir_cast(k, DT_S64, e);
    ExprId less = ir_op2(k, SOP_LT, ir_cast(k, DT_U8, v), ir_const(k, DT_U8, 3));
    int64_t vars[2] = {0, 3};
    int64_t out = 99;
    assert_true(ir_eval(k, wide, vars, &out));
    assert_int_equal(out, -3);
    vars[1] = 258;
    assert_true(ir_eval(k, less, vars, &out));
    assert_int_equal(out, 1);
    ExprId bad = ir_op2(k, SOP_DIV, v, ir_op2(k, SOP_SUB, v, ir_const(k, DT_S32, 258)));
    assert_false(ir_eval(k, bad, vars, &out));
    RegId r = ir_reg(k, intern(&u->names, "s"), DT_S32, (Span){0});
    assert_false(ir_eval(k, ir_op2(k, SOP_ADD, v, ir_reg_value(k, r)), vars, &out));
    kernel_free(k);
    drop_unit(u);
}

static void
statements_are_linked(void **state)
{
    (void)state;
    Unit *u = new_unit();
    Kernel *k = kernel_new(u);
    k->name = intern(&u->names, "k");
    Cursor c = ir_cursor_body(0, 0);
    Stmt scope = {.kind = ST_SCOPE};
    Stmt ret = {.kind = ST_RETURN};
    Stmt branch = {.kind = ST_IF};
    branch.cond.cond = ir_const(k, DT_BOOL, 1);
    StmtId a = ir_append(k, &c, &scope);
    StmtId b = ir_append(k, &c, &branch);
    Cursor in_else = ir_cursor_body(b, 1);
    StmtId d = ir_append(k, &in_else, &ret);
    Cursor front = ir_cursor_body(0, 0);
    StmtId first = ir_append(k, &front, &scope);
    assert_int_equal(k->body, first);
    assert_int_equal(k->stmts.p[first].next, a);
    assert_int_equal(k->stmts.p[a].next, b);
    assert_int_equal(k->stmts.p[b].cond.else_body, d);
    assert_int_equal(k->stmts.p[b].cond.then_body, 0);
    ir_verify(k, "test");
    kernel_free(k);
    drop_unit(u);
}

/* ---- text form ----------------------------------------------------------- */

static const char whole[] =
    "kernel everything soc=Ascend910B1 folded fill_scratch ordered {\n"
    "  in %src_gm: float16[4, 128]\n"
    "  in %idx: int32[8]\n"
    "  out %dst_gm: float16[512]\n"
    "  workspace %w: uint8[32] preset=255\n"
    "  global %g: float16[16] preset=-0.0\n"
    "  in %scale: float32[1] use=scalar\n"
    "  global %any: int8[*] use=tiling\n"
    "  global %most: int8[2147483647] open\n"
    "  list %l: int64[3]\n"
    "  const %short: int16[3] = 0001feff7f80\n"
    "  const %ub: uint64[5] =\n"
    "    000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"
    "    2021222324252627\n"
    "  reg $s: int32\n"
    "  reg $s.2: float16\n"
    "  reg $n: uint64\n"
    "  reg $core: int32 core\n"
    "  peak UB=4096 L1=64\n"
    "  $s = 5\n"
    "  $s.2 = 1.5\n"
    "  $n = 18446744073709551615\n"
    "  alloc %ub.2: float16[2, 128] UB copies=2 at=0\n"
    "  alloc %ub.3: int32[8] UB fixed=512 apart=1 at=512\n"
    "  alloc %cbuf: int8[64] L1 apart=1,2\n"
    "  for @i: int32 = 0 to 8 block_num=8 {\n"
    "    data_move dst=%ub.2+0:float16 src=%src_gm+(int64(@i) * 64):float16 sid=0 "
    "nburst=1 "
    "burst=8 src_stride=0 dst_stride=0 mode=0 [proved]\n"
    "    for @i.2: int32 = 0 to $s thread_num=2 {\n"
    "      alloc %ub.4: float16[128] UB\n"
    "      vec_add mask=128 dst=%ub.4+0:float16 src0=%ub.2+32:float16 "
    "src1=%ub.2+0:float16 "
    "repeat_times=int64($s) dst_rep_stride=8 src0_rep_stride=8 src1_rep_stride=8 "
    "[checked]\n"
    "      vec_adds mask=counter(($s * 2)) dst=%ub.4+0:float16 src=%ub.2+0:float16 "
    "scalar=0.5 "
    "repeat_times=1 dst_rep_stride=8 src_rep_stride=8\n"
    "      vec_muls mask=[0, 255] dst=%ub.4+0:float16 src=%ub.2+0:float16 scalar=$s.2 "
    "repeat_times=1:int32 dst_rep_stride=8 src_rep_stride=8\n"
    "      vec_dup mask=[1:int64, 2, 3, $n] dst=%ub.4+0:float16 scalar=nan(0x7e01) "
    "repeat_times=1 dst_rep_stride=8\n"
    "      if ((5:int32 < @i.2) & (~($s.2 == -0.0))) {\n"
    "        break\n"
    "      } else {\n"
    "        continue\n"
    "      }\n"
    "    }\n"
    "    for @j: uint8 = 1 to uint8($s) name=row shown=(int64(@j) + int64($s)) {\n"
    "    }\n"
    "  }\n"
    "  scope {\n"
    "    $s = load %ub.3+4:int32 [proved]\n"
    "    store %ub.3+int64(($s >> 1)):int32 = ((-$s) / ($s - int32.bits(uint32($s))))\n"
    "    set_padding value=7\n"
    "    data_move dst=%ub.2+0:float16 src=%l+68719476736:float16 sid=0 nburst=1 burst=1 "
    "src_stride=0 dst_stride=0 mode=0 [checked]\n"
    "    data_move dst=%ub.2+0:float16 src=%ub+0:float16 sid=0 nburst=1 burst=1 "
    "src_stride=0 dst_stride=0 mode=0\n"
    "  }\n"
    "  $s.2 = -inf\n"
    "  return\n"
    "}\n";

static void
text_round_trip(void **state)
{
    (void)state;
    Unit *u = new_unit();
    Kernel *k = parse(u, whole);
    Text t;
    text_init(&t, &u->arena);
    diag_render_all(u, DIAG_TEXT, &t);
    assert_string_equal(t.p, "");
    assert_non_null(k);
    ir_verify(k, "parse");
    assert_string_equal(print(k), whole);
    kernel_free(k);
    drop_unit(u);
}

static void
names_are_made_printable(void **state)
{
    (void)state;
    Unit *u = new_unit();
    Kernel *k = kernel_new(u);
    k->name = intern(&u->names, "k");
    RegId odd = ir_reg(k, intern(&u->names, "a b"), DT_S32, (Span){0});
    ir_reg(k, SYM_NONE, DT_S32, (Span){0});
    ir_reg(k, intern(&u->names, "a_b"), DT_F32, (Span){0});
    Cursor c = ir_cursor_body(0, 0);
    Stmt s = {.kind = ST_SET};
    s.set.reg = odd;
    s.set.value = ir_op2(k, SOP_ADD, ir_reg_value(k, odd), ir_const(k, DT_S32, 1));
    ir_append(k, &c, &s);
    const char *text = print(k);
    assert_string_equal(text, "kernel k soc=Ascend310P3 {\n"
                              "  reg $a_b: int32\n"
                              "  reg $_: int32\n"
                              "  reg $a_b.2: float32\n"
                              "  $a_b = ($a_b + 1)\n"
                              "}\n");
    Kernel *again = parse(u, text);
    assert_non_null(again);
    assert_string_equal(print(again), text);
    assert_string_equal(print_expr(k, s.set.value), "($a b + 1)");
    kernel_free(again);
    kernel_free(k);
    drop_unit(u);
}

static void
places_are_comments(void **state)
{
    (void)state;
    Unit *u = new_unit();
    Kernel *k = parse(u, "kernel k soc=Ascend310P3 {\n  scope {\n    return\n  }\n}\n");
    Text t;
    text_init(&t, &u->arena);
    ir_print_places(k, &t);
    assert_string_equal(t.p, "kernel k soc=Ascend310P3 {\n"
                             "  scope {  # t.ir:2:3\n"
                             "    return  # t.ir:3:5\n"
                             "  }\n"
                             "}\n");
    Kernel *again = parse(u, t.p);
    assert_string_equal(print(again), print(k));
    kernel_free(again);
    kernel_free(k);
    drop_unit(u);
}

typedef struct Refused {
    const char *text;
    const char *want; /* start of the rendered diagnostic */
} Refused;

#define HEAD "kernel k soc=Ascend310P3 {\n"

static const Refused refused[] = {
    {"", "t.ir:1:1: error: expected 'kernel' [syntax]"},
    {"kernel k soc=Ascend1 {}",
     "t.ir:1:14: error: there is no processor 'Ascend1' [soc-unknown]"},
    {HEAD, "t.ir:2:1: error: expected a statement [syntax]"},
    {HEAD "}}", "t.ir:2:2: error: expected the end of the text [syntax]"},
    {HEAD "frob\n}", "t.ir:2:1: error: 'frob' is not a statement [syntax]"},
    {HEAD "$s = 1\n}", "t.ir:2:1: error: '$s' is not declared here [syntax]"},
    {HEAD "reg $s: int8\n$s = 128\n}",
     "t.ir:3:6: error: '128' is not a value of int8 [syntax]"},
    {HEAD "reg $s: int8\n$s = 1:int16\n}",
     "t.ir:3:6: error: expected a value of int8, found int16 [syntax]"},
    {HEAD "reg $s: int8\nreg $s: int8\n}",
     "t.ir:3:6: error: 's' is declared already [syntax]"},
    {HEAD "reg $s: float32\n$s = ($s & $s)\n}",
     "t.ir:3:10: error: bit operations take integers [syntax]"},
    {HEAD "reg $s: float32\n$s = (-~$s)\n}",
     "t.ir:3:8: error: expected an expression [syntax]"},
    {HEAD "const %c: int8[2] = 00 7\n}",
     "t.ir:2:24: error: expected two hexadecimal digits [syntax]"},
    {HEAD "const %c: int8[1] = 0011\n}",
     "t.ir:2:23: error: expected a statement [syntax]"},
    {HEAD "const %c: int8[4294967297] = 00\n}",
     "t.ir:2:7: error: a constant has at most 2^32 bytes [syntax]"},
    {HEAD "list %l: int32[2]\n}",
     "t.ir:2:6: error: a list has 1 to 4096 addresses, int64 [syntax]"},
    {HEAD "list %l: int64[4097]\n}",
     "t.ir:2:6: error: a list has 1 to 4096 addresses, int64 [syntax]"},
    {HEAD "out %y: int8[2] preset=300\n}",
     "t.ir:2:24: error: '300' is not a value of int8 [syntax]"},
    {HEAD "in %x: int8[2] preset=3\n}",
     "t.ir:2:16: error: 'preset' is not a statement [syntax]"},
    {HEAD "alloc %a: int8[32] UB apart=1\n}",
     "t.ir:2:29: error: expected a number from 1 to 0 [syntax]"},
    {HEAD "alloc %a: int8[32] UB fixed=-1\n}",
     "t.ir:2:29: error: expected a number from 0 to 281474976710656 [syntax]"},
    {HEAD "if (5 < 6) {}\n}", "t.ir:2:5: error: '5' is not a value of bool [syntax]"},
    {HEAD "if 1:int8 {}\n}",
     "t.ir:2:4: error: expected a value of bool, found int8 [syntax]"},
    {HEAD "break\n}", "t.ir:2:1: error: a jump out of an iteration must be in a loop of "
                      "one core [syntax]"},
    {HEAD "for @i: int32 = 0 to 8 block_num=8 { break }\n}",
     "t.ir:2:38: error: a jump out of an iteration must be in a loop of one core "
     "[syntax]"},
    {HEAD "for @i: int32 = 0 to 7 block_num=8 { }\n}",
     "t.ir:2:5: error: a loop with block_num runs from 0 to block_num [syntax]"},
    {HEAD
     "for @i: int32 = 0 to 2 block_num=2 { for @j: int32 = 0 to 2 block_num=2 {} }\n}",
     "t.ir:2:42: error: a loop with block_num has thread_num 1 and is in no other such "
     "[syntax]"},
    {HEAD "for @i: float16 = 0 to 7 { }\n}",
     "t.ir:2:5: error: a loop variable is an integer [syntax]"},
    {HEAD "for @i: int8 = 0 to 7 { }\n if (@i == 0) {}\n}",
     "t.ir:3:6: error: '@i' is not declared here [syntax]"},
    {HEAD "scope { alloc %a: int8[4] UB }\n alloc %b: int8[4] UB store %a+0:int8 = 1\n}",
     "t.ir:3:29: error: '%a' is not declared here [syntax]"},
    {HEAD "alloc %a: int8[0] UB\n}",
     "t.ir:2:16: error: expected a number from 1 to 9223372036854775807 [syntax]"},
    {HEAD "alloc %a: int64[4000000000, 4000000000] UB\n}",
     "t.ir:2:17: error: the tensor has too many elements [syntax]"},
    {HEAD "alloc %a: int8[4] GM\n}",
     "t.ir:2:19: error: expected a memory of a core, such as UB [syntax]"},
    {HEAD "set_padding\n}", "t.ir:3:1: error: expected 'value' [syntax]"},
    {HEAD "set_padding value=1.5:float16\n}",
     "t.ir:2:19: error: expected an integer [syntax]"},
    /* what only the stage guarantees for programs */
    {HEAD "alloc %a: float16[128] UB\nvec_dup mask=128 dst=%a+0:float16 scalar=1:int32 "
          "repeat_times=1 dst_rep_stride=8\n}",
     "t.ir:3:42: error: scalar is of int32; the instruction takes float16 there "
     "[syntax]"},
    {HEAD "alloc %a: uint32[47] SREG\n}",
     "t.ir:2:7: error: special registers are one buffer uint32[48] [syntax]"},
    {HEAD "alloc %a: uint32[48] SREG\nalloc %b: uint32[48] SREG\n}",
     "t.ir:3:7: error: special registers are one buffer uint32[48] [syntax]"},
    {HEAD "alloc %a: float16[64] VREG\n}",
     "t.ir:2:7: error: a vector register has 256 bytes [syntax]"},
    {HEAD "alloc %a: int8[64] LMEM\n}",
     "t.ir:2:7: error: Ascend310P3 has no memory of lanes [syntax]"},
    {HEAD "alloc %a: int8[*] VREG\n}",
     "t.ir:2:7: error: a buffer there has a size that is known [syntax]"},
    {HEAD "alloc %a: int8[4294967297] UB\n}",
     "t.ir:2:7: error: a buffer of a core has at most 2^32 bytes [syntax]"},
    {HEAD "alloc %a: int8[64] UB\nreserve buffer=%a+0:int8 after=%a+0:int8 bytes=64 "
          "copies=1\n}",
     "t.ir:3:16: error: reserve takes buffers of run-time size in one memory of a core, "
     "and 1 to 4 copies [syntax]"},
    {HEAD "reg $n: int32\nfor @i: int32 = 0 to $n block_num=* { }\n}",
     "t.ir:3:5: error: a loop with block_num=* must follow the instruction blocks with "
     "its count, int64 [syntax]"},
    {HEAD "blocks count=2\nreturn\n}",
     "t.ir:3:1: error: expected the loop of the instruction blocks before [syntax]"},
    {HEAD "blocks count=2\n}",
     "t.ir:3:1: error: expected the loop of the instruction blocks before [syntax]"},
    {HEAD "blocks count=2\nfor @i: int32 = 0 to 2 { }\n}",
     "t.ir:3:5: error: the loop after the instruction blocks has block_num=* [syntax]"},
    {HEAD "reg $s: int8\nalloc %a: int8[64] L1\n$s = load %a+0:int8\n}",
     "t.ir:4:11: error: elements of L1 are neither loaded nor stored [syntax]"},
    {HEAD "reg $s: int64 core\n}",
     "t.ir:2:5: error: one register has the core's index, int32 [syntax]"},
    {HEAD "in %x: int8[2] use=tensor\n}",
     "t.ir:2:20: error: expected scalar or tiling [syntax]"},
};

static void
faults_have_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
        Unit *u = new_unit();
        assert_null(parse(u, refused[i].text));
        assert_int_equal(u->errors, 1);
        Text t;
        text_init(&t, &u->arena);
        diag_render_all(u, DIAG_TEXT, &t);
        char *end = strchr(t.p, '\n');
        if (end) {
            *end = 0;
        }
        assert_string_equal(t.p, refused[i].want);
        drop_unit(u);
    }
}

/* Parses that many blocks, or brackets, around nothing. */
static Kernel *
parse_nested(Unit *u, int depth, bool blocks)
{
    Text t;
    text_init(&t, &u->arena);
    text_put(&t, HEAD "reg $s: int32\n");
    text_put(&t, blocks ? "" : "$s = ");
    for (int i = 0; i < depth; i++) {
        text_put(&t, blocks ? "scope {" : "(");
    }
    text_put(&t, blocks ? "" : "$s");
    for (int i = 0; i < depth; i++) {
        text_put(&t, blocks ? "}" : ")");
    }
    text_put(&t, "}");
    return parse(u, t.p);
}

static void
nesting_is_bounded(void **state)
{
    (void)state;
    for (int blocks = 0; blocks < 2; blocks++) {
        Unit *u = new_unit();
        int most = blocks ? IR_MAX_NEST : IR_MAX_NEST - 1;
        Kernel *k = parse_nested(u, most, blocks);
        assert_non_null(k);
        ir_verify(k, "parse");
        kernel_free(k);
        assert_null(parse_nested(u, most + 1, blocks));
        assert_null(parse_nested(u, 100000, blocks));
        assert_int_equal(u->diags.p[0]->id, D_TOO_NESTED);
        drop_unit(u);
    }
}

/* Every prefix, and every text with one byte changed, is read or refused, without a
 * crash. */
static void
damaged_text_is_harmless(void **state)
{
    (void)state;
    char text[sizeof whole];
    for (size_t i = 0; i < sizeof whole - 1; i++) {
        for (int change = 0; change < 4; change++) {
            Unit *u = new_unit();
            memcpy(text, whole, sizeof text);
            text[i] = change == 0 ? 0 : "9{%"[change - 1];
            Kernel *k = parse(u, text);
            assert_true(k || u->errors);
            if (k) {
                ir_verify(k, "parse");
                const char *once = print(k);
                Kernel *again = parse(u, once);
                assert_non_null(again);
                assert_string_equal(print(again), once);
                kernel_free(again);
            }
            kernel_free(k);
            drop_unit(u);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_are_shared_and_folded),
        cmocka_unit_test(many_sums_of_one_operand_are_shared),
        cmocka_unit_test(large_expressions_are_cut),
        cmocka_unit_test(promotion),
        cmocka_unit_test(evaluation),
        cmocka_unit_test(statements_are_linked),
        cmocka_unit_test(text_round_trip),
        cmocka_unit_test(names_are_made_printable),
        cmocka_unit_test(places_are_comments),
        cmocka_unit_test(faults_have_places),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(damaged_text_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
