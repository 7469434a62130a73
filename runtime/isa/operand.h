/* operand.h: the slots of operands by name: VBINB_src0 is the slot of src0 in the form
 * VBINB (form.def). Items of a list are counted from the first: NCHW_dst_list + 3. */
#ifndef TIK_ISA_OPERAND_H
#define TIK_ISA_OPERAND_H

/* Numbers of the operands of all forms, in order. BEFORE_ makes the first operand of a
 * form follow the last one of the form before it without a gap. */
enum {
#define FORM(id, name, family, main)                          FIRST_##id, BEFORE_##id = FIRST_##id - 1,
#define PARAM(form, name, role, of, lo, hi, unit, rule, dflt) ROW_##form##_##name,
#define ITEM(form, name, item, items, role, of, lo, hi, unit, rule, dflt)                \
    ROW_##form##_##name##item,
#define LIST_AT(form, name)
#include "isa/form.def"
    OPERAND_ROWS
};

/* The slots of operands, each counted from the first operand of its form. */
enum {
#define FORM(id, name, family, main) id##_NONE = -1,
#define PARAM(form, name, role, of, lo, hi, unit, rule, dflt)                            \
    form##_##name = ROW_##form##_##name - FIRST_##form,
#define LIST_AT(form, name) form##_##name = ROW_##form##_##name##0 - FIRST_##form,
#include "isa/form.def"
};

#endif
