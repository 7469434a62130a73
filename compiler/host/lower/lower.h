/* lower.h: lowers kernel IR to LLVM IR; it is private to the host back end. One Lower
 * serves one module; kernels are lowered into it one after another and share the helper
 * functions of the module.
 *
 * Values. A scalar of the kernel is an LLVM integer of its width that holds its bits
 * (float types too; bool is i1); arithmetic on floats goes through lower_arith. An
 * instruction on tensors is one call of a helper function that contains the loops;
 * helpers are made on first use and named by what they specialise on, so that equal
 * instructions share code and a kernel compiles in a few milliseconds.
 *
 * Bits. No fast-math flag is set anywhere and nothing is contracted, so that optimisation
 * cannot change a result. A NaN result of arithmetic is replaced by the canonical one
 * explicitly. */
#ifndef TIKC_LOWER_H
#define TIKC_LOWER_H

#include "host/host.h"
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/TargetMachine.h>

/* The machine that the generated code runs on. */
typedef struct HostTarget {
    LLVMTargetMachineRef machine;
    LLVMTargetMachineRef plain; /* the same machine, without optimisation; or null */
    int opt_level;
    /* masked stores are single instructions, vectors are 512 bits wide */
    bool masked_stores;
    bool half_arithmetic; /* vectors of float16 have instructions of their own */
    const char *tune;     /* the processor that instructions are chosen for, or null */
    /* the size of all global tensors of a kernel from which outputs are streamed */
    int64_t stream_bytes;
} HostTarget;

/* Opens the target (in host/target.c). False: *error is the message, to be freed with
 * LLVMDisposeMessage. */
bool host_target_open(HostTarget *t, const HostOptions *opt, char **error);
void host_target_close(HostTarget *t);
/* Makes plain. */
void host_target_add_plain(HostTarget *t);
/* has_slots: values are kept in memory that could be registers (Lower.has_slots). */
bool host_target_optimise(const HostTarget *t, LLVMModuleRef mod, bool has_slots,
                          char **error);

typedef struct LoopExit {
    struct LoopExit *outer;
    LLVMBasicBlockRef on_break, on_continue;
    VarId var; /* variable of the loop; 0: a multi-core loop */
    StmtId body;
    LLVMValueRef last; /* value of the variable in the last iteration; null: as above */
} LoopExit;

/* The i64 slots that keep the place of a buffer of run-time size. Global tensors have
 * only bytes. */
typedef struct DynamicSlots {
    LLVMValueRef at, bytes, end; /* address in the memory, size, end of its copies */
} DynamicSlots;

typedef struct Fusion Fusion; /* host/lower/fusion.c */
typedef struct Guards Guards; /* host/lower/guard.c */

#define HELPER_PREFIX                                                                    \
    "tik." /* names of helpers begin with it, those of kernels do not                    \
            */

/* Helpers that are compiled already: whether there is one of that name. */
typedef struct HelperStore {
    bool (*has)(void *helpers, const char *name); /* null: there are none */
    void *helpers;
} HelperStore;

/* A result, and the same before its NaNs became canonical. */
typedef struct RawValue {
    LLVMValueRef canonical, raw;
    LLVMValueRef numbers; /* float32 vector with the same NaNs; null: there is none */
} RawValue;

