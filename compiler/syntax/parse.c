/* parse.c: reads a text: it sets a parser up, runs the grammar and releases the scratch
 * memory. The driver adds sources, this file makes trees of them, the evaluator walks the
 * trees. */
#include "syntax/parser.h"

#include <string.h>

#define YYSTYPE TIK_YYSTYPE
#define YYLTYPE Loc
#include "tik.tab.h"
#include "tik.lex.h"

static Ast *
run(Parser *p)
{
    p->fed = p->flexed = p->scanned = p->line_begin = p->begin;
    p->feed = UINT32_MAX;
    p->at_line_start = !p->expression;
    text_init(&p->join, p->scratch);
    if (tik_rawlex_init_extra(p, &p->scanner) != 0) {
        base_out_of_memory(sizeof(void *));
    }
    if (tik_yyparse(p) != 0) {
        p->failed = true;
    }
    tik_rawlex_destroy(p->scanner);
    return p->failed ? NULL : p->tree;
}

/* Returns the length of the UTF-8 sequence at s[0..n), 0 if it is not one. */
static uint32_t
sequence_length(const unsigned char *s, uint32_t n)
{
    uint32_t len = s[0] < 0x80   ? 1
                   : s[0] < 0xc2 ? 0
                   : s[0] < 0xe0 ? 2
                   : s[0] < 0xf0 ? 3
                                 : 4;
    if (len == 0 || len > n || s[0] > 0xf4) {
        return 0;
    }
    for (uint32_t i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool outside = (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf4 && s[1] >= 0x90);
    return overlong || outside ? 0 : len;
}

/* Returns the next byte from i on that is not plain ASCII, or the end. */
static uint32_t
skip_plain(const unsigned char *s, uint32_t i, uint32_t end)
{
    const uint64_t high = 0x8080808080808080u;
    const uint64_t low = 0x0101010101010101u;
    uint64_t w[4];
    for (; end - i >= sizeof w; i += sizeof w) {
        memcpy(w, s + i, sizeof w);
        uint64_t any = w[0] | w[1] | w[2] | w[3];
        any |= (w[0] - low) | (w[1] - low) | (w[2] - low) | (w[3] - low);
        if (any & high) {
            break; /* a byte of 0x80 or more, or a zero byte */
        }
    }
    while (i < end && s[i] < 0x80 && s[i] != 0) {
        i++;
    }
    return i;
}

static bool
check_encoding(Parser *p)
{
    const unsigned char *s = (const unsigned char *)p->text;
    for (uint32_t i = skip_plain(s, p->begin, p->end); i < p->end;
         i = skip_plain(s, i, p->end)) {
        uint32_t len = s[i] ? sequence_length(s + i, p->end - i) : 0;
        if (len == 0) {
            Diag *d = complain(p, D_ENCODING, (Loc){i, i + 1},
                               "the byte 0x%02x is not UTF-8 text", s[i]);
            complain_help(p, d, "save the file as UTF-8");
            return false;
        }
        i += len;
    }
    return true;
}

void
parse_part(Parser *p, Ast *part)
{
    Arena *tree = &p->u->tree;
    int64_t used = p->u->arena.used;
    indent_leave_line(p); /* what its comments allow counts in the part */
    if (!p->sink->take(p->sink->to, part)) {
        arena_rewind(tree, p->part);
    }
    p->evaluated += p->u->arena.used - used;
    p->part = arena_mark(tree);
    p->part_begin = tree->used;
}

static Ast *
parse_source(Unit *u, uint32_t file, bool expression, const AstSink *sink)
{
    Arena scratch = {0};
    Source *src = &u->sources.p[file];
    Parser *p = ARENA_NEW(&scratch, Parser);
    p->u = u;
    p->scratch = &scratch;
    p->file = file;
    p->text = src->text;
    p->end = src->len;
    p->begin = src->len >= 3 && memcmp(src->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    p->expression = expression;
    p->start = expression ? START_EXPR : START_FILE;
    p->sink = sink;
    p->part = arena_mark(&u->tree);
    p->part_begin = u->tree.used;
    uint32_t before = u->diags.n;
    int64_t errors = u->errors;
    Ast *tree = check_encoding(p) ? run(p) : NULL;
    Loc at;
    if (!tree && !expression && foreign_line(p->text, p->end, &at)) {
        u->diags.n = before; /* errors of the lines, read in our language, are no help */
        u->errors = errors;
        Diag *d = diag_add(u, D_FOREIGN, span_of(p, at), 0,
                           "this is C++, as kernels of Ascend C are written");
        diag_note(u, d, (Span){0},
                  "programs here are Python that calls a Tik container: "
                  "t.data_copy(dst, src, 512)");
    }
    arena_free(&scratch);
    return tree;
}

Ast *
parse_file(Unit *u, uint32_t file)
{
    return parse_source(u, file, false, NULL);
}

Ast *
parse_program(Unit *u, uint32_t file, const AstSink *sink)
{
    return parse_source(u, file, false, sink);
}

Ast *
parse_expression(Unit *u, uint32_t file)
{
    return parse_source(u, file, true, NULL);
}

Ast *
parse_piece(Parser *outer, Loc at)
{
    Parser *p = outer->inner;
    if (p) {
        memset(p, 0, sizeof *p);
    } else {
        p = outer->inner = ARENA_NEW(outer->scratch, Parser);
    }
    p->u = outer->u;
    p->scratch = outer->scratch;
    p->file = outer->file;
    p->text = outer->text;
    p->begin = at.begin;
    p->end = at.end;
    p->expression = true;
    p->start = START_EXPR;
    p->nesting = outer->nesting + 1;
    p->sink = outer->failed ? NULL : outer->sink;
    p->evaluated = outer->evaluated;
    p->line.reported = outer->line.reported;
    Ast *tree = run(p);
    outer->failed = outer->failed || p->failed;
    outer->errors += p->errors;
    outer->line.reported = p->line.reported;
    return tree;
}
