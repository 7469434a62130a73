/* write.h: writes literals as text for the two printers of trees. It is private to
 * compiler/syntax. */
#ifndef TIKC_SYNTAX_WRITE_H
#define TIKC_SYNTAX_WRITE_H

#include "syntax/ast.h"

/* Writes a string literal in double quotes, with escapes. */
void write_string(Text *out, const char *s, uint32_t n);
/* Writes the bytes of a literal with escapes. quote is the closing character, which is
 * escaped, too; braces says whether { and } are doubled. */
void write_escaped(Text *out, const char *s, uint32_t n, char quote, bool braces);
void write_int(Text *out, const Ast *node);
/* Writes the shortest text that is read back as the same number. */
void write_float(Text *out, double number);

#endif
