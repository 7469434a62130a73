/* build.c: has the builders of expressions that the grammar's actions call. They allocate
 * the nodes in the unit's arena, keep the height of each tree, so that nothing after the
 * parser can run out of stack, and refuse what the grammar accepts although the language
 * does not have it: operands that need brackets, targets, orders of arguments and
 * parameters. */
#include "syntax/parser.h"

/* ---- nodes and lists ----------------------------------------------------- */

Ast *
ast_long_int(Parser *p, Loc at, const char *digits)
{
    Ast *node = ast_sized(p, AST_INT, at, ast_bytes(AST_STRING));
    node->op = INT_TEXT;
    node->str = digits;
    return node;
}

Ast *
ast_wide_int(Parser *p, Loc at, int64_t value)
{
    Ast *node = ast_sized(p, AST_INT, at, ast_bytes(AST_BOOL)); /* it has a value, too */
    node->op = INT_WIDE;
    node->value = value;
    return node;
}

void
ast_too_deep(Parser *p, Ast *node)
{
    if (p->deep_line == p->line.head_at.begin + 1) {
        return;
    }
    p->deep_line = p->line.head_at.begin + 1;
    Span s = node->span;
    Diag *d = complain(p, D_TOO_NESTED, (Loc){s.begin, s.end},
                       "the expression has more than %d operations inside each other",
                       MAX_DEPTH);
    complain_help(p, d, "compute it in several statements");
}

void
ast_deepen(Parser *p, Ast *node, const Ast *list)
{
    unsigned depth = ast_depth(node);
    for (; list; list = list->next) {
        depth = MAX(depth, ast_depth(list) + 1);
    }
    if (depth != ast_depth(node)) {
        ast_set_depth(p, node, depth);
    }
}

static Loc
loc_of(const Ast *node)
{
    return (Loc){node->span.begin, node->span.end};
}

/* ---- operands ------------------------------------------------------------ */

static bool
is_bare(const Ast *node, AstKind kind)
{
    return node->kind == kind && !(node->flags & AST_PAREN);
}

static void
need_brackets(Parser *p, const Ast *node, const char *what)
{
    Diag *d = complain(p, D_SYNTAX, loc_of(node), "%s needs brackets here", what);
    complain_help(p, d, "put it in brackets: (...)");
}

/* Reports conditional expressions and lambdas, which cannot be operands, and 'not' as an
 * operand of arithmetic. */
static void
check_operand(Parser *p, const Ast *node, bool arithmetic)
{
    if (is_bare(node, AST_LAMBDA)) {
        need_brackets(p, node, "a lambda");
    } else if (is_bare(node, AST_COND)) {
        need_brackets(p, node, "a conditional expression");
    } else if (arithmetic && is_bare(node, AST_UNARY) && node->op == AOP_NOT) {
        need_brackets(p, node, "a 'not' expression");
    }
}

/* Reports an operand of '*' that binds less tightly than '|'. */
static void
check_tight(Parser *p, const Ast *node)
{
    check_operand(p, node, true);
    if (is_bare(node, AST_COMPARE)) {
        need_brackets(p, node, "a comparison");
    } else if (is_bare(node, AST_AND) || is_bare(node, AST_OR)) {
        need_brackets(p, node, "a logical expression");
    }
}

Ast *
ast_leaf(Parser *p, AstKind kind, Loc at, int64_t value)
{
    Ast *node = ast_new(p, kind, at);
    node->value = value;
    return node;
}

Ast *
ast_unary(Parser *p, Loc at, AstOp op, Ast *a)
{
    check_operand(p, a, op != AOP_NOT);
    Ast *node = ast_with_a(p, AST_UNARY, at, a);
    node->op = (uint8_t)op;
    return node;
}

static Ast *
new_pair(Parser *p, AstKind kind, Loc at, Ast *a, Ast *b)
{
    Ast *node = ast_with_a(p, kind, at, a);
    node->b = b;
    ast_deepen_one(p, node, b);
    return node;
}

Ast *
ast_binary(Parser *p, Loc at, AstOp op, Ast *a, Ast *b)
{
    check_operand(p, b, true);
    Ast *node = new_pair(p, AST_BINARY, at, a, b);
    node->op = (uint8_t)op;
    return node;
}

Ast *
ast_logic(Parser *p, Loc at, AstKind kind, Ast *a, Ast *b)
{
    check_operand(p, b, false);
    return new_pair(p, kind, at, a, b);
}

Ast *
ast_compare(Parser *p, Loc at, AstOp op, Ast *a, Ast *b)
{
    check_operand(p, b, true);
    Ast *part = ast_with_a(p, AST_COMPARE_PART, loc_of(b), b);
    part->op = (uint8_t)op;
    Ast *node = a;
    if (is_bare(a, AST_COMPARE)) {
        Ast *last = a == p->compare ? p->compare_part : a->list;
        while (last->next) {
            last = last->next;
        }
        last->next = part;
        a->span.end = at.end;
    } else {
        node = ast_with_a(p, AST_COMPARE, at, a);
        node->list = part;
    }
    ast_deepen_one(p, node, part);
    p->compare = node;
    p->compare_part = part;
    return node;
}

