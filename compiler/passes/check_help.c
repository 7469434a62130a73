/* check_help.c: notes and helps of broken rules, with the values that would be right. See
 * check_help.h. */
#include "passes/check_help.h"

#include <string.h>

/* True for a move between memories that count in blocks, without an extended argument. */
static bool
moves_blocks(const Site *s)
{
    if (s->element || op_table[s->in.op].form != FORM_MOVE) {
        return false;
    }
    bool ok = true;
    for (int i = 0; i < s->nparams; i++) {
        Role role = s->params[i].role;
        if (role == ROLE_DST || role == ROLE_SRC) {
            Scope scope = s->k->bufs.p[site_ref(s, i)->buf].scope;
            ok = ok && (scope == SC_GM || scope == SC_UB || scope == SC_L1);
        }
        ok = ok && (role != ROLE_ATTR || s->in.args[i].v == 0);
    }
    return ok;
}

/* True if the instruction without its numbers would be correct on that processor. */
static bool
is_correct_on(const void *ctx, const Soc *soc)
{
    Fault ignored;
    CheckInstr in = *(const CheckInstr *)ctx;
    in.soc = soc;
    return check_static(&in, &ignored);
}

/* When the processor lacks something, a note names those that have it. */
static void
note_processors(Unit *u, Diag *d, const Site *s, Rule rule)
{
    char families[320];
    if (s->element || (rule != RULE_NOT_ON_ARCH && rule != RULE_DTYPE_UNSUPPORTED &&
                       rule != RULE_ROUND_MODE)) {
        return;
    }
    soc_families(is_correct_on, &s->in, families, sizeof families);
    if (families[0]) {
        diag_note(u, d, (Span){0}, "processors that have it: %s", families);
    }
}

/* Returns the operand of a move that selects its conversion (its ATTR), or -1. */
static int
mode_param(const Site *s)
{
    for (int i = 0; i < s->nparams; i++) {
        if (s->params[i].role == ROLE_ATTR) {
            return i;
        }
    }
    return -1;
}

/* Returns the first ConvReluMode that takes these types, or bits of this type; -1:
 * none. */
static int
legal_mode(const Site *s, Dtype as)
{
    enum {
        MODES = 14
    };
    int param = mode_param(s);
    for (int mode = 0; param >= 0 && mode < MODES; mode++) {
        Fault ignored;
        CheckInstr in = s->in;
        in.args[param].v = mode;
        for (int i = 0; as != DT_NONE && i < s->nparams; i++) {
            if (s->params[i].role == ROLE_DST || s->params[i].role == ROLE_SRC) {
                in.args[i].t.dtype = as;
            }
        }
        if (check_static(&in, &ignored)) {
            return mode;
        }
    }
    return -1;
}

/* The help of type-pair names a code that is legal. */
static void
help_pair(Unit *u, Diag *d, const Site *s)
{
    int mode = legal_mode(s, DT_NONE);
    int bits = legal_mode(s, DT_F16);
    if (s->element || s->in.op != OP_DATA_MOVE) {
        return;
    }
    if (mode >= 0) {
        diag_help(u, d, "ConvReluMode %d takes these types", mode);
    } else if (bits >= 0) {
        diag_help(u, d,
                  "no ConvReluMode takes these types; convert with vec_conv, or move the "
                  "bits: reinterpret both as float16, which ConvReluMode %d takes",
                  bits);
    }
}

/* Names the nearest elements that are aligned: of a constant offset, or in the iteration
 * that the witness names. */
static void
help_align(Unit *u, Diag *d, const Site *s, const Witness *wit)
{
    const Fault *f = &wit->fault;
    const CheckTensor *t = &s->in.args[f->param].t;
    int64_t bytes = dtype_size(t->dtype);
    int64_t align = f->lo;
    if (align <= 0 || bytes <= 0 || align % bytes != 0) {
        return;
    }
    const Ref *ref = site_ref(s, f->param);
    const char *name = sym_text(&u->names, s->k->bufs.p[ref->buf].name);
    if (!ir_is_const(s->k, ref->off) && !wit->values) {
        diag_help(u, d, "let the start be a multiple of %lld elements of %s",
                  (long long)(align / bytes), dtype_name(t->dtype));
        return;
    }
    int64_t before = f->value / align * align / bytes;
    diag_help(
        u, d,
        "the nearest aligned elements of '%s' are %lld and %lld: a multiple of %lld "
        "elements of %s",
        name, (long long)before, (long long)(before + align / bytes),
        (long long)(align / bytes), dtype_name(t->dtype));
}

/* Explains strides of repeats that were probably meant as elements: they are further
 * apart than one repeat reaches. */
static bool
help_strides(Unit *u, Diag *d, const Site *s)
{
    enum {
        REPEAT_BLOCKS = 8, /* blocks of one repeat */
        BLOCK = 32
    };
    for (int i = 0; !s->element && i < s->nparams; i++) {
        const ParamInfo *p = &s->params[i];
        int64_t v = s->in.args[i].v;
        bool strides = strstr(p->name, "_rep_stride") && strcmp(p->unit, "blocks") == 0;
        if (strides && ir_is_const(s->k, site_expr(s, i, 0)) && v > REPEAT_BLOCKS) {
            diag_help(
                u, d,
                "strides of repeats count blocks of %d bytes, not elements: %s %lld is "
                "%lld bytes; %d is the next repeat right after this one",
                BLOCK, p->name, (long long)v, (long long)v * BLOCK, REPEAT_BLOCKS);
            return true;
        }
    }
    return false;
}

