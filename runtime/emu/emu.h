/* emu.h: the emulator's inside. A kernel's descriptors become an EmuProgram, once:
 * operands resolved to memory, numbers to slots of one table, instructions to their
 * semantic function. Then every core runs the program from its start, one after another,
 * in program order.
 *
 * program.c makes the program of descriptors, run.c runs it (barrier.c where cores wait
 * for each other), check.c asks the rules while it runs, lane_io.c has masks, repeats and
 * strides of vector instructions, lanes.c the arithmetic on lanes, blob.c the front for
 * blobs. A family of instructions is in the file of its name (isa/family.def).
 *
 * Safety does not rest on the verifier: every address goes through emu_at, every number
 * that shapes an access is range-checked, and the steps are counted. A blob that was
 * never verified can compute nonsense but not touch foreign memory. */
#ifndef TIK_EMU_H
#define TIK_EMU_H

#include "emu/lanes.h"
#include "rules/atomic.h"
#include "rules/flag.h"
#include "num/conv.h"
#include "num/scalar.h"
#include "rules/check.h"
#include "tikblob.h"
#include "tikrt.h"

/* What is watched and shown beside the results. */
typedef struct EmuWatch {
    uint8_t fill;   /* of LMEM when a core starts */
    TikArray *lmem; /* gets the lanes of core 0 when it has ended; null: nothing does */
    /* Told of warnings while running (also reads of LMEM that no element stands behind,
     * and banks of it that are used twice); null: nothing is watched. */
    void (*warn)(void *ctx, uint32_t descriptor, Rule rule, const char *text);
    void *ctx;
} EmuWatch;

/* What a kernel's descriptors refer to. The caller keeps everything until the program is
 * freed. */
typedef struct EmuKernel {
    const Soc *soc;
    Choices choices; /* readings of uncertain points */
    const TikBlobRegion *regions;
    uint32_t nregions;
    TikArray *const *args; /* a GM region's base is an index into it */
    uint8_t *const
        *bound; /* by argument: of a list its first ListItem; null: there are no lists */
    uint32_t nargs;
    uint32_t nregs, nloops;
    uint32_t cores;
    uint32_t flags;        /* TIKBLOB_FILL_SCRATCH; TIKBLOB_ORDERED says nothing here */
    uint64_t step_bound;   /* steps of one core; 0: not bounded */
    const EmuWatch *watch; /* null: nothing */
    const TikBlobName *names; /* by descriptor */
    uint32_t nnames;
} EmuKernel;

typedef enum EmuStatus {
    EMU_OK,
    EMU_FAULT,     /* a rule of rule.def broken while running */
    EMU_MALFORMED, /* the descriptors make no program */
    EMU_STEPS,     /* more steps than the bound */
    EMU_NO_MEMORY
} EmuStatus;

typedef struct EmuResult {
    EmuStatus status;
    uint32_t descriptor;     /* TikDesc.index at fault */
    uint32_t core;           /* EMU_FAULT, EMU_STEPS */
    Fault fault;             /* EMU_FAULT; EMU_MALFORMED: text only */
    char where[WHERE_BYTES]; /* EMU_FAULT: as TikError.where */
} EmuResult;

typedef struct EmuProgram EmuProgram;

/* An empty program; null with *res filled. */
EmuProgram *emu_new(const EmuKernel *k, EmuResult *res);
void emu_free(EmuProgram *p);
/* Appends one descriptor. */
bool emu_add(EmuProgram *p, const TikDesc *d, EmuResult *res);
/* Closes the program: every loop and branch has its end. */
bool emu_finish(EmuProgram *p, EmuResult *res);
/* Runs all cores of a finished program. */
bool emu_run(EmuProgram *p, EmuResult *res);
/* All of the above for n descriptors. */
bool emu_run_program(const EmuKernel *k, const TikDesc *descs, uint32_t n,
                     EmuResult *res);

/* ---- the program --------------------------------------------------------- */

