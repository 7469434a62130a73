/* pass_options.c: reads the options that name passes, --passes and --print-after, and
 * prints the list of passes in the help. */
#include "driver/driver.h"

#include <string.h>

/* Adds a usage error that lists the passes; returns false. */
static bool
no_pass(Cmd *c, const char *option, const char *name)
{
    Unit *u = &c->unit;
    Text names;
    text_init(&names, &u->arena);
    for (int i = 0; i < pass_count; i++) {
        text_printf(&names, "%s%s", i ? ", " : "", pass_table[i].name);
    }
    Diag *d =
        diag_add(u, D_USAGE, (Span){0}, 0, "%s: there is no pass '%s'", option, name);
    diag_help(u, d, "the passes: %s", names.p);
    return false;
}

static bool
parse_list(Cmd *c, const char *option, const char *names, PassList *list)
{
    const char *p = names;
    while (strcmp(names, "none") != 0) {
        size_t n = strcspn(p, ",");
        const char *name = arena_strndup(&c->unit.arena, p, n);
        const PassInfo *pass = pass_find(name);
        if (!pass) {
            return no_pass(c, option, name);
        }
        VEC_PUSH(&c->unit.arena, list, pass);
        if (!p[n]) {
            break;
        }
        p += n + 1;
    }
    return true;
}

/* Reads --disable: names of passes, or 'all' for those of the host back end. */
static bool
parse_disabled(Cmd *c)
{
    for (int i = 0; strcmp(c->disable, "all") == 0 && i < pass_count; i++) {
        if ((pass_table[i].needs & FACT_HOST) != 0) {
            VEC_PUSH(&c->unit.arena, &c->without, &pass_table[i]);
        }
    }
    return strcmp(c->disable, "all") == 0 ||
           parse_list(c, "--disable", c->disable, &c->without);
}

/* Only the copy for the host may lack a pass: a program is always checked whole. */
static bool
may_be_disabled(Cmd *c)
{
    for (uint32_t i = 0; i < c->without.n; i++) {
        if ((c->without.p[i]->needs & FACT_HOST) == 0) {
            return options_wrong(
                c, arena_printf(&c->unit.arena,
                                "--disable: '%s' is no pass of the host back end",
                                c->without.p[i]->name));
        }
    }
    return true;
}

/* Checks that each pass of the list has the facts that it needs. */
static bool
check_order(Cmd *c, const PassList *list)
{
    Unit *u = &c->unit;
    const PassInfo *which = NULL;
    unsigned missing = passes_missing(list, &which);
    int fact = 0;
    while (missing >> fact > 1) {
        fact++;
    }
    if (missing == 0) {
        return true;
    }
    Text closure;
    text_init(&closure, &u->arena);
    passes_put_closure(which, &closure);
    Diag *d =
        diag_add(u, D_USAGE, (Span){0}, 0,
                 "--passes: '%s' needs the fact '%s', which no pass before it gives",
                 which->name, fact_table[fact].name);
    diag_help(u, d, "it means: %s; --passes %s gives all that '%s' needs",
              fact_table[fact].what, closure.p, which->name);
    return false;
}

static bool
is_run(const Cmd *c, const char *name)
{
    for (uint32_t i = 0; c->passes && i < c->only.n; i++) {
        if (strcmp(c->only.p[i]->name, name) == 0) {
            return true;
        }
    }
    return !c->passes;
}

bool
pass_options_check(Cmd *c)
{
    c->only = c->without = (PassList){0};
    TRY(!c->passes ||
        (parse_list(c, "--passes", c->passes, &c->only) && check_order(c, &c->only)));
    TRY(!c->disable || (parse_disabled(c) && may_be_disabled(c)));
    if (c->print_after && !pass_find(c->print_after)) {
        return no_pass(c, "--print-after", c->print_after);
    }
    if (c->print_after && !is_run(c, c->print_after)) {
        return options_wrong(c, arena_printf(&c->unit.arena,
                                             "--print-after names '%s', which is not in "
                                             "the list of --passes",
                                             c->print_after));
    }
    return !c->proofs || is_run(c, "check") ||
           options_wrong(c, "--proofs needs the pass 'check' in the list of --passes");
}

static void
put_facts(Text *out, const char *word, unsigned facts)
{
    text_printf(out, facts ? "; %s " : "", word);
    for (int i = 0, n = 0; i < FACT_COUNT; i++) {
        if (facts >> i & 1) {
            text_printf(out, "%s%s", n++ ? ", " : "", fact_table[i].name);
        }
    }
}

void
pass_options_help(Text *out)
{
    text_put(out, "\nPasses, in the order in which all of them run:\n");
    for (int i = 0; i < pass_count; i++) {
        const PassInfo *p = &pass_table[i];
        text_printf(out, "  %-15s %s", p->name, p->what);
        put_facts(out, "needs", p->needs);
        put_facts(out, "gives", p->gives);
        text_putc(out, '\n');
    }
}
