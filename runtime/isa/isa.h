/* isa.h: the facts of the machine that the compiler and the runtime share: element types,
 * memories, queues, processors, the instruction table and the operand tables, all made
 * from the .def files of this folder. It includes nothing of either side and is
 * freestanding except for <string.h>. */
#ifndef TIK_ISA_H
#define TIK_ISA_H

#include "isa/choice.h"
#include "isa/lean.h"
#include "isa/types.h"
#ifdef TIK_LEAN
#include "family.h"
#endif

/* ---- element types ------------------------------------------------------- */

typedef enum DtypeKind {
    KIND_UINT,
    KIND_SINT,
    KIND_FLOAT,
    KIND_BOOL
} DtypeKind;

const char *dtype_name(Dtype t); /* "float16" */

typedef struct DtypeInfo {
    uint8_t size, kind;
} DtypeInfo;

extern const DtypeInfo dtype_table[DT_COUNT];

/* Returns the bytes of one element; of two where they share a byte. */
static inline int
dtype_size(Dtype t)
{
    return dtype_table[t].size;
}

static inline DtypeKind
dtype_kind(Dtype t)
{
    return (DtypeKind)dtype_table[t].kind;
}

Dtype dtype_find(const char *name);         /* a type of scalars; DT_NONE if unknown */
Dtype dtype_find_stored(const char *name);  /* a type of buffers, so of whole bytes */
Dtype dtype_find_operand(const char *name); /* any type that operands have */

/* ---- memories and pipes -------------------------------------------------- */

const char *scope_name(Scope s);    /* "UB" */
const char *scope_text(Scope s);    /* "local.UB" */
PURE int scope_alloc_unit(Scope s); /* bytes */
/* Returns the size of a tensor of `bytes` bytes rounded up to whole granules: the bytes
 * that may be accessed from its start on, and for which every allocator makes room. In UB
 * and L1 these are whole blocks. In global memory another block follows, which the
 * device's allocator guarantees. It does not allocate constant tables (table), so these
 * have their whole blocks only. */
PURE int64_t scope_granule(Scope s, bool table, int64_t bytes);
PURE int scope_align(Scope s,
                     Dtype t); /* required alignment of an operand address, bytes */
bool scope_find(const char *text,
                Scope *out); /* finds a scope by the text of its constant */

/* ---- kernel arguments ---------------------------------------------------- */

const char *argrole_name(ArgRole r); /* "input" */
const char *argrole_word(ArgRole r); /* "in" */

/* Returns the number of the array whose window holds the offset. The list may be
 * shorter. */
static inline int64_t
list_item(int64_t offset)
{
    return (offset >> LIST_SHIFT) + (offset >> (LIST_SHIFT - 1) & 1);
}

/* Returns the offset from the start of that array. */
static inline int64_t
list_offset(int64_t offset)
{
    return offset - (int64_t)((uint64_t)list_item(offset) << LIST_SHIFT);
}

typedef enum Pipe {
#define PIPE(id, name) PIPE_##id,
#include "isa/pipe.def"
    PIPE_COUNT
} Pipe;

const char *pipe_name(Pipe p);

/* ---- processors ---------------------------------------------------------- */

typedef enum Profile {
    PROFILE_V100,
    PROFILE_V200,
    PROFILE_V220,
    PROFILE_V300,
    PROFILE_NANO,
    PROFILE_LMEM
} Profile;

/* The unit of the strides of a tensor in LMEM where they are written as numbers. */
typedef enum StrideUnit {
    UNIT_ELEMENT,
    UNIT_BYTE,
    UNIT_CELL32
} StrideUnit;

/* A processor with LMEM: its local memory is split into LMEM lanes. The members are the
 * columns of isa/lmem_soc.def. */
typedef struct LmemTarget {
    int npu, eu_bytes;
    int64_t lane_bytes;
    int banks;
    int icp[3]; /* by width: 8, 16, 32 bits */
    StrideUnit unit;
    int requant_words;
    bool requant_aligned, dw_aligned;
    int64_t smem_bytes;
    int dim_max;
} LmemTarget;

typedef enum CoreKind {
#define CORE(id, family, core, profile, like) CORE_##id,
#include "isa/core.def"
    CORE_COUNT
} CoreKind;

/* A set of kinds of core, as bits: ON_<row of core.def> and ON_<row of coreset.def>. A
 * core whose column `like` names another core is in each set that has that core. */
