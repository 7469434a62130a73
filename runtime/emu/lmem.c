/* lmem.c: tensors in LMEM lanes: moves between memories and arithmetic, element by
 * element in the order of the axes n, c, h, w.
 *
 * The LMEM lanes are one after the other, lmem_pitch apart (EmuProgram). An operand
 * begins at its base in lane 0; its channels say which lanes are accessed. */
#include "emu/lmem.h"
#include "isa/operand.h"
#include "num/scalar.h"
#include "num/half.h"

#include <string.h>

enum {
    OPERANDS = 3
};

void
emu_lmem_reset(EmuRun *r)
{
    const EmuProgram *p = r->p;
    int64_t bytes = p->kernel.soc->lmem->npu * p->lmem_pitch;
    memset(p->scratch + p->scope_at[SC_LMEM],
           p->kernel.watch != NULL ? p->kernel.watch->fill : 0, (size_t)bytes);
    if (r->lmem_state != NULL) {
        memset(r->lmem_state, 0, (size_t)bytes);
    }
}

/* ---- operands ------------------------------------------------------------ */

/* Returns the bytes from the operand's start to the end of its last element, in the
 * fullest lane. */
static int64_t
reach(const EmuTensor *t)
{
    int64_t last = 0;
    for (int i = 0; i < LMEM_AXES; i++) {
        int64_t most = t->x.shape[i] - 1;
        if (i == LMEM_C && t->npu > 0) {
            most = (t->x.lane + most) / t->npu;
        }
        last += most * t->x.stride[i]; /* a sum of four products of 16 and 32 bits */
    }
    return ((last + 1) * t->x.bits + 7) / 8;
}

bool
emu_tensor_open(EmuRun *r, const EmuOp *op, int slot, int bits, EmuTensor *t)
{
    const LmemOperand *o = form_lmem(op_table[op->op].form, slot);
    const EmuRef *ref = emu_slot_ref(r->p, op, slot);
    bool lanes = r->p->kernel.regions[ref->region].scope == SC_LMEM;
    *t = (EmuTensor){.dtype = ref->dtype};
    t->npu = lanes ? r->p->kernel.soc->lmem->npu : 0;
    t->lmem_pitch = r->p->lmem_pitch;
    t->x.lane = (int)emu_slot_attr(r->p, op, o->lane);
    t->x.bits = bits > 0 ? bits : 8 * dtype_size(ref->dtype);
    bool ok = t->x.lane >= 0 && t->x.lane < (t->npu > 0 ? t->npu : 1);
    for (int i = 0; i < LMEM_AXES; i++) {
        ok = ok && emu_number(r, op, o->shape + i, &t->x.shape[i]) &&
             emu_number(r, op, o->stride + i, &t->x.stride[i]);
    }
    t->at = ok ? emu_operand(r, op, slot, reach(t)) : NULL;
    return t->at != NULL || emu_refuse(r, op);
}

/* The byte may be shared by two elements of 4 bits. */
uint8_t *
emu_tensor_at(const EmuTensor *t, const int64_t at[LMEM_AXES], int *half)
{
    int64_t c = at[LMEM_C], lane = 0;
    if (t->npu > 0) {
        lane = (t->x.lane + c) % t->npu;
        c = (t->x.lane + c) / t->npu;
    }
    int64_t off = at[LMEM_N] * t->x.stride[LMEM_N] + c * t->x.stride[LMEM_C] +
                  at[LMEM_H] * t->x.stride[LMEM_H] + at[LMEM_W] * t->x.stride[LMEM_W];
    *half = t->x.bits < 8 ? (int)(off % 2) : 0;
    return t->at + lane * t->lmem_pitch + off * t->x.bits / 8;
}

bool
emu_tensor_next(const int64_t shape[LMEM_AXES], int64_t at[LMEM_AXES])
{
    for (int i = LMEM_AXES - 1; i >= 0; i--) {
        if (++at[i] < shape[i]) {
            return true;
        }
        at[i] = 0;
    }
    return false;
}

/* ---- moves --------------------------------------------------------------- */

static void
copy_element(const EmuTensor *d, const int64_t to[LMEM_AXES], const EmuTensor *s,
             const int64_t from[LMEM_AXES])
{
    int high, from_high;
    uint8_t *p = emu_tensor_at(d, to, &high);
    const uint8_t *q = emu_tensor_at(s, from, &from_high);
    if (d->x.bits >= 8) {
        memcpy(p, q, (size_t)d->x.bits / 8);
        return;
    }
    uint8_t v = from_high ? *q >> 4 : *q & 15;
    *p = (uint8_t)(high ? (*p & 15) | v << 4 : (*p & 240) | v);
}

