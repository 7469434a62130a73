/* indent.c: the indentation filter, which makes the grammar's tokens of the scanner's. It
 * joins lines inside brackets, drops blank lines, turns indentation into INDENT and
 * DEDENT, ends the last line, and makes sure that INDENT, DEDENT and END only come where
 * the grammar accepts them. For that it
 *   - hands out NO_BLOCK where a block is missing,
 *   - hides the INDENT and DEDENT of a block that nothing opens,
 *   - adds the ':' that is missing at the end of 'if x', so that the block below is read,
 *   - skips the rest of a line that the grammar refused.
 * Where a line begins it lets the fast path try it first, which hands out all of it.
 * It reports what it finds wrong itself: indentation, brackets that stay open, too much
 * nesting. Backslash joins and comments never get here: the scanner takes them for
 * spaces. A text that is indented as a whole (cut out of a page) is read as if it were
 * not. */
#include "syntax/parser.h"

#include <string.h>

#include "tik.tab.h"

/* ---- tokens -------------------------------------------------------------- */

static int
next_raw(Parser *p, TIK_YYSTYPE *value, Loc *at)
{
    if (p->stashed) {
        p->stashed = false;
        value->word = p->stash.word;
        *at = p->stash.at;
        return p->stash.kind;
    }
    return scan_token(p, value, at);
}

static void
stash(Parser *p, int kind, uint32_t word, Loc at)
{
    p->stashed = true;
    p->stash = (Token){kind, word, at};
}

/* Joins 'not' 'in' and 'is' 'not' to one token. */
static int
join_operator(Parser *p, int kind, Loc *at)
{
    TIK_YYSTYPE value = {.word = 0};
    Loc next = *at;
    int second = scan_token(p, &value, &next);
    while (second == NEWLINE && (p->depth || p->expression)) {
        second = scan_token(p, &value, &next);
    }
    if (second == (kind == NOT ? IN : NOT)) {
        at->end = next.end;
        return kind == NOT ? NOT_IN : IS_NOT;
    }
    stash(p, second, value.word, next);
    return kind;
}

/* ---- brackets ------------------------------------------------------------ */

static int
open_bracket(Parser *p, char c, Loc at)
{
    if (p->depth == MAX_BRACKETS) {
        Diag *d = complain(p, D_TOO_NESTED, at, "more than %d brackets are open here",
                           MAX_BRACKETS);
        complain_note(p, d, p->brackets[1].at, "the first is opened here");
        indent_fail_line(p);
        return TIK_YYerror;
    }
    p->brackets[++p->depth] = (Bracket){.open = c, .at = at};
    return c;
}

static void
close_bracket(Parser *p)
{
    p->closed = (Bracket){0};
    if (p->depth) {
        p->closed = p->brackets[p->depth--];
    }
}

/* ---- lines --------------------------------------------------------------- */

static uint32_t
start_column(Parser *p, uint32_t token, uint32_t *narrow)
{
    uint32_t i = p->line_begin;
    while (i < token && p->text[i] == ' ') { /* mostly these are all */
        i++;
    }
    uint32_t column = i - p->line_begin;
    uint32_t plain = column;
    for (; i < token; i++) {
        char c = p->text[i];
        if (c == ' ') {
            column++;
            plain++;
        } else if (c == '\t') {
            column = column / TAB_WIDTH * TAB_WIDTH + TAB_WIDTH;
            plain++;
        } else if (c == '\f') {
            column = plain = 0;
        } else {
            break;
        }
    }
    *narrow = plain;
    return column;
}

static Block *
top_level(Parser *p)
{
    return &p->levels.p[p->levels.n - 1];
}

static void
push_level(Parser *p, uint32_t column, uint32_t narrow, bool silent)
{
    VEC_PUSH(p->scratch, &p->levels,
             (Block){.column = column, .narrow = narrow, .silent = silent});
    p->nblocks += !silent;
}

static void
pop_level(Parser *p)
{
    p->levels.n--;
    if (!p->levels.p[p->levels.n].silent) {
        p->nblocks--;
        p->dedents++;
    }
}

