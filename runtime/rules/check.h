/* check.h: every rule of every instruction, once, on concrete values. The compiler calls
 * the checker when all operands are constants and to find witnesses; compiled host code
 * and the emulator call it for instructions that the compiler could not prove. So a rule
 * has one definition, one name and one text wherever it is broken.
 *
 * Rules owned here: every row of rule.def of the groups common, moves and vector, except
 * those of the allocator (capacity), of liveness (uninit) and of cores
 * (multicore-overlap). The operands of a call (arg-type) are checked by binding. The
 * further rules of a family of instructions are in a file of its own
 * (rules/internal.h). */
#ifndef TIK_CHECK_H
#define TIK_CHECK_H

#include "isa/choice.h"
#include "isa/isa.h"
#include "isa/lean.h"

#include "isa/bytes.h"

/* A tensor operand with a concrete address. Offsets and sizes are in bytes, relative to
 * the root tensor. */
typedef struct CheckTensor {
    uint32_t buffer; /* identity of the root tensor: equal ids share storage */
    Scope scope;
    Dtype dtype;
    int64_t offset; /* of the start address from the root's base; the base is aligned */
    int64_t bytes;  /* size of the root tensor, without the rest of its granule */
    bool read_only; /* a constant table */
    bool exact;     /* it ends with its last byte, not with its granule (D9) */
    bool open;      /* the size is not known: bytes is its maximum */
    int32_t items;  /* an address list (isa.h): its number of arrays; else 0 */
    /* the arrays; null while they are not known: bounds then check only that the offset
     * is in the list */
    const ListItem *item;
} CheckTensor;

/* Returns the bytes from the root's base on that may be accessed: its whole granule
 * (scope_granule), or its bytes alone if it is exact. */
PURE int64_t check_limit(const CheckTensor *t);

/* Returns whether the size of the tensor, or of the arrays of a list, is not known yet,
 * so that bounds that hold prove nothing. */
static inline bool
check_is_open(const CheckTensor *t)
{
    return t->open || (t->items > 0 && t->item == NULL);
}

typedef struct CheckMask {
    MaskForm form;
    uint64_t w[4];
} CheckMask;

/* An operand of the form, at its index in form_params. The role says which member is
 * valid: DST, SRC: t; MASK: m; all others: v. */
typedef struct CheckArg {
    CheckTensor t;
    CheckMask m;
    int64_t v;
    bool literal; /* written as a constant: repeat_times 0 is legal only when it is not */
} CheckArg;

typedef struct CheckInstr {
    Op op;
    const Soc *soc;
    const Choices *choices; /* null: the usual ones */
    CheckArg args[MAX_PARAMS];
} CheckInstr;

/* Clears the first n operands of an instruction, and leaves the others: no rule of one
 * with n operands reads them, and clearing them all takes longer than most rules. */
static inline void
check_begin(CheckInstr *in, Op op, int n)
{
    in->op = op;
    memset(in->args, 0, (size_t)n * sizeof in->args[0]);
}

/* Values of the operand wide of loop_bounds: which bounds have type uint64. */
enum {
    LOOP_WIDE_BEGIN = 1,
    LOOP_WIDE_END = 2
};

/* The numbers of a broken rule; where only the answer counts it is null, since texts take
 * longer than rules. A lean loader has the rule alone. text names the operand, the value,
 * the limit and the unit, for example "nburst is 4096; data_move takes 1 to 4095 bursts".
 */
typedef struct Fault {
    Rule rule;
    NOT_LEAN(int param;)     /* index of the operand at fault, -1: the instruction */
    NOT_LEAN(int64_t value;) /* value at fault, and the legal range */
    NOT_LEAN(int64_t lo, hi;)
    TEXT(char text[400];)
} Fault;

/* Checks the rules that do not depend on operand values: availability, path, scopes,
 * dtypes, extended argument, mask form. Instructions of processors with 16-byte blocks
 * (Ascend035) are not-on-arch, except moves. */
bool check_static(const CheckInstr *in, Fault *fault);
/* Checks the rules on values: ranges, masks, alignment, bounds, overlap, after
 * check_static was true. Returns false with *fault, the first broken rule in operand
 * order. */
