/* symbols.c: see symbols.h. A walk of a scope first declares what its statements bind,
 * then resolves the names that they read; scopes inside are walked when they are met. */
#include "lsp/symbols.h"

#include <string.h>

typedef enum ScopeKind {
    SCOPE_MODULE,
    SCOPE_FUNCTION,
    SCOPE_CLASS,
    SCOPE_COMP
} ScopeKind;

typedef struct Known {
    Sym name;
    uint32_t variable;
} Known;

typedef struct NameScope {
    struct NameScope *parent;
    ScopeKind kind;
    VEC(Known) entries;
} NameScope;

typedef struct Walk {
    const Unit *u;
    Arena *a;
    Symbols *out;
    NameScope *scope;
    NameScope *module;
    bool declares; /* the first walk of a scope */
} Walk;

/* ---- names --------------------------------------------------------------- */

static bool
is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || (unsigned char)c >= 0x80;
}

Span
symbols_word(const Unit *u, Span in, uint32_t from, const char *name)
{
    const char *text = u->sources.p[in.file].text;
    uint32_t n = (uint32_t)strlen(name);
    for (uint32_t i = MAX(from, in.begin); n && i + n <= in.end; i++) {
        bool before = i > 0 && is_name_byte(text[i - 1]);
        if (!before && memcmp(text + i, name, n) == 0 && !is_name_byte(text[i + n])) {
            return (Span){in.file, i, i + n};
        }
    }
    return (Span){in.file, in.begin, in.begin};
}

static uint32_t
find(const NameScope *s, Sym name)
{
    for (uint32_t i = 0; i < s->entries.n; i++) {
        if (s->entries.p[i].name == name) {
            return s->entries.p[i].variable + 1;
        }
    }
    return 0;
}

static uint32_t
declare_in(Walk *w, NameScope *s, Sym name)
{
    uint32_t known = find(s, name);
    if (known) {
        return known - 1;
    }
    Variable v = {.name = name, .bound = true, .attribute = s->kind == SCOPE_CLASS};
    Known e = {name, w->out->variables.n};
    VEC_PUSH(w->a, &w->out->variables, v);
    VEC_PUSH(w->a, &s->entries, e);
    return e.variable;
}

/* Finds the variable that a name means; one that nothing binds is one of the module. */
static uint32_t
resolve(Walk *w, Sym name)
{
    for (NameScope *s = w->scope; s; s = s->parent) {
        uint32_t known = s->kind != SCOPE_CLASS || s == w->scope ? find(s, name) : 0;
        if (known) {
            return known - 1;
        }
    }
    uint32_t v = declare_in(w, w->module, name);
    w->out->variables.p[v].bound = false;
    return v;
}

static void
occur(Walk *w, Sym name, Span at, bool binds)
{
    if (w->declares && binds) {
        (void)declare_in(w, w->scope, name);
    } else if (!w->declares && at.end > at.begin) {
        Occurrence o = {at, resolve(w, name), binds};
        VEC_PUSH(w->a, &w->out->all, o);
    }
}

/* A name that a statement binds, which stands somewhere in it. */
static void
bind_word(Walk *w, Sym name, Span in, uint32_t from)
{
    occur(w, name, symbols_word(w->u, in, from, sym_text(&w->u->names, name)), true);
}

/* ---- walks --------------------------------------------------------------- */

static void walk(Walk *w, const Ast *n);

static void
walk_list(Walk *w, const Ast *n)
{
    for (; n; n = n->next) {
        walk(w, n);
    }
}

static void
bind_target(Walk *w, const Ast *t)
{
    switch (t->kind) {
    case AST_NAME:
        occur(w, t->name, t->span, true);
        break;
    case AST_TUPLE:
    case AST_LIST:
        for (const Ast *i = t->list; i; i = i->next) {
            bind_target(w, i);
        }
        break;
    case AST_STARRED:
        bind_target(w, t->a);
        break;
    default:
        walk(w, t);
        break;
    }
}

