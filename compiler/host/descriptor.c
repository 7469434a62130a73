/* descriptor.c: makes the TikKernel, which is what a launcher needs to know of a compiled
 * kernel: once in C for code that runs in this process, once as constant data in an
 * object file. The LLVM structs below repeat the structs of tikrt.h field by field;
 * static assertions tie their sizes. */
#include "host/lower/lower.h"
#include "tikcode.h"

#include <string.h>

_Static_assert((int)IR_INSPECT_WORDS == (int)TIK_INSPECT_WORDS,
               "an inspector fills the rows");

_Static_assert(sizeof(TikParam) == 2 * 8 + 8 + 8 + 8 * 8 + 24,
               "TikParam has the layout emitted here");
_Static_assert(sizeof(TikPlace) == 24, "TikPlace has the layout emitted here");
_Static_assert(sizeof(TikFrame) == 32, "TikFrame has the layout emitted here");
_Static_assert(sizeof(TikKernel) == 8 + 3 * 8 + 16 + 2 * 8 + 7 * 8 + 16,
               "TikKernel has the layout emitted here");
_Static_assert(sizeof(TikCheckArg) == 40 && sizeof(TikCheck) == 24,
               "TikCheck has the layout emitted by host/lower/control.c");

static TikParam
fill_param(Lower *l, const Kernel *k, BufId id)
{
    const Buffer *b = &k->bufs.p[id];
    bool edges =
        lower_has_edges(k, id) && (k->tiled == NULL || lower_has_edges(k->tiled, id));
    TikParam p = {.name = sym_text(&l->u->names, b->name),
                  .dtype = b->dtype,
                  .role = (int)ir_arg_role(b),
                  .elems = b->elems,
                  .ndim = (int)MIN(b->shape.n, ARRAY_LEN(p.shape)),
                  .preset = b->preset,
                  .preset_value = b->preset_value,
                  .open = b->dynamic,
                  .inside = b->inside || edges,
                  .unwritten = !ir_may_write(k, id)};
    for (int i = 0; i < p.ndim; i++) {
        p.shape[i] = b->shape.p[i];
    }
    return p;
}

void
descriptor_fill(Lower *l, const Kernel *k, Arena *arena, TikKernel *out)
{
    const Kernel *inspector = k->inspector;
    TikParam *params = ARENA_ARRAY(arena, TikParam, k->params.n);
    TikPlace *places = arena_copy(arena, l->places.p, l->places.n * sizeof *places);
    for (uint32_t i = 0; i < k->params.n; i++) {
        params[i] = fill_param(l, k, k->params.p[i]);
        params[i].name = arena_strdup(arena, params[i].name);
    }
    for (uint32_t i = 0; i < l->places.n; i++) {
        places[i].file = arena_strdup(arena, places[i].file);
    }
    TikFrame *frames = arena_copy(arena, l->frames.p, l->frames.n * sizeof *frames);
    for (uint32_t i = 0; i < l->frames.n; i++) {
        frames[i].callee = arena_strdup(arena, frames[i].callee);
        frames[i].file = arena_strdup(arena, frames[i].file);
    }
    *out = (TikKernel){.abi = TIKRT_ABI,
                       .name = arena_strdup(arena, sym_text(&l->u->names, k->name)),
                       .soc = k->soc->name,
                       .cores = ir_cores(k->tiled != NULL ? k->tiled : k),
                       .ordered = k->blocks_ordered           ? TIK_ORDERED
                                  : k->blocks_atomics_ordered ? TIK_ATOMICS_ORDERED
                                                              : 0,
                       .fill_scratch = k->may_read_uninit,
                       .barriers = lower_has_op(k, OP_BLOCK_BARRIER),
                       .scratch_bytes = lower_scratch_bytes(k),
                       .lmem_pitch = lower_lmem_pitch(k),
                       .nparams = (int32_t)k->params.n,
                       .params = params,
                       .nplaces = (int32_t)l->places.n,
                       .places = places,
                       .nframes = (int32_t)l->frames.n,
                       .frames = frames,
                       .inspects = inspector ? (int32_t)inspector->inspects : 0,
                       .choices = k->choices == NULL ? NULL
                                                     : arena_copy(arena, k->choices,
                                                                  sizeof *k->choices)};
}

/* ---- constant data ------------------------------------------------------- */

static LLVMValueRef
constant(Lower *l, LLVMValueRef init)
{
    LLVMValueRef g = LLVMAddGlobal(l->mod, LLVMTypeOf(init), "tik.data");
    LLVMSetInitializer(g, init);
    LLVMSetGlobalConstant(g, true);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    return g;
}

static LLVMValueRef
text(Lower *l, const char *s)
{
    return constant(l, LLVMConstStringInContext(l->ctx, s, (unsigned)strlen(s), false));
}

