/* obligation.c: proves and refutes rules; see obligation.h. More repeats, lanes and
 * bursts and larger strides only access more and further bytes, so bounds and overlap are
 * checked with the largest numbers; rules on one number are checked at both of its
 * ends. */

/* ASSUMES others-in-range: other operands are within their ranges. */
/* ASSUMES value-alone: a rule on one number depends on no other number, and holds between
 * two numbers at which it holds. */
/* ASSUMES bounds-monotone: bounds that hold for the largest numbers hold for smaller
 * ones. */
/* ASSUMES unranged-unasked: a number without a range of its own changes no bounds. */
#include "rules/obligation.h"
#include "isa/operand.h"
#include "rules/internal.h"
#include "rules/require.h"

/* ---- numbers ------------------------------------------------------------- */

static const ParamRow *
params_of(const Known *k, int *n)
{
    return op_params(k->in->op, n);
}

static bool
is_element(const Known *k)
{
    return k->in->op == OP_COUNT;
}

/* A lean loader has only a verifier, which knows all of them. */
#ifdef TIK_LEAN
#define values(k, param)  ((k)->numbers[param])
#define word(k, param, i) ((k)->words[i])
#else
static inline Interval
values(const Known *k, int param)
{
    return k->numbers != NULL ? k->numbers[param] : k->values(k->ctx, param, 0);
}

/* Returns the values of a word of the mask. */
static inline Interval
word(const Known *k, int param, int i)
{
    return k->words != NULL ? k->words[i] : k->values(k->ctx, param, i);
}
#endif

static bool
is_accessed(const ParamInfo *p)
{
    return p->role == ROLE_DST || p->role == ROLE_SRC;
}

static bool
is_number(const ParamInfo *p)
{
    return p->role == ROLE_INT || p->role == ROLE_REPEAT;
}

static void
put(const Known *k, CheckInstr *in, int param, int64_t v)
{
    int n;
    if (is_element(k)) {
        in->args[param].t.offset = v;
        return;
    }
    const ParamInfo *p = param_at(params_of(k, &n), param);
    if (is_accessed(p) || p->role == ROLE_ROOT) {
        in->args[param].t.offset = v;
    } else if (p->role == ROLE_MASK) {
        in->args[param].m.w[0] = (uint64_t)v;
    } else {
        in->args[param].v = v;
    }
}

/* Returns whether all words of the mask have one value. */
static bool
mask_is_fixed(const Known *k, int param)
{
    for (int i = 0; i < mask_words(k->in->args[param].m.form); i++) {
        if (!interval_is_const(word(k, param, i))) {
            return false;
        }
    }
    return true;
}

static bool
numbers_fixed(const Known *k)
{
    int n;
    const ParamRow *p = params_of(k, &n);
    for (int i = 0; i < n; i++) {
        if (is_number(param_at(p, i)) && !interval_is_const(values(k, i))) {
            return false;
        }
    }
    return true;
}

/* Returns whether all numbers that bounds and overlap depend on have one value. */
static bool
shape_fixed(const Known *k)
{
    int mask = op_first(k->in->op, ROLE_MASK);
    return numbers_fixed(k) && (mask < 0 || mask_is_fixed(k, mask));
}

/* Sets all numbers and the first bytes of tensors to their largest values. */
static void
fill_ends(Known *k, CheckInstr *in)
{
    int n;
    const ParamRow *p = params_of(k, &n);
    check_copy(in, k->in);
    for (int i = 0; i < n; i++) {
        if (is_accessed(param_at(p, i)) || is_number(param_at(p, i))) {
            put(k, in, i, values(k, i).hi);
        } else if (param_at(p, i)->role == ROLE_MASK) {
            for (int w = 0; w < mask_words(in->args[i].m.form); w++) {
                in->args[i].m.w[w] = (uint64_t)word(k, i, w).hi;
            }
        }
    }
}

/* ---- rules on one operand ------------------------------------------------ */

/* Counts what a proof costs: rules on one operand that are evaluated, and footprints. */
static void
spend(const Known *k, int n)
{
    if (k->work != NULL) {
        *k->work += (uint64_t)n;
    }
}

