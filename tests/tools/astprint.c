/* astprint.c: shows what the front end makes of a file, for
 * tests/cross/syntax_vs_python.py.
 *  astprint FILE           prints the program from its tree
 *  astprint --dump FILE    prints the tree
 *  astprint --time N FILE  parses N times and prints the CPU seconds of the fastest run
 *  astprint --all FILE...  writes FILE.print: the program; FILE.spans: KIND BEGIN END of
 *                          every node whose place Python defines as we do; or, if it has
 *                          errors, FILE.errors
 * Errors go to standard output, with exit code 1. */
#include "syntax/ast.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *
read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        return NULL;
    }
    char *buf = NULL;
    size_t cap = 0;
    *n = 0;
    for (;;) {
        if (*n == cap) {
            cap = cap ? cap * 2 : 1 << 16;
            char *grown = realloc(buf, cap);
            if (!grown) {
                abort();
            }
            buf = grown;
        }
        size_t got = fread(buf + *n, 1, cap - *n, f);
        if (got == 0) {
            break;
        }
        *n += got;
    }
    fclose(f);
    return buf;
}

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
time_parse(const char *path, const char *text, size_t n, int runs)
{
    double best = 1e9;
    for (int i = 0; i < runs; i++) {
        Unit u;
        unit_init(&u);
        uint32_t file = unit_add_source(&u, path, text, n);
        double start = now();
        const Ast *tree = parse_file(&u, file);
        double took = now() - start;
        best = tree && took < best ? took : best;
        unit_free(&u);
    }
    printf("%.6f\n", best);
}

/* ---- positions ----------------------------------------------------------- */

static void span_node(const Ast *node, Text *out);

static void
span_list(const Ast *list, Text *out)
{
    for (; list; list = list->next) {
        span_node(list, out);
    }
}

static void
span_params(const AstParam *x, Text *out)
{
    for (; x; x = x->next) {
        span_list(x->dflt, out);
        span_list(x->annotation, out);
    }
}

static const char *
kind_name(const Ast *node)
{
    switch ((AstKind)node->kind) {
    case AST_NAME:
        return "Name";
    case AST_INT:
    case AST_FLOAT:
    case AST_STRING:
    case AST_NONE:
    case AST_BOOL:
    case AST_ELLIPSIS:
        return "Constant";
    case AST_TUPLE:
        return "Tuple";
    case AST_LIST:
        return "List";
    case AST_DICT:
        return "Dict";
    case AST_SET:
        return "Set";
    case AST_STARRED:
        return "Starred";
    case AST_UNARY:
        return "UnaryOp";
    case AST_BINARY:
        return "BinOp";
    case AST_COMPARE:
        return "Compare";
    case AST_COND:
        return "IfExp";
    case AST_LAMBDA:
        return "Lambda";
    case AST_CALL:
        return "Call";
    case AST_ATTR:
        return "Attribute";
    case AST_INDEX:
        return "Subscript";
    case AST_AWAIT:
        return "Await";
    case AST_WALRUS:
        return "NamedExpr";
    case AST_EXPR:
        return "Expr";
    case AST_ASSIGN:
        return "Assign";
    case AST_AUGASSIGN:
        return "AugAssign";
    case AST_RETURN:
        return "Return";
    case AST_FOR:
        return "For";
    case AST_WITH:
        return "With";
    case AST_WHILE:
        return "While";
    case AST_PASS:
        return "Pass";
    default:
        return NULL;
    }
}

static void
span_parts(const Ast *node, Text *out)
{
    switch ((AstKind)node->kind) {
    case AST_LAMBDA:
    case AST_DEF:
        span_params(node->func->params, out);
        span_list(node->func->decorators, out);
        span_list(node->func->returns, out);
        span_list(node->func->body, out);
        break;
    case AST_CLASS:
        span_list(node->klass->bases, out);
        span_list(node->klass->decorators, out);
        span_list(node->klass->body, out);
        break;
    case AST_SLICE:
    case AST_COND:
    case AST_ANNASSIGN:
    case AST_TRY:
        span_list(node->c, out);
        break;
    default:
        break;
    }
}

static bool
has_list(const Ast *node)
{
    switch ((AstKind)node->kind) {
    case AST_INT:
    case AST_STRING:
    case AST_FSTRING:
    case AST_FIELD:
    case AST_FROM:
    case AST_ALIAS:
    case AST_IMPORT:
    case AST_GLOBAL:
    case AST_NONLOCAL:
        return false;
    default:
        return true;
    }
}

