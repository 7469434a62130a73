/* host_util.h: builds kernels by hand for the tests of the host back end: a short way to
 * the IR builder, compilation at a level, and a launch on plain arrays. */
#ifndef HOST_UTIL_H
#define HOST_UTIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "host/host.h"
#include "ir/ir.h"
#include "random.h"

typedef struct Maker {
    Unit *u;
    Kernel *k;
    Cursor at;
    int64_t used[SC_COUNT]; /* next free address of each memory */
} Maker;

static inline void
maker_open(Maker *m, const char *soc)
{
    memset(m, 0, sizeof *m);
    m->u = malloc(sizeof *m->u);
    unit_init(m->u);
    assert_true(unit_set_soc(m->u, soc));
    m->k = kernel_new(m->u);
    m->k->name = intern(&m->u->names, "test");
    m->at = ir_cursor_body(0, 0);
}

static inline void
maker_close(Maker *m)
{
    kernel_free(m->k);
    unit_free(m->u);
    free(m->u);
}

static inline BufId
gm(Maker *m, const char *name, Dtype t, int64_t elems, BufRole role)
{
    Buffer b = {.name = intern(&m->u->names, name),
                .scope = SC_GM,
                .dtype = t,
                .role = role,
                .elems = elems,
                .bytes = elems * dtype_size(t),
                .address = -1,
                .copies = 1};
    VEC_PUSH(&m->u->arena, &b.shape, elems);
    BufId id = ir_buffer(m->k, &b);
    VEC_PUSH(&m->k->arena, &m->k->params, id);
    return id;
}

static inline BufId
local(Maker *m, Scope scope, Dtype t, int64_t elems)
{
    Buffer b = {.name = intern(&m->u->names, arena_printf(&m->u->arena, "ub%u",
                                                          (unsigned)m->k->bufs.n)),
                .scope = scope,
                .dtype = t,
                .elems = elems,
                .bytes = elems * dtype_size(t),
                .address = m->used[scope],
                .copies = 1};
    VEC_PUSH(&m->u->arena, &b.shape, elems);
    m->used[scope] = round_up(b.address + b.bytes, 1024);
    m->k->peak[scope] = b.address + b.bytes;
    return ir_buffer(m->k, &b);
}

static inline ExprId
num(Maker *m, int64_t v)
{
    return ir_const(m->k, DT_S64, v);
}

static inline RegId
reg(Maker *m, const char *name, Dtype t)
{
    return ir_reg(m->k, intern(&m->u->names, name), t, (Span){0});
}

static inline Arg
ref(Maker *m, BufId buf, Dtype t, ExprId off)
{
    (void)m;
    return (Arg){.kind = ARG_REF, .ref = {buf, t, off}};
}

static inline Arg
expr(ExprId e)
{
    return (Arg){.kind = ARG_EXPR, .expr = e};
}

static inline Arg
mask_count(ExprId n)
{
    return (Arg){.kind = ARG_MASK, .mask_form = MASK_COUNT, .mask = {n}};
}

static inline StmtId
put(Maker *m, Stmt s)
{
    return ir_append(m->k, &m->at, &s);
}

static inline StmtId
instr(Maker *m, Op op, const Arg *args, int n, Proof proof)
{
    uint32_t first = ir_args(m->k, args, n);
    return put(m,
               (Stmt){.kind = ST_INSTR, .proof = (uint8_t)proof, .instr = {op, first}});
}

static inline StmtId
set(Maker *m, RegId r, ExprId v)
{
    return put(m, (Stmt){.kind = ST_SET, .set = {r, v}});
}

static inline StmtId
load(Maker *m, RegId r, BufId buf, Dtype t, ExprId off, Proof proof)
{
    return put(
        m, (Stmt){.kind = ST_LOAD, .proof = (uint8_t)proof, .load = {r, {buf, t, off}}});
}

/* Loads a word of row i of an array of int32 with that many words a row. Returns it as a
 * type, times a unit. */
static inline ExprId
word_of_row(Maker *m, BufId rows, VarId i, int words, int w, Dtype t, int64_t unit)
{
    Kernel *k = m->k;
    RegId r = reg(m, "n", DT_S32);
    ExprId row =
        ir_op2(k, SOP_MUL, ir_cast(k, DT_S64, ir_var_value(k, i)), num(m, 4 * words));
    load(m, r, rows, DT_S32, ir_op2(k, SOP_ADD, row, num(m, 4 * w)), PROOF_PROVED);
    ExprId v = ir_cast(k, t, ir_reg_value(k, r));
    return unit == 1 ? v : ir_op2(k, SOP_MUL, v, num(m, unit));
}

