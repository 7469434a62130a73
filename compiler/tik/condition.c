/* condition.c: the error for a program in which Python decides on a value that only the
 * kernel has. Its help says what to write instead, which depends on the statement or
 * operator around the condition. */
#include "python/resolve.h"
#include "tik/expr.h"
#include "tik/methods.h"
#include "tik/tik.h"

#include <ctype.h>
#include <string.h>

enum {
    LONGEST_SHOWN = 60
};

/* The source text around a condition. */
typedef struct Place {
    const char *line; /* first character of its line that is no blank */
    const char *begin;
    const char *end;
    int len;
} Place;

static bool
find_place(const Interp *in, Span span, Place *p)
{
    const Source *src = &in->u->sources.p[span.file];
    if (span.end > src->len || span.end <= span.begin ||
        span.end - span.begin > LONGEST_SHOWN) {
        return false;
    }
    p->begin = src->text + span.begin;
    p->end = src->text + span.end;
    p->len = (int)(span.end - span.begin);
    p->line = p->begin;
    while (p->line > src->text && p->line[-1] != '\n') {
        p->line--;
    }
    p->line += strspn(p->line, " \t");
    return !memchr(p->begin, '\n', (size_t)p->len);
}

/* True if p begins with the whole word. */
static bool
is_word(const char *p, const char *word)
{
    size_t n = strlen(word);
    return strncmp(p, word, n) == 0 && !isalnum((unsigned char)p[n]) && p[n] != '_';
}

/* True if the word is directly before the condition. */
static bool
follows(const Place *p, const char *word)
{
    const char *q = p->begin;
    while (q > p->line && (q[-1] == ' ' || q[-1] == '(')) {
        q--;
    }
    size_t n = strlen(word);
    return (size_t)(q - p->line) >= n && is_word(q - n, word) &&
           (q - n == p->line || !isalnum((unsigned char)q[-(ptrdiff_t)n - 1]));
}

static bool
precedes(const Place *p, const char *word)
{
    return is_word(p->end + strspn(p->end, " )"), word);
}

/* True if the condition is all of a statement that begins with the word: "if x:". */
static bool
decides(const Place *p, const char *word)
{
    return is_word(p->line, word) && p->line + strlen(word) + 1 == p->begin &&
           *p->end == ':';
}

const char *
tik_container_name(Interp *in)
{
    const Frame *f = in->frame;
    for (uint32_t i = 0; f && i < f->loc->nslots; i++) {
        Value v = f->loc->slot_names[i] ? f->slots[i] : val_fail();
        if (v.kind == VAL_OBJECT && v.obj->cls == &tik_container_class) {
            return tik_sym(in, f->loc->slot_names[i]);
        }
    }
    for (uint32_t i = 0; f && i < f->module->attrs.n; i++) {
        Value v = f->module->attrs.p[i].v;
        if (v.kind == VAL_OBJECT && v.obj->cls == &tik_container_class) {
            return tik_sym(in, f->module->attrs.p[i].name);
        }
    }
    return "tik_instance";
}

void
tik_condition_help(Interp *in, Diag *d, Span span)
{
    Place p;
    const char *t = tik_container_name(in);
    if (!find_place(in, span, &p)) {
        return;
    }
    if (decides(&p, "if") || decides(&p, "elif")) {
        diag_help(in->u, d, "let the kernel decide: with %s.%s_scope(%.*s):", t,
                  decides(&p, "if") ? "if" : "elif", p.len, p.begin);
    } else if (is_word(p.begin, "min") || is_word(p.begin, "max")) {
        diag_help(in->u, d,
                  "let the kernel choose: %s.scalar_%.3s(dst, a, b), dst a Scalar", t,
                  p.begin);
    } else if (follows(&p, "not")) {
        diag_help(in->u, d, "write tik.negate(%.*s)", p.len, p.begin);
    } else if (precedes(&p, "and") || precedes(&p, "or")) {
        diag_help(in->u, d, "write tik.%s(%.*s, ...)",
                  precedes(&p, "and") ? "all" : "any", p.len, p.begin);
    } else if (decides(&p, "while")) {
        diag_help(
            in->u, d,
            "let the kernel count: for_range with enough iterations, and tik_break in "
            "an if_scope");
    }
}
