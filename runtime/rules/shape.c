/* shape.c: shapes of instructions; see shape.h. */

/* ASSUMES placeless: rules of a family that says so ask for offsets and roots of tensors
 * only for alignment, bounds and overlap. */
/* ASSUMES static-numbers: check_static asks for no number but attributes, for no word of
 * a mask, for no offset or root. */
#include "rules/shape.h"
#include "rules/internal.h"

bool
shape_has(Op op)
{
    const FamilyRules *rules = check_family(op);
    return rules->placeless && rules->bounds == NULL;
}

bool
shape_has_spans(Op op)
{
    return shape_has(op) || check_family(op)->bounds_are_room;
}

bool
shape_can_move(Op op, Role role)
{
    return shape_has(op) || (role == ROLE_SRC && shape_has_spans(op));
}

bool
shape_keeps_distance(Dtype a, Dtype b)
{
    return dtype_size(a) == dtype_size(b) &&
           dtype_is_half_byte(a) == dtype_is_half_byte(b);
}

static uint64_t
tensors_of(Form f)
{
    return form_roles[ROLE_DST][f] | form_roles[ROLE_SRC][f] | form_roles[ROLE_ROOT][f];
}

/* Rules of check_static of families whose rules ask for places may ask for roots. */
static uint32_t
root_of(Op op, const CheckTensor *t)
{
    return check_family(op)->placeless ? 0 : t->buffer;
}

/* Numbers that may differ where check_static says the same. */
static bool
varies(Op op, const ParamInfo *p, const CheckArg *a)
{
    return (p->role == ROLE_INT || p->role == ROLE_REPEAT || p->role == ROLE_SCALAR) &&
           !(a->literal && check_family(op)->asks_literals);
}

static uint32_t
kind_of_tensor(const CheckArg *a)
{
    const CheckTensor *t = &a->t;
    return (uint32_t)a->literal | (uint32_t)t->read_only << 1 | (uint32_t)t->exact << 2 |
           (uint32_t)t->open << 3 | (uint32_t)(t->items > 0) << 4 |
           (uint32_t)t->scope << 8 | (uint32_t)t->dtype << 16;
}

Shape *
shape_room(Shape shapes[SHAPES], const CheckInstr *in)
{
    uint64_t hash = (uint64_t)in->op;
    for (uint64_t rest = tensors_of(op_form(in->op)); rest != 0; rest &= rest - 1) {
        const CheckArg *a = &in->args[__builtin_ctzll(rest)];
        hash = (hash ^ (uint64_t)a->t.bytes ^ kind_of_tensor(a)) * 0x9e3779b97f4a7c15U;
    }
    return &shapes[hash >> 32 & (SHAPES - 1)];
}

bool
shape_is_like(const Shape *s, const CheckInstr *in)
{
    int n;
    if (!s->kept || s->op != in->op) {
        return false;
    }
    const ParamRow *p = op_params(in->op, &n);
    uint64_t tensors = tensors_of(op_form(in->op));
    for (int i = 0; i < n; i++) {
        const CheckArg *a = &in->args[i];
        bool same =
            tensors >> i & 1
                ? s->args[i].number == a->t.bytes && s->args[i].kind == kind_of_tensor(a)
            : param_at(p, i)->role == ROLE_MASK
                ? s->mask.form == a->m.form
                : s->args[i].kind == (uint32_t)a->literal &&
                      (varies(in->op, param_at(p, i), a) || s->args[i].number == a->v);
        if (!same) {
            return false;
        }
    }
    return true;
}

static bool
same_words(const CheckMask *a, const CheckMask *b)
{
    bool same = true;
    for (int i = 0; i < mask_words(a->form); i++) {
        same = same && a->w[i] == b->w[i];
    }
    return same;
}

bool
shape_is(const Shape *s, const CheckInstr *in)
{
    int n;
    if (!s->legal) {
        return false;
    }
    const ParamRow *p = op_params(in->op, &n);
    for (int i = 0; i < n; i++) {
        if ((varies(in->op, param_at(p, i), &in->args[i]) &&
             s->args[i].number != in->args[i].v) ||
            (param_at(p, i)->role == ROLE_MASK &&
             !same_words(&s->mask, &in->args[i].m))) {
            return false;
        }
    }
    return true;
}

static bool
is_crossed(Op op)
{
    int n;
    Form form = op_form(op);
    const ParamRow *p = form_params(form, &n);
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            bool both =
                param_at(p, a)->role == param_at(p, b)->role &&
                (param_at(p, a)->role == ROLE_DST || param_at(p, a)->role == ROLE_SRC);
            if (both && check_overlap_relates(form, a, b)) {
                return false;
            }
        }
    }
    return true;
}

void
shape_keep(Shape *s, const CheckInstr *in)
{
    int n;
    Form form = op_form(in->op);
    uint64_t tensors = tensors_of(form);
    (void)form_params(form, &n);
    s->crossed = s->kept && s->op == in->op ? s->crossed : is_crossed(in->op);
    s->op = in->op;
    s->kept = true;
    s->legal = false;
    s->dst = form_first(form, ROLE_DST);
    for (int i = 0; i < n; i++) {
        const CheckArg *a = &in->args[i];
        s->args[i].number = tensors >> i & 1 ? a->t.bytes : a->v;
        s->args[i].kind = tensors >> i & 1 ? kind_of_tensor(a) : (uint32_t)a->literal;
        s->args[i].root = tensors >> i & 1 ? root_of(in->op, &a->t) : 0;
    }
    int mask = form_first(form, ROLE_MASK);
    s->mask = mask < 0 ? (CheckMask){0} : in->args[mask].m;
    for (tensors &= ~form_roles[ROLE_ROOT][form]; tensors != 0; tensors &= tensors - 1) {
        int i = __builtin_ctzll(tensors);
        s->args[i].compared = check_has_overlap(in->op, i);
        s->args[i].regular = check_overlap_is_regular(form, i);
        s->args[i].align = check_align(in, i);
        s->args[i].limit = check_limit(&in->args[i].t);
    }
}

void
shape_keep_numbers(Shape *s, const CheckInstr *in, CheckInstr *work)
{
    int n;
    const ParamRow *p = op_params(in->op, &n);
    check_copy(work, in);
    s->legal = true;
    for (int i = 0; i < n; i++) {
        if (param_at(p, i)->role == ROLE_MASK) {
            s->mask = in->args[i].m;
        } else if (param_at(p, i)->role == ROLE_DST || param_at(p, i)->role == ROLE_SRC) {
            work->args[i].t.offset = 0;
            check_reach(work, i, &s->args[i].extent, &s->args[i].reach);
        } else if (varies(in->op, param_at(p, i), &in->args[i])) {
            s->args[i].number = in->args[i].v;
        }
    }
}
