/* print.h: shared by the files that print trees as source text. Private to
 * compiler/syntax. */
#ifndef TIKC_SYNTAX_PRINT_H
#define TIKC_SYNTAX_PRINT_H

#include "syntax/write.h"

enum {
    QUOTES_NESTED = 4
}; /* f-strings inside each other use different quotes, and there are four */

typedef struct Printer {
    const Unit *u;
    Text *out;
    int indent;
    /* of the f-strings whose fields are being printed */
    const char *quotes[QUOTES_NESTED];
    int nquotes;
    bool stuck; /* the present choice of quotes does not work */
} Printer;

void print_statement(Printer *w, const Ast *s);
void print_expr(Printer *w, const Ast *e);
/* Expressions separated by commas. */
void print_list(Printer *w, const Ast *list);
void print_params(Printer *w, const AstParam *param);
const char *print_name(const Printer *w, Sym name);

#endif
