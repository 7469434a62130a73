/* resolve.c: see resolve.h. It is one walk over the module: a function's bindings are
 * collected when the walk enters it, uses are looked up at once, and their places are
 * written when the walk is over, because only then it is known which variables inner
 * functions read. Private names (__x) of classes are renamed here. Scratch memory is
 * freed at the end. */
#include "python/resolve.h"

#include <string.h>

typedef enum ScopeKind {
    SCOPE_MODULE,
    SCOPE_FUNC,
    SCOPE_CLASS,
    SCOPE_COMP
} ScopeKind;

struct Block;

typedef struct Binding {
    Sym name;
    struct Block *holder; /* block whose frame has the slot */
    bool global;          /* declared global */
    bool nonlocal;
    bool captured;
    bool temporary; /* variable of a comprehension */
    uint32_t slot;  /* index in slots or, when captured, in the holder's own cells */
} Binding;

typedef struct Use {
    Ast *node;
    Binding *var;
    struct Block *holder; /* frame that reads */
    bool in_class;
} Use;

typedef struct Block {
    struct Block *outer;
    struct Block *holder;
    ScopeKind kind;
    Sym class_name; /* name of the innermost class, for private names */
    int loops;      /* number of loops around the present statement */
    VEC(Binding *) vars;
    uint32_t *index; /* hash index of vars when there are many */
    uint32_t nindex;
    VEC(Binding *) own; /* of a holder: variables with a place in its frame */
    /* of a holder: variables of outer holders that it or inner functions read */
    VEC(Binding *)
    freed;
    Locals *loc;
} Block;

typedef struct CompUse {
    Ast *node;
    Block *scope;
} CompUse;

/* A variable of the module that was asked for. */
typedef struct GlobalName {
    Sym name;
    uint32_t slot;
} GlobalName;

enum {
    RECENT_NAMES = 64 /* a power of two */
};

typedef struct Resolver {
    Interp *in;
    Arena *keep; /* arena of the unit */
    Arena tmp;
    ModuleVal *module;
    GlobalName recent[RECENT_NAMES]; /* those that were asked for last, by name */
    VEC(Use) uses;
    VEC(Block *) holders;
    VEC(CompUse) comps;
    bool lasting; /* the statement of the module has functions or classes */
    bool ok;
} Resolver;

static void walk(Resolver *r, Block *s, Ast *n);

/* ---- variables of a scope ------------------------------------------------ */

static Binding *
find_var(const Block *s, Sym name)
{
    if (!s->index) {
        for (uint32_t i = 0; i < s->vars.n; i++) {
            if (s->vars.p[i]->name == name) {
                return s->vars.p[i];
            }
        }
        return NULL;
    }
    uint32_t h = name * 2654435761u & (s->nindex - 1);
    for (; s->index[h]; h = (h + 1) & (s->nindex - 1)) {
        Binding *v = s->vars.p[s->index[h] - 1];
        if (v->name == name) {
            return v;
        }
    }
    return NULL;
}

static void
index_vars(Resolver *r, Block *s)
{
    enum {
        LINEAR = 16
    };
    if (s->vars.n <= LINEAR || s->vars.n * 2 <= s->nindex) {
        if (s->index) {
            uint32_t h = s->vars.p[s->vars.n - 1]->name * 2654435761u & (s->nindex - 1);
            while (s->index[h]) {
                h = (h + 1) & (s->nindex - 1);
            }
            s->index[h] = s->vars.n;
        }
        return;
    }
    s->nindex = s->nindex ? s->nindex * 4 : 128;
    s->index = ARENA_ARRAY(&r->tmp, uint32_t, s->nindex);
    for (uint32_t i = 0; i < s->vars.n; i++) {
        uint32_t h = s->vars.p[i]->name * 2654435761u & (s->nindex - 1);
        while (s->index[h]) {
            h = (h + 1) & (s->nindex - 1);
        }
        s->index[h] = i + 1;
    }
}

