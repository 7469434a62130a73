/* insert.c: appends the flags and barriers of a plan (plan.h) while a kernel is lowered.
 * They have the place of the statement before which they stand. */
#include "stream/stream.h"

#include "isa/operand.h"

static bool
append_alu(Stream *s, ScalarOp op, TikNum a, int64_t b, uint32_t reg)
{
    TikDesc d;
    tikblob_clear(&d, 0);
    d.kind = DESC_ALU;
    d.alu_op = op;
    d.dtype = DT_S64;
    d.a = a;
    d.b.imm = b;
    d.reg = reg;
    return stream_append(s, &d);
}

/* Computes the id of a flag whose ids take turns. */
static bool
id_of(Stream *s, const PlanItem *item, TikNum *id)
{
    *id = (TikNum){.imm = item->id};
    if (item->turns == 1) {
        return true;
    }
    uint32_t reg = s->turn_reg;
    TikNum counter = {.kind = NUM_LOOP, .index = item->slot};
    *id = (TikNum){.kind = NUM_REG, .index = reg};
    return append_alu(s, SOP_REM, counter, item->turns, reg) &&
           (item->id == 0 || append_alu(s, SOP_ADD, *id, item->id, reg));
}

static bool
append_item(Stream *s, const PlanItem *item)
{
    TikDesc *d = ARENA_NEW(&s->scratch, TikDesc);
    TikNum id;
    TRY(id_of(s, item, &id));
    d->kind = DESC_INSTR;
    d->op = item->op;
    if (item->op == OP_PIPE_BARRIER) {
        d->args[0].v.imm = item->to;
        d->args[0].literal = true;
        return stream_append(s, d);
    }
    d->args[FLAG_pipe].v.imm = item->from;
    d->args[FLAG_trigger_pipe].v.imm = item->to;
    d->args[FLAG_event_id].v = id;
    for (int i = 0; i <= FLAG_event_id; i++) {
        d->args[i].literal = d->args[i].v.kind == NUM_IMM;
    }
    return stream_append(s, d);
}

bool
stream_insert(Stream *s)
{
    const Plan *p = s->plan;
    while (p != NULL && s->next < p->items.n && p->items.p[s->next].at == s->nemitted) {
        TRY(append_item(s, &p->items.p[s->next++]));
    }
    return true;
}