static inline StmtId
store(Maker *m, BufId buf, Dtype t, ExprId off, ExprId v, Proof proof)
{
    return put(
        m,
        (Stmt){.kind = ST_STORE, .proof = (uint8_t)proof, .store = {{buf, t, off}, v}});
}

/* Opens a loop: later statements go into its body until loop_end. */
static inline StmtId
loop(Maker *m, VarId *var, Dtype t, ExprId begin, ExprId end, int32_t block_num)
{
    *var = ir_var(m->k, intern(&m->u->names, "i"), t);
    StmtId s =
        put(m, (Stmt){.kind = ST_FOR, .loop = {*var, begin, end, block_num, 1, 0}});
    m->at = ir_cursor_body(s, 0);
    return s;
}

static inline void
loop_end(Maker *m, StmtId s)
{
    m->at = (Cursor){s, 2};
}

/* Adds a plain move of bytes between any two memories. */
static inline void
move(Maker *m, BufId dst, int64_t dst_off, BufId src, int64_t src_off, Dtype t,
     int64_t bytes)
{
    MoveUnits units = move_units(m->k->bufs.p[src].scope, t, m->k->bufs.p[dst].scope, t);
    Arg a[8] = {ref(m, dst, t, num(m, dst_off)),
                ref(m, src, t, num(m, src_off)),
                expr(num(m, 0)),
                expr(num(m, 1)),
                expr(num(m, bytes / units.src_burst)),
                expr(num(m, 0)),
                expr(num(m, 0)),
                expr(num(m, 0))};
    instr(m, OP_DATA_MOVE, a, 8, PROOF_PROVED);
}

static inline void
show_diags(Unit *u)
{
    Text t;
    text_init(&t, &u->arena);
    diag_render_all(u, DIAG_TEXT, &t);
    if (t.n > 0) {
        fprintf(stderr, "%s", t.p);
    }
}

/* Compiles and runs; arrays are in parameter order. False: a fault, which is in *err. */
static inline bool
run_at(Maker *m, int level, const char *cpu, uint8_t *const *arrays, TikError *err)
{
    HostOptions opt = {.opt_level = level, .cpu = cpu};
    TikKernel tk = {0};
    void *handle = NULL;
    const HostApi *host = tikc_host_api();
    HostSession *session = host->open(m->u, &opt);
    bool ok = session != NULL && host->jit(session, &m->k, 1, false, &tk, &handle);
    if (!ok) {
        show_diags(m->u);
    }
    assert_true(ok);
    TikArray a[32];
    TikArray *list[32];
    for (int i = 0; i < tk.nparams; i++) {
        const TikParam *p = &tk.params[i];
        a[i] = (TikArray){.dtype = p->dtype,
                          .elems = p->elems,
                          .data = arrays[i],
                          .bytes = p->elems * dtype_size(p->dtype)};
        list[i] = &a[i];
    }
    ok = tik_launch(&tk, list, 1, err);
    host->release(handle);
    host->close(session);
    return ok;
}

/* ---- random numbers ------------------------------------------------------ */

typedef struct Rng {
    uint64_t s;
} Rng;

static inline uint64_t
rng_next(Rng *r)
{
    return random_bits(&r->s) * UINT64_C(0x2545f4914f6cdd1d);
}

static inline int64_t
rng_range(Rng *r, int64_t lo, int64_t hi)
{
    return lo + (int64_t)((rng_next(r) >> 16) % (uint64_t)(hi - lo + 1));
}

/* Fills with bits that have many special values of every float format. */
static inline void
rng_bytes(Rng *r, uint8_t *p, int64_t n)
{
    static const uint32_t special[] = {0x00000000, 0x80000000, 0x7f800000, 0xff800000,
                                       0x7fc00000, 0x7f800001, 0x3f800000, 0x00000001,
                                       0x80000001, 0x7bff7c00, 0xfc007e01, 0x00018000,
                                       0x7f7fffff, 0xffffffff, 0x80008000};
    for (int64_t i = 0; i + 4 <= n; i += 4) {
        uint64_t x = rng_next(r);
        uint32_t v = (uint32_t)(x >> 32);
        if ((x & 7) == 0) {
            v = special[(x >> 3) % (sizeof special / sizeof *special)];
        } else if ((x & 7) == 1) { /* float16 numbers near each other */
            v = (v & 0x83ff83ffU) | 0x3c003c00;
        }
        memcpy(p + i, &v, 4);
    }
}

#endif
