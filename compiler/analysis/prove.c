/* prove.c: see prove.h. Rules are decided by the numeric checker at the ends of ranges
 * wherever a rule is monotone: more repeats, lanes, bursts and larger strides only touch
 * more and further bytes. So no rule is written down a second time here. */

/* ASSUMES others-in-range: other operands are within their ranges. */
/* ASSUMES value-alone: a rule on one number asks no other number, and holds between two
 * numbers at which it holds. */
/* ASSUMES bounds-monotone: bounds that hold for the largest numbers hold for smaller
 * ones. */
/* ASSUMES unranged-unasked: a number without a range of its own changes no bounds. */
#include "analysis/prove.h"

static Range
operand_range(const Env *env, const Site *s, int param, int i)
{
    return env_range(env, site_expr(s, param, i));
}

static bool
holds(const Site *s, const CheckInstr *in, CheckStep step)
{
    Fault f;
    return site_check(s, in, step, &f);
}

/* Holds at both ends of the operand's range, for rules that allow an interval. */
static bool
holds_at_ends(const Env *env, const Site *s, CheckStep step)
{
    Range r = operand_range(env, s, step.param, 0);
    CheckInstr in = s->in;
    site_put(s, &in, step.param, 0, r.lo);
    if (!holds(s, &in, step)) {
        return false;
    }
    site_put(s, &in, step.param, 0, r.hi);
    return holds(s, &in, step);
}

static bool
numbers_are_literals(const Site *s)
{
    for (int p = 0; p < s->nparams; p++) {
        Role role = s->params[p].role;
        if ((role == ROLE_INT || role == ROLE_REPEAT) && !s->in.args[p].literal) {
            return false;
        }
    }
    return true;
}

static bool
holds_at_corners(const Env *env, const Site *s, CheckStep step)
{
    CheckInstr in = s->in;
    Range r = operand_range(env, s, step.param, 0);
    site_put(s, &in, step.param - 1, 0, operand_range(env, s, step.param - 1, 0).lo);
    site_put(s, &in, step.param, 0, r.lo);
    if (!holds(s, &in, step)) {
        return false;
    }
    site_put(s, &in, step.param, 0, r.hi);
    return holds(s, &in, step);
}

/* A tensor that is only named and whose size the run knows: its rule asks for the
 * size. */
static bool
names_open(const Site *s)
{
    for (int p = 0; p < s->nparams; p++) {
        if (s->params[p].role == ROLE_ROOT && check_is_open(&s->in.args[p].t)) {
            return true;
        }
    }
    return false;
}

static bool
prove_value(const Env *env, const Site *s, CheckStep step)
{
    if (names_open(s)) {
        return false;
    }
    if (check_value_corners(s->in.op, step.param)) {
        return holds_at_corners(env, s, step);
    }
    if (check_is_irregular(&s->in)) {
        return numbers_are_literals(s) && holds(s, &s->in, step);
    }
    if (!check_value_relates(s->in.op, step.param)) {
        return holds_at_ends(env, s, step);
    }
    return (check_value_free_to_1(s->in.op, step.param) &&
            operand_range(env, s, step.param, 0).hi <= 1) ||
           (numbers_are_literals(s) && holds(s, &s->in, step));
}

static bool
prove_align(const Env *env, const Site *s, CheckStep step)
{
    const CheckTensor *t = &s->in.args[step.param].t;
    int align = s->element ? dtype_size(t->dtype) : check_align(&s->in, step.param);
    return align == 1 || range_is_multiple(operand_range(env, s, step.param, 0), align);
}

/* Some word is never 0 and no lane past the last is ever set. */
static bool
prove_mask_bits(const Env *env, const Site *s, int param)
{
    int lanes = check_lanes(&s->in);
    bool set = false;
    for (int i = 0; i < site_exprs(s, param); i++) {
        Range r = operand_range(env, s, param, i);
        set = set || r.lo > 0 || r.hi < 0;
        int valid = lanes - 64 * i;
        int64_t most = valid <= 0 ? 0 : ((int64_t)1 << MIN(valid, 62)) - 1;
        if (valid < 64 && (r.lo < 0 || r.hi > most)) {
            return false;
        }
    }
    return set;
}

/* Only of a constant mask. */
static bool
prove_mask_pairs(const Env *env, const Site *s, CheckStep step)
{
    CheckInstr in = s->in;
    Fault fault;
    for (int i = 0; i < site_exprs(s, step.param); i++) {
        Range r = operand_range(env, s, step.param, i);
        if (r.lo != r.hi) {
            return false;
        }
        in.args[step.param].m.w[i] = (uint64_t)r.lo;
    }
    return check_step(&in, step, &fault);
}