/* Evaluates a rule; one on bounds or overlap asks for those of all operands first. */
static bool
evaluate(const Known *k, const CheckInstr *in, CheckStep step, Fault *fault)
{
    int n = 0;
    if (!is_element(k) && (step.kind == CHECK_BOUNDS || step.kind == CHECK_OVERLAP)) {
        (void)params_of(k, &n);
    }
    spend(k, n + 1);
    return check_step(in, step, fault);
}

/* Checks the step with the operand at a value. */
LEAN_APART static bool
holds_at(const Known *k, CheckInstr *in, CheckStep step, int64_t v, Fault *fault)
{
    put(k, in, step.param, v);
    return evaluate(k, in, step, fault);
}

static bool
holds_at_ends(const Known *k, CheckInstr *in, CheckStep step, Fault *fault)
{
    Interval r = values(k, step.param);
    return holds_at(k, in, step, r.lo, fault) && holds_at(k, in, step, r.hi, fault);
}

LEAN_APART static Standing
at_ends(Known *k, CheckStep step, Fault *fault)
{
    check_copy(k->at, k->in);
    return holds_at_ends(k, k->at, step, fault) ? STANDS_PROVED : STANDS_BROKEN;
}

/* All numbers have one value: the rule holds or not. Overlap holds while a scalar is not
 * legal, which may have others. */
LEAN_APART static Standing
at_point(Known *k, CheckStep step, Fault *fault)
{
    fill_ends(k, k->at);
    if (!evaluate(k, k->at, step, fault)) {
        return STANDS_REFUTED;
    }
    return step.kind != CHECK_OVERLAP || check_alone(k->at, step, NULL) ? STANDS_PROVED
                                                                        : STANDS_OPEN;
}

LEAN_APART static Standing
alignment(Known *k, CheckStep step, Fault *fault)
{
    int align = is_element(k) ? dtype_size(k->in->args[step.param].t.dtype)
                              : check_align(k->in, step.param);
    Interval r = values(k, step.param);
    if (align == 1 || interval_is_multiple(r, align)) {
        return STANDS_PROVED;
    }
    check_copy(k->at, k->in);
    if (mod_floor(r.rem, gcd(align, r.mod)) !=
        0) { /* the nearest such value makes the best message */
        int64_t v = r.rem >= r.lo && r.rem <= r.hi ? r.rem : r.lo;
        return holds_at(k, k->at, step, v, fault) ? STANDS_OPEN : STANDS_REFUTED;
    }
    return holds_at(k, k->at, step, r.lo, fault) ? STANDS_OPEN : STANDS_BROKEN;
}

/* Proves a mask if some word is never 0 and no lane past the last is ever set. */
static Standing
mask_bits(const Known *k, int param)
{
    int lanes = check_lanes(k->in);
    bool set = false;
    for (int i = 0; i < mask_words(k->in->args[param].m.form); i++) {
        Interval r = word(k, param, i);
        set = set || r.lo > 0 || r.hi < 0;
        int valid = lanes - 64 * i;
        int64_t most = valid <= 0 ? 0 : ((int64_t)1 << (valid < 62 ? valid : 62)) - 1;
        if (valid < 64 && (r.lo < 0 || r.hi > most)) {
            return STANDS_OPEN;
        }
    }
    return set ? STANDS_PROVED : STANDS_OPEN;
}

LEAN_APART static Standing
mask(Known *k, CheckStep step, Fault *fault)
{
    MaskForm form = k->in->args[step.param].m.form;
    if (mask_is_fixed(k, step.param)) {
        return at_point(k, step, fault);
    }
    if (check_masks_pairs(k->in)) {
        return STANDS_OPEN;
    }
    return form == MASK_COUNT || form == MASK_COUNTER ? at_ends(k, step, fault)
                                                      : mask_bits(k, step.param);
}

LEAN_APART static Standing
range(Known *k, CheckStep step, Fault *fault)
{
    int n;
    const ParamInfo *p = param_at(params_of(k, &n), step.param);
    Interval r = values(k, step.param);
    Standing s = at_ends(k, step, fault);
    if (s == STANDS_PROVED ||
        (r.hi >= check_least(k->in, step.param) && r.lo <= param_hi(p))) {
        return s;
    }
    return holds_at(k, k->at, step, r.lo > param_hi(p) ? r.lo : r.hi, fault)
               ? STANDS_OPEN
               : STANDS_REFUTED;
}

