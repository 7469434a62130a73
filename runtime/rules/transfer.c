/* transfer.c: the rules of moves that pad, reorder or repeat what they move
 * (data-movement chapters 5, 7 and 10): data_move_pad, rows to and from fractals,
 * broadcasts to L0C, fills; biases to their table. Part of the checker; rules/internal.h
 * is the contract.
 *
 * Owns: range-padding, pad-burst, pad-out, padding-value, pad-b64, nd2nz-stride, nz2nd-d,
 * dst-overlap, nop; path and type-pair of these instructions. Their overlap needs no
 * rule: no path stays in one memory. */
#include "rules/transfer.h"
#include "rules/internal.h"

#ifndef TIK_LEAN
#include <stdio.h>
#endif

static Form
form_of(const CheckInstr *in)
{
    return op_form(in->op);
}

static int64_t
number(const CheckInstr *in, int slot)
{
    return in->args[slot].v;
}

static int64_t
element_bytes(const CheckInstr *in, int param)
{
    return dtype_size(in->args[param].t.dtype);
}

/* ---- paths --------------------------------------------------------------- */

/* A path, and the cores that have the instruction on it. */
typedef struct TransferPath {
    Form form;
    Scope src, dst; /* fills have the scope of dst in both */
    CoreSet cores;
} TransferPath;

static const TransferPath paths[] = {
#define TRANSFER_PATH(form, src, dst, cores) {FORM_##form, SC_##src, SC_##dst, cores},
#include "rules/family_path.def"
};

static bool
is_fill(Form form)
{
    return form == FORM_FILLFRACTALS || form == FORM_FILLBLOCKS;
}

static Scope
source_scope(const CheckInstr *in)
{
    return in->args[is_fill(form_of(in)) ? PADMOVE_dst : PADMOVE_src].t.scope;
}

static bool
has_path(const CheckInstr *in, const TransferPath *p)
{
    return p->form == form_of(in) && soc_on(in->soc, p->cores);
}

#ifndef TIK_LEAN
static const char *
paths_text(const CheckInstr *in, char *list, size_t size)
{
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const TransferPath *p = &paths[i];
        char text[32];
        snprintf(text, sizeof text, "%s%s%s", scope_name(p->src),
                 is_fill(p->form) ? "" : " to ",
                 is_fill(p->form) ? "" : scope_name(p->dst));
        if (has_path(in, p)) {
            check_list_add(list, size, text);
        }
    }
    return list;
}
#endif

static bool
path_ok(const CheckInstr *in, Fault *fault)
{
    TEXT(char list[120] = "";)
    Scope src = source_scope(in), dst = in->args[PADMOVE_dst].t.scope;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const TransferPath *p = &paths[i];
        if (has_path(in, p) && p->src == src && p->dst == dst) {
            return true;
        }
    }
    FaultAt at = {RULE_PATH, PADMOVE_dst, 0, 0, 0};
    if (is_fill(form_of(in))) {
        return check_fail(fault, &at, "dst is in %s; %s on %s fills %s", scope_name(dst),
                          check_op_name(in), in->soc->name,
                          paths_text(in, list, sizeof list));
    }
    return check_fail(fault, &at, "%s has no path from %s to %s on %s; it has %s",
                      check_op_name(in), scope_name(src), scope_name(dst), in->soc->name,
                      paths_text(in, list, sizeof list));
}

/* ---- static rules -------------------------------------------------------- */

/* Checks that all operands have one type, which is in typeset.def. */
static bool
types_ok(const CheckInstr *in, Fault *fault)
{
    return check_main_dtype(in, PADMOVE_dst, fault) &&
           (is_fill(form_of(in)) || check_same_dtype(in, PADMOVE_src, fault));
}

static bool
pair_ok(const CheckInstr *in, Fault *fault)
{
    uint32_t info;
    Dtype dst = in->args[PADMOVE_dst].t.dtype, src = in->args[PADMOVE_src].t.dtype;
    FaultAt at = {RULE_TYPE_PAIR, PADMOVE_src, (int64_t)src, 0, 0};
    return op_has_pair(in->op, dst, src, in->soc, &info) ||
           check_fail(fault, &at, "%s on %s does not take %s to %s", check_op_name(in),
                      in->soc->name, dtype_name(src), dtype_name(dst));
}

