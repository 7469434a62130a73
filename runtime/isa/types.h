/* types.h: the numbers that the tables give to element types, memories, instructions,
 * operations and readings. It is the part of the machine's facts that is installed, and
 * has types only; what is known about each of them is in isa.h, which is not
 * installed. */
#ifndef TIK_ISA_TYPES_H
#define TIK_ISA_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- data ---------------------------------------------------------------- */

typedef enum Dtype {
    DT_NONE,
#define DTYPE(id, name, bytes, kind) DT_##id,
#include "isa/dtype.def"
    DT_COUNT,
    DT_PLAIN = DT_S4 /* scalars have the types before it */
} Dtype;

/* Returns whether two elements share a byte. */
static inline bool
dtype_is_half_byte(Dtype t)
{
    return t == DT_S4 || t == DT_U4;
}

/* Returns whether buffers can have the type. */
static inline bool
dtype_is_stored(int t)
{
    return t > DT_NONE && t < DT_COUNT && !dtype_is_half_byte((Dtype)t);
}

static inline bool
dtype_is_float(Dtype t)
{
    return t == DT_F16 || t == DT_BF16 || t == DT_F32;
}

typedef enum Scope {
#define SCOPE(id, name, text, alloc, align, align32) SC_##id,
#include "isa/scope.def"
    SC_COUNT
} Scope;

typedef enum ArgRole {
#define ARGROLE(id, name, word) ARGROLE_##id,
#include "isa/argrole.def"
    ARGROLE_COUNT
} ArgRole;

/* An address list is one sparse tensor: array i lies in the window of bytes that is
 * centred at i * LIST_WINDOW. So one byte offset names an array and an offset in it, and
 * an offset before an array's start does not reach the array before it. */
#define LIST_SHIFT  36
#define LIST_WINDOW ((int64_t)1 << LIST_SHIFT)
enum {
    LIST_MAX = 4096 /* maximum number of arrays of a list */
};

/* An array of an address list, as compiled code finds it. */
typedef struct ListItem {
    uint8_t *data; /* 32-byte aligned, followed by its room */
    int64_t bytes; /* at most LIST_WINDOW / 2 */
} ListItem;

typedef struct Soc Soc; /* a processor */

/* ---- instructions -------------------------------------------------------- */

typedef enum Op {
#define OP(id, name, form, types, pipe, sem, meaning) OP_##id,
#include "isa/op.def"
    OP_COUNT
} Op;

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

enum {
    MAX_PARAMS = 40 /* maximum number of operands of an instruction */
};

typedef enum MaskForm {
    MASK_COUNT,  /* w[0] = number of leading lanes */
    MASK_BITS,   /* w[0] = lanes 0..63, w[1] = 64..127 (from the list [high, low]) */
    MASK_BITS4,  /* 8-bit operands: w[0] = lanes 0..63 ... w[3] = lanes 192..255 */
    MASK_COUNTER /* w[0] = number of elements in all; repeat_times is not used */
} MaskForm;

/* An operation on scalars (scalar.def). */
typedef enum ScalarOp {
#define SCALAR_OP(id, name, arity, symbol) SOP_##id,
#include "isa/scalar.def"
    SOP_COUNT
} ScalarOp;

/* ---- readings of uncertain points (choice.h) ----------------------------- */

typedef enum Choice {
#define CHOICE(id, number, name, question, reason) CHOICE_##id,
#include "isa/choice.def"
    CHOICE_COUNT
} Choice;

/* The readings of each point, as in CHOSE_AWAY_ZERO_DIRECTED. */
enum {
#define READING(choice, n, id, name, text) CHOSE_##choice##_##id = n,
#include "isa/choice.def"
};

/* The chosen reading of each point; zeros are the usual ones. */
typedef struct Choices {
    uint8_t v[CHOICE_COUNT];
} Choices;

#endif