/* Returns whether the LMEM lane of a channel takes part. */
static bool
enabled(const EmuTensor *t, int64_t c, uint64_t mask)
{
    return t->npu == 0 || (mask >> ((t->x.lane + c) % t->npu) & 1) != 0;
}

/* Finds the element of the source for an element of the destination; a copy takes them in
 * order. */
static void
source_of(LmemFunc func, const int64_t to[LMEM_AXES], int64_t from[LMEM_AXES])
{
    if (func == LMEM_COPY) {
        return;
    }
    memcpy(from, to, LMEM_AXES * sizeof *from);
    if (func == LMEM_NC) {
        from[LMEM_N] = to[LMEM_C];
        from[LMEM_C] = to[LMEM_N];
    } else if (func == LMEM_CW) {
        from[LMEM_C] = to[LMEM_W];
        from[LMEM_W] = to[LMEM_C];
    } else {
        from[LMEM_C] = 0;
    }
}

/* Returns whether both sides have the elements that the walk over the destination takes,
 * which P1 and P2 ensure for verified blobs. */
static bool
sides_fit(LmemFunc func, const EmuTensor *d, const EmuTensor *s)
{
    int64_t last[LMEM_AXES], from[LMEM_AXES] = {0, 0, 0, 0};
    int64_t nd = 1, ns = 1;
    bool ok = d->x.bits == s->x.bits;
    for (int i = 0; i < LMEM_AXES; i++) {
        last[i] = d->x.shape[i] - 1;
        nd *= i < 3 ? d->x.shape[i] : 1; /* factors have 16 bits each */
        ns *= i < 3 ? s->x.shape[i] : 1;
    }
    source_of(func, last, from);
    for (int i = 0; i < LMEM_AXES; i++) {
        ok = ok && from[i] < s->x.shape[i];
    }
    bool equal = (__int128)nd * d->x.shape[3] == (__int128)ns * s->x.shape[3];
    return ok && (func != LMEM_COPY || equal);
}

bool
emu_exec_lmem_move(EmuRun *r, const EmuOp *op)
{
    EmuTensor d, s;
    int64_t to[LMEM_AXES] = {0, 0, 0, 0}, from[LMEM_AXES] = {0, 0, 0, 0};
    int bits = (int)emu_slot_attr(r->p, op, LMOVE_bits);
    LmemFunc func = (LmemFunc)emu_slot_attr(r->p, op, LMOVE_func);
    uint64_t mask = (uint64_t)emu_slot_attr(r->p, op, LMOVE_lane_mask);
    if (!emu_tensor_open(r, op, 0, bits, &d) || !emu_tensor_open(r, op, 1, bits, &s)) {
        return false;
    }
    if (!sides_fit(func, &d, &s)) {
        return emu_fault(r, op, RULE_DMA_COUNT, 0);
    }
    emu_watch_banks(r, op);
    emu_watch_read(r, op, 1, &s);
    do {
        source_of(func, to, from);
        if (enabled(&d, to[LMEM_C], mask) && enabled(&s, from[LMEM_C], mask)) {
            copy_element(&d, to, &s, from);
        }
        if (func == LMEM_COPY) {
            (void)emu_tensor_next(s.x.shape, from);
        }
    } while (emu_tensor_next(d.x.shape, to));
    emu_watch_write(r, &d);
    return true;
}

/* ---- arithmetic ---------------------------------------------------------- */

/* Returns an element as a number of 64 bits: exact for integers, the pattern for
 * floats. */
static int64_t
load(Dtype t, const uint8_t *p)
{
    uint32_t u = 0;
    memcpy(&u, p, (size_t)dtype_size(t));
    return scalar_wrap(t, (int64_t)u);
}

static void
store(Dtype t, uint8_t *p, int64_t v)
{
    uint32_t u = (uint32_t)(uint64_t)v;
    memcpy(p, &u, (size_t)dtype_size(t));
}

static int64_t
integers(Sem sem, int64_t a, int64_t b)
{
    switch (sem) {
    case SEM_ADD:
        return a + b;
    case SEM_SUB:
        return a - b;
    case SEM_MUL:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case SEM_MAX:
        return b > a ? b : a;
    default:
        return b < a ? b : a;
    }
}

