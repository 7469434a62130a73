/* extended.c: arguments of data_move that other moves do not have.
 *
 * An extended argument follows the strides and may have any name. Moves from global
 * memory to L1 (PadMode) and those of L0C (ConvReluMode) take one; on the other paths the
 * original takes any number of them and ignores all, so they are left out here before the
 * call is bound. Out of L0C the codes 0 and 5 convert nothing, so the original checks no
 * types there.
 *
 * Owns: extended-ignored, path-applicability of data_move, dtype-differs of L0C. */
#include "isa/operand.h"
#include "tik/calls/extended.h"
#include "tik/expr.h"
#include "tik/tik.h"

#include <string.h>

enum {
    CODE_RELU = 5 /* the conversion code of relu alone */
};

/* Returns the index of a parameter of data_move with this name; -1 if there is none. Its
 * own parameters precede the extended one. */
static int
own_parameter(Interp *in, Sym name)
{
    int n, last = MOVE_mode;
    const ParamInfo *p = form_params(FORM_MOVE, &n);
    for (int i = 0; i < last; i++) {
        if (strcmp(p[i].name, tik_sym(in, name)) == 0) {
            return i;
        }
    }
    return -1;
}

/* Returns the memory of operand i, 0 or 1; SC_COUNT if the call has no tensor there. */
static Scope
operand_memory(Interp *in, const CallArgs *a, int i)
{
    Value v = a->npos > i ? a->pos[i] : val_none();
    for (int k = 0; k < a->nkw; k++) {
        if (own_parameter(in, a->kwname[k]) == i) {
            v = a->kwval[k];
        }
    }
    return tik_is(v, &tik_tensor_class)    ? ((View *)v.obj)->root->mem
           : tik_is(v, &tik_address_class) ? SC_GM
                                           : SC_COUNT;
}

/* True if the path of the call has an extended argument, or if there is no path: then the
 * call is wrong anyway. */
static bool
takes_one(Scope dst, Scope src)
{
    return dst == SC_COUNT || src == SC_COUNT || dst == SC_L0C || src == SC_L0C ||
           (dst == SC_L1 && src == SC_GM);
}

static void
keep_own_keywords(Interp *in, const CallArgs *a, CallArgs *out, Span *first)
{
    Sym *name = arena_alloc(&in->u->arena, (size_t)a->nkw * sizeof *name);
    Value *value = arena_alloc(&in->u->arena, (size_t)a->nkw * sizeof *value);
    Span *span = arena_alloc(&in->u->arena, (size_t)a->nkw * 2 * sizeof *span);
    out->nkw = 0;
    for (int k = 0; k < a->nkw; k++) {
        Span at = a->kw_span ? a->kw_span[k] : a->span;
        if (own_parameter(in, a->kwname[k]) < 0) {
            *first = first->file ? *first : at;
            continue;
        }
        name[out->nkw] = a->kwname[k];
        value[out->nkw] = a->kwval[k];
        span[out->nkw] = at;
        span[a->nkw + out->nkw++] = a->kwname_span ? a->kwname_span[k] : at;
    }
    out->kwname = name;
    out->kwval = value;
    out->kw_span = span;
    out->kwname_span = span + a->nkw;
}

/* True if all other parameters are given. If not, an unknown keyword is probably a
 * misspelt parameter. */
static bool
is_complete(Interp *in, const CallArgs *a)
{
    int own = MOVE_mode, given = MIN(a->npos, own);
    for (int k = 0; k < a->nkw; k++) {
        given += own_parameter(in, a->kwname[k]) >= 0;
    }
    return given >= own;
}

/* True if the extended argument is a single 0, which requests nothing. */
static bool
is_only_zero(const CallArgs *a, const CallArgs *kept)
{
    int64_t n;
    bool one = a->npos == kept->npos + 1 && a->nkw == kept->nkw;
    return one && !tik_is_runtime(a->pos[kept->npos]) &&
           val_as_int64(a->pos[kept->npos], &n) && n == 0;
}

CallArgs
tik_without_extended(Interp *in, const CallArgs *args)
{
    CallArgs kept = *args;
    if (args->nkw == 0 && args->npos <= MOVE_mode) {
        return kept;
    }
    Scope dst = operand_memory(in, args, 0), src = operand_memory(in, args, 1);
    int own = MOVE_mode;
    Span first = {0};
    if (takes_one(dst, src) || !is_complete(in, args)) {
        return kept;
    }
    if (args->npos > own) {
        kept.npos = own;
        first = args->pos_span ? args->pos_span[own] : args->span;
    }
    if (args->nkw > 0) {
        keep_own_keywords(in, args, &kept, &first);
    }
    int n = args->npos - kept.npos + args->nkw - kept.nkw;
    if (n > 0 && !is_only_zero(args, &kept)) {
        py_diag(in, D_EXTARG_IGNORED, first,
                "%d extended argument%s of a move from %s to %s %s no effect", n,
                n == 1 ? "" : "s", scope_name(src), scope_name(dst),
                n == 1 ? "has" : "have");
    }
    return kept;
}

bool
tik_move_has_type(Interp *in, const char *method, Dtype t, Span span)
{
    if (t != DT_F64) {
        return true;
    }
    py_diag(in, D_DTYPE_UNSUPPORTED, span,
            "the operand is float64, which the table of %s lacks; data_copy has it",
            method);
    return false;
}

bool
tik_copies_bytes(Dtype from, Dtype to, int64_t code)
{
    return from != to && (code == 0 || code == CODE_RELU);
}

static void
unlisted_path(Interp *in, const Soc *soc, Scope from, Scope to, Span span)
{
    const PathInfo *path = path_find(from, to);
    if (path && soc_on(soc, path->warned)) {
        py_diag(in, D_PATH_APPLICABILITY, span,
                "the manual's table of data_move does not list %s to %s on %s",
                scope_name(from), scope_name(to), soc->name);
    }
}

void
tik_check_move(Interp *in, Tik *c, Arg *out, const Span *span)
{
    enum {
        DST,
        SRC
    };
    int mode = MOVE_mode;
    const Kernel *k = c->k;
    Scope from = k->bufs.p[out[SRC].ref.buf].scope,
          to = k->bufs.p[out[DST].ref.buf].scope;
    Dtype src = out[SRC].ref.dtype, dst = out[DST].ref.dtype;
    int64_t code;
    unlisted_path(in, k->soc, from, to, span[DST]);
    (void)tik_move_has_type(in, "data_move", dst, span[DST]);
    (void)tik_move_has_type(in, "data_move", src, span[SRC]);
    if (from != SC_L0C || to != SC_UB || !tik_const_of(c, out[mode].expr, &code)) {
        return;
    }
    if (code == CODE_RELU && dtype_kind(src) == KIND_UINT) {
        out[mode].expr = tik_i64(c, 0); /* relu does not change unsigned integers */
    }
    if (!tik_copies_bytes(src, dst, code)) {
        return;
    }
    py_diag(in, D_DTYPE_DIFFERS, span[SRC],
            "dst is %s and src is %s; data_move keeps the bits with ConvReluMode %lld",
            dtype_name(dst), dtype_name(src), (long long)code);
    out[DST].ref.dtype = src;
}