static bool
mode_ok(const CheckInstr *in, Fault *fault)
{
    int64_t mode = number(in, SPREADMODE_repeat_mode);
    FaultAt at = {RULE_REPEAT_MODE, SPREADMODE_repeat_mode, mode, 0, 1};
    return mode == 0 || mode == 1 ||
           check_fail(fault, &at, "repeat_mode is %lld; %s takes 0 or 1", (long long)mode,
                      check_op_name(in));
}

/* Whether padding is certainly there, or certainly not, is known of literals only. */
static bool
literal_zero(const CheckInstr *in, int slot)
{
    return in->args[slot].literal && number(in, slot) == 0;
}

static bool
pad_static(const CheckInstr *in, Fault *fault)
{
    int64_t fill = number(in, PADMOVE_fill);
    bool out = in->args[PADMOVE_dst].t.scope == SC_GM;
    FaultAt at = {RULE_PADDING_VALUE, PADMOVE_fill, fill, PAD_FIRST, PAD_REGISTER};
    if (fill < PAD_FIRST || fill > PAD_REGISTER) {
        return check_fail(fault, &at, "fill is %lld; it is 0 to 2", (long long)fill);
    }
    at = (FaultAt){RULE_PAD_OUT, PADMOVE_padding_value, fill, 0, 0};
    if (out && fill != PAD_FIRST) {
        return check_fail(fault, &at,
                          "padding_value is given for a move to global memory");
    }
    at.rule = RULE_PADDING_VALUE;
    if (fill == PAD_GIVEN && literal_zero(in, PADMOVE_left_padding) &&
        literal_zero(in, PADMOVE_right_padding)) {
        return check_fail(
            fault, &at,
            "padding_value is given and left_padding and right_padding are 0");
    }
    at.rule = RULE_PAD_B64;
    return in->op != OP_DATA_MOVE_PAD_B64 || literal_zero(in, PADMOVE_padding_value) ||
           check_fail(fault, &at,
                      "the padding value of %s elements is not the constant 0",
                      dtype_name(in->args[PADMOVE_dst].t.dtype));
}

/* The 310P and its kin, and the first generation, fill fractals one by one. */
static bool
units_ok(const CheckInstr *in, Fault *fault)
{
    bool plain = in->args[FILLBLOCKS_block_num].literal &&
                 number(in, FILLBLOCKS_block_num) == 1 &&
                 literal_zero(in, FILLBLOCKS_dst_gap);
    FaultAt at = {RULE_RANGE_BURST, FILLBLOCKS_block_num,
                  number(in, FILLBLOCKS_block_num), 1, 1};
    return soc_has(in->soc, FEATURE_UNIT_OF_BLOCKS) || plain ||
           check_fail(fault, &at, "on %s block_num is 1 and dst_gap 0", in->soc->name);
}

static bool
transfer_statics(const CheckInstr *in, Fault *fault)
{
    Form form = form_of(in);
    bool pairs = form == FORM_SPREADMODE || form == FORM_BIASMOVE;
    if (!path_ok(in, fault) || !(pairs ? pair_ok(in, fault) : types_ok(in, fault))) {
        return false;
    }
    switch (form) {
    case FORM_PADMOVE:
        return pad_static(in, fault);
    case FORM_SPREADMODE:
        return mode_ok(in, fault);
    case FORM_FILLBLOCKS:
        return units_ok(in, fault);
    default:
        return true;
    }
}

/* ---- what operands cover ------------------------------------------------- */

/* n bytes in runs: the innermost level is the bytes themselves. */
static Footprint
runs(const CheckInstr *in, int param, int64_t n, int64_t pitch, int64_t len)
{
    Footprint f = {in->args[param].t.offset, n, pitch, 1, 0, len};
    if (pitch == len && n > 0) {
        f.count0 = 1;
        f.len = sat_mul(n, len);
    }
    return f;
}

