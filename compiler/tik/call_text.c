/* call_text.c: see call_text.h. */
#include "tik/call_text.h"

#include <string.h>

void
call_role_text(const ParamInfo *p, Text *out)
{
    switch (p->role) {
    case ROLE_DST:
        text_put(out, "tensor, written");
        break;
    case ROLE_SRC:
        text_put(out, "tensor, read");
        break;
    case ROLE_MASK:
        text_put(out, "lanes: a count, or a list of 64-bit words, highest lanes first");
        break;
    case ROLE_MASKMODE:
        text_put(out, "'normal' or 'counter'");
        break;
    case ROLE_SCALAR:
        text_put(out, "number or Scalar of the tensor's dtype");
        break;
    case ROLE_PIPE:
        text_put(out, "name of a queue, such as PIPE_V");
        break;
    case ROLE_ROOT:
        text_put(out, "tensor");
        break;
    case ROLE_REPEAT:
    case ROLE_INT:
    case ROLE_ATTR:
        if (p->rule == RULE_NONE) {
            text_put(out, "integer");
        } else {
            text_printf(out, "%lld to %lld%s%s [%s]", (long long)p->lo, (long long)p->hi,
                        *p->unit ? " " : "", p->unit, rule_table[p->rule].name);
        }
        break;
    }
}

/* Returns the operand of the instruction that has the argument's name, or null. */
static const ParamInfo *
operand_named(Op op, const char *name)
{
    int n;
    const ParamInfo *p = op == OP_COUNT ? NULL : form_params(op_table[op].form, &n);
    for (int i = 0; p && i < n; i++) {
        size_t len = strcspn(p[i].name, "[");
        if (p[i].item == 0 && strncmp(p[i].name, name, len) == 0 && name[len] == 0) {
            return &p[i];
        }
    }
    return NULL;
}

void
call_argument_text(const CallText *call, const CallArg *arg, Text *out)
{
    const ParamInfo *p = operand_named(call->op, arg->name);
    if (p && p->rule != RULE_NONE && arg->kind == TAKES_INT) {
        call_role_text(p, out);
    } else if (arg->kind == TAKES_STRUCT || arg->kind == TAKES_ENUM) {
        text_printf(out, "a tik.%s", call_kind_text(arg));
    } else {
        text_put(out, call_kind_text(arg));
    }
}

void
call_texts(Arena *a, const char *name, CallTexts *out)
{
    Op op;
    op = op_find(name, &op) ? op : OP_COUNT;
    if (op != OP_COUNT && op_is_called(op) && call_takes_operands(op)) {
        CallArg *args = ARENA_ARRAY(a, CallArg, MAX_PARAMS);
        Signature s = call_of_form(name, op_table[op].form, a, args);
        CallText text = {s, OWNER_CONTAINER, op, op_table[op].meaning};
        VEC_PUSH(a, out, text);
    }
    for (int call = 0; call < CALL_COUNT; call++) {
        Signature s = call_signature((Call)call);
        if (strcmp(s.name, name) == 0) {
            const char *meaning = call_meaning((Call)call);
            bool own = *meaning || op == OP_COUNT;
            CallText text = {s, call_owner((Call)call), op,
                             own ? meaning : op_table[op].meaning};
            VEC_PUSH(a, out, text);
        }
    }
}

/* Returns whether an earlier row has the owner and the name, too. */
static bool
is_listed(int before, CallOwner owner, const char *name)
{
    for (int call = 0; call < before; call++) {
        if (call_owner((Call)call) == owner &&
            strcmp(call_signature((Call)call).name, name) == 0) {
            return true;
        }
    }
    return false;
}

void
call_names(CallOwner owner, void (*visit)(void *ctx, const char *name), void *ctx)
{
    for (int call = 0; call < CALL_COUNT; call++) {
        const char *name = call_signature((Call)call).name;
        if (call_owner((Call)call) == owner && !is_listed(call, owner, name)) {
            visit(ctx, name);
        }
    }
    for (int op = 0; op < OP_COUNT && owner == OWNER_CONTAINER; op++) {
        if (op_is_called((Op)op) && !is_listed(CALL_COUNT, owner, op_table[op].name)) {
            visit(ctx, op_table[op].name);
        }
    }
}
