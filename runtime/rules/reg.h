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

/* The operand part_indicator: 0 without one and for the first part. */
enum {
    REG_PARTS = 4
};

enum {
    RHIST_BINS = REPEAT_BYTES / 2 /* of one register of counters */
};

/* "NORM"; false: there is no such mode. */
bool reg_mode_find(const char *name, RegMode *out);
const char *reg_mode_name(RegMode m);
/* The modes of a form, for messages: "NORM, BRC". */
void reg_mode_list(Form f, char *buf, size_t size);
/* The form loads or stores with this mode. */
bool reg_mode_is_for(Form f, RegMode m);
/* It takes registers whose elements have so many bytes. */
bool reg_mode_takes(RegMode m, int size);
/* Tensors of this mode have elements of half a register's width. */
bool reg_mode_narrow(RegMode m);
/* Bytes of UB that all lanes take. */
int64_t reg_mode_bytes(RegMode m, int size);

/* Whether an instruction works on registers, and whether this tensor operand of it is
 * one. */
bool reg_form(Form f);
bool reg_operand(Form f, int param);

#endif
