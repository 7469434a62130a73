/* internal.h: declarations that the files of the checker share. It is private to
 * runtime/rules. */
#ifndef TIK_CHECK_INT_H
#define TIK_CHECK_INT_H

#include "isa/integer.h"
#include "rules/check.h"

/* The numbers of a Fault: where a rule is broken. */
typedef struct FaultAt {
    Rule rule;
    int param;
    int64_t value, lo, hi;
} FaultAt;

/* Fills *fault, which may be null as in all rules on values. It always returns false.
 * Whatever is computed for the text alone stands among the arguments: a loader that has
 * no texts (isa/lean.h) does not compute it, and keeps of the numbers that of the rule.
 */
#ifdef TIK_LEAN
bool check_fail_rule(Fault *fault, Rule rule);
#define check_fail(fault, at, ...) check_fail_rule(fault, (at)->rule)
#else
bool check_fail(Fault *fault, const FaultAt *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#endif

/* The rules of a family (family.def). Rules on ranges, masks, scopes and element types
 * are generic (check.c); a null member adds nothing to them. Members are safe for any
 * values, and meaningful for operands within their ranges. A lean loader has no member
 * that its verifier does not ask. */
typedef struct FamilyRules {
    /* Checks the rules that do not depend on values: availability, pairs of types,
     * modes. */
    bool (*statics)(const CheckInstr *in, Fault *fault);
    /* Returns the bytes that the operand accesses, for any numbers, legal or not; null:
     * it accesses none. */
    Footprint (*footprint)(const CheckInstr *in, int param, bool *exact);
    /* Returns how far bounds reach from the operand's start; null: to the end of its
     * footprint. It differs if the bytes that are accessed are known only while running
     * (gather), if bounds are those of whole blocks or images of which parts are accessed
     * (fill, acc, image), and if numbers are too wrong to compute with, so that they have
     * no end (lmem). */
    int64_t (*extent)(const CheckInstr *in, int param);
    /* Checks a tensor operand against those before it. It is called for sources, and for
     * destinations but the first. */
    bool (*overlap)(const CheckInstr *in, int param, Fault *fault);
    /* Returns whether overlap has a rule on the operand; null: on all of them. */
    bool (*has_overlap)(Op op, int param);
    /* Returns the rules of an operand's bounds and overlap; null: tensor-overflow,
     * overlap-*. */
    Rule (*bounds_rule)(Op op, int param);
    NOT_LEAN(Rule (*overlap_rule)(Op op, int param);)
    /* Returns the bytes from the operand's start that overlap rules count, if they are
     * more than those that are accessed; null: they are not. */
    int64_t (*overlap_extent)(const CheckInstr *in, int param);
    /* Returns the required alignment of a tensor operand in bytes; null: scope_align. */
    int (*align)(const CheckInstr *in, int param);
    /* Checks a further rule on the bytes of a tensor operand, before its bounds. Like
     * them it depends monotonically on counts and strides. */
    bool (*bounds)(const CheckInstr *in, int param, Fault *fault);
    /* bounds is not monotone for the operand: it has its least at corners, each number at
     * an end of its range or at 1. Null: it never is. */
    bool (*bounds_corners)(Op op, int param);
    /* bounds asks how much of the tensor comes after the offset, and nothing else asks
     * for offsets but alignment, bounds and overlap, which asks for distances. */
    NOT_LEAN(bool bounds_are_room;)
    /* Warnings on a correct instruction; a lean loader has none. */
    TEXT(void (*warnings)(const CheckInstr *in, void (*report)(void *ctx, const Fault *),
                          void *ctx);)
    /* Warnings on numbers that are no literals, as they are while running. */
    TEXT(void (*run_warnings)(const CheckInstr *in,
                              void (*report)(void *ctx, const Fault *), void *ctx);)
    /* Returns whether bounds relate numbers in ways that intervals cannot express, so
     * that they are decided only if all numbers are known. It depends on attributes
     * only. */
    bool (*irregular)(const CheckInstr *in);
    /* Returns whether destinations are or may be sources too; null: sem_reads_dst. */
    NOT_LEAN(bool (*reads_dst)(const CheckInstr *in);)
    /* Nothing but alignment, bounds and overlap asks for offsets and roots of tensors
     * (rules/shape.h). */
    NOT_LEAN(bool placeless;)
    /* statics asks for numbers that are literals; else for no number but attributes. */
    NOT_LEAN(bool asks_literals;)
} FamilyRules;

/* Of moves of blocks; instructions of the family that have no tensors have none
 * (move.c). */
void check_move_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *),
                         void *ctx);

#define FAMILY(id, rules, lower, bind, ops, emu) extern const FamilyRules rules_##rules;
#include "isa/family.def"

extern const FamilyRules *const check_families[FAM_COUNT];

/* Returns those of an instruction. */
static inline const FamilyRules *
check_family(Op op)
{
    return check_families[op_family(op)];
}

/* Checks the steps of one operand by itself: all but bounds and overlap. */
bool check_operand(const CheckInstr *in, int param, Fault *fault);
/* Gives what check_extent and check_overlap_end return, with one footprint where one
 * serves both. */
