/* cmd_explain.c: implements tikc explain, which makes pages from the tables. */
#include "driver/driver.h"
#include "driver/example.h"

#include <string.h>

static void
explain_diag(DiagId id, Text *out)
{
    const DiagInfo *d = &diag_table[id];
    text_printf(out, "%s (%s)\n\nRule: %s.\n", d->name,
                d->level == LEVEL_ERROR     ? "error"
                : d->level == LEVEL_WARNING ? "warning"
                                            : "note",
                d->rule);
    if (*d->help) {
        text_printf(out, "Help: %s.\n", d->help);
    }
    if (*d->aliases) {
        text_printf(out, "Also known as: %s\n", d->aliases);
    }
    for (int g = 0; g < GROUP_COUNT; g++) {
        if (group_has((DiagGroup)g, id)) {
            text_printf(out, "Group: %s.\n", group_table[g].name);
        }
    }
    if (d->level != LEVEL_ERROR) {
        text_printf(out, "-Werror=%s makes it an error, -Wno-%s silences it.\n", d->name,
                    d->name);
    } else if (severity_allowable(id)) {
        text_printf(out, "--allow %s makes it a warning, where it can go on: %s.\n",
                    d->name, severity_allowable(id));
    } else {
        text_printf(out, "It cannot be allowed: %s.\n", severity_refusal(id));
    }
}

/* ---- tables of an instruction -------------------------------------------- */

typedef struct Question {
    Op op;
    /* of an instruction: the list of types that the chosen processors have */
    const char *types;
    Scope src, dst; /* of a path */
} Question;

static const char *
types_on(Arena *a, Op op, const Soc *s)
{
    Text t;
    text_init(&t, a);
    text_put(&t, "");
    for (int i = 1; i < DT_COUNT; i++) {
        if (op_has_dtype(op, (Dtype)i, s)) {
            text_printf(&t, "%s%s", t.n ? " " : "", dtype_name((Dtype)i));
        }
    }
    return t.p;
}

static bool
has_types(const void *ctx, const Soc *s)
{
    const Question *q = ctx;
    Arena a = {0};
    bool same = strcmp(types_on(&a, q->op, s), q->types) == 0;
    arena_free(&a);
    return same;
}

static bool
has_path(const void *ctx, const Soc *s)
{
    const Question *q = ctx;
    return soc_has_path(s, q->src, q->dst);
}

static bool
is_listed_before(Arena *a, Op op, int soc, const char *types)
{
    bool listed = false;
    for (int i = 0; i < soc && !listed; i++) {
        listed = strcmp(types_on(a, op, soc_at(i)), types) == 0;
    }
    return listed;
}

/* Prints the types of an instruction. Processors with equal lists share a line; those
 * without the instruction have none. */
static void
print_types(Op op, Arena *a, Text *out)
{
    text_put(out, "\nElement types:\n");
    int lines = 0;
    for (int i = 0; i < soc_count(); i++) {
        const char *types = types_on(a, op, soc_at(i));
        if (*types && !is_listed_before(a, op, i, types)) {
            char families[1024];
            Question q = {.op = op, .types = types};
            soc_families(has_types, &q, families, sizeof families);
            text_printf(out, "  %s\n      on %s\n", types, families);
            lines++;
        }
    }
    text_put(out, lines
                      ? ""
                      : "  those of its operands' memories; it has no list of its own\n");
}

static void
print_paths(Text *out)
{
    text_put(out, "\nPaths, from -> to:\n");
    for (int src = 0; src < SC_COUNT; src++) {
        for (int dst = 0; dst < SC_COUNT; dst++) {
            char families[1024];
            Question q = {.src = (Scope)src, .dst = (Scope)dst};
            soc_families(has_path, &q, families, sizeof families);
            if (*families) {
                text_printf(out, "  %s -> %s\n      on %s\n", scope_name((Scope)src),
                            scope_name((Scope)dst), families);
            }
        }
    }
}