/* A tensor that is only named and whose size the run knows: its rule asks for the size.
 */
static bool
names_open(const Known *k)
{
    int n;
    const ParamRow *p = params_of(k, &n);
    for (int i = 0; i < n; i++) {
        if (param_at(p, i)->role == ROLE_ROOT && check_is_open(&k->in->args[i].t)) {
            return true;
        }
    }
    return false;
}

/* The rule allows least where other numbers are least, as far as their own ranges let
 * them. */
LEAN_APART static Standing
at_least_others(Known *k, CheckStep step, Fault *fault)
{
    int n;
    const ParamRow *p = params_of(k, &n);
    check_copy(k->at, k->in);
    for (int i = 0; i < n; i++) {
        if (is_number(param_at(p, i))) {
            int64_t lo = values(k, i).lo;
            put(k, k->at, i,
                param_at(p, i)->rule != RULE_NONE && lo < param_lo(param_at(p, i))
                    ? param_lo(param_at(p, i))
                    : lo);
        }
    }
    if (holds_at_ends(k, k->at, step, fault)) {
        return STANDS_PROVED;
    }
    return numbers_fixed(k) ? at_point(k, step, fault) : STANDS_OPEN;
}

/* A multiple; whatever else the rule asks for can only spare it. */
LEAN_APART static Standing
in_steps(Known *k, CheckStep step, Fault *fault)
{
    Interval r = values(k, step.param);
    fill_ends(k, k->at);
    if (interval_is_multiple(r, require_unit(k->at, step.param))) {
        return STANDS_PROVED;
    }
    return numbers_fixed(k) ? at_point(k, step, fault) : STANDS_OPEN;
}

LEAN_APART static Standing
value(Known *k, CheckStep step, Fault *fault)
{
    if (names_open(k)) {
        return STANDS_OPEN;
    }
    switch (require_direction(k->in->op, step.param)) {
    case DIRECTION_ALONE:
        return at_ends(k, step, fault);
    case DIRECTION_STEPS:
        return in_steps(k, step, fault);
    case DIRECTION_RISES:
        return at_least_others(k, step, fault);
    case DIRECTION_FROM_2:
        if (values(k, step.param).hi <= 1) {
            return STANDS_PROVED;
        }
        break;
    case DIRECTION_KNOWN:
        break;
    }
    return numbers_fixed(k) ? at_point(k, step, fault) : STANDS_OPEN;
}

bool
obligation_relates(const CheckInstr *in, CheckStep step)
{
    return step.kind == CHECK_VALUE && in->op != OP_COUNT &&
           require_direction(in->op, step.param) != DIRECTION_ALONE;
}

/* ---- the largest numbers ------------------------------------------------- */

/* Sets counts of lanes to their largest, and lists of bits to all bits. Returns false
 * when no count is legal. */
static bool
largest_mask(const Known *k, int param, CheckInstr *in)
{
    CheckMask *m = &in->args[param].m;
    int lanes = check_lanes(in);
    for (int i = 0; i < mask_words(m->form); i++) {
        Interval r = word(k, param, i);
        int valid = lanes - 64 * i;
        if (m->form == MASK_COUNT || m->form == MASK_COUNTER) {
            int64_t most = m->form == MASK_COUNT ? lanes : (int64_t)UINT32_MAX;
            m->w[0] = (uint64_t)(r.hi < most ? r.hi : most);
            return r.hi >= 1;
        }
        m->w[i] = interval_is_const(r) ? (uint64_t)r.lo
                  : valid >= 64        ? UINT64_MAX
                  : valid > 0          ? ((uint64_t)1 << valid) - 1
                                       : 0;
    }
    return true;
}

/* The largest value up to the present one that the rule allows; its interval begins at
 * lo. */
static int64_t
largest_allowed(const Known *k, CheckInstr *in, CheckStep step, int64_t lo)
{
    int64_t *v = &in->args[step.param].v;
    int64_t good = lo, bad = *v;
    while (bad - good > 1) {
        *v = good + (bad - good) / 2;
        if (evaluate(k, in, step, NULL)) {
            good = *v;
        } else {
            bad = *v;
        }
    }
    return good;
}

