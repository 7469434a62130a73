/* options.c: parses the command line by option.def. Long options take their argument as
 * --name VALUE or --name=VALUE, short ones as -x VALUE or -xVALUE; -- ends the options. A
 * VALUE that is a word of its own must not be an option of the command, so that a
 * forgotten one is found. */
#include "base/nearest.h"
#include "driver/commands.h"
#include "driver/driver.h"
#include "driver/fill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef enum OptionKind {
    OPT_FLAG,
    OPT_TEXT,
    OPT_NUMBER,
    OPT_DEFINE,
    OPT_ENV,
    OPT_DIR,
    OPT_BIND,
    OPT_CHOICE,
    OPT_WARN,
    OPT_ALLOW,
    OPT_MODE,
    OPT_PRINT
} OptionKind;

typedef struct Option {
    const char *name;
    char letter;
    OptionKind kind;
    size_t member; /* offset of its member in Cmd */
    unsigned commands;
    const char *arg;
    const char *help;
} Option;

static const Option options[] = {
#define OPTION(name, letter, kind, member, commands, arg, help)                          \
    {name, letter, OPT_##kind, offsetof(Cmd, member), commands, arg, help},
#include "driver/option.def"
};

bool
options_wrong(Cmd *c, const char *text)
{
    diag_add(&c->unit, D_USAGE, (Span){0}, 0, "%s", text);
    return false;
}

bool
options_spare(Cmd *c, const char *out)
{
    for (uint32_t i = 0; i < c->files.n; i++) {
        if (io_same_file(out, c->files.p[i])) {
            return options_wrong(c, arena_printf(&c->unit.arena,
                                                 "the output '%s' is the source '%s'; "
                                                 "give another name",
                                                 out, c->files.p[i]));
        }
    }
    return true;
}

static bool
usage(Cmd *c, const Command *cmd, const char *what, const char *value)
{
    Diag *d = diag_add(&c->unit, D_USAGE, (Span){0}, 0, "%s '%s'", what, value);
    diag_help(&c->unit, d, "usage: tikc %s; 'tikc %s --help' lists the options",
              cmd->synopsis, cmd->name);
    return false;
}

static const Option *
find_long(const Command *cmd, const char *name, size_t n)
{
    for (size_t i = 0; i < ARRAY_LEN(options); i++) {
        if (n > 0 && strlen(options[i].name) == n &&
            memcmp(options[i].name, name, n) == 0 && (options[i].commands & cmd->bit)) {
            return &options[i];
        }
    }
    return NULL;
}

static const Option *
find_short(const Command *cmd, char letter)
{
    for (size_t i = 0; i < ARRAY_LEN(options); i++) {
        if (options[i].letter == letter && (options[i].commands & cmd->bit)) {
            return &options[i];
        }
    }
    return NULL;
}

/* Returns the option that a word of the command line is (--NAME, --NAME=VALUE, -x or
 * -xVALUE), or null. */
static const Option *
find_option(const Command *cmd, const char *word)
{
    return word[1] == '-' ? find_long(cmd, word + 2, strcspn(word + 2, "="))
           : word[1]      ? find_short(cmd, word[1])
                          : NULL;
}

/* Splits NAME=VALUE. */
static bool
split(Cmd *c, const char *text, const char **name, const char **value)
{
    const char *eq = strchr(text, '=');
    if (!eq || eq == text || !eq[1]) {
        return false;
    }
    *name = arena_strndup(&c->unit.arena, text, (size_t)(eq - text));
    *value = eq + 1;
    return true;
}

static bool
parse_number(const char *text, int64_t *out)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    *out = v;
    return *text && !*end && !errno && v >= 0;
}

/* Splits "y.npy:16x32": a shape follows the last colon. Any other text belongs to the
 * path. */
static void
split_shape(Cmd *c, Binding *b)
{
    const char *colon = strrchr(b->path, ':');
    b->ndim = colon ? fill_shape(colon + 1, b->dim) : 0;
    if (b->ndim > 0) {
        b->path = arena_strndup(&c->unit.arena, b->path, (size_t)(colon - b->path));
    }
}