void check_reach(const CheckInstr *in, int param, int64_t *extent, int64_t *reach);
/* Checks the steps of all operands but alignment, bounds and overlap. */
bool check_numbers(const CheckInstr *in, Fault *fault);
/* Does what check_step does for an instruction whose operands satisfy their own steps. */
bool check_alone(const CheckInstr *in, CheckStep step, Fault *fault);
/* Returns whether the operand is compared with those before it: a tensor that is not the
 * first destination. */
PURE bool check_has_overlap(Op op, int param);
/* Copies an instruction without the operands that its form does not have. */
void check_copy(CheckInstr *to, const CheckInstr *from);

/* What rows of require.def ask that is no relation. */
#define REQUIRE(...)
#define REQUIRE_OF(...)
#define ALSO(...)
#define ASK(form, operand, rule, direction, function, meaning)                           \
    bool function(const CheckInstr *in, int param, Fault *fault);
#include "rules/require.def"

/* Adds a name to a list in a small buffer, for messages. */
void check_list_add(char *buf, size_t size, const char *name);
const char *check_op_name(const CheckInstr *in);
/* Returns whether a chosen reading gives the processor the instruction, with the types of
 * the 310P class. */
PURE bool check_by_choice(const CheckInstr *in);
const char *check_param_name(const CheckInstr *in, int param);
/* Checks the range of an ATTR, by the rule of its row. */
bool check_attr(const CheckInstr *in, int param, Fault *fault);
/* Returns whether a number is in the range of its row (form.def), by whatever rule. */
PURE bool check_in_row(const CheckInstr *in, int param);
/* The processor has the pair of types of dst and src, with the rounding mode where there
 * is one (convert.c). */
bool check_conversion(const CheckInstr *in, Fault *fault);
/* Generic parts of check_static for families that need them in another order. */
bool check_main_dtype(const CheckInstr *in, int param, Fault *fault);
bool check_same_dtype(const CheckInstr *in, int param, Fault *fault);

/* Returns the type whose width gives the number of lanes: that of the widest operand that
 * is addressed by vector lanes. */
PURE Dtype check_widest(const CheckInstr *in);
/* Returns the mask operand; null when the form has none. */
PURE const CheckMask *check_mask(const CheckInstr *in);
/* Checks dst-overlap: count items of `each` bytes must fit into the bytes from the first
 * to the end of the last one. Then an instruction's work is bounded by memory, whatever
 * its counts are. */
bool check_counted(const CheckInstr *in, int param, int64_t count, int64_t each,
                   Fault *fault);
PURE bool check_is_pad_move(const CheckInstr *in);
/* Of a load with windows: every number of the image and the kernel is in its range, so
 * that no product overflows. */
PURE bool check_is_geometry(const CheckInstr *in);

/* ---- lanes.c, for families that address some of their operands by lanes -- */

/* Where the vector lanes of an operand are. Strides are in bytes. */
typedef struct LaneGeometry {
    int lanes;     /* lanes of a repeat */
    int size;      /* bytes of an element */
    int share;     /* elements that share them: 1 or 2 */
    int per_block; /* elements of a block */
    int blocks;    /* blocks of a repeat */
    int64_t blk;   /* from block to block */
    int64_t rep;   /* from repeat to repeat */
    /* bytes of a block before its first element: lanes may fill the upper half */
    int first;
} LaneGeometry;

/* The operand must satisfy form_is_vector. */
PURE LaneGeometry check_geometry(const CheckInstr *in, int param);
/* Returns one past the highest active lane of a repeat. */
PURE int lanes_end(const CheckInstr *in);
PURE int64_t lanes_extent(const CheckInstr *in, int param);
Footprint lanes_footprint(const CheckInstr *in, int param, bool *exact);
/* Checks source param against destination dst by the rules of vector 1.6 for one and
 * several repeats. */
bool lanes_overlap(const CheckInstr *in, int dst, int param, Fault *fault);
/* Does the same if dst is not addressed by vector lanes: each repeat writes a run of len
 * bytes, step bytes after that of the repeat before. */
bool lanes_overlap_run(const CheckInstr *in, int dst, int64_t len, int64_t step,
                       int param, Fault *fault);

/* Returns the first t in [0, n) with -wlen < x + t*step < rlen; -1 when there is none. */
PURE int64_t check_first_overlap(int64_t x, int64_t step, int64_t wlen, int64_t rlen,
                                 int64_t n);

/* Checks that the operand, from its first to its last byte, shares no byte with another
 * one. */
bool check_apart(const CheckInstr *in, Rule rule, int other, int param, Fault *fault);
/* Returns whether counter mode counts the elements of each repeat, and repeat_times is
 * used. */
PURE bool check_counts_per_repeat(const CheckInstr *in);

/* Returns whether two byte ranges of one root share a byte. */
static inline bool
bytes_overlap(int64_t a, int64_t alen, int64_t b, int64_t blen)
{
    return alen > 0 && blen > 0 && a < sat_add(b, blen) && b < sat_add(a, alen);
}

/* conv-kernel, kernel-outside: the kernel of windows, with its dilation, is not wider
 * (higher) than the image with its padding (load.c). */
struct FractalWindows;
bool check_kernel_fits(const struct FractalWindows *s, bool width, Rule rule, int param,
                       Fault *fault);

#endif
