/* parser.c: reads the text form of a kernel (printer.c describes it, docs/ir.md is the reference).
 * A recursive descent over the characters, driven by op_table and form_params for instructions. Here:
 * statements and the kernel; reader.c has tokens and names, reader_expr.c expressions and operands.
 *
 * What it accepts satisfies every invariant of verify.c; what does not is a `syntax` diagnostic at
 * its place in the text. The first fault ends the reading. Blocks and expressions nest at most
 * IR_MAX_NEST deep (`too-nested`). Statements get the span of their text. */
#include "ir/reader.h"
#include "ir/packed_const.h"

#include <string.h>

/* ---- statements -------------------------------------------------------------------------------------------- */

static bool MUST_USE
instruction(Reader *p, Op op, Stmt *s)
{
    int n;
    const ParamInfo *params = form_params(op_table[op].form, &n);
    Arg args[MAX_PARAMS];
    memset(args, 0, sizeof args);
    Dtype dst = DT_NONE;
    for (int i = 0; i < n; i++) {
        if (params[i].role != ROLE_MASKMODE) {
            TRY(reader_expect(p, params[i].name));
            TRY(reader_expect(p, "="));
            TRY(reader_operand(p, &params[i], dst, &args[i]));
            dst = i == form_main(op_table[op].form) ? args[i].ref.dtype : dst;
        }
    }
    s->kind = ST_INSTR;
    s->instr.op = op;
    s->instr.arg = ir_args(p->k, args, n);
    return true;
}

static bool MUST_USE body(Reader *p, StmtId owner, int slot);

static bool MUST_USE
shape(Reader *p, Buffer *b)
{
    TRY(reader_expect(p, ":"));
    TRY(reader_stored_dtype(p, &b->dtype));
    TRY(reader_expect(p, "["));
    uint32_t begin = p->pos;
    b->elems = 1;
    if (reader_accept(p, "*")) {
        b->dynamic = true;
        return reader_expect(p, "]");
    }
    do {
        int64_t dim;
        TRY(reader_natural(p, 1, INT64_MAX, &dim));
        VEC_PUSH(&p->scratch, &b->shape, dim);
        if (!checked_mul(b->elems, dim, &b->elems)) {
            return reader_fail(p, begin, "the tensor has too many elements");
        }
    } while (reader_accept(p, ","));
    if (!checked_mul(b->elems, dtype_size(b->dtype), &b->bytes) ||
        b->bytes > IR_MAX_BYTES) {
        return reader_fail(p, begin, "the tensor has too many elements");
    }
    return reader_expect(p, "]");
}

static bool MUST_USE
core_scope(Reader *p, Scope *out)
{
    for (int s = SC_GM + 1; s < SC_COUNT; s++) {
        if (reader_accept(p, scope_name((Scope)s))) {
            *out = (Scope)s;
            return true;
        }
    }
    return reader_fail(p, p->pos, "expected a memory of a core, such as UB");
}

static bool MUST_USE
apart_list(Reader *p, Buffer *b)
{
    int64_t n;
    do {
        TRY(reader_natural(p, 1, p->allocs.n, &n));
        VEC_PUSH(&p->scratch, &b->apart, p->allocs.p[n - 1]);
    } while (reader_accept(p, ","));
    return true;
}

static bool MUST_USE
placement(Reader *p, Buffer *b)
{
    if (reader_accept(p, "fixed=")) {
        TRY(reader_natural(p, 0, IR_MAX_BYTES, &b->fixed_at));
        b->fixed = true;
    }
    return !reader_accept(p, "apart=") || apart_list(p, b);
}

static bool MUST_USE
alloc(Reader *p, Stmt *s)
{
    Buffer b = {.address = -1, .copies = 1};
    Sym full;
    int64_t v;
    reader_peek(p);
    uint32_t begin = p->pos;
    TRY(reader_sigil_name(p, "%", &b.name, &full));
    s->kind = ST_ALLOC;
    TRY(reader_declare_name(p, &p->bufs, full, p->k->bufs.n));
    b.span = (Span){p->file, begin, p->pos};
    TRY(shape(p, &b));
    TRY(core_scope(p, &b.scope));
    if (reader_accept(p, "copies=")) {
        TRY(reader_natural(p, 1, IR_MAX_COPIES, &v));
        b.copies = (int)v;
    }
    TRY(placement(p, &b));
    if (reader_accept(p, "at=")) {
        TRY(reader_natural(p, 0, IR_MAX_BYTES, &b.address));
    }
    if (b.dynamic && !ir_dynamic_room(p->k, &b)) {
        return reader_fail(p, begin, "the memory has no room for the buffer");
    }
    s->alloc.buf = ir_buffer(p->k, &b);
    VEC_PUSH(&p->scratch, &p->allocs, s->alloc.buf);
    return true;
}

