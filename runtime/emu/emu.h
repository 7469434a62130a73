/* emu.h: the inside of the emulator. The descriptors of a kernel become an EmuProgram
 * once: operands are resolved to memory, numbers to slots of one table, instructions to
 * their semantic functions. Then the cores run the program one after another, each from
 * its start and in program order.
 *
 * program.c makes the program of descriptors, and run.c runs it (barrier.c if cores wait
 * for each other); check.c checks the rules while it runs; shadow.c finds uses of what
 * was never written; lane_io.c has masks, repeats
 * and strides of vector instructions, lanes.c the arithmetic on vector lanes; blob.c runs
 * blobs. A family of instructions is in the file of its name (isa/family.def). Files and
 * functions named lmem are about LMEM lanes, all others with lane in their name about
 * vector lanes.
 *
 * Safety does not rest on the verifier: every address goes through emu_at, every number
 * that shapes an access is range-checked, and the steps are counted. A blob that was
 * never verified can compute nonsense but accesses no foreign memory. */
#ifndef TIK_EMU_H
#define TIK_EMU_H

/* Arrays, special registers and vector lanes are read as the numbers that they are. */
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the emulator needs a processor with the low byte first; the loader runs on any"
#endif
#if __SIZEOF_POINTER__ < 8
#error "the emulator needs a processor of 64 bits; the loader runs on any"
#endif

#include "emu/lanes.h"
#include "emu/rows.h"
#include "rules/atomic.h"
#include "rules/flag.h"
#include "num/conv.h"
#include "num/scalar.h"
#include "rules/check.h"
#include "support/peers.h"
#include "tikblob.h"
#include "tikrt.h"

/* What is checked and shown in addition to the results. */
typedef struct EmuWatch {
    uint8_t fill;   /* value of each byte of LMEM when a core starts */
    TikArray *lmem; /* gets the LMEM lanes of core 0 when it has ended; may be null */
    /* Gets the warnings of a run, among them reads of bytes of LMEM that hold no element
     * and conflicts of its banks. Null: warnings are dropped, and not looked for. */
    void (*warn)(void *ctx, uint32_t core, uint32_t descriptor, Rule rule,
                 const char *text);
    void *ctx;
    bool shadow; /* looks for uses of what was never written, and for cores that collide
                    (emu/shadow.h) */
    TikProfile *profile; /* gets what the model of the queues says (emu/clock.h); null:
                            there is no clock */
    const bool *defined; /* for each argument: it has contents when the run begins; null:
                            all have */
    PeerRun *peers;      /* what shares the cores; null: this process runs all */
    uint64_t schedule;   /* a kernel with TIKBLOB_QUEUES is executed by its queues, in an
                            order chosen by this number; 0: in the program's order */
} EmuWatch;

/* A kernel without its descriptors. The caller keeps everything until the program is
 * freed. */
typedef struct EmuKernel {
    const Soc *soc;
    Choices choices; /* readings of uncertain points */
    const TikBlobRegion *regions;
    uint32_t nregions;
    TikArray *const *args; /* a GM region's base is an index into it */
    uint8_t *const *bound; /* for each argument that is a list its first ListItem; null:
                              there are no lists */
    uint32_t nargs;
    uint32_t nregs, nloops;
    uint32_t cores;
    uint32_t flags;        /* TIKBLOB_FILL_SCRATCH; TIKBLOB_ORDERED has no effect here */
    uint64_t step_bound;   /* steps of one core; 0: not bounded */
    const EmuWatch *watch; /* null: nothing is watched */
    const TikBlobName *names; /* in the order of descriptors */
    uint32_t nnames;
} EmuKernel;

typedef enum EmuStatus {
    EMU_OK,
    EMU_FAULT,     /* a rule of rule.def is broken while running */
    EMU_MALFORMED, /* the descriptors are no program */
    EMU_STEPS,     /* more steps than the bound */
    EMU_NO_MEMORY
} EmuStatus;

typedef struct EmuResult {
    EmuStatus status;
    uint32_t descriptor;     /* TikDesc.index at fault */
    uint32_t core;           /* for EMU_FAULT and EMU_STEPS */
    Fault fault;             /* for EMU_FAULT; for EMU_MALFORMED only its text */
    char where[WHERE_BYTES]; /* for EMU_FAULT, as TikError.where */
} EmuResult;

