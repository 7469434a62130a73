/* ops_draw.h: random instructions for test_ops_emu.c: operands, numbers and readings of
 * choices, on some processors. What is drawn is small, so that much of it is legal. Of
 * most instructions that is enough; for others, whose operands must fit each other, what
 * was drawn is mended: the rule that it breaks names an operand, which is drawn anew, or
 * gets a value that the rule says is legal. */
#ifndef OPS_DRAW_H
#define OPS_DRAW_H

#include "isa/choice.h"
#include "isa/operand.h"
#include "rules/check.h"
#include "random.h"

#include <stdint.h>
#include <string.h>

enum {
    ROOM = 1 << 14 /* bytes of a tensor, but for registers */
};

static uint64_t state_of_random = 20261128;

static int64_t
rnd(int64_t n)
{
    return random_below(&state_of_random, n);
}

static bool
is_tensor(const ParamInfo *p)
{
    return p->role == ROLE_DST || p->role == ROLE_SRC;
}

/* ---- drawing ------------------------------------------------------------- */

/* An instruction, and the region of each of its tensors. */
typedef struct Case {
    const ParamInfo *p;
    int n;
    CheckInstr in;
    Choices choices;
} Case;

static Scope
draw_scope(void)
{
    static const Scope scopes[] = {SC_UB, SC_GM, SC_L1, SC_L0A, SC_L0B, SC_L0C, SC_BT};
    return scopes[rnd(2) ? 0 : rnd(7)];
}

static Dtype
draw_type(void)
{
    static const Dtype often[] = {DT_F16, DT_F32, DT_S32, DT_S8, DT_U8};
    return rnd(2) ? often[rnd(5)] : (Dtype)(1 + rnd(DT_COUNT - 1));
}

static bool
draw_shape(Case *c, Op op)
{
    static const char *const socs[] = {"Ascend310P3", "Ascend910A",    "Ascend910B1",
                                       "Ascend310B1", "Ascend610Lite", "Ascend310"};
    c->in = (CheckInstr){
        .op = op, .soc = soc_find(socs[rnd(6)]), .choices = choices_or_null(&c->choices)};
    c->p = form_params(op_table[op].form, &c->n);
    Dtype common = draw_type(), other = rnd(2) ? common : draw_type();
    Scope dst = draw_scope(), src = rnd(2) ? dst : draw_scope();
    bool apart = rnd(4) == 0;
    for (int i = 0; i < c->n; i++) {
        CheckArg *a = &c->in.args[i];
        Role role = c->p[i].role;
        if (is_tensor(&c->p[i]) || role == ROLE_ROOT) {
            Dtype t = rnd(6) == 0 ? draw_type() : role == ROLE_DST ? common : other;
            a->t = (CheckTensor){.buffer = (uint32_t)(1 + i),
                                 .scope = apart              ? draw_scope()
                                          : role == ROLE_DST ? dst
                                                             : src,
                                 .dtype = t,
                                 .bytes = ROOM,
                                 .exact = true};
        } else if (role == ROLE_MASK) {
            a->m.form = rnd(3) ? rnd(2) ? MASK_COUNT : MASK_COUNTER : MASK_BITS;
        } else if (role == ROLE_ATTR) {
            int64_t most = c->p[i].hi - c->p[i].lo;
            a->v = c->p[i].lo + rnd(1 + (most > 7 || most < 0 ? 7 : most));
        }
    }
    return check_static(&c->in, NULL);
}

/* Small numbers, whole fractals, and now and then many repeats or a long row. */
static int64_t
draw_number(const ParamInfo *p, bool fractals)
{
    int64_t from = p->rule == RULE_NONE ? 0 : p->lo, kind = fractals ? 1 : rnd(12);
    int64_t v = kind == 0   ? 8 * rnd(5)
                : kind < 3  ? 16 * (1 + rnd(4))
                : kind == 3 ? rnd(p->role == ROLE_REPEAT ? 700 : 2100)
                : kind < 6  ? from + 1
                            : from + rnd(p->role == ROLE_REPEAT ? 4 : 10);
    return p->rule != RULE_NONE && v > p->hi ? p->hi : v;
}

/* Gives a slice the strides of a whole tensor, with a gap now and then. */
static void
draw_strides(Case *c, int param)
{
    const SliceOperand *o = form_slice(op_table[c->in.op].form, param);
    int64_t step = 1;
    for (int i = o->dims - 1; i >= 0; i--) {
        int64_t len = c->in.args[o->len + i].v;
        c->in.args[o->stride + i].v = step;
        step *= len + (rnd(4) == 0 ? rnd(9) : 0);
    }
}