static bool MUST_USE
set_or_load(Reader *p, Stmt *s)
{
    RegId reg;
    TRY(reader_use_name(p, &p->regs, "$", &reg));
    TRY(reader_expect(p, "="));
    Dtype t = p->k->regs.p[reg].dtype;
    if (!reader_accept(p, "load")) {
        s->kind = ST_SET;
        s->set.reg = reg;
        return reader_typed_expr(p, t, &s->set.value);
    }
    s->kind = ST_LOAD;
    s->load.reg = reg;
    reader_peek(p);
    uint32_t begin = p->pos;
    TRY(reader_reference(p, &s->load.ref));
    return s->load.ref.dtype == t ||
           reader_fail(p, begin, "the register has another dtype");
}

/* A multi-core loop: from 0 to block_num, not inside another. */
static bool MUST_USE
check_multicore(Reader *p, const Stmt *s, uint32_t begin)
{
    if (!ir_is_multicore(s)) {
        return true;
    }
    const Expr *first = ir_expr(p->k, s->loop.begin);
    const Expr *last = ir_expr(p->k, s->loop.end);
    bool same = s->loop.block_num == IR_SCALAR_BLOCKS ||
                (last->kind == EX_CONST && last->imm == s->loop.block_num);
    if (first->kind != EX_CONST || first->imm != 0 || !same) {
        return reader_fail(p, begin, "a loop with block_num runs from 0 to block_num");
    }
    if (p->in_multicore || s->loop.thread_num > 1) {
        return reader_fail(
            p, begin, "a loop with block_num has thread_num 1 and is in no other such");
    }
    return true;
}

static bool MUST_USE
for_head(Reader *p, Stmt *s, Sym *full)
{
    Sym base;
    Dtype t;
    int64_t v;
    reader_peek(p);
    uint32_t begin = p->pos;
    TRY(reader_sigil_name(p, "@", &base, full));
    TRY(reader_expect(p, ":"));
    TRY(reader_dtype_word(p, &t));
    if (dtype_is_float(t) || t == DT_BOOL) {
        return reader_fail(p, begin, "a loop variable is an integer");
    }
    TRY(reader_expect(p, "="));
    TRY(reader_integer_expr(p, t, &s->loop.begin));
    TRY(reader_expect(p, "to"));
    TRY(reader_integer_expr(p, t, &s->loop.end));
    s->loop.var = ir_var(p->k, base, t);
    s->loop.block_num = 1;
    s->loop.thread_num = 1;
    if (reader_accept(p, "block_num=*")) {
        s->loop.block_num = IR_SCALAR_BLOCKS;
    } else if (reader_accept(p, "block_num=")) {
        TRY(reader_natural(p, 1, IR_MAX_BLOCKS, &v));
        s->loop.block_num = (int32_t)v;
    }
    if (reader_accept(p, "thread_num=")) {
        TRY(reader_natural(p, 1, IR_MAX_COPIES, &v));
        s->loop.thread_num = (int32_t)v;
    }
    return check_multicore(p, s, begin);
}

static bool MUST_USE
for_loop(Reader *p, Stmt *s, Cursor *at, uint32_t begin)
{
    Sym full;
    TRY(for_head(p, s, &full));
    s->kind = ST_FOR;
    s->span = (Span){p->file, begin, p->pos};
    bool multicore = ir_is_multicore(s);
    uint32_t keep = p->vars.order.n;
    StmtId id = ir_append(p->k, at, s);
    TRY(reader_declare_name(p, &p->vars, full, s->loop.var));
    int outer = p->loops;
    p->in_multicore = p->in_multicore || multicore;
    p->loops = multicore ? 0 : outer + 1;
    TRY(body(p, id, 0));
    p->loops = outer;
    p->in_multicore = p->in_multicore && !multicore;
    reader_forget_names(&p->vars, keep);
    return true;
}

