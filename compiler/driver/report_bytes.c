/* report_bytes.c: reports of files as bytes: numbers of 64 bits, and texts after their
 * lengths. Both functions go over a report the same way, so each part is written here
 * once, for both. */
#include "driver/report_bytes.h"

#include <string.h>

/* A report on its way. */
typedef struct Bytes {
    Text *out; /* where it is written; null: it is read */
    const char *at, *end;
    Arena *arena; /* of the report */
    bool ok;
} Bytes;

static void
number(Bytes *b, int64_t *v)
{
    if (b->out) {
        text_putn(b->out, (const char *)v, sizeof *v);
        return;
    }
    b->ok = b->ok && b->end - b->at >= (ptrdiff_t)sizeof *v;
    *v = 0;
    if (b->ok) {
        memcpy(v, b->at, sizeof *v);
        b->at += sizeof *v;
    }
}

static void
chars(Bytes *b, const char **s)
{
    int64_t n = b->out ? (int64_t)strlen(*s) : 0;
    number(b, &n);
    if (b->out) {
        text_putn(b->out, *s, (size_t)n);
        return;
    }
    b->ok = b->ok && n >= 0 && n <= b->end - b->at;
    *s = b->ok ? arena_strndup(b->arena, b->at, (size_t)n) : "";
    b->at += b->ok ? n : 0;
}

static void
text(Bytes *b, Text *t)
{
    int64_t n = (int64_t)t->n;
    number(b, &n);
    if (b->out) {
        text_putn(b->out, n ? t->p : "", (size_t)n);
        return;
    }
    b->ok = b->ok && n >= 0 && n <= b->end - b->at;
    text_init(t, b->arena);
    if (b->ok && n > 0) {
        text_putn(t, b->at, (size_t)n);
        b->at += n;
    }
}

static void
names(Bytes *b, Names *all)
{
    int64_t n = all->n;
    number(b, &n);
    for (int64_t i = 0; b->ok && i < n; i++) {
        const char *s = b->out ? all->p[i] : "";
        chars(b, &s);
        if (!b->out) {
            VEC_PUSH(b->arena, all, s);
        }
    }
}

static void
finding(Bytes *b, Finding *f)
{
    int64_t id = f->id, level = f->level;
    number(b, &id);
    number(b, &level);
    b->ok = b->ok && id >= 0 && id < DIAG_COUNT && level >= 0 && level <= LEVEL_NOTE;
    f->id = b->ok ? (DiagId)id : (DiagId)0;
    f->level = b->ok ? (Level)level : (Level)0;
    chars(b, &f->message);
    text(b, &f->text);
    names(b, &f->socs);
}

static void
findings(Bytes *b, Report *r)
{
    int64_t n = r->list.n;
    number(b, &n);
    for (int64_t i = 0; b->ok && i < n; i++) {
        Finding f = {.message = ""};
        finding(b, b->out ? &r->list.p[i] : &f);
        if (!b->out) {
            VEC_PUSH(b->arena, &r->list, f);
        }
    }
}

static void
report(Bytes *b, Report *r)
{
    int64_t skip = r->skip, to_stderr = r->log_to_stderr, code = r->code;
    int64_t *const numbers[] = {&skip,         &code,         &to_stderr,   &r->errors,
                                &r->warnings,  &r->remarks,   &r->hidden,   &r->kernels,
                                &r->proofs[0], &r->proofs[1], &r->proofs[2]};
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        number(b, numbers[i]);
    }
    b->ok = b->ok && skip >= SKIP_NOT && skip <= SKIP_CALL;
    r->skip = b->ok ? (Skip)skip : SKIP_NOT;
    r->code = (int)code;
    r->log_to_stderr = to_stderr != 0;
    text(b, &r->log);
    text(b, &r->out);
    text(b, &r->figures);
    names(b, &r->socs);
    names(b, &r->refused);
    findings(b, r);
}

void
report_encode(const Report *r, Text *out)
{
    Report copy = *r; /* reading and writing are one function */
    Bytes b = {.out = out, .ok = true};
    report(&b, &copy);
}

bool
report_decode(Report *r, const char *bytes, size_t n)
{
    Bytes b = {.at = bytes, .end = bytes + n, .arena = &r->arena, .ok = true};
    report(&b, r);
    return b.ok && b.at == b.end;
}
