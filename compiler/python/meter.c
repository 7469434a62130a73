/* meter.c: see meter.h. */
#include "python/core.h"

enum {
    SETTLE_BYTES = 64 << 10 /* number of bytes that are charged together */
};

/* Reports which limit was hit. */
static bool
limit_hit(Interp *in, Span span)
{
    const Limits *l = &in->u->opt.limits;
    in->fatal = in->u->limit_hit = true;
    if (in->steps < 0) {
        in->steps = 0;
        py_diag(in, D_LIMIT_STEPS, span, "evaluation needs more than %lld steps",
                (long long)l->steps);
    } else {
        py_diag(in, D_LIMIT_MEMORY, span, "evaluation needs more than %lld bytes",
                (long long)l->memory);
    }
    return false;
}

void
meter_begin(Interp *in)
{
    in->steps = in->u->opt.limits.steps - in->u->work;
    in->settled = in->u->arena.used;
    in->look = MIN(in->settled + SETTLE_BYTES, in->u->opt.limits.memory);
}

void
meter_resume(Interp *in)
{
    Unit *u = in->u;
    in->read = u->work;
    in->steps = u->opt.limits.steps - u->work - in->executed;
    in->settled += in->in_use ? u->arena.used - in->in_use : 0;
    in->look = MIN(in->settled + SETTLE_BYTES, u->opt.limits.memory);
}

void
meter_pause(Interp *in)
{
    in->executed = meter_taken(in) - in->read;
    in->u->work = in->read;
    in->in_use = in->u->arena.used;
}

bool
meter_settle(Interp *in, Span span)
{
    int64_t limit = in->u->opt.limits.memory;
    int64_t used = in->u->arena.used;
    core_owe(in, (used - in->settled) / WORK_BYTES);
    in->settled = used;
    in->look = MIN(used + SETTLE_BYTES, limit);
    return (in->steps >= 0 && used <= limit) || limit_hit(in, span);
}

bool
core_charge(Interp *in, int64_t work, Span span)
{
    core_owe(in, work);
    return in->steps >= 0 || limit_hit(in, span);
}

Ast *
meter_parse(Interp *in, uint32_t file, bool expression)
{
    in->u->work = meter_taken(in);
    Ast *tree = expression ? parse_expression(in->u, file) : parse_file(in->u, file);
    in->steps = in->u->opt.limits.steps - in->u->work;
    in->fatal = in->fatal || in->u->limit_hit;
    return tree;
}

bool
core_reserve(Interp *in, double bytes, Span span)
{
    const Limits *l = &in->u->opt.limits;
    if ((double)in->u->arena.used + bytes <= (double)l->memory) {
        return true;
    }
    py_diag(in, D_LIMIT_MEMORY, span,
            "%.0f bytes more would exceed the memory limit of %lld bytes", bytes,
            (long long)l->memory);
    in->fatal = in->u->limit_hit = true;
    return false;
}

bool
core_put(Interp *in, Text *t, const char *p, size_t n, Span span)
{
    /* it grows to twice its size, or to what is needed */
    bool grows = t->n + n >= t->cap;
    TRY(!grows || core_reserve(in, 2.0 * (double)MAX(t->n, n), span));
    TRY(core_charge(in, (int64_t)n / WORK_BYTES, span));
    text_putn(t, p, n);
    return true;
}

bool
py_reserve(Interp *in, int64_t bytes, Span span)
{
    return core_reserve(in, (double)bytes, span);
}

int64_t
meter_taken(const Interp *in)
{
    return in->u->opt.limits.steps - in->steps;
}

int64_t
meter_size(Value v)
{
    enum {
        READ_BYTES = 4 /* number of bytes of a text that are read in one step */
    };
    switch ((ValueKind)v.kind) {
    case VAL_STR:
        return v.str->len / READ_BYTES;
    case VAL_BIG:
        return v.big->size < 0 ? -v.big->size : v.big->size;
    case VAL_TUPLE:
    case VAL_LIST:
        return v.list->n / 2;
    case VAL_DICT:
    case VAL_SET:
        return v.dict->n;
    default:
        return 0; /* these have one size, or are walked item by item */
    }
}

/* Returns the sizes of n values together. */
static int64_t
sizes(const Value *p, int n)
{
    int64_t size = 0;
    for (int i = 0; i < n; i++) {
        size += meter_size(p[i]);
    }
    return size;
}

bool
meter_sizes(Interp *in, Value self, const CallArgs *args)
{
    const uint32_t sized = 1u << VAL_STR | 1u << VAL_BIG | 1u << VAL_TUPLE |
                           1u << VAL_LIST | 1u << VAL_DICT | 1u << VAL_SET;
    int n = args->npos + args->nkw;
    int64_t work = meter_size(self) + n;
    if (n > 0 && (val_arg_kinds(args) & sized)) {
        work += sizes(args->pos, args->npos) + sizes(args->kwval, args->nkw);
    }
    return core_charge(in, work, args->span);
}
