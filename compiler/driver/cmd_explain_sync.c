/* cmd_explain_sync.c: implements tikc explain-sync: it compiles a program and says which
 * flags and barriers order the queues of its kernels, what each is for, and which others
 * imply. */
#include "driver/driver.h"

static bool
explain(Cmd *c)
{
    Unit *u = &c->unit;
    Text t;
    TRY(compile_file(c, c->files.p[0]));
    text_init(&t, &u->arena);
    return tikc_explain_sync(u, u->kernels.p, (int)u->kernels.n, &t) &&
           io_print(u, t.p, t.n);
}

int
cmd_explain_sync(Cmd *c)
{
    bool ok = explain(c);
    int code = report_unit(c);
    return !ok && code == EXIT_CLEAN ? EXIT_FINDINGS : code;
}
