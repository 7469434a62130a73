/* severity.c: see severity.h. The table is severity.def. */
#include "base/nearest.h"
#include "base/unit.h"

#include <string.h>

const DiagGroupInfo group_table[GROUP_COUNT] = {
#define GROUP(id, name, what) [GROUP_##id] = {name, what},
#include "base/diag_group.def"
};

/* ---- the table ----------------------------------------------------------- */

bool
group_has(DiagGroup g, DiagId id)
{
    static const struct {
        DiagGroup group;
        DiagId diag;
    } members[] = {
#define MEMBER(group, diag) {GROUP_##group, D_##diag},
#define ALLOWABLE(diag, then)
#define REFUSED(diag, why)
#include "base/severity.def"
    };
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        if (members[i].group == g && members[i].diag == id) {
            return true;
        }
    }
    return false;
}

const char *
severity_allowable(DiagId id)
{
    static const char *const then_of[DIAG_COUNT] = {
#define MEMBER(group, diag)
#define ALLOWABLE(diag, then) [D_##diag] = then,
#define REFUSED(diag, why)
#include "base/severity.def"
    };
    return then_of[id];
}

const char *
severity_refusal(DiagId id)
{
    static const char *const why_of[DIAG_COUNT] = {
#define MEMBER(group, diag)
#define ALLOWABLE(diag, then)
#define REFUSED(diag, why) [D_##diag] = why,
#include "base/severity.def"
    };
    return why_of[id] ? why_of[id] : "no meaning is defined for a program with it";
}

DiagGroup
group_find(const char *name)
{
    int g = 0;
    while (g < GROUP_COUNT && strcmp(group_table[g].name, name) != 0) {
        g++;
    }
    return (DiagGroup)g;
}

bool
finding_name(const char *text, FindingName *out)
{
    *out = (FindingName){DIAG_COUNT, group_find(text)};
    if (out->group == GROUP_COUNT && *text) {
        out->diag = diag_find(text);
    }
    return out->group != GROUP_COUNT || out->diag != DIAG_COUNT;
}

const char *
finding_nearest(const char *text)
{
    Nearest near = {.wanted = text};
    for (int i = 0; i < DIAG_COUNT; i++) {
        nearest_try(&near, diag_table[i].name);
    }
    for (int g = 0; g < GROUP_COUNT; g++) {
        nearest_try(&near, group_table[g].name);
    }
    return near.best;
}

/* ---- wishes -------------------------------------------------------------- */

static bool
names(FindingName what, DiagId id)
{
    return what.diag == id || (what.group != GROUP_COUNT && group_has(what.group, id));
}

void
severity_wish(Severity *s, FindingName what, Wish wish)
{
    for (int i = 0; i < DIAG_COUNT; i++) {
        bool error = diag_table[i].level == LEVEL_ERROR;
        if (names(what, (DiagId)i) && !(error && wish == WISH_SILENT)) {
            s->wishes[i] = (uint8_t)wish;
        }
    }
}

/* ---- places -------------------------------------------------------------- */

static bool
covers(const Allowance *a, Span span)
{
    return span.file && a->line.file == span.file && span.begin >= a->line.begin &&
           span.begin < a->line.end;
}

