/* diag.c: keeps the table of diagnostics and collects what is reported. See diag.h.
 * Rendering is in diag_render.c. */
#include "base/nearest.h"
#include "base/unit.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

const DiagInfo diag_table[DIAG_COUNT] = {
#define DIAG(id, name, level, aliases, rule, help)                                       \
    [D_##id] = {name, level, aliases, rule, help},
#include "base/diag.def"
};

DiagId
diag_of_rule(Rule rule)
{
    static const DiagId of[RULE_COUNT] = {
#define RULE(id, name, level, aliases, rule, help) [RULE_##id] = D_##id,
#include "isa/rule.def"
    };
    return of[rule];
}

static char
fold_case(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c == '_' ? '-' : c;
}

static bool
same_word(const char *a, size_t n, const char *b)
{
    for (size_t i = 0; i < n; i++) {
        if (fold_case(a[i]) != fold_case(b[i])) {
            return false;
        }
    }
    return b[n] == 0;
}

/* Returns whether name is one of the words of a list, which may begin with the E- or W-
 * of the manuals. */
static bool
in_words(const char *words, const char *name)
{
    while (*words) {
        size_t n = strcspn(words, " ");
        size_t prefix = n > 2 && words[1] == '-' ? 2 : 0;
        if (same_word(words, n, name) || same_word(words + prefix, n - prefix, name)) {
            return true;
        }
        words += n + (words[n] == ' ');
    }
    return false;
}

static DiagId
find_plain(const char *name)
{
    for (int i = 0; i < DIAG_COUNT; i++) {
        const char *s = diag_table[i].name;
        if (fold_case(*s) == fold_case(*name) && same_word(s, strlen(s), name)) {
            return (DiagId)i;
        }
    }
    for (int i = 0; i < DIAG_COUNT; i++) {
        if (in_words(diag_table[i].aliases, name)) {
            return (DiagId)i;
        }
    }
    return DIAG_COUNT;
}

DiagId
diag_find(const char *name)
{
    DiagId id = find_plain(name);
    char c = fold_case(name[0]);
    if (id == DIAG_COUNT && (c == 'e' || c == 'w') && fold_case(name[1]) == '-') {
        return find_plain(name + 2);
    }
    return id;
}

/* Returns the key under which repetitions of d are found. Diagnostics without a place
 * differ by their text. A fault that is allowed in one call and not in another one is
 * reported for both, so silent is part of the key. */
static uint32_t
diag_key(const Diag *d, bool silent)
{
    uint32_t h = 2166136261u;
    Span span = d->span;
    const char *text = d->text;
    uint32_t what = (uint32_t)d->id << 3 | (uint32_t)d->level << 1 | silent;
    uint32_t words[] = {what, span.file, span.begin, span.end};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        h = (h ^ words[i]) * 16777619u;
        h ^= h >> 15;
    }
    for (; span.file == 0 && *text; text++) {
        h = (h ^ (uint8_t)*text) * 16777619u;
    }
    return h ? h : 1;
}

static void
grow_seen(Unit *u)
{
    uint32_t cap = u->capseen ? u->capseen * 2 : 64;
    uint32_t *slots = ARENA_ARRAY(&u->arena, uint32_t, cap);
    for (uint32_t i = 0; i < u->capseen; i++) {
        uint32_t key = u->seen_diags[i];
        for (uint32_t j = key & (cap - 1); key; j = (j + 1) & (cap - 1)) {
            if (!slots[j]) {
                slots[j] = key;
                break;
            }
        }
    }
    u->seen_diags = slots;
    u->capseen = cap;
}

/* Returns true the first time that a name is reported at a span with a level. Keys are
 * hashes: two different faults that share one would hide the second, once in four
 * thousand million. */
static bool
first_time(Unit *u, const Diag *d, bool silent)
{
    if (u->nseen * 2 >= u->capseen) {
        grow_seen(u);
    }
    uint32_t key = diag_key(d, silent);
    uint32_t i = key & (u->capseen - 1);
    for (; u->seen_diags[i]; i = (i + 1) & (u->capseen - 1)) {
        if (u->seen_diags[i] == key) {
            return false;
        }
    }
    u->seen_diags[i] = key;
    u->nseen++;
    return true;
}

/* Formats a message. One that quotes a long value is cut, so that JSON and text show the
 * same. */
