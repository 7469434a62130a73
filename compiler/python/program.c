/* program.c: runs a program: sets the evaluator up, gives the module its -D names,
 * executes it as __main__ (a file of a package whose function --call calls: under its own
 * name), part by part, evaluates --call, and reports what was not caught. See
 * python/interp.h. */
#define _GNU_SOURCE
#include "python/resolve.h"

#include <pthread.h>
#include <string.h>

/* Returns the room on the C stack: three quarters of what this thread has left, 6 MiB at
 * most. */
static uintptr_t
stack_room(uintptr_t here)
{
    enum {
        USUAL = 8 << 20,
        UNKNOWN = 64 << 10 /* every thread has more than this */
    };
    pthread_attr_t attr;
    void *low = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attr) != 0) {
        return UNKNOWN / 2;
    }
    bool known = pthread_attr_getstack(&attr, &low, &size) == 0;
    pthread_attr_destroy(&attr);
    uintptr_t left = known ? here - (uintptr_t)low : UNKNOWN;
    return MIN(left, USUAL) / 4 * 3;
}

void
core_begin_stack(Interp *in)
{
    struct Core *c = in->core;
    c->stack_base = (uintptr_t)__builtin_frame_address(0);
    c->stack_room = stack_room(c->stack_base);
    c->stack_end = c->stack_base - c->stack_room;
}

static bool
core_init(Interp *in, Unit *u)
{
    memset(in, 0, sizeof *in);
    struct Core *c = ARENA_NEW(&u->arena, struct Core);
    in->u = u;
    in->core = c;
    meter_begin(in);
    in->exception = val_none();
#define SYM(id, text) c->sym.id = intern(&u->names, text);
#include "python/sym.def"
#undef SYM
    core_begin_stack(in);
    stack_grow(in, 0);
    c->builtins = ARENA_NEW(&u->arena, ModuleVal);
    c->builtins->name = "builtins";
    TRY(builtin_install(in));
    module_install(in);
    return true;
}

/* ---- the program --------------------------------------------------------- */

/* Executes a tree whose names are resolved. */
static bool
execute(Interp *in, ModuleVal *module, const Locals *loc, Ast *tree, Value *out)
{
    StackMark mark = stack_mark(in);
    Frame fr = {.caller = in->frame, .module = module, .loc = loc};
    fr.slots = stack_take(in, loc->nslots);
    memset(fr.slots, 0, loc->nslots * sizeof *fr.slots);
    fr.cells = ARENA_ARRAY(core_arena(in), Cell *, loc->ncells);
    for (uint32_t i = 0; i < loc->ncells; i++) {
        fr.cells[i] = ARENA_NEW(core_arena(in), Cell);
    }
    in->frame = &fr;
    bool ok = true;
    if (tree->kind == AST_MODULE) {
        ok = exec_block(in, tree->body) != FLOW_FAIL;
    } else {
        *out = eval(in, tree);
        ok = !val_failed(*out);
    }
    in->frame = fr.caller;
    stack_release(in, mark);
    return ok;
}

bool
py_execute(Interp *in, ModuleVal *module, Ast *tree, Value *out)
{
    const Locals *loc = resolve_tree(in, module, tree);
    return loc && execute(in, module, loc, tree, out);
}

/* Returns whether sys.exit() or sys.exit(0) ended the program, which is no error. */
static bool
ended_quietly(Interp *in)
{
    Value e = in->exception;
    if (e.kind != VAL_INSTANCE || strcmp(e.inst->cls->name, "SystemExit") != 0) {
        return false;
    }
    Value args = e.inst->args;
    Value status = args.kind == VAL_TUPLE && args.list->n ? args.list->p[0] : val_none();
    int64_t n = 1;
    bool quiet = status.kind == VAL_NONE || (val_as_int64(status, &n) && n == 0);
    in->exception = quiet ? val_none() : e;
    return quiet;
}

static bool
run_tree(Interp *in, ModuleVal *module, Ast *tree, Value *out)
{
    bool ok = py_execute(in, module, tree, out) || ended_quietly(in);
    error_report(in);
    return ok;
}

static Ast *
parse_text(Interp *in, const char *name, const char *text)
{
    return meter_parse(in, unit_add_source(in->u, name, text, strlen(text)), true);
}

/* Evaluates --call; module and tree are those of the main file. */
static bool
run_call(Interp *in, ModuleVal *module, uint32_t file, const Ast *tree)
{
    Value out = val_none();
    Ast *e = parse_text(in, "<--call>", in->u->opt.call);
    return e && entry_check_call(in, file, tree, module, e) &&
           run_tree(in, module, e, &out);
}

static bool
set_defines(Interp *in, ModuleVal *module)
{
    Unit *u = in->u;
    bool ok = true;
    for (uint32_t i = 0; i < u->opt.defines.n; i++) {
        const Define *d = &u->opt.defines.p[i];
        Value v = val_none();
        const char *name = arena_printf(&u->arena, "<-D %s>", d->name);
        Ast *e = parse_text(in, name, d->value);
        if (e && run_tree(in, module, e, &v)) {
            attrs_set(&u->arena, &module->attrs, intern(&u->names, d->name), v);
        } else {
            ok = false;
        }
    }
    return ok;
}

/* Returns whether the kernels are complete because the evaluation ended at a value of the
 * host (host.c). */
static bool
followed(Interp *in, bool ok)
{
    bool ended = in->core->ended;
    in->core->ended = false;
    in->fatal = in->fatal && !ended;
    return ok || ended;
}

bool
py_begin(Interp *in, Unit *u, uint32_t file)
{
    if (!core_init(in, u)) {
        return false;
    }
    in->here = (Span){file, 0, 0};
    ModuleVal *main = py_module(in, "__main__").module;
    loader_init(in, file);
    const char *name = u->opt.call ? in->core->loader.main_name : NULL;
    main->package = in->core->loader.package;
    main->path = u->sources.p[file].path;
    attrs_set(&u->arena, &main->attrs, in->core->sym.name,
              val_str(in, name ? name : "__main__"));
    attrs_set(&u->arena, &main->attrs, in->core->sym.file, val_str(in, main->path));
    attrs_set(&u->arena, &main->attrs, in->core->sym.builtins,
              (Value){.kind = VAL_MODULE, .module = in->core->builtins});
    return true;
}

bool
py_start(Interp *in)
{
    ModuleVal *main = py_module(in, "__main__").module;
    main->loading = true;
    return set_defines(in, main);
}

bool
py_know(Interp *in, Ast *node)
{
    return resolve_node(in, py_module(in, "__main__").module, node);
}

PartEnd
py_part(Interp *in, Ast *part, bool over)
{
    ModuleVal *main = py_module(in, "__main__").module;
    const Locals *loc = resolve_tree(in, main, part);
    if (!loc || over) {
        return loc ? PART_OVER : PART_REFUSED;
    }
    Value out = val_none();
    meter_resume(in);
    bool next = execute(in, main, loc, part, &out);
    bool ok = next || ended_quietly(in);
    error_report(in);
    ok = followed(in, ok);
    meter_pause(in);
    return next ? PART_NEXT : ok ? PART_OVER : PART_FAILED;
}

bool
py_end(Interp *in, uint32_t file, const Ast *module)
{
    ModuleVal *main = py_module(in, "__main__").module;
    main->loading = false;
    if (!module || !in->u->opt.call) {
        return module != NULL;
    }
    meter_resume(in);
    return followed(in, run_call(in, main, file, module));
}
