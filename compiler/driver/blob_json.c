/* blob_json.c: a blob as a JSON object, for 'disasm --format json': what the text of the
 * assembler says, with operands by name and the queue of each instruction. */
#include "driver/driver.h"

#include <stdlib.h>

/* Puts a number of a descriptor: an integer, or a name such as "r3", "s0" or "core". */
static void
put_number(Text *out, const char *key, const TikNum *n)
{
    switch (n->kind) {
    case NUM_IMM:
        json_number(out, key, n->imm);
        return;
    case NUM_REG:
    case NUM_LOOP:
        json_key(out, key);
        text_printf(out, "\"%c%u\"", n->kind == NUM_REG ? 'r' : 's', n->index);
        return;
    case NUM_CORE:
        json_text(out, key, "core");
        return;
    }
}

static void
put_operand(Text *out, const char *key, const TikOperand *t)
{
    json_open(out, key, '{');
    json_text(out, "dtype", dtype_name(t->dtype));
    json_count(out, "region", t->region);
    json_number(out, "offset", t->offset);
    json_open(out, "terms", '[');
    for (int i = 0; i < t->nterms; i++) {
        json_open(out, NULL, '{');
        json_number(out, "times", t->terms[i].coef);
        put_number(out, "of", &t->terms[i].num);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_close(out, '}');
}

static void
put_mask(Text *out, const char *key, const TikDesc *d, int param)
{
    static const char *const forms[] = {"count", "bits", "bits4", "counter"};
    json_open(out, key, '{');
    json_open(out, forms[d->mask_form], '[');
    for (int i = 0; i < mask_words(d->mask_form); i++) {
        put_number(out, NULL, &d->args[param].mask[i]);
    }
    json_close(out, ']');
    json_close(out, '}');
}

static void
put_operands(Text *out, const TikDesc *d)
{
    json_bool(out, "checked", d->checked);
    json_open(out, "operands", '{');
    for (int i = 0; i < tikblob_params(d->op); i++) {
        TikBlobParam p;
        tikblob_param(d->op, i, &p);
        if (p.role == ROLE_DST || p.role == ROLE_SRC || p.role == ROLE_ROOT) {
            put_operand(out, p.name, &d->args[i].t);
        } else if (p.role == ROLE_MASK) {
            put_mask(out, p.name, d, i);
        } else if (p.role != ROLE_MASKMODE) {
            put_number(out, p.name, &d->args[i].v);
        }
    }
    json_close(out, '}');
}

/* A place of the source; file is null if it is not known. */
typedef struct Place {
    const char *file;
    uint32_t line, column;
} Place;

/* The places of a kernel's descriptors, by index. */
typedef struct Places {
    Arena *arena;
    VEC(Place) all;
} Places;

static void
note_place(void *to, uint32_t descriptor, const char *file, uint32_t line,
           uint32_t column)
{
    Places *p = to;
    while (p->all.n <= descriptor) {
        VEC_PUSH(p->arena, &p->all, (Place){0});
    }
    p->all.p[descriptor] = (Place){file, line, column};
}

static void
put_place(const Places *places, uint32_t descriptor, Text *out)
{
    const Place *at = descriptor < places->all.n ? &places->all.p[descriptor] : NULL;
    if (at && at->file) {
        json_text(out, "source", at->file);
        json_count(out, "line", at->line);
        json_count(out, "column", at->column);
    }
}

static void
put_desc(const TikBlob *b, const TikBlobKernel *k, const Places *places, const TikDesc *d,
         Text *out)
{
    char *text = tikblob_text(b, k, d);
    json_open(out, NULL, '{');
    json_count(out, "index", d->index);
    json_count(out, "offset", d->offset);
    json_text(out, "text", text ? text : "");
    free(text);
    if (d->kind == DESC_INSTR) {
        json_text(out, "op", tikblob_op_name(d->op));
        json_text(out, "queue", tikblob_queue(b, k, d));
        put_operands(out, d);
    }
    put_place(places, d->index, out);
    json_close(out, '}');
}

static void
put_arg(const TikBlobArg *a, Text *out)
{
    json_open(out, NULL, '{');
    json_text(out, "name", a->name);
    json_text(out, "role", argrole_name((ArgRole)a->role));
    json_text(out, "dtype", dtype_name(a->dtype));
    json_open(out, "shape", '[');
    for (int i = 0; i < a->ndim; i++) {
        json_number(out, NULL, a->shape[i]);
    }
    json_close(out, ']');
    json_bool(out, "open", a->open);
    if (a->preset) {
        json_number(out, "preset", a->preset_value);
    }
    json_close(out, '}');
}

static void
put_region(const TikBlobRegion *r, Text *out)
{
    static const char *const kinds[] = {"tensor", "table", "list"};
    bool argument = r->scope == SC_GM && r->kind != TIKBLOB_TABLE;
    json_open(out, NULL, '{');
    json_text(out, "name", r->name);
    json_text(out, "scope", tikblob_scope_name(r->scope));
    json_text(out, "dtype", dtype_name(r->dtype));
    json_text(out, "kind", kinds[r->kind]);
    json_number(out, argument ? "argument" : "address", r->base);
    json_number(out, "bytes", r->bytes);
    json_bool(out, "open", r->open);
    json_close(out, '}');
}

static void
put_head(const TikBlob *b, const TikBlobKernel *k, Text *out)
{
    json_text(out, "name", k->name);
    json_count(out, "cores", k->cores);
    json_count(out, "steps", k->step_bound);
    json_bool(out, "fill", k->flags & TIKBLOB_FILL_SCRATCH);
    json_bool(out, "ordered", k->flags & TIKBLOB_ORDERED);
    json_bool(out, "any_cores", k->flags & TIKBLOB_ANY_CORES);
    json_bool(out, "queues", k->flags & TIKBLOB_QUEUES);
    json_open(out, "peak", '{');
    for (int i = 0; i < SC_COUNT; i++) {
        if (k->peak[i]) {
            json_number(out, tikblob_scope_name((Scope)i), k->peak[i]);
        }
    }
    json_close(out, '}');
    json_open(out, "args", '[');
    for (uint32_t i = 0; i < k->nargs; i++) {
        TikBlobArg a;
        tikblob_arg(b, k, (int)i, &a);
        put_arg(&a, out);
    }
    json_close(out, ']');
    json_open(out, "regions", '[');
    for (uint32_t i = 0; i < k->nregions; i++) {
        TikBlobRegion r;
        tikblob_region(b, k, (int)i, &r);
        put_region(&r, out);
    }
    json_close(out, ']');
}

static void
put_kernel(const TikBlob *b, int kernel, Text *out)
{
    TikBlobKernel k;
    TikCursor c;
    TikDesc *d = ARENA_NEW(out->arena, TikDesc);
    Places places = {.arena = out->arena};
    tikblob_kernel(b, kernel, &k);
    tikblob_places(b, kernel, note_place, &places);
    json_open(out, NULL, '{');
    put_head(b, &k, out);
    json_open(out, "code", '[');
    tikblob_cursor(&c, b, kernel);
    while (tikblob_next(&c, d, NULL) > 0) {
        put_desc(b, &k, &places, d, out);
    }
    json_close(out, ']');
    json_close(out, '}');
}

void
blob_json(const TikBlob *b, Text *out)
{
    json_key(out, "blob");
    text_printf(out, "\"%d.%d\"", TIKBLOB_MAJOR, TIKBLOB_MINOR);
    json_text(out, "target", tikblob_soc_name(b->soc));
    json_open(out, "kernels", '[');
    for (int i = 0; i < b->nkernels; i++) {
        put_kernel(b, i, out);
    }
    json_close(out, ']');
}
