/* print_note.c: makes the log of prints, and the statements that note values in it
 * (print.c says what the log is). */
#include "passes/print_note.h"

enum {
    MOST_WORDS = 1 << 16, /* of the records of a core; powers of two */
    LEAST_WORDS = 1 << 10,
    ALL_WORDS = 1 << 22 /* of all cores, about */
};

/* ---- making statements --------------------------------------------------- */

ExprId
note_number(Print *p, int64_t v)
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
    return ir_op2(p->k, SOP_MUL, a, note_number(p, factor));
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

void
note_set(Print *p, RegId r, ExprId value)
{
    add(p, (Stmt){.kind = ST_SET, .set = {r, value}});
}

/* Stores a value in a word of the log. */
static void
store(Print *p, ExprId word, ExprId value)
{
    Dtype t = (Dtype)ir_expr(p->k, value)->dtype;
    add(p, (Stmt){.kind = ST_STORE,
                  .store = {{p->log, t, times(p, word, PRINT_WORD)}, value}});
}

/* Adds a statement with a body, in which statements are added from then on; returns where
 * those after it go. */
Cursor
note_enter(Print *p, Stmt s)
{
    StmtId id = add(p, s);
    Cursor after = p->at;
    p->at = ir_cursor_body(id, 0);
    return after;
}

Cursor
note_if(Print *p, ExprId cond)
{
    return note_enter(p, (Stmt){.kind = ST_IF, .cond = {.cond = cond}});
}

static Cursor
enter_loop(Print *p, const char *name, int64_t n, ExprId *value)
{
    VarId v = ir_var(p->k, intern(&p->k->unit->names, name), DT_S64);
    *value = ir_var_value(p->k, v);
    return note_enter(p, (Stmt){.kind = ST_FOR,
                                .loop = {.var = v,
                                         .begin = note_number(p, 0),
                                         .end = note_number(p, n),
                                         .block_num = 1,
                                         .thread_num = 1}});
}

/* ---- the log ------------------------------------------------------------- */

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

void
note_log(Print *p)
{
    Kernel *k = p->k;
    if (p->log) {
        return;
    }
    p->cores = ir_cores(k);
    p->words = MOST_WORDS;
    while (p->words > LEAST_WORDS && p->words * p->cores > ALL_WORDS) {
        p->words /= 2;
    }
    p->part = p->words + PRINT_MOST + 2 * IR_PRINT_VARS;
    Buffer b = {.name = intern(&k->unit->names, IR_PRINT_LOG),
                .scope = SC_GM,
                .dtype = DT_S64,
                .role = BUF_WORKSPACE,
                .elems = p->part * p->cores,
                .bytes = p->part * p->cores * PRINT_WORD,
                .address = -1,
                .copies = 1,
                .span = k->span};
    VEC_PUSH(&k->arena, &b.shape, p->cores);
    VEC_PUSH(&k->arena, &b.shape, p->part);
    p->log = ir_buffer(k, &b);
    add_param(p, p->log);
    p->pos = new_reg(p, "print_words", DT_S64);
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
    ExprId from = note_number(p, s->from), to = word;
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
PrintSite
note_site(const Print *p, const Subject *s)
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

void
note_shape(PrintSite *site, const Subject *s, const PrintWish *w)
{
    for (int d = 0; d < s->ndim; d++) {
        if (!w || d >= w->ndim || !w->single[d]) {
            site->shape[site->ndim++] = s->count[d];
        }
    }
}

uint32_t
note_add_site(Print *p, PrintSite site)
{
    VEC_PUSH(&p->k->arena, &p->k->prints, site);
    return p->k->prints.n - 1;
}

/* Adds the record of a site, if there is room for it. */
void
note_record(Print *p, const Subject *s, uint32_t index)
{
    Kernel *k = p->k;
    const PrintSite site = k->prints.p[index];
    int64_t size = 1 + site.nvars + site.elems;
    ExprId pos = ir_reg_value(k, p->pos);
    ExprId room = ir_op2(k, SOP_LE, pos, note_number(p, p->words - size));
    Cursor after = note_if(p, room);
    RegId at = new_reg(p, "print_at", DT_S64);
    /* the mask says to the prover what the condition says */
    note_set(p, at,
             sum(p, ir_op2(k, SOP_AND, pos, note_number(p, p->words - 1)),
                 sum(p, p->base, note_number(p, 1))));
    ExprId word = ir_reg_value(k, at);
    store(p, word, note_number(p, index));
    for (int i = 0; i < site.nvars; i++) {
        ExprId v = ir_cast(k, DT_S64, ir_var_value(k, site.vars[i]));
        store(p, sum(p, word, note_number(p, 1 + i)), v);
    }
    word = sum(p, word, note_number(p, 1 + site.nvars));
    if (s->buf) {
        note_box(p, s, word);
    } else if (s->value) {
        store(p, word, s->value);
    }
    note_set(p, p->pos, sum(p, pos, note_number(p, size)));
    store(p, p->base, pos);
    p->at = ir_cursor_body(after.owner, 1);
    store(p, sum(p, p->base, note_number(p, p->part - 1)), note_number(p, 1));
    p->at = after;
}

/* Counts how often a core has been here, and goes on the n-th time only. */
void
note_wait(Print *p, int64_t time, Cursor *first)
{
    RegId count = new_reg(p, "print_time", DT_S64);
    Cursor here = p->at;
    p->at = *first;
    note_set(p, count, note_number(p, 0));
    *first = p->at;
    p->at = here;
    ExprId value = ir_reg_value(p->k, count);
    note_set(p, count, sum(p, value, note_number(p, 1)));
    (void)note_if(p, ir_op2(p->k, SOP_EQ, value, note_number(p, time)));
}

/* Enters a loop like a multi-core loop of the kernel, so that each core knows its index
 * outside of that one, too. */
static void
enter_cores(Print *p, const Stmt *like)
{
    Stmt s = {.kind = ST_FOR, .loop = like->loop};
    s.loop.var = ir_var(p->k, intern(&p->k->unit->names, "print_core"), DT_S64);
    s.loop.body = 0;
    p->core = ir_var_value(p->k, s.loop.var);
    (void)note_enter(p, s);
}

/* Finds the index of the core: of the multi-core loop around the place, else of one that
 * is made for it. A core for which the log has no part notes nothing. */
void
note_core(Print *p)
{
    Kernel *k = p->k;
    StmtId loop = 0;
    p->core = note_number(p, 0);
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
        (void)note_if(p, ir_op2(k, SOP_LT, p->core, note_number(p, p->cores)));
    }
    p->base = times(p, p->core, p->part);
}
