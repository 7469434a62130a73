/* pattern.c: proves instructions that repeat a proved one (echo.c) at other offsets. It
 * is a part of the verifier.
 *
 * All numbers of the two are the same, because their bytes are, and so are the values of
 * registers and counters: nothing that they depend on was written since, and no block
 * began or ended. So alignment, bounds and overlap alone are asked, of rules/shape.h, and
 * only in ways that cost little; where they do not tell, the instruction is proved like
 * any other. */

/* ASSUMES overlap-relative: overlap asks for the distances of tensors in one root, in
 * bytes and modulo blocks, not for where they lie, if their elements are of one size. */
#include "blob/verify.h"
#include "isa/operand.h"

/* Returns whether a number of the instruction is that of a register. */
static bool
reads_registers(const TikDesc *d)
{
    int n;
    const ParamInfo *p = form_params(op_table[d->op].form, &n);
    for (int i = 0; i < n; i++) {
        bool tensor =
            p[i].role == ROLE_DST || p[i].role == ROLE_SRC || p[i].role == ROLE_ROOT;
        int words = p[i].role == ROLE_MASK ? mask_words(d->mask_form) : 0;
        for (int t = 0; tensor && t < d->args[i].t.nterms; t++) {
            if (d->args[i].t.terms[t].num.kind == NUM_REG) {
                return true;
            }
        }
        for (int w = 0; w < words; w++) {
            if (d->args[i].mask[w].kind == NUM_REG) {
                return true;
            }
        }
        if (!tensor && words == 0 && p[i].role != ROLE_MASKMODE &&
            d->args[i].v.kind == NUM_REG) {
            return true;
        }
    }
    return false;
}

/* Notes what is known of a tensor. Returns false when its offset is not bounded. */
static bool
keep_place(Pattern *t, const Verifier *v, const Shape *s, int i)
{
    PatternPlace *to = &t->place[t->n];
    const Interval *r = &v->values[i];
    *to = (PatternPlace){.root = v->in.args[i].t.buffer,
                         .low = (int32_t)get32(t->echo.p + t->echo.at[t->n]),
                         .lo = r->lo,
                         .hi = r->hi,
                         .align = s->args[i].align,
                         .extent = s->args[i].extent,
                         .limit = s->args[i].limit,
                         .reach = s->args[i].reach};
    for (to->first = 0; t->place[to->first].root != to->root; to->first++) {
    }
    t->n++;
    return r->lo >= -FAR_AWAY && r->hi <= FAR_AWAY;
}

/* Returns whether overlap depends on distances alone, whichever tensors share a root. */
static bool
keeps_distances(const Verifier *v)
{
    int n;
    const ParamInfo *p = form_params(op_table[v->d.op].form, &n);
    const CheckTensor *first = NULL;
    bool keeps = true;
    for (int i = 0; i < n; i++) {
        if (p[i].role == ROLE_DST || p[i].role == ROLE_SRC) {
            const CheckTensor *t = &v->in.args[i].t;
            first = first == NULL ? t : first;
            keeps = keeps && shape_keeps_distance(t->dtype, first->dtype);
        }
    }
    return keeps;
}

void
pattern_keep(Verifier *v, const Shape *s)
{
    int n;
    Form form = op_table[v->d.op].form;
    const ParamInfo *p = form_params(form, &n);
    Pattern *t = &v->patterns[v->next_pattern];
    v->next_pattern = (v->next_pattern + 1) % PATTERNS;
    bool ok = blob_echo_keep(&t->echo, v->b, v->d.offset);
    t->n = t->ndst = 0;
    for (int i = 0; ok && i < n; i++) {
        if (p[i].role == ROLE_DST || p[i].role == ROLE_SRC) {
            ok = keep_place(t, v, s, i);
        }
        /* Named tensors have no place, and destinations come first in groups. */
        ok = ok && p[i].role != ROLE_ROOT &&
             (p[i].role != ROLE_DST || t->n == t->ndst + 1);
        t->ndst += p[i].role == ROLE_DST;
    }
    t->alike = keeps_distances(v);
    t->crossed = s->crossed;
    t->pairs = t->n <= FEW_PLACES;
    t->steps = (uint32_t)v->nsteps;
    t->blocks = v->block_events;
    t->writes = v->register_writes;
    t->registers = reads_registers(&v->d);
    t->echo.p = ok ? t->echo.p : NULL;
}

