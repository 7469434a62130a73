/* parser.c: reads the text form of kernels (printer.c describes it, docs/ir.md is the
 * reference). It is a recursive descent over the characters, driven by op_table and
 * form_params for instructions. This file reads statements; parser_kernel.c has the
 * kernel's head, reader.c tokens and names, reader_expr.c expressions and operands.
 *
 * What it accepts satisfies every invariant of verify.c; all else is a `syntax`
 * diagnostic at its place in the text. The first fault ends the reading. Blocks and
 * expressions nest at most IR_MAX_NEST deep (`too-nested`). Statements get the span of
 * their text.
 *
 * Texts come from users, so it also refuses what the stage never records and the passes
 * and back ends do not expect. It makes sure that
 *   - scalar operands have the type that their form requires
 *   - LMEM exists, and a buffer of a core has at most 2^32 bytes
 *   - special registers are one buffer of SREG_BYTES, vector registers have REPEAT_BYTES
 *   - reserve names buffers of run-time size in one memory of a core
 *   - a loop with block_num=* follows the instruction blocks with its count, and that
 *     instruction is before such a loop
 *   - elements are loaded from and stored to global memory, UB and special registers */
#include "ir/reader.h"
#include "isa/operand.h"

#include <string.h>

/* ---- statements ---------------------------------------------------------- */

/* The operands of one instruction, and the position of each in the text. */
typedef struct Operands {
    const ParamInfo *params;
    int n;
    Arg args[MAX_PARAMS];
    Span spans[MAX_PARAMS];
} Operands;

/* Checks that a scalar has the type that its form requires, which may be that of an
 * operand after it. */
static bool MUST_USE
check_scalars(Reader *p, const Operands *o, Dtype dst)
{
    for (int i = 0; i < o->n; i++) {
        Dtype want = operand_type_dtype(o->params[i].of, dst);
        if (o->params[i].role != ROLE_SCALAR || want == DT_NONE) {
            continue;
        }
        Dtype t = (Dtype)ir_expr(p->k, o->args[i].expr)->dtype;
        if (t != want) {
            return reader_fail(
                p, o->spans[i].begin,
                arena_printf(&p->scratch, "%s is of %s; the instruction takes %s there",
                             o->params[i].name, dtype_name(t), dtype_name(want)));
        }
    }
    return true;
}

static bool MUST_USE
check_reserve(Reader *p, const Operands *o)
{
    const Buffer *b = &p->k->bufs.p[o->args[RESERVE_buffer].ref.buf];
    const Buffer *after = &p->k->bufs.p[o->args[RESERVE_after].ref.buf];
    int64_t copies = ir_expr(p->k, o->args[RESERVE_copies].expr)->imm;
    bool ok = b->dynamic && after->dynamic && b->scope != SC_GM &&
              b->scope == after->scope && copies >= 1 && copies <= IR_MAX_COPIES;
    return ok || reader_fail(p, o->spans[RESERVE_buffer].begin,
                             "reserve takes buffers of run-time size in one memory of a "
                             "core, and 1 to 4 copies");
}

static bool MUST_USE
operands(Reader *p, Op op, Operands *o, Dtype *dst)
{
    for (int i = 0; i < o->n; i++) {
        if (o->params[i].role != ROLE_MASKMODE) {
            TRY(reader_expect(p, o->params[i].name));
            TRY(reader_expect(p, "="));
            reader_peek(p);
            uint32_t begin = p->pos;
            TRY(reader_operand(p, &o->params[i], *dst, &o->args[i]));
            o->spans[i] = (Span){p->file, begin, p->pos};
            *dst = i == form_main(op_table[op].form) ? o->args[i].ref.dtype : *dst;
        }
    }
    return true;
}

static bool MUST_USE
instruction(Reader *p, Op op, Stmt *s)
{
    Operands o = {0};
    Dtype dst = DT_NONE;
    o.params = form_params(op_table[op].form, &o.n);
    TRY(operands(p, op, &o, &dst));
    TRY(check_scalars(p, &o, dst));
    TRY(op != OP_RESERVE || check_reserve(p, &o));
    p->cores = op == OP_BLOCKS ? o.args[BLOCKS_count].expr : p->cores;
    s->kind = ST_INSTR;
    s->instr.op = op;
    s->instr.arg = ir_args_at(p->k, o.args, o.spans, o.n);
    return true;
}

static bool MUST_USE body(Reader *p, StmtId owner, int slot);

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

/* Checks the sizes of buffers. Registers are memories of fixed sizes that instructions
 * use without naming them. Other sizes must be so small that sums of them cannot
 * overflow. */