static uint64_t
draw_bits(void)
{
    uint64_t low = random_next(&state_of_random) >> 32;
    uint64_t some = random_next(&state_of_random) ^ low;
    return rnd(4) == 0 ? UINT64_MAX : rnd(3) == 0 ? (uint64_t)1 << rnd(64) : some;
}

static void
draw_mask(CheckMask *m)
{
    bool bits = m->form == MASK_BITS || m->form == MASK_BITS4;
    for (int w = 0; w < 4; w++) {
        m->w[w] = bits ? draw_bits() : 0;
    }
    if (bits && rnd(2)) {
        m->w[1] = 0;
    }
    if (!bits) {
        int64_t most = m->form == MASK_COUNTER ? 400 : 128;
        m->w[0] = (uint64_t)(rnd(3) ? 1 + rnd(most) : 64 << rnd(2));
    }
}

static void
draw_slices(Case *c)
{
    bool slices = form_family(op_table[c->in.op].form) == FAM_SLICE && rnd(4);
    for (int i = 0; slices && i < c->n; i++) {
        if (is_tensor(&c->p[i]) && form_slice(op_table[c->in.op].form, i) != NULL) {
            draw_strides(c, i);
        }
    }
}

/* Tensors of one memory are one tensor now and then. */
static void
draw_numbers(Case *c)
{
    int first = -1;
    bool fractals = rnd(6) == 0;
    for (int i = 0; i < c->n; i++) {
        CheckArg *a = &c->in.args[i];
        Role role = c->p[i].role;
        if (is_tensor(&c->p[i])) {
            bool shares = first >= 0 && c->in.args[first].t.scope == a->t.scope;
            bool same = shares && rnd(3) == 0;
            a->t.buffer = same ? c->in.args[first].t.buffer : (uint32_t)(1 + i);
            a->t.offset = same && rnd(2) ? c->in.args[first].t.offset : 32 * rnd(40);
            first = first < 0 ? i : first;
        } else if (role == ROLE_REPEAT || role == ROLE_INT) {
            a->v = draw_number(&c->p[i], fractals);
        } else if (role == ROLE_SCALAR) {
            a->v = rnd(2) ? rnd(200) - 60 : 0x3c00 + rnd(2000);
        } else if (role == ROLE_MASK) {
            draw_mask(&a->m);
        }
    }
    draw_slices(c);
}

/* ---- mending ------------------------------------------------------------- */

/* A number that is legal: near the least one, or the largest. */
static int64_t
draw_legal(int64_t lo, int64_t hi)
{
    uint64_t more = (uint64_t)hi - (uint64_t)lo;
    return rnd(6) == 0 ? hi : lo + rnd((int64_t)(more > 12 ? 12 : more) + 1);
}

static void
set_scope(CheckTensor *t, Scope scope)
{
    t->scope = scope;
    t->bytes = scope == SC_VREG                   ? REPEAT_BYTES
               : scope == SC_BT || scope == SC_FB ? 1024
                                                  : ROOM;
}

static Scope
scope_of_soc(const Soc *soc)
{
    for (;;) {
        Scope s = (Scope)rnd(SC_COUNT);
        if (s == SC_GM || (s != SC_SREG && soc->bytes[s] > 0)) {
            return s;
        }
    }
}

static void
redraw_static(Case *c, int i)
{
    CheckArg *a = &c->in.args[i];
    const ParamInfo *p = &c->p[i];
    a->literal = rnd(2);
    if (is_tensor(p) || p->role == ROLE_ROOT) {
        if (rnd(2)) {
            set_scope(&a->t, scope_of_soc(c->in.soc));
        } else {
            a->t.dtype = (Dtype)(1 + rnd(DT_COUNT - 1));
        }
    } else if (p->role == ROLE_MASK) {
        a->m.form = (MaskForm)rnd(4);
    } else if (p->role == ROLE_ATTR) {
        a->v = rnd(3) ? draw_legal(p->lo, p->hi) : 16 * rnd(4);
    }
}

/* Gives a tensor the memory or the type that the rule wants, if it says which. */
static bool
take_wanted(CheckTensor *t, const Fault *f)
{
    if (f->lo != f->hi || f->value == f->lo || f->lo < 0) {
        return false;
    }
    if (f->value == (int64_t)t->scope && f->lo < SC_COUNT && rnd(2)) {
        set_scope(t, (Scope)f->lo);
        return true;
    }
    if (f->value == (int64_t)t->dtype && f->lo > 0 && f->lo < DT_COUNT) {
        t->dtype = (Dtype)f->lo;
        return true;
    }
    return false;
}

