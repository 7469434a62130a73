/* reg.h: vector registers (scope VREG): modes of their loads and stores, slots of the
 * forms of the family REG. */
#ifndef TIK_REG_H
#define TIK_REG_H

#include "isa/isa.h"
#include "isa/operand.h"

/* The operands ld_mode and st_mode. */
typedef enum RegMode {
#define REGMODE(id, name, use, widths, bytes, what) REG_##id,
#include "isa/reg.def"
    REG_MODES
} RegMode;

/* The operand part_indicator: 0 for the first part or without the operand. */
enum {
    REG_PARTS = 4
};

enum {
    RHIST_BINS = REPEAT_BYTES / 2 /* bins of a register of counters */
};

/* Finds a mode by name, as in "NORM"; false when there is none. */
bool reg_mode_find(const char *name, RegMode *out);
const char *reg_mode_name(RegMode m);
/* Lists the modes of a form for messages: "NORM, BRC". */
const char *reg_mode_list(Form f, char *buf, size_t size);
/* Returns whether the form loads or stores with this mode. */
PURE bool reg_mode_is_for(Form f, RegMode m);
/* Returns whether the mode takes registers whose elements have `size` bytes. */
PURE bool reg_mode_takes(RegMode m, int size);
/* Returns whether tensors of this mode have elements of half the width of the
 * register's. */
PURE bool reg_mode_narrow(RegMode m);
/* Returns the bytes of UB that all lanes take. */
PURE int64_t reg_mode_bytes(RegMode m, int size);

/* These return whether an instruction works on registers, and whether one of its tensor
 * operands is a register. */
PURE bool reg_form(Form f);
PURE bool reg_operand(Form f, int param);

#endif
