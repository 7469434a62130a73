/* prove.c: one instruction or access, for every iteration (P2, P6). Part of the verifier.
 *
 * The rules are rules/check.c's, on concrete values. When all operands are constants they
 * are asked once. Otherwise each rule is asked with every operand at its least and at its
 * greatest value, which answers for all values between: ranges, masks (counts), scalars,
 * pad rules   are intervals bounds      the end of a footprint grows with every operand;
 * the start is the offset alone; in an address list, whose arrays are not known here,
 * they are never proved alignment   the offset's step must keep it overlap     asked when
 * source and destination keep their distance and only lanes and repeats vary (fewer of
 * them touch fewer bytes); else the bytes between their least start and greatest end must
 * not meet What fails at a value that is certainly reached is refuted and refused by the
 * rule's name; anything else is `unproved`, unless the descriptor says that it is checked
 * while running. */

/* ASSUMES bound-63: a bound is below 2^63. */
/* ASSUMES counter-range: a counter is between begin and end - 1, an instruction that is
 * not marked holds. */
/* ASSUMES loop-type-integer: the type that loop_bounds names is one of integers. */
/* ASSUMES value-alone: a rule on one number asks no other number, and holds between two
 * numbers at which it holds. */
/* ASSUMES bounds-monotone: bounds that hold for the largest numbers hold for smaller
 * ones. */
#include "blob/verify.h"

/* No root tensor is that large; keeps hostile offsets out of the arithmetic of the
 * checks. */
static const int64_t far_away = (int64_t)1 << 48;

/* ---- operands ------------------------------------------------------------ */

/* Range of an operand's byte offset; *wide when it cannot be bounded. False: refused. */
static bool
operand_range(Verifier *v, const TikOperand *o, int i)
{
    BlobRange sum = blob_range_value(o->offset);
    v->wide[i] = false;
    v->exact[i] = true;
    for (int t = 0; t < o->nterms; t++) {
        BlobRange n, part;
        if (!verify_number(v, &o->terms[t].num, &n, &v->exact[i])) {
            return false;
        }
        if (!blob_range_mul(n, blob_range_value(o->terms[t].coef), &part) ||
            !blob_range_add(sum, part, &sum)) {
            v->wide[i] = true;
            return true;
        }
    }
    v->offsets[i] = sum;
    v->wide[i] = sum.lo < -far_away || sum.hi > far_away;
    return true;
}

static CheckTensor
tensor_at(const Verifier *v, const TikOperand *o, int64_t offset)
{
    const uint8_t *p =
        blob_record(v->b, SEC_REGN, v->c.kernel.first_region + (uint64_t)o->region);
    int64_t bytes = (int64_t)get64(p + 16);
    return (CheckTensor){
        .buffer = o->region,
        .scope = (Scope)p[4],
        .dtype = o->dtype,
        .offset = offset,
        .bytes = bytes,
        .exact = chosen(&v->b->choices, CHOICE_GM_BOUND) == CHOSE_GM_BOUND_EXACT,
        .open = p[7] != 0,
        .read_only = p[6] == TIKBLOB_TABLE,
        .items = p[6] == TIKBLOB_LIST ? (int32_t)(bytes / LIST_WINDOW) : 0};
}

/* Whether the size of the operand's region is known only while running. */
static bool
is_open(const Verifier *v, const TikOperand *o)
{
    return blob_record(v->b, SEC_REGN,
                       v->c.kernel.first_region + (uint64_t)o->region)[7] != 0;
}

static bool
bind_tensor(Verifier *v, int i)
{
    const TikOperand *o = &v->d.args[i].t;
    if (!operand_range(v, o, i)) {
        return false;
    }
    v->lo.args[i].t = tensor_at(v, o, v->wide[i] ? 0 : v->offsets[i].lo);
    v->hi.args[i].t = tensor_at(v, o, v->wide[i] ? 0 : v->offsets[i].hi);
    return true;
}

