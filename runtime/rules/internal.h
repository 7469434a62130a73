/* internal.h: what the files of the checker (check.c, footprint.c, overlap.c) share.
 * Private to runtime/isa. */
#ifndef TIK_CHECK_INT_H
#define TIK_CHECK_INT_H

#include "isa/integer.h"
#include "rules/check.h"

/* Where a rule is broken: the numbers of a Fault. */
typedef struct FaultAt {
    Rule rule;
    int param;
    int64_t value, lo, hi;
} FaultAt;

/* Fills *fault; always false, so that it can be returned. */
bool check_fail(Fault *fault, const FaultAt *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The rules of a family (family.def). Everything that ranges, masks, scopes and element
 * types say is generic (check.c); null: nothing more to say. All of them presuppose
 * operands within their ranges and are safe for any values. */
typedef struct FamilyRules {
    /* What does not depend on values: availability, types that relate, modes. */
    bool (*statics)(const CheckInstr *in, Fault *fault);
    /* The bytes that the operand touches, of all numbers, legal or not; null: it touches
     * none. */
    Footprint (*footprint)(const CheckInstr *in, int param, bool *exact);
    /* How far bounds reach from the operand's start, where that is not the end of its
     * footprint; null: it is. What is touched is known only while running (gather),
     * bounds are those of whole blocks or images of which parts are touched (fill, acc,
     * image), or without end where numbers are too wrong to compute with (lmem). */
    int64_t (*extent)(const CheckInstr *in, int param);
    /* A tensor operand against the ones before it: sources, and destinations but the
     * first. */
    bool (*overlap)(const CheckInstr *in, int param, Fault *fault);
    /* Whether overlap has something to say about the operand; null: about all of them. */
    bool (*has_overlap)(Op op, int param);
    /* The rules of an operand's bounds and overlap where they have names of their own;
     * null: tensor-overflow, overlap-*. */
    Rule (*bounds_rule)(Op op, int param);
    Rule (*overlap_rule)(Op op, int param);
    /* Bytes from the operand's start that overlap rules count where that is more than
     * what is touched; null: it is not. */
    int64_t (*overlap_extent)(const CheckInstr *in, int param);
    /* Required alignment of a tensor operand in bytes; null: scope_align. */
    int (*align)(const CheckInstr *in, int param);
    /* A further rule on what a tensor operand covers, asked before its bounds. Like them
     * it depends monotonically on counts and strides. */
    bool (*bounds)(const CheckInstr *in, int param, Fault *fault);
    /* bounds is not monotone for the operand: it has its least at corners, each number at
     * an end of its range or at 1. Null: it never is. */
    bool (*bounds_corners)(Op op, int param);
    /* Warnings on a correct instruction. */
    void (*warnings)(const CheckInstr *in, void (*report)(void *ctx, const Fault *),
                     void *ctx);
    /* Warnings on numbers that are no literals, as they are while running. */
    void (*run_warnings)(const CheckInstr *in, void (*report)(void *ctx, const Fault *),
                         void *ctx);
    /* Bounds relate numbers in ways that no interval tells: they are decided where all
     * numbers are known. Depends on attributes only. */
    bool (*irregular)(const CheckInstr *in);
    /* The first destination is a source too, or may be; null: sem_reads_dst. */
    bool (*reads_dst)(const CheckInstr *in);
} FamilyRules;

/* Of moves of blocks; instructions of the family that have no tensors have none
 * (move.c). */
void check_move_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *),
                         void *ctx);

#define FAMILY(id, rules, lower, bind, ops, emu) extern const FamilyRules rules_##rules;
#include "isa/family.def"

/* Those of an instruction. */
const FamilyRules *check_family(Op op);

/* What rows of require.def ask that is no relation. */
#define REQUIRE(...)
#define REQUIRE_OF(...)
#define ALSO(...)
#define ASK(form, operand, rule, direction, function)                                    \
    bool function(const CheckInstr *in, int param, Fault *fault);
#include "rules/require.def"