/* A number is a slot of EmuRun.vals: slot 0 the core's index, then the loop counters, the
 * registers, the constants. */
typedef uint32_t EmuNum;

typedef struct EmuTerm {
    EmuNum num;
    int64_t coef;
} EmuTerm;

/* An address: base + offset + sum of terms, of which limit bytes exist from base on. */
typedef struct EmuRef {
    uint8_t *base;
    int64_t limit;
    int64_t offset;
    uint32_t first_term, nterms;
    uint32_t region;
    Dtype dtype;
    /* address list: its arrays, base and limit are not used; else null */
    const ListItem *items;
    int32_t nitems;
    /* on-core, of a size known only while running: base is that of the memory, place and
     * size are in EmuRun.places */
    bool open;
} EmuRef;

/* Where an open region of a core lies now, in its memory; nothing is inside before its
 * reservation. */
typedef struct EmuPlace {
    int64_t at, bytes, end;
    int64_t limit; /* of its granule */
} EmuPlace;

typedef struct EmuRun EmuRun;
typedef struct EmuOp EmuOp;

/* Semantic function of an instruction; false: a fault is recorded. */
typedef bool EmuExec(EmuRun *r, const EmuOp *op);

typedef void EmuConvert(uint8_t *dst, const uint8_t *src, int64_t n);

/* What is constant about a data_move. */
typedef struct EmuMove {
    MoveUnits units;
    EmuConvert *convert;    /* null: raw bytes */
    int src_size, dst_size; /* bytes of an element, with convert */
    int pad;                /* PadMode, 0: none */
    Scope from;
    bool ascending; /* blocks, where source and destination may meet (choice D12) */
    bool to_gm;     /* the atomic mode may change what is written */
} EmuMove;

enum {
    EMU_LANE_OPERANDS = 4
};

/* Where an instruction on lanes has its operands, from the tables, once; slots, -1:
 * none. */
typedef struct EmuLanePlan {
    int8_t n, repeat, unit, scalar;
    bool masked;
    uint16_t lanes; /* L */
    uint16_t repeat_most;
    struct {
        int8_t slot, blk, rep;
        uint16_t blk_most, rep_most; /* largest legal strides */
        bool blk0_is_1;
        uint8_t size; /* of an element */
    } o[EMU_LANE_OPERANDS];
} EmuLanePlan;

struct EmuOp {
    uint16_t op;  /* Op, or ScalarOp */
    uint8_t kind; /* TikDescKind */
    uint8_t dtype, from;
    uint8_t mask_form;
    bool checked;
    uint64_t literals; /* bit i: operand i of the form was written as a constant */
    uint32_t index;    /* TikDesc.index */
    /* LOOP: behind its end; ENDLOOP: its body; IF, ELSE, BREAK, CONTINUE: where to */
    uint32_t target;
    uint32_t reg;   /* slot: ALU, LOAD: result; LOOP, ENDLOOP: counter */
    uint32_t depth; /* LOOP, ENDLOOP: loops around it */
    EmuNum a, b;
    uint32_t ref; /* LOAD, STORE: indexes EmuProgram.refs */
    /* INSTR: of its operands in EmuProgram.slots, in the order of the form */
    uint32_t first_slot;
    EmuNum mask[4];
    uint32_t move; /* indexes EmuProgram.moves */
    EmuLanePlan plan;
    LaneFn *lanes;
    EmuExec *exec;
};

