/* check_help.h: what a broken rule's diagnostic says to do about it. */
#ifndef TIKC_CHECK_HELP_H
#define TIKC_CHECK_HELP_H

#include "passes/check_walk.h"

/* Adds notes and a help that know the numbers of the instruction, and of the iteration
 * that the witness names. */
void check_help(Unit *u, Diag *d, const Site *s, const CheckWalk *w, const Witness *wit);
/* Returns the span of the instruction's name in a call, or that of the call if the name
 * is not in its text. */
Span check_name_span(Unit *u, const Stmt *st, const Site *s);

#endif