/* Returns the bytes of a burst in UB or L1. */
static int64_t
padded_burst(const CheckInstr *in)
{
    int64_t padding =
        sat_add(number(in, PADMOVE_left_padding), number(in, PADMOVE_right_padding));
    return round_up(sat_add(number(in, PADMOVE_burst),
                            sat_mul(padding, element_bytes(in, PADMOVE_dst))),
                    BLOCK_BYTES);
}

static Footprint
pad_footprint(const CheckInstr *in, int param)
{
    int64_t n = number(in, PADMOVE_nburst), burst = number(in, PADMOVE_burst);
    int64_t gap = number(in, param == PADMOVE_dst ? PADMOVE_dst_gap : PADMOVE_src_gap);
    if (in->args[param].t.scope == SC_GM) {
        return runs(in, param, n, sat_add(burst, gap), burst);
    }
    int64_t blocks = padded_burst(in);
    return runs(in, param, n, sat_add(blocks, sat_mul(gap, BLOCK_BYTES)),
                param == PADMOVE_dst ? blocks : burst);
}

static bool
is_nothing(const CheckInstr *in)
{
    return number(in, ND2NZ_nd_num) <= 0 || number(in, ND2NZ_nd_n) <= 0 ||
           number(in, ND2NZ_nd_d) <= 0;
}

static Footprint
rows_footprint(const CheckInstr *in, int param, int row, int matrix)
{
    int64_t size = element_bytes(in, param);
    return (Footprint){
        in->args[param].t.offset,          number(in, ND2NZ_nd_n),
        sat_mul(number(in, row), size),    number(in, ND2NZ_nd_num),
        sat_mul(number(in, matrix), size), sat_mul(number(in, ND2NZ_nd_d), size)};
}

/* Returns the groups of columns; a row of a group fills a block. */
static int64_t
column_groups(const CheckInstr *in)
{
    int64_t c0 = BLOCK_BYTES / element_bytes(in, PADMOVE_dst);
    return sat_add(number(in, ND2NZ_nd_d), c0 - 1) / c0;
}

static int64_t
blocks_extent(const CheckInstr *in)
{
    int64_t size = element_bytes(in, PADMOVE_dst);
    int64_t matrices = sat_mul(number(in, ND2NZ_nd_num) - 1,
                               sat_mul(number(in, ND2NZ_dst_nd_stride), size));
    int64_t groups = sat_mul(column_groups(in) - 1, number(in, ND2NZ_dst_c0_stride));
    int64_t rows = sat_mul(number(in, ND2NZ_nd_n) - 1, number(in, ND2NZ_dst_n_stride));
    int64_t blocks = sat_add(sat_add(groups, rows), 1);
    return sat_add(matrices, sat_mul(blocks, BLOCK_BYTES));
}

/* Contiguous blocks are runs; otherwise all bytes from the first to the last one
 * count. */
static Footprint
blocks_footprint(const CheckInstr *in, bool *exact)
{
    int64_t size = element_bytes(in, PADMOVE_dst), num = number(in, ND2NZ_nd_num);
    int64_t c0 = sat_mul(number(in, ND2NZ_dst_c0_stride), BLOCK_BYTES);
    int64_t n = sat_mul(number(in, ND2NZ_dst_n_stride), BLOCK_BYTES);
    Footprint f = {in->args[PADMOVE_dst].t.offset, column_groups(in), c0, 1, 0, 0};
    if (n == BLOCK_BYTES || number(in, ND2NZ_nd_n) == 1) {
        f.len = sat_mul(number(in, ND2NZ_nd_n), BLOCK_BYTES);
        f.count1 = num;
        f.stride1 = sat_mul(number(in, ND2NZ_dst_nd_stride), size);
    } else if (num == 1) {
        f.len = BLOCK_BYTES;
        f.count1 = number(in, ND2NZ_nd_n);
        f.stride1 = n;
    } else {
        *exact = false;
        f = (Footprint){f.offset, 1, 0, 1, 0, blocks_extent(in)};
    }
    return f;
}