static bool
bind_mask(Verifier *v, int i)
{
    v->lo.args[i].m = (CheckMask){.form = v->d.mask_form};
    v->hi.args[i].m = v->lo.args[i].m;
    v->exact[i] = true;
    for (int w = 0; w < mask_words(v->d.mask_form); w++) {
        BlobRange r;
        if (!verify_number(v, &v->d.args[i].mask[w], &r, &v->exact[i])) {
            return false;
        }
        v->lo.args[i].m.w[w] = (uint64_t)r.lo;
        v->hi.args[i].m.w[w] = (uint64_t)r.hi;
        v->numbers_vary |= !blob_range_is_value(&r);
        v->shape_varies |= !blob_range_is_value(&r) && v->d.mask_form != MASK_COUNT;
    }
    return true;
}

static bool
bind_number(Verifier *v, int i, Role role)
{
    BlobRange r;
    v->exact[i] = true;
    if (!verify_number(v, &v->d.args[i].v, &r, &v->exact[i])) {
        return false;
    }
    v->lo.args[i].v = r.lo;
    v->hi.args[i].v = r.hi;
    v->lo.args[i].literal = v->d.args[i].literal;
    v->hi.args[i].literal = v->d.args[i].literal;
    bool varies = !blob_range_is_value(&r) && role != ROLE_SCALAR;
    v->numbers_vary |= varies;
    v->shape_varies |= varies && role != ROLE_REPEAT;
    return true;
}

static bool
bind(Verifier *v)
{
    int n;
    const ParamInfo *p = form_params(op_table[v->d.op].form, &n);
    v->lo.op = v->d.op;
    v->lo.soc = v->b->soc;
    v->lo.choices = &v->b->choices;
    v->hi.op = v->d.op;
    v->hi.soc = v->b->soc;
    v->hi.choices = &v->b->choices;
    v->numbers_vary = false;
    v->shape_varies = false;
    for (int i = 0; i < n; i++) {
        v->lo.args[i] = (CheckArg){.v = 0};
        v->hi.args[i] = (CheckArg){.v = 0};
        v->exact[i] = true;
        v->wide[i] = false; /* stays so for all but tensors */
        bool tensor =
            p[i].role == ROLE_DST || p[i].role == ROLE_SRC || p[i].role == ROLE_ROOT;
        bool fixed = p[i].role == ROLE_ATTR || p[i].role == ROLE_PIPE;
        if (fixed && v->d.args[i].v.kind != NUM_IMM) {
            return verify_bad(v, BLOB_ATTR_CONST, (BlobSeen){i, 0, 0});
        }
        bool ok = tensor                       ? bind_tensor(v, i)
                  : p[i].role == ROLE_MASK     ? bind_mask(v, i)
                  : p[i].role == ROLE_MASKMODE ? true
                                               : bind_number(v, i, p[i].role);
        if (!ok) {
            return false;
        }
    }
    return true;
}

/* ---- verdicts ------------------------------------------------------------ */

/* Every execution of the descriptor's place happens: no branch around it. */
static bool
always_reached(const Verifier *v)
{
    return v->nifs == 0;
}

static BlobAt
values_of_fault(const Verifier *v)
{
    return (BlobAt){.seen_lo = v->fault.value,
                    .seen_hi = v->fault.value,
                    .allowed_lo = v->fault.lo,
                    .allowed_hi = v->fault.hi};
}

static bool
fails(Verifier *v, bool refuted)
{
    BlobAt at = values_of_fault(v);
    return verify_weak(
        v, refuted ? rule_table[v->fault.rule].name : blob_rules[BLOB_UNPROVED].name,
        &at);
}

/* ---- steps of the checker ------------------------------------------------ */

static bool
both_ends(Verifier *v, CheckStep s)
{
    return check_step(&v->lo, s, &v->fault) && check_step(&v->hi, s, &v->fault);
}

static bool
mask_holds(Verifier *v, CheckStep s)
{
    bool counts = v->d.mask_form == MASK_COUNT || v->d.mask_form == MASK_COUNTER;
    const CheckMask *lo = &v->lo.args[s.param].m;
    const CheckMask *hi = &v->hi.args[s.param].m;
    bool constant = !counts || check_masks_pairs(&v->lo);
    for (int i = 0; constant && i < mask_words(lo->form); i++) {
        if (lo->w[i] != hi->w[i]) {
            return false;
        }
    }
    return both_ends(v, s);
}

