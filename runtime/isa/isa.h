/* isa.h: the machine contract below both sides. Element types, memories, pipes, processors, the
 * instruction table and the operand tables, all from the .def files of this folder. The compiler
 * and the runtime include it; it includes neither. Freestanding except for <string.h>. */
#ifndef TIK_ISA_H
#define TIK_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- element types ---------------------------------------------------------------------- */

typedef enum DtypeKind {
    KIND_UINT,
    KIND_SINT,
    KIND_FLOAT,
    KIND_BOOL
} DtypeKind;

typedef enum Dtype {
    DT_NONE,
#define DTYPE(id, name, bytes, kind) DT_##id,
#include "isa/dtype.def"
    DT_COUNT
} Dtype;

const char *dtype_name(Dtype t); /* "float16" */
int dtype_size(Dtype t);         /* bytes of one element */
DtypeKind dtype_kind(Dtype t);
Dtype dtype_find(const char *name); /* DT_NONE if unknown */

static inline bool
dtype_is_float(Dtype t)
{
    return t == DT_F16 || t == DT_BF16 || t == DT_F32;
}

/* ---- memories and pipes ----------------------------------------------------------------- */

typedef enum Scope {
#define SCOPE(id, name, text, alloc, align, align32) SC_##id,
#include "isa/scope.def"
    SC_COUNT
} Scope;

const char *scope_name(Scope s);   /* "UB" */
const char *scope_text(Scope s);   /* "local.UB" */
int scope_alloc_unit(Scope s);     /* bytes */
int scope_align(Scope s, Dtype t); /* required alignment of an operand address, bytes */
bool scope_find(const char *text, Scope *out); /* by the text of the scope constant */

/* ---- kernel arguments -------------------------------------------------------------------- */

typedef enum ArgRole {
#define ARGROLE(id, name, word) ARGROLE_##id,
#include "isa/argrole.def"
    ARGROLE_COUNT
} ArgRole;

const char *argrole_name(ArgRole r); /* "input" */
const char *argrole_word(ArgRole r); /* "in" */

/* An address list is one sparse tensor: array i stands in the window of bytes that is centred at
 * i * LIST_WINDOW, so an array and an offset into it are one byte offset, and one before an array's start
 * is not taken for the array before. */
#define LIST_SHIFT  36
#define LIST_WINDOW ((int64_t)1 << LIST_SHIFT)
enum {
    LIST_MAX = 4096 /* arrays of a list */
};

/* The array whose window holds the offset; may be outside of the list. */
static inline int64_t
list_item(int64_t offset)
{
    return (offset >> LIST_SHIFT) + (offset >> (LIST_SHIFT - 1) & 1);
}

/* The offset from that array's start. */
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

/* ---- processors -------------------------------------------------------------------------- */

typedef enum Profile {
    PROFILE_V100,
    PROFILE_V200,
    PROFILE_V220,
    PROFILE_V300,
    PROFILE_NANO
} Profile;

typedef enum CoreKind {
#define CORE(id, family, core, profile) CORE_##id,
#include "isa/core.def"
    CORE_COUNT
} CoreKind;

typedef struct Soc {
    const char *name;   /* platform: "Ascend310P3" */
    const char *family; /* short name: "Ascend310P" */
    CoreKind core;
    int cores, cube_cores, vector_cores;
    int64_t bytes[SC_COUNT]; /* capacity per memory; GM: INT64_MAX */
    int64_t l2;
} Soc;

int soc_count(void);
const Soc *soc_at(int i);
const Soc *soc_default(void); /* Ascend310P3 */
const Soc *
soc_find(const char *name); /* platform or family name, exact; null if unknown */
Profile soc_profile(const Soc *s);
const char *core_kind_name(CoreKind c); /* "AiCore" */

/* ---- instructions ------------------------------------------------------------------------ */

typedef enum Form {
    FORM_MOVE,
    FORM_SETREG,
    FORM_VDUP,
    FORM_VBIN,
    FORM_VSCALAR,
    FORM_VUN,
    FORM_RESERVE,
    FORM_FLAG,
    FORM_PIPE,
    FORM_MEET,
    FORM_BLOCKS,
    FORM_COUNT
} Form;

/* What an instruction computes; switched on by the emulator and by the host lowering. */
typedef enum Sem {
    SEM_MOVE,
    SEM_SET_PADDING,
    SEM_DUP,
    SEM_ADD,
    SEM_SUB,
    SEM_MUL,
    SEM_MAX,
    SEM_MIN,
    SEM_AND,
    SEM_OR,
    SEM_ABS,
    SEM_RELU,
    SEM_NOT,
    SEM_RESERVE,
    SEM_BLOCKS,
    SEM_SET_FLAG,
    SEM_WAIT_FLAG,
    SEM_PIPE_BARRIER,
    SEM_BLOCK_BARRIER
} Sem;