/* Returns the source of nz2nd: columns of fractals, whose rows are contiguous. */
static Footprint
columns_footprint(const CheckInstr *in)
{
    int64_t size = element_bytes(in, PADMOVE_src);
    return (Footprint){
        in->args[PADMOVE_src].t.offset,
        number(in, ND2NZ_nd_d) / FRACTAL_COLS,
        sat_mul(number(in, NZ2ND_src_n_stride), FRACTAL_COLS * size),
        number(in, ND2NZ_nd_num),
        sat_mul(number(in, NZ2ND_src_nd_matrix_stride), FRACTAL_ELEMS * size),
        sat_mul(number(in, ND2NZ_nd_n), FRACTAL_COLS * size)};
}

static int64_t
at_least_1(int64_t n)
{
    return n == 0 ? 1 : n;
}

static Footprint
spread_footprint(const CheckInstr *in, int param)
{
    bool mode = form_of(in) == FORM_SPREADMODE;
    bool one_row = mode && number(in, SPREADMODE_repeat_mode) == 1;
    int64_t size = element_bytes(in, param);
    int64_t n = at_least_1(number(in, mode ? SPREADMODE_nburst : SPREAD_nburst));
    int64_t units =
        at_least_1(number(in, mode ? SPREADMODE_burst_repeat : SPREAD_burst_len));
    if (param == PADMOVE_dst) {
        int64_t gap = number(in, mode ? SPREADMODE_dst_gap : SPREAD_dst_gap);
        int64_t len = sat_mul(units, FRACTAL_ELEMS * size);
        return runs(in, param, n, sat_add(len, sat_mul(gap, FRACTAL_ELEMS * size)), len);
    }
    int64_t gap = number(in, mode ? SPREADMODE_src_gap : SPREAD_src_gap);
    int64_t len = sat_mul(one_row ? 1 : units, FRACTAL_COLS * size);
    return runs(in, param, n, sat_add(len, sat_mul(gap, BLOCK_BYTES)), len);
}

static Footprint
bias_footprint(const CheckInstr *in, int param)
{
    int64_t n = number(in, BIASMOVE_nburst), unit = transfer_bias_unit(in->soc);
    int64_t len = sat_mul(number(in, BIASMOVE_burst), unit);
    if (param == PADMOVE_src) {
        return runs(in, param, n,
                    sat_add(len, sat_mul(number(in, BIASMOVE_src_stride), BLOCK_BYTES)),
                    len);
    }
    len = sat_mul(len, element_bytes(in, PADMOVE_dst) / element_bytes(in, PADMOVE_src));
    return runs(in, param, n,
                sat_add(len, sat_mul(number(in, BIASMOVE_dst_stride), unit)), len);
}

static Footprint
fill_footprint(const CheckInstr *in)
{
    int64_t n = number(in, FILLBLOCKS_repeat_times);
    if (form_of(in) == FORM_FILLFRACTALS) {
        return runs(in, PADMOVE_dst, n, FRACTAL_BYTES, FRACTAL_BYTES);
    }
    int64_t unit = source_scope(in) == SC_L1 ? BLOCK_BYTES : FRACTAL_BYTES;
    int64_t len = sat_mul(number(in, FILLBLOCKS_block_num), unit);
    return runs(in, PADMOVE_dst, n,
                sat_add(len, sat_mul(number(in, FILLBLOCKS_dst_gap), unit)), len);
}

static Footprint
transfer_footprint(const CheckInstr *in, int param, bool *exact)
{
    *exact = true;
    switch (form_of(in)) {
    case FORM_PADMOVE:
        return pad_footprint(in, param);
    case FORM_ND2NZ:
        if (is_nothing(in)) {
            return (Footprint){in->args[param].t.offset, 0, 0, 0, 0, 0};
        }
        return param == PADMOVE_dst
                   ? blocks_footprint(in, exact)
                   : rows_footprint(in, param, ND2NZ_src_n_stride, ND2NZ_src_nd_stride);
    case FORM_NZ2ND:
        return param == PADMOVE_dst ? rows_footprint(in, param, NZ2ND_dst_d_stride,
                                                     NZ2ND_dst_nd_matrix_stride)
                                    : columns_footprint(in);
    case FORM_SPREAD:
    case FORM_SPREADMODE:
        return spread_footprint(in, param);
    case FORM_BIASMOVE:
        return bias_footprint(in, param);
    default:
        return fill_footprint(in);
    }
}