/* Returns how many allowances are for lines that begin at a place or before it. */
static uint32_t
allowances_until(const Allowances *all, uint32_t file, uint32_t begin)
{
    uint32_t lo = 0;
    for (uint32_t hi = all->n; lo < hi;) {
        uint32_t mid = lo + (hi - lo) / 2;
        Span line = all->p[mid].line;
        if (line.file < file || (line.file == file && line.begin <= begin)) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

/* Returns the first allowance for the line of a place, or null. Lines do not overlap. */
static Allowance *
allowance_at(Unit *u, DiagId id, Span span)
{
    Allowance *found = NULL;
    for (uint32_t i = allowances_until(&u->allowances, span.file, span.begin); i > 0;) {
        Allowance *a = &u->allowances.p[--i];
        if (!covers(a, span)) {
            break;
        }
        found = names(a->what, id) ? a : found;
    }
    return found;
}

/* Returns an allowance at the finding or at one of the calls that led to it, or null. */
static Allowance *
find_allowance(Unit *u, DiagId id, Span span, uint32_t chain)
{
    if (u->allowances.n == 0) {
        return NULL;
    }
    Allowance *a = allowance_at(u, id, span);
    for (uint32_t c = chain; c && !a; c = u->chains.p[c].parent) {
        a = allowance_at(u, id, u->chains.p[c].call);
    }
    return a;
}

static bool
is_path(const char *path, const char *given)
{
    size_t n = strlen(path), m = strlen(given);
    return n >= m && strcmp(path + n - m, given) == 0 &&
           (n == m || path[n - m - 1] == '/');
}

static bool
same_allowance(const Allowance *a, const Allowance *b)
{
    return a->comment.file == b->comment.file && a->comment.begin == b->comment.begin &&
           a->option == b->option && a->what.diag == b->what.diag &&
           a->what.group == b->what.group;
}

/* Adds an allowance, one for each name of a comment. Allowances are added in order of
 * their lines, since a text is read without interruption. */
static void
add_allowance(Unit *u, Allowance a)
{
    uint32_t at = allowances_until(&u->allowances, a.line.file, a.line.begin);
    for (uint32_t i = at; i > 0; i--) {
        const Allowance *before = &u->allowances.p[i - 1];
        if (before->comment.begin != a.comment.begin ||
            before->line.file != a.line.file) {
            break;
        }
        if (same_allowance(before, &a)) {
            return;
        }
    }
    VEC_PUSH(&u->arena, &u->allowances, a);
    memmove(u->allowances.p + at + 1, u->allowances.p + at,
            (u->allowances.n - 1 - at) * sizeof a);
    u->allowances.p[at] = a;
}

void
severity_line(Unit *u, Span line)
{
    const Severity *s = &u->opt.severity;
    Source *src = &u->sources.p[line.file];
    for (uint32_t i = 0; i < s->places.n; i++) {
        const PlaceOption *o = &s->places.p[i];
        if (is_path(src->path, o->path) &&
            source_line_col(&u->arena, src, line.begin).line <= o->line &&
            source_line_col(&u->arena, src, line.end).line >= o->line) {
            add_allowance(u, (Allowance){.what = o->what, .line = line, .option = i});
        }
    }
}

/* ---- comments ------------------------------------------------------------ */

static Diag *
bad_comment(Unit *u, Span comment, const char *text)
{
    return diag_add(u, D_ALLOW_NAME, comment, 0, "%s", text);
}

/* Reading a comment is counted as work, like reading the rest of the text. */
enum {
    NAME_STEPS = 64,  /* cost of looking a name up */
    NEAR_STEPS = 4096 /* cost of finding the nearest name */
};

/* Makes an allowance of one name of a comment, or warns that it has none. */
static void
allow_name(Unit *u, Span comment, Span line, const char *name)
{
    FindingName what;
    u->work += NAME_STEPS;
    if (!finding_name(name, &what)) {
        u->work += NEAR_STEPS;
        const char *near = finding_nearest(name);
        Diag *d = bad_comment(
            u, comment,
            arena_printf(&u->arena, "there is no diagnostic or group '%s'", name));
        if (near) {
            diag_help(u, d, "did you mean '%s'?", near);
        }
        return;
    }
    if (what.diag != DIAG_COUNT && diag_table[what.diag].level == LEVEL_ERROR &&
        !severity_allowable(what.diag)) {
        bad_comment(u, comment,
                    arena_printf(&u->arena, "'%s' cannot be allowed: %s",
                                 diag_table[what.diag].name,
                                 severity_refusal(what.diag)));
        return;
    }
    add_allowance(u, (Allowance){.what = what, .line = line, .comment = comment});
}

static const char *
skip_blanks(const char *s)
{
    return s + strspn(s, " \t");
}

static bool
has_own_line(const Source *src, Span comment)
{
    uint32_t at = comment.begin;
    while (at > 0 && (src->text[at - 1] == ' ' || src->text[at - 1] == '\t')) {
        at--;
    }
    return at == 0 || src->text[at - 1] == '\n';
}

/* Returns whether a comment says how the kernel is run: 'test', or KEY=VALUE. What it
 * says is for commands to read. */
static bool
is_setting(const char *s)
{
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz-");
    if (n == 4 && strncmp(s, "test", n) == 0 && s[n] != '(') {
        return true;
    }
    s += n;
    s += *s == '.' ? strcspn(s, " \t=(") : 0;
    return n > 0 && *skip_blanks(s) == '=';
}

/* Returns what follows '# tikc:' in a comment, or null. */
static const char *
find_mark(const char *text)
{
    for (const char *s = strchr(text, '#'); s; s = strchr(s + 1, '#')) {
        const char *word = skip_blanks(s + 1);
        if (strncmp(word, "tikc:", 5) == 0) {
            return skip_blanks(word + 5);
        }
    }
    return NULL;
}

void
severity_comment(Unit *u, Span comment, Span line)
{
    const Source *src = &u->sources.p[comment.file];
    const char *text =
        arena_strndup(&u->arena, src->text + comment.begin, comment.end - comment.begin);
    const char *s = find_mark(text);
    if (!s || (has_own_line(src, comment) && is_setting(s))) {
        return;
    }
    const char *close = strchr(s, ')');
    if (strncmp(s, "allow(", 6) != 0 || !close) {
        bad_comment(u, comment,
                    "the comment has the form '# tikc: allow(NAME): reason', or "
                    "'# tikc: KEY=VALUE' in a line of its own");
        return;
    }
    for (s += 6; s <= close && u->work <= u->opt.limits.steps;) {
        s = skip_blanks(s);
        size_t n = strcspn(s, ",)");
        const char *next = s + n + 1;
        while (n > 0 && strchr(" \t", s[n - 1])) {
            n--;
        }
        allow_name(u, comment, line, arena_strndup(&u->arena, s, n));
        s = next;
    }
}

/* ---- decisions ----------------------------------------------------------- */

static const char *
sweeping(const Severity *s, DiagId id)
{
    return s->strict && group_has(GROUP_PORTABILITY, id) ? "--strict"
           : s->werror                                   ? "-Werror"
                                                         : NULL;
}

/* Returns the option of an allowance without a comment, as the user wrote it. */
static const char *
option_of(Unit *u, const Allowance *a)
{
    const PlaceOption *o = &u->opt.severity.places.p[a->option];
    return arena_printf(&u->arena, "--allow %s", o->text);
}

static Decision
allowed_at(Unit *u, Allowance *a, Level table, bool mark)
{
    a->used = a->used || mark;
    Decision d = {.level = table == LEVEL_ERROR ? LEVEL_WARNING : table, .by = a};
    d.silent = table != LEVEL_ERROR;
    if (!a->comment.file && mark) {
        d.option = option_of(u, a);
    }
    return d;
}

/* Returns whether the group legacy makes this a warning. Operators of a package were
 * accepted by the checks that they were written for: what the group has is a warning
 * there, unless the user wants rules kept. */
static bool
is_legacy(const Unit *u, DiagId id)
{
    const Severity *s = &u->opt.severity;
    return u->operator_package && !s->strict && !s->werror && group_has(GROUP_LEGACY, id);
}

/* Decides where neither a place nor an option names the diagnostic. */
static Decision
unnamed(const Unit *u, DiagId id)
{
    Level table = diag_table[id].level;
    const char *sweep = sweeping(&u->opt.severity, id);
    if (table == LEVEL_WARNING && sweep) {
        return (Decision){.level = LEVEL_ERROR, .option = sweep};
    }
    if (table == LEVEL_ERROR && is_legacy(u, id)) {
        return (Decision){.level = LEVEL_WARNING,
                          .option = "the group legacy, for operators of a package,"};
    }
    return (Decision){.level = table};
}

Decision
severity_decide(Unit *u, DiagId id, Span span, uint32_t chain, bool goes_on, bool mark)
{
    const Severity *s = &u->opt.severity;
    Level table = diag_table[id].level;
    bool error = table == LEVEL_ERROR;
    if (error && !(goes_on && severity_allowable(id))) {
        return (Decision){.level = LEVEL_ERROR};
    }
    Allowance *a = find_allowance(u, id, span, chain);
    if (a) {
        return allowed_at(u, a, table, mark);
    }
    const char *name = diag_table[id].name;
    switch ((Wish)s->wishes[id]) {
    case WISH_SILENT:
        return (Decision){.level = table, .silent = !error};
    case WISH_WARNING:
        return (Decision){.level = error ? LEVEL_WARNING : table,
                          .option =
                              mark ? arena_printf(&u->arena, "--allow %s", name) : NULL};
    case WISH_ERROR:
        return (Decision){.level = LEVEL_ERROR,
                          .option =
                              mark ? arena_printf(&u->arena, "-Werror=%s", name) : NULL};
    case WISH_NONE:
        break;
    }
    return unnamed(u, id);
}

/* ---- allowances that nothing needed -------------------------------------- */

/* Returns whether what an allowance names may still be found: instructions give warnings
 * while the kernel runs, too. */
static bool
may_come(const Unit *u, FindingName what)
{
    bool may = false;
    for (int i = D_ARG_TYPE; i <= D_BLOCK_COUNT && !may && u->unproved; i++) {
        may = names(what, (DiagId)i) && diag_table[i].level == LEVEL_WARNING;
    }
    return may;
}

static const char *
text_of(FindingName what)
{
    return what.diag != DIAG_COUNT ? diag_table[what.diag].name
                                   : group_table[what.group].name;
}

static void
finish_option(Unit *u, uint32_t index)
{
    const PlaceOption *o = &u->opt.severity.places.p[index];
    bool read = false;
    for (uint32_t i = 0; i < u->allowances.n; i++) {
        const Allowance *a = &u->allowances.p[i];
        if (!a->comment.file && a->option == index && (a->used || may_come(u, a->what))) {
            return;
        }
    }
    for (uint32_t i = 1; i < u->sources.n; i++) {
        read = read || is_path(u->sources.p[i].path, o->path);
    }
    if (read || !u->opt.severity.several) {
        diag_add(u, D_UNUSED_ALLOW, (Span){0}, 0, "nothing needs '--allow %s'%s", o->text,
                 read ? "" : ": no such file was read");
    }
}

void
severity_finish(Unit *u)
{
    for (uint32_t i = 0; i < u->allowances.n; i++) {
        const Allowance *a = &u->allowances.p[i];
        if (a->comment.file && !a->used && !may_come(u, a->what)) {
            diag_add(u, D_UNUSED_ALLOW, a->comment, 0, "nothing here needs 'allow(%s)'",
                     text_of(a->what));
        }
    }
    for (uint32_t i = 0; i < u->opt.severity.places.n; i++) {
        finish_option(u, i);
    }
}
