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

#include <string.h>

enum {
    WORD = 8,
    MOST_ELEMS = 16384,   /* of one record */
    MOST_WORDS = 1 << 16, /* of the records of a core; powers of two */
    LEAST_WORDS = 1 << 10,
    ALL_WORDS = 1 << 22 /* of all cores, about */
};

typedef struct Print {
    Kernel *k;
    Arena scratch;
    VEC(BufId) alive;  /* tensors of the core, in the order of their allocs */
    VEC(StmtId) loops; /* around the statement */
    VEC(RegId) set;    /* registers that have got a value, in that order */
    uint32_t staged;   /* statements from this number on are those of prints */
    BufId log;
    RegId pos;                  /* words of records so far */
    int64_t cores, words, part; /* words of records of a core; of its part of the log */
    /* where statements are added, and the place that they have */
    Cursor at;
    Span span;
    uint32_t chain;
    ExprId core; /* index of the core, and the word at which its part begins */
    ExprId base;
} Print;

/* ---- making statements --------------------------------------------------- */

static ExprId
number(Print *p, int64_t v)
{
    return ir_const(p->k, DT_S64, v);
}

static ExprId
sum(Print *p, ExprId a, ExprId b)
{
    return ir_op2(p->k, SOP_ADD, a, b);
}

static ExprId
times(Print *p, ExprId a, int64_t factor)
{
    return ir_op2(p->k, SOP_MUL, a, number(p, factor));
}

static StmtId
add(Print *p, Stmt s)
{
    s.span = p->span;
    s.chain = p->chain;
    return ir_append(p->k, &p->at, &s);
}

static RegId
new_reg(Print *p, const char *name, Dtype t)
{
    return ir_reg(p->k, intern(&p->k->unit->names, name), t, p->span);
}

static void
set(Print *p, RegId r, ExprId value)
{
    add(p, (Stmt){.kind = ST_SET, .set = {r, value}});
}

/* Stores a value in a word of the log. */
static void
store(Print *p, ExprId word, ExprId value)
{
    Dtype t = (Dtype)ir_expr(p->k, value)->dtype;
    add(p, (Stmt){.kind = ST_STORE, .store = {{p->log, t, times(p, word, WORD)}, value}});
}

/* Adds a statement with a body, in which statements are added from then on; returns where
 * those after it go. */
static Cursor
enter(Print *p, Stmt s)
{
    StmtId id = add(p, s);
    Cursor after = p->at;
    p->at = ir_cursor_body(id, 0);
    return after;
}

static Cursor
enter_if(Print *p, ExprId cond)
{
    return enter(p, (Stmt){.kind = ST_IF, .cond = {.cond = cond}});
}

static Cursor
enter_loop(Print *p, const char *name, int64_t n, ExprId *value)
{
    VarId v = ir_var(p->k, intern(&p->k->unit->names, name), DT_S64);
    *value = ir_var_value(p->k, v);
    return enter(p, (Stmt){.kind = ST_FOR,
                           .loop = {.var = v,
                                    .begin = number(p, 0),
                                    .end = number(p, n),
                                    .block_num = 1,
                                    .thread_num = 1}});
}

/* ---- the log ------------------------------------------------------------- */

/* Returns the most cores that a loop of the kernel has. */
static int64_t
count_cores(const Kernel *k)
{
    int64_t cores = 1;
    for (StmtId id = 1; id < k->stmts.n; id++) {
        const Stmt *s = &k->stmts.p[id];
        if (s->kind == ST_FOR && ir_is_multicore(s)) {
            cores = MAX(cores, ir_blocks(k, s));
        }
    }
    return cores;
}

/* Workspaces come before other global tensors and lists. */
static void
add_param(Print *p, BufId log)
{
    Kernel *k = p->k;
    uint32_t at = k->params.n;
    VEC_PUSH(&k->arena, &k->params, log);
    while (at > 0 && k->bufs.p[k->params.p[at - 1]].role > BUF_WORKSPACE) {
        k->params.p[at] = k->params.p[at - 1];
        at--;
    }
    k->params.p[at] = log;
}

static void
make_log(Print *p)
{
    Kernel *k = p->k;
    if (p->log) {
        return;
    }
    p->cores = count_cores(k);
    p->words = MOST_WORDS;
    while (p->words > LEAST_WORDS && p->words * p->cores > ALL_WORDS) {
        p->words /= 2;
    }
    p->part = p->words + MOST_ELEMS + 2 * IR_PRINT_VARS;
    Buffer b = {.name = intern(&k->unit->names, IR_PRINT_LOG),
                .scope = SC_GM,
                .dtype = DT_S64,
                .role = BUF_WORKSPACE,
                .elems = p->part * p->cores,
                .bytes = p->part * p->cores * WORD,
                .address = -1,
                .copies = 1,
                .span = k->span};
    VEC_PUSH(&k->arena, &b.shape, p->cores);
    VEC_PUSH(&k->arena, &b.shape, p->part);
    p->log = ir_buffer(k, &b);
    add_param(p, p->log);
    p->pos = new_reg(p, "print_words", DT_S64);
}

