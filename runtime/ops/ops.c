/* ops.c: finds the function that executes an instruction in the tables. */
#include "ops/internal.h"

OpFn *
ops_find(Sem sem)
{
    static OpFn *const meanings[SEM_COUNT] = {
#define SEM(id, ops, emu) [SEM_##id] = ops_##ops,
#include "isa/sem.def"
    };
    return meanings[sem];
}

bool
ops_each(OpCall *c)
{
    static OpFn *const families[FAM_COUNT] = {
#define FAMILY(id, rules, lower, bind, ops, emu) [FAM_##id] = ops_##ops,
#include "isa/family.def"
    };
    return families[form_family(op_table[c->in.op].form)](c);
}

bool
ops_none(OpCall *c)
{
    c->fault =
        (Fault){.rule = RULE_NOT_ON_ARCH, .text = "the library is older than the code"};
    return false;
}