bool check_values(const CheckInstr *in, Fault *fault);
/* The parts of check_values, in its order, and with op OP_COUNT the two of check_element:
 * each step is one kind of rule on one operand. A step whose preconditions are broken
 * (bounds of a move with nburst 0, say) holds; the step that owns the precondition
 * reports. Bounds depend monotonically on counts and strides. */
typedef enum CheckKind {
    CHECK_ALIGN,  /* DST, SRC: address-align */
    CHECK_MASK,   /* MASK: mask-range, mask-zero, mask-high-nonzero */
    CHECK_RANGE,  /* REPEAT, INT: the row's range */
    CHECK_SCALAR, /* SCALAR: fits the dst dtype */
    CHECK_VALUE,  /* a further rule of the family on one number */
    CHECK_BOUNDS, /* DST, SRC: tensor-overflow */
    /* a tensor against the first DST and others before it: overlap, overlap-* */
    CHECK_OVERLAP
} CheckKind;

/* How the values that a CHECK_VALUE step allows depend on other numbers (a column of
 * require.def). */
typedef enum Direction {
    DIRECTION_ALONE,
    DIRECTION_STEPS,
    DIRECTION_RISES,
    DIRECTION_KNOWN,
    DIRECTION_FROM_2
} Direction;

typedef struct CheckStep {
    CheckKind kind;
    int param;
} CheckStep;

enum {
    MAX_CHECK_STEPS = 3 * MAX_PARAMS
};
int check_steps(Op op, CheckStep *out); /* number of steps, at most MAX_CHECK_STEPS */
bool check_step(const CheckInstr *in, CheckStep step, Fault *fault);

/* Checks the scalar access to an element (a load or a store of set_as and item
 * assignment): the byte offset is a multiple of the element size and the element is
 * inside of the root tensor. Fault.param is 0. A TikCheck (tikrt.h) with op OP_COUNT
 * means this check, with the tensor as operand 0. */
bool check_element(const CheckTensor *t, Fault *fault);
/* Checks the rule of a store that does not depend on its offset: read-only. */
bool check_store(const CheckTensor *t, Fault *fault);

/* A number that must be a multiple. What is known only while running is asked here by the
 * execution of the instruction, in both back ends: such a rule allows no interval, so
 * that a CHECK_VALUE step is only for literals. */
typedef struct CheckMultiple {
    Rule rule;
    int param;
    int64_t value, unit;
} CheckMultiple;

bool check_multiple(Op op, const CheckMultiple *m, Fault *fault);

/* An entry of a tensor of offsets, and the access to which it leads. */
typedef struct CheckOffset {
    int param, to;        /* the offsets; the tensor that is accessed */
    int64_t entry, value; /* index and content */
    int64_t at;           /* offset of the access from the root of the tensor */
    int64_t size;         /* bytes that are accessed */
    int64_t unit;         /* value must be a multiple of it */
    int64_t limit;        /* bytes of the root */
} CheckOffset;

/* Checks offset-align and tensor-overflow of an entry. */
bool check_offset(Op op, const CheckOffset *o, Fault *fault);
/* Checks tensor-overflow of an operand whose extent is known only while running. */
bool check_fits(Op op, int param, const CheckTensor *t, int64_t extent, Fault *fault);
/* These return the number of the first n lanes that a pattern of vreduce keeps, and
 * which: first, first + step, ... */
PURE int64_t check_pattern_count(int64_t pattern, int64_t n);
void check_pattern_lanes(int64_t pattern, int *first, int *step);
/* Returns whether src1_rep_stride counts blocks from the bits of a repeat to those of the
 * next; otherwise it says whether they follow each other without gaps, or are the same
 * ones. */
PURE bool check_pattern_strided(const CheckInstr *in);
/* Returns the number of which horizontal_repeat_times of vbi is a multiple. */
PURE int64_t check_bi_unit(const Soc *soc, Dtype t);
/* Checks overlap-forbidden of the vertical repeats of vbi, which are step bytes apart and
 * have window bytes each. */
bool check_bi_windows(int64_t window, int64_t step, Fault *fault);
/* Returns whether the rules of overlap compare the two tensors. Entries of one list may
 * overlap. */