/* ---- what is printed ----------------------------------------------------- */

/* What a wish is at a place of the program. */
typedef struct Subject {
    ExprId value; /* of a Scalar or a variable; 0: it is a tensor */
    BufId buf;
    Dtype dtype; /* of elements */
    ExprId off;  /* in bytes, before all others; 0: none */
    int ndim;    /* of the box of elements */
    int64_t from, count[PRINT_DIMS], step[PRINT_DIMS]; /* in elements */
} Subject;

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
        if (elems > MOST_ELEMS) {
            return refuse(p,
                          "these are more than %lld elements: give a part, as [0:%lld]",
                          MOST_ELEMS, 16);
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
    if (b->scope == SC_LMEM || dtype_size(b->dtype) > WORD || b->dtype >= DT_PLAIN) {
        return b->scope == SC_LMEM ? "it is in LMEM lanes; print it after a move to "
                                     "global memory"
                                   : "elements of its type cannot be printed";
    }
    out->dtype = b->dtype;
    return find_box(p, w, out);
}

/* ---- a record ------------------------------------------------------------ */

static int64_t
elems_of(const Subject *s)
{
    int64_t n = s->buf || s->value;
    for (int d = 0; d < s->ndim; d++) {
        n *= s->count[d];
    }
    return n;
}

/* Notes the elements of a box from a word of the log on. */
static void
note_box(Print *p, const Subject *s, ExprId word)
{
    ExprId from = number(p, s->from), to = word;
    Dtype t = s->dtype;
    Cursor after = p->at;
    bool inside = false;
    int64_t row = elems_of(s);
    for (int d = 0; d < s->ndim; d++) {
        row /= s->count[d];
        if (s->count[d] == 1) {
            continue;
        }
        ExprId j;
        Cursor c = enter_loop(p, "print_i", s->count[d], &j);
        after = inside ? after : c;
        inside = true;
        from = sum(p, from, times(p, j, s->step[d]));
        to = sum(p, to, times(p, j, row));
    }
    RegId r = new_reg(p, "print_element", t);
    ExprId off = times(p, from, dtype_size(t));
    off = s->off ? sum(p, s->off, off) : off;
    add(p, (Stmt){.kind = ST_LOAD, .load = {r, {s->buf, t, off}}});
    store(p, to, ir_reg_value(p->k, r));
    p->at = inside ? after : p->at;
}

/* Makes a site, with the variables whose values each record has. */
static PrintSite
make_site(const Print *p, const Subject *s)
{
    const Kernel *k = p->k;
    PrintSite site = {.scalar = s->value || s->ndim == 0, .elems = elems_of(s)};
    site.file = k->unit->sources.p[p->span.file].path;
    site.dtype = s->value ? (Dtype)ir_expr(k, s->value)->dtype : s->dtype;
    for (uint32_t i = 0; i < p->loops.n; i++) {
        const Stmt *loop = &k->stmts.p[p->loops.p[i]];
        if (!ir_is_multicore(loop) && site.nvars < IR_PRINT_VARS) {
            site.vars[site.nvars++] = loop->loop.var;
        }
    }
    return site;
}

static void
site_shape(PrintSite *site, const Subject *s, const PrintWish *w)
{
    for (int d = 0; d < s->ndim; d++) {
        if (!w || d >= w->ndim || !w->single[d]) {
            site->shape[site->ndim++] = s->count[d];
        }
    }
}

static uint32_t
add_site(Print *p, PrintSite site)
{
    VEC_PUSH(&p->k->arena, &p->k->prints, site);
    return p->k->prints.n - 1;
}

static uint32_t
wish_site(Print *p, const PrintWish *w, const Subject *s)
{
    PrintSite site = make_site(p, s);
    site.text = w->text;
    site.line = w->line;
    site_shape(&site, s, w);
    return add_site(p, site);
}