typedef struct EmuProgram EmuProgram;

/* Makes an empty program. Null with *res filled when memory is exhausted. */
EmuProgram *emu_new(const EmuKernel *k, EmuResult *res);
void emu_free(EmuProgram *p);
/* Appends one descriptor. */
bool emu_add(EmuProgram *p, const TikDesc *d, EmuResult *res);
/* Finishes the program after the last descriptor: every loop and branch must have
 * ended. */
bool emu_finish(EmuProgram *p, EmuResult *res);
/* Runs all cores of a finished program. */
bool emu_run(EmuProgram *p, EmuResult *res);
/* Does all of the above for n descriptors. */
bool emu_run_program(const EmuKernel *k, const TikDesc *descs, uint32_t n,
                     EmuResult *res);

/* ---- the program --------------------------------------------------------- */

/* A number is a slot of EmuRun.vals. Slot 0 is the core's index; then follow the loop
 * counters, the registers and the constants. */
typedef uint32_t EmuNum;

typedef struct EmuTerm {
    EmuNum num;
    int64_t coef;
} EmuTerm;

/* An address: base + offset + the sum of terms. There are limit bytes from base on. */
typedef struct EmuRef {
    uint8_t *base;
    int64_t limit;
    int64_t offset;
    uint32_t first_term, nterms;
    uint32_t region;
    Dtype dtype;
    /* the arrays of an address list, for which base and limit are not used; else null */
    const ListItem *items;
    int32_t nitems;
    /* on-core, of a size known only while running: base is the base of the memory; place
     * and size are in EmuRun.places */
    bool open;
} EmuRef;

/* Where an open region of a core is now, in its memory. Before its reservation it has no
 * bytes. */
typedef struct EmuPlace {
    int64_t at, bytes, end;
    int64_t limit; /* bytes, up to whole granules */
} EmuPlace;

typedef struct EmuRun EmuRun;
typedef struct EmuShadow EmuShadow;
typedef struct EmuClock EmuClock;
typedef struct EmuRaces EmuRaces;
typedef struct EmuOp EmuOp;

/* The semantic function of an instruction. It returns false when it recorded a fault. */
typedef bool EmuExec(EmuRun *r, const EmuOp *op);

typedef void EmuConvert(uint8_t *dst, const uint8_t *src, int64_t n);

/* The constant parts of a data_move. */
typedef struct EmuMove {
    MoveUnits units;
    EmuConvert *convert;    /* null: raw bytes */
    int src_size, dst_size; /* bytes of an element, with convert */
    int pad;                /* PadMode, 0: none */
    Scope from;
    bool ascending; /* copies block by block, if source and destination may overlap
                       (choice D12) */
    bool to_gm;     /* the atomic mode may change what is written */
} EmuMove;

enum {
    EMU_LANE_OPERANDS = 4
};

/* Where an instruction on vector lanes has its operands, looked up once in the tables.
 * Slots of -1: there is no such operand. */
typedef struct EmuLanePlan {
    int8_t n, repeat, unit, scalar;
    bool masked;
    uint16_t lanes; /* lanes of a repeat */
    uint16_t repeat_most;
    struct {
        int8_t slot, blk, rep;
        uint16_t blk_most, rep_most; /* largest legal strides */
        bool blk0_is_1;
        uint8_t size, shift; /* bytes of an element, and their logarithm */
    } o[EMU_LANE_OPERANDS];
} EmuLanePlan;

