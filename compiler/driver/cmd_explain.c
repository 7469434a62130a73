/* cmd_explain.c: tikc explain: pages made from the tables. */
#include "driver/driver.h"

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
}

static void
print_params(Form form, Text *out)
{
    int n;
    const ParamInfo *p = form_params(form, &n);
    for (int i = 0; i < n; i++) {
        text_printf(out, "  %-16s", p[i].name);
        switch (p[i].role) {
        case ROLE_DST:
            text_put(out, "tensor, written");
            break;
        case ROLE_SRC:
            text_put(out, "tensor, read");
            break;
        case ROLE_MASK:
            text_put(out,
                     "lanes: a count, or a list of 64-bit words, highest lanes first");
            break;
        case ROLE_MASKMODE:
            text_put(out, "'normal' or 'counter'");
            break;
        case ROLE_SCALAR:
            text_put(out, "number or Scalar of the tensor's dtype");
            break;
        case ROLE_PIPE:
            text_put(out, "name of a queue, such as PIPE_V");
            break;
        case ROLE_ROOT:
            text_put(out, "tensor");
            break;
        case ROLE_REPEAT:
        case ROLE_INT:
        case ROLE_ATTR:
            if (p[i].rule == RULE_NONE) {
                text_put(out, "integer");
            } else {
                text_printf(out, "%lld to %lld %s [%s]", (long long)p[i].lo,
                            (long long)p[i].hi, p[i].unit, rule_table[p[i].rule].name);
            }
            break;
        }
        text_putc(out, '\n');
    }
}

static void
print_prototype(const OpInfo *op, Text *out)
{
    int n;
    const ParamInfo *p = form_params(op->form, &n);
    text_printf(out, "%s(", op_method((Op)(op - op_table)));
    for (int i = 0; i < n; i++) {
        text_printf(out, "%s%s", i ? ", " : "", p[i].name);
        if (p[i].dflt != PARAM_REQUIRED) {
            text_put(out, p[i].role == ROLE_MASKMODE ? "='normal'" : "=0");
        }
    }
    text_put(out, ")\n");
}

static void
explain_op(Op op, Text *out)
{
    const OpInfo *info = &op_table[op];
    print_prototype(info, out);
    text_printf(out, "\n%s.\nPipe: %s.\n\n", info->meaning,
                info->pipe == OP_PIPE_PATH ? "by path" : pipe_name((Pipe)info->pipe));
    print_params(info->form, out);
    text_put(out, "\nElement types on the targets of each family:\n");
    for (int i = 0; i < soc_count(); i++) {
        const Soc *s = soc_at(i);
        if (i > 0 && strcmp(soc_at(i - 1)->family, s->family) == 0) {
            continue;
        }
        text_printf(out, "  %-14s", s->family);
        for (int t = 1; t < DT_COUNT; t++) {
            if (op_has_dtype(op, (Dtype)t, s)) {
                text_printf(out, " %s", dtype_name((Dtype)t));
            }
        }
        text_putc(out, '\n');
    }
}

/* A point on which the manuals are silent. False: none of that name. */
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

int
cmd_explain(Cmd *c)
{
    Unit *u = &c->unit;
    const char *name = c->files.p[0];
    Text t;
    text_init(&t, &u->arena);
    Op op;
    DiagId id = diag_find(name);
    if (op_find(name, &op)) {
        explain_op(op, &t);
    } else if (id != DIAG_COUNT) {
        explain_diag(id, &t);
    } else if (!explain_choice(name, &t)) {
        Diag *d = diag_add(u, D_USAGE, (Span){0}, 0,
                           "there is no diagnostic, instruction or choice '%s'", name);
        diag_help(u, d,
                  "docs/diagnostics.md lists the diagnostics, docs/instructions.md the "
                  "instructions, docs/choices.md the choices");
    }
    bool ok = io_print(u, t.p, t.n);
    int code = report_unit(c);
    return ok ? code : EXIT_IO;
}
