/* guard.h: run-time checks in compiled code, and the calls of the runtime library that
 * they and other instructions make. */
#ifndef TIKC_GUARD_H
#define TIKC_GUARD_H

#include "host/lower/lower.h"

/* ---- host/lower/call.c --------------------------------------------------- */

/* The order of the values, as tikcode.h describes them. */
enum {
    MAX_VALUES = 2 * MAX_PARAMS + 4
};

typedef struct Values {
    int n;
    LLVMValueRef v[MAX_VALUES];
} Values;

/* Returns the constant TikCheckArg of an operand. */
LLVMValueRef call_arg(Lower *l, const ParamInfo *p, const Arg *a);
/* Returns the constant TikCheck of a statement whose n operands are args. */
LLVMValueRef call_constant(Lower *l, int64_t op, StmtId s, LLVMValueRef *args, int n);
void call_put_value(Values *to, LLVMValueRef v);
/* Adds the values of an operand. */
void call_put_arg(Lower *l, Values *to, const ParamInfo *p, const Arg *a, StmtId s);
/* Puts the values into memory, and returns the address. */
LLVMValueRef call_values(Lower *l, const Values *from);
/* Returns the values as constant data. Those that are not known are 0 there. */
LLVMValueRef call_known_values(Lower *l, const Values *from);
/* Gives what the library takes of an instruction: its TikCheck, its values, and its
 * operands. */
void lower_call_operands(Lower *l, StmtId s, LLVMValueRef out[3]);
/* Returns constants TikOrigin for the factors of a product. */
LLVMValueRef call_origins(Lower *l, const Stmt *s);
/* Leaves the kernel when a call of the library (i32) reports a fault. */
void call_leave_if(Lower *l, LLVMValueRef fault, StmtId s);

/* ---- host/lower/guard.c -------------------------------------------------- */

/* At the start of a kernel's version. */
void guard_begin(Lower *l);
/* Returns whether instructions may access bytes after the data of the buffer, an array
 * that may be without room for them. */
bool guard_has_edge(const Lower *l, BufId b);
/* Returns whether some tensor of the instruction is such a buffer. */
bool guard_instr_has_edge(const Lower *l, StmtId s);
/* Emits the check of an instruction or of an access to one element, if it needs one. The
 * instruction or, after several checks, the instructions, come after guard_enter, which
 * gives lower_ref the addresses of what the checks moved, and are followed by
 * guard_leave. */
void guard_instr(Lower *l, StmtId s);
void guard_element(Lower *l, const Ref *r, StmtId s);
void guard_enter(Lower *l);
void guard_leave(Lower *l);
/* Returns the address of an operand that the checks moved; null: they did not. */
LLVMValueRef guard_ref(const Lower *l, const Ref *r);

#endif