struct EmuOp {
    uint16_t op;  /* Op, or ScalarOp */
    uint8_t kind; /* TikDescKind */
    uint8_t dtype, from;
    uint8_t mask_form;
    uint8_t queue; /* INSTR: Pipe that executes it */
    bool checked;
    uint64_t literals; /* bit i: operand i of the form was written as a constant */
    uint32_t index;    /* TikDesc.index */
    /* index of the next op: LOOP: after its end; ENDLOOP: start of its body; IF, ELSE,
     * BREAK, CONTINUE: where they lead */
    uint32_t target;
    uint32_t reg;   /* slot of the result (ALU, LOAD) or of the counter (LOOP, ENDLOOP) */
    uint32_t depth; /* LOOP, ENDLOOP: number of loops around it */
    EmuNum a, b;
    uint32_t ref; /* LOAD, STORE: index in EmuProgram.refs */
    /* INSTR: index in EmuProgram.slots of its operands, which are in the order of the
     * form */
    uint32_t first_slot;
    EmuNum mask[4];
    uint32_t move; /* index in EmuProgram.moves */
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
    uint32_t open[TIKBLOB_MAX_LOOPS + TIKBLOB_MAX_IFS]; /* LOOP, IF and ELSE that have not
                                                           ended, outermost first */
    uint32_t nopen, nloops_open;
    uint32_t max_depth;
    bool barriers; /* it has barriers between cores */
    uint8_t *scratch;
    int64_t scratch_bytes;
    uint8_t *
        *tables; /* for each region the bytes of a constant table in scratch, else null */
    int64_t scope_at[SC_COUNT]; /* where a memory begins in scratch */
    int64_t lmem_pitch;         /* distance of LMEM lanes in scratch; 0: there are none */
    int64_t lmem_used;          /* bytes of an LMEM lane that the kernel uses */
    const RowTable *rows;       /* of this processor */
};

typedef struct EmuQueues EmuQueues;

/* The run of a program, with the state of the core that runs now. */
struct EmuRun {
    const EmuProgram *p;
    int64_t *vals;
    int64_t ends[TIKBLOB_MAX_LOOPS]; /* ends of loops, by depth */
    int64_t padding;                 /* the padding register */
    EmuPlace *places;                /* one for each region */
    uint32_t cores;                  /* cores that run; grows with the number of blocks */
    uint32_t pc;                     /* index of the next op */
    /* number of cores that the core waits for at a barrier; 0: it has ended */
    int64_t waits;
    uint8_t *sreg; /* special registers, SREG_BYTES */
    Flags flags;
    uint8_t *
        lmem_state; /* state of each byte (emu/lmem_watch.c); null: LMEM is not watched */
    EmuClock *clock;   /* null: the mode is not time */
    EmuShadow *shadow; /* null: the mode is not check */
    EmuRaces *races;   /* null: queues are not compared (emu/race.h) */
    uint8_t *warned;   /* rules reported for each instruction (emu/warn.c); null: warnings
                          are dropped */
    const EmuOp *before; /* the instruction that ran last; null: none */
    EmuQueues *queues;   /* what executes instructions; null: the program's order */
    uint64_t steps, step_limit;
    uint32_t core;
    PeerRun *peers; /* as EmuWatch */
    AtomicLog log;  /* with peers: gets atomic writes */
    EmuResult *res;
};

/* Returns the kernel's reading of an uncertain point. */
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

/* Returns the byte offset of an operand from its root. It may wrap; emu_at refuses what
 * does not fit. */
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

/* Returns the size of a region. For an argument it is that of its array, which has at
 * least the region's bytes or, if the region is open, any number (emu/program.c). */
int64_t emu_given_bytes(const EmuKernel *k, const TikBlobRegion *g);

/* Translates addresses; no other function does. Returns the first byte of the operand if
 * extent >= 0 bytes from there on exist, else null. */
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

/* These return an operand of an instruction, a number or a tensor, by its slot in the
 * form. */
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

/* Returns a constant operand (ATTR). */
static inline int64_t
emu_slot_attr(const EmuProgram *p, const EmuOp *op, int slot)
{
    return p->consts[p->slots[op->first_slot + (uint32_t)slot] - p->first_const];
}

/* Returns the first of extent bytes of a tensor operand; null when they do not exist. */
static inline uint8_t *
emu_operand(const EmuRun *r, const EmuOp *op, int slot, int64_t extent)
{
    return emu_at(r, r->p->slots[op->first_slot + (uint32_t)slot], extent);
}

/* ---- emu/lane_io.c ------------------------------------------------------- */

/* An operand that is addressed by vector lanes (vector 1.1 to 1.5). */

typedef struct EmuLane {
    uint8_t *at;      /* first block of the next repeat */
    int64_t blk, rep; /* bytes from block to block and from repeat to repeat */
    int size;         /* bytes of an element */
    uint8_t shift;    /* its logarithm */
    bool dense;       /* blocks follow each other */
} EmuLane;