typedef uint32_t CoreSet;
enum {
#define CORE(id, family, core, profile, like) ON_##id = 1 << CORE_##like,
#include "isa/core.def"
#define CORESET(id, cores, meaning) ON_##id = cores,
#include "isa/coreset.def"
};

/* A property in which processors differ (feature.def). */
typedef enum Feature {
#define FEATURE(id, cores, meaning) FEATURE_##id,
#include "isa/feature.def"
    FEATURE_COUNT
} Feature;

struct Soc {
    const char *name;         /* platform: "Ascend310P3" */
    TEXT(const char *family;) /* short name: "Ascend310P" */
    CoreKind core;
#ifdef TIK_LEAN
    uint8_t cores, cube_cores, vector_cores;
    uint32_t bytes[SC_COUNT]; /* nobody asks for that of GM */
    uint32_t l2;
#else
    int cores, cube_cores, vector_cores;
    int64_t bytes[SC_COUNT]; /* capacity per memory; GM: INT64_MAX */
    int64_t l2;
#endif
    Feature own;            /* one more feature than its cores have */
    const LmemTarget *lmem; /* null: it has no LMEM */
};

int soc_count(void);
const Soc *soc_at(int i);
const Soc *soc_default(void); /* Ascend310P3 */
const Soc *
soc_find(const char *name); /* platform or family name, exact; null if unknown */
/* The processors of a lean loader have one kind of core, so these are constants there.
 * soc_on returns whether the processor's cores are in the set. */
#ifdef TIK_LEAN
#define soc_profile(soc)   ((void)(soc), LEAN_PROFILE)
#define soc_on(soc, cores) ((void)(soc), (bool)((cores) >> LEAN_LIKE & 1))
static inline bool
soc_has(const Soc *s, Feature f)
{
    static const CoreSet features[FEATURE_COUNT] = {
#define FEATURE(id, cores, meaning) [FEATURE_##id] = (CoreSet)(cores),
#include "isa/feature.def"
    };
    return soc_on(s, features[f]) || ((int)LEAN_OWN == (int)f && f != FEATURE_NONE);
}
#else
Profile soc_profile(const Soc *s);
PURE bool soc_on(const Soc *s, CoreSet cores);
PURE bool soc_has(const Soc *s, Feature f);
#endif
/* Appends the families of the processors for which has() is true, in the order of
 * soc.def: "Ascend310B, Ascend610Lite". */
typedef bool SocHas(const void *ctx, const Soc *s);
void soc_families(SocHas *has, const void *ctx, char *buf, size_t size);
const char *core_kind_name(CoreKind c); /* "AiCore" */

/* ---- instructions -------------------------------------------------------- */

/* How the operands of a form are addressed and which rules relate them (family.def). */
typedef enum Family {
#define FAMILY(id, rules, lower, bind, ops, emu) FAM_##id,
#include "isa/family.def"
    FAM_COUNT
} Family;

typedef enum Form {
#define FORM(id, name, family, main) FORM_##id,
#include "isa/form.def"
    FORM_COUNT
} Form;

/* What an instruction computes (sem.def). */
typedef enum Sem {
#define SEM(id, ops, emu) SEM_##id,
#include "isa/sem.def"
    SEM_COUNT
} Sem;

const char *sem_name(Sem s);    /* "ADD" */
PURE bool sem_reads_dst(Sem s); /* whether the destination is a source too */

/* Sets of element types (typeset.def). */
typedef enum TypeSet {
#define TYPESET(set) TYPESET_##set,
#include "isa/typeset.def"
    TYPESET_COUNT
} TypeSet;

enum {
    OP_PIPE_PATH = PIPE_COUNT
}; /* OpInfo.pipe: the queue is that of the path */

#ifndef TIK_LEAN
typedef struct OpInfo {
    const char *name;
    Form form;
    TypeSet types;
    int pipe;
    Sem sem;
    const char *meaning;
} OpInfo;
#endif

/* These return the columns of an instruction. In a lean loader the form of one that no
 * processor of the family has is FORM_COUNT. */
#ifdef TIK_LEAN
PURE Form op_form(Op op);
PURE int op_pipe(Op op);
PURE Sem op_sem(Op op);
#else
extern const OpInfo op_table[OP_COUNT];

static inline Form
op_form(Op op)
{
    return op_table[op].form;
}

