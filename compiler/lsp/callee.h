/* callee.h: which call the cursor is in, and what its arguments accept. */
#ifndef TIKC_LSP_CALLEE_H
#define TIKC_LSP_CALLEE_H

#include "lsp/cursor.h"
#include "lsp/server.h"
#include "tik/call_text.h"

/* Adds the ways of calling what the cursor is an argument of; none if it is no call of
 * the module tik. */
void callee_find(Server *s, const Document *d, const LspCursor *c, CallTexts *out);
/* Returns the index of the argument at the cursor; -1: the call has no such argument. */
int callee_argument(const Document *d, const LspCursor *c, const Signature *sig);

#endif