/* Adds the record of a site, if there is room for it. */
static void
add_record(Print *p, const Subject *s, uint32_t index)
{
    Kernel *k = p->k;
    const PrintSite site = k->prints.p[index];
    int64_t size = 1 + site.nvars + site.elems;
    ExprId pos = ir_reg_value(k, p->pos);
    ExprId room = ir_op2(k, SOP_LE, pos, number(p, p->words - size));
    Cursor after = enter_if(p, room);
    RegId at = new_reg(p, "print_at", DT_S64);
    /* the mask says to the prover what the condition says */
    set(p, at,
        sum(p, ir_op2(k, SOP_AND, pos, number(p, p->words - 1)),
            sum(p, p->base, number(p, 1))));
    ExprId word = ir_reg_value(k, at);
    store(p, word, number(p, index));
    for (int i = 0; i < site.nvars; i++) {
        ExprId v = ir_cast(k, DT_S64, ir_var_value(k, site.vars[i]));
        store(p, sum(p, word, number(p, 1 + i)), v);
    }
    word = sum(p, word, number(p, 1 + site.nvars));
    if (s->buf) {
        note_box(p, s, word);
    } else if (s->value) {
        store(p, word, s->value);
    }
    set(p, p->pos, sum(p, pos, number(p, size)));
    store(p, p->base, pos);
    p->at = ir_cursor_body(after.owner, 1);
    store(p, sum(p, p->base, number(p, p->part - 1)), number(p, 1));
    p->at = after;
}

/* Counts how often a core has been here, and goes on the n-th time only. */
static void
wait_for_time(Print *p, int64_t time, Cursor *first)
{
    RegId count = new_reg(p, "print_time", DT_S64);
    Cursor here = p->at;
    p->at = *first;
    set(p, count, number(p, 0));
    *first = p->at;
    p->at = here;
    ExprId value = ir_reg_value(p->k, count);
    set(p, count, sum(p, value, number(p, 1)));
    (void)enter_if(p, ir_op2(p->k, SOP_EQ, value, number(p, time)));
}

/* ---- places -------------------------------------------------------------- */

/* Enters a loop like a multi-core loop of the kernel, so that each core knows its index
 * outside of that one, too. */
static void
enter_cores(Print *p, const Stmt *like)
{
    Stmt s = {.kind = ST_FOR, .loop = like->loop};
    s.loop.var = ir_var(p->k, intern(&p->k->unit->names, "print_core"), DT_S64);
    s.loop.body = 0;
    p->core = ir_var_value(p->k, s.loop.var);
    (void)enter(p, s);
}

/* Finds the index of the core: of the multi-core loop around the place, else of one that
 * is made for it. A core for which the log has no part notes nothing. */
static void
find_core(Print *p)
{
    Kernel *k = p->k;
    StmtId loop = 0;
    p->core = number(p, 0);
    for (StmtId id = 1; id < k->stmts.n && !loop; id++) {
        loop = k->stmts.p[id].kind == ST_FOR && ir_is_multicore(&k->stmts.p[id]) ? id : 0;
    }
    bool inside = loop == 0;
    for (uint32_t i = 0; i < p->loops.n; i++) {
        const Stmt *s = &k->stmts.p[p->loops.p[i]];
        if (ir_is_multicore(s)) {
            p->core = ir_cast(k, DT_S64, ir_var_value(k, s->loop.var));
            inside = true;
        }
    }
    if (!inside) {
        const Stmt like = k->stmts.p[loop];
        enter_cores(p, &like);
    }
    if (loop && k->stmts.p[loop].loop.block_num == IR_SCALAR_BLOCKS) {
        (void)enter_if(p, ir_op2(k, SOP_LT, p->core, number(p, p->cores)));
    }
    p->base = times(p, p->core, p->part);
}

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
    make_log(p);
    p->at = (Cursor){last_print(p, id), 2};
    (void)enter(p, (Stmt){.kind = ST_SCOPE});
    find_core(p);
    if (walk->w->core >= 0) {
        (void)enter_if(p, ir_op2(p->k, SOP_EQ, p->core, number(p, walk->w->core)));
    }
    if (walk->w->time > 0) {
        wait_for_time(p, walk->w->time, &walk->first);
    }
    add_record(p, &s, wish_site(p, walk->w, &s));
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
    PrintSite site = make_site(p, &s);
    Unit *u = p->k->unit;
    site.line =
        source_line_col(&u->arena, &u->sources.p[p->span.file], p->span.begin).line;
    site.before = arg->before;
    site.spec = arg->spec;
    site.after = after;
    site.first = first;
    site_shape(&site, &s, arg->text ? arg->wish : NULL);
    add_record(p, &s, add_site(p, site));
}

/* Adds the records of a call, of which each value has one. */
static void
print_call(Print *p, PrintCall *call)
{
    p->span = p->k->stmts.p[call->at].span;
    p->chain = p->k->stmts.p[call->at].chain;
    make_log(p);
    p->at = (Cursor){call->at, 2};
    (void)enter(p, (Stmt){.kind = ST_SCOPE});
    find_core(p);
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
        set(&p, p.pos, number(&p, 0));
    }
    arena_free(&p.scratch);
    return true;
}
