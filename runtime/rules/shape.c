/* shape.c: shapes of instructions; see shape.h. */

/* ASSUMES placeless: rules of a family that says so ask for offsets and roots of tensors
 * only for alignment, bounds and overlap. */
#include "rules/shape.h"
#include "rules/internal.h"

bool
shape_has(Op op)
{
    const FamilyRules *rules = check_family(op);
    return rules->placeless && rules->bounds == NULL;
}

static bool
is_tensor(const ParamInfo *p)
{
    return p->role == ROLE_DST || p->role == ROLE_SRC || p->role == ROLE_ROOT;
}

static int64_t
number_of(const ParamInfo *p, const CheckArg *a)
{
    return is_tensor(p) ? a->t.bytes : p->role == ROLE_MASK ? 0 : a->v;
}

static uint32_t
kind_of(const ParamInfo *p, const CheckArg *a)
{
    const CheckTensor *t = &a->t;
    uint32_t literal = a->literal;
    return !is_tensor(p)
               ? literal
               : literal | (uint32_t)t->read_only << 1 | (uint32_t)t->exact << 2 |
                     (uint32_t)t->scope << 8 | (uint32_t)t->dtype << 16;
}

Shape *
shape_room(Shape shapes[SHAPES], const CheckInstr *in)
{
    int n;
    const ParamInfo *p = form_params(op_table[in->op].form, &n);
    uint64_t hash = (uint64_t)in->op;
    for (int i = 0; i < n; i++) {
        hash = (hash ^ (uint64_t)number_of(&p[i], &in->args[i])) * 0x9e3779b97f4a7c15U;
    }
    return &shapes[hash >> 32 & (SHAPES - 1)];
}

static bool
same_mask(const CheckMask *a, const CheckMask *b)
{
    bool same = a->form == b->form;
    for (int i = 0; same && i < mask_words(a->form); i++) {
        same = a->w[i] == b->w[i];
    }
    return same;
}

bool
shape_is(const Shape *s, const CheckInstr *in)
{
    int n;
    if (!s->kept || s->op != in->op) {
        return false;
    }
    const ParamInfo *p = form_params(op_table[in->op].form, &n);
    for (int i = 0; i < n; i++) {
        const CheckArg *a = &in->args[i];
        if (s->args[i].number != number_of(&p[i], a) ||
            s->args[i].kind != kind_of(&p[i], a) ||
            (p[i].role == ROLE_MASK && !same_mask(&s->mask, &a->m))) {
            return false;
        }
    }
    return true;
}

static bool
is_crossed(Op op)
{
    int n;
    Form form = op_table[op].form;
    const ParamInfo *p = form_params(form, &n);
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            bool both = p[a].role == p[b].role &&
                        (p[a].role == ROLE_DST || p[a].role == ROLE_SRC);
            if (both && check_overlap_relates(form, a, b)) {
                return false;
            }
        }
    }
    return true;
}

void
shape_keep(Shape *s, const CheckInstr *in, CheckInstr *work)
{
    int n;
    const ParamInfo *p = form_params(op_table[in->op].form, &n);
    check_copy(work, in);
    s->crossed = s->kept && s->op == in->op ? s->crossed : is_crossed(in->op);
    s->op = in->op;
    s->kept = true;
    s->dst = form_first(op_table[in->op].form, ROLE_DST);
    for (int i = 0; i < n; i++) {
        const CheckArg *a = &in->args[i];
        s->args[i].number = number_of(&p[i], a);
        s->args[i].kind = kind_of(&p[i], a);
        if (p[i].role == ROLE_MASK) {
            s->mask = a->m;
        } else if (p[i].role == ROLE_DST || p[i].role == ROLE_SRC) {
            work->args[i].t.offset = 0;
            s->args[i].compared = check_has_overlap(in->op, i);
            s->args[i].regular = check_overlap_is_regular(op_table[in->op].form, i);
            s->args[i].align = check_align(in, i);
            s->args[i].extent = check_extent(in, i);
            s->args[i].limit = check_limit(&a->t);
            s->args[i].reach = check_overlap_end(work, i);
        }
    }
}