struct EmuProgram {
    EmuKernel kernel;
    EmuOp *ops;
    EmuRef *refs;
    EmuTerm *terms;
    /* tensor operands: index in refs; masks: 0; other operands: EmuNum */
    uint32_t *slots;
    int64_t *consts;
    EmuMove *moves;
    uint32_t nops, nrefs, nterms, nslots, nconsts, nmoves;
    uint32_t cap_ops, cap_refs, cap_terms, cap_slots, cap_consts, cap_moves;
    uint32_t first_const;                               /* slot of consts[0] */
    uint32_t open[TIKBLOB_MAX_LOOPS + TIKBLOB_MAX_IFS]; /* LOOP, IF, ELSE without their
                                                           ends, outermost first */
    uint32_t nopen, nloops_open;
    uint32_t max_depth;
    bool barriers; /* cores wait for each other */
    uint8_t *scratch;
    int64_t scratch_bytes;
    uint8_t **tables; /* by region: a constant table's bytes in scratch, else null */
    int64_t scope_at[SC_COUNT]; /* where a memory begins in scratch */
    int64_t lmem_pitch;         /* from lane to lane of LMEM; 0: there are none */
    int64_t lane_used;          /* bytes of a lane that the kernel uses */
};

/* One core's run. */
struct EmuRun {
    const EmuProgram *p;
    int64_t *vals;
    int64_t ends[TIKBLOB_MAX_LOOPS]; /* by depth of the loop */
    int64_t padding;                 /* the padding register */
    EmuPlace *places;                /* by region */
    uint32_t cores;                  /* that run; grows with the number of blocks */
    uint32_t pc;                     /* where the core goes on */
    /* number of cores that the core waits for at a barrier; 0: it has ended */
    int64_t waits;
    uint8_t *sreg; /* special registers, SREG_BYTES */
    Flags flags;
    uint8_t *lmem_state; /* emu/lmem_watch.c; null: not watched */
    uint8_t *warned;     /* emu/warn.c, by instruction; null: nobody is told */
    const EmuOp *before; /* the instruction that ran last; null: none */
    uint64_t steps, step_limit;
    uint32_t core;
    EmuResult *res;
};

/* The kernel's reading of an uncertain point. */
static inline int
emu_chosen(const EmuProgram *p, Choice point)
{
    return chosen(&p->kernel.choices, point);
}

/* An instruction of a run, for emu_warn. */
typedef struct EmuSite {
    EmuRun *r;
    const EmuOp *op;
} EmuSite;

/* ---- between the files --------------------------------------------------- */

static inline int64_t
emu_num(const EmuRun *r, EmuNum n)
{
    return r->vals[n];
}

/* Byte offset of an operand from its root; wraps, emu_at refuses what does not fit. */
static inline int64_t
emu_offset(const EmuRun *r, const EmuRef *ref)
{
    uint64_t off = (uint64_t)ref->offset;
    for (uint32_t i = 0; i < ref->nterms; i++) {
        const EmuTerm *t = &r->p->terms[ref->first_term + i];
        off += (uint64_t)t->coef * (uint64_t)r->vals[t->num];
    }
    return (int64_t)off;
}

/* The size of a region; of an argument that of its array, which has at least the region's
 * bytes or, where the region is open, any number (emu/program.c). */
int64_t emu_given_bytes(const EmuKernel *k, const TikBlobRegion *g);

/* The one translation of addresses: the operand's first byte if extent >= 0 bytes from
 * there on exist, else null. */
uint8_t *emu_list_at(const EmuRef *o, int64_t off, int64_t extent); /* emu/program.c */

static inline uint8_t *
emu_at(const EmuRun *r, uint32_t ref, int64_t extent)
{
    const EmuRef *o = &r->p->refs[ref];
    int64_t off = emu_offset(r, o), limit = o->limit;
    uint8_t *base = o->base;
    if (o->items != NULL) {
        return emu_list_at(o, off, extent);
    }
    if (o->open) {
        limit = r->places[o->region].limit;
        base += r->places[o->region].at;
    }
    return off >= 0 && off <= limit && extent <= limit - off ? base + off : NULL;
}

/* An operand of an instruction by its slot in the form: a number; a tensor. */
static inline int64_t
emu_slot(const EmuRun *r, const EmuOp *op, int slot)
{
    return r->vals[r->p->slots[op->first_slot + (uint32_t)slot]];
}

