/* print.c: shows the log that the pass print has made a kernel write (passes/print.c), in
 * the order of the cores, and of a core in the order of its execution. Both back ends
 * write the same log, so the text is the same. */
#include "driver/print.h"
#include "num/scalar.h"

#include <stdio.h>
#include <string.h>

/* ---- wishes that fit nothing --------------------------------------------- */

static bool
has_name(const Source *src, const char *file)
{
    size_t n = strlen(src->path), m = strlen(file);
    return n >= m && strcmp(src->path + n - m, file) == 0 &&
           (n == m || src->path[n - m - 1] == '/');
}

/* Finds the nearest lines before and after a line at which kernels have statements. */
static void
near_lines(Unit *u, const PrintWish *w, uint32_t *before, uint32_t *after)
{
    for (uint32_t i = 0; i < u->kernels.n; i++) {
        const Kernel *k = u->kernels.p[i];
        for (StmtId id = 1; id < k->stmts.n; id++) {
            Span span = k->stmts.p[id].span;
            Source *src = &u->sources.p[span.file];
            if (!span.file || !k->stmts.p[id].kind || !has_name(src, w->file)) {
                continue;
            }
            uint32_t line = source_line_col(&u->arena, src, span.begin).line;
            if (line < w->line && line > *before) {
                *before = line;
            } else if (line > w->line && (*after == 0 || line < *after)) {
                *after = line;
            }
        }
    }
}

static void
report_unmatched(Unit *u, const PrintWish *w)
{
    uint32_t before = 0, after = 0;
    if (w->why) {
        diag_add(u, D_USAGE, (Span){0}, 0, "--print %s: %s", w->text, w->why);
        return;
    }
    Diag *d = diag_add(u, D_USAGE, (Span){0}, 0,
                       "--print %s: no statement of a kernel is at %s:%u", w->text,
                       w->file, w->line);
    near_lines(u, w, &before, &after);
    if (before && after) {
        diag_help(u, d, "the nearest ones are at lines %u and %u", before, after);
    } else if (before || after) {
        diag_help(u, d, "the nearest one is at line %u", MAX(before, after));
    }
}

bool
print_check(Cmd *c)
{
    Unit *u = &c->unit;
    bool ok = true;
    for (uint32_t i = 0; i < u->opt.prints.n; i++) {
        if (!u->opt.prints.p[i]->matched) {
            report_unmatched(u, u->opt.prints.p[i]);
            ok = false;
        }
    }
    return ok;
}

/* ---- the log ------------------------------------------------------------- */

typedef struct Log {
    Cmd *c;
    const Kernel *k;
    const int64_t *words; /* of a core */
    int64_t core, cores;
    Text out;
} Log;

/* Makes an array of the elements of a record, which have a word each. */
static TikArray
elements(Log *l, const PrintSite *s, const int64_t *from)
{
    int64_t size = dtype_size(s->dtype);
    TikArray a = {.dtype = s->dtype, .elems = s->elems, .ndim = s->ndim};
    a.bytes = size * s->elems;
    a.data = arena_alloc(&l->c->unit.arena, (size_t)a.bytes);
    memcpy(a.shape, s->shape, sizeof s->shape);
    for (int64_t i = 0; i < s->elems; i++) {
        memcpy(a.data + i * size, &from[i], (size_t)size);
    }
    return a;
}

/* Puts "k.tik:10: core 2, i = 3: ". */
static void
put_place(Log *l, const PrintSite *s, const int64_t *vars)
{
    const char *before = "";
    text_printf(&l->out, "%s:%u: ", s->file, s->line);
    if (l->cores > 1) {
        text_printf(&l->out, "core %lld", (long long)l->core);
        before = ", ";
    }
    for (int i = 0; i < s->nvars; i++) {
        text_printf(&l->out, "%s%s = %lld", before, ir_var_label(l->k, s->vars[i]),
                    (long long)vars[i]);
        before = ", ";
    }
    text_put(&l->out, *before ? ": " : "");
}

