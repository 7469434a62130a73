/* verify.c: tikblob_verify goes over the descriptors of a kernel once and proves, with
 * prove.c,
 *
 *   P2  every descriptor is legal on the target
 *   P3  control is structured and of bounded depth
 *   P4  a bound on the descriptors that one core executes
 *   P5  ranges of scalar registers
 *   P6  bounds and alignment of every access, for every iteration
 *
 * A register's range is that of the last write in an open block, if no loop that began
 * since writes it again; else that of all values ever written to it, which a first pass
 * collects. So there is no fixed point and no recursion. Branch conditions refine
 * nothing.
 *
 * The container must have passed tikblob_open. The verifier is freestanding; its memory
 * is the caller's workspace. It owns the group P2 to P6 of blob_rule.def; rules of
 * instructions keep their names from isa/rule.def. */
#include "blob/verify.h"

/* ---- refusing ------------------------------------------------------------ */

static BlobAt
place(const Verifier *v)
{
    return (BlobAt){.fourcc = blob_sections[SEC_CODE].fourcc,
                    .offset = v->d.offset,
                    .descriptor = v->d.index};
}

#ifdef TIK_LEAN
bool
verify_refuse(Verifier *v, uint32_t rule)
{
    BlobAt at = place(v);
    return blob_refuse(v->diag, rule, &at);
}
#else
bool
verify_bad(Verifier *v, uint32_t rule, BlobSeen seen)
{
    BlobAt at = place(v);
    at.seen_lo = at.seen_hi = seen.seen;
    at.allowed_lo = seen.lo;
    at.allowed_hi = seen.hi;
    return blob_refuse(v->diag, rule, &at);
}
#endif

/* ---- ranges (P5) --------------------------------------------------------- */

bool
verify_dead(const Verifier *v)
{
    return v->nblocks > 0 && v->blocks[v->nblocks - 1].dead;
}

/* Returns whether a block is still open. Block numbers grow from the outside to the
 * inside, so ten steps find one in the deepest nest. */
static bool
is_open(const Verifier *v, uint32_t number)
{
    int lo = 0, hi = v->nblocks; /* it is not before lo, and not from hi on */
    while (hi - lo > 1) {
        int i = lo + (hi - lo) / 2;
        if (v->blocks[i].number <= number) {
            lo = i;
        } else {
            hi = i;
        }
    }
    return number == 0 || (hi > lo && v->blocks[lo].number == number);
}

static Interval
register_range(const Verifier *v, uint32_t reg)
{
    const RegFact *f = &v->regs[reg];
    if (f->def == NO_DEF || !is_open(v, f->block)) {
        return f->any;
    }
    for (int i = 0; i < v->nloops; i++) {
        if (v->loops[i].start > f->def) {
            return f->last_def > v->loops[i].start ? f->any : f->last;
        }
    }
    return f->last;
}

bool
verify_number(Verifier *v, const TikNum *n, Interval *out, bool *exact)
{
    v->proof->work++;
    switch (n->kind) {
    case NUM_IMM:
        *out = interval_const(n->imm);
        return true;
    case NUM_CORE:
        *out = interval_between(0, (v->c.kernel.flags & TIKBLOB_ANY_CORES
                                        ? (int64_t)TIKBLOB_MAX_CORES
                                        : (int64_t)v->c.kernel.cores) -
                                       1);
        return true;
    case NUM_REG:
        *out = register_range(v, n->index);
        *exact = *exact && interval_is_const(*out);
        return true;
    case NUM_LOOP:
        break;
    }
    if (n->index >= (uint32_t)v->nloops) {
        return verify_bad(v, BLOB_LOOP_SLOT, (BlobSeen){n->index, 0, v->nloops - 1});
    }
    *out = v->loops[n->index].counter;
    *exact = *exact && v->loops[n->index].exact;
    return true;
}