/* Adds to a list of names in a small buffer. */
void check_list_add(char *buf, size_t size, const char *name);
const char *check_op_name(const CheckInstr *in);
/* A reading of an uncertain point gives the processor the instruction, with the types of
 * the 310P class. */
bool check_by_choice(const CheckInstr *in);
const char *check_param_name(const CheckInstr *in, int param);
/* A number is in the range of its row (form.def), whatever rule says so. */
bool check_in_row(const CheckInstr *in, int param);
/* The processor has the pair of types of dst and src, with the rounding mode where there
 * is one (convert.c). */
bool check_conversion(const CheckInstr *in, Fault *fault);
/* Generic parts of check_static for families that need them in another order. */
bool check_main_dtype(const CheckInstr *in, int param, Fault *fault);
bool check_same_dtype(const CheckInstr *in, int param, Fault *fault);

/* The type whose width gives the lanes: that of the widest operand addressed by lanes. */
Dtype check_widest(const CheckInstr *in);
/* The mask operand; null: the form has none. */
const CheckMask *check_mask(const CheckInstr *in);
/* The extent of an operand, by its family. */
/* Whether count items of so many bytes have room for themselves in the bytes between the
 * first and the end of the last one: then an instruction's work is bounded by memory,
 * whatever its counts are. Else dst-overlap. */
bool check_counted(const CheckInstr *in, int param, int64_t count, int64_t each,
                   Fault *fault);
bool check_is_pad_move(const CheckInstr *in);
/* Of a load with windows: every number of the image and the kernel is in its range, so
 * that no product overflows. */
bool check_is_geometry(const CheckInstr *in);

/* ---- lanes.c, for families that address some of their operands by lanes -- */

/* Where the lanes of an operand are; strides in bytes. */
typedef struct LaneGeometry {
    int lanes;     /* L: of a repeat */
    int size;      /* bytes of an element */
    int share;     /* elements that share them: 1 or 2 */
    int per_block; /* elements of a block */
    int blocks;    /* of a repeat */
    int64_t blk;   /* from block to block */
    int64_t rep;   /* from repeat to repeat */
    /* bytes of a block before its first element: lanes may fill the upper half */
    int first;
} LaneGeometry;

/* Presupposes form_lanes(form, param). */
LaneGeometry check_geometry(const CheckInstr *in, int param);
/* One past the highest active lane of a repeat. */
int lanes_end(const CheckInstr *in);
int64_t lanes_extent(const CheckInstr *in, int param);
Footprint lanes_footprint(const CheckInstr *in, int param, bool *exact);
/* Source param against destination dst by the rules of vector 1.6 for one and several
 * repeats. */
bool lanes_overlap(const CheckInstr *in, int dst, int param, Fault *fault);
/* The same where dst is not addressed by lanes: each repeat writes one run of len bytes,
 * step bytes behind that of the repeat before. */
bool lanes_overlap_run(const CheckInstr *in, int dst, int64_t len, int64_t step,
                       int param, Fault *fault);

/* The first t in [0, n) with -wlen < x + t*step < rlen, -1: none. */
int64_t check_first_meeting(int64_t x, int64_t step, int64_t wlen, int64_t rlen,
                            int64_t n);

/* From its first to its last byte the operand shares none with another one. */
bool check_apart(const CheckInstr *in, Rule rule, int other, int param, Fault *fault);
/* Counter mode counts the elements of each repeat; repeat_times is used. */
bool check_counts_per_repeat(const CheckInstr *in);

/* Whether two byte ranges of one root share a byte. */
static inline bool
bytes_meet(int64_t a, int64_t alen, int64_t b, int64_t blen)
{
    return alen > 0 && blen > 0 && a < sat_add(b, blen) && b < sat_add(a, alen);
}

/* conv-kernel, kernel-outside: the kernel of windows, with its dilation, is not wider
 * (higher) than the image with its padding (load.c). */
struct FractalWindows;
bool check_kernel_fits(const struct FractalWindows *s, bool width, Rule rule, int param,
                       Fault *fault);

#endif
