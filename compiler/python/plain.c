/* plain.c: makes what the objects of the compiler get for a number of a class (C objects
 * know only int and float).
 *
 * Numbers of numpy and objects with __index__ are instances. Every value that goes from
 * the program to a C object (an argument, a key, an operand, an attribute's value) comes
 * through here first, so no method checks again. */
#include "python/core.h"

static Value
plain_number(Interp *in, Value v, Span span)
{
    Value r = v;
    const CallArgs *none = CALL_ARGS(NULL, 0, span);
    if (!attr_special(in, v, in->core->sym.plain, none, &r) &&
        val_failed(class_lookup(v.inst->cls, in->core->sym.getitem))) {
        attr_special(in, v, in->core->sym.index, none, &r);
    }
    return r;
}

static bool
is_instance(Value v)
{
    return v.kind == VAL_INSTANCE ||
           (v.kind == VAL_SLICE &&
            (v.slice->start.kind == VAL_INSTANCE || v.slice->stop.kind == VAL_INSTANCE ||
             v.slice->step.kind == VAL_INSTANCE));
}

static bool
has_instance(const Value *p, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (is_instance(p[i])) {
            return true;
        }
    }
    return false;
}

/* Returns a copy of n values with the numbers plain, or null after an exception. */
static Value *
plain_values(Interp *in, const Value *p, uint32_t n, Span span)
{
    Value *out = ARENA_ARRAY(core_arena(in), Value, n);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = op_plain(in, p[i], span);
        if (val_failed(out[i])) {
            return NULL;
        }
    }
    return out;
}

static bool
may_hold_number(Value v)
{
    return v.kind == VAL_TUPLE || v.kind == VAL_LIST ? has_instance(v.list->p, v.list->n)
                                                     : is_instance(v);
}

static Value
plain_list(Interp *in, Value v, Span span)
{
    if (!core_charge(in, v.list->n, span)) {
        return val_fail();
    }
    Value *p = plain_values(in, v.list->p, v.list->n, span);
    return !p                   ? val_fail()
           : v.kind == VAL_LIST ? val_list(in, p, v.list->n)
                                : val_tuple(in, p, v.list->n);
}

static Value
plain_slice(Interp *in, const SliceVal *s, Span span)
{
    const Value ends[] = {s->start, s->stop, s->step};
    Value *p = plain_values(in, ends, 3, span);
    if (!p) {
        return val_fail();
    }
    SliceVal *out = ARENA_NEW(core_arena(in), SliceVal);
    *out = (SliceVal){p[0], p[1], p[2]};
    return (Value){.kind = VAL_SLICE, .slice = out};
}

Value
op_plain_inside(Interp *in, Value v, Span span)
{
    return !may_hold_number(v)      ? v
           : v.kind == VAL_INSTANCE ? plain_number(in, v, span)
           : v.kind == VAL_SLICE    ? plain_slice(in, v.slice, span)
                                    : plain_list(in, v, span);
}

static bool
needs_plain(const Value *p, int n)
{
    for (int i = 0; i < n; i++) {
        if (may_hold_number(p[i])) {
            return true;
        }
    }
    return false;
}

const CallArgs *
op_plain_args(Interp *in, const CallArgs *args, CallArgs *room)
{
    if (!(val_arg_kinds(args) & PLAIN_KINDS) ||
        (!needs_plain(args->pos, args->npos) && !needs_plain(args->kwval, args->nkw))) {
        return args;
    }
    *room = *args;
    room->kinds = 0;
    room->pos = plain_values(in, args->pos, args->npos, args->span);
    room->kwval = plain_values(in, args->kwval, args->nkw, args->span);
    return (room->pos || !args->npos) && (room->kwval || !args->nkw) ? room : NULL;
}