/* Limits a number by its further rule: a pad mode allows one value of the burst, a block
 * of padding a number of elements. */
static void
obey_values(const Known *k, const ParamRow *p, int n, CheckInstr *in)
{
    for (int i = 0; i < n; i++) {
        CheckStep step = {CHECK_VALUE, i};
        if (check_value_rule(in->op, i) != RULE_NONE && !in->args[i].literal &&
            require_direction(in->op, i) == DIRECTION_ALONE &&
            !evaluate(k, in, step, NULL)) {
            in->args[i].v = largest_allowed(k, in, step, param_lo(param_at(p, i)));
        }
    }
}

/* Sets every number to its largest legal value. Returns false when some operand has none,
 * so that the instruction faults before its bounds are checked. */
LEAN_APART static bool
largest(Known *k, CheckInstr *in)
{
    int n;
    const ParamRow *p = params_of(k, &n);
    check_copy(in, k->in);
    for (int i = 0; i < n; i++) {
        if (param_at(p, i)->role == ROLE_MASK) {
            if (!largest_mask(k, i, in)) {
                return false;
            }
        } else if (is_number(param_at(p, i)) && !in->args[i].literal &&
                   param_at(p, i)->rule != RULE_NONE) {
            Interval r = values(k, i);
            if (r.hi < check_least(in, i) || r.lo > param_hi(param_at(p, i))) {
                return false;
            }
            in->args[i].v =
                r.hi < param_hi(param_at(p, i)) ? r.hi : param_hi(param_at(p, i));
        }
    }
    obey_values(k, p, n, in);
    return true;
}

/* The least of each number that largest has filled. */
static void
least(const Known *k, CheckInstr *in)
{
    int n;
    const ParamRow *p = params_of(k, &n);
    for (int i = 0; i < n; i++) {
        if (is_number(param_at(p, i)) && !in->args[i].literal &&
            param_at(p, i)->rule != RULE_NONE) {
            int64_t lo = param_at(p, i)->role == ROLE_REPEAT ? 0
                                                             : param_lo(param_at(p, i)),
                    v = values(k, i).lo;
            in->args[i].v = v > lo ? v : lo;
        }
    }
}

bool
obligation_end(Known *k, int param, int64_t *end)
{
    Interval off = values(k, param);
    if (is_element(k)) {
        *end = sat_add(off.hi, dtype_size(k->in->args[0].t.dtype));
        return true;
    }
    bool exact;
    if (!largest(k, k->most)) {
        return false;
    }
    k->most->args[param].t.offset = 0;
    Footprint f = check_footprint(k->most, param, &exact);
    int64_t accessed = footprint_end(&f), extent = check_extent(k->most, param);
    *end = sat_add(off.hi, accessed > extent ? accessed : extent);
    return true;
}

/* ---- bounds -------------------------------------------------------------- */

/* That another operand has no legal value among the largest says nothing of smaller ones,
 * so the rule is asked alone. */
LEAN_APART static bool
bounds_hold(Known *k, CheckStep step)
{
    if (!largest(k, k->most)) {
        return true;
    }
    Interval off = values(k, step.param);
    put(k, k->most, step.param, off.lo);
    bool first = off.lo >= 0 || check_alone(k->most, step, NULL);
    put(k, k->most, step.param, off.hi);
    check_copy(k->least, k->most);
    least(k, k->least);
    return first && check_bounds_between(k->least, k->most, k->at, step, k->work);
}

/* Returns whether all values start before the tensor, or already the least one ends after
 * it. */
static bool
all_outside(const Known *k, int param)
{
    Interval off = values(k, param);
    const CheckTensor *t = &k->in->args[param].t;
    return (off.hi < 0 || off.lo >= 0) && !check_is_open(t) && t->items == 0;
}