static int64_t
nan_of(Dtype t)
{
    return t == DT_F16 ? HALF_NAN : t == DT_BF16 ? BFLOAT_NAN : FLOAT_NAN;
}

/* A sum, difference or product of two numbers of at most 24 bits is rounded correctly by
 * way of a double. */
static int64_t
floats(Sem sem, Dtype t, int64_t a, int64_t b)
{
    double x = scalar_to_double(t, a), y = scalar_to_double(t, b), z;
    switch (sem) {
    case SEM_ADD:
        z = x + y;
        break;
    case SEM_SUB:
        z = x - y;
        break;
    case SEM_MUL:
        z = x * y;
        break;
    case SEM_MAX:
        return x != x || y != y ? nan_of(t) : y > x ? b : a;
    default:
        return x != x || y != y ? nan_of(t) : y < x ? b : a;
    }
    return z != z ? nan_of(t) : scalar_from_double(t, z);
}

bool
emu_exec_lmem_arith(EmuRun *r, const EmuOp *op)
{
    EmuTensor o[OPERANDS];
    int64_t at[LMEM_AXES] = {0, 0, 0, 0};
    Sem sem = op_table[op->op].sem;
    int half, n = op_table[op->op].form == FORM_LSCALAR ? 2 : OPERANDS;
    for (int i = 0; i < n; i++) {
        if (!emu_tensor_open(r, op, i, 0, &o[i])) {
            return false;
        }
        if (i > 0) {
            emu_watch_read(r, op, i, &o[i]);
        }
    }
    emu_watch_banks(r, op);
    Dtype t = o[0].dtype;
    int64_t number = n < OPERANDS ? emu_slot(r, op, LSCALAR_scalar) : 0;
    do {
        int64_t a = load(t, emu_tensor_at(&o[1], at, &half));
        int64_t b = n < OPERANDS ? number : load(t, emu_tensor_at(&o[2], at, &half));
        int64_t v = dtype_is_float(t) ? floats(sem, t, a, b) : integers(sem, a, b);
        store(t, emu_tensor_at(&o[0], at, &half), v);
    } while (emu_tensor_next(o[0].x.shape, at));
    emu_watch_write(r, &o[0]);
    return true;
}

/* ---- binding ------------------------------------------------------------- */

/* Checks the rules that do not depend on addresses, which is possible because all numbers
 * of these instructions are constants. */
static bool
statics_hold(const EmuProgram *p, const EmuOp *op)
{
    int n;
    Fault fault;
    CheckInstr in = {.op = (Op)op->op, .soc = p->kernel.soc};
    const ParamInfo *params = form_params(op_table[op->op].form, &n);
    for (int i = 0; i < n; i++) {
        bool tensor = params[i].role == ROLE_DST || params[i].role == ROLE_SRC;
        if (tensor) {
            const EmuRef *ref = emu_slot_ref(p, op, i);
            in.args[i].t.dtype = ref->dtype;
            in.args[i].t.scope = p->kernel.regions[ref->region].scope;
        } else if (params[i].role == ROLE_ATTR) {
            in.args[i].v = emu_slot_attr(p, op, i);
        }
    }
    return in.soc->lmem != NULL && check_static(&in, &fault);
}

bool
emu_bind_lmem(EmuProgram *p, EmuOp *op, const char **why)
{
    Form form = op_table[op->op].form;
    bool move = form == FORM_LMOVE;
    Dtype t = emu_slot_ref(p, op, form_main(form))->dtype;
    op->dtype = (uint8_t)t;
    *why = "the numbers of the instruction do not fit each other";
    if (!statics_hold(p, op)) {
        return false;
    }
    if (form == FORM_LCONV) {
        return true;
    }
    *why = "the instruction is for processors with lanes, and tensors of one type";
    for (int i = 1; form_lmem(form, i) != NULL; i++) {
        if (emu_slot_ref(p, op, i)->dtype != t) {
            return false;
        }
    }
    if (move && (emu_slot_attr(p, op, LMOVE_bits) != 8 * dtype_size(t) &&
                 emu_slot_attr(p, op, LMOVE_bits) != 4)) {
        return false;
    }
    return p->kernel.soc->lmem != NULL && op_has_dtype((Op)op->op, t, p->kernel.soc);
}