/* With one term the second value of the offset is reached, and is the witness. */
static bool
alignment_holds(Verifier *v, CheckStep s)
{
    CheckTensor *t = &v->lo.args[s.param].t;
    const BlobRange *r = &v->offsets[s.param];
    uint64_t align = (uint64_t)check_align(&v->lo, s.param);
    if (v->wide[s.param] || !check_step(&v->lo, s, &v->fault)) {
        return false;
    }
    if (r->step % align == 0) {
        return true;
    }
    if (v->d.args[s.param].t.nterms == 1) {
        t->offset = r->lo + (int64_t)r->step;
        (void)check_step(&v->lo, s, &v->fault);
        t->offset = r->lo;
    }
    return false;
}

/* The greatest extent at the least and at the greatest start. */
/* With the tensor at its highest place. */
static bool
bounds_between(Verifier *v, CheckStep s)
{
    CheckInstr lo = v->hi;
    int n;
    const ParamInfo *p = form_params(op_table[v->d.op].form, &n);
    for (int i = 0; i < n; i++) {
        if (p[i].role == ROLE_INT || p[i].role == ROLE_REPEAT) {
            lo.args[i].v = v->lo.args[i].v > p[i].lo ? v->lo.args[i].v : p[i].lo;
        }
    }
    return check_bounds_between(&lo, &v->hi, s, &v->fault);
}

static bool
bounds_hold(Verifier *v, CheckStep s)
{
    if (v->wide[s.param]) {
        return false;
    }
    CheckTensor *t = &v->hi.args[s.param].t;
    t->offset = v->offsets[s.param].lo;
    bool first = check_step(&v->hi, s, &v->fault);
    t->offset = v->offsets[s.param].hi;
    return first && bounds_between(v, s) && !check_is_open(t);
}

static bool
same_terms(const TikOperand *a, const TikOperand *b)
{
    if (a->nterms != b->nterms) {
        return false;
    }
    for (int i = 0; i < a->nterms; i++) {
        if (a->terms[i].num.kind != b->terms[i].num.kind ||
            a->terms[i].num.index != b->terms[i].num.index ||
            a->terms[i].coef != b->terms[i].coef) {
            return false;
        }
    }
    return true;
}

/* Whether no byte that the one operand can ever touch is one that the other can. */
static bool
hulls_apart(const Verifier *v, int a, int b)
{
    return !v->wide[a] && !v->wide[b] &&
           (check_overlap_end(&v->hi, a) <= v->offsets[b].lo ||
            check_overlap_end(&v->hi, b) <= v->offsets[a].lo);
}

/* Sources in the destination's root keep their distance to it (fixed), or never come near
 * it. */
static bool
sources_near(const Verifier *v, int dst, bool *fixed, bool *apart)
{
    int n;
    const ParamInfo *p = form_params(op_table[v->d.op].form, &n);
    const TikOperand *d = &v->d.args[dst].t;
    *fixed = !v->shape_varies;
    *apart = true;
    bool any = false;
    for (int i = 0; i < n; i++) {
        const TikOperand *s = &v->d.args[i].t;
        if (p[i].role != ROLE_SRC || s->region != d->region) {
            continue;
        }
        any = true;
        *fixed &= same_terms(d, s) && !v->wide[i] && !v->wide[dst];
        *apart &= hulls_apart(v, dst, i);
    }
    return any;
}

static int
first_destination(const Verifier *v)
{
    int n;
    const ParamInfo *p = form_params(op_table[v->d.op].form, &n);
    int i = 0;
    while (i < n && p[i].role != ROLE_DST) {
        i++;
    }
    return i;
}

static CheckArg *
repeat_of(Verifier *v, CheckInstr *in)
{
    int n;
    const ParamInfo *p = form_params(op_table[v->d.op].form, &n);
    for (int i = 0; i < n; i++) {
        if (p[i].role == ROLE_REPEAT) {
            return &in->args[i];
        }
    }
    return NULL;
}

