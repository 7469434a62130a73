/* print.c: inserts statements that note what the user wants to see (Options.prints) in a
 * log, which is one more workspace of the kernel; so does what the program prints itself
 * (Kernel.print_calls). They are loads and stores like any
 * other, so every pass and both back ends respect them, and what is noted is the same on
 * both.
 *
 * Needs: the kernel as it was staged. Guarantees: the effects on all other buffers stay;
 * Kernel.prints says what the records of the log are (ir.h). Never: changes a kernel for
 * which nothing is wished.
 *
 * Each core has a part of the log: a word with the number of words that its records take,
 * then the records, as many as fit; the last word is 1 if some did not. A record is the
 * number of its site, the values of the loop variables around it, and the elements, each
 * in the first bytes of a word of its own. What is noted at a line is noted after the
 * statements of that line.
 *
 * Diagnostics: usage, for a wish that no tensor, slice or line fits. */
#include "passes/passes.h"
#include "passes/print_note.h"

#include <string.h>

/* ---- what is printed ----------------------------------------------------- */

static BufId
find_buffer(const Print *p, Sym name)
{
    const Kernel *k = p->k;
    for (uint32_t i = p->alive.n; i-- > 0;) {
        if (k->bufs.p[p->alive.p[i]].name == name) {
            return p->alive.p[i];
        }
    }
    for (BufId b = 1; b < k->bufs.n; b++) {
        bool list = k->bufs.p[b].role == BUF_LIST;
        if (k->bufs.p[b].scope == SC_GM && k->bufs.p[b].name == name && !list) {
            return b;
        }
    }
    return 0;
}

static ExprId
find_value(const Print *p, Sym name)
{
    Kernel *k = p->k;
    for (uint32_t i = p->loops.n; i-- > 0;) {
        VarId v = k->stmts.p[p->loops.p[i]].loop.var;
        if (k->vars.p[v].name == name || k->vars.p[v].bound == name) {
            return ir_var_value(k, v);
        }
    }
    for (uint32_t i = p->set.n; i-- > 0;) {
        if (k->regs.p[p->set.p[i]].name == name) {
            return ir_reg_value(k, p->set.p[i]);
        }
    }
    return 0;
}

static const char *
refuse(Print *p, const char *fmt, int64_t a, int64_t b)
{
    return arena_printf(&p->k->unit->arena, fmt, (long long)a, (long long)b);
}

/* Finds the box of elements that the brackets select. Returns what is wrong, or null. */
static const char *
find_box(Print *p, const PrintWish *w, Subject *out)
{
    const Buffer *b = &p->k->bufs.p[out->buf];
    int n = (int)b->shape.n;
    int64_t step = 1, elems = 1;
    if (w->ndim > n || n > PRINT_DIMS) {
        return refuse(p, "the tensor has %lld dimensions, the brackets %lld", n, w->ndim);
    }
    for (int d = n - 1; d >= 0; d--) {
        bool given = d < w->ndim;
        int64_t size = b->shape.p[d], lo = given ? w->lo[d] : 0;
        int64_t hi = given && w->hi[d] >= 0 ? w->hi[d] : size;
        if (hi > size || lo >= hi) {
            return refuse(p, "dimension %lld of the tensor has %lld elements", d, size);
        }
        out->from += lo * step;
        out->count[d] = hi - lo;
        out->step[d] = step;
        step *= size;
        elems *= hi - lo;
        if (elems > PRINT_MOST) {
            return refuse(p,
                          "these are more than %lld elements: give a part, as [0:%lld]",
                          PRINT_MOST, 16);
        }
    }
    out->ndim = n;
    return NULL;
}