static bool
prove_mask(const Env *env, const Site *s, CheckStep step)
{
    MaskForm form = s->in.args[step.param].m.form;
    if (check_masks_pairs(&s->in)) {
        return prove_mask_pairs(env, s, step);
    }
    if (form == MASK_COUNT || form == MASK_COUNTER) {
        return holds_at_ends(env, s, step);
    }
    return prove_mask_bits(env, s, step.param);
}

/* ---- bounds -------------------------------------------------------------- */

/* Whether the largest value counts: numbers, counts of lanes. */
static bool
fill_largest_mask(const Env *env, const Site *s, int param, CheckInstr *in)
{
    CheckMask *m = &in->args[param].m;
    int lanes = check_lanes(in);
    if (m->form == MASK_COUNT || m->form == MASK_COUNTER) {
        Range r = operand_range(env, s, param, 0);
        int64_t most = m->form == MASK_COUNT ? lanes : (int64_t)UINT32_MAX;
        m->w[0] = (uint64_t)MIN(r.hi, most);
        return r.hi >= 1;
    }
    for (int i = 0; i < mask_words(m->form); i++) {
        if (!ir_is_const(s->k, site_expr(s, param, i))) {
            int valid = lanes - 64 * i;
            m->w[i] = valid >= 64 ? UINT64_MAX
                      : valid > 0 ? ((uint64_t)1 << valid) - 1
                                  : 0;
        }
    }
    return true;
}

/* The largest value up to the present one that the rule allows; its interval begins at
 * lo. */
static int64_t
largest_allowed(const Site *s, const CheckInstr *largest, CheckStep step, int64_t lo)
{
    CheckInstr in = *largest;
    int64_t *v = &in.args[step.param].v;
    int64_t good = lo, bad = *v;
    while (bad - good > 1) {
        *v = good + (bad - good) / 2;
        if (holds(s, &in, step)) {
            good = *v;
        } else {
            bad = *v;
        }
    }
    return good;
}

/* What a further rule leaves: a pad mode one legal value of the burst and of the source
 * stride, a block of padding so many elements. */
static void
fill_value(const Site *s, CheckInstr *in)
{
    for (int i = 0; i < s->nsteps; i++) {
        CheckStep step = s->steps[i];
        CheckArg *a = &in->args[step.param];
        if (step.kind == CHECK_VALUE && !check_value_relates(in->op, step.param) &&
            !a->literal && !holds(s, in, step)) {
            a->v = largest_allowed(s, in, step, s->params[step.param].lo);
        }
    }
}

/* Fills every number with its largest legal value. False: some operand has no legal
 * value, so the instruction faults before the rule is asked. */
static bool
fill_largest(const Env *env, const Site *s, CheckInstr *in)
{
    for (int p = 0; p < s->nparams; p++) {
        const ParamInfo *info = &s->params[p];
        if (info->role == ROLE_MASK) {
            if (!fill_largest_mask(env, s, p, in)) {
                return false;
            }
        } else if ((info->role == ROLE_INT || info->role == ROLE_REPEAT) &&
                   !in->args[p].literal && info->rule != RULE_NONE) {
            Range r = operand_range(env, s, p, 0);
            int64_t lo = check_least(in, p);
            if (r.hi < lo || r.lo > info->hi) {
                return false;
            }
            in->args[p].v = MIN(r.hi, info->hi);
        }
    }
    fill_value(s, in);
    return true;
}

/* The least of each number that fill_largest has filled. */
static void
fill_least(const Env *env, const Site *s, CheckInstr *in)
{
    for (int p = 0; p < s->nparams; p++) {
        const ParamInfo *info = &s->params[p];
        if ((info->role == ROLE_INT || info->role == ROLE_REPEAT) &&
            !in->args[p].literal && info->rule != RULE_NONE) {
            int64_t lo = info->role == ROLE_REPEAT ? 0 : info->lo;
            in->args[p].v = MAX(operand_range(env, s, p, 0).lo, lo);
        }
    }
}

static bool
prove_bounds(const Env *env, const Site *s, CheckStep step)
{
    if (s->element) {
        return prove_align(env, s, (CheckStep){CHECK_ALIGN, 0}) &&
               holds_at_ends(env, s, step);
    }
    if (check_is_irregular(&s->in) && !numbers_are_literals(s)) {
        return false;
    }
    CheckInstr in = s->in;
    if (!fill_largest(env, s, &in)) {
        return true;
    }
    Range off = operand_range(env, s, step.param, 0);
    in.args[step.param].t.offset = off.hi;
    Fault ignored;
    CheckInstr least = in;
    fill_least(env, s, &least);
    return off.lo >= 0 && check_bounds_between(&least, &in, step, &ignored);
}