static bool
opens_block(const Line *line)
{
    return line->colon && line->last == ':' && complain_header(line->head) != NULL;
}

static const char *
head_text(const Parser *p, const Line *line)
{
    return arena_strndup(&p->u->arena, p->text + line->head_at.begin,
                         line->head_at.end - line->head_at.begin);
}

/* Reports a missing block: the line before opened one, and the present one is not inside
 * it. */
static void
miss_block(Parser *p, const Line *before, Loc at)
{
    p->no_block = true;
    if (before->reported) {
        return;
    }
    Diag *d = complain(p, D_INDENT, at, "expected an indented block after '%s'",
                       head_text(p, before));
    complain_note(p, d, before->head_at, "the block belongs to this line");
    complain_help(p, d, "indent the body; an empty body is 'pass'");
}

static void
enter_block(Parser *p, const Line *before, Block next, Loc at)
{
    bool opened = opens_block(before) || before->failed;
    bool silent = !opened;
    if (!opened && !before->reported) {
        Diag *d =
            complain(p, D_INDENT, at,
                     "unexpected indentation: no block is opened by the line above");
        complain_help(p, d, "indent the line like the one above it");
    }
    if (opened && p->nblocks == MAX_BLOCKS) {
        bool first = !top_level(p)->silent || p->levels.n == 1;
        if (first) {
            complain(p, D_TOO_NESTED, at, "more than %d blocks are open here",
                     MAX_BLOCKS);
        }
        silent = true;
        p->no_block = !before->failed;
    }
    push_level(p, next.column, next.narrow, silent);
    p->indent = !silent;
}

/* Reports a line that goes back to a column at which no block begins. It is taken to
 * belong to the inner block. */
static void
match_level(Parser *p, Block next, Block inner, Loc at)
{
    complain(
        p, D_INDENT, at,
        "the line is indented by %u columns, which is no enclosing block's indentation "
        "(the nearest are %u and %u)",
        next.column, top_level(p)->column, inner.column);
    if (!inner.silent) {
        p->dedents--;
    }
    push_level(p, next.column, next.narrow, inner.silent);
}

static void
leave_blocks(Parser *p, Block next, Loc at)
{
    Block inner = *top_level(p);
    while (p->levels.n > 1 && top_level(p)->column > next.column) {
        inner = *top_level(p);
        pop_level(p);
    }
    if (top_level(p)->column < next.column) {
        match_level(p, next, inner, at);
    } else if (top_level(p)->column > next.column) {
        Diag *d =
            complain(p, D_INDENT, at,
                     "the line is indented less than the first line of the program");
        complain_help(p, d, "start all lines of the outermost level at the same column");
    }
}

/* Reports a line that is as far in as the innermost block by wide tabs, but not by narrow
 * ones. */
static void
check_tabs(Parser *p, Block next, Loc at)
{
    const Block *top = top_level(p);
    bool same = next.column > top->column ? next.narrow > top->narrow
                                          : next.narrow == top->narrow;
    if (!same && next.column >= top->column) {
        Diag *d = complain(p, D_INDENT, at,
                           "tabs and spaces are mixed so that the indentation depends on "
                           "the width of a tab");
        complain_help(p, d, "use spaces only");
    }
}

/* Returns where the physical line ends on which a token ends. */
static uint32_t
line_rest(const Parser *p, uint32_t at)
{
    while (at < p->end && p->text[at] != '\n' && p->text[at] != '\r') {
        at++;
    }
    return at;
}

void
indent_leave_line(Parser *p)
{
    if (p->line.head == 0 || (p->comments.n == 0 && p->u->opt.severity.places.n == 0)) {
        return;
    }
    uint32_t end = line_rest(p, p->line.last_at.end);
    Span line = span_of(p, (Loc){p->line.head_at.begin, end});
    uint32_t later = 0;
    for (uint32_t i = 0; i < p->comments.n; i++) {
        Loc at = p->comments.p[i];
        if (at.begin < end) {
            severity_comment(p->u, span_of(p, at), line);
        } else {
            p->comments.p[later++] = at;
        }
    }
    p->comments.n = later;
    severity_line(p->u, line);
}