/* Returns the largest value of a number, below its own, with which all is in bounds; 0:
 * there is none. Bounds depend monotonically on counts. */
static int64_t
largest_fit(const Site *s, int param)
{
    Fault f;
    CheckInstr in = s->in;
    int64_t lo = 0, hi = in.args[param].v - 1;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo + 1) / 2;
        in.args[param].v = mid;
        bool fits = check_values(&in, &f) || f.rule != RULE_TENSOR_OVERFLOW;
        lo = fits ? mid : lo;
        hi = fits ? hi : mid - 1;
    }
    return lo;
}

/* Says which iterations stay in bounds: those before the witness, which is the first that
 * does not. */
static bool
help_iterations(Unit *u, Diag *d, const CheckWalk *w, const Witness *wit)
{
    const Frame *inner = NULL;
    int64_t first;
    for (uint32_t i = 0; wit->values && i < w->frames.n; i++) {
        if (w->frames.p[i].var != 0) {
            inner = &w->frames.p[i];
            w->vars[inner->var] = wit->values[i];
        }
    }
    if (!inner || !ir_eval(w->k, inner->begin, w->vars, &first) ||
        w->vars[inner->var] <= first) {
        return false;
    }
    Text last;
    text_init(&last, &u->arena);
    w->vars[inner->var]--;
    ir_var_text(w->k, inner->var, w->vars, &last);
    diag_help(
        u, d,
        "up to %s it stays in bounds: end the loop after that, start earlier, or declare "
        "a larger tensor",
        last.p);
    return true;
}

/* Says how many repeats, or blocks of a burst, stay in bounds, if some do. */
static bool
help_fit(Unit *u, Diag *d, const Site *s, bool blocks)
{
    for (int i = 0; s->constant && i < s->nparams; i++) {
        const ParamInfo *p = &s->params[i];
        bool counts = p->role == ROLE_REPEAT || (blocks && strcmp(p->name, "burst") == 0);
        int64_t fit = counts ? largest_fit(s, i) : 0;
        if (fit > 0) {
            diag_help(u, d, "%s %lld stays in bounds%s", p->name, (long long)fit,
                      blocks ? "; burst counts blocks of 32 bytes, not elements"
                             : "; else start earlier, or declare a larger tensor");
            return true;
        }
    }
    return false;
}

/* What an access out of bounds should be like. */
static void
help_overflow(Unit *u, Diag *d, const Site *s, const CheckWalk *w, const Witness *wit)
{
    bool moves = moves_blocks(s);
    if ((moves || !help_strides(u, d, s)) && !help_fit(u, d, s, moves) &&
        !help_iterations(u, d, w, wit) && moves) {
        diag_help(u, d,
                  "move less, or declare a larger tensor; burst and the strides count "
                  "blocks of 32 bytes, not elements");
    }
}

/* Says how a tensor comes into the memory that the instruction works in: what is written
 * is declared there. */
static void
help_scope(Unit *u, Diag *d, const Site *s, int param)
{
    const char *name = sym_text(&u->names, s->k->bufs.p[site_ref(s, param)->buf].name);
    if (s->params[param].role == ROLE_DST) {
        diag_help(u, d,
                  "declare '%s', or another tensor for the result, with "
                  "scope=tik.scope_ubuf",
                  name);
    } else {
        diag_help(u, d,
                  "move '%s' to a tensor of scope=tik.scope_ubuf first, with data_move",
                  name);
    }
}

/* Names the dtype that the operands of a vector instruction would share. */
static void
help_dtype(Unit *u, Diag *d, const Site *s, const Fault *f)
{
    const char *name = sym_text(&u->names, s->k->bufs.p[site_ref(s, f->param)->buf].name);
    Dtype to = (Dtype)f->lo;
    bool floats = dtype_is_float(to) && dtype_is_float((Dtype)f->value);
    diag_help(u, d, "declare '%s' as %s%s; reinterpret_cast_to(\"%s\") gives its bits",
              name, dtype_name(to), floats ? ", or convert it with vec_conv" : "",
              dtype_name(to));
}

void
check_help(Unit *u, Diag *d, const Site *s, const CheckWalk *w, const Witness *wit)
{
    const Fault *f = &wit->fault;
    note_processors(u, d, s, f->rule);
    if (f->rule == RULE_TYPE_PAIR) {
        help_pair(u, d, s);
    } else if (f->rule == RULE_ADDRESS_ALIGN && !s->element && f->param >= 0) {
        help_align(u, d, s, wit);
    } else if (f->rule == RULE_TENSOR_OVERFLOW && !s->element) {
        help_overflow(u, d, s, w, wit);
    } else if (f->rule == RULE_SCOPE_UB) {
        help_scope(u, d, s, f->param);
    } else if (f->rule == RULE_DTYPE_MISMATCH && f->lo != 0 && f->lo == f->hi) {
        help_dtype(u, d, s, f);
    }
}

Span
check_name_span(Unit *u, const Stmt *st, const Site *s)
{
    Span whole = st->span;
    const Source *src = &u->sources.p[whole.file];
    const char *name = s->element ? "" : op_table[s->in.op].name;
    size_t n = strcspn(name, ".");
    for (uint32_t at = whole.begin; n > 0 && !src->absent && at + n < whole.end; at++) {
        if (src->text[at] == name[0] && memcmp(src->text + at, name, n) == 0 &&
            src->text[at + n] == '(') {
            return (Span){whole.file, at, at + (uint32_t)n};
        }
    }
    return whole;
}
