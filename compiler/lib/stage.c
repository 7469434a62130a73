/* stage.c: stages programs: the evaluator of compiler/python runs the program with the
 * objects of compiler/tik, which record kernels. No other file knows both. See
 * stage.h.
 *
 * The parser hands out a long program in parts, and each is executed at once. If the text
 * turns out to be wrong afterwards, all that was executed is forgotten: then only the
 * errors of the text are reported, as for a program that is read as a whole. */
#include "lib/stage.h"

#include "tik/describe.h"
#include "tik/install.h"

typedef struct Stage {
    Unit *u;
    uint32_t file;
    Interp in;
    NameWatch watch;
    bool begun;
    bool over;    /* nothing more is executed */
    bool ok;      /* what was executed has not failed */
    bool dropped; /* what was executed does not count */
    Ast *kept;    /* statements that were executed and define functions or classes */
    Ast **last;
    /* what there was before the first statement was executed */
    DiagMark mark;
    const Soc *soc;
    bool operator_package;
    int64_t errors;
} Stage;

/* Sets the evaluator up. Returns false after an error. */
static bool
begin(Stage *s)
{
    Unit *u = s->u;
    s->begun = true;
    s->last = &s->kept;
    s->soc = u->soc;
    s->operator_package = u->operator_package;
    s->errors = u->errors;
    if (!py_begin(&s->in, u, s->file) || !tik_install(&s->in)) {
        return false;
    }
    s->in.watch = u->facts ? &s->watch : NULL;
    return py_start(&s->in);
}

/* Forgets what was executed. */
static void
drop(void *to)
{
    Stage *s = to;
    Unit *u = s->u;
    if (!s->begun) {
        return;
    }
    if (!s->dropped) {
        tik_finish(&s->in);
    }
    for (uint32_t i = 0; i < u->kernels.n; i++) {
        kernel_free(u->kernels.p[i]);
    }
    for (uint32_t i = 0; i < u->partial.n; i++) {
        kernel_free(u->partial.p[i]);
    }
    u->kernels.n = u->partial.n = 0;
    u->log.n = 0;
    u->soc = s->soc;
    u->operator_package = s->operator_package;
    diag_rewind(u, s->mark, s->file);
    s->mark = diag_mark(u); /* what is reported from here on may be dropped, too */
    s->over = s->dropped = true;
    s->ok = false;
}

/* Adds the statements of a part to those that are kept if one of them lasts; returns
 * whether one does. */
static bool
keep(Stage *s, const Ast *part)
{
    bool lasts = false;
    for (Ast *next = part->body; next;) {
        Ast *a = next;
        next = a->next;
        if (a->flags & AST_LASTING) {
            lasts = true;
            a->next = NULL;
            *s->last = a;
            s->last = &a->next;
        }
    }
    return lasts;
}

static void
execute(Stage *s, Ast *part)
{
    int64_t steps = s->in.steps;
    PartEnd end = py_part(&s->in, part, s->over);
    if (end == PART_REFUSED && !s->dropped) {
        drop(s);
        s->in.steps = steps;               /* it is read twice, and counts once */
        (void)py_part(&s->in, part, true); /* reports it again */
    }
    s->over = s->over || end != PART_NEXT;
    s->ok = s->ok && end != PART_FAILED && end != PART_REFUSED;
}

static bool
take(void *to, Ast *part)
{
    Stage *s = to;
    int64_t used = s->u->tree.used;
    if (!s->begun) {
        s->mark = diag_mark(s->u);
        s->ok = begin(s);
        s->over = !s->ok;
    }
    execute(s, part);
    /* trees of imported modules come after that of the part */
    return keep(s, part) || s->u->tree.used != used;
}

static bool
know(void *to, Ast *node)
{
    Stage *s = to;
    return s->begun && !s->over && py_know(&s->in, node);
}

bool
stage_run(Unit *u, uint32_t file)
{
    Stage s = {.u = u, .file = file};
    /* who wants to know what names were bound to looks at the tree, too */
    const AstSink sink = {&s, take, drop, know};
    Ast *module = parse_program(u, file, u->facts ? NULL : &sink);
    if (!module) {
        return false;
    }
    take(&s, module);
    if (s.dropped) {
        return false;
    }
    module->body = s.kept;
    s.ok = py_end(&s.in, file, s.ok ? module : NULL);
    if (u->facts) {
        describe_names(&s.in, &s.watch, u->facts);
        watch_free(&s.watch);
    }
    if (u->kernels.n == 0) {
        entry_remember(u, file, module);
    }
    tik_finish(&s.in);
    bool ok =
        s.ok && u->errors == s.errors && compile_info_finish(&s.in, (Span){file, 0, 0});
    return ok && u->errors == s.errors;
}