static Binding *
add_var(Resolver *r, Block *s, Sym name)
{
    Binding *v = find_var(s, name);
    if (!v) {
        v = ARENA_NEW(&r->tmp, Binding);
        v->name = name;
        v->holder = s->holder;
        v->temporary = s->kind == SCOPE_COMP;
        VEC_PUSH(&r->tmp, &s->vars, v);
        index_vars(r, s);
        if (s->kind == SCOPE_FUNC || s->kind == SCOPE_COMP) {
            VEC_PUSH(&r->tmp, &s->holder->own, v);
        }
    }
    return v;
}

static Block *
new_scope(Resolver *r, Block *outer, ScopeKind kind)
{
    Block *s = ARENA_NEW(&r->tmp, Block);
    bool holds = kind == SCOPE_FUNC || kind == SCOPE_MODULE;
    r->lasting = r->lasting || kind == SCOPE_FUNC || kind == SCOPE_CLASS;
    s->outer = outer;
    s->kind = kind;
    s->holder = holds ? s : outer->holder;
    s->class_name = outer ? outer->class_name : SYM_NONE;
    if (holds) {
        s->loc = ARENA_NEW(r->keep, Locals);
        s->loc->star = -1;
        s->loc->starstar = -1;
        VEC_PUSH(&r->tmp, &r->holders, s);
    }
    return s;
}

/* Returns _C__x for __x; other names stay. */
static Sym
name_in_class(Resolver *r, const Block *s, Sym name)
{
    const Interner *names = &r->in->u->names;
    const char *t = sym_text(names, name);
    uint32_t n = sym_len(names, name);
    if (n < 3 || t[0] != '_' || t[1] != '_' || (t[n - 1] == '_' && t[n - 2] == '_')) {
        return name;
    }
    const char *c = sym_text(names, s->class_name);
    while (*c == '_') {
        c++;
    }
    return *c ? intern(&r->in->u->names, arena_printf(&r->tmp, "_%s%s", c, t)) : name;
}

/* Returns _C__x for __x inside class C; other names stay. */
static inline Sym
private_name(Resolver *r, const Block *s, Sym name)
{
    return s->class_name ? name_in_class(r, s, name) : name;
}

/* ---- bindings of a block ------------------------------------------------- */

static void collect_expr(Resolver *r, Block *s, const Ast *n);

static void
collect_target(Resolver *r, Block *s, const Ast *t)
{
    if (!t) {
        return;
    }
    switch (t->kind) {
    case AST_NAME:
        add_var(r, s, private_name(r, s, t->name));
        break;
    case AST_TUPLE:
    case AST_LIST:
        for (const Ast *e = t->list; e; e = e->next) {
            collect_target(r, s, e);
        }
        break;
    case AST_STARRED:
        collect_target(r, s, t->a);
        break;
    default:
        collect_expr(r, s, t);
        break;
    }
}

/* Collects bindings of expressions. Only := binds inside them; comprehensions pass it on
 * to their function. */
static void
collect_list(Resolver *r, Block *s, const Ast *list)
{
    for (const Ast *e = list; e; e = e->next) {
        collect_expr(r, s, e);
    }
}

static void
collect_expr(Resolver *r, Block *s, const Ast *n)
{
    if (!n) {
        return;
    }
    switch ((AstKind)n->kind) {
    case AST_WALRUS:
        add_var(r, s, private_name(r, s, n->name));
        collect_expr(r, s, n->a);
        break;
    case AST_TUPLE:
    case AST_LIST:
    case AST_DICT:
    case AST_SET:
    case AST_FSTRING:
        collect_list(r, s, n->list);
        break;
    case AST_CALL:
    case AST_COMPARE:
    case AST_COMP:
        collect_expr(r, s, n->a);
        collect_list(r, s, n->list);
        break;
    case AST_COMP_FOR:
        collect_expr(r, s, n->b);
        collect_list(r, s, n->list);
        break;
    case AST_COND:
    case AST_SLICE:
        collect_expr(r, s, n->c);
        /* fall through */
    case AST_BINARY:
    case AST_AND:
    case AST_OR:
    case AST_INDEX:
    case AST_PAIR:
    case AST_FIELD:
        collect_expr(r, s, n->a);
        collect_expr(r, s, n->b);
        break;
    case AST_STARRED:
    case AST_UNARY:
    case AST_COMPARE_PART:
    case AST_KEYWORD:
    case AST_ATTR:
    case AST_YIELD:
    case AST_AWAIT:
        collect_expr(r, s, n->a);
        break;
    default:
        break;
    }
}