/* Puts one value by a conversion of C. */
static void
put_converted(Log *l, const char *spec, Dtype t, const TikArray *a)
{
    char text[80] = "", format[48];
    size_t n = strcspn(spec, "hldiuxXfFeEgGs");
    char how = spec[strlen(spec) - 1];
    bool real = dtype_kind(t) == KIND_FLOAT, wants_real = strchr("fFeEgG", how) != NULL;
    int64_t bits = 0;
    memcpy(&bits, a->data, (size_t)dtype_size(t));
    int64_t integer = real ? 0 : scalar_wrap(t, bits);
    double number = real ? scalar_to_double(t, bits) : (double)integer;
    if (how == 's' || n > 16) {
        tik_element_text(a, 0, text, sizeof text);
    } else if (wants_real) {
        snprintf(format, sizeof format, "%.*s%c", (int)n, spec, how);
        snprintf(text, sizeof text, format, number);
    } else {
        snprintf(format, sizeof format, "%.*sll%c", (int)n, spec, how);
        snprintf(text, sizeof text, format,
                 real ? (long long)number : (long long)integer);
    }
    text_put(&l->out, text);
}

/* Puts an array: of several lines from the next line on. */
static void
put_array(Log *l, const TikArray *a, const char *before)
{
    size_t size = tik_array_text(a, NULL, 0) + 1;
    char *text = arena_alloc(&l->c->unit.arena, size);
    tik_array_text(a, text, size);
    text_printf(&l->out, "%s%s", strchr(text, '\n') ? "\n" : before, text);
}

/* Puts a value that the program prints, with the texts around it. */
static void
put_call(Log *l, const PrintSite *s, const int64_t *record, const TikArray *a)
{
    if (s->first) {
        put_place(l, s, record + 1);
    }
    text_put(&l->out, s->before);
    if (s->elems > 0 && s->scalar && *s->spec) {
        put_converted(l, s->spec, s->dtype, a);
    } else if (s->elems > 0) {
        put_array(l, a, "");
    }
    if (s->after) {
        text_printf(&l->out, "%s\n", s->after);
    }
}

/* Puts a record; returns the number of its words. */
static int64_t
put_record(Log *l, const int64_t *record)
{
    const PrintSite *s = &l->k->prints.p[record[0]];
    TikArray a = elements(l, s, record + 1 + s->nvars);
    if (s->before) {
        put_call(l, s, record, &a);
    } else {
        put_place(l, s, record + 1);
        text_printf(&l->out, "%.*s =", (int)strcspn(s->text, "@"), s->text);
        put_array(l, &a, " ");
        text_putc(&l->out, '\n');
    }
    return 1 + s->nvars + s->elems;
}

static void
put_core(Log *l, int64_t part)
{
    int64_t at = 1, end = 1 + l->words[0];
    while (at < end) {
        at += put_record(l, l->words + at);
    }
    if (l->words[part - 1] && l->cores > 1) {
        text_printf(&l->out, "core %lld: the rest does not fit into the log\n",
                    (long long)l->core);
    } else if (l->words[part - 1]) {
        text_put(&l->out, "the rest does not fit into the log\n");
    }
}

bool
print_show(Cmd *c, const Job *job)
{
    int at = job->prints ? job_find_param(job, IR_PRINT_LOG) : -1;
    if (at < 0 || !job->arrays[at].data) {
        return true;
    }
    const TikArray *log = &job->arrays[at];
    Log l = {.c = c, .k = job->prints, .cores = log->shape[0]};
    text_init(&l.out, &c->unit.arena);
    for (; l.core < l.cores; l.core++) {
        l.words = (const int64_t *)log->data + l.core * log->shape[1];
        put_core(&l, log->shape[1]);
    }
    return l.out.n == 0 || io_print(&c->unit, l.out.p, l.out.n);
}