/* Stores POINT=READING; of several for one point the last one counts. */
static bool
store_choice(Cmd *c, const Command *cmd, const char *text)
{
    const char *name, *value;
    Choice point;
    if (!split(c, text, &name, &value)) {
        return usage(c, cmd, "the option takes POINT=READING, not", text);
    }
    if (!choice_find(name, &point)) {
        return usage(c, cmd, "docs/choices.md has no point", name);
    }
    return choice_find_reading(point, value, &c->unit.opt.choices.v[point]) ||
           usage(c, cmd,
                 arena_printf(&c->unit.arena, "%s %s has no reading",
                              choice_info(point)->number, choice_info(point)->name),
                 value);
}

static bool
find_finding(Cmd *c, const Command *cmd, const char *name, FindingName *out)
{
    if (finding_name(name, out)) {
        return true;
    }
    Unit *u = &c->unit;
    const char *near = finding_nearest(name);
    Diag *d =
        diag_add(u, D_USAGE, (Span){0}, 0, "there is no diagnostic or group '%s'", name);
    if (near) {
        diag_help(u, d, "did you mean '%s'?", near);
    } else {
        diag_help(u, d, "docs/diagnostics.md lists the names; usage: tikc %s",
                  cmd->synopsis);
    }
    return false;
}

static bool
is_error(FindingName what)
{
    return what.diag != DIAG_COUNT && diag_table[what.diag].level == LEVEL_ERROR;
}

/* Reports a name that cannot be allowed, with the reason. */
static bool
check_allowable(Cmd *c, const Command *cmd, FindingName what)
{
    return !is_error(what) || severity_allowable(what.diag) ||
           usage(c, cmd,
                 arena_printf(&c->unit.arena,
                              "an error that cannot be allowed, since %s:",
                              severity_refusal(what.diag)),
                 diag_table[what.diag].name);
}

/* Stores -Werror, -Werror=NAME, -Wno-NAME, -Wno-error or -Wno-error=NAME. */
static bool
store_warn(Cmd *c, const Command *cmd, const char *text)
{
    Severity *s = &c->unit.opt.severity;
    FindingName what;
    bool no = strncmp(text, "no-", 3) == 0;
    const char *rest = no ? text + 3 : text;
    if (strcmp(rest, "error") == 0) {
        s->werror = !no;
        return true;
    }
    bool error = strncmp(rest, "error=", 6) == 0;
    if (!no && !error) {
        return usage(c, cmd, "-W takes error, error=NAME, no-NAME or no-error=NAME, not",
                     text);
    }
    if (!find_finding(c, cmd, error ? rest + 6 : rest, &what)) {
        return false;
    }
    if (no && is_error(what)) {
        return usage(c, cmd,
                     severity_allowable(what.diag)
                         ? "an error is not silenced; --allow makes a warning of it:"
                         : "an error is not silenced:",
                     diag_table[what.diag].name);
    }
    severity_wish(s, what, !no ? WISH_ERROR : error ? WISH_WARNING : WISH_SILENT);
    return true;
}

/* Stores NAME or NAME=FILE:LINE. */
static bool
store_allow(Cmd *c, const Command *cmd, const char *text)
{
    Arena *a = &c->unit.arena;
    Severity *s = &c->unit.opt.severity;
    PlaceOption o = {.text = text};
    const char *eq = strchr(text, '=');
    const char *name = eq ? arena_strndup(a, text, (size_t)(eq - text)) : text;
    if (!find_finding(c, cmd, name, &o.what) || !check_allowable(c, cmd, o.what)) {
        return false;
    }
    if (!eq) {
        severity_wish(s, o.what, WISH_WARNING);
        return true;
    }
    const char *colon = strrchr(eq, ':');
    int64_t line = 0;
    if (!colon || colon == eq + 1 || !parse_number(colon + 1, &line) || line < 1 ||
        line > UINT32_MAX) {
        return usage(c, cmd, "--allow takes NAME or NAME=FILE:LINE, not", text);
    }
    o.path = arena_strndup(a, eq + 1, (size_t)(colon - eq - 1));
    o.line = (uint32_t)line;
    VEC_PUSH(a, &s->places, o);
    return true;
}

static bool
store_print(Cmd *c, const Command *cmd, const char *text)
{
    const char *why;
    PrintWish *w = print_wish_parse(&c->unit.arena, text, &why);
    if (!w) {
        return usage(c, cmd, arena_printf(&c->unit.arena, "%s, not", why), text);
    }
    VEC_PUSH(&c->unit.arena, &c->unit.opt.prints, w);
    return true;
}