/* Returns whether the first part of a node is a list, and no value or function. */
static bool
has_a(const Ast *node)
{
    switch ((AstKind)node->kind) {
    case AST_INT:
    case AST_FLOAT:
    case AST_BOOL:
    case AST_STRING:
    case AST_FROM:
    case AST_LAMBDA:
    case AST_DEF:
    case AST_CLASS:
        return false;
    default:
        return true;
    }
}

static bool
has_b(const Ast *node)
{
    return node->kind != AST_CALL && node->kind != AST_STRING && node->kind != AST_INT;
}

/* A node has as many fields as its kind uses. */
#define HAS(node, field)                                                                 \
    (offsetof(Ast, field) + sizeof(Ast *) <= ast_bytes((AstKind)(node)->kind))

/* Prints one line per node: the kind as Python calls it, and the bytes. */
static void
span_node(const Ast *node, Text *out)
{
    const char *name = kind_name(node);
    if (name) {
        text_printf(out, "%s %u %u\n", name, node->span.begin, node->span.end);
    }
    if (HAS(node, a) && has_a(node)) {
        span_list(node->a, out);
    }
    if (HAS(node, b) && has_b(node)) {
        span_list(node->b, out);
    }
    if (HAS(node, list) && has_list(node)) {
        span_list(node->list, out);
    }
    span_parts(node, out);
    if (HAS(node, body) && node->kind != AST_STRING) {
        span_list(node->body, out);
    }
    if (HAS(node, orelse) && node->kind != AST_FROM && node->kind != AST_IMPORT) {
        span_list(node->orelse, out);
    }
}

/* ---- modes --------------------------------------------------------------- */

static bool
write_file(const char *path, const char *suffix, const Text *text)
{
    char name[1024];
    snprintf(name, sizeof name, "%s%s", path, suffix);
    FILE *f = fopen(name, "wb");
    return f && fwrite(text->p, 1, text->n, f) == text->n && fclose(f) == 0;
}

/* Writes FILE.print and FILE.spans, or FILE.errors. */
static bool
write_all(const char *path)
{
    size_t n = 0;
    char *text = read_file(path, &n);
    if (!text) {
        return false;
    }
    Unit u;
    unit_init(&u);
    const Ast *tree = parse_file(&u, unit_add_source(&u, path, text, n));
    Text print;
    Text spans;
    text_init(&print, &u.arena);
    text_init(&spans, &u.arena);
    bool good;
    if (tree) {
        ast_print(&u, tree, &print);
        span_node(tree, &spans);
        good = write_file(path, ".print", &print) && write_file(path, ".spans", &spans);
    } else {
        diag_render_all(&u, DIAG_TEXT, &print);
        good = write_file(path, ".errors", &print);
    }
    unit_free(&u);
    free(text);
    return good;
}

static int
show(const char *path, const char *text, size_t n, bool dump)
{
    Unit u;
    unit_init(&u);
    const Ast *tree = parse_file(&u, unit_add_source(&u, path, text, n));
    Text out;
    text_init(&out, &u.arena);
    if (!tree) {
        diag_render_all(&u, DIAG_TEXT, &out);
    } else if (dump) {
        ast_dump(&u, tree, &out);
        text_putc(&out, '\n');
    } else {
        ast_print(&u, tree, &out);
    }
    fwrite(out.p, 1, out.n, stdout);
    unit_free(&u);
    return tree ? 0 : 1;
}

int
main(int argc, char **argv)
{
    const char *mode = argc > 2 ? argv[1] : "--print";
    if (strcmp(mode, "--all") == 0) {
        for (int i = 2; i < argc; i++) {
            if (!write_all(argv[i])) {
                return 2;
            }
        }
        return 0;
    }
    size_t n = 0;
    char *text = argc > 1 ? read_file(argv[argc - 1], &n) : NULL;
    if (!text) {
        fprintf(stderr, "usage: astprint [--dump | --time N] FILE | --all FILE...\n");
        return 2;
    }
    int result = 0;
    if (strcmp(mode, "--time") == 0) {
        time_parse(argv[argc - 1], text, n, (int)strtol(argv[2], NULL, 10));
    } else {
        result = show(argv[argc - 1], text, n, strcmp(mode, "--dump") == 0);
    }
    free(text);
    return result;
}
