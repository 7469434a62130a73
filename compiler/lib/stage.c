/* stage.c: stages programs: the evaluator of compiler/python runs the program with the
 * objects of compiler/tik, which record kernels. No other file knows both. See
 * stage.h. */
#include "lib/stage.h"

#include "tik/describe.h"
#include "tik/install.h"

bool
stage_run(Unit *u, uint32_t file, Ast *module)
{
    Interp in;
    NameWatch watch = {0};
    int64_t errors = u->errors;
    if (!py_begin(&in, u, file) || !tik_install(&in)) {
        return false;
    }
    in.watch = u->facts ? &watch : NULL;
    bool ok = py_program(&in, file, module);
    if (u->facts) {
        describe_names(&in, &watch, u->facts);
        watch_free(&watch);
    }
    if (u->kernels.n == 0) {
        entry_remember(u, file, module);
    }
    tik_finish(&in);
    ok = ok && u->errors == errors && compile_info_finish(&in, (Span){file, 0, 0});
    return ok && u->errors == errors;
}