static void
bind_targets(Walk *w, const Ast *t)
{
    for (; t; t = t->next) {
        bind_target(w, t);
    }
}

/* Walks statements in a scope of their own: what they bind, then what they read. */
static void
walk_scope(Walk *w, ScopeKind kind, const AstFunc *f, const Ast *body,
           void (*inside)(Walk *, const Ast *))
{
    NameScope s = {.parent = w->scope, .kind = kind};
    w->scope = &s;
    for (int pass = 0; pass < 2; pass++) {
        w->declares = pass == 0;
        for (const AstParam *p = f ? f->params : NULL; p; p = p->next) {
            if (p->name) {
                bind_word(w, p->name, p->span, p->span.begin);
                w->out->variables.p[find(&s, p->name) - 1].parameter = true;
            }
        }
        inside(w, body);
    }
    w->scope = s.parent;
}

/* Defaults and annotations belong to the scope around the function. */
static void
walk_func(Walk *w, const AstFunc *f)
{
    for (const AstParam *p = f->params; p; p = p->next) {
        walk(w, p->dflt);
        walk(w, p->annotation);
    }
    walk(w, f->returns);
    if (!w->declares) {
        walk_scope(w, SCOPE_FUNCTION, f, f->body, walk_list);
        w->declares = false;
    }
}

static void
walk_class(Walk *w, const Ast *n)
{
    walk_list(w, n->klass->bases);
    if (!w->declares) {
        walk_scope(w, SCOPE_CLASS, NULL, n->klass->body, walk_list);
        w->declares = false;
    }
}

static void
walk_comp_inside(Walk *w, const Ast *n)
{
    for (const Ast *f = n->list; f; f = f->next) {
        bind_target(w, f->a);
        walk(w, f->b);
        walk_list(w, f->list);
    }
    walk(w, n->a);
}

static void
walk_aliases(Walk *w, const Ast *n)
{
    for (const Ast *a = n->orelse; a; a = a->next) {
        const char *dot = strchr(a->str, '.');
        size_t len =
            n->kind == AST_IMPORT && dot ? (size_t)(dot - a->str) : strlen(a->str);
        Interner *names = (Interner *)&w->u->names;
        Sym name = a->name ? a->name : intern_n(names, a->str, len);
        uint32_t from = a->span.begin + (a->name ? (uint32_t)strlen(a->str) : 0);
        bind_word(w, name, a->span, from);
    }
}

/* Names of the statements global and nonlocal are those of an outer scope. */
static void
walk_outer(Walk *w, const Ast *n)
{
    for (const Ast *i = n->list; i; i = i->next) {
        NameScope *s = n->kind == AST_GLOBAL ? w->module : w->scope->parent;
        while (n->kind == AST_NONLOCAL && s && s->parent && !find(s, i->name)) {
            s = s->parent;
        }
        if (w->declares && s) {
            Known e = {i->name, declare_in(w, s, i->name)};
            VEC_PUSH(w->a, &w->scope->entries, e);
        }
        occur(w, i->name, i->span, false);
    }
}

static void
walk_except(Walk *w, const Ast *n)
{
    walk(w, n->a);
    if (n->name) {
        bind_word(w, n->name, n->span, n->a ? n->a->span.end : n->span.begin);
    }
    walk_list(w, n->body);
}

/* Walks a node that has only expressions. */
static void
walk_expression(Walk *w, const Ast *n)
{
    switch (n->kind) {
    case AST_NAME:
        occur(w, n->name, n->span, false);
        break;
    case AST_FSTRING:
    case AST_TUPLE:
    case AST_LIST:
    case AST_DICT:
    case AST_SET:
        walk_list(w, n->list);
        break;
    case AST_PAIR:
    case AST_BINARY:
    case AST_AND:
    case AST_OR:
    case AST_INDEX:
    case AST_FIELD:
        walk(w, n->a);
        walk(w, n->b);
        break;
    case AST_STARRED:
    case AST_UNARY:
    case AST_COMPARE_PART:
    case AST_KEYWORD:
    case AST_ATTR:
    case AST_YIELD:
    case AST_AWAIT:
        walk(w, n->a);
        break;
    case AST_COMPARE:
    case AST_CALL:
        walk(w, n->a);
        walk_list(w, n->list);
        break;
    case AST_COND:
    case AST_SLICE:
        walk(w, n->a);
        walk(w, n->b);
        walk(w, n->c);
        break;
    case AST_LAMBDA:
        walk_func(w, n->func);
        break;
    case AST_COMP:
        if (!w->declares) {
            walk_scope(w, SCOPE_COMP, NULL, n, walk_comp_inside);
            w->declares = false;
        }
        break;
    case AST_WALRUS:
        walk(w, n->a);
        bind_word(w, n->name, n->span, n->span.begin);
        break;
    default:
        break;
    }
}

