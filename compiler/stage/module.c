/* module.c: the registry of provided modules. A module is importable under its dotted name, and under
 * every path of attributes that leads to it (from te import tik; import te.tik). */
#include "stage/core.h"

#include <string.h>

static Value
registered(Interp *in, const char *dotted)
{
    for (uint32_t i = 0; i < in->core->modules.n; i++) {
        if (strcmp(in->core->modules.p[i].dotted, dotted) == 0) {
            return in->core->modules.p[i].module;
        }
    }
    return val_fail();
}

Value
stage_module(Interp *in, const char *dotted_name)
{
    Value m = registered(in, dotted_name);
    if (val_failed(m)) {
        ModuleVal *made = ARENA_NEW(core_arena(in), ModuleVal);
        made->name = arena_strdup(core_arena(in), dotted_name);
        m = (Value){.kind = VAL_MODULE, .module = made};
        VEC_PUSH(core_arena(in), &in->core->modules, (ModuleName){made->name, m});
    }
    return m;
}

void
stage_module_set(Interp *in, Value module, const char *name, Value v)
{
    attrs_set(core_arena(in), &module.module->attrs, intern(&in->u->names, name), v);
}

/* A package that exists only as the first part of dotted names: made when it is asked for. */
static Value
package(Interp *in, const char *name)
{
    size_t n = strlen(name);
    for (uint32_t i = 0; i < in->core->modules.n; i++) {
        const char *dotted = in->core->modules.p[i].dotted;
        if (strncmp(dotted, name, n) == 0 && dotted[n] == '.') {
            return stage_module(in, name);
        }
    }
    return val_fail();
}

Value
module_find(Interp *in, const char *dotted)
{
    enum {
        LONGEST = 200
    }; /* of a module's name, which also bounds the recursion */
    Value m = registered(in, dotted);
    const char *dot = strrchr(dotted, '.');
    if (!val_failed(m) || strlen(dotted) > LONGEST) {
        return m;
    }
    m = package(in, dotted);
    if (!val_failed(m) || !dot) {
        return m;
    }
    m = module_find(in, arena_strndup(core_arena(in), dotted, (size_t)(dot - dotted)));
    if (m.kind == VAL_MODULE) {
        m = attrs_get(&m.module->attrs, intern(&in->u->names, dot + 1));
    }
    return m.kind == VAL_MODULE ? m : val_fail();
}
