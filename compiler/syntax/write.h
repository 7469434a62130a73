/* write.h: what the two printers of trees share: literals as text. Private to
 * compiler/syntax. */
#ifndef TIKC_SYNTAX_WRITE_H
#define TIKC_SYNTAX_WRITE_H

#include "syntax/ast.h"

/* A string literal in double quotes, with escapes. */
void write_string(Text *out, const char *s, uint32_t n);
/* The bytes of a literal with escapes; quote is the closing character that is escaped,
 * too, and braces says whether { and } are doubled. */
void write_escaped(Text *out, const char *s, uint32_t n, char quote, bool braces);
void write_int(Text *out, const Ast *node);
/* The shortest text that reads back to the same number. */
void write_float(Text *out, double number);

#endif