bool
prove_end(const Env *env, const Site *s, int param, int64_t *end)
{
    Range off = operand_range(env, s, param, 0);
    if (s->element) {
        *end = range_add_sat(off.hi, dtype_size(s->in.args[0].t.dtype));
        return true;
    }
    bool exact;
    CheckInstr in = s->in;
    if (!fill_largest(env, s, &in)) {
        return false;
    }
    in.args[param].t.offset = 0;
    Footprint f = check_footprint(&in, param, &exact);
    *end = range_add_sat(off.hi, MAX(footprint_end(&f), check_extent(&in, param)));
    return true;
}

/* ---- overlap ------------------------------------------------------------- */

/* The bytes that the operand can touch at all. False: too far away to tell. */
static bool
hull_of(const Env *env, const Site *s, const CheckInstr *largest, int param, Range *out)
{
    Range off = operand_range(env, s, param, 0);
    CheckInstr in = *largest;
    in.args[param].t.offset = 0;
    *out = range_interval(off.lo, range_add_sat(off.hi, check_overlap_end(&in, param)));
    return out->hi < INT64_MAX;
}

static bool
hulls_apart(const Env *env, const Site *s, const CheckInstr *largest, int a, int b)
{
    Range x, y;
    return hull_of(env, s, largest, a, &x) && hull_of(env, s, largest, b, &y) &&
           (x.hi <= y.lo || y.hi <= x.lo);
}

/* The constant distance of two offsets. */
static bool
distance(const Env *env, const Site *s, int a, int b, int64_t *out)
{
    Affine x, y, d;
    if (!env_affine(env, site_expr(s, a, 0), &x) ||
        !env_affine(env, site_expr(s, b, 0), &y) || !affine_sub(&x, &y, &d) || d.n != 0) {
        return false;
    }
    *out = d.constant;
    return true;
}

/* Whether one of the numbers of a move, or a stride of a vector instruction, is not
 * constant. */
static bool
shape_is_open(const Site *s)
{
    bool move = op_table[s->in.op].form == FORM_MOVE;
    for (int p = 0; p < s->nparams; p++) {
        if (s->params[p].role == ROLE_INT && !s->in.args[p].literal &&
            s->params[p].rule != (move ? RULE_RANGE_SID : RULE_NONE)) {
            return true;
        }
    }
    return false;
}

/* With repeats and lanes open, the most of them and a single repeat decide: between them
 * more repeats only add pairs. */
static bool
holds_at_repeats(const Env *env, const Site *s, CheckInstr *in, CheckStep step)
{
    if (!holds(s, in, step)) {
        return false;
    }
    for (int p = 0; p < s->nparams; p++) {
        if (s->params[p].role == ROLE_REPEAT && !in->args[p].literal &&
            operand_range(env, s, p, 0).lo <= 1) {
            in->args[p].v = 1;
            return holds(s, in, step);
        }
    }
    int mask = form_slot(op_table[in->op].form, ROLE_MASK, NULL);
    if (mask >= 0 && in->args[mask].m.form == MASK_COUNTER) {
        in->args[mask].m.w[0] = (uint64_t)check_lanes(in);
        return holds(s, in, step);
    }
    return true;
}

/* All tensors of the instruction that share the buffer of dst at known distances from it:
 * put them there. False: a distance is open. */
static bool
place_operands(const Env *env, const Site *s, int dst, CheckInstr *in)
{
    int64_t least = 0;
    for (int p = 0; p < s->nparams; p++) {
        if (s->params[p].role != ROLE_SRC) {
            continue;
        }
        int64_t d = 0;
        bool same = in->args[p].t.buffer == in->args[dst].t.buffer;
        if (same && !distance(env, s, p, dst, &d)) {
            return false;
        }
        in->args[p].t.offset = d;
        least = MIN(least, d);
    }
    int64_t base = -range_div_floor(least, BLOCK_BYTES) * BLOCK_BYTES;
    for (int p = 0; p < s->nparams; p++) {
        if (s->params[p].role == ROLE_SRC) {
            in->args[p].t.offset = range_add_sat(in->args[p].t.offset, base);
        }
    }
    in->args[dst].t.offset = base;
    return true;
}

/* Every other tensor of the instruction in the operand's buffer stays away from it. */
static bool
stays_apart(const Env *env, const Site *s, const CheckInstr *largest, int param)
{
    for (int p = 0; p < s->nparams; p++) {
        bool tensor = s->params[p].role == ROLE_DST || s->params[p].role == ROLE_SRC;
        if (tensor && check_overlap_relates(op_table[s->in.op].form, p, param) &&
            s->in.args[p].t.buffer == s->in.args[param].t.buffer &&
            !hulls_apart(env, s, largest, p, param)) {
            return false;
        }
    }
    return true;
}