static bool MUST_USE
check_memory(Reader *p, const Buffer *b, uint32_t begin)
{
    if (b->scope == SC_LMEM && p->k->soc->lmem == NULL) {
        return reader_fail(
            p, begin,
            arena_printf(&p->scratch, "%s has no memory of lanes", p->k->soc->name));
    }
    if (b->bytes > IR_MAX_CONST) {
        return reader_fail(p, begin, "a buffer of a core has at most 2^32 bytes");
    }
    bool second = b->scope == SC_SREG && p->has_sreg;
    p->has_sreg = p->has_sreg || b->scope == SC_SREG;
    if (b->dynamic &&
        (b->scope == SC_SREG || b->scope == SC_VREG || b->scope == SC_LMEM)) {
        return reader_fail(p, begin, "a buffer there has a size that is known");
    }
    if (b->scope == SC_SREG &&
        (second || b->dtype != DT_U32 || b->bytes != SREG_BYTES || b->copies != 1)) {
        return reader_fail(p, begin,
                           arena_printf(&p->scratch,
                                        "special registers are one buffer uint32[%d]",
                                        SREG_BYTES / 4));
    }
    return b->scope != SC_VREG || (b->bytes == REPEAT_BYTES && b->copies == 1) ||
           reader_fail(
               p, begin,
               arena_printf(&p->scratch, "a vector register has %d bytes", REPEAT_BYTES));
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
    TRY(reader_shape(p, &b));
    TRY(core_scope(p, &b.scope));
    if (reader_accept(p, "copies=")) {
        TRY(reader_natural(p, 1, IR_MAX_COPIES, &v));
        b.copies = (int)v;
    }
    TRY(check_memory(p, &b, begin));
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

/* Checks that single elements are in global memory, UB or special registers. */
static bool MUST_USE
element_memory(Reader *p, const Ref *r, uint32_t begin)
{
    Scope s = p->k->bufs.p[r->buf].scope;
    if (r->dtype >= DT_PLAIN) {
        return reader_fail(p, begin, "an element of its own has a type of scalars");
    }
    return s == SC_GM || s == SC_UB || s == SC_SREG ||
           reader_fail(p, begin,
                       arena_printf(&p->scratch,
                                    "elements of %s are neither loaded nor stored",
                                    scope_name(s)));
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
    TRY(element_memory(p, &s->load.ref, begin));
    return s->load.ref.dtype == t ||
           reader_fail(p, begin, "the register has another dtype");
}

/* Checks that a multi-core loop goes from 0 to block_num and is inside no other. */
static bool MUST_USE
check_multicore(Reader *p, const Stmt *s, uint32_t begin)
{
    bool open = s->loop.block_num == IR_SCALAR_BLOCKS;
    if (p->cores && !open) {
        return reader_fail(p, begin,
                           "the loop after the instruction blocks has block_num=*");
    }
    if (!ir_is_multicore(s)) {
        return true;
    }
    const Expr *first = ir_expr(p->k, s->loop.begin);
    const Expr *last = ir_expr(p->k, s->loop.end);
    bool same = open || (last->kind == EX_CONST && last->imm == s->loop.block_num);
    if (first->kind != EX_CONST || first->imm != 0 || !same) {
        return reader_fail(p, begin, "a loop with block_num runs from 0 to block_num");
    }
    if (open && p->cores != ir_cast(p->k, DT_S64, s->loop.end)) {
        return reader_fail(p, begin,
                           "a loop with block_num=* must follow the instruction blocks "
                           "with its count, int64");
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
    (void)reader_accept(p, "vectorized"); /* the pass says so anew */
    return check_multicore(p, s, begin);
}

/* Reads what messages call the variable, and show in place of its value. */
static bool MUST_USE
for_label(Reader *p, VarId var)
{
    const char *w;
    if (reader_accept(p, "name=")) {
        TRY(reader_word(p, "", "a name", &w));
        p->k->vars.p[var].bound = intern(&p->u->names, w);
    }
    if (reader_accept(p, "shown=")) {
        TRY(reader_typed_expr(p, DT_S64, &p->k->vars.p[var].shown));
    }
    return true;
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
    TRY(for_label(p, s->loop.var));
    int outer = p->loops;
    p->in_multicore = p->in_multicore || multicore;
    p->loops = multicore ? 0 : outer + 1;
    p->cores = 0;
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
                           "a jump out of an iteration must be in a loop of one core");
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

/* Reads a statement without a body. */
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
        TRY(element_memory(p, &s->store.ref, begin));
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
within_limits(Reader *p, uint32_t begin)
{
    const Limits *limits = &p->u->opt.limits;
    if ((int64_t)p->k->stmts.n > limits->statements) {
        return reader_fail_at(p, begin, D_LIMIT_IR,
                              arena_printf(&p->scratch,
                                           "the kernel has more than %lld statements",
                                           (long long)limits->statements));
    }
    return true;
}

/* Checks that a loop follows the instruction blocks; only loop_bounds, which checks
 * something of that loop, may be between them. */
static bool MUST_USE
blocks_are_used(Reader *p)
{
    static const char *const next[] = {"for", "loop_bounds"};
    uint32_t begin = p->pos;
    bool ok = p->cores == 0;
    for (size_t i = 0; i < ARRAY_LEN(next) && !ok; i++) {
        ok = reader_accept(p, next[i]);
        p->pos = begin;
    }
    return ok ||
           reader_fail(p, begin, "expected the loop of the instruction blocks before");
}

static bool MUST_USE
drops(Reader *p)
{
    do {
        BufId id = 0;
        TRY(reader_use_name(p, &p->bufs, "%", &id));
    } while (reader_accept(p, ","));
    return true;
}

/* A text cannot promise that instructions may be fused, or are one run, so a fused,
 * joined or finishing scope becomes an ordinary one; the passes find it again. */
static bool MUST_USE
scope(Reader *p, Stmt *s, bool fused, Cursor *at, uint32_t begin)
{
    s->kind = ST_SCOPE;
    s->scope.no_sync = !fused && reader_accept(p, "no_sync");
    (void)(fused && reader_accept(p, "trimmed"));
    TRY(!fused || !reader_accept(p, "drops") || drops(p));
    s->span = (Span){p->file, begin, p->pos};
    return body(p, ir_append(p->k, at, s), 0);
}

/* A text cannot promise that bytes are elsewhere too: the pass origin finds that out
 * again. */
static bool MUST_USE
origin(Reader *p)
{
    Ref r;
    int64_t v;
    TRY(reader_reference(p, &r));
    (void)reader_accept(p, "transposed");
    for (int i = 0; i < 2; i++) {
        TRY(reader_expect(p, i == 0 ? "[" : ","));
        TRY(reader_natural(p, 0, INT64_MAX, &v) && reader_expect(p, ":"));
        TRY(reader_natural(p, 0, INT64_MAX, &v));
    }
    return reader_expect(p, "]");
}

static bool MUST_USE
statement(Reader *p, Cursor *at)
{
    Stmt s = {0};
    reader_peek(p);
    uint32_t begin = p->pos;
    TRY(within_limits(p, begin) && blocks_are_used(p));
    if (reader_accept(p, "for")) {
        return for_loop(p, &s, at, begin);
    }
    if (reader_accept(p, "if")) {
        return branch(p, &s, at, begin);
    }
    bool fused = reader_accept(p, "fused") || reader_accept(p, "finish") ||
                 reader_accept(p, "run");
    if (fused || reader_accept(p, "scope")) {
        return scope(p, &s, fused, at, begin);
    }
    TRY(simple(p, &s, begin));
    /* Between the instruction blocks and its loop, only loop_bounds changes no
     * register. */
    bool said =
        s.kind == ST_INSTR && (s.instr.op == OP_BLOCKS || s.instr.op == OP_LOOP_BOUNDS);
    p->cores = said ? p->cores : 0;
    s.span = (Span){p->file, begin, p->pos};
    if (s.kind == ST_INSTR || s.kind == ST_LOAD || s.kind == ST_STORE) {
        s.proof = reader_accept(p, "[proved]")    ? PROOF_PROVED
                  : reader_accept(p, "[checked]") ? PROOF_RUNTIME
                  : reader_accept(p, "[asked]")   ? PROOF_ASKED
                                                  : PROOF_NONE;
    }
    bool product = s.kind == ST_INSTR;
    TRY(!product || !reader_accept(p, "first=") || origin(p));
    TRY(!product || !reader_accept(p, "second=") || origin(p));
    ir_append(p->k, at, &s);
    return true;
}

/* Reads statements up to and including a closing brace. */
bool MUST_USE
reader_statements(Reader *p, StmtId owner, int slot)
{
    Cursor at = ir_cursor_body(owner, slot);
    uint32_t keep = p->bufs.order.n;
    p->cores = 0;
    while (p->cores || !reader_accept(p, "}")) {
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
    TRY(reader_statements(p, owner, slot));
    p->depth--;
    return true;
}