/* The modes of operators, which programs see, and those of a run have different words. */
static void
store_mode(Cmd *c, const char *value)
{
    static const char *const words[] = {"fast", "check", "time", "explore"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (strcmp(value, words[i]) == 0) {
            c->run_mode = value;
            return;
        }
    }
    c->unit.opt.mode = value;
}

static bool
store(Cmd *c, const Command *cmd, const Option *o, const char *value)
{
    void *at = (char *)c + o->member;
    const char *name;
    switch (o->kind) {
    case OPT_FLAG:
        *(bool *)at = true;
        return true;
    case OPT_TEXT:
        *(const char **)at = value;
        return true;
    case OPT_NUMBER:
        return parse_number(value, at) ||
               usage(c, cmd, "the option takes a number that is not negative, not",
                     value);
    case OPT_ENV: {
        Define d;
        const char *eq = strchr(value, '=');
        if (!eq || eq == value) {
            return usage(c, cmd, "the option takes NAME=VALUE, not", value);
        }
        d.name = arena_strndup(&c->unit.arena, value, (size_t)(eq - value));
        d.value = eq + 1;
        VEC_PUSH(&c->unit.arena, &c->unit.opt.env, d);
        return true;
    }
    case OPT_DEFINE: {
        Define d;
        if (!split(c, value, &d.name, &d.value)) {
            return usage(c, cmd, "the option takes NAME=VALUE, not", value);
        }
        VEC_PUSH(&c->unit.arena, &c->unit.opt.defines, d);
        return true;
    }
    case OPT_CHOICE:
        return store_choice(c, cmd, value);
    case OPT_WARN:
        return store_warn(c, cmd, value);
    case OPT_ALLOW:
        return store_allow(c, cmd, value);
    case OPT_PRINT:
        return store_print(c, cmd, value);
    case OPT_MODE:
        store_mode(c, value);
        return true;
    case OPT_DIR:
        VEC_PUSH(&c->unit.arena, &c->unit.opt.dirs, value);
        return true;
    case OPT_BIND: {
        Binding b = {0};
        if (!split(c, value, &name, &b.path)) {
            return usage(c, cmd, "the option takes TENSOR=FILE.npy, not", value);
        }
        b.tensor = name;
        if (o->member == offsetof(Cmd, outs)) {
            split_shape(c, &b);
        }
        VEC_PUSH(&c->unit.arena, (Bindings *)at, b);
        return true;
    }
    }
    UNREACHABLE();
}

bool
options_set(Cmd *c, const char *name, const char *value)
{
    const Option *o = find_long(c->command, name, strlen(name));
    if (!o) {
        return usage(c, c->command, "unknown option", name);
    }
    if ((o->kind == OPT_FLAG) != (value == NULL)) {
        return usage(
            c, c->command,
            value ? "the option takes no value:" : "the option takes a value:", name);
    }
    return store(c, c->command, o, value);
}

bool
options_is_setting(const char *key, const char **near)
{
    Nearest n = {key};
    bool is = strcmp(key, "name") == 0;
    for (size_t i = 0; i < ARRAY_LEN(options) && !is; i++) {
        if (options[i].commands & (CMD_IN_FILE | CMD_TEST) && *options[i].name) {
            nearest_try(&n, options[i].name);
            is = strcmp(options[i].name, key) == 0;
        }
    }
    *near = n.best;
    return is;
}

static bool
defined(const Cmd *c, const char *define)
{
    size_t n = strcspn(define, "=");
    for (uint32_t i = 0; i < c->unit.opt.defines.n; i++) {
        const char *name = c->unit.opt.defines.p[i].name;
        if (strlen(name) == n && memcmp(name, define, n) == 0) {
            return true;
        }
    }
    return false;
}

bool
options_setting(Cmd *c, const char *key, const char *value)
{
    for (size_t i = 0; i < ARRAY_LEN(options); i++) {
        const Option *o = &options[i];
        if (!(o->commands & CMD_IN_FILE) || strcmp(o->name, key) != 0) {
            continue;
        }
        bool given = o->kind == OPT_TEXT ? *(const char **)((char *)c + o->member) != NULL
                                         : defined(c, value);
        return given || store(c, c->command, o, value);
    }
    return true;
}