LEAN_APART static Standing
bounds(Known *k, CheckStep step, Fault *fault)
{
    if (check_is_irregular(k->in) && !numbers_fixed(k)) {
        return STANDS_OPEN;
    }
    if (bounds_hold(k, step)) {
        return STANDS_PROVED;
    }
    if (!shape_fixed(k)) {
        return STANDS_OPEN;
    }
    Interval off = values(k, step.param);
    fill_ends(k, k->at);
    if (!holds_at(k, k->at, step, off.hi < 0 ? off.hi : off.lo, fault)) {
        return all_outside(k, step.param) ? STANDS_REFUTED : STANDS_BROKEN;
    }
    return holds_at(k, k->at, step, off.hi, fault) ? STANDS_OPEN : STANDS_BROKEN;
}

/* Bounds rely on alignment: an element between two others ends elsewhere. */
LEAN_APART static Standing
element_bounds(Known *k, CheckStep step, Fault *fault)
{
    Interval off = values(k, step.param);
    CheckStep align = {CHECK_ALIGN, step.param};
    check_copy(k->at, k->in);
    if (all_outside(k, step.param) &&
        !holds_at(k, k->at, step, off.hi < 0 ? off.hi : off.lo, fault)) {
        return STANDS_REFUTED;
    }
    return !holds_at_ends(k, k->at, step, fault)        ? STANDS_BROKEN
           : alignment(k, align, NULL) == STANDS_PROVED ? STANDS_PROVED
                                                        : STANDS_OPEN;
}

/* ---- overlap ------------------------------------------------------------- */

enum {
    NEAR = 1 << 30 /* known distances, in bytes, of which there are numbers three times as
                      large */
};

/* Returns whether the two operands can never access the same byte. Their offsets in most
 * are lost. */
LEAN_APART static bool
hulls_apart(const Known *k, CheckInstr *most, int a, int b)
{
    Interval x = values(k, a), y = values(k, b);
    spend(k, 2);
    most->args[a].t.offset = 0;
    most->args[b].t.offset = 0;
    int64_t xend = sat_add(x.hi, check_overlap_end(most, a));
    int64_t yend = sat_add(y.hi, check_overlap_end(most, b));
    return xend < INT64_MAX && yend < INT64_MAX && (xend <= y.lo || yend <= x.lo);
}

/* Returns whether no other tensor of the instruction in the operand's root can overlap
 * it. k->most has the largest numbers. */
static bool
stays_apart(const Known *k, int param)
{
    int n;
    const ParamRow *p = params_of(k, &n);
    for (int i = 0; i < n; i++) {
        if (is_accessed(param_at(p, i)) &&
            check_overlap_relates(op_form(k->in->op), i, param) &&
            k->in->args[i].t.buffer == k->in->args[param].t.buffer &&
            !hulls_apart(k, k->most, i, param)) {
            return false;
        }
    }
    return true;
}

/* Returns whether the place of every tensor is known. */
static bool
offsets_fixed(const Known *k)
{
    int n;
    const ParamRow *p = params_of(k, &n);
    for (int i = 0; i < n; i++) {
        if (is_accessed(param_at(p, i)) && !interval_is_const(values(k, i))) {
            return false;
        }
    }
    return true;
}

/* Returns whether one of the numbers of a move, or a stride of a vector instruction,
 * varies. */
static bool
strides_vary(const Known *k)
{
    int n;
    const ParamRow *p = params_of(k, &n);
    bool move = op_form(k->in->op) == FORM_MOVE;
    for (int i = 0; i < n; i++) {
        if (param_at(p, i)->role == ROLE_INT &&
            param_at(p, i)->rule != (move ? RULE_RANGE_SID : RULE_NONE) &&
            !interval_is_const(values(k, i))) {
            return true;
        }
    }
    return false;
}

/* All sources that share the root of dst at known distances from it: they are put there,
 * with dst at its own place. If that varies it is so far from the start of the root that
 * no operand with larger or smaller elements begins at the same one. False: a distance
 * varies. */