static bool
prove_overlap(const Env *env, const Site *s, CheckStep step)
{
    Form form = op_table[s->in.op].form;
    int dst = form_slot(form, ROLE_DST, NULL);
    if (!check_overlap_is_regular(form, step.param)) {
        CheckInstr largest = s->in;
        return !fill_largest(env, s, &largest) ||
               stays_apart(env, s, &largest, step.param);
    }
    if (s->in.args[dst].t.buffer != s->in.args[step.param].t.buffer) {
        return true;
    }
    CheckInstr in = s->in;
    if (!fill_largest(env, s, &in)) {
        return true;
    }
    bool accumulating = check_accumulating_form(form) && step.param == 2 &&
                        s->in.args[2].t.buffer == s->in.args[3].t.buffer;
    if (!accumulating && hulls_apart(env, s, &in, dst, step.param)) {
        return true;
    }
    return !shape_is_open(s) && place_operands(env, s, dst, &in) &&
           holds_at_repeats(env, s, &in, step);
}

bool
prove_step(const Env *env, const Site *s, CheckStep step)
{
    switch (step.kind) {
    case CHECK_ALIGN:
        return prove_align(env, s, step);
    case CHECK_MASK:
        return prove_mask(env, s, step);
    case CHECK_RANGE:
        return holds_at_ends(env, s, step);
    case CHECK_VALUE:
        return prove_value(env, s, step);
    case CHECK_SCALAR:
        return ir_expr(s->k, site_expr(s, step.param, 0))->dtype ==
                   check_scalar_dtype(&s->in, step.param) ||
               holds_at_ends(env, s, step);
    case CHECK_BOUNDS:
        return prove_bounds(env, s, step);
    case CHECK_OVERLAP:
        return prove_overlap(env, s, step);
    }
    UNREACHABLE();
}

/* ---- refutation without an iteration ------------------------------------- */

static bool
broken_at(const Site *s, CheckStep step, int64_t v, Fault *fault)
{
    CheckInstr in = s->in;
    site_put(s, &in, step.param, 0, v);
    return !site_check(s, &in, step, fault);
}

/* No value of the offset is a multiple. */
static bool
refute_align(const Env *env, const Site *s, CheckStep step, Fault *fault)
{
    const CheckTensor *t = &s->in.args[step.param].t;
    int64_t align = s->element ? dtype_size(t->dtype) : check_align(&s->in, step.param);
    Range r = operand_range(env, s, step.param, 0);
    int64_t mod = r.mod, unit = align;
    while (mod != 0) { /* the greatest common divisor */
        int64_t rest = unit % mod;
        unit = mod;
        mod = rest;
    }
    return align > 1 && r.mod > 1 && r.rem % unit != 0 &&
           broken_at(s, step, r.rem, fault);
}

/* Numbers other than the operand itself are literals. */
static bool
rest_is_literal(const Site *s, int param)
{
    for (int p = 0; !s->element && p < s->nparams; p++) {
        Role role = s->params[p].role;
        for (int i = 0; p != param && i < site_exprs(s, p); i++) {
            bool shape = role == ROLE_INT || role == ROLE_REPEAT || role == ROLE_MASK;
            if (shape && !ir_is_const(s->k, site_expr(s, p, i))) {
                return false;
            }
        }
    }
    return true;
}

/* Each value starts before the tensor, or already the least one ends behind it. */
static bool
refute_bounds(const Env *env, const Site *s, CheckStep step, Fault *fault)
{
    Range r = operand_range(env, s, step.param, 0);
    if (!rest_is_literal(s, step.param) || check_is_open(&s->in.args[step.param].t) ||
        s->in.args[step.param].t.items > 0) {
        return false;
    }
    return r.hi < 0    ? broken_at(s, step, r.hi, fault)
           : r.lo >= 0 ? broken_at(s, step, r.lo, fault)
                       : false;
}

static bool
refute_range(const Env *env, const Site *s, CheckStep step, Fault *fault)
{
    const ParamInfo *p = &s->params[step.param];
    Range r = operand_range(env, s, step.param, 0);
    int64_t lo = check_least(&s->in, step.param);
    return (r.hi < lo && broken_at(s, step, r.hi, fault)) ||
           (r.lo > p->hi && broken_at(s, step, r.lo, fault));
}

bool
refute_step(const Env *env, const Site *s, CheckStep step, Fault *fault)
{
    switch (step.kind) {
    case CHECK_ALIGN:
        return refute_align(env, s, step, fault);
    case CHECK_RANGE:
        return refute_range(env, s, step, fault);
    case CHECK_BOUNDS:
        return refute_bounds(env, s, step, fault);
    case CHECK_MASK:
    case CHECK_SCALAR:
    case CHECK_VALUE:
    case CHECK_OVERLAP:
        return false;
    }
    UNREACHABLE();
}