static inline const EmuRef *
emu_slot_ref(const EmuProgram *p, const EmuOp *op, int slot)
{
    return &p->refs[p->slots[op->first_slot + (uint32_t)slot]];
}

/* A constant operand (ATTR). */
static inline int64_t
emu_slot_attr(const EmuProgram *p, const EmuOp *op, int slot)
{
    return p->consts[p->slots[op->first_slot + (uint32_t)slot] - p->first_const];
}

/* The first of extent bytes of a tensor operand; null: they do not exist. */
static inline uint8_t *
emu_operand(const EmuRun *r, const EmuOp *op, int slot, int64_t extent)
{
    return emu_at(r, r->p->slots[op->first_slot + (uint32_t)slot], extent);
}

/* ---- emu/lane_io.c ------------------------------------------------------- */

/* Operands that are addressed by lanes (vector 1.1 to 1.5). */

typedef struct EmuLane {
    uint8_t *at;      /* of the next repeat's first block */
    int64_t blk, rep; /* bytes from block to block, from repeat to repeat */
    int size;         /* of an element */
    bool dense;       /* blocks follow each other */
} EmuLane;

/* An instruction on lanes, ready to run: all of its addresses are checked. */
typedef struct EmuLanes {
    EmuLane o[EMU_LANE_OPERANDS]; /* in the order of the form; o[0] is written */
    int n;
    int lanes;             /* L */
    int64_t repeats;       /* 0: nothing to do */
    int64_t run, last;     /* leading lanes of a repeat, and of the last one */
    bool holes;            /* of the leading lanes some are off */
    uint8_t on[MAX_LANES]; /* with holes: 1 for lanes that are active */
} EmuLanes;

/* Fills op->plan. */
void emu_lanes_plan(const EmuProgram *p, EmuOp *op);
/* False: a fault is recorded. */
bool emu_lanes_open(EmuRun *r, const EmuOp *op, EmuLanes *c);
/* The n leading lanes of a source in the present repeat, as they stand or collected in
 * buf. */
const uint8_t *emu_lanes_load(const EmuLane *o, int64_t n, uint8_t buf[REPEAT_BYTES]);
/* Writes the active ones of n leading lanes of the destination. */
void emu_lanes_store(const EmuLanes *c, int64_t n, const uint8_t *result);
/* To the next repeat. */
void emu_lanes_step(EmuLanes *c);

/* ---- emu/slice.c: operands that are slices of tensors -------------------- */

typedef struct EmuSlice {
    uint8_t *at; /* of the first element; all of them exist */
    int dims, size;
    int64_t len[SLICE_DIMS];
    int64_t step[SLICE_DIMS]; /* bytes */
    bool empty;
} EmuSlice;

/* Presupposes emu_begin. False: a fault is recorded. */
bool emu_slice_open(EmuRun *r, const EmuOp *op, int slot, EmuSlice *s);

/* ---- emu/write.c --------------------------------------------------------- */

/* Writes to global memory, which the core's atomic mode may turn into additions. */

/* Asks the mode for a write by operand dst from a memory; burst: bytes in one run. False:
 * a fault is recorded. */
bool emu_write_mode(EmuRun *r, const EmuOp *op, int dst, Scope from, int64_t burst,
                    AtomicWrite *w);
/* Writes n bytes, whole elements where the mode is on. */
void emu_write(const AtomicWrite *w, uint8_t *dst, const uint8_t *src, int64_t n);

/* emu/warn.c: before and behind a run. False: out of memory. */
bool emu_warn_begin(EmuRun *r);
void emu_warn_end(EmuRun *r);
/* Whether a rule is told of an instruction and was not yet. */
bool emu_warns(const EmuRun *r, const EmuOp *op, Rule rule);
/* Tells of a warning on an instruction, site: an EmuSite; not for the second time. */
void emu_warn(void *site, const Fault *f);
/* Warnings on the numbers of an instruction that was executed, where warnings are
 * told. */
void emu_warn_numbers(EmuRun *r, const EmuOp *op);