static void
explain_op(Op op, Arena *a, Text *out)
{
    const OpInfo *info = &op_table[op];
    if (!explain_signatures(a, op_method(op), out)) {
        text_printf(out, "%s: an instruction that no call names; %s.\n", info->name,
                    info->meaning);
    }
    if (strcmp(op_method(op), info->name) != 0) {
        text_printf(out, "\n%s: %s.\n", info->name, info->meaning);
    }
    text_printf(out, "\nPipe: %s.\n",
                info->pipe == OP_PIPE_PATH ? "by path" : pipe_name((Pipe)info->pipe));
    print_types(op, a, out);
    if (info->form == FORM_MOVE) {
        print_paths(out);
    }
    text_put(out, "\nOperands in UB and L1 start at multiples of 32 bytes, in L0A and "
                  "L0B of 512, in L0C of 512 "
                  "or with\n32-bit elements 1024; in global memory at any element.\n");
}

/* Explains a point on which the manuals are silent. Returns false if there is none of
 * that name. */
static bool
explain_choice(const char *name, Text *out)
{
    Choice point;
    if (!choice_find(name, &point)) {
        return false;
    }
    const ChoiceInfo *c = choice_info(point);
    text_printf(out, "%s %s: %s\n\n", c->number, c->name, c->question);
    const char *fixed = choice_fixed(point);
    const ReadingInfo *r;
    for (int i = 0; (r = choice_reading(point, i)) != NULL; i++) {
        if (fixed) {
            text_printf(out, "Here: %s.\n", r->text);
        } else {
            text_printf(out, "  %s=%s%s\n      %s\n", c->number, r->name,
                        i == 0 ? " (default)" : "", r->text);
        }
    }
    text_printf(out, "%sWhy: %s.\n", fixed ? "" : "\n", c->reason);
    if (fixed) {
        text_printf(out, "No switch: %s.\n", fixed);
    } else {
        text_put(out, "Select with --choice.\n");
    }
    return true;
}

/* Explains what a name means apart from an instruction; this follows the page of a
 * diagnostic of that name. */
static bool
explain_more(Unit *u, const char *name, Text *out)
{
    Text t;
    text_init(&t, &u->arena);
    bool found = explain_choice(name, &t);
    found = explain_name(&u->arena, name, &t) || found;
    if (found) {
        text_printf(out, "%s%s", out->n ? "\n" : "", t.p);
    }
    return found;
}

/* Shows the example of a call, and names the files of others. */
static void
explain_examples(const char *method, Text *out)
{
    int shown = 0;
    for (const CallExample *e = call_examples; e->method; e++) {
        if (strcmp(e->method, method) == 0) {
            int sentence = (int)strcspn(e->text, "\n");
            text_printf(out, "%s, %s: %.*s\n", shown ? "Also" : "\nExample", e->file,
                        sentence, e->text);
            text_printf(out, "%s%s", shown ? "" : e->text + sentence + 1,
                        shown ? "" : "\n");
            shown++;
        }
    }
}

int
cmd_explain(Cmd *c)
{
    Unit *u = &c->unit;
    const char *name = c->files.p[0];
    Text t;
    text_init(&t, &u->arena);
    Op op;
    DiagId id = diag_find(name);
    bool is_op = op_find(name, &op);
    if (is_op) {
        explain_op(op, &u->arena, &t);
    }
    if (id != DIAG_COUNT) {
        text_put(&t, t.n ? "\n" : "");
        explain_diag(id, &t);
    }
    bool other = !is_op && explain_more(u, name, &t);
    if (!is_op && id == DIAG_COUNT && !other) {
        Diag *d =
            diag_add(u, D_USAGE, (Span){0}, 0,
                     "there is no diagnostic, instruction, choice or word '%s'", name);
        diag_help(u, d,
                  "docs/diagnostics.md lists the diagnostics, docs/instructions.md the "
                  "instructions, docs/choices.md the choices, docs/ascendc.md the names "
                  "of Ascend C");
    }
    explain_examples(name, &t);
    bool ok = io_print(u, t.p, t.n);
    int code = report_unit(c);
    return ok ? code : EXIT_IO;
}