/* An instruction on vector lanes that is ready to run: all of its addresses are
 * checked. */
typedef struct EmuLanes {
    EmuLane o[EMU_LANE_OPERANDS]; /* in the order of the form; o[0] is written */
    int n;
    int lanes;       /* lanes of a repeat */
    int64_t repeats; /* 0: nothing to do */
    int64_t run,
        last; /* leading lanes that may be active, of a repeat and of the last one */
    const RowTable *rows;
    bool holes;   /* some of the leading lanes are off */
    RowMask mask; /* with holes: the lanes that are active */
} EmuLanes;

/* Fills op->plan of an instruction on vector lanes. */
void emu_lanes_plan(const EmuProgram *p, EmuOp *op);
/* Returns false when it recorded a fault. */
bool emu_lanes_open(EmuRun *r, const EmuOp *op, EmuLanes *c);
/* Returns the n leading lanes of a source in the present repeat, in place or collected in
 * buf. */
const uint8_t *emu_lanes_load(const EmuLane *o, int64_t n, uint8_t buf[REPEAT_BYTES]);
/* Writes n lanes that are all active to the destination, from its block `to` on. */
void emu_lanes_scatter(const EmuLane *o, uint8_t *to, int64_t n, const uint8_t *result);
/* Writes those of the n leading lanes of the destination that are active. */
void emu_lanes_store(const EmuLanes *c, int64_t n, const uint8_t *result);
/* Goes on by n repeats. */
void emu_lanes_skip(EmuLanes *c, int64_t n);
static inline void
emu_lanes_step(EmuLanes *c)
{
    emu_lanes_skip(c, 1);
}

/* ---- emu/slice.c: operands that are slices of tensors -------------------- */

typedef struct EmuSlice {
    uint8_t *at; /* the first element; all of them exist */
    int dims, size;
    int64_t len[SLICE_DIMS];
    int64_t step[SLICE_DIMS]; /* in bytes */
    bool empty;
} EmuSlice;

/* Opens an operand after emu_begin. Returns false when it recorded a fault. */
bool emu_slice_open(EmuRun *r, const EmuOp *op, int slot, EmuSlice *s);

/* ---- emu/write.c --------------------------------------------------------- */

/* Writes to global memory, which the core's atomic mode may make additions. */

/* Gives the mode of a write by operand dst from a memory, in runs of burst bytes. Returns
 * false when it recorded a fault. */
bool emu_write_mode(EmuRun *r, const EmuOp *op, int dst, Scope from, int64_t burst,
                    AtomicWrite *w);
/* Writes n bytes, which are whole elements if the mode is on. */
void emu_write(const AtomicWrite *w, uint8_t *dst, const uint8_t *src, int64_t n);

/* emu/warn.c: called before and after a run. False when memory is exhausted. */
bool emu_warn_begin(EmuRun *r);
void emu_warn_end(EmuRun *r);
/* Returns whether a warning of the rule is to be reported and was not yet for this
 * instruction. */
bool emu_warns(const EmuRun *r, const EmuOp *op, Rule rule);
/* Reports a warning on an instruction, unless it was reported before. site is an
 * EmuSite. */
void emu_warn(void *site, const Fault *f);
/* Reports warnings on the numbers of an instruction that was executed, unless warnings
 * are dropped. */
void emu_warn_numbers(EmuRun *r, const EmuOp *op);

/* emu/control.c: warns of flags that are set when a core has ended. */
void emu_end_flags(EmuRun *r);

enum {
    EMU_KEY = 40 /* most numbers of an instruction */
};

/* emu/check.c: puts the numbers that shape what an instruction accesses, without
 * addresses and scalars, into key; returns how many. */
int emu_key(const EmuRun *r, const EmuOp *op, int64_t key[EMU_KEY]);
/* emu/check.c: fills the operands of an instruction in the form that rules take. */
void emu_instr(const EmuRun *r, const EmuOp *op, CheckInstr *in);
/* Runs check_values on the present operands. Returns false when it recorded a fault. */
bool emu_check(EmuRun *r, const EmuOp *op);
/* Does the same for the element of a LOAD or STORE. */
bool emu_check_element(EmuRun *r, const EmuOp *op);
/* Returns whether a number is in the range of an operand's row (form.def). */
bool emu_allows(const EmuOp *op, int slot, int64_t v);
/* Reads a number; returns false when it is not in the range of its row. A number of
 * repeats may be 0, see check_least. */