static void
mend_static(Case *c, const Fault *f)
{
    bool path = f->rule == RULE_PATH || f->rule == RULE_TYPE_PAIR;
    int i = f->param;
    if (i < 0 || f->rule == RULE_NOT_ON_ARCH || rnd(path ? 12 : 30) == 0) {
        c->in.soc = soc_at((int)rnd(soc_count()));
    }
    CheckArg *a = &c->in.args[i < 0 ? 0 : i];
    if (i >= 0 && is_tensor(&c->p[i]) && take_wanted(&a->t, f)) {
        return;
    }
    if (i >= 0 && c->p[i].role == ROLE_ATTR && f->lo < f->hi && rnd(2)) {
        a->v = draw_legal(f->lo, f->hi);
        return;
    }
    bool other = i < 0 || (path ? rnd(3) != 0 : rnd(8) == 0);
    do {
        redraw_static(c, other ? (int)rnd(c->n) : i);
    } while (other && rnd(2));
}

/* Where destinations and sources are of instructions that are rarely found, and on which
 * processor. */
static void
place(Case *c)
{
    static const struct {
        Form form;
        const char *soc;
        Scope dst, src;
    } places[] = {
        {FORM_ACCV, "Ascend310P3", SC_UB, SC_L0C},
        {FORM_ACCFLY, "Ascend310P3", SC_UB, SC_L0C},
        {FORM_ACCVFLY, "Ascend610", SC_UB, SC_L0C},
        {FORM_FIXA, "Ascend310P3", SC_GM, SC_L0C},
        {FORM_FIXVA, "Ascend910A", SC_GM, SC_L0C},
        {FORM_FIXV, "Ascend910B1", SC_GM, SC_L0C},
        {FORM_FIXCV, "Ascend910B1", SC_GM, SC_L0C},
        {FORM_BIASMOVE, "Ascend910B1", SC_BT, SC_L1},
        {FORM_IMAGE, "Ascend610", SC_L1, SC_GM},
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        for (int k = 0; k < c->n && places[i].form == op_table[c->in.op].form; k++) {
            Role role = c->p[k].role;
            c->in.soc = soc_find(places[i].soc);
            if (is_tensor(&c->p[k])) {
                set_scope(&c->in.args[k].t,
                          role == ROLE_DST ? places[i].dst : places[i].src);
            }
        }
    }
}

/* Draws operands without numbers, and mends them until they are legal or many steps did
 * not help. */
static bool
draw_mended(Case *c, Op op)
{
    enum {
        STEPS = 400
    };
    bool ok = draw_shape(c, op);
    if (rnd(2)) {
        c->in.soc = soc_at((int)rnd(soc_count()));
    }
    for (int i = 0; i < c->n; i++) {
        if (rnd(2)) {
            redraw_static(c, i);
        }
    }
    if (rnd(2)) {
        place(c);
    }
    Fault f;
    for (int k = 0; k < STEPS && !(ok = check_static(&c->in, &f)); k++) {
        mend_static(c, &f);
    }
    return ok;
}

static void
mend_tensor(Case *c, int i, const Fault *f)
{
    CheckTensor *t = &c->in.args[i].t;
    bool first = t->scope == SC_VREG || f->rule == RULE_TENSOR_OVERFLOW || rnd(2);
    t->offset = first ? 0 : 32 * rnd(40);
    t->buffer = (uint32_t)(1 + i);
    int k = (int)rnd(c->n);
    if (f->rule == RULE_TENSOR_OVERFLOW &&
        (c->p[k].role == ROLE_INT || c->p[k].role == ROLE_REPEAT)) {
        c->in.args[k].v /= 2;
    }
}

static void
mend_number(Case *c, int i, const Fault *f)
{
    CheckArg *a = &c->in.args[i];
    Role role = c->p[i].role;
    if (is_tensor(&c->p[i])) {
        mend_tensor(c, i, f);
    } else if (role == ROLE_MASK) {
        draw_mask(&a->m);
    } else if (role == ROLE_REPEAT || role == ROLE_INT) {
        a->v = f->param == i && f->lo < f->hi && rnd(4) ? draw_legal(f->lo, f->hi)
               : rnd(8) == 0                            ? rnd(2)
                                                        : draw_number(&c->p[i], false);
    }
}

/* The same of numbers. */
static bool
numbers_mended(Case *c)
{
    enum {
        STEPS = 200
    };
    bool ok = false;
    Fault f;
    draw_numbers(c);
    for (int k = 0; k < STEPS && !(ok = check_values(&c->in, &f)); k++) {
        mend_number(c, rnd(4) && f.param >= 0 ? f.param : (int)rnd(c->n), &f);
    }
    return ok;
}

#endif