static const char *
find_subject(Print *p, const PrintWish *w, Subject *out)
{
    Sym name = intern(&p->k->unit->names, w->name);
    *out = (Subject){.buf = find_buffer(p, name)};
    if (!out->buf) {
        out->value = find_value(p, name);
        if (!out->value) {
            return arena_printf(&p->k->unit->arena,
                                "no tensor, Scalar or loop variable '%s' is known there",
                                w->name);
        }
        return w->ndim ? "it has one value, and no brackets" : NULL;
    }
    const Buffer *b = &p->k->bufs.p[out->buf];
    if (b->scope == SC_LMEM || dtype_size(b->dtype) > PRINT_WORD ||
        b->dtype >= DT_PLAIN) {
        return b->scope == SC_LMEM ? "it is in LMEM lanes; print it after a move to "
                                     "global memory"
                                   : "elements of its type cannot be printed";
    }
    out->dtype = b->dtype;
    return find_box(p, w, out);
}

static uint32_t
wish_site(Print *p, const PrintWish *w, const Subject *s)
{
    PrintSite site = note_site(p, s);
    site.text = w->text;
    site.line = w->line;
    note_shape(&site, s, w);
    return note_add_site(p, site);
}

/* ---- places -------------------------------------------------------------- */

typedef struct Walk {
    Print *p;
    PrintWish *w; /* null: the calls of the program */
    Cursor first; /* the beginning of the kernel, after what was added there */
} Walk;

/* Returns the last of the prints that follow a statement, or the statement itself. */
static StmtId
last_print(const Print *p, StmtId id)
{
    for (StmtId n = p->k->stmts.p[id].next; n >= p->staged; n = p->k->stmts.p[n].next) {
        id = n;
    }
    return id;
}

/* Adds a record after a statement and the prints that follow it. */
static void
print_after(Walk *walk, StmtId id)
{
    Print *p = walk->p;
    Subject s;
    const char *why = find_subject(p, walk->w, &s);
    if (why) {
        walk->w->why = why;
        return;
    }
    walk->w->matched = true;
    p->span = p->k->stmts.p[id].span;
    p->chain = p->k->stmts.p[id].chain;
    note_log(p);
    p->at = (Cursor){last_print(p, id), 2};
    (void)note_enter(p, (Stmt){.kind = ST_SCOPE});
    note_core(p);
    if (walk->w->core >= 0) {
        (void)note_if(p, ir_op2(p->k, SOP_EQ, p->core, note_number(p, walk->w->core)));
    }
    if (walk->w->time > 0) {
        note_wait(p, walk->w->time, &walk->first);
    }
    note_record(p, &s, wish_site(p, walk->w, &s));
}

/* Finds what an argument of a call is: a text that names nothing is shown itself. */
static Subject
call_subject(Print *p, PrintArg *arg)
{
    Subject s = {.value = arg->value, .buf = arg->buf, .dtype = arg->dtype};
    if (arg->text) {
        if (!arg->wish || find_subject(p, arg->wish, &s)) {
            arg->before = arena_printf(&p->k->arena, "%s%s", arg->before, arg->text);
            return (Subject){0};
        }
        arg->before = arena_printf(&p->k->arena, "%s%s = ", arg->before, arg->text);
        return s;
    }
    s.off = arg->off;
    s.ndim = arg->ndim;
    for (int d = 0; d < arg->ndim; d++) {
        s.count[d] = arg->shape[d];
        s.step[d] = arg->step[d];
    }
    return s;
}

static void
call_record(Print *p, PrintArg *arg, bool first, const char *after)
{
    Subject s = call_subject(p, arg);
    PrintSite site = note_site(p, &s);
    Unit *u = p->k->unit;
    site.line =
        source_line_col(&u->arena, &u->sources.p[p->span.file], p->span.begin).line;
    site.before = arg->before;
    site.spec = arg->spec;
    site.after = after;
    site.first = first;
    note_shape(&site, &s, arg->text ? arg->wish : NULL);
    note_record(p, &s, note_add_site(p, site));
}

/* Adds the records of a call, of which each value has one. */
static void
print_call(Print *p, PrintCall *call)
{
    p->span = p->k->stmts.p[call->at].span;
    p->chain = p->k->stmts.p[call->at].chain;
    note_log(p);
    p->at = (Cursor){call->at, 2};
    (void)note_enter(p, (Stmt){.kind = ST_SCOPE});
    note_core(p);
    PrintArg none = {.before = call->after, .spec = ""};
    for (uint32_t i = 0; i < call->args.n; i++) {
        bool last = i + 1 == call->args.n;
        call_record(p, &call->args.p[i], i == 0, last ? call->after : NULL);
    }
    if (call->args.n == 0) {
        call_record(p, &none, true, "");
    }
}