static void
walk_block(Walk *w, const Ast *n)
{
    switch (n->kind) {
    case AST_IF:
    case AST_WHILE:
        walk(w, n->a);
        break;
    case AST_FOR:
        walk(w, n->b);
        bind_target(w, n->a);
        break;
    case AST_WITH:
        for (const Ast *i = n->list; i; i = i->next) {
            walk(w, i->a);
            bind_targets(w, i->b);
        }
        walk_list(w, n->body);
        return;
    case AST_TRY:
        walk_list(w, n->body);
        walk_list(w, n->list);
        walk_list(w, n->orelse);
        walk_list(w, n->c);
        return;
    default:
        return;
    }
    walk_list(w, n->body);
    walk_list(w, n->orelse);
}

static void
walk_def(Walk *w, const Ast *n)
{
    bool def = n->kind == AST_DEF;
    walk_list(w, def ? n->func->decorators : n->klass->decorators);
    bind_word(w,
              n->name ? n->name
              : def   ? n->func->name
                      : n->klass->name,
              n->span, n->span.begin);
    if (def) {
        walk_func(w, n->func);
    } else {
        walk_class(w, n);
    }
}

static void
walk_simple(Walk *w, const Ast *n)
{
    switch (n->kind) {
    case AST_ASSIGN:
        walk(w, n->b);
        bind_targets(w, n->list);
        break;
    case AST_AUGASSIGN:
        walk(w, n->b);
        bind_target(w, n->a);
        break;
    case AST_ANNASSIGN:
        walk(w, n->b);
        walk(w, n->c);
        bind_target(w, n->a);
        break;
    case AST_EXPR:
    case AST_RETURN:
        walk(w, n->a);
        break;
    case AST_RAISE:
    case AST_ASSERT:
        walk(w, n->a);
        walk(w, n->b);
        break;
    case AST_DEL:
        walk_list(w, n->list);
        break;
    case AST_IMPORT:
    case AST_FROM:
        walk_aliases(w, n);
        break;
    case AST_GLOBAL:
    case AST_NONLOCAL:
        walk_outer(w, n);
        break;
    default:
        walk_expression(w, n);
        break;
    }
}

static void
walk(Walk *w, const Ast *n)
{
    if (!n) {
        return;
    }
    switch (n->kind) {
    case AST_IF:
    case AST_WHILE:
    case AST_FOR:
    case AST_WITH:
    case AST_TRY:
        walk_block(w, n);
        break;
    case AST_EXCEPT:
        walk_except(w, n);
        break;
    case AST_DEF:
    case AST_CLASS:
        walk_def(w, n);
        break;
    default:
        walk_simple(w, n);
        break;
    }
}

void
symbols_collect(const Unit *u, const Ast *module, Arena *a, Symbols *out)
{
    NameScope s = {.kind = SCOPE_MODULE};
    Walk w = {u, a, out, &s, &s, true};
    walk_list(&w, module->body);
    w.declares = false;
    walk_list(&w, module->body);
}

const Occurrence *
symbols_at(const Symbols *s, size_t offset)
{
    for (uint32_t i = 0; i < s->all.n; i++) {
        const Occurrence *o = &s->all.p[i];
        if (o->at.begin <= offset && offset <= o->at.end) {
            return o;
        }
    }
    return NULL;
}