Ast *
ast_cond(Parser *p, Loc at, Ast *value, Ast *condition, Ast *other)
{
    check_operand(p, condition, false);
    Ast *node = new_pair(p, AST_COND, at, value, condition);
    node->c = other;
    ast_deepen_one(p, node, other);
    return node;
}

Ast *
ast_await(Parser *p, Loc at, Ast *a)
{
    if (is_bare(a, AST_UNARY) || is_bare(a, AST_LAMBDA) || is_bare(a, AST_AWAIT)) {
        need_brackets(p, a, "what 'await' waits for");
    }
    return ast_with_a(p, AST_AWAIT, at, a);
}

Ast *
ast_walrus(Parser *p, Loc at, Sym name, Ast *a)
{
    Ast *node = ast_with_a(p, AST_WALRUS, at, a);
    node->name = name;
    return node;
}

Ast *
ast_starred(Parser *p, Loc at, Ast *a)
{
    check_tight(p, a);
    return ast_with_a(p, AST_STARRED, at, a);
}

Ast *
ast_yield(Parser *p, Loc at, Ast *a, bool from)
{
    Ast *node = ast_with_a(p, AST_YIELD, at, a);
    node->flags |= from ? AST_YIELD_FROM : 0;
    return node;
}

/* ---- calls and items ----------------------------------------------------- */

Ast *
ast_keyword(Parser *p, Loc at, Sym name, Ast *a)
{
    Ast *node = ast_with_a(p, AST_KEYWORD, at, a);
    node->name = name;
    return node;
}

/* Reports a generator without brackets of its own that is not the only argument. */
static void
check_generator(Parser *p, const Ast *arg, bool alone)
{
    if (!alone && is_bare(arg, AST_COMP) && arg->op == '(') {
        need_brackets(p, arg, "a generator beside other arguments");
    }
}

/* Returns false after a diagnostic. */
static bool
check_order(Parser *p, const Ast *arg, const Ast *keyword, const Ast *map)
{
    if (arg->kind == AST_STARRED && map) {
        complain(p, D_SYNTAX, loc_of(arg), "an argument *... follows an argument **...");
        return false;
    }
    if (arg->kind != AST_STARRED && arg->kind != AST_KEYWORD && (keyword || map)) {
        Diag *d = complain(p, D_SYNTAX, loc_of(arg),
                           "a positional argument follows a keyword argument");
        complain_note(p, d, loc_of(keyword ? keyword : map), "the keyword argument");
        return false;
    }
    return true;
}

void
ast_check_args(Parser *p, AstList args, bool alone)
{
    const Ast *keyword = NULL;
    const Ast *map = NULL;
    bool ordered = true; /* one misplaced argument makes all after it look misplaced */
    for (const Ast *arg = args.first; arg; arg = arg->next) {
        check_generator(p, arg, alone);
        ordered = ordered && check_order(p, arg, keyword, map);
        if (arg->kind != AST_KEYWORD) {
            continue;
        }
        if (!arg->name) {
            map = arg;
            continue;
        }
        if (!keyword) {
            names_begin(p);
        }
        keyword = arg;
        if (!names_add(p, arg->name)) {
            complain(p, D_SYNTAX, loc_of(arg), "the argument '%s' is given twice",
                     sym_text(&p->u->names, arg->name));
        }
    }
}

static CallFacts
call_facts(const Ast *list)
{
    CallFacts f = {0};
    for (const Ast *a = list; a; a = a->next) {
        bool keyword = a->kind == AST_KEYWORD;
        f.dynamic |= a->kind == AST_STARRED || (keyword && !a->name);
        f.nkw += keyword;
        f.npos += !keyword;
    }
    return f;
}

Ast *
ast_plain_call(Parser *p, Loc at, Ast *callee, Ast *args, CallFacts facts)
{
    Ast *node = ast_with_a(p, AST_CALL, at, callee);
    node->facts = facts;
    node->list = args;
    ast_deepen(p, node, args);
    return node;
}

Ast *
ast_call(Parser *p, Loc at, Ast *callee, AstList args, bool comma)
{
    ast_check_args(p, args, args.first == args.last && !comma);
    return ast_plain_call(p, at, callee, args.first, call_facts(args.first));
}

Ast *
ast_attr(Parser *p, Loc at, Ast *a, Sym name)
{
    Ast *node = ast_with_a(p, AST_ATTR, at, a);
    node->name = name;
    return node;
}

Ast *
ast_index(Parser *p, Loc at, Ast *a, Ast *index)
{
    return new_pair(p, AST_INDEX, at, a, index);
}