LEAN_APART static bool
place_operands(const Known *k, int dst, CheckInstr *in)
{
    int n;
    const ParamRow *p = params_of(k, &n);
    int64_t furthest = 0;
    for (int i = 0; i < n; i++) {
        int64_t d = 0;
        if (param_at(p, i)->role != ROLE_SRC) {
            continue;
        }
        if (in->args[i].t.buffer == in->args[dst].t.buffer &&
            (!k->distance(k->ctx, i, dst, &d) || d <= -NEAR || d >= NEAR)) {
            return false;
        }
        in->args[i].t.offset = d;
        furthest = d > furthest ? d : -d > furthest ? -d : furthest;
    }
    Interval r = values(k, dst);
    int64_t base = interval_is_const(r) ? r.lo : 3 * round_up(furthest + 1, BLOCK_BYTES);
    for (int i = 0; i < n; i++) {
        if (param_at(p, i)->role == ROLE_SRC) {
            in->args[i].t.offset = sat_add(in->args[i].t.offset, base);
        }
    }
    in->args[dst].t.offset = base;
    return true;
}

/* With repeats and lanes open, the most of them and a single repeat decide: between them
 * more repeats only add pairs. */
static bool
holds_at_repeats(const Known *k, CheckInstr *in, CheckStep step)
{
    int n;
    const ParamRow *p = params_of(k, &n);
    spend(k, 2 * (n + 1)); /* at most */
    if (!check_alone(in, step, NULL)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (param_at(p, i)->role == ROLE_REPEAT && !in->args[i].literal &&
            values(k, i).lo <= 1) {
            in->args[i].v = 1;
            return check_alone(in, step, NULL);
        }
    }
    int slot = op_first(in->op, ROLE_MASK);
    if (slot >= 0 && in->args[slot].m.form == MASK_COUNTER) {
        in->args[slot].m.w[0] = (uint64_t)check_lanes(in);
        return check_alone(in, step, NULL);
    }
    return true;
}

/* Of operands that take equal steps: they keep their distance, or are apart as a whole.
 * k->most has the largest numbers; their offsets are lost. */
static Standing
regular_overlap(Known *k, int dst, CheckStep step, Fault *fault)
{
    if (hulls_apart(k, k->most, dst, step.param)) {
        return STANDS_PROVED;
    }
    if (strides_vary(k) || !place_operands(k, dst, k->most)) {
        return STANDS_OPEN;
    }
    if (holds_at_repeats(k, k->most, step)) {
        return STANDS_PROVED;
    }
    return shape_fixed(k) && at_point(k, step, fault) == STANDS_REFUTED ? STANDS_BROKEN
                                                                        : STANDS_OPEN;
}

/* Returns whether the operand is in another root than the first destination, which is
 * all that is asked of those that take equal steps. */
static bool
other_root(const Known *k, int param)
{
    Form form = op_form(k->in->op);
    const CheckArg *a = k->in->args;
    return check_overlap_is_regular(form, param) &&
           a[form_first(form, ROLE_DST)].t.buffer != a[param].t.buffer;
}

/* With the largest numbers in k->most. */
static Standing
overlap_of_largest(Known *k, CheckStep step, Fault *fault)
{
    Form form = op_form(k->in->op);
    if (check_overlap_is_regular(form, step.param)) {
        return regular_overlap(k, form_first(form, ROLE_DST), step, fault);
    }
    if (stays_apart(k, step.param)) {
        return STANDS_PROVED;
    }
    return offsets_fixed(k) && shape_fixed(k) ? at_point(k, step, fault) : STANDS_OPEN;
}

LEAN_APART static Standing
overlap(Known *k, CheckStep step, Fault *fault)
{
    return other_root(k, step.param) || !largest(k, k->most)
               ? STANDS_PROVED
               : overlap_of_largest(k, step, fault);
}

#ifndef TIK_LEAN
/* ---- all steps at once --------------------------------------------------- */

/* Returns whether offsets and scalars are all that may vary, and the sizes of tensors are
 * known. */
static bool
only_places_vary(const Known *k)
{
    Form f = op_form(k->in->op);
    uint64_t tensors =
        form_roles[ROLE_DST][f] | form_roles[ROLE_SRC][f] | form_roles[ROLE_ROOT][f];
    for (; tensors != 0; tensors &= tensors - 1) {
        if (check_is_open(&k->in->args[__builtin_ctzll(tensors)].t)) {
            return false;
        }
    }
    uint64_t numbers = form_roles[ROLE_INT][f] | form_roles[ROLE_REPEAT][f];
    for (; numbers != 0; numbers &= numbers - 1) {
        if (!interval_is_const(values(k, __builtin_ctzll(numbers)))) {
            return false;
        }
    }
    int mask = form_first(f, ROLE_MASK);
    return mask < 0 || mask_is_fixed(k, mask);
}