/* One repeat has a rule of its own, so it is asked for too when the number of repeats
 * varies. */
static bool
overlap_at_most(Verifier *v, CheckStep s)
{
    CheckArg *hi = repeat_of(v, &v->hi);
    CheckArg *lo = repeat_of(v, &v->lo);
    if (!check_step(&v->hi, s, &v->fault)) {
        return false;
    }
    if (hi == NULL || lo->v > 1 || hi->v <= 1) {
        return true;
    }
    int64_t repeats = hi->v;
    hi->v = 1;
    bool held = check_step(&v->hi, s, &v->fault);
    hi->v = repeats;
    return held;
}

/* Some tensor's address is not one value. */
static bool
offsets_vary(const Verifier *v)
{
    int n;
    const ParamInfo *p = form_params(op_table[v->d.op].form, &n);
    for (int i = 0; i < n; i++) {
        bool tensor = p[i].role == ROLE_DST || p[i].role == ROLE_SRC;
        if (tensor && (v->wide[i] || !blob_range_is_value(&v->offsets[i]))) {
            return true;
        }
    }
    return false;
}

/* Every other tensor of the instruction in the operand's root stays away from it. */
static bool
stays_apart(const Verifier *v, int param)
{
    int n;
    const ParamInfo *p = form_params(op_table[v->d.op].form, &n);
    for (int i = 0; i < n; i++) {
        bool tensor = p[i].role == ROLE_DST || p[i].role == ROLE_SRC;
        if (tensor && check_overlap_relates(op_table[v->d.op].form, i, param) &&
            v->d.args[i].t.region == v->d.args[param].t.region &&
            !hulls_apart(v, i, param)) {
            return false;
        }
    }
    return true;
}

static bool
overlap_holds(Verifier *v, CheckStep s, bool *fixed)
{
    bool apart;
    int dst = first_destination(v);
    if (!check_overlap_is_regular(op_table[v->d.op].form, s.param)) {
        *fixed = !v->numbers_vary;
        return stays_apart(v, s.param) ||
               (!offsets_vary(v) && !v->numbers_vary && check_step(&v->hi, s, &v->fault));
    }
    if (!sources_near(v, dst, fixed, &apart) ||
        v->d.args[s.param].t.region != v->d.args[dst].t.region) {
        return true;
    }
    return apart || (*fixed && overlap_at_most(v, s));
}

/* The least of the operand before, with both ends of this one. */
static bool
corners_hold(Verifier *v, CheckStep s)
{
    int64_t *first = &v->hi.args[s.param - 1].v, most = *first;
    *first = v->lo.args[s.param - 1].v;
    bool held = both_ends(v, s);
    *first = most;
    return held;
}

/* A tensor that is only named and whose size the run knows: the rules on numbers may ask
 * for the size. */
static bool
names_open(const Verifier *v)
{
    int n;
    const ParamInfo *p = form_params(op_table[v->d.op].form, &n);
    for (int i = 0; i < n; i++) {
        if (p[i].role == ROLE_ROOT && is_open(v, &v->d.args[i].t)) {
            return true;
        }
    }
    return false;
}

/* *sure: a failure happens whenever the descriptor runs, or at a value that is
 * reached. */
static bool
step_holds(Verifier *v, CheckStep s, bool *sure)
{
    bool fixed = false;
    bool held;
    *sure = v->exact[s.param] && !v->wide[s.param];
    switch (s.kind) {
    case CHECK_ALIGN:
        return alignment_holds(v, s);
    case CHECK_MASK:
        return mask_holds(v, s);
    case CHECK_RANGE:
    case CHECK_SCALAR:
        return both_ends(v, s);
    case CHECK_VALUE:
        if (names_open(v)) {
            *sure = false;
            return false;
        }
        if (!check_value_relates(v->d.op, s.param) && !check_is_irregular(&v->hi)) {
            return both_ends(v, s);
        }
        *sure = *sure && !v->numbers_vary;
        if (check_value_corners(v->d.op, s.param)) {
            return corners_hold(v, s);
        }
        if (check_is_irregular(&v->hi)) {
            return !v->numbers_vary && check_step(&v->hi, s, &v->fault);
        }
        return ((check_value_free_to_1(v->d.op, s.param) && v->hi.args[s.param].v <= 1) ||
                !v->numbers_vary) &&
               both_ends(v, s);
    case CHECK_BOUNDS:
        *sure = *sure && !v->numbers_vary;
        return !(v->numbers_vary && check_is_irregular(&v->hi)) && bounds_hold(v, s);
    case CHECK_OVERLAP:
        held = overlap_holds(v, s, &fixed);
        *sure = *sure && fixed && !v->numbers_vary;
        return held;
    }
    return false;
}