static void collect_block(Resolver *r, Block *s, const Ast *list);

static void
declare(Resolver *r, Block *s, const Ast *names, bool global)
{
    for (const Ast *n = names; n; n = n->next) {
        Binding *v = add_var(r, s, private_name(r, s, n->name));
        v->global = global;
        v->nonlocal = !global;
    }
}

static Sym
alias_name(Resolver *r, const Ast *alias)
{
    if (alias->name) {
        return alias->name;
    }
    const char *dot = strchr(alias->str, '.');
    return dot ? intern_n(&r->in->u->names, alias->str, (size_t)(dot - alias->str))
               : intern(&r->in->u->names, alias->str);
}

static void
collect_stmt(Resolver *r, Block *s, const Ast *n)
{
    switch ((AstKind)n->kind) {
    case AST_ASSIGN:
        for (const Ast *t = n->list; t; t = t->next) {
            collect_target(r, s, t);
        }
        collect_expr(r, s, n->b);
        break;
    case AST_AUGASSIGN:
        collect_target(r, s, n->a);
        collect_expr(r, s, n->b);
        break;
    case AST_ANNASSIGN:
        collect_target(r, s, n->a);
        collect_expr(r, s, n->c);
        break;
    case AST_FOR:
        collect_target(r, s, n->a);
        collect_expr(r, s, n->b);
        collect_block(r, s, n->body);
        collect_block(r, s, n->orelse);
        break;
    case AST_IF:
    case AST_WHILE:
        collect_expr(r, s, n->a);
        collect_block(r, s, n->body);
        collect_block(r, s, n->orelse);
        break;
    case AST_WITH:
        for (const Ast *i = n->list; i; i = i->next) {
            collect_expr(r, s, i->a);
            collect_target(r, s, i->b);
        }
        collect_block(r, s, n->body);
        break;
    case AST_TRY:
        collect_block(r, s, n->body);
        collect_block(r, s, n->list);
        collect_block(r, s, n->orelse);
        collect_block(r, s, n->c);
        break;
    case AST_EXCEPT:
        if (n->name) {
            add_var(r, s, private_name(r, s, n->name));
        }
        collect_block(r, s, n->body);
        break;
    case AST_DEF:
        add_var(r, s, private_name(r, s, n->func->name));
        break;
    case AST_CLASS:
        add_var(r, s, private_name(r, s, n->klass->name));
        break;
    case AST_IMPORT:
    case AST_FROM:
        for (const Ast *a = n->orelse; a; a = a->next) {
            add_var(r, s, alias_name(r, a));
        }
        break;
    case AST_DEL:
        for (const Ast *t = n->list; t; t = t->next) {
            collect_target(r, s, t);
        }
        break;
    case AST_GLOBAL:
    case AST_NONLOCAL:
        declare(r, s, n->list, n->kind == AST_GLOBAL);
        break;
    case AST_EXPR:
    case AST_RETURN:
        collect_expr(r, s, n->a);
        break;
    case AST_RAISE:
    case AST_ASSERT:
        collect_expr(r, s, n->a);
        collect_expr(r, s, n->b);
        break;
    default:
        break;
    }
}

static void
collect_block(Resolver *r, Block *s, const Ast *list)
{
    for (const Ast *n = list; n; n = n->next) {
        collect_stmt(r, s, n);
    }
}