/* ---- instructions that repeat one ---------------------------------------- */

/* Alignment and bounds of all tensors at their new offsets. */
static bool
places_hold(const Pattern *t, const uint8_t *p, int64_t *moved)
{
    bool ok = true;
    for (int i = 0; i < t->n; i++) {
        const PatternPlace *s = &t->place[i];
        int64_t by = (int64_t)(int32_t)get32(p + t->echo.at[i]) - s->low;
        int64_t lo = s->lo + by, hi = s->hi + by;
        moved[i] = by;
        ok = ok &&
             (by == 0 || ((s->align == 1 || by % s->align == 0) && lo >= -FAR_AWAY &&
                          hi <= FAR_AWAY &&
                          (s->extent == 0 || (lo >= 0 && s->extent <= s->limit - hi))));
    }
    return ok;
}

/* Returns whether all tensors of a root keep their distances, and where blocks begin. */
static bool
moved_alike(const Pattern *t, const int64_t *moved)
{
    bool alike = true;
    for (int i = 0; i < t->n; i++) {
        alike =
            alike && moved[i] == moved[t->place[i].first] && moved[i] % BLOCK_BYTES == 0;
    }
    return alike;
}

/* Returns whether what two runs of tensors reach is apart, each run as a whole. */
static bool
hulls_apart(const Pattern *t, const int64_t *moved, int a, int a_end, int b, int b_end)
{
    int64_t lo[2] = {INT64_MAX, INT64_MAX}, end[2] = {INT64_MIN, INT64_MIN};
    for (int i = 0; i < t->n; i++) {
        const PatternPlace *s = &t->place[i];
        int side = i >= a && i < a_end ? 0 : i >= b && i < b_end ? 1 : -1;
        if (side < 0) {
            continue;
        }
        int64_t to;
        if (__builtin_add_overflow(s->hi + moved[i], s->reach, &to)) {
            return false;
        }
        lo[side] = s->lo + moved[i] < lo[side] ? s->lo + moved[i] : lo[side];
        end[side] = to > end[side] ? to : end[side];
    }
    return end[0] <= lo[1] || end[1] <= lo[0];
}

/* Returns whether tensors of one root are apart, each from each. */
static bool
pairs_apart(const Pattern *t, const int64_t *moved)
{
    for (int a = 0; a < t->n; a++) {
        for (int b = a + 1; b < t->n; b++) {
            if (t->place[a].root == t->place[b].root &&
                !hulls_apart(t, moved, a, a + 1, b, b + 1)) {
                return false;
            }
        }
    }
    return true;
}

static bool
holds(const Pattern *t, const uint8_t *p)
{
    int64_t moved[MAX_PARAMS];
    return places_hold(t, p, moved) &&
           ((t->alike && moved_alike(t, moved)) || (t->pairs && pairs_apart(t, moved)) ||
            (t->crossed && hulls_apart(t, moved, 0, t->ndst, t->ndst, t->n)));
}

bool
pattern_proves(Verifier *v)
{
    const uint8_t *p = v->b->bytes + v->c.at;
    uint64_t room = v->c.end - v->c.at;
    bool instr = room >= SLOT_BYTES && p[1] == CLASS_BASE + DESC_INSTR;
    for (int i = 0; instr && i < PATTERNS; i++) {
        const Pattern *t = &v->patterns[(v->next_pattern + i) % PATTERNS];
        if (blob_echo_is(&t->echo, p, room) && t->blocks == v->block_events &&
            (!t->registers || t->writes == v->register_writes) && holds(t, p)) {
            v->proof->proved += t->steps;
            v->c.at += (uint64_t)p[0] * SLOT_BYTES;
            v->c.index++;
            return true;
        }
    }
    return false;
}