static bool MUST_USE
branch(Reader *p, Stmt *s, Cursor *at, uint32_t begin)
{
    TRY(reader_typed_expr(p, DT_BOOL, &s->cond.cond));
    s->kind = ST_IF;
    s->span = (Span){p->file, begin, p->pos};
    StmtId id = ir_append(p->k, at, s);
    TRY(body(p, id, 0));
    if (reader_accept(p, "else")) {
        TRY(body(p, id, 1));
    }
    return true;
}

static bool MUST_USE
jump(Reader *p, Stmt *s, StmtKind kind, uint32_t begin)
{
    s->kind = (uint8_t)kind;
    if (kind != ST_RETURN && !p->loops) {
        return reader_fail(p, begin,
                           "a jump out of an iteration stands in a loop of one core");
    }
    return true;
}

static bool MUST_USE
instruction_word(Reader *p, Stmt *s)
{
    const char *w;
    Op op;
    uint32_t begin = p->pos;
    TRY(reader_word(p, ".", "a statement", &w));
    if (!op_find(w, &op)) {
        return reader_fail(p, begin,
                           arena_printf(&p->scratch, "'%s' is not a statement", w));
    }
    return instruction(p, op, s);
}

/* A statement without a body. */
static bool MUST_USE
simple(Reader *p, Stmt *s, uint32_t begin)
{
    if (reader_accept(p, "alloc")) {
        return alloc(p, s);
    }
    if (p->text[begin] == '$') {
        return set_or_load(p, s);
    }
    if (reader_accept(p, "store")) {
        s->kind = ST_STORE;
        TRY(reader_reference(p, &s->store.ref));
        if (s->store.ref.dtype >= DT_PLAIN) {
            return reader_fail(p, begin, "an element of its own has a type of scalars");
        }
        TRY(reader_expect(p, "="));
        return reader_typed_expr(p, s->store.ref.dtype, &s->store.value);
    }
    if (reader_accept(p, "break")) {
        return jump(p, s, ST_BREAK, begin);
    }
    if (reader_accept(p, "continue")) {
        return jump(p, s, ST_CONTINUE, begin);
    }
    if (reader_accept(p, "return")) {
        return jump(p, s, ST_RETURN, begin);
    }
    return instruction_word(p, s);
}

static bool MUST_USE
statement(Reader *p, Cursor *at)
{
    Stmt s = {0};
    reader_peek(p);
    uint32_t begin = p->pos;
    if (reader_accept(p, "for")) {
        return for_loop(p, &s, at, begin);
    }
    if (reader_accept(p, "if")) {
        return branch(p, &s, at, begin);
    }
    if (reader_accept(p, "scope")) {
        s.kind = ST_SCOPE;
        s.scope.no_sync = reader_accept(p, "no_sync");
        s.span = (Span){p->file, begin, p->pos};
        return body(p, ir_append(p->k, at, &s), 0);
    }
    TRY(simple(p, &s, begin));
    s.span = (Span){p->file, begin, p->pos};
    if (s.kind == ST_INSTR || s.kind == ST_LOAD || s.kind == ST_STORE) {
        s.proof = reader_accept(p, "[proved]")    ? PROOF_PROVED
                  : reader_accept(p, "[checked]") ? PROOF_RUNTIME
                                                  : PROOF_NONE;
    }
    ir_append(p->k, at, &s);
    return true;
}

/* Statements up to a closing brace, which is taken. */
static bool MUST_USE
statements(Reader *p, StmtId owner, int slot)
{
    Cursor at = ir_cursor_body(owner, slot);
    uint32_t keep = p->bufs.order.n;
    while (!reader_accept(p, "}")) {
        TRY(statement(p, &at));
    }
    reader_forget_names(&p->bufs, keep);
    return true;
}

static bool MUST_USE
body(Reader *p, StmtId owner, int slot)
{
    TRY(reader_expect(p, "{"));
    if (p->depth >= IR_MAX_NEST) {
        return reader_fail_at(p, p->pos - 1, D_TOO_NESTED, "the blocks nest too deep");
    }
    p->depth++;
    TRY(statements(p, owner, slot));
    p->depth--;
    return true;
}