/* The steps of one operand by itself. */
static bool
operand_stands(Known *k, const ParamInfo *p, int i)
{
    if (!check_operand(k->most, i, NULL)) {
        return false;
    }
    Interval r = values(k, i);
    if (is_accessed(p) && !interval_is_const(r)) {
        int align = check_align(k->in, i);
        return align == 1 || interval_is_multiple(r, align);
    }
    if (p->role == ROLE_SCALAR && !interval_is_const(r)) {
        k->most->args[i].v = r.hi;
        bool holds = check_operand(k->most, i, NULL);
        k->most->args[i].v = r.lo;
        return holds;
    }
    return true;
}

/* At both ends of the offset, which the numbers do not move. */
static bool
bounds_stand(Known *k, int i)
{
    CheckStep step = {CHECK_BOUNDS, i};
    Interval r = values(k, i);
    if (!check_alone(k->most, step, NULL)) {
        return false;
    }
    k->most->args[i].t.offset = r.hi;
    bool holds = interval_is_const(r) || check_alone(k->most, step, NULL);
    k->most->args[i].t.offset = r.lo;
    return holds;
}

static bool
all_steps_stand(Known *k)
{
    int n;
    const ParamRow *p = params_of(k, &n);
    check_copy(k->most, k->in);
    spend(k, 4 * n); /* at most two of each operand and of its bounds */
    for (int i = 0; i < n; i++) {
        if (!operand_stands(k, param_at(p, i), i)) {
            return false;
        }
    }
    for (int i = 0; i < n; i++) {
        if (is_accessed(param_at(p, i)) && !bounds_stand(k, i)) {
            return false;
        }
    }
    /* All numbers are legal and have one value, so they are the largest. */
    for (int i = 0; i < n; i++) {
        CheckStep step = {CHECK_OVERLAP, i};
        if (check_has_overlap(k->in->op, i) && !other_root(k, i)) {
            check_copy(k->most, k->in);
            if (overlap_of_largest(k, step, NULL) != STANDS_PROVED) {
                return false;
            }
        }
    }
    return true;
}

/* ---- shapes that were seen ----------------------------------------------- */

static bool
scalars_fixed(const Known *k)
{
    uint64_t scalars = form_roles[ROLE_SCALAR][op_form(k->in->op)];
    for (; scalars != 0; scalars &= scalars - 1) {
        if (!interval_is_const(values(k, __builtin_ctzll(scalars)))) {
            return false;
        }
    }
    return true;
}

bool
obligation_seen(Known *k)
{
    k->shape = NULL;
    k->like = k->seen = k->decides = false;
    if (k->shapes == NULL) {
        return false;
    }
    k->shape = shape_room(k->shapes, k->in);
    k->like = shape_is_like(k->shape, k->in);
    k->decides = shape_has(k->in->op) && only_places_vary(k) && scalars_fixed(k);
    k->seen = k->decides && k->like && shape_is(k->shape, k->in);
    return k->like;
}

/* Alignment and bounds of a tensor at all values of its offset; notes where it lies. */
static bool
place_stands(const Known *k, int i)
{
    Interval r = values(k, i);
    int align = k->shape->args[i].align;
    int64_t extent = k->shape->args[i].extent;
    k->places[i] = (Place){r.lo, sat_add(r.hi, k->shape->args[i].reach)};
    return (align == 1 || interval_is_multiple(r, align)) &&
           (extent == 0 ||
            (r.lo >= 0 && sat_add(r.hi, extent) <= k->shape->args[i].limit));
}

/* Returns whether two tensors of one root are apart, whatever their offsets are. */
static bool
reaches_apart(const Place *p, int a, int b)
{
    int64_t x = p[a].end, y = p[b].end;
    return x < INT64_MAX && y < INT64_MAX && (x <= p[b].lo || y <= p[a].lo);
}

