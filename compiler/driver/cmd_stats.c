/* cmd_stats.c: implements tikc stats: how large a blob and its parts are, what its
 * kernels consist of, and what they need. */
#include "driver/driver.h"

#include <string.h>

/* How often each thing of a name was counted, in the order of the first time. */
typedef struct Count {
    const char *name;
    uint64_t n;
} Count;

typedef VEC(Count) Counts;

typedef struct KernelStats {
    TikBlobKernel k;
    TikBlobProof proof;
    Counts queues, ops;
    uint64_t control, scalar, checked;
} KernelStats;

static void
count(Arena *a, Counts *all, const char *name)
{
    for (uint32_t i = 0; i < all->n; i++) {
        if (strcmp(all->p[i].name, name) == 0) {
            all->p[i].n++;
            return;
        }
    }
    VEC_PUSH(a, all, ((Count){name, 1}));
}

static void
count_desc(Arena *a, const TikBlob *b, KernelStats *s, const TikDesc *d)
{
    s->checked += d->checked;
    switch (d->kind) {
    case DESC_INSTR:
        count(a, &s->ops, tikblob_op_name(d->op));
        count(a, &s->queues, tikblob_queue(b, &s->k, d));
        return;
    case DESC_ALU:
    case DESC_LOAD:
    case DESC_STORE:
        s->scalar++;
        return;
    case DESC_LOOP:
    case DESC_ENDLOOP:
    case DESC_IF:
    case DESC_ELSE:
    case DESC_ENDIF:
    case DESC_BREAK:
    case DESC_CONTINUE:
    case DESC_RETURN:
        s->control++;
        return;
    }
    UNREACHABLE();
}

static bool
count_kernel(Cmd *c, const TikBlob *b, int kernel, KernelStats *s)
{
    Arena *a = &c->unit.arena;
    TikDesc *d = ARENA_NEW(a, TikDesc);
    TikCursor cursor;
    TikBlobDiag diag;
    memset(s, 0, sizeof *s);
    tikblob_kernel(b, kernel, &s->k);
    if (!blob_verify(c, b, kernel, &s->proof, &diag)) {
        return blob_refused(c, b, kernel, &diag);
    }
    tikblob_cursor(&cursor, b, kernel);
    while (tikblob_next(&cursor, d, NULL) > 0) {
        count_desc(a, b, s, d);
    }
    return true;
}

/* ---- text ---------------------------------------------------------------- */

static void
counts_text(const char *what, const Counts *all, Text *out)
{
    text_printf(out, "  %s:", what);
    for (uint32_t i = 0; i < all->n; i++) {
        text_printf(out, "%s %s %llu", i ? "," : "", all->p[i].name,
                    (unsigned long long)all->p[i].n);
    }
    text_put(out, all->n ? "\n" : " none\n");
}

static void
kernel_text(const KernelStats *s, Text *out)
{
    const TikBlobKernel *k = &s->k;
    uint32_t instructions = (uint32_t)(k->ndescriptors - s->control - s->scalar);
    text_printf(out,
                "kernel %s: %u cores, at most %llu steps on each\n"
                "  descriptors: %u in %u bytes: %u instructions, %llu scalar, %llu "
                "control\n",
                k->name, k->cores, (unsigned long long)s->proof.steps, k->ndescriptors,
                k->code_slots * 16, instructions, (unsigned long long)s->scalar,
                (unsigned long long)s->control);
    counts_text("queues", &s->queues, out);
    counts_text("instructions", &s->ops, out);
    text_printf(out,
                "  obligations: %lld proved, %lld checked at run time in %llu "
                "descriptors\n  arguments %u, regions %u, registers %u, loops %u deep\n",
                (long long)s->proof.proved, (long long)s->proof.checked,
                (unsigned long long)s->checked, k->nargs, k->nregions, k->nregs,
                k->nloops);
    for (int i = 0; i < SC_COUNT; i++) {
        if (k->peak[i]) {
            text_printf(out, "  peak of %s: %lld bytes\n", tikblob_scope_name((Scope)i),
                        (long long)k->peak[i]);
        }
    }
}