static inline int
op_pipe(Op op)
{
    return op_table[op].pipe;
}

static inline Sem
op_sem(Op op)
{
    return op_table[op].sem;
}
#endif
bool op_find(const char *name, Op *out);
/* Returns the method whose calls record the instruction, for messages: "vconv" for
 * "vconv.deq". */
const char *op_method(Op op);
/* Returns whether the processor has the instruction for this type of the form's main
 * operand (form.def). */
PURE bool op_has_dtype(Op op, Dtype t, const Soc *soc);
/* For an instruction whose operands differ in type (typeset.def, PAIR): returns whether
 * the processor has the pair. *info gets the column info of its rows, or-ed: for
 * conversions the rounding modes as bits 1 << RoundMode. */
bool op_has_pair(Op op, Dtype dst, Dtype src, const Soc *soc, uint32_t *info);
/* Returns whether the processor has the instruction with any dtype. */
PURE bool op_on_soc(Op op, const Soc *soc);
/* Returns whether a form has no tensor data, so that every processor has its instructions
 * and they have no dtype. */
PURE bool form_is_control(Form f);

/* A rule is its number less RULE_NUMBERS. */
#define RULE_NUMBERS 1000
typedef enum Rule {
    RULE_NONE,
#define RULE_NUMBER(number, id) RULE_##id = (number) - RULE_NUMBERS,
#include "isa/rule_number.def"
    RULE_COUNT
} Rule;

typedef struct RuleInfo {
    const char *name; /* "range-nburst" */
    bool warning;
    const char *rule;
} RuleInfo;

extern const RuleInfo rule_table[RULE_COUNT]; /* not in a lean loader */
Rule rule_find(const char *name);             /* RULE_NONE if unknown */

enum {
    PARAM_REQUIRED = -1
};

/* What the generic rules require of an operand's type. Of an ATTR: the words that a call
 * may use for it. */
typedef enum OperandType {
    OF_NONE,
    OF_MAIN, /* the type of the form's main operand */
    OF_ANY,  /* the family's rules decide */
    OF_BITS, /* an unsigned integer of any width, whose bits count */
    OF_U16,
    OF_U32,
    OF_S32,
    OF_U64,
    OF_F16,
    OF_F32,
    OF_BOOL,  /* ATTR: True or False */
    OF_ROUND, /* ATTR: a rounding mode, see RoundMode */
    OF_SIDE,  /* ATTR: 'left' 0 or 'right' 1 */
    OF_COUNT
} OperandType;

/* Returns the dtype of an operand of this type if the main operand has dtype main;
 * DT_NONE when the type leaves it open. */
PURE Dtype operand_type_dtype(OperandType of, Dtype main);

/* Rounding modes of conversions (vector 3.2), in the order of the language's words. */
typedef enum RoundMode {
    ROUND_NONE, /* '' and 'none': nearest, ties to even */
    ROUND_NEAREST,
    ROUND_FLOOR,
    ROUND_CEIL,
    ROUND_AWAY,
    ROUND_ZERO,
    ROUND_ODD,
    ROUND_COUNT
} RoundMode;

/* Returns the language's word for the mode, without quotes: "none", "round" ... */
const char *round_mode_name(RoundMode m);

/* One operand of a form: a slot of the instruction in the IR, in descriptors and in
 * checks. A list of the language is several slots. Its range is read by param_lo and
 * param_hi. */
#ifdef TIK_LEAN
typedef struct ParamInfo {
    uint32_t role : 4, of : 4;
    uint32_t key : 4; /* see form_key */
    uint32_t is_item : 1;
    uint32_t rule : 8;
    uint32_t range : 6; /* number of a pair of ends */
    uint32_t lanes : 5; /* number of a way in which vector lanes address it; 0: none */
} ParamInfo;

PURE int64_t param_lo(const ParamInfo *p);
PURE int64_t param_hi(const ParamInfo *p);

/* Many operands are alike, so a row of a form is the number of a row of all that
 * differ. */
typedef uint8_t ParamRow;
extern const ParamInfo param_infos[];
#define param_at(rows, i) (&param_infos[(rows)[i]])
/* Returns the role alone: a loader without a verifier has no more of the operands. */
PURE Role role_at(const ParamRow *rows, int i);
#else
typedef struct ParamInfo {
    const char *name;
    Role role;
    OperandType of;
    int64_t lo, hi;
    const char *unit;
    Rule rule;
    int dflt;  /* PARAM_REQUIRED or the default */
    int item;  /* index in its list */
    int items; /* length of the list; 0: not a list */
} ParamInfo;