/* ---- uses ---------------------------------------------------------------- */

static void
set_place(Ast *n, NamePlace place, uint32_t slot)
{
    n->op = (uint8_t)place;
    n->slot = slot;
}

/* Returns the variable that a name means in scope s, or null for a global. *in_class says
 * that s is a class body that binds it. */
static Binding *
lookup(const Block *s, Sym name, bool *in_class)
{
    bool first = true;
    *in_class = false;
    for (; s && s->kind != SCOPE_MODULE; s = s->outer) {
        Binding *v = s->kind == SCOPE_CLASS && !first ? NULL : find_var(s, name);
        if (v && v->global) {
            return NULL;
        }
        if (v && s->kind == SCOPE_CLASS) {
            *in_class = !v->nonlocal;
        } else if (v && !v->nonlocal) {
            return v;
        }
        first = false;
    }
    return NULL;
}

static void
use_global(Resolver *r, Ast *n, Sym name, NamePlace place)
{
    GlobalName *m = &r->recent[name & (RECENT_NAMES - 1)];
    if (m->name != name) {
        *m = (GlobalName){name, attrs_slot(r->keep, &r->module->attrs, name)};
    }
    set_place(n, place, m->slot);
}

/* Finds the variable that a name means in a function or a class. */
static NOINLINE void
use_inside(Resolver *r, Block *s, Ast *n, Sym name)
{
    bool in_class = false;
    Binding *v = lookup(s, name, &in_class);
    if (!v) {
        use_global(r, n, name, in_class ? PLACE_CLASS_GLOBAL : PLACE_GLOBAL);
        return;
    }
    VEC_PUSH(&r->tmp, &r->uses, (Use){n, v, s->holder, in_class});
    if (v->holder == s->holder) {
        return;
    }
    v->captured = true;
    for (Block *h = s->holder; h != v->holder; h = h->outer->holder) {
        bool there = false;
        for (uint32_t i = 0; i < h->freed.n; i++) {
            there = there || h->freed.p[i] == v;
        }
        if (!there) {
            VEC_PUSH(&r->tmp, &h->freed, v);
        }
    }
}

static inline void
use_name(Resolver *r, Block *s, Ast *n, Sym name)
{
    if (s->kind == SCOPE_MODULE) {
        use_global(r, n, name, PLACE_GLOBAL);
    } else {
        use_inside(r, s, n, name);
    }
}

/* Returns whether a node has nothing to resolve: that is a third of all. */
static inline bool
is_number(const Ast *n)
{
    return n->kind == AST_INT && n->op != INT_TEXT;
}

static inline void
walk_name(Resolver *r, Block *s, Ast *n)
{
    n->name = private_name(r, s, n->name);
    use_name(r, s, n, n->name);
}

/* Returns whether a node was resolved with those below it as what it is. */
static inline bool
is_known(const Block *s, const Ast *n)
{
    return n->flags & AST_KNOWN && s->kind == SCOPE_MODULE && n->kind != AST_YIELD;
}

/* Walks a node that is there. Most are leaves, which need no further step. */
static inline void
walk_node(Resolver *r, Block *s, Ast *n)
{
    if (n->kind == AST_NAME) {
        walk_name(r, s, n);
    } else if (!is_number(n)) {
        walk(r, s, n);
    }
}

static void
walk_list(Resolver *r, Block *s, Ast *list)
{
    for (Ast *n = list; n; n = n->next) {
        walk_node(r, s, n);
    }
}

/* ---- functions, classes, comprehensions ---------------------------------- */