static const char *
message(Unit *u, const char *fmt, va_list ap)
{
    enum {
        MAX_MESSAGE = 2000
    };
    char *text = arena_vprintf(&u->arena, fmt, ap);
    size_t n = strlen(text);
    if (n <= MAX_MESSAGE) {
        return text;
    }
    size_t cut = MAX_MESSAGE;
    while ((text[cut] & 0xc0) == 0x80) {
        cut--;
    }
    return arena_printf(&u->arena, "%.*s... (%zu bytes)", (int)cut, text, n);
}

static Diag *
reported(const Unit *u, const Diag *again)
{
    Span span = again->span;
    for (uint32_t i = 0; i < u->diags.n; i++) {
        Diag *d = u->diags.p[i];
        if (d->id == again->id && d->level == again->level && d->span.file == span.file &&
            d->span.begin == span.begin && d->span.end == span.end) {
            return d;
        }
    }
    return NULL;
}

static bool
same_span(Span a, Span b)
{
    return a.file == b.file && a.begin == b.begin && a.end == b.end;
}

/* Notes that other calls lead to the same fault. The note names the first call, from the
 * fault outwards, that differs from the first report's chain. */
static void
add_other_chain(Unit *u, Diag *first, const Diag *d)
{
    if (first->others.n == DIAG_OTHERS_MAX) {
        return;
    }
    for (uint32_t i = 0; i < first->others.n; i++) {
        if (first->others.p[i] == d->chain) {
            return;
        }
    }
    VEC_PUSH(&u->arena, &first->others, d->chain);
    uint32_t a = first->chain;
    uint32_t b = d->chain;
    while (a && b && same_span(u->chains.p[a].call, u->chains.p[b].call)) {
        a = u->chains.p[a].parent;
        b = u->chains.p[b].parent;
    }
    if (b && first->others.n <= DIAG_OTHERS) {
        bool same = strcmp(first->text, d->text) == 0;
        diag_note(u, first, u->chains.p[b].call, "also in this call of '%s'%s%s",
                  u->chains.p[b].callee, same ? "" : ": ", same ? "" : d->text);
    }
}

/* Returns whether a diagnostic that was counted is kept. Warnings have a limit of their
 * own, so that they take no error's place. */
static bool
is_kept(const Unit *u, Level level)
{
    int64_t limit = u->opt.limits.errors;
    int64_t n = level == LEVEL_ERROR ? u->errors : u->warnings + u->remarks;
    return limit == 0 || n <= limit;
}

static void
count(Unit *u, Level level)
{
    if (level == LEVEL_ERROR) {
        u->errors++;
    } else if (level == LEVEL_WARNING) {
        u->warnings++;
    } else {
        u->remarks++;
    }
}

/* Notes why the level is not the table's. */
static void
note_decision(Unit *u, Diag *d, const Decision *why)
{
    bool raised = d->level == LEVEL_ERROR;
    const char *what = diag_table[d->id].level == LEVEL_ERROR     ? "an error"
                       : diag_table[d->id].level == LEVEL_WARNING ? "a warning"
                                                                  : "a note";
    if (why->by && why->by->comment.file) {
        diag_note(u, d, why->by->comment, "%s that this comment allows", what);
    } else if (why->option) {
        diag_note(u, d, (Span){0}, "%s that %s %s", what, why->option,
                  raised ? "makes an error" : "allows");
    }
}

static Diag *
add(Unit *u, Diag *d, bool goes_on)
{
    Decision how = severity_decide(u, d->id, d->span, d->chain, goes_on, true);
    d->level = how.level;
    if (!first_time(u, d, how.silent)) {
        Diag *first = d->chain ? reported(u, d) : NULL;
        if (first && first->chain != d->chain) {
            add_other_chain(u, first, d);
        }
        /* A repeated error still counts as a failure of the function that reports it. */
        return d;
    }
    if (how.silent) {
        VEC_PUSH(&u->arena, &u->silent, d);
        return d;
    }
    count(u, d->level);
    if (is_kept(u, d->level)) {
        VEC_PUSH(&u->arena, &u->diags, d);
    }
    if (d->level != diag_table[d->id].level) {
        note_decision(u, d, &how);
    }
    return d;
}