/* Compares the indentation of a new logical line, whose first token is at 'at', with the
 * open blocks and queues what the grammar has to see before that token. */
static void
begin_line(Parser *p, Loc at)
{
    Line before = p->line;
    indent_leave_line(p);
    Block next = {0};
    next.column = start_column(p, at.begin, &next.narrow);
    Loc margin = {p->line_begin, at.begin};
    p->line_end = before.last_at.end;
    p->line = (Line){.last_at = {at.begin, at.begin}};
    p->brackets[0].for_open = false;
    if (p->levels.n == 0) {
        p->strip = next.column;
        push_level(p, next.column, next.narrow, true);
        return;
    }
    if (next.column > top_level(p)->column) {
        check_tabs(p, next, margin);
        enter_block(p, &before, next, margin);
        return;
    }
    if (opens_block(&before) && !before.failed) {
        miss_block(p, &before, at);
    }
    if (before.head == '@' && !before.failed && next.column < top_level(p)->column) {
        complain(p, D_SYNTAX, before.head_at,
                 "a decorator is followed by 'def' or 'class'");
        p->no_block = true;
    }
    leave_blocks(p, next, margin);
    check_tabs(p, next, margin);
}

/* Forgives an 'else' without an 'if' after a line that did not parse: that is no further
 * fault. */
static void
forgive_orphan(Parser *p, int head)
{
    Block *top = top_level(p);
    if (top->failed &&
        (head == ELSE || head == ELIF || head == EXCEPT || head == FINALLY)) {
        p->line.reported = true;
    }
    top->failed = false;
}

static void
end_of_text(Parser *p, Loc at)
{
    const Line *before = &p->line;
    indent_leave_line(p);
    for (uint32_t i = 0; i < p->comments.n; i++) { /* after the last line */
        Span comment = span_of(p, p->comments.p[i]);
        severity_comment(p->u, comment,
                         (Span){comment.file, comment.begin, comment.begin});
    }
    p->comments.n = 0;
    p->line_end = before->last_at.end;
    if (p->levels.n && opens_block(before) && !before->failed) {
        miss_block(p, before, before->last_at);
    }
    if (p->levels.n && before->head == '@' && !before->failed) {
        complain(p, D_SYNTAX, before->head_at,
                 "a decorator is followed by 'def' or 'class'");
        p->no_block = true;
    }
    while (p->levels.n) {
        pop_level(p);
    }
    stash(p, END, 0, at);
    p->ended = true;
}

/* Hands out the next of what begin_line or end_of_text queued. */
static int
queued(Parser *p, Loc *at)
{
    *at = (Loc){p->line_end, p->line_end};
    if (p->no_block) {
        p->no_block = false;
        return NO_BLOCK;
    }
    if (p->indent) {
        p->indent = false;
        return INDENT;
    }
    p->dedents--;
    return DEDENT;
}

/* ---- the end of a line --------------------------------------------------- */

bool
indent_is_left(Parser *p, Loc at)
{
    uint32_t narrow;
    return p->levels.n && start_column(p, at.begin, &narrow) <= top_level(p)->column;
}

/* Returns whether a token at the start of a physical line looks like the start of a new
 * statement although a bracket is open. */
static bool
looks_like_statement(Parser *p, int kind, Loc at)
{
    return kind != ')' && kind != ']' && kind != '}' && indent_is_left(p, at);
}

/* Drops the rest of a line that the grammar refused. The line ends where its brackets are
 * closed, or else before the next line that looks like a statement. */
static int
skip_line(Parser *p, TIK_YYSTYPE *value, Loc *at)
{
    bool fresh = false;
    for (;;) {
        int kind = next_raw(p, value, at);
        if (fresh && kind != NEWLINE &&
            (kind == END || looks_like_statement(p, kind, *at))) {
            p->depth = 0;
            stash(p, kind, value->word, *at);
            break;
        }
        if (kind == NEWLINE) {
            p->line_begin = at->end;
            if (p->depth == 0) {
                break;
            }
            fresh = true;
            continue;
        }
        fresh = false;
        p->line.last = kind;
        p->line.last_at = *at;
        if (kind == '(' || kind == '[' || kind == '{') {
            p->depth = MIN(p->depth + 1, MAX_BRACKETS);
        } else if (kind == ')' || kind == ']' || kind == '}') {
            p->depth -= p->depth > 0;
        } else if (kind == END) {
            stash(p, END, 0, *at);
            p->depth = 0;
            break;
        }
    }
    *at = (Loc){p->line.last_at.end, p->line.last_at.end};
    p->at_line_start = true;
    return NEWLINE;
}