static void
add_params(Resolver *r, Block *f, AstFunc *fn)
{
    Locals *loc = f->loc;
    loc->params = ARENA_ARRAY(r->keep, ParamSlot, fn->nparams);
    for (AstParam *p = fn->params; p; p = p->next) {
        if (!p->name) {
            continue;
        }
        p->name = private_name(r, f, p->name);
        if (find_var(f, p->name)) {
            diag_add(r->in->u, D_SYNTAX, p->span, 0, "two parameters are named '%s'",
                     sym_text(&r->in->u->names, p->name));
            r->ok = false;
        }
        add_var(r, f, p->name);
        int i = loc->nparams++;
        loc->params[i] = (ParamSlot){.name = p->name, .kind = p->kind, .dflt = p->dflt};
        if (p->kind == PARAM_STAR) {
            loc->star = i;
        } else if (p->kind == PARAM_STARSTAR) {
            loc->starstar = i;
        } else if (p->kind != PARAM_KWONLY) {
            loc->npos = i + 1;
            loc->npos_only = p->kind == PARAM_POSONLY ? i + 1 : loc->npos_only;
        }
    }
}

static void
walk_func(Resolver *r, Block *s, AstFunc *fn, Span span)
{
    walk_list(r, s, fn->decorators);
    for (AstParam *p = fn->params; p; p = p->next) {
        walk(r, s, p->dflt);
    }
    Block *f = new_scope(r, s, SCOPE_FUNC);
    f->loc->name = fn->name ? sym_text(&r->in->u->names, fn->name) : "<lambda>";
    f->loc->expression = !fn->name;
    f->loc->body = fn->body;
    f->loc->span = span;
    fn->locals = f->loc;
    add_params(r, f, fn);
    if (fn->name) {
        collect_block(r, f, fn->body);
        walk_list(r, f, fn->body);
    } else {
        collect_expr(r, f, fn->body);
        walk(r, f, fn->body);
    }
}

/* Returns the span of the def line, without the body. */
static Span
head_span(const Ast *def)
{
    Span s = def->span;
    if (def->func->body && def->func->body->span.begin > s.begin) {
        s.end = def->func->body->span.begin;
    }
    return s;
}

static void
walk_class(Resolver *r, Block *s, AstClass *c)
{
    walk_list(r, s, c->decorators);
    walk_list(r, s, c->bases);
    Block *body = new_scope(r, s, SCOPE_CLASS);
    body->class_name = c->name;
    collect_block(r, body, c->body);
    walk_list(r, body, c->body);
}

/* Walks a generator expression. It runs when its items are needed, so it holds its
 * variables itself. */
static void
walk_generator(Resolver *r, Block *s, Ast *n)
{
    Block *g = new_scope(r, s, SCOPE_FUNC);
    g->loc->name = "<genexpr>";
    g->loc->span = n->span;
    n->cache = g->loc;
    for (Ast *f = n->list; f; f = f->next) {
        collect_target(r, g, f->a);
    }
    for (Ast *f = n->list; f; f = f->next) {
        walk(r, f == n->list ? s : g, f->b);
        walk(r, g, f->a);
        walk_list(r, g, f->list);
    }
    walk(r, g, n->a);
}

static void
walk_comp(Resolver *r, Block *s, Ast *n)
{
    Block *c = new_scope(r, s, SCOPE_COMP);
    for (Ast *f = n->list; f; f = f->next) {
        collect_target(r, c, f->a);
    }
    for (Ast *f = n->list; f; f = f->next) {
        walk(r, f == n->list ? s : c, f->b);
        walk(r, c, f->a);
        walk_list(r, c, f->list);
    }
    walk(r, c, n->a);
    VEC_PUSH(&r->tmp, &r->comps, (CompUse){n, c});
}

/* ---- constants and calls ------------------------------------------------- */

static inline void
walk_call(Resolver *r, Block *s, Ast *n)
{
    for (Ast *a = n->list; a; a = a->next) {
        walk_node(r, s, a->kind == AST_KEYWORD ? a->a : a);
    }
    walk_node(r, s, n->a);
}

/* Returns the string of a short literal: equal literals are one string. */
static Str *
short_literal(Resolver *r, const Ast *n)
{
    struct Core *c = r->in->core;
    while (c->literals.n <= n->name) {
        VEC_PUSH(r->keep, &c->literals, NULL);
    }
    Str **s = &c->literals.p[n->name];
    if (!*s) {
        *s = val_str_ref(r->in, n->str, n->len).str;
    }
    return *s;
}

