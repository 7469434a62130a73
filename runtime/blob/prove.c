/* prove.c: proves an instruction or access for every iteration (P2, P6). It is a part of
 * the verifier.
 *
 * Numbers are known as intervals; those of offsets are sums of the intervals of their
 * terms. rules/obligation.c derives from them which rules of rules/check.c hold. A rule
 * that fails at a value which is certainly reached is refuted, and the blob is refused by
 * the rule's name; any other is `unproved`, unless the descriptor says that it is checked
 * while running. */

/* ASSUMES bound-63: a bound is below 2^63. */
/* ASSUMES counter-range: a counter is between begin and end - 1, an instruction that is
 * not marked holds. */
/* ASSUMES loop-type-integer: the type that loop_bounds names is one of integers. */
#include "blob/verify.h"

/* ---- operands ------------------------------------------------------------ */

/* Gives the range of an operand's byte offset. It is all of 64 bits when it cannot be
 * bounded or reaches beyond every root, which keeps hostile offsets out of the arithmetic
 * of the checks. Returns false when the blob is refused. */
LEAN_APART static bool
operand_range(Verifier *v, const TikOperand *o, int i)
{
    Interval sum = interval_const(o->offset);
    v->exact[i] = true;
    if (o->nterms == 0 && o->offset >= -FAR_AWAY && o->offset <= FAR_AWAY) {
        v->values[i] = sum;
        return true;
    }
    v->values[i] = interval_of_type(DT_S64);
    for (int t = 0; t < o->nterms; t++) {
        Interval part, coef = interval_const(o->terms[t].coef);
        if (!verify_number(v, &o->terms[t].num, &part, &v->exact[i])) {
            return false;
        }
        if (!interval_product(&part, &coef, &part) || !interval_sum(&sum, &part, &sum)) {
            v->exact[i] = false;
            return true;
        }
    }
    if (sum.lo < -FAR_AWAY || sum.hi > FAR_AWAY) {
        v->exact[i] = false;
    } else {
        v->values[i] = sum;
    }
    return true;
}

/* Fills a tensor but for its offset. */
LEAN_APART static void
fill_tensor(const Verifier *v, const TikOperand *o, CheckTensor *t)
{
    const uint8_t *p =
        blob_record(v->b, SEC_REGN, v->c.kernel.first_region + (uint64_t)o->region);
    t->buffer = o->region;
    t->scope = (Scope)p[4];
    t->dtype = o->dtype;
    t->bytes = (int64_t)get64(p + 16);
    t->exact = chosen(&v->b->choices, CHOICE_GM_BOUND) == CHOSE_GM_BOUND_EXACT;
    t->open = p[7] != 0;
    t->read_only = p[6] == TIKBLOB_TABLE;
    t->items = p[6] == TIKBLOB_LIST ? (int32_t)(t->bytes / LIST_WINDOW) : 0;
    t->item = NULL;
}

/* Returns whether the size of the operand's region is known only while running. */
static bool
is_open(const Verifier *v, const TikOperand *o)
{
    return blob_record(v->b, SEC_REGN,
                       v->c.kernel.first_region + (uint64_t)o->region)[7] != 0;
}

/* The following functions set the operands of v->in to their least values. */
LEAN_APART static bool
bind_tensor(Verifier *v, int i)
{
    const TikOperand *o = &v->d.args[i].t;
    if (!operand_range(v, o, i)) {
        return false;
    }
    fill_tensor(v, o, &v->in.args[i].t);
    v->in.args[i].t.offset = v->values[i].lo;
    return true;
}

LEAN_APART static bool
bind_mask(Verifier *v, int i)
{
    CheckMask *m = &v->in.args[i].m;
    int words = mask_words(v->d.mask_form);
    m->form = v->d.mask_form;
    for (int w = 0; w < 4; w++) {
        m->w[w] = 0;
        if (w < words) {
            if (!verify_number(v, &v->d.args[i].mask[w], &v->mask[w], &v->exact[i])) {
                return false;
            }
            m->w[w] = (uint64_t)v->mask[w].lo;
        }
    }
    v->values[i] = v->mask[0];
    return true;
}

static inline bool
bind_number(Verifier *v, int i)
{
    const TikNum *n = &v->d.args[i].v;
    v->in.args[i].literal = v->d.args[i].literal;
    if (n->kind == NUM_IMM) {
        v->values[i] = interval_const(n->imm);
    } else if (!verify_number(v, n, &v->values[i], &v->exact[i])) {
        return false;
    }
    v->in.args[i].v = v->values[i].lo;
    return true;
}