typedef ParamInfo ParamRow;
#define param_at(rows, i) (&(rows)[i])
#define role_at(rows, i)  ((rows)[i].role)

static inline int64_t
param_lo(const ParamInfo *p)
{
    return p->lo;
}

static inline int64_t
param_hi(const ParamInfo *p)
{
    return p->hi;
}
#endif

/* Returns the operand's name, "" in a lean loader. */
static inline const char *
param_name_of(const ParamInfo *p)
{
#ifdef TIK_LEAN
    (void)p;
    return "";
#else
    return p->name;
#endif
}

/* Returns whether the operand is a part of a list. */
static inline bool
param_is_item(const ParamInfo *p)
{
#ifdef TIK_LEAN
    return p->is_item;
#else
    return p->items != 0;
#endif
}

#ifdef TIK_LEAN
const ParamRow *form_params(Form f, int *n);
PURE Family form_family(Form f);
PURE int form_main(Form f);
PURE int form_first(Form f, Role role);
PURE bool form_is_vector(Form f, int param);
PURE uint64_t form_vector_bits(Form f);
/* The same of an instruction's form. */
const ParamRow *op_params(Op op, int *n);
PURE Family op_family(Op op);
PURE int op_main(Op op);
PURE int op_first(Op op, Role role);
PURE bool op_is_vector(Op op, int param);
#else
extern const ParamInfo param_table[];

enum {
    ROLES = ROLE_ROOT + 1
};

/* A form. The table has a row more, which says where the operands of the last form
 * end. */
typedef struct FormInfo {
    const char *name;
    Family family;
    int main;  /* slot of the main operand; -1: none */
    int first; /* the first operand, in param_table */
} FormInfo;

/* Whoever checks an instruction asks for all of this several times, so it is found by
 * index. */
extern const FormInfo form_table[FORM_COUNT + 1];
/* Operands as bits: those of each role, and those that vector lanes address. */
extern const uint64_t form_roles[ROLES][FORM_COUNT + 1];
extern const uint64_t form_vectors[FORM_COUNT + 1];

_Static_assert(MAX_PARAMS <= 64, "a bit for each operand");

/* Returns the operands of a form in call order and their number in *n. A MASKMODE operand
 * is always the last one. */
static inline const ParamInfo *
form_params(Form f, int *n)
{
    *n = form_table[f + 1].first - form_table[f].first;
    return &param_table[form_table[f].first];
}

const char *form_name(Form f);

static inline Family
form_family(Form f)
{
    return form_table[f].family;
}

static inline int
form_main(Form f)
{
    return form_table[f].main;
}

/* Returns the slot of the first operand of a role; -1: none. */
static inline int
form_first(Form f, Role role)
{
    uint64_t of = form_roles[role][f];
    return of == 0 ? -1 : __builtin_ctzll(of);
}

/* Returns whether the operand is addressed by vector lanes. */
static inline bool
form_is_vector(Form f, int param)
{
    return form_vectors[f] >> param & 1;
}

/* Returns these operands as bits. */
static inline uint64_t
form_vector_bits(Form f)
{
    return form_vectors[f];
}

/* These are the same of an instruction's form. */
static inline const ParamInfo *
op_params(Op op, int *n)
{
    return form_params(op_form(op), n);
}

static inline Family
op_family(Op op)
{
    return form_family(op_form(op));
}

static inline int
op_main(Op op)
{
    return form_main(op_form(op));
}

static inline int
op_first(Op op, Role role)
{
    return form_first(op_form(op), role);
}

static inline bool
op_is_vector(Op op, int param)
{
    return form_is_vector(op_form(op), param);
}
#endif

/* How a tensor operand is addressed by vector lanes (vector 1.2): the slots of its block
 * stride and of its repeat stride. -1: there is none, so the block stride is 1, the
 * repeat stride the number of blocks of a repeat. */
typedef struct LaneOperand {
    int blk, rep;
    bool blk0_is_1; /* a block stride of 0 counts as 1, unless it is a gap */
} LaneOperand;