/* Says what was probably meant by an option that the command does not have. */
static bool
unknown(Cmd *c, const Command *cmd, const char *text)
{
    Unit *u = &c->unit;
    size_t n = text[1] == '-' ? strcspn(text + 2, "=") : 0;
    Nearest near = {arena_strndup(&u->arena, text + 2, n)};
    Diag *d = diag_add(u, D_USAGE, (Span){0}, 0, "unknown option '%s'", text);
    for (size_t i = 0; i < ARRAY_LEN(options) && n; i++) {
        if (options[i].commands & cmd->bit && *options[i].name) {
            nearest_try(&near, options[i].name);
        }
    }
    if (near.best) {
        diag_help(u, d, "did you mean '--%s'? 'tikc %s --help' lists the options",
                  near.best, cmd->name);
    } else {
        diag_help(u, d, "usage: tikc %s; 'tikc %s --help' lists the options",
                  cmd->synopsis, cmd->name);
    }
    return false;
}

/* Parses one option at argv[*i] and moves *i past it. */
static bool
parse_one(Cmd *c, const Command *cmd, int argc, const char **argv, int *i)
{
    const char *text = argv[(*i)++];
    const char *value = NULL;
    const Option *o = find_option(cmd, text);
    if (text[1] == '-') {
        size_t n = strcspn(text + 2, "=");
        value = text[2 + n] ? text + 3 + n : NULL;
    } else {
        value = text[2] ? text + 2 : NULL;
    }
    if (!o) {
        return unknown(c, cmd, text);
    }
    if (o->kind == OPT_FLAG && value) {
        return usage(c, cmd, "the option takes no value:", text);
    }
    if (o->kind != OPT_FLAG && !value) {
        bool none = *i >= argc || (argv[*i][0] == '-' && find_option(cmd, argv[*i]));
        if (none) {
            return usage(c, cmd, "a value is missing after", text);
        }
        value = argv[(*i)++];
    }
    return store(c, cmd, o, value);
}

bool
options_parse(Cmd *c, const Command *cmd, int given, char **words)
{
    bool only_files = false;
    Names all = {0};
    TRY(response_expand(c, given, words, &all));
    const char **argv = all.p;
    int argc = (int)all.n;
    for (int i = 0; i < argc;) {
        if (!only_files && strcmp(argv[i], "--") == 0) {
            only_files = true;
            i++;
        } else if (!only_files && argv[i][0] == '-' && argv[i][1]) {
            TRY(parse_one(c, cmd, argc, argv, &i));
        } else {
            VEC_PUSH(&c->unit.arena, &c->files, argv[i++]);
        }
    }
    int n = (int)c->files.n;
    if (n < cmd->min_files) {
        return usage(c, cmd, "a file or name is missing after", cmd->name);
    }
    if (cmd->max_files >= 0 && n > cmd->max_files) {
        return usage(c, cmd, "one argument too many:", c->files.p[cmd->max_files]);
    }
    return true;
}

static void
print_option(const Option *o, Text *out)
{
    Text t;
    Arena a = {0};
    text_init(&t, &a);
    if (*o->name) {
        text_printf(&t, o->letter ? "-%c, " : "", o->letter);
        text_printf(&t, "--%s%s%s", o->name, *o->arg ? " " : "", o->arg);
    } else {
        text_printf(&t, "-%c%s", o->letter, o->arg);
    }
    text_printf(out, "  %-28s %s\n", t.p, o->help);
    arena_free(&a);
}

void
options_command_help(const Command *cmd, Text *out)
{
    text_printf(out, "usage: tikc %s\n%s\n", cmd->synopsis, cmd->what);
    for (size_t i = 0; i < ARRAY_LEN(options); i++) {
        if (options[i].commands & cmd->bit) {
            print_option(&options[i], out);
        }
    }
    if (find_long(cmd, "print-after", strlen("print-after"))) {
        pass_options_help(out);
    }
}

void
options_help(const Command *cmds, int n, Text *out)
{
    text_put(out, "tikc compiles TIK kernels and runs them. Usage: tikc COMMAND ...\n\n");
    for (int i = 0; i < n; i++) {
        text_printf(out, "  tikc %-13s %s\n", cmds[i].name, cmds[i].what);
    }
    text_put(out, "  tikc --version     print the version\n"
                  "\n'tikc COMMAND --help' lists a command's options. FILE is a .tik or "
                  ".py file, or an\n"
                  ".ir file with the text of kernels (docs/ir.md); - reads standard "
                  "input. Exit codes:\n");
#define EXIT_CODE(id, number, text) text_printf(out, "%4d  %s\n", number, text);
#include "driver/exit.def"
}