/* Of an operand only the member of its role is set, and number and literal to zero. */
static bool
bind_operand(Verifier *v, Role role, int i)
{
    v->exact[i] = true;
    v->in.args[i].v = 0;
    v->in.args[i].literal = false;
    switch (role) {
    case ROLE_DST:
    case ROLE_SRC:
    case ROLE_ROOT:
        return bind_tensor(v, i);
    case ROLE_MASK:
        return bind_mask(v, i);
    case ROLE_MASKMODE:
        v->values[i] = interval_const(0);
        return true;
    case ROLE_ATTR:
    case ROLE_PIPE:
        return (v->d.args[i].v.kind == NUM_IMM ||
                verify_bad(v, BLOB_ATTR_CONST, (BlobSeen){i, 0, 0})) &&
               bind_number(v, i);
    case ROLE_REPEAT:
    case ROLE_INT:
    case ROLE_SCALAR:
        break;
    }
    return bind_number(v, i);
}

LEAN_APART static bool
bind(Verifier *v)
{
    int n;
    const ParamRow *p = op_params(v->d.op, &n);
    v->in.op = v->d.op;
    v->in.soc = v->b->soc;
    v->in.choices = &v->b->choices;
    for (int i = 0; i < n; i++) {
        if (!bind_operand(v, param_at(p, i)->role, i)) {
            return false;
        }
    }
    return true;
}

/* ---- verdicts ------------------------------------------------------------ */

/* Returns whether the descriptor is certainly executed, because there is no branch around
 * it. */
static bool
always_reached(const Verifier *v)
{
    return v->nifs == 0;
}

/* Refuses by a rule on instructions, whose numbers are those of the fault. */
static bool
refuse_by(Verifier *v, uint32_t rule)
{
    return verify_bad(v, rule, (BlobSeen){v->fault.value, v->fault.lo, v->fault.hi});
}

/* Refuses by the rule that is broken whatever the values are. */
static bool
refuse_fault(Verifier *v)
{
    return refuse_by(v, check_rule(v->fault.rule));
}

/* The present descriptor is not proved: its bit is set, or it is refused. Returns false
 * in the second case. */
static bool
fails(Verifier *v, bool refuted)
{
    if (v->weak == NULL) {
        return refuse_by(v,
                         refuted ? check_rule(v->fault.rule) : (uint32_t)BLOB_UNPROVED);
    }
    v->weak[v->d.index / 8] |= (uint8_t)(1 << (v->d.index % 8));
    return true;
}

/* ---- steps of the checker ------------------------------------------------ */

static bool
is_bounded(const Verifier *v, int param)
{
    return v->values[param].lo >= -FAR_AWAY && v->values[param].hi <= FAR_AWAY;
}

/* Gives the distance of operands with the same terms. */
static bool
distance(const void *ctx, int a, int b, int64_t *out)
{
    const Verifier *v = ctx;
    const TikOperand *x = &v->d.args[a].t, *y = &v->d.args[b].t;
    if (x->nterms != y->nterms || !is_bounded(v, a) || !is_bounded(v, b)) {
        return false;
    }
    for (int i = 0; i < x->nterms; i++) {
        if (x->terms[i].num.kind != y->terms[i].num.kind ||
            x->terms[i].num.index != y->terms[i].num.index ||
            x->terms[i].coef != y->terms[i].coef) {
            return false;
        }
    }
    *out = v->values[a].lo - v->values[b].lo;
    return true;
}

/* What is known of the present instruction is in the workspace, which spares the stack.
 */
LEAN_APART static Known *
known(Verifier *v)
{
    v->known = (Known){.in = &v->in,
                       .distance = distance,
                       .ctx = v,
                       .numbers = v->values,
                       .words = v->mask,
                       .most = &v->most,
                       .least = &v->least,
                       .at = &v->at,
                       .work = &v->proof->work,
                       NOT_LEAN(.shapes = v->shapes, .places = v->places)};
    return &v->known;
}

static Standing
stands(Verifier *v, CheckStep s)
{
    Known *k = known(v);
    Fault *fault = v->d.checked ? NULL : &v->fault; /* such a step is never reported */
    v->fault.rule = RULE_NONE;                      /* the text stays, nobody reads it */
    NOT_LEAN(v->fault.value = v->fault.lo = v->fault.hi = 0;)
    Standing is = verify_dead(v) ? STANDS_PROVED : obligation_stands(k, s, fault);
    bool open = s.kind == CHECK_BOUNDS && check_is_open(&v->in.args[s.param].t);
    return is == STANDS_PROVED && open && !verify_dead(v) ? STANDS_OPEN : is;
}

/* Returns whether the second value of an offset, which is reached if it has one term, is
 * not aligned. */