PURE bool check_overlap_relates(Form f, int a, int b);

/* Warnings on a correct instruction (path-applicability, dtype-differs). Calls report for
 * each. */
void check_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *),
                    void *ctx);

/* The same for numbers that only the run knows; both back ends call it after an
 * instruction. Warnings on contents are checked where the contents are read
 * (rules/l0c_move.h, fixpipe.h). */
bool check_has_run_warnings(Op op);
void check_run_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *),
                        void *ctx);

/* A set of bytes: count0 x count1 runs of len bytes: run (i, j) starts at
 * offset + i*stride0 + j*stride1. Empty when a count or len is 0. */
typedef struct Footprint {
    int64_t offset;
    int64_t count0, stride0;
    int64_t count1, stride1;
    int64_t len;
} Footprint;

/* Returns how far operand param reaches at most, from its start. Bounds are checked with
 * it. */
PURE int64_t check_extent(const CheckInstr *in, int param);
/* Returns the bytes that operand param (DST or SRC) accesses. A mask of bits with holes
 * gives the runs up to its highest lane (an upper bound), and counter mode counts its
 * last repeat as a full one; *exact says which. The instruction must be correct
 * (check_values). */
Footprint check_footprint(const CheckInstr *in, int param, bool *exact);
/* Returns one past the last byte that is accessed, relative to the root; the offset when
 * none is. */
PURE int64_t footprint_end(const Footprint *f);
/* Returns the same with the further bytes that overlap rules count. */
PURE int64_t check_overlap_end(const CheckInstr *in, int param);

/* Returns the alignment that the instruction requires of a tensor operand, in bytes. */
PURE int check_align(const CheckInstr *in, int param);
/* The least number that the range of an operand allows: 0, which does nothing, of a
 * number of repeats that is no literal, and of the bursts of data_move by the reading
 * D10. */
PURE int64_t check_least(const CheckInstr *in, int param);
/* Returns the dtype in which the value of a SCALAR operand is given. */
PURE Dtype check_scalar_dtype(const CheckInstr *in, int param);

/* The rule that a CHECK_VALUE step of the operand is named by; RULE_NONE: there is no
 * such step. */
PURE Rule check_value_rule(Op op, int param);
/* Whether the bounds of the operand hold for all numbers between those of lo and hi, of
 * an instruction whose bounds are not monotone (FamilyRules.bounds_corners); no for more
 * numbers than it tries. Others: that hi holds. at is room for it. The evaluations that
 * it takes at most are added to *work, if it is not null. */
bool check_bounds_between(const CheckInstr *lo, const CheckInstr *hi, CheckInstr *at,
                          CheckStep step, uint64_t *work);
/* Bounds of the instruction relate numbers in ways that no interval tells: they are
 * decided where all numbers are known. Depends on attributes only. */
PURE bool check_is_irregular(const CheckInstr *in);
/* Destinations are sources too, or may be where that depends on a number that is no
 * literal. */
PURE bool check_reads_dst(const CheckInstr *in);
/* The rules that a CHECK_BOUNDS and a CHECK_OVERLAP step of the operand ask first. */
PURE Rule check_bounds_rule(Op op, int param);
PURE Rule check_overlap_rule(Op op, int param);
/* Whether overlap of the operand with the first destination is a question of equal steps
 * (moves, lanes): else only operands that never come near each other are known not to
 * meet. */
PURE bool check_overlap_is_regular(Form f, int param);

/* Checks deq-sign-bit: whether a parameter word of a scaled conversion is for the
 * destination. The stage calls it for literals, both back ends always. */
bool check_pack_sign(uint64_t pack, Dtype dst, Fault *fault);

/* The geometry of a vector instruction. */
PURE int check_lanes(const CheckInstr *in);       /* lanes of a repeat */
PURE int64_t check_repeats(const CheckInstr *in); /* counter mode: ceil(N / L) */
PURE bool check_lane_active(const CheckInstr *in, int64_t repeat, int lane);
/* Returns whether the results of two lanes share a byte, so that masks have both of them
 * or neither. */
PURE bool check_masks_pairs(const CheckInstr *in);

#endif