typedef enum Op {
#define OP(id, name, form, pipe, sem, meaning) OP_##id,
#include "isa/op.def"
    OP_COUNT
} Op;

enum {
    OP_PIPE_PATH = PIPE_COUNT
}; /* OpInfo.pipe: that of the path */

typedef struct OpInfo {
    const char *name;
    Form form;
    int pipe;
    Sem sem;
    const char *meaning;
} OpInfo;

extern const OpInfo op_table[OP_COUNT];
bool op_find(const char *name, Op *out);
/* Forms without tensor data: they exist on every processor and for no dtype in particular. */
bool form_is_control(Form f);
/* Element types of the vector operands on this processor (dst dtype; all operands equal). */
bool op_has_dtype(Op op, Dtype t, const Soc *soc);
/* Whether the processor has the instruction with any dtype. */
bool op_on_soc(Op op, const Soc *soc);

typedef enum Role {
    ROLE_DST,
    ROLE_SRC,
    ROLE_MASK,
    ROLE_MASKMODE,
    ROLE_REPEAT,
    ROLE_INT,
    ROLE_SCALAR,
    ROLE_ATTR,
    ROLE_PIPE,
    ROLE_ROOT
} Role;

typedef enum Rule {
    RULE_NONE,
#define RULE(id, name, level, aliases, rule, help) RULE_##id,
#include "isa/rule.def"
    RULE_COUNT
} Rule;

typedef struct RuleInfo {
    const char *name; /* "range-nburst" */
    bool warning;
    const char *rule;
} RuleInfo;

extern const RuleInfo rule_table[RULE_COUNT];
Rule rule_find(const char *name); /* RULE_NONE if unknown */

enum {
    PARAM_REQUIRED = -1,
    MAX_PARAMS = 9
};

typedef struct ParamInfo {
    const char *name;
    Role role;
    int64_t lo, hi;
    const char *unit;
    Rule rule;
    int dflt; /* PARAM_REQUIRED or the default */
} ParamInfo;

/* Operands of a form in call order; *n gets their number (a MASKMODE parameter is always last). */
const ParamInfo *form_params(Form f, int *n);
const char *form_name(Form f);

typedef struct PathInfo {
    Scope src, dst;
    Pipe pipe;
    uint32_t cores;  /* mask over CoreKind */
    uint32_t warned; /* part of cores where the path is doubtful */
} PathInfo;

/* The move path between two memories; null if no processor has it. */
const PathInfo *path_find(Scope src, Scope dst);

/* Units of a move in bytes. One L0C fractal has 16 x 16 elements. */
typedef struct MoveUnits {
    int64_t src_burst, src_gap; /* on the source side */
    int64_t dst_burst,
        dst_gap; /* on the destination side; differs from src when 32-bit becomes 16-bit */
} MoveUnits;

MoveUnits move_units(Scope src, Dtype src_dt, Scope dst, Dtype dst_dt);

/* Conversion codes (ConvReluMode) of moves between UB and L0C, element by element:
 *   0  none: raw bytes
 *   1  float32 to float16: nearest even; overflow and infinity give +-65504, NaN gives +0
 *   2  as 1, then relu: x > 0 ? x : +0
 *   4  float16 to float32: exact; a NaN gives 7fc00000
 *   5  same type (float16, float32, int32), relu: x > 0 ? x : +0; a NaN gives +0 */

/* ---- masks and vector geometry (vector 1.1 to 1.4) ----------------------------------------- */

enum {
    BLOCK_BYTES = 32,
    REPEAT_BYTES = 256,
    MAX_LANES = 256
};

typedef enum MaskForm {
    MASK_COUNT,  /* w[0] = number of leading lanes */
    MASK_BITS,   /* w[0] = lanes 0..63, w[1] = 64..127 (from the list [high, low]) */
    MASK_BITS4,  /* 8-bit operands: w[0] = lanes 0..63 ... w[3] = lanes 192..255 */
    MASK_COUNTER /* w[0] = number of elements in all; repeat_times is not used */
} MaskForm;

int mask_words(MaskForm f); /* 1, 2, 4, 1 */

/* Lanes per repeat for operands whose widest element has this type. */
static inline int
lanes_of(Dtype widest)
{
    return REPEAT_BYTES / dtype_size(widest);
}

#endif