/* ---- the kernel ----------------------------------------------------------------------------------------------- */

static bool MUST_USE
global(Reader *p, Buffer *b)
{
    Sym full;
    reader_peek(p);
    uint32_t begin = p->pos;
    TRY(reader_sigil_name(p, "%", &b->name, &full));
    TRY(reader_declare_name(p, &p->bufs, full, p->k->bufs.n));
    b->span = (Span){p->file, begin, p->pos};
    if (b->name != full && b->role != BUF_CONST) {
        return reader_fail(p, begin, "names of global tensors are unique");
    }
    TRY(shape(p, b));
    if (b->dynamic) {
        (void)ir_dynamic_room(p->k, b);
    }
    return true;
}

static bool MUST_USE
address_list(Reader *p, Buffer *b)
{
    if (b->dtype != DT_S64 || b->elems > LIST_MAX) {
        return reader_fail(p, b->span.begin, "a list has 1 to 4096 addresses, int64");
    }
    b->bytes = b->elems * LIST_WINDOW;
    return true;
}

static bool MUST_USE
preset(Reader *p, Buffer *b)
{
    ExprId e;
    reader_peek(p);
    uint32_t begin = p->pos;
    TRY(reader_typed_expr(p, b->dtype, &e));
    b->preset = true;
    b->preset_value = ir_expr(p->k, e)->imm;
    return ir_is_const(p->k, e) || reader_fail(p, begin, "a preset is a constant");
}

static bool MUST_USE
parameter(Reader *p, BufRole role)
{
    Buffer b = {.scope = SC_GM, .role = role, .address = -1, .copies = 1};
    TRY(global(p, &b));
    if (role == BUF_LIST) {
        TRY(address_list(p, &b));
    } else if (role != BUF_IN && reader_accept(p, "preset=")) {
        TRY(preset(p, &b));
    }
    VEC_PUSH(&p->k->arena, &p->k->params, ir_buffer(p->k, &b));
    return true;
}

static bool MUST_USE
weight_dims(Reader *p, PackInfo *i)
{
    TRY(reader_dtype_word(p, &i->weight));
    TRY(reader_expect(p, "["));
    for (int d = 0; d < 4; d++) {
        TRY(d == 0 || reader_expect(p, ","));
        TRY(reader_natural(p, 1, IR_MAX_CONST, &i->dim[d]));
    }
    return reader_expect(p, "]");
}

/* What the constant is made of decides its shape. */
static bool MUST_USE
weight(Reader *p, Buffer *b, bool packed)
{
    PackInfo *i = ARENA_NEW(&p->k->arena, PackInfo);
    PackTarget target;
    uint32_t begin = p->pos;
    TRY(reader_expect(p, "("));
    TRY(weight_dims(p, i));
    i->nibbles = reader_accept(p, "nibbles");
    i->depthwise = reader_accept(p, "depthwise");
    i->requant = reader_accept(p, "requant");
    i->bias = reader_accept(p, "bias");
    TRY(reader_expect(p, ")"));
    bool fits = (!i->nibbles || i->weight == DT_S8 || i->weight == DT_U8) &&
                pack_target(p->k->soc, p->k->choices, &target) &&
                weight_plan(&target, i) == PACK_OK &&
                b->dtype == weight_stored_dtype(i) && b->shape.n == 4;
    for (int d = 0; fits && d < 4; d++) {
        fits = (uint64_t)b->shape.p[d] == i->plan.shape[d];
    }
    if (!fits) {
        return reader_fail(p, begin, "the processor packs no such constant");
    }
    b->pack = i;
    b->packed = packed;
    return true;
}

static bool MUST_USE
table(Reader *p)
{
    Buffer b = {.scope = SC_GM, .role = BUF_CONST, .address = -1, .copies = 1};
    TRY(global(p, &b));
    if (b.bytes > IR_MAX_CONST) {
        return reader_fail(p, b.span.begin, "a constant has at most 2^32 bytes");
    }
    if (reader_accept(p, "packed")) {
        TRY(weight(p, &b, true));
    } else if (reader_accept(p, "plain")) {
        TRY(weight(p, &b, false));
    }
    TRY(reader_expect(p, "="));
    TRY(reader_bytes(p, b.bytes, &b.data));
    ir_buffer(p->k, &b);
    return true;
}