/* ---- destinations that meet themselves ----------------------------------- */

/* A range of integers. */
typedef struct Span {
    int64_t lo, hi;
} Span;

/* Returns the multiples t for which |x + t*step| < n; step > 0. */
static Span
steps_within(int64_t x, int64_t step, int64_t n)
{
    return (Span){div_ceil(1 - n - x, step), div_floor(n - 1 - x, step)};
}

/* Returns the greatest common divisor of a and b, and *x with a * x = gcd modulo b. */
static int64_t
gcd_of(int64_t a, int64_t b, int64_t *x)
{
    int64_t x0 = 1, x1 = 0;
    while (b != 0) {
        int64_t q = a / b, r = a - q * b, x2 = x0 - q * x1;
        a = b;
        b = r;
        x0 = x1;
        x1 = x2;
    }
    *x = x0;
    return a;
}

/* Returns whether y*b + z*k = -t has a solution with |y| < ny and |z| < nz, other than
 * both 0. */
static bool
has_pair(int64_t t, int64_t b, int64_t ny, int64_t k, int64_t nz)
{
    int64_t x, g = gcd_of(b, k, &x);
    if (t % g != 0) {
        return false;
    }
    int64_t period = k / g;
    int64_t y = -t / g % period * (x % period) % period;
    int64_t z = (-t - y * b) / k;
    Span s = steps_within(y, period, ny), r = steps_within(-z, b / g, nz);
    Span both = {s.lo > r.lo ? s.lo : r.lo, s.hi < r.hi ? s.hi : r.hi};
    bool zero_counts = t != 0;
    return both.lo < both.hi ? true : both.lo == both.hi && (zero_counts || both.lo != 0);
}

/* Blocks of nd2nz: i*a + c*b + r*k for all matrices, groups and rows are different. */
static bool
blocks_apart(const CheckInstr *in, Fault *fault)
{
    int64_t bytes =
        sat_mul(number(in, ND2NZ_dst_nd_stride), element_bytes(in, PADMOVE_dst));
    int64_t a = bytes / BLOCK_BYTES, num = number(in, ND2NZ_nd_num);
    for (int64_t i = 0; i < num; i++) {
        if (has_pair(i * a, number(in, ND2NZ_dst_c0_stride), column_groups(in),
                     number(in, ND2NZ_dst_n_stride), number(in, ND2NZ_nd_n))) {
            FaultAt at = {RULE_DST_OVERLAP, ND2NZ_dst_nd_stride, i, 0, 0};
            return check_fail(fault, &at,
                              "two blocks of %s matrices are written to one place",
                              i == 0 ? "the same" : "different");
        }
    }
    return true;
}

/* Rows of nz2nd: runs of len elements, row apart in a matrix and matrix apart from matrix
 * to matrix. */
static bool
rows_apart(const CheckInstr *in, Fault *fault)
{
    int64_t len = number(in, ND2NZ_nd_d), rows = number(in, ND2NZ_nd_n);
    int64_t row = number(in, NZ2ND_dst_d_stride),
            matrix = number(in, NZ2ND_dst_nd_matrix_stride);
    FaultAt at = {RULE_DST_OVERLAP, NZ2ND_dst_d_stride, row, len, INT64_MAX};
    if (rows > 1 && row < len) {
        return check_fail(fault, &at,
                          "rows have %lld elements and start %lld elements apart",
                          (long long)len, (long long)row);
    }
    at = (FaultAt){RULE_DST_OVERLAP, NZ2ND_dst_nd_matrix_stride, matrix, 0, 0};
    for (int64_t i = 1; i < number(in, ND2NZ_nd_num); i++) {
        int64_t near = rows > 1 ? (i * matrix + row / 2) / row : 0;
        for (int64_t r = near - 1; r <= near + 1; r++) {
            int64_t d = i * matrix - r * row;
            if (r > -rows && r < rows && d < len && d > -len) {
                return check_fail(fault, &at, "matrices 0 and %lld share elements of dst",
                                  (long long)i);
            }
        }
    }
    return true;
}