static void
define(Verifier *v, uint32_t reg, Interval value)
{
    RegFact *f = &v->regs[reg];
    v->register_writes++;
    f->last = value;
    f->def = v->d.index;
    f->block = v->nblocks == 0 ? 0 : v->blocks[v->nblocks - 1].number;
}

static Dtype
result_type(const TikDesc *d)
{
    return d->kind == DESC_ALU && scalar_is_compare(d->alu_op) ? DT_BOOL : d->dtype;
}

/* ---- steps (P4) ---------------------------------------------------------- */

static uint64_t
steps_add(uint64_t a, uint64_t b)
{
    uint64_t r;
    return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

static uint64_t
steps_mul(uint64_t a, uint64_t b)
{
    uint64_t r;
    return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}

static void
count(Verifier *v, uint64_t steps)
{
    uint64_t *sum = v->nloops > 0 ? &v->loops[v->nloops - 1].steps : &v->top_steps;
    *sum = steps_add(*sum, steps);
}

/* ---- control (P3) -------------------------------------------------------- */

static void
open_block(Verifier *v, TikDescKind kind, bool dead)
{
    bool outer = verify_dead(v);
    v->block_events++;
    v->blocks[v->nblocks++] = (Block){kind, ++v->next_block, dead || outer};
}

LEAN_APART static bool
open_loop(Verifier *v)
{
    Interval a, b;
    bool exact = true;
    if (v->nloops == TIKBLOB_MAX_LOOPS) {
        return verify_bad(v, BLOB_LOOP_DEPTH,
                          (BlobSeen){v->nloops + 1, 0, TIKBLOB_MAX_LOOPS});
    }
    if (v->d.slot != (uint32_t)v->nloops) {
        return verify_bad(v, BLOB_LOOP_SLOT, (BlobSeen){v->d.slot, v->nloops, v->nloops});
    }
    if (!verify_number(v, &v->d.a, &a, &exact) ||
        !verify_number(v, &v->d.b, &b, &exact)) {
        return false;
    }
    bool constant = v->d.a.kind == NUM_IMM && v->d.b.kind == NUM_IMM;
    uint64_t trips = b.hi > a.lo ? (uint64_t)b.hi - (uint64_t)a.lo : 0;
    count(v, 1);
    v->loops[v->nloops++] = (Loop){.counter = trips > 0 ? interval_between(a.lo, b.hi - 1)
                                                        : interval_const(a.lo),
                                   .start = v->d.index,
                                   .trips = trips,
                                   .steps = 0,
                                   .exact = constant};
    open_block(v, DESC_LOOP, trips == 0);
    return true;
}

/* Returns the kind of the innermost open block; that of a descriptor that opens none if
 * there is no block. */
static TikDescKind
innermost(const Verifier *v)
{
    return v->nblocks > 0 ? v->blocks[v->nblocks - 1].kind : DESC_RETURN;
}

LEAN_APART static bool
close_loop(Verifier *v)
{
    if (innermost(v) != DESC_LOOP) {
        return verify_bad(v, BLOB_BLOCK_NESTING, (BlobSeen){0, 0, 0});
    }
    if (v->d.slot != (uint32_t)(v->nloops - 1)) {
        return verify_bad(v, BLOB_LOOP_SLOT,
                          (BlobSeen){v->d.slot, v->nloops - 1, v->nloops - 1});
    }
    const Loop *l = &v->loops[v->nloops - 1];
    uint64_t steps = steps_mul(l->trips, steps_add(l->steps, 1));
    v->nloops--;
    v->nblocks--;
    v->block_events++;
    count(v, steps);
    return true;
}

LEAN_APART static bool
open_if(Verifier *v)
{
    Interval cond;
    bool exact = true;
    if (v->nifs == TIKBLOB_MAX_IFS) {
        return verify_bad(v, BLOB_IF_DEPTH, (BlobSeen){v->nifs + 1, 0, TIKBLOB_MAX_IFS});
    }
    if (!verify_number(v, &v->d.a, &cond, &exact)) {
        return false;
    }
    count(v, 1);
    v->nifs++;
    open_block(v, DESC_IF, false);
    return true;
}

LEAN_APART static bool
close_if(Verifier *v)
{
    TikDescKind top = innermost(v);
    bool fits =
        v->d.kind == DESC_ELSE ? top == DESC_IF : top == DESC_IF || top == DESC_ELSE;
    if (!fits) {
        return verify_bad(v, BLOB_BLOCK_NESTING, (BlobSeen){0, 0, 0});
    }
    count(v, 1);
    v->nblocks--;
    v->block_events++;
    if (v->d.kind == DESC_ELSE) {
        open_block(v, DESC_ELSE, false);
    } else {
        v->nifs--;
    }
    return true;
}

static bool
jump(Verifier *v)
{
    count(v, 1);
    if (v->d.kind != DESC_RETURN && v->nloops == 0) {
        return verify_bad(v, BLOB_JUMP_OUTSIDE, (BlobSeen){0, 0, 0});
    }
    return true;
}

/* ---- scalar operations --------------------------------------------------- */

static bool
alu_type_ok(const TikDesc *d)
{
    switch (d->alu_op) {
    case SOP_SHL:
    case SOP_SHR:
    case SOP_AND:
    case SOP_OR:
    case SOP_XOR:
    case SOP_NOT:
        return !dtype_is_float(d->dtype);
    case SOP_BITS:
        return dtype_size(d->dtype) == dtype_size(d->from);
    case SOP_CAST:
        return d->dtype != d->from;
    default:
        return true;
    }
}

LEAN_APART static bool
verify_alu(Verifier *v)
{
    ScalarIntervals *in = &v->scalars;
    bool exact = true;
    in->type = v->d.dtype;
    in->from = v->d.from;
    if (!alu_type_ok(&v->d)) {
        return verify_bad(v, BLOB_ALU_TYPE, (BlobSeen){v->d.dtype, 0, 0});
    }
    if (!verify_number(v, &v->d.a, &in->a, &exact)) {
        return false;
    }
    in->b = interval_const(0);
    if (scalar_op_table[v->d.alu_op].arity == 2 &&
        !verify_number(v, &v->d.b, &in->b, &exact)) {
        return false;
    }
    bool divides = v->d.alu_op == SOP_DIV || v->d.alu_op == SOP_REM;
    if (divides && !dtype_is_float(v->d.dtype)) {
        bool safe = in->b.lo > 0 || in->b.hi < 0;
        *(safe ? &v->proof->proved : &v->proof->checked) += 1;
    }
    define(v, v->d.reg, scalar_interval_untyped(v->d.alu_op, in, NULL));
    count(v, 1);
    return true;
}

static bool
verify_access(Verifier *v)
{
    count(v, 1);
    if (!prove_access(v)) {
        return false;
    }
    if (v->d.kind == DESC_LOAD) {
        define(v, v->d.reg, interval_of_type(v->d.dtype));
    }
    return true;
}

static bool
verify_descriptor(Verifier *v)
{
    v->proof->work++;
    switch (v->d.kind) {
    case DESC_LOOP:
        return open_loop(v);
    case DESC_ENDLOOP:
        return close_loop(v);
    case DESC_IF:
        return open_if(v);
    case DESC_ELSE:
    case DESC_ENDIF:
        return close_if(v);
    case DESC_BREAK:
    case DESC_CONTINUE:
    case DESC_RETURN:
        return jump(v);
    case DESC_ALU:
        return verify_alu(v);
    case DESC_LOAD:
    case DESC_STORE:
        return verify_access(v);
    case DESC_INSTR:
        count(v, 1);
        return prove_instr(v);
    }
    return false;
}

/* ---- the pass ------------------------------------------------------------ */

/* Decodes the next descriptor that is no instruction, which writes no register; the
 * loader has checked how many slots each has. */
static int
next_write(TikCursor *c, TikDesc *d, TikBlobDiag *diag)
{
    while (c->at < c->end && c->blob->bytes[c->at + 1] == CLASS_BASE + DESC_INSTR) {
        c->at += (uint64_t)c->blob->bytes[c->at] * SLOT_BYTES;
        c->index++;
    }
    return tikblob_next(c, d, diag);
}

/* Collects the values that each register ever holds, and its last write. */
LEAN_APART static bool
collect(Verifier *v)
{
    for (uint32_t i = 0; i < v->c.kernel.nregs; i++) {
        v->regs[i] =
            (RegFact){.any = interval_const(0), .def = NO_DEF, .last_def = NO_DEF};
    }
    TikCursor c = v->c;
    int more;
    while ((more = next_write(&c, &v->d, v->diag)) > 0) {
        if (v->d.kind == DESC_ALU || v->d.kind == DESC_LOAD) {
            RegFact *f = &v->regs[v->d.reg];
            f->any = interval_join(f->any, interval_of_type(result_type(&v->d)));
            f->last_def = v->d.index;
        }
    }
    return more == 0;
}

LEAN_APART static bool
finish(Verifier *v)
{
    uint64_t bound = v->c.kernel.step_bound;
    v->proof->steps = v->top_steps;
    if (v->nblocks > 0) {
        return verify_bad(v, BLOB_BLOCK_NESTING, (BlobSeen){v->nblocks, 0, 0});
    }
    if (v->weak == NULL && v->top_steps > bound) {
        return verify_bad(v, BLOB_STEP_BOUND,
                          (BlobSeen){(int64_t)(v->top_steps & INT64_MAX), 0,
                                     (int64_t)(bound & INT64_MAX)});
    }
    return true;
}

/* A descriptor is proved to its end, whose work is bounded. */
static bool
in_budget(Verifier *v)
{
    return v->proof->work <= v->budget ||
           verify_bad(v, BLOB_BUDGET,
                      (BlobSeen){(int64_t)v->proof->work, 0, (int64_t)v->budget});
}

static bool
run(Verifier *v)
{
    if (!collect(v)) {
        return false;
    }
    int more = 1;
    while (more > 0) {
        if (pattern_proves(v)) {
            count(v, 1);
            v->proof->work++;
            if (!in_budget(v)) {
                return false;
            }
            continue;
        }
        more = tikblob_next(&v->c, &v->d, v->diag);
        if (more > 0 && !(verify_descriptor(v) && in_budget(v))) {
            return false;
        }
    }
    return more == 0 && finish(v);
}

#ifdef TIK_COMPACT
/* What the verifier as byte code and its callers must agree on (workspace.c). */
const uint32_t verify_layout[] = {sizeof(Verifier), sizeof(TikBlob),
                                  offsetof(Verifier, c), sizeof(TikDescKind)};
#endif

bool
verify_kernel(const TikBlob *b, int kernel, const TikBlobVerify *with,
              TikBlobProof *proof, TikBlobDiag *diag)
{
    Verifier *v = with->workspace;
    *proof = (TikBlobProof){0, 0, 0, 0};
    v->b = b;
    v->diag = diag;
    v->proof = proof;
    v->weak = with->unproved;
    v->budget = with->budget > 0 && with->budget < INT64_MAX ? with->budget : INT64_MAX;
    v->top_steps = 1; /* the end of the kernel */
    v->nsteps = 0;
#ifndef TIK_LEAN
    for (int i = 0; i < SHAPES; i++) {
        v->shapes[i].kept = false;
    }
    for (int i = 0; i < PATTERNS; i++) {
        v->patterns[i].echo.p = NULL;
    }
    v->next_pattern = 0;
#endif
    v->block_events = 0;
    v->register_writes = 0;
    v->nblocks = 0;
    v->nifs = 0;
    v->nloops = 0;
    v->next_block = 0;
    v->regs = (RegFact *)((uint8_t *)with->workspace + VERIFIER_BYTES);
    tikblob_cursor(&v->c, b, kernel);
    return run(v);
}
