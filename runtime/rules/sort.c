/* sort.c: the rules of proposals, sorting, merging and suppression (vector chapter 9).
 * Part of the checker; rules/internal.h is the contract.
 *
 * Owns: mode-number-range of the 310, valid-bit, sort-repeat, overlap-forbidden;
 * overlap-multi of vsort32. Not checked here: exhausted-mode (binding); whether lists are
 * sorted. */
#include "rules/internal.h"
#include "isa/operand.h"
#include "rules/sort.h"

static Form
form_of(const CheckInstr *in)
{
    return op_form(in->op);
}

static bool
is_merge(Form f)
{
    return f == FORM_MERGE4 || f == FORM_MERGE;
}

/* ---- static rules -------------------------------------------------------- */

/* Checks that the lists that take part are the first ones. */
static bool
valid_ok(const CheckInstr *in, Fault *fault)
{
    int64_t v = in->args[MERGE_valid_bit].v;
    bool one = form_of(in) == FORM_MERGE || soc_has(in->soc, FEATURE_MERGE_ONE);
    FaultAt at = {RULE_VALID_BIT, MERGE_valid_bit, v, 1, 15};
    return v == 3 || v == 7 || v == 15 || (v == 1 && one) ||
           check_fail(fault, &at, "valid_bit is %lld; %s on %s takes %s3, 7 or 15",
                      (long long)v, check_op_name(in), in->soc->name, one ? "1, " : "");
}

static bool
sort_statics(const CheckInstr *in, Fault *fault)
{
    return form_of(in) != FORM_MERGE || valid_ok(in, fault);
}

/* ---- values -------------------------------------------------------------- */

static bool
equal_lengths(const CheckInstr *in)
{
    for (int i = 1; i < MERGE_LISTS; i++) {
        if (in->args[MERGE_element_count_list + i].v !=
            in->args[MERGE_element_count_list].v) {
            return false;
        }
    }
    return true;
}

bool
check_valid_bit(const CheckInstr *in, int param, Fault *fault)
{
    (void)param;
    return valid_ok(in, fault);
}

bool
check_merge_repeats(const CheckInstr *in, int param, Fault *fault)
{
    int64_t v = in->args[param].v;
    FaultAt at = {RULE_SORT_REPEAT, param, v, 1, 1};
    bool all = merge_lists(in->args[MERGE_valid_bit].v) == MERGE_LISTS;
    bool stops = in->args[MERGE_if_exhausted_suspension].v != 0;
    if (v <= 1 || (all && !stops && equal_lengths(in))) {
        return true;
    }
    return check_fail(fault, &at, "repeat_times is %lld; %s it is 1", (long long)v,
                      stops  ? "with if_exhausted_suspension"
                      : !all ? "with fewer than four lists"
                             : "with lists of different lengths");
}

static int
sort_align(const CheckInstr *in, int param)
{
    bool half = dtype_size(in->args[FIELD_dst].t.dtype) == 2;
    if (form_of(in) == FORM_MERGE && param != 0) {
        return PAIR_BYTES;
    }
    return form_of(in) == FORM_MERGE4 && half ? PROPOSAL_ELEMS * 2 : BLOCK_BYTES;
}

/* ---- footprints ---------------------------------------------------------- */

/* n runs of len bytes, step from start to start. */
typedef struct Runs {
    int64_t n, step, len;
} Runs;

static Runs
dense(int64_t repeats, int64_t bytes)
{
    return (Runs){repeats, bytes, bytes};
}

/* Returns the records of a repeat in all lists that take part. */
static int64_t
merged_records(const CheckInstr *in)
{
    int64_t sum = 0;
    for (int i = 0; i < merge_lists(in->args[MERGE_valid_bit].v); i++) {
        sum = sat_add(sum, in->args[MERGE_element_count_list + i].v);
    }
    return sum;
}

static Runs
merge_runs(const CheckInstr *in, int param)
{
    int64_t repeats = in->args[MERGE_repeat_times].v;
    int64_t record = form_of(in) == FORM_MERGE
                         ? PAIR_BYTES
                         : PROPOSAL_ELEMS * dtype_size(in->args[FIELD_dst].t.dtype);
    if (param == 0) {
        return dense(repeats, sat_mul(merged_records(in), record));
    }
    int list = param - MERGE_src_list;
    if (list >= merge_lists(in->args[MERGE_valid_bit].v)) {
        return dense(0, 0);
    }
    int64_t len = sat_mul(in->args[MERGE_element_count_list + list].v, record);
    return (Runs){repeats, sat_mul(MERGE_LISTS, len), len};
}

static Runs
suppress_runs(const CheckInstr *in, int param)
{
    int64_t stride =
        in->args[param == 0 ? SUPPRESS_src0_rep_stride : SUPPRESS_src1_rep_stride].v;
    return (Runs){in->args[SUPPRESS_repeat_times].v, sat_mul(stride, BLOCK_BYTES),
                  BLOCK_BYTES};
}