/* The operand must satisfy form_is_vector. */
PURE LaneOperand form_lanes(Form f, int param);
/* Returns blk0_is_1 of such an operand under the kernel's readings; c may be null. */
PURE bool form_blk0_is_1(Form f, int param, const Choices *c);

/* A tensor operand of four axes in LMEM lanes or linear memory (form.def, IN_LMEM).
 * form_lmem returns null for other operands. */
typedef struct LmemOperand {
    int8_t lane, shape, stride;
} LmemOperand;

PURE const LmemOperand *form_lmem(Form f, int param);

/* What a move of tensors in LMEM does in addition to copying (the operand func of the
 * form LMOVE). */
typedef enum LmemFunc {
    LMEM_COPY,
    LMEM_NC, /* dst(n, c) = src(c, n) */
    LMEM_CW, /* dst(c, w) = src(w, c) */
    LMEM_BCAST
} LmemFunc;

/* A tensor operand that is a slice (form.def, SLICED). form_slice returns null for other
 * operands. */
typedef struct SliceOperand {
    int8_t len, dims, stride;
} SliceOperand;

enum {
    SLICE_DIMS = 6,  /* maximum number of dimensions of a slice */
    SEGMENT_DIMS = 8 /* dimensions of a list of SliceInfo */
};

PURE const SliceOperand *form_slice(Form f, int param);
/* Returns the slot of the operand of that role and name, with name null of the first of
 * that role; -1: none. Rules write names as NAMED(src1): a lean loader has their numbers
 * instead, so that one which is missing in key.def is an error of the compiler. */
#ifdef TIK_LEAN
#define KEY(n, name) KEY_##name = (n),
enum {
#include "isa/key.def"
};
#define NAMED(name) KEY_##name

PURE int form_slot(Form f, Role role, int key);
PURE int op_slot(Op op, Role role, int key);
#else
#define NAMED(name)             #name

int form_slot(Form f, Role role, const char *name);
#define op_slot(op, role, name) form_slot(op_form(op), role, name)
#endif

typedef struct PathInfo {
    Scope src, dst;
    Pipe pipe;
    CoreSet cores;
    CoreSet warned; /* the cores among them where the path is doubtful */
} PathInfo;

/* Returns the move path between two memories; null if no processor has it. */
PURE const PathInfo *path_find(Scope src, Scope dst);
/* Returns whether data_move has the path on the processor. */
PURE bool soc_has_path(const Soc *s, Scope src, Scope dst);
/* Returns whether tensor_mov has it, if it does not involve L0C. */
PURE bool soc_has_tensor_mov(const Soc *s, Scope src, Scope dst);

/* The units of a move in bytes. An L0C fractal has 16 x 16 elements. */
typedef struct MoveUnits {
    int64_t src_burst, src_gap; /* on the source side */
    int64_t dst_burst,
        /* on the destination side; differs from src when 32-bit becomes 16-bit */
        dst_gap;
} MoveUnits;

PURE MoveUnits move_units(Scope src, Dtype src_dt, Scope dst, Dtype dst_dt);

/* Conversion codes (ConvReluMode) of moves between UB and L0C, element by element:
 *   0  none: raw bytes
 *   1  float32 to float16: nearest even; overflow and infinity give +-65504, NaN gives +0
 *   2  as 1, then relu: x > 0 ? x : +0
 *   4  float16 to float32: exact; a NaN gives 7fc00000
 *   5  same type (float16, float32, int32), relu: x > 0 ? x : +0; a NaN gives +0 */

/* ---- masks and vector geometry (vector 1.1 to 1.4) ----------------------- */

enum {
    BLOCK_BYTES = 32,
    REPEAT_BYTES = 256,
    REG_COUNT = 32, /* vector registers, REPEAT_BYTES each */
    MAX_LANES = 256
};

PURE int mask_words(MaskForm f); /* 1, 2, 4, 1 */

/* ---- special registers (vector 12.1) ------------------------------------- */

/* Special registers are a small memory of each core, SC_SREG. These are their byte
 * offsets; sreg.def says what they hold and how they begin (sreg_reset). */
enum {
#define SREG(id, at, holds, start, meaning) SREG_##id = at,
#include "isa/sreg.def"
};

void sreg_reset(uint8_t *sreg, uint32_t core);

/* Returns the vector lanes of a repeat of operands whose widest element has this type. */
static inline int
lanes_of(Dtype widest)
{
    return REPEAT_BYTES / dtype_size(widest);
}

#endif