static bool
next_is_unaligned(Verifier *v, const TikOperand *o, CheckStep s)
{
    if (s.kind != CHECK_ALIGN || o->nterms != 1) {
        return false;
    }
    v->at = v->in;
    v->at.args[s.param].t.offset += v->values[s.param].mod;
    return !check_step(&v->at, s, &v->fault);
}

/* Returns whether the step fails at a value that is certainly reached. o is the tensor of
 * a step on alignment. */
LEAN_APART static bool
breaks_surely(Verifier *v, const TikOperand *o, CheckStep s, Standing is)
{
    return always_reached(v) &&
           (is == STANDS_REFUTED ||
            (v->exact[s.param] && (is == STANDS_BROKEN || next_is_unaligned(v, o, s))));
}

/* Lists the steps of the present instruction, which are those of the one before if it is
 * the same one. */
static int
steps_of(Verifier *v)
{
    if (v->nsteps == 0 || v->steps_op != v->d.op) {
        v->nsteps = check_steps(v->d.op, v->steps);
        v->steps_op = v->d.op;
    }
    return v->nsteps;
}

static bool
prove_steps(Verifier *v, Known *k)
{
    int n = steps_of(v);
    bool dead = verify_dead(v);
#ifdef TIK_LEAN
    bool all = dead;
    (void)k;
#else
    bool all = dead || obligation_all_stand(k);
    if (all && !dead && k->seen) { /* one of its shape came before, so more may follow */
        pattern_keep(v, k->shape);
    }
#endif
    if (all) {
        v->proof->proved += n;
        return true;
    }
    for (int i = 0; i < n; i++) {
        CheckStep s = v->steps[i];
        Standing is = stands(v, s);
        if (is == STANDS_PROVED) {
            v->proof->proved++;
        } else if (v->d.checked) {
            v->proof->checked++;
        } else {
            return fails(v, breaks_surely(v, &v->d.args[s.param].t, s, is));
        }
    }
    return true;
}

/* Only kernels that say so may start more cores than they state. */
LEAN_APART static bool
blocks_hold(Verifier *v)
{
    return v->d.op != OP_BLOCKS || (v->c.kernel.flags & TIKBLOB_ANY_CORES) != 0 ||
           verify_bad(v, BLOB_ANY_CORES, (BlobSeen){0, 0, 0});
}

/* Checks that a reservation has an open region, placed after one of the same memory. */
LEAN_APART static bool
reserve_holds(Verifier *v)
{
    const TikOperand *o = &v->d.args[0].t, *after = &v->d.args[1].t;
    bool ok = v->d.op != OP_RESERVE ||
              (is_open(v, o) && is_open(v, after) && v->in.args[0].t.scope != SC_GM &&
               v->in.args[0].t.scope == v->in.args[1].t.scope && v->in.args[3].v >= 1 &&
               v->in.args[3].v <= 4);
    return ok || verify_bad(v, BLOB_RESERVE, (BlobSeen){0, 0, 0});
}

bool
prove_instr(Verifier *v)
{
    if (!bind(v) || !reserve_holds(v) || !blocks_hold(v)) {
        return false;
    }
    Known *k = known(v);
    bool seen = false;
#ifndef TIK_LEAN
    seen = obligation_seen(k);
#endif
    if (!seen && !check_static(&v->in, &v->fault)) {
        return refuse_fault(v);
    }
    return prove_steps(v, k);
}

/* ---- scalar accesses ----------------------------------------------------- */

/* Checks the parts of a store that do not depend on its place: its tensor, and that the
 * value is a number. */
LEAN_APART static bool
store_holds(Verifier *v)
{
    Interval value;
    bool exact = true;
    if (v->d.kind != DESC_STORE) {
        return true;
    }
    if (!check_store(&v->in.args[0].t, &v->fault)) {
        return refuse_fault(v);
    }
    return verify_number(v, &v->d.a, &value, &exact);
}

bool
prove_access(Verifier *v)
{
    static const CheckStep steps[] = {{CHECK_ALIGN, 0}, {CHECK_BOUNDS, 0}};
    const TikOperand *o = &v->d.operand;
    if (!operand_range(v, o, 0)) {
        return false;
    }
    v->in.op = OP_COUNT;
    v->in.args[0] = (CheckArg){.v = 0};
    fill_tensor(v, o, &v->in.args[0].t);
    v->in.args[0].t.offset = v->values[0].lo;
    if (!store_holds(v)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        Standing is = stands(v, steps[i]);
        if (is == STANDS_PROVED) {
            continue;
        }
        if (v->d.checked) {
            v->proof->checked++;
            return true;
        }
        return fails(v, breaks_surely(v, o, steps[i], is));
    }
    v->proof->proved++;
    return true;
}
