/* print.h: is shared by the files that print trees as source text. It is private to
 * compiler/syntax. */
#ifndef TIKC_SYNTAX_PRINT_H
#define TIKC_SYNTAX_PRINT_H

#include "syntax/write.h"

enum {
    /* f-strings inside each other use different kinds of quotes, and there are four */
    QUOTES_NESTED = 4
};

typedef struct Printer {
    const Unit *u;
    Text *out;
    int indent;
    /* quotes of the f-strings whose fields are being printed */
    const char *quotes[QUOTES_NESTED];
    int nquotes;
    bool stuck; /* the present choice of quotes does not work */
} Printer;

void print_statement(Printer *w, const Ast *s);
void print_expr(Printer *w, const Ast *e);
/* Prints expressions separated by commas. */
void print_list(Printer *w, const Ast *list);
void print_params(Printer *w, const AstParam *param);
const char *print_name(const Printer *w, Sym name);

#endif