/* A diagnostic that is being reported, without its text. */
typedef struct Report {
    DiagId id;
    Span span;
    uint32_t chain;
    bool goes_on; /* the caller can go on where the error is allowed */
} Report;

static Diag *
report(Unit *u, const Report *r, const char *fmt, va_list ap)
{
    Diag *d = ARENA_NEW(&u->arena, Diag);
    d->id = r->id;
    d->span = r->span;
    d->chain = r->chain;
    d->text = message(u, fmt, ap);
    return add(u, d, r->goes_on);
}

Diag *
diag_add(Unit *u, DiagId id, Span span, uint32_t chain, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    Diag *d = report(u, &(Report){id, span, chain, false}, fmt, ap);
    va_end(ap);
    return d;
}

Diag *
diag_allowable(Unit *u, DiagId id, Span span, uint32_t chain, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    Diag *d = report(u, &(Report){id, span, chain, true}, fmt, ap);
    va_end(ap);
    return d;
}

bool
diag_allowed(Unit *u, DiagId id, Span span, uint32_t chain)
{
    return severity_decide(u, id, span, chain, true, false).level != LEVEL_ERROR;
}

void
diag_note(Unit *u, Diag *d, Span span, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = message(u, fmt, ap);
    va_end(ap);
    VEC_PUSH(&u->arena, &d->notes, (DiagNote){span, text});
}

void
diag_help(Unit *u, Diag *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    d->help = arena_vprintf(&u->arena, fmt, ap);
    va_end(ap);
}

void
diag_fix(Unit *u, Diag *d, Span span, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(&u->arena, fmt, ap);
    va_end(ap);
    VEC_PUSH(&u->arena, &d->fixes, (DiagFix){span, text});
}

static bool
is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Finds the only place in the span where the word stands; returns false if there is none,
 * or another one. */
static bool
find_word(const Unit *u, Span span, const char *word, Span *out)
{
    const Source *src = &u->sources.p[span.file];
    uint32_t n = (uint32_t)strlen(word), found = 0;
    for (uint32_t i = span.begin; span.file && i + n <= MIN(span.end, src->len); i++) {
        bool same = memcmp(src->text + i, word, n) == 0 &&
                    !(i > 0 && is_name_char(src->text[i - 1])) &&
                    !(i + n < src->len && is_name_char(src->text[i + n]));
        if (same) {
            *out = (Span){span.file, i, i + n};
            found++;
        }
    }
    return found == 1;
}

void
diag_suggest(Unit *u, Diag *d, Span span, const Nearest *near)
{
    Span at;
    if (!near->best) {
        return;
    }
    diag_help(u, d, "did you mean '%s'?", near->best);
    if (!near->tied && find_word(u, span, near->wanted, &at)) {
        diag_fix(u, d, at, "%s", near->best);
    }
}

/* ---- dropping ------------------------------------------------------------ */

static void
no_seen(Unit *u)
{
    u->seen_diags = NULL;
    u->nseen = u->capseen = 0;
}

void
diag_forget(Unit *u)
{
    u->diags.n = u->silent.n = 0;
    u->errors = u->warnings = u->remarks = u->unproved = 0;
    u->limit_hit = false;
    no_seen(u);
}

DiagMark
diag_mark(Unit *u)
{
    DiagMark m = {.diags = u->diags.n,
                  .silent = u->silent.n,
                  .seen = u->seen_diags,
                  .nseen = u->nseen,
                  .capseen = u->capseen,
                  .errors = u->errors,
                  .warnings = u->warnings,
                  .remarks = u->remarks,
                  .limit_hit = u->limit_hit};
    no_seen(u);
    return m;
}

void
diag_rewind(Unit *u, DiagMark m, uint32_t file)
{
    uint32_t n = u->diags.n;
    u->diags.n = m.diags;
    u->silent.n = m.silent;
    u->seen_diags = m.seen;
    u->nseen = m.nseen;
    u->capseen = m.capseen;
    u->errors = m.errors;
    u->warnings = m.warnings;
    u->remarks = m.remarks;
    u->limit_hit = m.limit_hit;
    for (uint32_t i = m.diags; i < n; i++) {
        Diag *d = u->diags.p[i];
        if (d->id == D_ALLOW_NAME && d->span.file == file) {
            count(u, d->level);
            u->diags.p[u->diags.n++] = d;
        }
    }
}