void
indent_fail_line(Parser *p)
{
    p->line.failed = true;
    p->line.reported = true;
    p->missing_colon = false;
    if (p->levels.n) {
        top_level(p)->failed = true;
    }
}

static int
never_closed(Parser *p)
{
    const Bracket *b = &p->brackets[p->depth];
    char closing = b->open == '(' ? ')' : b->open == '[' ? ']' : '}';
    Diag *d = complain(p, D_SYNTAX, b->at, "'%c' is never closed", b->open);
    complain_help(p, d, arena_printf(&p->u->arena, "add the missing '%c'", closing));
    indent_fail_line(p);
    p->depth = 0;
    return TIK_YYerror;
}

/* Ends a logical line. A block's header without ':' gets one. */
static int
end_line(Parser *p, Loc *at)
{
    Loc end = {p->line.last_at.end, p->line.last_at.end};
    if (!p->line.colon && !p->line.failed && complain_header(p->line.head)) {
        stash(p, NEWLINE, 0, *at);
        *at = end;
        p->line.colon = true;
        p->line.last = ':';
        p->missing_colon = true;
        return ':';
    }
    p->line_begin = at->end;
    *at = end;
    p->at_line_start = true;
    return NEWLINE;
}

static int
end_of_file(Parser *p, Loc *at)
{
    if (p->depth && !p->line.failed) {
        stash(p, END, 0, *at);
        return never_closed(p);
    }
    if (p->expression) {
        return END;
    }
    uint32_t end = at->end;
    stash(p, END, 0, (Loc){end, end});
    int kind = end_line(p, at);
    if (kind == ':') {
        stash(p, NEWLINE, 0, (Loc){end, end});
    }
    return kind;
}

/* ---- the grammar's scanner ----------------------------------------------- */

static void
note_token(Parser *p, int kind, Loc at)
{
    Line *line = &p->line;
    if (line->head == 0 || (line->head == ASYNC && line->last == ASYNC)) {
        line->head = kind;
        line->head_at = at;
    }
    line->before_at = line->last_at;
    line->last = kind;
    line->last_at = at;
    if (p->bad_token) {
        p->bad_token = false;
        line->reported = true;
        if (kind == TIK_YYerror) {
            indent_fail_line(p);
        }
    }
}

static int
colon(Parser *p)
{
    if (p->depth == 0) {
        if (p->line.lambdas) {
            p->line.lambdas--;
        } else {
            p->line.colon = true;
        }
    }
    return ':';
}

enum {
    DROPPED = -1
};

/* Remembers an odd line, in case something is wrong later: 'if' and 'for' may be in
 * brackets, but at the start of a line that is not to the right of the statement they
 * look like the next statement. */
static void
note_odd_line(Parser *p, Loc at)
{
    bool odd = p->depth && !p->line.odd.end && indent_is_left(p, at);
    for (uint32_t i = p->line_begin; odd && i < at.begin; i++) {
        odd = strchr(" \t\f", p->text[i]) != NULL;
    }
    if (odd) {
        p->line.odd = at;
    }
}

/* Handles tokens that change the state of the filter. A line end inside brackets is
 * dropped. */