bool emu_number(const EmuRun *r, const EmuOp *op, int slot, int64_t *v);
/* Begins an instruction without a mask: checks its rules if they were not proved, and
 * that all numbers are in the ranges of their rows, so that computing with them does not
 * overflow. Returns false when it recorded a fault. */
bool emu_begin(EmuRun *r, const EmuOp *op);
/* Records the rule that is broken by an access which a guard of the emulator refused. It
 * always returns false. */
bool emu_refuse(EmuRun *r, const EmuOp *op);
/* Returns a tensor operand in the form that rules take. */
CheckTensor emu_tensor(const EmuRun *r, const EmuOp *op, int slot);
/* emu/where.c: fills r->res->where for a fault at the descriptor. */
void emu_where(EmuRun *r, const EmuOp *op);
/* Records a fault that execution itself found. It always returns false. */
bool emu_record(EmuRun *r, const EmuOp *op, const Fault *f);
/* Records a fault that belongs to no instruction. It always returns false. */
bool emu_fault(EmuRun *r, const EmuOp *op, Rule rule, int64_t value);

/* emu/program.c: fills *res with EMU_MALFORMED. It always returns false. */
bool emu_malformed(EmuResult *res, uint32_t descriptor, const char *text);
/* emu/program.c: copies *m into the program; false when memory is exhausted. */
bool emu_add_move(EmuProgram *p, const EmuMove *m, uint32_t *index);

/* Fills the constant parts of an instruction whose operands and exec are set. Returns
 * false with *why when the emulator cannot execute it, or with *why null when memory is
 * exhausted. */
typedef bool EmuBind(EmuProgram *p, EmuOp *op, const char **why);

/* The bind functions of families (family.def). */
#define FAMILY(id, rules, lower, bind, ops, emu)                                         \
    EmuBind emu_bind_##bind;                                                             \
    EmuExec emu_exec_##emu;
#include "isa/family.def"
/* The semantic functions of meanings (sem.def). */
#define SEM(id, ops, emu) EmuExec emu_exec_##emu;
#include "isa/sem.def"

/* The conversion from op->from to op->dtype: these return whether it exists with the
 * rounding mode of the operation, and what it is now. Float results saturate by one mode
 * of the core, integers by another. */
bool emu_has_conversion(const EmuProgram *p, const EmuOp *op);
NumConv emu_conversion(const EmuRun *r, const EmuOp *op);
/* emu/run.c: puts a core at the start of the program; runs it to its end or to a barrier.
 * False when a fault was recorded. */
void emu_start_core(EmuRun *r, uint32_t core);
bool emu_run_core(EmuRun *r);
/* emu/queues.c: queues that execute instructions in an order that a seed chooses; null
 * when memory is exhausted. */
EmuQueues *emu_queues_new(uint64_t seed);
void emu_queues_free(EmuQueues *q);
/* Hands an instruction to its queue, or executes one of the dispatcher. False when a
 * fault was recorded. */
bool emu_queues_dispatch(EmuRun *r, const EmuOp *op);
/* Executes all that is in queues; at the end of a core no flag may be up then. */
bool emu_queues_drain(EmuRun *r);
bool emu_queues_end(EmuRun *r, const EmuOp *op);
/* emu/barrier.c: runs all cores of a program that has barriers between them. */
bool emu_run_with_barriers(EmuRun *r);

/* emu/sort.c: checks an instruction that sorts and gives its number of repeats. False
 * when a fault was recorded. */
bool emu_sort_repeats(EmuRun *r, const EmuOp *op, int slot, int64_t *n);
/* emu/lmem.c: fills all LMEM lanes when a core starts. */
void emu_lmem_reset(EmuRun *r);
/* emu/lmem_watch.c: called before and after a run; copies the LMEM lanes. False when
 * memory is exhausted. */
bool emu_watch_begin(EmuRun *r);
void emu_watch_end(EmuRun *r);
bool emu_watch_dump(EmuRun *r);

#endif