static void
walk_constant(Resolver *r, Ast *n)
{
    Value v = val_fail();
    if (n->kind == AST_STRING) {
        n->cache = n->name ? short_literal(r, n) : val_str_ref(r->in, n->str, n->len).str;
    } else if (n->op == INT_TEXT) {
        v = number_parse_literal(r->in, n->str, n->span);
        if (val_failed(v)) {
            error_report(r->in);
            r->ok = false;
            v = val_int(0);
        }
        n->cache = arena_copy(r->keep, &v, sizeof v);
    }
}

static void
walk_aliases(Resolver *r, Block *s, Ast *n)
{
    for (Ast *a = n->orelse; a; a = a->next) {
        use_name(r, s, a, alias_name(r, a));
    }
    if (n->kind == AST_FROM && !n->orelse && s->kind != SCOPE_MODULE) {
        diag_add(r->in->u, D_SYNTAX, n->span, 0,
                 "import * is allowed only at the top level");
        r->ok = false;
    }
}

static void
walk_nonlocal(Resolver *r, Block *s, Ast *n)
{
    for (Ast *a = n->list; a && n->kind == AST_NONLOCAL; a = a->next) {
        bool in_class = false;
        Sym name = private_name(r, s, a->name);
        if (!lookup(s, name, &in_class)) {
            diag_add(r->in->u, D_NAME, a->span, 0,
                     "no enclosing function has a variable '%s'",
                     sym_text(&r->in->u->names, name));
            r->ok = false;
        }
    }
}

static void
walk_named(Resolver *r, Block *s, Ast *n, Sym name)
{
    if (name) {
        n->name = private_name(r, s, name);
        use_name(r, s, n, n->name);
    }
}

static void
walk_module(Resolver *r, Block *s, Ast *module)
{
    for (Ast *n = module->body; n; n = n->next) {
        r->lasting = false;
        walk(r, s, n);
        n->flags |= r->lasting ? AST_LASTING : 0;
    }
}

/* Walks the children of a node whose kind has no rules of its own. */
static void
walk_children(Resolver *r, Block *s, Ast *n)
{
    switch ((AstKind)n->kind) {
    case AST_FSTRING:
    case AST_TUPLE:
    case AST_LIST:
    case AST_DICT:
    case AST_SET:
    case AST_DEL:
        walk_list(r, s, n->list);
        break;
    case AST_COMPARE:
        walk(r, s, n->a);
        walk_list(r, s, n->list);
        break;
    case AST_ASSIGN:
        walk(r, s, n->b);
        walk_list(r, s, n->list);
        break;
    case AST_COND:
    case AST_SLICE:
        walk(r, s, n->a);
        walk(r, s, n->b);
        walk(r, s, n->c);
        break;
    case AST_ANNASSIGN:
        walk(r, s, n->a);
        walk(r, s, n->c);
        break;
    case AST_IF:
    case AST_FOR:
    case AST_WHILE:
        walk(r, s, n->a);
        walk(r, s, n->b); /* null but for AST_FOR */
        s->loops += n->kind != AST_IF;
        walk_list(r, s, n->body);
        s->loops -= n->kind != AST_IF;
        walk_list(r, s, n->orelse);
        break;
    case AST_BREAK:
    case AST_CONTINUE:
        if (!s->loops) {
            diag_add(r->in->u, D_SYNTAX, n->span, 0, "%s is outside of a loop",
                     n->kind == AST_BREAK ? "break" : "continue");
            r->ok = false;
        }
        break;
    case AST_WITH:
        walk_list(r, s, n->list);
        walk_list(r, s, n->body);
        break;
    case AST_TRY:
        walk_list(r, s, n->body);
        walk_list(r, s, n->list);
        walk_list(r, s, n->orelse);
        walk_list(r, s, n->c);
        break;
    case AST_MODULE:
        walk_module(r, s, n);
        break;
    case AST_FIELD:
    case AST_PAIR:
    case AST_AND:
    case AST_OR:
    case AST_AUGASSIGN:
    case AST_WITH_ITEM:
    case AST_RAISE:
    case AST_ASSERT:
        walk(r, s, n->a);
        walk(r, s, n->b);
        break;
    case AST_STARRED:
    case AST_UNARY:
    case AST_COMPARE_PART:
    case AST_KEYWORD:
    case AST_YIELD:
    case AST_AWAIT:
    case AST_RETURN:
        walk(r, s, n->a);
        break;
    default:
        break; /* a leaf */
    }
}