typedef struct Lower {
    /* of the module: */
    Unit *u;
    Arena *arena; /* scratch; it lives as long as the Lower */
    const HostTarget *target;
    LLVMContextRef ctx;
    LLVMModuleRef mod;     /* that of the function under construction */
    LLVMModuleRef helpers; /* that of helpers: the same, or another one (lower_split) */
    LLVMBuilderRef b;
    LLVMTypeRef i1, i8, i16, i32, i64, f16, f32, ptr, none;
    LLVMValueRef nontemporal;      /* metadata of stores */
    LLVMValueRef unlikely, likely; /* metadata of branches */
    LLVMAttributeRef attrs[4];     /* of every function */
    int nattrs;
    /* some kernel keeps values in memory that optimisation makes registers */
    bool has_slots;
    HelperStore store;       /* names say all that the code of helpers depends on */
    VEC(const char *) loops; /* without a store: the code of each fused loop, as text */
    /* debug information; null without */
    LLVMDIBuilderRef di;
    LLVMMetadataRef *di_files; /* by file id */
    LLVMMetadataRef di_scope;  /* scope of the kernel's function */
    /* of the present kernel: */
    const Kernel *k;
    LLVMValueRef fn, core, state;
    LLVMBasicBlockRef entry, fail; /* entry takes the allocations; fail returns 1 */
    LLVMValueRef *regs;            /* by RegId: the slot that holds the value */
    LLVMValueRef *vars;            /* by VarId: the value inside the loop */
    LLVMValueRef *bufs;    /* by BufId: address of the first byte of a global tensor */
    DynamicSlots *dynamic; /* by BufId: slots of buffers of run-time size */
    /* slot of the padding register; null: the kernel never sets it */
    LLVMValueRef padding;
    LLVMValueRef values;    /* operands for a call of the runtime library */
    LLVMValueRef addresses; /* addresses of tensor operands, for the same call */
    LLVMValueRef where;     /* values that a fault reports */
    /* by BufId: the tensor is written past the caches, see host/lower/move.c */
    bool *streams;
    bool has_streams, has_far;
    bool *blind; /* by BufId: which NaN it holds makes no difference, see blind.c */
    bool sets_fp2fp, sets_fp2int; /* the kernel may set these modes of conversions */
    bool sets_atomic;             /* and the mode of writes to global memory */
    bool saturates_half,
        saturates_int; /* the results of lane arithmetic being built saturate */
    Guards *guards;    /* its checks */
    Fusion *fusion;    /* the fused scope whose instructions are being collected */
    bool only_checks;  /* instructions are checked, and nothing else is done */
    bool in_chunk;     /* the code is that of a chunk of a fused loop */
    VEC(RawValue) raw; /* of the chunk */
    /* conversions to float16 take for granted that all fits, see fit.c; and what the last
     * one converted */
    bool trusts_fit;
    RawValue fits;
    LLVMValueRef *memo; /* by ExprId: value in the present statement */
    uint32_t *memo_stamp;
    uint32_t stamp;
    LoopExit *loop;
    VEC(TikPlace) places;
    uint32_t *place_of;    /* by StmtId: 1 + index in places; 0: none yet */
    uint32_t *place_index; /* hash table of 1 + index in places */
    uint32_t nplace_index;
    VEC(TikFrame) frames;
    uint32_t *frame_of; /* by call chain: number in frames; 0: none yet */
} Lower;

/* ---- lower.c: modules, kernels, addresses -------------------------------- */

void lower_open(Lower *l, Unit *u, Arena *arena, const HostTarget *t,
                const char *module_name);
void
/* disposes of the module too, unless the caller took it and set mod to null */
lower_close(Lower *l);
/* Puts helpers that are made from now on into a module of their own, so that the kernels'
 * own functions can be compiled in another way. */
void lower_split(Lower *l);
/* Returns whether the kernel's own function takes little of its time (in
 * host/lower/coarse.c). */
bool lower_is_coarse(const Kernel *k);
/* Adds the function tik_entry_<name>; l->places holds its places until the next kernel.
 * Where the kernel has a tiled version, the entry runs that if no argument that the
 * kernel writes shares bytes with another one, and else the kernel as it was written;
 * apart: the caller knows that none does. */
LLVMValueRef lower_kernel(Lower *l, const Kernel *k, bool apart);
/* Adds the kernel's inspector; null: it has none. It must follow lower_kernel. */
LLVMValueRef lower_inspector(Lower *l, const Kernel *k);
/* The first returns the bytes of scratch memory that the entry expects, the second where
 * a memory begins in it. */
int64_t lower_scratch_bytes(const Kernel *k);
int64_t lower_scope_base(const Kernel *k, Scope s);
/* Returns the distance of the LMEM lanes in it; 0: the kernel uses none. */
int64_t lower_lmem_pitch(const Kernel *k);
bool lower_has_op(const Kernel *k, Op op);
/* Defined in host/lower/place.c: returns the index, in the places table, of the source
 * position of a statement and of the calls that led to it. */