Ast *
ast_slice(Parser *p, Loc at, Ast *from, Ast *to, Ast *step)
{
    Ast *node = new_pair(p, AST_SLICE, at, from, to);
    node->c = step;
    ast_deepen_one(p, node, step);
    return node;
}

/* ---- displays and comprehensions ----------------------------------------- */

Ast *
ast_tuple(Parser *p, Loc at, AstList list, bool comma)
{
    bool single = list.first && list.first == list.last;
    if (single && !comma && list.first->kind != AST_STARRED) {
        return list.first;
    }
    Ast *node = ast_new(p, AST_TUPLE, at);
    node->list = list.first;
    ast_deepen(p, node, list.first);
    return node;
}

Ast *
ast_paren(Parser *p, Loc at, AstList list, bool comma)
{
    bool single = list.first && list.first == list.last && !comma;
    Ast *node = single ? list.first : ast_tuple(p, at, list, true);
    if (single && is_bare(node, AST_STARRED)) {
        Diag *d = complain(p, D_SYNTAX, loc_of(node), "'*' is alone in brackets");
        complain_help(p, d, "a tuple of one element needs a comma: (*a,)");
    }
    bool again = single && (node->flags & AST_PAREN);
    node->flags |= again ? AST_PAREN_TWICE : AST_PAREN;
    return node;
}

Ast *
ast_display(Parser *p, AstKind kind, Loc at, AstList list)
{
    Ast *node = ast_new(p, kind, at);
    node->list = list.first;
    ast_deepen(p, node, list.first);
    return node;
}

Ast *
ast_pair(Parser *p, Loc at, Ast *key, Ast *value)
{
    if (!key) {
        check_tight(p, value);
    }
    return new_pair(p, AST_PAIR, at, key, value);
}

Ast *
ast_comp(Parser *p, Loc at, char form, Ast *element, AstList fors)
{
    if (is_bare(element, AST_STARRED) || (element->kind == AST_PAIR && !element->a)) {
        complain(p, D_SYNTAX, loc_of(element),
                 "'%s' cannot be the element of a comprehension",
                 element->kind == AST_PAIR ? "**" : "*");
    }
    Ast *node = ast_with_a(p, AST_COMP, at, element);
    node->op = (uint8_t)form;
    node->list = fors.first;
    ast_deepen(p, node, fors.first);
    return node;
}

Ast *
ast_comp_for(Parser *p, Loc at, Ast *target, Ast *source, AstList conditions)
{
    ast_check_target(p, target, "assign to");
    check_operand(p, source, false);
    for (const Ast *c = conditions.first; c; c = c->next) {
        check_operand(p, c, false);
    }
    Ast *node = new_pair(p, AST_COMP_FOR, at, target, source);
    node->list = conditions.first;
    ast_deepen(p, node, conditions.first);
    return node;
}

Ast *
ast_loose_as(Parser *p, Loc at, Ast *a, Ast *target)
{
    p->nloose++;
    p->loose_as = ast_as(p, at, a, target);
    return p->loose_as;
}

Ast *
ast_as(Parser *p, Loc at, Ast *a, Ast *target)
{
    ast_check_target(p, target, "assign to");
    return new_pair(p, AST_WITH_ITEM, at, a, target);
}

/* ---- functions ----------------------------------------------------------- */

AstParam *
ast_param(Parser *p, Loc at, ParamKind kind, Sym name)
{
    AstParam *param = ast_alloc(p, sizeof *param);
    param->name = name;
    param->kind = kind;
    param->span = span_of(p, at);
    return param;
}

ParamList
params_add(ParamList list, AstParam *param)
{
    if (!list.first) {
        return (ParamList){param, param};
    }
    list.last->next = param;
    list.last = param;
    return list;
}

Ast *
ast_lambda(Parser *p, Loc at, ParamList params, Ast *body)
{
    Ast *node = ast_new(p, AST_LAMBDA, at);
    node->func = ast_func(p, params);
    node->func->body = body;
    ast_deepen_one(p, node, body);
    for (const AstParam *x = params.first; x; x = x->next) {
        ast_deepen_one(p, node, x->dflt);
    }
    return node;
}

/* ---- elif ---------------------------------------------------------------- */

/* The parts of an if are counted like the height of expressions, since each is inside the
 * one before. */

AstList
ast_elif(Parser *p, AstList chain, Ast *part)
{
    if (!chain.first) {
        return list_one(part);
    }
    unsigned count = ast_depth(chain.last) + 1;
    if (count == MAX_DEPTH) {
        complain(p, D_TOO_NESTED, loc_of(part), "an 'if' has more than %d 'elif' parts",
                 MAX_DEPTH);
        count = 0;
    }
    part->flags = (uint16_t)(count << DEPTH_SHIFT);
    chain.last->orelse = part;
    chain.last = part;
    return chain;
}