static int
special(Parser *p, int kind, Loc *at)
{
    switch (kind) {
    case NEWLINE:
        if (p->depth || p->expression) {
            p->line_begin = at->end;
            return DROPPED;
        }
        return end_line(p, at);
    case END:
        return end_of_file(p, at);
    case '(':
    case '[':
    case '{':
        return open_bracket(p, (char)kind, *at);
    case ')':
    case ']':
    case '}':
        close_bracket(p);
        return kind;
    case ':':
        return colon(p);
    case LAMBDA:
        p->line.lambdas += p->depth == 0;
        return kind;
    case IF:
        note_odd_line(p, *at);
        return kind;
    case FOR:
        note_odd_line(p, *at);
        p->brackets[p->depth].for_open = true;
        return kind;
    case IN:
        if (p->brackets[p->depth].for_open) {
            p->brackets[p->depth].for_open = false;
            return FOR_IN;
        }
        return kind;
    case NOT:
    case IS:
        return join_operator(p, kind, at);
    default:
        return kind;
    }
}

/* Reads the first token of a line, queues what comes before it and puts it back. */
static void
first_token(Parser *p, TIK_YYSTYPE *value, Loc *at)
{
    if (!p->stashed && !p->failed && fast_first(p, at)) {
        p->at_line_start = false;
        begin_line(p, *at);
        p->fast = true;
        p->fast_at = *at;
        return; /* the line is read when what comes before it was handed out */
    }
    int kind = next_raw(p, value, at);
    while (kind == NEWLINE) {
        p->line_begin = at->end;
        kind = next_raw(p, value, at);
    }
    p->at_line_start = false;
    if (kind == END) {
        end_of_text(p, *at);
        return;
    }
    begin_line(p, *at);
    forgive_orphan(p, kind);
    stash(p, kind, value->word, *at);
}

static int
next_token(Parser *p, TIK_YYSTYPE *value, Loc *at)
{
    if (p->at_line_start) {
        first_token(p, value, at);
    } else if (p->line.failed && !p->expression && !p->ended) {
        return skip_line(p, value, at);
    }
    for (;;) {
        if (p->no_block || p->indent || p->dedents > 0) {
            return queued(p, at);
        }
        int kind = p->fast ? fast_line(p, p->fast_at, value, at) : 0;
        p->fast = false;
        if (kind) {
            return kind;
        }
        kind = next_raw(p, value, at);
        if (p->ended) {
            return END;
        }
        kind = special(p, kind, at);
        if (kind == NEWLINE || (kind == ':' && p->missing_colon)) {
            return kind;
        }
        if (kind != DROPPED) {
            note_token(p, kind, *at);
            return kind;
        }
    }
}

Loc
indent_unread_line(Parser *p)
{
    TIK_YYSTYPE value = {.word = 0};
    Loc at = p->fast_at;
    p->u->work -= p->fast_work;
    p->scanned = at.begin;
    p->at_line_start = false;
    p->line = (Line){.last_at = {at.begin, at.begin}};
    p->token = special(p, scan_token(p, &value, &at), &at);
    note_token(p, p->token, at);
    return at;
}

/* Returns whether reading on would be endless or too large. */
static bool
out_of_bounds(Parser *p, Loc at)
{
    enum {
        /* nobody reads more errors, and their number follows from the first */
        MAX_ERRORS = 1000
    };
    const Limits *l = &p->u->opt.limits;
    p->u->work += TOKEN_STEPS;
    if (p->u->work > l->steps) {
        complain(p, D_LIMIT_STEPS, at,
                 "reading the program up to here needs more than %lld steps",
                 (long long)l->steps);
        return p->u->limit_hit = true;
    }
    if (p->u->arena.used - p->evaluated > l->memory) {
        complain(p, D_LIMIT_MEMORY, at, "the program needs more than %lld bytes",
                 (long long)l->memory);
        return true;
    }
    return p->errors > MAX(l->errors, MAX_ERRORS);
}

int
tik_yylex(TIK_YYSTYPE *value, Loc *at, Parser *p)
{
    value->word = 0;
    if (p->start) {
        p->token = p->start;
        p->start = 0;
        *at = (Loc){p->begin, p->begin};
        return p->token;
    }
    p->stopped = p->stopped || out_of_bounds(p, *at);
    p->token = p->stopped ? END : next_token(p, value, at);
    if (p->token == END && !p->stopped) {
        /* comments after the last line are work, too */
        p->stopped = out_of_bounds(p, *at);
    }
    return p->token;
}
