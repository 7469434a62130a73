/* check.c: checks the rules of check.h on an instruction's operands while running. */
#include "emu/emu.h"

#include <stdio.h>

#include "support/error.h"

static void
fill_mask(const EmuRun *r, const EmuOp *op, CheckMask *m)
{
    m->form = (MaskForm)op->mask_form;
    for (int w = 0; w < mask_words(m->form); w++) {
        m->w[w] = (uint64_t)emu_num(r, op->mask[w]);
    }
}

static CheckTensor
tensor_of(const EmuRun *r, uint32_t ref)
{
    const EmuRef *o = &r->p->refs[ref];
    const TikBlobRegion *g = &r->p->kernel.regions[o->region];
    return (CheckTensor){
        .buffer = o->region,
        .scope = g->scope,
        .dtype = o->dtype,
        .offset = emu_offset(r, o),
        .bytes = g->open && g->scope != SC_GM ? r->places[o->region].bytes
                                              : emu_given_bytes(&r->p->kernel, g),
        .exact = chosen(&r->p->kernel.choices, CHOICE_GM_BOUND) == CHOSE_GM_BOUND_EXACT,
        .read_only = g->kind == TIKBLOB_TABLE,
        .items = o->nitems,
        .item = o->items};
}

CheckTensor
emu_tensor(const EmuRun *r, const EmuOp *op, int slot)
{
    return tensor_of(r, r->p->slots[op->first_slot + (uint32_t)slot]);
}

void
emu_instr(const EmuRun *r, const EmuOp *op, CheckInstr *in)
{
    in->op = (Op)op->op;
    in->soc = r->p->kernel.soc;
    in->choices = &r->p->kernel.choices;
    int n;
    const ParamInfo *params = form_params(op_table[op->op].form, &n);
    for (int i = 0; i < n; i++) {
        CheckArg *arg = &in->args[i];
        arg->literal = (op->literals >> i & 1) != 0;
        switch (params[i].role) {
        case ROLE_DST:
        case ROLE_SRC:
        case ROLE_ROOT:
            arg->t = tensor_of(r, r->p->slots[op->first_slot + (uint32_t)i]);
            break;
        case ROLE_MASK:
            fill_mask(r, op, &arg->m);
            break;
        case ROLE_MASKMODE:
            break;
        case ROLE_REPEAT:
        case ROLE_PIPE:
        case ROLE_INT:
        case ROLE_SCALAR:
        case ROLE_ATTR:
            arg->v = emu_slot(r, op, i);
            break;
        }
    }
}

int
emu_key(const EmuRun *r, const EmuOp *op, int64_t key[EMU_KEY])
{
    int n, used = 0;
    const ParamInfo *p = form_params(op_table[op->op].form, &n);
    for (int i = 0; i < n; i++) {
        if ((p[i].role == ROLE_REPEAT || p[i].role == ROLE_INT) && used < EMU_KEY) {
            key[used++] = emu_slot(r, op, i);
        } else if (p[i].role == ROLE_MASK) {
            int words = mask_words((MaskForm)op->mask_form);
            for (int w = 0; w < words && used < EMU_KEY; w++) {
                key[used++] = emu_num(r, op->mask[w]);
            }
        }
    }
    return used;
}

bool
emu_record(EmuRun *r, const EmuOp *op, const Fault *f)
{
    *r->res = (EmuResult){
        .status = EMU_FAULT, .descriptor = op->index, .core = r->core, .fault = *f};
    emu_where(r, op);
    return false;
}

bool
emu_check(EmuRun *r, const EmuOp *op)
{
    CheckInstr in;
    Fault f;
    emu_instr(r, op, &in);
    return check_values(&in, &f) || emu_record(r, op, &f);
}

bool
emu_allows(const EmuOp *op, int slot, int64_t v)
{
    int n;
    const ParamInfo *p = &form_params(op_table[op->op].form, &n)[slot];
    return p->rule == RULE_NONE || (v >= p->lo && v <= p->hi);
}

/* An example is a number of repeats that is no literal. */
static bool
may_be_0(const EmuRun *r, const EmuOp *op, int slot)
{
    CheckInstr in = {.op = (Op)op->op, .choices = &r->p->kernel.choices};
    in.args[slot].literal = (op->literals >> slot & 1) != 0;
    return check_least(&in, slot) == 0;
}

bool
emu_number(const EmuRun *r, const EmuOp *op, int slot, int64_t *v)
{
    *v = emu_slot(r, op, slot);
    return emu_allows(op, slot, *v) || (*v == 0 && may_be_0(r, op, slot));
}

bool
emu_begin(EmuRun *r, const EmuOp *op)
{
    int n;
    int64_t v;
    const ParamInfo *p = form_params(op_table[op->op].form, &n);
    if (op->checked && !emu_check(r, op)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        bool number = p[i].role == ROLE_INT || p[i].role == ROLE_REPEAT;
        if (number && !emu_number(r, op, i, &v)) {
            return emu_refuse(r, op);
        }
    }
    return true;
}

bool
emu_check_element(EmuRun *r, const EmuOp *op)
{
    CheckTensor t = tensor_of(r, op->ref);
    t.dtype = (Dtype)op->dtype;
    Fault f;
    return check_element(&t, &f) || emu_record(r, op, &f);
}

bool
emu_refuse(EmuRun *r, const EmuOp *op)
{
    bool instr = op->kind == DESC_INSTR;
    if (!(instr ? emu_check(r, op) : emu_check_element(r, op))) {
        return false;
    }
    Fault f = {.rule = RULE_TENSOR_OVERFLOW, .param = -1};
    snprintf(f.text, sizeof f.text, "an access of %s is outside its tensor",
             instr ? op_method((Op)op->op) : "an element");
    return emu_record(r, op, &f);
}

bool
emu_fault(EmuRun *r, const EmuOp *op, Rule rule, int64_t value)
{
    Fault f = {.rule = rule, .param = -1, .value = value};
    error_rule_text(rule, value, f.text, sizeof f.text);
    return emu_record(r, op, &f);
}