/* emu/control.c: tells of flags that are set when a core has ended. */
void emu_end_flags(EmuRun *r);

/* emu/check.c: the operands of an instruction as the rules see them. */
void emu_instr(const EmuRun *r, const EmuOp *op, CheckInstr *in);
/* Runs check_values on the operands as they are now. False: fault recorded. */
bool emu_check(EmuRun *r, const EmuOp *op);
/* The same for the element of a LOAD or STORE. */
bool emu_check_element(EmuRun *r, const EmuOp *op);
/* Whether a number is in the range of an operand's row (form.def). */
bool emu_allows(const EmuOp *op, int slot, int64_t v);
/* Reads a number; false: it is not in the range of its row. A number of repeats may be 0,
 * see check_least. */
bool emu_number(const EmuRun *r, const EmuOp *op, int slot, int64_t *v);
/* What instructions without a mask begin with: their rules, where these were not proved,
 * and all numbers in the ranges of their rows, so that what is computed of them does not
 * overflow. False: a fault is recorded. */
bool emu_begin(EmuRun *r, const EmuOp *op);
/* A guard of the emulator refused an access: records which rule it breaks. Always
 * false. */
bool emu_refuse(EmuRun *r, const EmuOp *op);
/* A tensor operand as the rules see it. */
CheckTensor emu_tensor(const EmuRun *r, const EmuOp *op, int slot);
/* emu/where.c: fills r->res->where for a fault at the descriptor. */
void emu_where(EmuRun *r, const EmuOp *op);
/* Records a fault that execution itself finds. Always false. */
bool emu_record(EmuRun *r, const EmuOp *op, const Fault *f);
/* Records a fault without an instruction. Always false. */
bool emu_fault(EmuRun *r, const EmuOp *op, Rule rule, int64_t value);

/* emu/program.c. Always false. */
bool emu_malformed(EmuResult *res, uint32_t descriptor, const char *text);
/* emu/program.c: copies *m into the program; false: out of memory. */
bool emu_add_move(EmuProgram *p, const EmuMove *m, uint32_t *index);

/* Fills what is constant about an instruction; the operands and exec are in place. False:
 * not an instruction that the emulator can execute, with *why; or out of memory, with
 * *why null. */
typedef bool EmuBind(EmuProgram *p, EmuOp *op, const char **why);

/* By family (family.def). */
#define FAMILY(id, rules, lower, bind, ops, emu)                                         \
    EmuBind emu_bind_##bind;                                                             \
    EmuExec emu_exec_##emu;
#include "isa/family.def"
/* By meaning (sem.def). */
#define SEM(id, ops, emu) EmuExec emu_exec_##emu;
#include "isa/sem.def"

/* Of op->from to op->dtype: whether it exists with the operation's rounding mode; and
 * what it is now. Float results saturate by one mode of the core, integers by another. */
bool emu_has_conversion(const EmuProgram *p, const EmuOp *op);
NumConv emu_conversion(const EmuRun *r, const EmuOp *op);
/* emu/run.c: puts a core at the start of the program; runs it to its end or to a barrier.
 * False: a fault is recorded. */
void emu_start_core(EmuRun *r, uint32_t core);
bool emu_run_core(EmuRun *r);
/* emu/barrier.c: runs all cores of a program that has barriers between them. */
bool emu_run_with_barriers(EmuRun *r);

/* emu/sort.c: the number of repeats of such an instruction, after its check. False: a
 * fault is recorded. */
bool emu_sort_repeats(EmuRun *r, const EmuOp *op, int slot, int64_t *n);
/* emu/lmem.c: all lanes of LMEM as they are when a core starts. */
void emu_lmem_reset(EmuRun *r);
/* emu/lmem_watch.c: before and behind a run; the lanes as they are now. False: out of
 * memory. */
bool emu_watch_begin(EmuRun *r);
void emu_watch_end(EmuRun *r);
bool emu_watch_dump(EmuRun *r);

#endif