static bool MUST_USE
register_line(Reader *p)
{
    Sym base, full;
    Dtype t;
    reader_peek(p);
    uint32_t begin = p->pos;
    TRY(reader_sigil_name(p, "$", &base, &full));
    TRY(reader_declare_name(p, &p->regs, full, p->k->regs.n));
    TRY(reader_expect(p, ":"));
    TRY(reader_dtype_word(p, &t));
    if (t == DT_BOOL) {
        return reader_fail(p, begin, "a register is not bool");
    }
    ir_reg(p->k, base, t, (Span){p->file, begin, p->pos});
    return true;
}

static bool MUST_USE
peaks(Reader *p)
{
    for (int s = SC_GM + 1; s < SC_COUNT; s++) {
        if (reader_accept(p, scope_name((Scope)s))) {
            TRY(reader_expect(p, "="));
            TRY(reader_natural(p, 0, IR_MAX_BYTES, &p->k->peak[s]));
        }
    }
    return true;
}

static bool MUST_USE
declarations(Reader *p)
{
    for (;;) {
        int role = 0;
        while (role < (int)ARGROLE_COUNT &&
               !reader_accept(p, argrole_word((ArgRole)role))) {
            role++;
        }
        if (role < (int)ARGROLE_COUNT) {
            TRY(parameter(p, (BufRole)(role + (int)BUF_IN)));
        } else if (reader_accept(p, "const")) {
            TRY(table(p));
        } else if (reader_accept(p, "reg")) {
            TRY(register_line(p));
        } else if (reader_accept(p, "peak")) {
            TRY(peaks(p));
        } else {
            return true;
        }
    }
}

/* Any number of choice=POINT:READING. */
static bool MUST_USE
choices(Reader *p)
{
    Choices c = {0};
    while (reader_accept(p, "choice=")) {
        const char *w;
        Choice point;
        reader_peek(p);
        uint32_t begin = p->pos;
        TRY(reader_word(p, "-", "a point", &w));
        bool ok = choice_find(w, &point);
        TRY(!ok || (reader_expect(p, ":") && reader_word(p, "-", "a reading", &w)));
        if (!ok || !choice_find_reading(point, w, &c.v[point])) {
            return reader_fail(p, begin,
                               arena_printf(&p->scratch, "there is no choice '%s'", w));
        }
    }
    p->k->choices = choices_or_null(&c) ? arena_copy(&p->k->arena, &c, sizeof c) : NULL;
    return true;
}

static bool MUST_USE
kernel_head(Reader *p)
{
    const char *w;
    TRY(reader_expect(p, "kernel"));
    reader_peek(p);
    uint32_t begin = p->pos;
    TRY(reader_word(p, "", "the kernel's name", &w));
    p->k->name = intern(&p->u->names, w);
    p->k->span = (Span){p->file, begin, p->pos};
    TRY(reader_expect(p, "soc="));
    begin = p->pos;
    TRY(reader_word(p, "-", "a processor", &w));
    p->k->soc = soc_find(w);
    if (!p->k->soc) {
        return reader_fail_at(p, begin, D_SOC_UNKNOWN,
                              arena_printf(&p->scratch, "there is no processor '%s'", w));
    }
    TRY(choices(p));
    p->k->may_read_uninit = reader_accept(p, "fill_scratch");
    p->k->blocks_ordered = reader_accept(p, "ordered");
    p->k->blocks_turns = reader_accept(p, "turns");
    return reader_expect(p, "{");
}

static bool MUST_USE
kernel(Reader *p)
{
    TRY(kernel_head(p));
    TRY(declarations(p));
    TRY(statements(p, 0, 0));
    reader_peek(p);
    return p->pos == p->u->sources.p[p->file].len ||
           reader_fail(p, p->pos, "expected the end of the text");
}

Kernel *
ir_parse(Unit *u, uint32_t file)
{
    Reader p = {.u = u, .text = u->sources.p[file].text, .file = file};
    p.k = kernel_new(u);
    bool ok = kernel(&p);
    arena_free(&p.scratch);
    if (!ok) {
        kernel_free(p.k);
        return NULL;
    }
    return p.k;
}