int32_t lower_place(Lower *l, StmtId s);
LLVMValueRef lower_ref(Lower *l, const Ref *r);   /* address of a tensor operand */
LLVMValueRef lower_first_byte(Lower *l, BufId b); /* address of an on-core buffer */
int32_t lower_param(const Kernel *k, BufId b);    /* index of an argument */
/* Returns whether the compiled kernel accesses bytes after the data of a global tensor,
 * and works on copies of them, so that an array needs no room (host/lower/guard.c). */
bool lower_has_edges(const Kernel *k, BufId b);
LLVMValueRef lower_sreg(Lower *l); /* address of the special registers */
void lower_return(Lower *l, int status);
/* Returns the kernel's reading of a choice. */
static inline int
lower_chosen(const Lower *l, Choice point)
{
    return chosen(l->k->choices, point);
}
LLVMValueRef lower_const(Lower *l, int64_t v); /* i64 */
LLVMValueRef lower_const32(Lower *l, int64_t v);
LLVMBasicBlockRef lower_block(Lower *l,
                              const char *name); /* appended to the present function */
LLVMValueRef lower_alloca(Lower *l, LLVMTypeRef t, const char *name);
/* The same in the helper function under construction. */
LLVMValueRef lower_helper_alloca(Lower *l, LLVMTypeRef t, const char *name);
/* Returns a function of the runtime library, which is declared on first use. */
LLVMValueRef lower_runtime(Lower *l, const char *name, LLVMTypeRef type);

/* ---- helpers ------------------------------------------------------------- */

/* A helper function under construction; it saves the place in the kernel. */
typedef struct Helper {
    LLVMValueRef fn;
    LLVMTypeRef type;
    /* where the caller continues; null: the helper exists already */
    LLVMBasicBlockRef back;
    LLVMModuleRef mod;     /* of the caller */
    LLVMValueRef declared; /* what the caller calls */
    LLVMMetadataRef location;
} Helper;

/* Looks the helper up or begins it (with the builder at its entry). True: the caller
 * builds the body, then calls lower_helper_end. The name and the kernel's readings of
 * choices are all that the body depends on: what the store has is declared only. */
bool lower_helper_begin(Lower *l, Helper *h, const char *name, const LLVMTypeRef *params,
                        int n);
void lower_helper_end(Lower *l, Helper *h); /* adds the return */
void lower_helper_call(Lower *l, const Helper *h, LLVMValueRef *args, int n);

/* A loop of count iterations (i64, may be 0) in a helper; up to four i64 or pointer
 * values advance by a step in bytes. */
typedef struct Counted {
    LLVMBasicBlockRef head, body, exit, from;
    LLVMValueRef index; /* phi that counts from 0 */
    LLVMValueRef count;
    LLVMValueRef at[4]; /* phi of each pointer */
    LLVMValueRef step[4];
    int n;
} Counted;

/* The caller sets count, n, at (start values) and step; afterwards at holds the running
 * pointers. */
void lower_counted_begin(Lower *l, Counted *c);
void lower_counted_end(Lower *l, Counted *c);
/* Returns a value that is `first` in the first iteration. The loop has begun; the second
 * function, called right before its end, says what it is in the next iteration. */
LLVMValueRef lower_counted_value(Lower *l, const Counted *c, LLVMValueRef first);
void lower_counted_next(Lower *l, LLVMValueRef value, LLVMValueRef next);

/* ---- host/lower/num.c ---------------------------------------------------- */

/* Arithmetic on scalars (lanes 0) and vectors of bits. */

LLVMTypeRef lower_bits_type(Lower *l, Dtype t, int lanes);
/* lanes 0: the scalar itself */
LLVMValueRef lower_splat(Lower *l, LLVMValueRef scalar, int lanes);
LLVMValueRef lower_bits_const(Lower *l, Dtype t, int lanes, uint64_t bits);
/* Returns n lanes of a vector, from the first on. */
LLVMValueRef lower_part(Lower *l, LLVMValueRef v, int first, int n);
/* Returns a vector of i1 that is true for lanes below the count; in
 * host/lower/lanes.c. */