static bool
prove_steps(Verifier *v)
{
    int n = check_steps(v->d.op, v->steps);
    bool dead = verify_dead(v);
    for (int i = 0; i < n; i++) {
        bool sure;
        v->fault = (Fault){.rule = RULE_NONE};
        if (dead || step_holds(v, v->steps[i], &sure)) {
            v->proof->proved++;
        } else if (v->d.checked) {
            v->proof->checked++;
        } else {
            bool refuted = sure && always_reached(v) && v->fault.rule != RULE_NONE;
            return fails(v, refuted);
        }
    }
    return true;
}

/* Cores beyond those that the kernel states are only for kernels that say so. */
static bool
blocks_hold(Verifier *v)
{
    return v->d.op != OP_BLOCKS || (v->c.kernel.flags & TIKBLOB_ANY_CORES) != 0 ||
           verify_bad(v, BLOB_ANY_CORES, (BlobSeen){0, 0, 0});
}

/* A reservation is of an open region, behind one of the same memory. */
static bool
reserve_holds(Verifier *v)
{
    const TikOperand *o = &v->d.args[0].t, *after = &v->d.args[1].t;
    bool ok = v->d.op != OP_RESERVE ||
              (is_open(v, o) && is_open(v, after) && v->lo.args[0].t.scope != SC_GM &&
               v->lo.args[0].t.scope == v->lo.args[1].t.scope && v->lo.args[3].v >= 1 &&
               v->lo.args[3].v <= 4);
    return ok || verify_bad(v, BLOB_RESERVE, (BlobSeen){0, 0, 0});
}

bool
prove_instr(Verifier *v)
{
    if (!bind(v) || !reserve_holds(v) || !blocks_hold(v)) {
        return false;
    }
    if (!check_static(&v->lo, &v->fault)) {
        BlobAt at = values_of_fault(v);
        return verify_refuse(v, rule_table[v->fault.rule].name, &at);
    }
    return prove_steps(v);
}

/* ---- scalar accesses ----------------------------------------------------- */

bool
prove_access(Verifier *v)
{
    BlobRange value;
    bool exact = true;
    const TikOperand *o = &v->d.operand;
    if (!operand_range(v, o, 0)) {
        return false;
    }
    if (v->d.kind == DESC_STORE) {
        CheckTensor t = tensor_at(v, o, 0);
        if (!check_store(&t, &v->fault)) {
            BlobAt at = values_of_fault(v);
            return verify_refuse(v, rule_table[v->fault.rule].name, &at);
        }
        if (!verify_number(v, &v->d.a, &value, &exact)) {
            return false;
        }
    }
    v->fault = (Fault){.rule = RULE_NONE};
    bool held = verify_dead(v);
    if (!held && !v->wide[0]) {
        CheckTensor lo = tensor_at(v, o, v->offsets[0].lo);
        CheckTensor hi = tensor_at(v, o, v->offsets[0].hi);
        held = check_element(&lo, &v->fault) && check_element(&hi, &v->fault) &&
               !check_is_open(&hi) &&
               v->offsets[0].step % (uint64_t)dtype_size(o->dtype) == 0;
    }
    if (!held && v->d.checked) {
        v->proof->checked++;
        return true;
    }
    v->proof->proved += held;
    bool refuted = v->fault.rule != RULE_NONE && v->exact[0] && always_reached(v);
    return held || fails(v, refuted);
}