static LLVMValueRef
record(Lower *l, LLVMValueRef *fields, unsigned n)
{
    return LLVMConstStructInContext(l->ctx, fields, n, false);
}

static LLVMValueRef
array(Lower *l, LLVMValueRef *records, uint32_t n)
{
    if (n == 0) {
        return LLVMConstNull(l->ptr);
    }
    return constant(l, LLVMConstArray2(LLVMTypeOf(records[0]), records, n));
}

static LLVMValueRef
emit_param(Lower *l, const TikParam *p)
{
    LLVMValueRef shape[ARRAY_LEN(p->shape)];
    for (size_t i = 0; i < ARRAY_LEN(shape); i++) {
        shape[i] = lower_const(l, p->shape[i]);
    }
    LLVMValueRef fields[12] = {text(l, p->name),
                               lower_const32(l, p->dtype),
                               lower_const32(l, p->role),
                               lower_const(l, p->elems),
                               lower_const32(l, p->ndim),
                               lower_const32(l, p->preset),
                               LLVMConstArray2(l->i64, shape, ARRAY_LEN(shape)),
                               lower_const(l, p->preset_value),
                               lower_const32(l, p->open),
                               lower_const32(l, p->inside),
                               lower_const32(l, p->unwritten),
                               lower_const32(l, p->reserved)};
    return record(l, fields, 12);
}

static LLVMValueRef
emit_params(Lower *l, const TikKernel *d)
{
    LLVMValueRef *all = ARENA_ARRAY(l->arena, LLVMValueRef, d->nparams);
    for (int32_t i = 0; i < d->nparams; i++) {
        all[i] = emit_param(l, &d->params[i]);
    }
    return array(l, all, (uint32_t)d->nparams);
}

static LLVMValueRef
emit_places(Lower *l, const TikKernel *d)
{
    LLVMValueRef *all = ARENA_ARRAY(l->arena, LLVMValueRef, d->nplaces);
    LLVMValueRef file = NULL;
    for (int32_t i = 0; i < d->nplaces; i++) {
        const TikPlace *p = &d->places[i];
        if (i == 0 || strcmp(p->file, d->places[i - 1].file) != 0) {
            file = text(l, p->file);
        }
        LLVMValueRef fields[4] = {file, lower_const32(l, p->line),
                                  lower_const32(l, p->column),
                                  lower_const32(l, p->frame)};
        all[i] = record(l, fields, 4);
    }
    return array(l, all, (uint32_t)d->nplaces);
}

static LLVMValueRef
emit_frames(Lower *l, const TikKernel *d)
{
    LLVMValueRef *all = ARENA_ARRAY(l->arena, LLVMValueRef, d->nframes);
    LLVMValueRef file = NULL;
    for (int32_t i = 0; i < d->nframes; i++) {
        const TikFrame *f = &d->frames[i];
        if (i == 0 || strcmp(f->file, d->frames[i - 1].file) != 0) {
            file = text(l, f->file);
        }
        LLVMValueRef fields[5] = {text(l, f->callee), file, lower_const32(l, f->line),
                                  lower_const32(l, f->column),
                                  lower_const32(l, f->parent)};
        all[i] = record(l, fields, 5);
    }
    return array(l, all, (uint32_t)d->nframes);
}

static LLVMValueRef
emit_choices(Lower *l, const Choices *c)
{
    if (c == NULL) {
        return LLVMConstNull(l->ptr);
    }
    const char *bytes = (const char *)c->v;
    return constant(l, LLVMConstStringInContext(l->ctx, bytes, sizeof c->v, true));
}

void
descriptor_emit(Lower *l, const Kernel *k, LLVMValueRef entry, LLVMValueRef inspector)
{
    TikKernel d;
    descriptor_fill(l, k, l->arena, &d);
    LLVMValueRef fields[20] = {lower_const32(l, d.abi),
                               lower_const32(l, d.reserved),
                               text(l, d.name),
                               text(l, d.soc),
                               entry,
                               lower_const32(l, d.cores),
                               lower_const32(l, d.ordered),
                               lower_const32(l, d.fill_scratch),
                               lower_const32(l, d.barriers),
                               lower_const(l, d.scratch_bytes),
                               lower_const(l, d.lmem_pitch),
                               lower_const32(l, d.nparams),
                               emit_params(l, &d),
                               lower_const32(l, d.nplaces),
                               emit_places(l, &d),
                               emit_choices(l, d.choices),
                               lower_const32(l, d.nframes),
                               emit_frames(l, &d),
                               inspector ? inspector : LLVMConstNull(l->ptr),
                               lower_const32(l, d.inspects)};
    LLVMValueRef init = record(l, fields, 20);
    const char *name = arena_printf(l->arena, "tik_kernel_%s", d.name);
    LLVMValueRef g = LLVMAddGlobal(l->mod, LLVMTypeOf(init), name);
    LLVMSetInitializer(g, init);
    LLVMSetGlobalConstant(g, true);
}