LLVMValueRef lower_count_mask(Lower *l, int lanes, LLVMValueRef count);
LLVMValueRef lower_to_f32(Lower *l, LLVMValueRef bits, Dtype t, int lanes);
/* For float16 or float32: a NaN becomes canonical. */
LLVMValueRef lower_canonical(Lower *l, Dtype t, int lanes, LLVMValueRef bits);
/* Returns what is known of a result in a fused loop whose NaNs were made canonical; null:
 * it is no such value. */
const RawValue *lower_raw_value(const Lower *l, LLVMValueRef v);
/* Returns an operand of an operation that gives a canonical NaN whatever NaN it gets.
 * Inside a fused loop that is a result as it was before its NaNs became canonical; that
 * step is then dead code unless the value is stored or used otherwise. */
LLVMValueRef lower_any_nan(const Lower *l, LLVMValueRef v);
/* Rounds to nearest even; a NaN becomes canonical. */
LLVMValueRef lower_from_f32(Lower *l, LLVMValueRef f, Dtype t, int lanes);
/* A result that is computed in two ways: as usual, and in another way for vectors in
 * which some lane is rare. The code for the rare ones is built between begin and end, in
 * a branch. For scalars rare is one i1. */
typedef struct Rare {
    LLVMValueRef usual;
    LLVMBasicBlockRef from, done;
} Rare;

void lower_rare_begin(Lower *l, Rare *r, LLVMValueRef rare, LLVMValueRef usual);
LLVMValueRef lower_rare_end(Lower *l, Rare *r, LLVMValueRef instead);
/* For float16: infinity becomes the largest number, NaN becomes 0. */
LLVMValueRef lower_saturated(Lower *l, Dtype t, LLVMValueRef bits, int lanes);
/* op: ADD SUB MUL MAX MIN AND OR, DIV of floats. */
LLVMValueRef lower_binary(Lower *l, Sem op, Dtype t, int lanes, LLVMValueRef a,
                          LLVMValueRef b);
LLVMValueRef lower_unary(Lower *l, Sem op, Dtype t, int lanes,
                         LLVMValueRef a); /* op: ABS RELU NOT, of floats SQRT REC */
LLVMValueRef lower_float_op(Lower *l, LLVMOpcode op, Dtype t, int lanes, LLVMValueRef a,
                            LLVMValueRef b);