/* Walks a node of a kind that few nodes are of. */
static NOINLINE void
walk_rare(Resolver *r, Block *s, Ast *n)
{
    switch ((AstKind)n->kind) {
    case AST_WALRUS: {
        Block *f = s;
        while (f->kind == SCOPE_COMP) {
            f = f->outer;
        }
        walk(r, s, n->a);
        use_name(r, f, n, private_name(r, s, n->name));
        break;
    }
    case AST_INT:
    case AST_STRING:
        walk_constant(r, n);
        break;
    case AST_LAMBDA:
        walk_func(r, s, n->func, n->span);
        break;
    case AST_DEF:
        walk_func(r, s, n->func, head_span(n));
        walk_named(r, s, n, n->func->name);
        break;
    case AST_CLASS:
        walk_class(r, s, n->klass);
        walk_named(r, s, n, n->klass->name);
        break;
    case AST_EXCEPT:
        walk(r, s, n->a);
        walk_named(r, s, n, n->name);
        walk_list(r, s, n->body);
        break;
    case AST_COMP:
        if (n->op == '(') {
            walk_generator(r, s, n);
        } else {
            walk_comp(r, s, n);
        }
        break;
    case AST_IMPORT:
    case AST_FROM:
        walk_aliases(r, s, n);
        break;
    case AST_GLOBAL:
    case AST_NONLOCAL:
        walk_nonlocal(r, s, n);
        break;
    default:
        walk_children(r, s, n);
        break;
    }
}

static void
walk(Resolver *r, Block *s, Ast *n)
{
    if (!n || is_known(s, n)) {
        return;
    }
    switch ((AstKind)n->kind) {
    case AST_NAME:
        walk_name(r, s, n);
        break;
    case AST_ATTR:
        n->name = private_name(r, s, n->name);
        walk_node(r, s, n->a);
        break;
    case AST_CALL:
        walk_call(r, s, n);
        break;
    case AST_BINARY:
    case AST_INDEX:
        walk_node(r, s, n->a);
        walk_node(r, s, n->b);
        break;
    case AST_EXPR:
        walk_node(r, s, n->a);
        break;
    case AST_FLOAT:
        break;
    default:
        walk_rare(r, s, n);
        break;
    }
}

/* ---- places -------------------------------------------------------------- */

static void
number_holder(Resolver *r, Block *h)
{
    Locals *loc = h->loc;
    for (uint32_t i = 0; i < h->own.n; i++) {
        Binding *v = h->own.p[i];
        if (!v->global && !v->nonlocal) {
            v->slot = v->captured ? loc->nown++ : loc->nslots++;
        }
    }
    loc->ncells = loc->nown + h->freed.n;
    loc->slot_names = ARENA_ARRAY(r->keep, Sym, loc->nslots);
    loc->cell_names = ARENA_ARRAY(r->keep, Sym, loc->ncells);
    loc->outer = ARENA_ARRAY(r->keep, uint32_t, h->freed.n);
    for (uint32_t i = 0; i < h->own.n; i++) {
        const Binding *v = h->own.p[i];
        if (!v->global && !v->nonlocal && !v->temporary) {
            (v->captured ? loc->cell_names : loc->slot_names)[v->slot] = v->name;
        }
    }
    loc->plain = loc->npos == loc->nparams && loc->npos_only == 0;
    for (int i = 0; i < loc->nparams; i++) {
        const Binding *v = find_var(h, loc->params[i].name);
        loc->params[i].slot = v->slot;
        loc->params[i].in_cell = v->captured;
        loc->plain = loc->plain && !v->captured;
    }
}