/* Puts the letters of a section's name; others become '?'. */
static const char *
section_name(const TikBlobSection *s, char name[5])
{
    for (int i = 0; i < 4; i++) {
        char letter = (char)(s->fourcc >> (8 * i));
        name[i] = letter > ' ' && letter < 127 ? letter : '?';
    }
    name[4] = 0;
    return name;
}

static bool
stats_text(Cmd *c, const TikBlob *b)
{
    Text out;
    text_init(&out, &c->unit.arena);
    text_printf(&out, "%s: %llu bytes for %s\n", c->files.p[0],
                (unsigned long long)b->size, tikblob_soc_name(b->soc));
    for (int i = 0; i < b->nsections; i++) {
        const TikBlobSection *s = &b->sections[i];
        char name[5];
        text_printf(&out, "  %s %8llu bytes  %5.1f %%\n", section_name(s, name),
                    (unsigned long long)s->size,
                    100.0 * (double)s->size / (double)b->size);
    }
    for (int i = 0; i < b->nkernels; i++) {
        KernelStats s;
        TRY(count_kernel(c, b, i, &s));
        kernel_text(&s, &out);
    }
    return io_print(&c->unit, out.p, out.n);
}

/* ---- JSON ---------------------------------------------------------------- */

static void
counts_json(const char *key, const Counts *all, Text *out)
{
    json_open(out, key, '{');
    for (uint32_t i = 0; i < all->n; i++) {
        json_count(out, all->p[i].name, all->p[i].n);
    }
    json_close(out, '}');
}

static void
kernel_json(const KernelStats *s, Text *out)
{
    const TikBlobKernel *k = &s->k;
    json_open(out, NULL, '{');
    json_text(out, "name", k->name);
    json_count(out, "cores", k->cores);
    json_count(out, "steps", s->proof.steps);
    json_count(out, "descriptors", k->ndescriptors);
    json_count(out, "code_bytes", (uint64_t)k->code_slots * 16);
    json_count(out, "scalar", s->scalar);
    json_count(out, "control", s->control);
    counts_json("queues", &s->queues, out);
    counts_json("instructions", &s->ops, out);
    json_number(out, "proved", s->proof.proved);
    json_number(out, "checked", s->proof.checked);
    json_count(out, "arguments", k->nargs);
    json_count(out, "regions", k->nregions);
    json_count(out, "registers", k->nregs);
    json_count(out, "loops", k->nloops);
    json_open(out, "peak", '{');
    for (int i = 0; i < SC_COUNT; i++) {
        if (k->peak[i]) {
            json_number(out, tikblob_scope_name((Scope)i), k->peak[i]);
        }
    }
    json_close(out, '}');
    json_close(out, '}');
}

static bool
stats_json(Cmd *c, const TikBlob *b)
{
    Text out;
    json_begin(c, &out);
    json_text(&out, "target", tikblob_soc_name(b->soc));
    json_count(&out, "bytes", b->size);
    json_open(&out, "sections", '{');
    for (int i = 0; i < b->nsections; i++) {
        char name[5];
        json_count(&out, section_name(&b->sections[i], name), b->sections[i].size);
    }
    json_close(&out, '}');
    json_open(&out, "kernels", '[');
    for (int i = 0; i < b->nkernels; i++) {
        KernelStats s;
        TRY(count_kernel(c, b, i, &s));
        kernel_json(&s, &out);
    }
    json_close(&out, ']');
    return json_end(c, &out);
}

static bool
stats(Cmd *c)
{
    TikBlob b;
    TRY(blob_open(c, &b));
    return report_json(c) ? stats_json(c, &b) : stats_text(c, &b);
}

int
cmd_stats(Cmd *c)
{
    return blob_files(c, stats);
}