/* Returns a vector of i1 (lanes 0: an i1). p: one of OEQ OGT OGE OLT OLE UNE. */
LLVMValueRef lower_float_compare(Lower *l, LLVMRealPredicate p, Dtype t, int lanes,
                                 LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lower_intrinsic(Lower *l, const char *name, LLVMTypeRef *types, int ntypes,
                             LLVMValueRef *args, int n);

/* Returns integers from float32: the nearest one, ties to even, between lo and hi (below
 * 2^22); NaN gives 0. */
LLVMValueRef lower_near_integer(Lower *l, LLVMValueRef f, int lanes, double lo,
                                double hi);
/* Returns float16 from double with one rounding; the numbers are positive and at most
 * 65504, or 0. */
LLVMValueRef lower_half_of_double(Lower *l, LLVMValueRef d, int lanes);
/* Shifts bits by 0 up to the width of t; round: to the nearest, ties upwards. */
LLVMValueRef lower_shift(Lower *l, Sem op, Dtype t, int lanes, LLVMValueRef a,
                         LLVMValueRef by, bool round);

/* ---- host/lower/fn.c ----------------------------------------------------- */

/* Returns EXP, EXPM1, LN, RSQRT, SQRT or REC of float16 or float32 lanes, as bits, in the
 * kernel's reading of CHOICE_APPROXIMATE. It may end the present block. Called in a
 * helper. */
LLVMValueRef lower_function(Lower *l, Sem op, Dtype t, int lanes, LLVMValueRef bits);
/* The same of EXP, EXPM1, LN or RSQRT by a call, which is less code than several
 * registers of steps. */
LLVMValueRef lower_function_called(Lower *l, Sem op, Dtype t, int lanes,
                                   LLVMValueRef bits);
/* Calls the runtime library for the first lanes of each of c->count repeats: from
 * c->at[1] to c->at[0]. op: EXP, EXPM1, LN or RSQRT. */
void lower_function_run(Lower *l, Sem op, Dtype t, int lanes, const Counted *c);

/* ---- host/lower/lanes.c -------------------------------------------------- */

/* Limits of operands that are addressed by lanes (vector 1.1 to 1.5). */

enum {
    LANE_OPERANDS = 4
};

typedef enum LaneMask {
    LANES_FULL,
    LANES_COUNT, /* the mask is a number of leading lanes */
    LANES_BITS
} LaneMask;

/* A row of bits that accompanies the lanes: bit l of a repeat is for lane l. */
typedef enum LaneBits {
    BITS_NONE,
    BITS_READ,      /* compute gets them after the operands, as a vector of i1 */
    BITS_READ_MASK, /* the same with the bits of CMPMASK, for every repeat */
    /* compute returns a vector of i1, which is stored there; no operand is written */
    BITS_WRITE,
    BITS_WRITE_MASK /* the same to CMPMASK; lanes that are off give 0 */
} LaneBits;

/* The properties that a helper specialises on. */
typedef struct LaneShape {
    const char *name;
    uint32_t mode, variant; /* what the computation depends on in addition to types */
    /* lanes of the vectors in the code; at most those of a repeat */
    int lanes;
    LaneMask mask;
    int n; /* number of operands by lanes; operand 0 is written */
    Dtype dtype[LANE_OPERANDS];
    bool dense[LANE_OPERANDS]; /* the blocks follow each other */
    Dtype scalar;              /* type of the scalar operand; DT_NONE: there is none */
    LaneBits bits;
    int results; /* results of each repeat; 0: one for each lane of operand 0 */
} LaneShape;

/* Builds the result for all lanes. v: operands as vectors of their bits; v[0] is the old
 * destination where it is read, else null. scalar: a splat, or null. */
typedef LLVMValueRef LaneCompute(Lower *l, const LaneShape *sh, LLVMValueRef *v,
                                 LLVMValueRef scalar);

/* Builds the whole instruction where all lanes are active and blocks follow each other; c
 * has the operands in at, their steps and the number of repeats. scalar: one scalar, or
 * null. */
typedef void LaneWhole(Lower *l, const LaneShape *sh, const Counted *c,
                       LLVMValueRef scalar);

/* Where the blocks of an operand are from its address on. */
typedef struct LaneBlocks {
    LLVMValueRef
        stride; /* bytes from block to block; null: the blocks follow each other */
    LLVMValueRef
        off[REPEAT_BYTES / BLOCK_BYTES]; /* of each block; unless stride is null */
} LaneBlocks;

/* The operand of an instruction that gives fewer results than lanes. c has its address
 * and that of the results in at, their steps and the number of repeats. */
typedef struct LaneSource {
    Counted c;
    LaneBlocks blk;
    LLVMValueRef mask; /* vector of i1; null: all lanes are on */
} LaneSource;

/* Builds such an instruction. */
typedef void LaneFewer(Lower *l, const LaneShape *sh, const LaneSource *src);

typedef struct LaneJob {
    const char *name; /* names the computation, together with mode and types */
    uint32_t mode, variant;
    LaneCompute *compute;
    LaneWhole *whole; /* null: each repeat is built with compute */
    LaneFewer *fewer; /* if there are results: compute is null */
    bool reads_dst;   /* operand 0 is loaded */
    LaneBits bits;
    /* bits of the first repeat; those of all repeats are packed densely */
    LLVMValueRef bits_at;
    /* fewer gives that many elements of all lanes of operand 0, the only one */
    int results;
    LLVMValueRef results_at, results_step; /* address, and bytes from repeat to repeat */
    LLVMValueRef scalar; /* null: the scalar operand, if the form has one */
    Dtype scalar_type;   /* type of scalar */
} LaneJob;

/* Lowers the whole instruction: masks, repeats and strides come from the tables. */
void lower_lanes(Lower *l, StmtId s, const LaneJob *job);

/* Elements that follow each other in every operand. */
typedef struct LaneRun {
    int n; /* number of operands; operand 0 is written */
    Dtype dtype[LANE_OPERANDS];
    LLVMValueRef at[LANE_OPERANDS];
    int64_t elems;
} LaneRun;

/* Lowers the job of an instruction without masks and repeats; its scalar is the job's. */
void lower_run(Lower *l, const LaneRun *run, const LaneJob *job);
/* Loads the leading lanes of an operand. */
LLVMValueRef lower_lanes_load(Lower *l, Dtype t, int lanes, LLVMValueRef at,
                              const LaneBlocks *blk);
void lower_lanes_store(Lower *l, Dtype t, int lanes, LLVMValueRef v, LLVMValueRef mask,
                       LLVMValueRef at, const LaneBlocks *blk);
/* Converts words of 64 bits to a vector of i1. */
LLVMValueRef lower_bits_to_lanes(Lower *l, int lanes, LLVMValueRef *words, int n);

/* ---- host/lower/tree.c: joins of lanes in registers ---------------------- */

/* Asks for the lines of some bytes at that distance, which need not exist. */
enum {
    CACHE_LINE = 64,
    AHEAD = 1024, /* bytes by which reads of long loops are prefetched */
    /* of the variant of a reduction: its source is in memory that the caches do not
     * hold */
    REDUCE_FAR = 1 << 17
};
void lower_prefetch(Lower *l, LLVMValueRef at, int64_t distance, int64_t bytes,
                    bool writes);

/* Returns the results of a vector of bits as bits: for SEM_CADD the sum of all lanes, for
 * SEM_CGADD, SEM_CGMAX and SEM_CGMIN the sum or extreme of each block, for SEM_CPADD the
 * sums of pairs, in the order of the instructions. t: float16 or float32; lanes: a power
 * of two. Lanes that are off are +0 in sums and NaN in extremes. */
LLVMValueRef lower_reduce_tree(Lower *l, Sem sem, Dtype t, int lanes, LLVMValueRef v);

/* Returns the sums of four such vectors of at least 16 lanes in one, for the types for
 * which it pays. */
enum {
    SUMS_TOGETHER = 4
};
bool lower_has_trees(const Lower *l, Dtype t);
LLVMValueRef lower_sum_trees(Lower *l, Dtype t, int lanes, LLVMValueRef *v);
/* Does the first levels of the tree of a vector of numbers, which leave a quarter of its
 * lanes. */
LLVMValueRef lower_sum_quarter(Lower *l, Dtype t, int lanes, LLVMValueRef numbers);
/* The same for 64 numbers of float32, with fewer shuffles and more steps. */
LLVMValueRef lower_sum_quarter_shifted(Lower *l, LLVMValueRef numbers);

/* The sum of n repeats, at most as many as a repeat has lanes: room for their quarters,
 * one after the other, and then the sum, as bits. */
LLVMValueRef lower_sum_room(Lower *l, Dtype t, int64_t n);
int lower_sum_step(const Lower *l, Dtype t); /* bytes of a quarter */
LLVMValueRef lower_sum_of_quarters(Lower *l, Dtype t, LLVMValueRef quarters, int64_t n);

/* Parts of a tree over many vectors: numbers of bits, such as all machines compute with
 * (float16 becomes float32 where they cannot), bits of numbers, with NaN canonical, and
 * the sums of lanes, rounded to the type. */
LLVMValueRef lower_tree_numbers(Lower *l, Dtype t, int lanes, LLVMValueRef bits);
LLVMValueRef lower_tree_bits(Lower *l, Dtype t, int lanes, LLVMValueRef numbers);
LLVMValueRef lower_tree_sum(Lower *l, Dtype t, int lanes, LLVMValueRef a, LLVMValueRef b);

/* Parts of an extreme of many vectors of numbers, whose order does not matter: the number
 * that loses against all others; whether a is better than b (for NaN it is not); the
 * extremes of `left` sets of lanes. Of equal numbers, such as -0 and +0, any one may win;
 * numbers must not be NaN, except for a of lower_tree_better. sem: one of SEM_CMAX,
 * SEM_CGMAX, SEM_ALL_MAX, or those for the least; t: float16, float32 or int16. */
LLVMValueRef lower_tree_worst(Lower *l, Sem sem, Dtype t, int lanes);
LLVMValueRef lower_tree_better(Lower *l, Sem sem, Dtype t, LLVMValueRef a,
                               LLVMValueRef b);
LLVMValueRef lower_tree_extreme(Lower *l, Sem sem, Dtype t, int lanes, LLVMValueRef x,
                                int left);

/* host/lower/extreme.c: SEM_CMAX and SEM_ALL_MAX, and those for the least. variant: for
 * the first 1 if the index comes before the value, for the second 1 if there is one; and
 * REDUCE_FAR. */
LaneFewer lower_extreme_each, lower_extreme_all;
/* n elements that follow each other, at least one. sem: SEM_CMAX or SEM_CMIN. */
typedef struct RowSearch {
    Sem sem;
    Dtype t;
    int64_t n;
    bool index; /* the result is the index of the extreme, not its bits */
    bool far;   /* the elements are in memory that the caches do not hold */
} RowSearch;
LLVMValueRef lower_extreme_row(Lower *l, const RowSearch *row, LLVMValueRef at);
/* host/lower/slice_reduce.c: false, and nothing is built, where the library has the
 * instruction. */
bool lower_slice_reduce(Lower *l, StmtId s);

/* ---- one file per family ------------------------------------------------- */

/* the value in the expression's own type */
LLVMValueRef lower_expr(Lower *l, ExprId e, StmtId at);
LLVMValueRef lower_number(Lower *l, ExprId e,
                          StmtId at); /* an integer in canonical form as i64 */
/* Defined in host/lower/where.c: returns a block that reports where the kernel is and
 * leaves it. A branch goes there after a fault of the statement was recorded. */
LLVMBasicBlockRef lower_failed(Lower *l, StmtId s);
/* Branches to a fault when cond (i1) holds. */
void lower_fault_if(Lower *l, LLVMValueRef cond, Rule rule, LLVMValueRef value,
                    StmtId at);
void lower_set(Lower *l, StmtId s);
void lower_load(Lower *l, StmtId s);
void lower_store(Lower *l, StmtId s);

void lower_body(Lower *l, StmtId first);
/* Lowers an instruction without its checks. */
void lower_member(Lower *l, StmtId s);
/* Lowers only the checks of a statement. */
void lower_checks(Lower *l, StmtId s);

/* ---- host/lower/finish.c ------------------------------------------------- */

/* Lowers a finishing scope; false: its instructions are to be lowered as they are. */
bool lower_finish(Lower *l, StmtId scope);

/* ---- host/lower/elements.c ----------------------------------------------- */

/* Returns whether iterations of a loop are executed side by side where there are enough
 * of them. */
bool elements_can(const Lower *l, const Stmt *loop);
/* Returns (i1) whether there are, from the value `first` of the variable to `end`; *stop
 * is the value after those that are executed at once, or the end. */
LLVMValueRef elements_enough(Lower *l, LLVMValueRef first, LLVMValueRef end,
                             LLVMValueRef *stop);
/* Builds these iterations, or goes to the block that executes them one by one. */
void elements_take(Lower *l, const Stmt *loop, LLVMValueRef first,
                   LLVMBasicBlockRef others);

/* ---- host/lower/fusion.c ------------------------------------------------- */

void lower_fused_scope(Lower *l, StmtId s);
/* Take the instruction, a member of the scope that is being lowered, into its loop. */
void lower_fused_lanes(Lower *l, StmtId s, const LaneJob *job);
void lower_fused_move(Lower *l, StmtId s);
void lower_fused_sink(Lower *l, StmtId s);

/* Returns the address of an array of the addresses of the tensor operands, each at the
 * index of its parameter, followed by that of the special registers. It holds until the
 * next statement. */
LLVMValueRef lower_operands(Lower *l, StmtId s);

/* Returns the address that an operand in global memory will probably have `by` iterations
 * later, or in the last iteration, for prefetches (host/lower/later.c); null if it is the
 * same or not known. *loaded: it depends on elements of tensors. */
LLVMValueRef lower_later(Lower *l, const Ref *r, int64_t by, bool *loaded);
/* Returns where a row of that many bytes will be that is found by what memory has, so
 * that it should be asked for; null: it need not be (host/lower/move.c). */
LLVMValueRef lower_row_ahead(Lower *l, const Ref *r, int64_t bytes);

/* n runs of bytes of a tensor, at `from`, go to another one, at `to`; defined in
 * host/lower/move.c. */
typedef struct CopyRuns {
    const Ref *dst, *src;
    LLVMValueRef to, from;
    int64_t n, bytes, dst_pitch, src_pitch; /* pitches in bytes */
} CopyRuns;
void lower_copy_runs(Lower *l, const CopyRuns *r);

/* The same with numbers that may be known only at run time. Bursts are moved in
 * ascending order. */
typedef struct CopyBursts {
    const Ref *dst, *src;
    LLVMValueRef to, from, n, bytes, dst_pitch, src_pitch;
} CopyBursts;
void lower_copy_bursts(Lower *l, const CopyBursts *c);

/* Returns whether that many bytes that are written past the caches, where they are whole
 * lines, are that each time, or are enough that it does not matter. Else a line that
 * other writes have brought into the caches would have to leave them. */
bool lower_keeps_lines(const Lower *l, const Ref *r, int64_t bytes);
void lower_find_streams(Lower *l);                     /* at the start of a kernel */
void lower_find_blind(Lower *l);                       /* the same, host/lower/blind.c */
void lower_fence_streams(Lower *l);                    /* before a return */
void lower_dynamic_slots(Lower *l, LLVMValueRef args); /* at the start of a kernel */
void lower_reserve(Lower *l, StmtId s);
void lower_blocks(Lower *l, StmtId s); /* host/lower/cores.c */
void lower_barrier(Lower *l, StmtId s);
/* True if the size is known at run time only: for buffers of run-time size, and for
 * global tensors, whose accesses are checked against the array that is given. */
bool lower_has_run_time_size(const Buffer *b);
LLVMValueRef lower_bytes(Lower *l, BufId id); /* present size of a buffer */
/* address of an on-core buffer in its memory */
LLVMValueRef lower_address(Lower *l, BufId id);
/* Computes the lanes of an instruction whose mode is a Sem. */
LaneCompute lower_vector_compute;
/* Returns whether an instruction's lanes are values of a function of the library, whose
 * code has branches of its own. */
bool lower_is_map(Sem sem);
/* Computes what lower_vector needs for instructions of the family ARITH
 * (host/lower/fused.c). */
LLVMValueRef lower_fused(Lower *l, const LaneShape *sh, LLVMValueRef *v,
                         LLVMValueRef scalar);
void lower_find_modes(Lower *l); /* at the start of a kernel */
/* Returns the computation of a conversion, for lower_lanes or lower_run. */
LaneJob lower_conversion(Lower *l, StmtId s);
/* Returns whether a member of a loop converts float32 to float16. */
bool lower_saturates_to_half(const LaneJob *job, Dtype src);
/* Lowers an instruction; there is one function for each family (family.def). lower_exec
 * is for those whose meaning is in the runtime library (tikrt_exec). */
typedef void LowerInstr(Lower *l, StmtId s);
#define FAMILY(id, rules, lower, bind, ops, emu) LowerInstr lower_##lower;
#include "isa/family.def"

/* ---- host/debug.c: line tables ------------------------------------------- */

void debug_open(Lower *l);
void debug_begin_kernel(Lower *l, const Kernel *k);
void debug_statement(Lower *l, StmtId s);
void debug_none(Lower *l); /* the code that follows has no source position */
void debug_close(Lower *l);

/* ---- host/descriptor.c: TikKernel for C and as constant data ------------- */

/* Fills everything but entry; the storage is in the arena. */
void descriptor_fill(Lower *l, const Kernel *k, Arena *arena, TikKernel *out);
/* Adds the constant tik_kernel_<name> to the module. */
void descriptor_emit(Lower *l, const Kernel *k, LLVMValueRef entry,
                     LLVMValueRef inspector);

/* ---- host/jit.c, host/emit.c --------------------------------------------- */

HostSession *host_session_open(Unit *u, const HostOptions *opt);
void host_session_close(HostSession *s);
HostCount host_session_count(const HostSession *s);
bool host_jit(HostSession *s, Kernel *const *kernels, int n, bool apart,
              TikKernel *entries, void **handle);
void host_release(void *handle);
bool host_emit(Unit *u, Kernel *const *kernels, int n, HostEmit what,
               const HostOptions *opt, const char *path);

#endif