static uint32_t
cell_number(const Block *h, const Binding *v)
{
    if (v->holder == h) {
        return v->slot;
    }
    for (uint32_t i = 0; i < h->freed.n; i++) {
        if (h->freed.p[i] == v) {
            return h->loc->nown + i;
        }
    }
    UNREACHABLE();
}

static void
link_cells(Block *h)
{
    for (uint32_t i = 0; i < h->freed.n; i++) {
        h->loc->outer[i] = cell_number(h->outer->holder, h->freed.p[i]);
        h->loc->cell_names[h->loc->nown + i] = h->freed.p[i]->name;
    }
}

static void
place_comp(Resolver *r, const CompUse *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->scope->vars.n; i++) {
        n += c->scope->vars.p[i]->captured;
    }
    if (!n) {
        return;
    }
    CompFacts *f = arena_alloc(r->keep, sizeof *f + n * sizeof f->cell[0]);
    for (uint32_t i = 0; i < c->scope->vars.n; i++) {
        if (c->scope->vars.p[i]->captured) {
            f->cell[f->n++] = c->scope->vars.p[i]->slot;
        }
    }
    c->node->cache = f;
}

static void
write_places(Resolver *r)
{
    for (uint32_t i = 0; i < r->holders.n; i++) {
        number_holder(r, r->holders.p[i]);
    }
    for (uint32_t i = 0; i < r->holders.n; i++) {
        link_cells(r->holders.p[i]);
    }
    for (uint32_t i = 0; i < r->uses.n; i++) {
        const Use *u = &r->uses.p[i];
        if (u->var->captured) {
            set_place(u->node, u->in_class ? PLACE_CLASS_CELL : PLACE_CELL,
                      cell_number(u->holder, u->var));
        } else {
            set_place(u->node, u->in_class ? PLACE_CLASS_LOCAL : PLACE_LOCAL,
                      u->var->slot);
        }
    }
    for (uint32_t i = 0; i < r->comps.n; i++) {
        place_comp(r, &r->comps.p[i]);
    }
}

Locals *
resolve_tree(Interp *in, ModuleVal *module, Ast *tree)
{
    Resolver r = {.in = in, .keep = core_arena(in), .module = module, .ok = true};
    Block *top = new_scope(&r, NULL, SCOPE_MODULE);
    top->loc->name = module->name;
    top->loc->body = tree;
    walk(&r, top, tree);
    write_places(&r);
    Locals *loc = top->loc;
    arena_free(&r.tmp);
    return r.ok ? loc : NULL;
}

bool
resolve_node(Interp *in, const ModuleVal *module, Ast *n)
{
    const struct Core *c = in->core;
    const Attr *var = NULL;
    switch ((AstKind)n->kind) {
    case AST_NAME:
        var = attrs_entry(&module->attrs, n->name);
        if (var) {
            set_place(n, PLACE_GLOBAL, (uint32_t)(var - module->attrs.p));
        }
        return var != NULL;
    case AST_STRING:
        n->cache = n->name < c->literals.n ? c->literals.p[n->name] : NULL;
        return n->name && n->cache;
    case AST_INT:
        return n->op != INT_TEXT;
    case AST_NONE:
    case AST_BOOL:
    case AST_FLOAT:
    case AST_TUPLE:
    case AST_UNARY:
    case AST_BINARY:
    case AST_COMPARE:
    case AST_COMPARE_PART:
    case AST_CALL:
    case AST_KEYWORD:
    case AST_ATTR:
    case AST_INDEX:
    case AST_EXPR:
    case AST_ASSIGN:
    case AST_WITH_ITEM:
        return true;
    default:
        return false;
    }
}