static bool
in_ranges(const CheckInstr *in)
{
    int n;
    (void)form_params(form_of(in), &n);
    for (int i = ND2NZ_nd_num; i < n; i++) {
        if (!check_in_row(in, i)) {
            return false;
        }
    }
    return true;
}

bool
check_nd2nz_places(const CheckInstr *in, int param, Fault *fault)
{
    (void)param;
    int64_t stride = number(in, ND2NZ_dst_nd_stride);
    int64_t bytes = sat_mul(stride, element_bytes(in, PADMOVE_dst));
    FaultAt at = {RULE_ND2NZ_STRIDE, ND2NZ_dst_nd_stride, stride, 0, 0};
    if (is_nothing(in) || !in_ranges(in)) {
        return true;
    }
    if (number(in, ND2NZ_nd_num) > 1 && bytes % BLOCK_BYTES != 0) {
        return check_fail(fault, &at,
                          "dst_nd_stride is %lld elements, %lld bytes; with several "
                          "matrices it is a multiple of 32 bytes",
                          (long long)stride, (long long)bytes);
    }
    return blocks_apart(in, fault);
}

bool
check_nz2nd_rows(const CheckInstr *in, int param, Fault *fault)
{
    (void)param;
    return !in_ranges(in) || rows_apart(in, fault);
}

/* ---- the family ---------------------------------------------------------- */

/* known: of literals, else of the others. */
static void
zero_warning(const CheckInstr *in, bool known, void (*report)(void *ctx, const Fault *),
             void *ctx)
{
    Fault fault;
    if (form_of(in) != FORM_ND2NZ && form_of(in) != FORM_NZ2ND) {
        return;
    }
    for (int i = ND2NZ_nd_num; i <= ND2NZ_nd_d; i++) {
        if (in->args[i].literal == known && number(in, i) == 0) {
            FaultAt at = {RULE_NOP, i, 0, 1, INT64_MAX};
            check_fail(&fault, &at, "%s is 0: nothing is moved", check_param_name(in, i));
            report(ctx, &fault);
            return;
        }
    }
}

/* One matrix needs no distance to the next one; the vendor's library refuses a smaller
 * one all the same. */
static void
extent_warning(const CheckInstr *in, void (*report)(void *ctx, const Fault *), void *ctx)
{
    if (form_of(in) != FORM_ND2NZ || is_nothing(in) || number(in, ND2NZ_nd_num) != 1) {
        return;
    }
    for (int i = ND2NZ_nd_num; i <= ND2NZ_dst_nd_stride; i++) {
        if (!in->args[i].literal) {
            return;
        }
    }
    Fault fault;
    int64_t stride = number(in, ND2NZ_dst_nd_stride);
    int64_t extent = check_extent(in, PADMOVE_dst) / element_bytes(in, PADMOVE_dst);
    FaultAt at = {RULE_ND2NZ_EXTENT, ND2NZ_dst_nd_stride, stride, extent, UINT16_MAX};
    if (stride < extent) {
        check_fail(&fault, &at, "dst_nd_stride is %lld elements; a matrix has %lld there",
                   (long long)stride, (long long)extent);
        report(ctx, &fault);
    }
}

static void
transfer_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *),
                  void *ctx)
{
    zero_warning(in, true, report, ctx);
    extent_warning(in, report, ctx);
}

static void
transfer_run_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *),
                      void *ctx)
{
    zero_warning(in, false, report, ctx);
}

const FamilyRules rules_transfer = {.statics = transfer_statics,
                                    .footprint = transfer_footprint,
                                    NOT_LEAN(.placeless = true, .asks_literals = true,
                                             .warnings = transfer_warnings,
                                             .run_warnings = transfer_run_warnings)};