static Runs
runs_of(const CheckInstr *in, int param)
{
    const int64_t group = SORT_GROUP,
                  values = group * dtype_size(in->args[param].t.dtype);
    Form f = form_of(in);
    Sem sem = op_sem(in->op);
    bool proposals = false;
    int64_t repeats = 0;
    if (is_merge(f)) {
        return merge_runs(in, param);
    }
    if (f == FORM_SUPPRESS) {
        return suppress_runs(in, param);
    }
    if (f == FORM_DIAGONAL) {
        return dense(1, BLOCK_BYTES);
    }
    repeats = in->args[f == FORM_FIELD || f == FORM_RECORDS ? FIELD_repeat_times
                                                            : OUTER_repeat_times]
                  .v;
    if (f == FORM_PAIRS) {
        return dense(repeats, param == 0 ? REPEAT_BYTES : 2 * values);
    }
    if (f == FORM_OUTER && param == 0) {
        return dense(repeats, group * values);
    }
    if (f == FORM_OUTER && param == 2) {
        repeats = repeats > 0; /* every repeat reads the same group */
    }
    proposals =
        sem == SEM_VRPSORT16 || (sem == SEM_VCONCAT && param == 0) ||
        ((sem == SEM_VEXTRACT || sem == SEM_VRPAC || sem == SEM_VIOU) && param != 0);
    return dense(repeats, proposals ? PROPOSAL_ELEMS * values : values);
}

/* vconcat writes and vextract reads one field of each proposal, a merge that stops early
 * fewer records. */
static Footprint
sort_footprint(const CheckInstr *in, int param, bool *exact)
{
    Runs r = runs_of(in, param);
    Sem sem = op_sem(in->op);
    *exact = !(sem == SEM_VCONCAT && param == 0) &&
             !(sem == SEM_VEXTRACT && param == 1) && !is_merge(form_of(in));
    if (is_merge(form_of(in)) && in->args[MERGE_if_exhausted_suspension].v == 0) {
        *exact = true;
    }
    Footprint f = {in->args[param].t.offset, r.n, r.step, 1, 0, r.len};
    if (r.step == r.len && r.n > 0) {
        f.count0 = 1;
        f.len = sat_mul(r.n, r.len);
    }
    return f;
}

/* ---- overlap ------------------------------------------------------------- */

static bool
merge_overlap(const CheckInstr *in, int param, Fault *fault)
{
    const CheckTensor *d = &in->args[FIELD_dst].t, *s = &in->args[param].t;
    int64_t wrote = check_extent(in, 0), read = check_extent(in, param);
    FaultAt at = {RULE_OVERLAP_FORBIDDEN, param, s->offset, 0, 0};
    return !bytes_overlap(d->offset, wrote, s->offset, read) ||
           check_fail(fault, &at,
                      "%s reads bytes %lld to %lld and dst has bytes %lld to %lld of the "
                      "same tensor; they must share none",
                      check_param_name(in, param), (long long)s->offset,
                      (long long)sat_add(s->offset, read - 1), (long long)d->offset,
                      (long long)sat_add(d->offset, wrote - 1));
}

/* Checks that no repeat writes bytes that a later one reads. */
static bool
pairs_overlap(const CheckInstr *in, int param, Fault *fault)
{
    const CheckTensor *d = &in->args[FIELD_dst].t, *s = &in->args[param].t;
    Runs w = runs_of(in, 0), r = runs_of(in, param);
    for (int64_t t = 0; t + 1 < r.n && t < MAX_LANES; t++) {
        int64_t to = sat_add(d->offset, t * w.len);
        int64_t unread = sat_add(s->offset, (t + 1) * r.len);
        if (bytes_overlap(to, w.len, unread, sat_mul(r.n - 1 - t, r.len))) {
            FaultAt at = {RULE_OVERLAP_MULTI, param, t, 0, 0};
            return check_fail(
                fault, &at,
                "dst of repeat %lld (from byte %lld) shares bytes with what "
                "%s still reads (from byte %lld) of the same tensor",
                (long long)t, (long long)to, check_param_name(in, param),
                (long long)unread);
        }
    }
    return true;
}

static bool
sort_overlap(const CheckInstr *in, int param, Fault *fault)
{
    if (in->args[FIELD_dst].t.buffer != in->args[param].t.buffer) {
        return true;
    }
    if (is_merge(form_of(in))) {
        return merge_overlap(in, param, fault);
    }
    return form_of(in) != FORM_PAIRS || pairs_overlap(in, param, fault);
}

static Rule
sort_overlap_rule(Op op, int param)
{
    (void)param;
    return is_merge(op_form(op)) ? RULE_OVERLAP_FORBIDDEN : RULE_OVERLAP_MULTI;
}

const FamilyRules rules_sort = {
    .statics = sort_statics,
    .footprint = sort_footprint,
    .overlap = sort_overlap,
    .align = sort_align,
    NOT_LEAN(.placeless = true, .overlap_rule = sort_overlap_rule)};