static void
print_calls(Print *p, StmtId id)
{
    for (uint32_t i = 0; i < p->k->print_calls.n; i++) {
        if (p->k->print_calls.p[i].at == id) {
            print_call(p, &p->k->print_calls.p[i]);
        }
    }
}

static bool
ends_in(const char *path, const char *file)
{
    size_t n = strlen(path), m = strlen(file);
    return n >= m && strcmp(path + n - m, file) == 0 &&
           (n == m || path[n - m - 1] == '/');
}

static bool
is_at(const Walk *walk, StmtId id)
{
    Unit *u = walk->p->k->unit;
    Span span = walk->p->k->stmts.p[id].span;
    Source *src = &u->sources.p[span.file];
    return id && span.file && ends_in(src->path, walk->w->file) &&
           source_line_col(&u->arena, src, span.begin).line == walk->w->line;
}

/* Returns whether the last statement of the line has come: a call may be several. */
static bool
is_end(const Walk *walk, StmtId id)
{
    const Stmt *s = &walk->p->k->stmts.p[id];
    bool leaves = s->kind == ST_BREAK || s->kind == ST_CONTINUE || s->kind == ST_RETURN;
    StmtId next = walk->p->k->stmts.p[last_print(walk->p, id)].next;
    return is_at(walk, id) && !leaves &&
           (!is_at(walk, next) || walk->p->k->stmts.p[next].chain != s->chain);
}

static void walk_body(Walk *walk, StmtId first);

static void
walk_stmt(Walk *walk, StmtId id)
{
    Print *p = walk->p;
    const Stmt s = p->k->stmts.p[id];
    switch ((StmtKind)s.kind) {
    case ST_ALLOC:
        VEC_PUSH(&p->scratch, &p->alive, s.alloc.buf);
        return;
    case ST_SET:
    case ST_LOAD:
        VEC_PUSH(&p->scratch, &p->set, s.kind == ST_SET ? s.set.reg : s.load.reg);
        return;
    case ST_FOR:
        VEC_PUSH(&p->scratch, &p->loops, id);
        walk_body(walk, s.loop.body);
        p->loops.n--;
        return;
    case ST_IF:
        walk_body(walk, s.cond.then_body);
        walk_body(walk, s.cond.else_body);
        return;
    case ST_SCOPE:
        walk_body(walk, s.scope.body);
        return;
    case ST_NONE:
    case ST_INSTR:
    case ST_STORE:
    case ST_BREAK:
    case ST_CONTINUE:
    case ST_RETURN:
        return;
    }
}

static void
walk_body(Walk *walk, StmtId first)
{
    uint32_t alive = walk->p->alive.n;
    for (StmtId id = first; id; id = walk->p->k->stmts.p[id].next) {
        if (id >= walk->p->staged) {
            continue;
        }
        walk_stmt(walk, id);
        if (!walk->w) {
            print_calls(walk->p, id);
        } else if (is_end(walk, id)) {
            print_after(walk, id);
        }
    }
    walk->p->alive.n = alive;
}

bool
pass_print(Kernel *k)
{
    Print p = {.k = k, .staged = k->stmts.n};
    arena_init(&p.scratch);
    Options *opt = &k->unit->opt;
    for (uint32_t i = 0; i < opt->prints.n; i++) {
        Walk walk = {&p, opt->prints.p[i], ir_cursor_body(0, 0)};
        p.set.n = p.alive.n = 0;
        walk_body(&walk, k->body);
    }
    if (k->print_calls.n > 0) {
        Walk walk = {&p, NULL, ir_cursor_body(0, 0)};
        p.set.n = p.alive.n = 0;
        walk_body(&walk, k->body);
        k->print_calls.n = 0;
    }
    if (p.log) {
        p.at = ir_cursor_body(0, 0);
        p.span = k->span;
        note_set(&p, p.pos, note_number(&p, 0));
    }
    arena_free(&p.scratch);
    return true;
}