/* Returns whether the operand can share no byte with one that it is compared with. */
static bool
stands_apart(const Known *k, const ParamRow *p, int n, int param)
{
    const Shape *s = k->shape;
    Form form = op_form(s->op);
    const CheckArg *a = k->in->args;
    uint32_t root = a[param].t.buffer;
    if (s->args[param].regular) {
        return a[s->dst].t.buffer != root || reaches_apart(k->places, s->dst, param);
    }
    for (int i = 0; i < n; i++) {
        if (a[i].t.buffer == root && is_accessed(param_at(p, i)) &&
            !reaches_apart(k->places, i, param) &&
            check_overlap_relates(form, i, param)) {
            return false;
        }
    }
    return true;
}

/* All tensors of a role: their root, if they have one, and where they lie in it. */
typedef struct Group {
    int64_t lo, end;
    uint32_t root;
    bool any, one;
} Group;

static Group
group_of(const Known *k, const ParamRow *p, int n, Role role)
{
    Group g = {.lo = INT64_MAX, .end = INT64_MIN, .one = true};
    for (int i = 0; i < n; i++) {
        if (param_at(p, i)->role == role) {
            uint32_t root = k->in->args[i].t.buffer;
            int64_t lo = k->places[i].lo, end = k->places[i].end;
            g.one = g.one && (!g.any || root == g.root);
            g.root = root;
            g.any = true;
            g.lo = lo < g.lo ? lo : g.lo;
            g.end = end > g.end ? end : g.end;
        }
    }
    return g;
}

/* Returns whether all sources are apart from all destinations, and nothing else is
 * compared; long lists need no more. */
static bool
groups_apart(const Known *k, const ParamRow *p, int n)
{
    if (!k->shape->crossed) {
        return false;
    }
    Group d = group_of(k, p, n, ROLE_DST), s = group_of(k, p, n, ROLE_SRC);
    return d.one && s.one &&
           (d.root != s.root ||
            (d.end < INT64_MAX && s.end < INT64_MAX && (d.end <= s.lo || s.end <= d.lo)));
}

/* Compares a tensor with those before it, while all numbers are legal and have one value.
 * Reaches have not told; of tensors that take equal steps the distances do. */
static bool
overlap_stands(Known *k, int i)
{
    CheckStep step = {CHECK_OVERLAP, i};
    check_copy(k->most, k->in);
    if (!k->shape->args[i].regular) {
        return overlap_of_largest(k, step, NULL) == STANDS_PROVED;
    }
    return place_operands(k, k->shape->dst, k->most) &&
           holds_at_repeats(k, k->most, step);
}

static bool
places_stand(Known *k)
{
    int n;
    const ParamRow *p = params_of(k, &n);
    spend(k, n);
    for (int i = 0; i < n; i++) {
        if (is_accessed(param_at(p, i)) && !place_stands(k, i)) {
            return false;
        }
    }
    bool apart = groups_apart(k, p, n);
    for (int i = 0; !apart && i < n; i++) {
        if (is_accessed(param_at(p, i)) && k->shape->args[i].compared &&
            !stands_apart(k, p, n, i) && !overlap_stands(k, i)) {
            return false;
        }
    }
    return true;
}

bool
obligation_all_stand(Known *k)
{
    if (k->shape != NULL && !k->like) {
        shape_keep(k->shape, k->in);
    }
    if (!k->decides) {
        return !is_element(k) && only_places_vary(k) && all_steps_stand(k);
    }
    if (!k->seen) {
        if (!check_numbers(k->in, NULL)) {
            return false;
        }
        shape_keep_numbers(k->shape, k->in, k->at);
    }
    return places_stand(k);
}
#endif

Standing
obligation_stands(Known *k, CheckStep step, Fault *fault)
{
    switch (step.kind) {
    case CHECK_ALIGN:
        return alignment(k, step, fault);
    case CHECK_MASK:
        return mask(k, step, fault);
    case CHECK_RANGE:
        return range(k, step, fault);
    case CHECK_SCALAR:
        return at_ends(k, step, fault);
    case CHECK_VALUE:
        return value(k, step, fault);
    case CHECK_BOUNDS:
        return is_element(k) ? element_bounds(k, step, fault) : bounds(k, step, fault);
    case CHECK_OVERLAP:
        return overlap(k, step, fault);
    }
    return STANDS_OPEN;
}
