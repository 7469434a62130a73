/* printer.c: prints the text form of a kernel. docs/ir.md is its reference; parser.c
 * reads it back, and print(parse(print(k))) is print(k).
 *
 *   kernel NAME soc=SOC [choice=POINT:READING] [folded] [fill_scratch] [ordered]
 *                       [turns] {
 *     in %a: float16[4, 128]                  global tensors in argument order: in, out,
 *                                             workspace, global
 *     out %b: int32[8] preset=1               an argument that the launcher fills
 *     list %l: int64[4]                       an address list
 *     in %n: int32[1] use=scalar              an argument that is no tensor for the
 *                                             launcher: scalar or tiling
 *     const %c: uint8[4] = 00ff7f80           a constant table with its bytes
 *     reg $s: int32 [core]                    registers; core: the one that holds the
 *                                             core's index
 *     peak UB=4096                            bytes used in each memory, after allocation
 *     alloc %t: float16[128] UB copies=2 at=0 a buffer begins to live
 *     data_move dst=%t+0:float16 ...          instruction, operands by their names
 *                                             in form.def
 *     $s = ($s + 1)                           set
 *     $s = load %t+0:int32                    scalar load
 *     store %t+0:int32 = $s                   scalar store
 *     for @i: int32 = 0 to 8 block_num=8 thread_num=2 { ... }
 *     for ... name=row shown=(@i + $s) { ... } what messages call the variable, and show
 *                                             in the place of its value
 *     if (@i < 5) { ... } else { ... }
 *     scope { ... }
 *     break, continue, return
 *   }
 *
 * The sigils are % for a buffer, $ for a register, @ for a loop variable. A second thing
 * of the same name and kind that is visible at the same time is NAME.2, and so on. A
 * tensor operand is %buffer+byte_offset:dtype. An instruction, a load or a store is
 * followed by [proved] or [checked] if it is that. Comments go from # to the end of the
 * line; ir_print_places writes the source position of each statement as one.
 *
 * Every place of an expression has an expected type: int64 for offsets and integer
 * operands, uint64 for mask words of bits, the dst dtype for scalar operands, the type of
 * the register, the loop variable or the element; bool for conditions. Inside (a + b), a
 * has the type that is expected of the whole, and b has that of a. A constant of another
 * type carries its own: 5:int32. */
#include "ir/ir.h"

#include <math.h>
#include <string.h>

typedef struct Names {
    uint32_t *number;  /* by id: 1 prints NAME, n prints NAME.n */
    Sym *sym;          /* by id: the name, made an identifier */
    uint32_t *visible; /* by Sym: how many of this name are visible */
} Names;

typedef struct Printer {
    const Kernel *k;
    Text *out;
    Names bufs, regs, vars;
    uint32_t *ordinal; /* by BufId: number of its alloc */
    uint32_t allocs;
    Arena *scratch;
    bool places;
    IrLineSink *each; /* null: nobody asks where statements are */
    void *to;
    int depth;
} Printer;

/* ---- names --------------------------------------------------------------- */

static bool
is_name_char(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (!first && c >= '0' && c <= '9');
}

/* Makes an identifier of the name of a register or loop, which is only a hint and may
 * hold anything. */
static Sym
identifier_of(const Kernel *k, Sym name, Arena *scratch)
{
    Interner *in = &k->unit->names;
    char *s = arena_strdup(scratch, sym_text(in, name));
    bool changed = false;
    for (char *c = s; *c; c++) {
        if (!is_name_char(*c, c == s)) {
            *c = '_';
            changed = true;
        }
    }
    if (!*s) {
        return intern(in, "_");
    }
    return changed ? intern(in, s) : name;
}

static void
show_name(const Names *names, uint32_t id, char sigil, const Printer *p)
{
    text_putc(p->out, sigil);
    text_put(p->out, sym_text(&p->k->unit->names, names->sym[id]));
    if (names->number[id] > 1) {
        text_printf(p->out, ".%u", (unsigned)names->number[id]);
    }
}

static void
enter_name(Names *names, uint32_t id)
{
    names->number[id] = ++names->visible[names->sym[id]];
}

static void
leave_name(Names *names, uint32_t id)
{
    names->visible[names->sym[id]]--;
}

/* ---- expressions --------------------------------------------------------- */

/* Prints an operand without parts. A printer without tables (ir_print_expr) shows names
 * as they are. */
static void
show_leaf(const Printer *p, const Expr *e)
{
    const Names *names = e->kind == EX_REG ? &p->regs : &p->vars;
    char sigil = e->kind == EX_REG ? '$' : '@';
    if (names->sym) {
        show_name(names, e->a, sigil, p);
        return;
    }
    Sym s = e->kind == EX_REG ? p->k->regs.p[e->a].name : p->k->vars.p[e->a].name;
    text_putc(p->out, sigil);
    text_put(p->out, sym_text(&p->k->unit->names, s));
}

static void
show_float(Text *out, Dtype t, int64_t v)
{
    double d = scalar_to_double(t, v);
    if (isnan(d)) {
        text_printf(out, "nan(0x%llx)", (unsigned long long)v);
        return;
    }
    size_t start = out->n;
    text_printf(out, "%.9g", d);
    if (!strpbrk(out->p + start, ".en")) {
        text_put(out, ".0");
    }
}

static void
show_const(const Printer *p, const Expr *e, Dtype expected)
{
    Dtype t = (Dtype)e->dtype;
    if (dtype_is_float(t)) {
        show_float(p->out, t, e->imm);
    } else if (t == DT_U64) {
        text_printf(p->out, "%llu", (unsigned long long)e->imm);
    } else {
        text_printf(p->out, "%lld", (long long)e->imm);
    }
    if (t != expected) {
        text_printf(p->out, ":%s", dtype_name(t));
    }
}

static void
show_expr(const Printer *p, ExprId id, Dtype expected)
{
    const Expr *e = ir_expr(p->k, id);
    const char *symbol = scalar_op_table[e->op].symbol;
    switch ((ExprKind)e->kind) {
    case EX_NONE:
        text_put(p->out, "<none>");
        return;
    case EX_CONST:
        show_const(p, e, expected);
        return;
    case EX_REG:
    case EX_VAR:
        show_leaf(p, e);
        return;
    case EX_OP:
        break;
    }
    if (e->op == SOP_CAST || e->op == SOP_BITS) {
        text_printf(p->out, "%s%s(", dtype_name((Dtype)e->dtype),
                    e->op == SOP_BITS ? ".bits" : "");
        show_expr(p, e->a, DT_NONE);
    } else if (scalar_op_table[e->op].arity == 1) {
        text_printf(p->out, "(%s", symbol);
        show_expr(p, e->a, expected);
    } else {
        text_putc(p->out, '(');
        show_expr(p, e->a, scalar_is_compare((ScalarOp)e->op) ? DT_NONE : expected);
        text_printf(p->out, " %s ", symbol);
        show_expr(p, e->b, (Dtype)ir_expr(p->k, e->a)->dtype);
    }
    text_putc(p->out, ')');
}

void
ir_print_expr(const Kernel *k, ExprId e, Text *out)
{
    Printer p = {.k = k, .out = out};
    show_expr(&p, e, (Dtype)ir_expr(k, e)->dtype);
}

/* ---- operands ------------------------------------------------------------ */

static void
show_ref(const Printer *p, const Ref *r)
{
    show_name(&p->bufs, r->buf, '%', p);
    text_putc(p->out, '+');
    show_expr(p, r->off, DT_S64);
    text_printf(p->out, ":%s", dtype_name(r->dtype));
}

static void
show_mask(const Printer *p, const Arg *m)
{
    if (m->mask_form == MASK_COUNT || m->mask_form == MASK_COUNTER) {
        text_put(p->out, m->mask_form == MASK_COUNTER ? "counter(" : "");
        show_expr(p, m->mask[0], DT_S64);
        text_put(p->out, m->mask_form == MASK_COUNTER ? ")" : "");
        return;
    }
    text_putc(p->out, '[');
    for (int i = mask_words(m->mask_form) - 1; i >= 0;
         i--) { /* the text begins with the highest word */
        show_expr(p, m->mask[i], DT_U64);
        text_put(p->out, i ? ", " : "]");
    }
}

static void
show_instr(const Printer *p, const Stmt *s)
{
    int n;
    const OpInfo *op = &op_table[s->instr.op];
    const ParamInfo *params = form_params(op->form, &n);
    const Arg *args = &p->k->args.p[s->instr.arg];
    Dtype dst = DT_NONE;
    text_put(p->out, op->name);
    for (int i = 0; i < n; i++) {
        const Arg *a = &args[i];
        if (params[i].role == ROLE_MASKMODE) {
            continue;
        }
        text_printf(p->out, " %s=", params[i].name);
        switch (a->kind) {
        case ARG_NONE:
            text_put(p->out, "none");
            break;
        case ARG_REF:
            dst = i == form_main(op->form) ? a->ref.dtype : dst;
            show_ref(p, &a->ref);
            break;
        case ARG_MASK:
            show_mask(p, a);
            break;
        case ARG_EXPR:
            show_expr(p, a->expr,
                      params[i].role == ROLE_SCALAR
                          ? operand_type_dtype(params[i].of, dst)
                          : DT_S64);
            break;
        }
    }
}

/* ---- statements ---------------------------------------------------------- */

static void
show_shape(Text *out, const Buffer *b)
{
    text_printf(out, ": %s[", dtype_name(b->dtype));
    if (b->dynamic && b->shape.n == 0) {
        text_putc(out, '*');
    } else if (b->shape.n == 0) {
        text_printf(out, "%lld", (long long)b->elems);
    }
    for (uint32_t i = 0; i < b->shape.n; i++) {
        text_printf(out, "%s%lld", i ? ", " : "", (long long)b->shape.p[i]);
    }
    text_put(out, b->dynamic && b->shape.n > 0 ? "] open" : "]");
}

static void
show_alloc(Printer *p, BufId id)
{
    const Buffer *b = &p->k->bufs.p[id];
    enter_name(&p->bufs, id);
    text_put(p->out, "alloc ");
    show_name(&p->bufs, id, '%', p);
    show_shape(p->out, b);
    text_printf(p->out, " %s", scope_name(b->scope));
    p->ordinal[id] = ++p->allocs;
    if (b->copies != 1) {
        text_printf(p->out, " copies=%d", b->copies);
    }
    if (b->fixed) {
        text_printf(p->out, " fixed=%lld", (long long)b->fixed_at);
    }
    for (uint32_t i = 0; i < b->apart.n; i++) {
        text_printf(p->out, "%s%u",
                    i ? "," : " apart=", (unsigned)p->ordinal[b->apart.p[i]]);
    }
    if (b->address >= 0) {
        text_printf(p->out, " at=%lld", (long long)b->address);
    }
}

static void
indent(const Printer *p)
{
    for (int i = 0; i < p->depth; i++) {
        text_put(p->out, "  ");
    }
}

static void
end_line(const Printer *p, const Stmt *s)
{
    Unit *u = p->k->unit;
    if (p->places && s->span.file && s->span.file < u->sources.n) {
        Source *src = &u->sources.p[s->span.file];
        LineCol at = source_line_col(&u->arena, src, s->span.begin);
        text_printf(p->out, "  # %s:%u:%u", src->path, (unsigned)at.line,
                    (unsigned)at.column);
    }
    if (p->each) {
        p->each(p->to, p->out->n, s->span);
    }
    text_putc(p->out, '\n');
}

static void show_body(Printer *p, StmtId first);

static void
show_label(const Printer *p, VarId id)
{
    const Var *var = &p->k->vars.p[id];
    if (var->bound && var->bound != var->name) {
        Sym name = identifier_of(p->k, var->bound, p->scratch);
        text_printf(p->out, " name=%s", sym_text(&p->k->unit->names, name));
    }
    if (var->shown) {
        text_put(p->out, " shown=");
        show_expr(p, var->shown, DT_S64);
    }
}

static void
show_for(Printer *p, const Stmt *s)
{
    Dtype t = p->k->vars.p[s->loop.var].dtype;
    enter_name(&p->vars, s->loop.var);
    text_put(p->out, "for ");
    show_name(&p->vars, s->loop.var, '@', p);
    text_printf(p->out, ": %s = ", dtype_name(t));
    show_expr(p, s->loop.begin, t);
    text_put(p->out, " to ");
    show_expr(p, s->loop.end, t);
    if (s->loop.block_num > 1) {
        text_printf(p->out, " block_num=%d", (int)s->loop.block_num);
    } else if (ir_is_multicore(s)) {
        text_put(p->out, " block_num=*");
    }
    if (s->loop.thread_num > 1) {
        text_printf(p->out, " thread_num=%d", (int)s->loop.thread_num);
    }
    text_put(p->out, s->loop.vectorized ? " vectorized" : "");
    show_label(p, s->loop.var);
    text_put(p->out, " {");
    end_line(p, s);
    show_body(p, s->loop.body);
    leave_name(&p->vars, s->loop.var);
}

static void
show_if(Printer *p, const Stmt *s)
{
    text_put(p->out, "if ");
    show_expr(p, s->cond.cond, DT_BOOL);
    text_put(p->out, " {");
    end_line(p, s);
    show_body(p, s->cond.then_body);
    if (s->cond.else_body) {
        indent(p);
        text_put(p->out, "} else {\n");
        show_body(p, s->cond.else_body);
    }
}

static void
show_access(const Printer *p, const Stmt *s)
{
    if (s->kind == ST_LOAD) {
        show_name(&p->regs, s->load.reg, '$', p);
        text_put(p->out, " = load ");
        show_ref(p, &s->load.ref);
        return;
    }
    text_put(p->out, "store ");
    show_ref(p, &s->store.ref);
    text_put(p->out, " = ");
    show_expr(p, s->store.value, s->store.ref.dtype);
}

/* Shows where the factors of a product are, too. */
static void
show_origins(const Printer *p, const Stmt *s)
{
    for (int i = 0; i < ORIGIN_FACTORS; i++) {
        const Origin *o = &p->k->origins.p[s->instr.origin].of[i];
        if (o->ref.buf != 0) {
            text_put(p->out, i == 0 ? " first=" : " second=");
            show_ref(p, &o->ref);
            text_printf(p->out, "%s[%lld:%lld, %lld:%lld]",
                        o->transposed ? " transposed" : "", (long long)o->nouter,
                        (long long)o->outer, (long long)o->ninner, (long long)o->inner);
        }
    }
    const Origins *all = &p->k->origins.p[s->instr.origin];
    if (all->parts > 1) {
        text_printf(p->out, " parts=%lld", (long long)all->parts);
    }
}

static void
show_simple(Printer *p, const Stmt *s)
{
    switch ((StmtKind)s->kind) {
    case ST_INSTR:
        show_instr(p, s);
        break;
    case ST_SET:
        show_name(&p->regs, s->set.reg, '$', p);
        text_put(p->out, " = ");
        show_expr(p, s->set.value, p->k->regs.p[s->set.reg].dtype);
        break;
    case ST_LOAD:
    case ST_STORE:
        show_access(p, s);
        break;
    case ST_ALLOC:
        show_alloc(p, s->alloc.buf);
        break;
    case ST_BREAK:
        text_put(p->out, "break");
        break;
    case ST_CONTINUE:
        text_put(p->out, "continue");
        break;
    case ST_RETURN:
        text_put(p->out, "return");
        break;
    case ST_NONE:
    case ST_FOR:
    case ST_IF:
    case ST_SCOPE:
        UNREACHABLE();
    }
    static const char *const proofs[] = {"", " [proved]", " [checked]", " [asked]"};
    text_put(p->out, proofs[s->proof]);
    if (s->kind == ST_INSTR) {
        show_origins(p, s);
    }
    end_line(p, s);
}

static void
show_scope(Printer *p, const Stmt *s)
{
    text_put(p->out, s->scope.trimmed       ? "fused trimmed "
                     : s->scope.fused       ? "fused "
                     : s->scope.finish != 0 ? "finish "
                     : s->scope.run != 0    ? "run "
                     : s->scope.no_sync     ? "scope no_sync "
                                            : "scope ");
    for (uint32_t i = 0; i < s->scope.ndrops; i++) {
        text_put(p->out, i ? ", " : "drops ");
        show_name(&p->bufs, p->k->drops.p[s->scope.drop + i], '%', p);
    }
    text_put(p->out, s->scope.ndrops ? " {" : "{");
    end_line(p, s);
    show_body(p, s->scope.body);
}

static void
show_stmt(Printer *p, const Stmt *s)
{
    indent(p);
    switch ((StmtKind)s->kind) {
    case ST_FOR:
        show_for(p, s);
        break;
    case ST_IF:
        show_if(p, s);
        break;
    case ST_SCOPE:
        show_scope(p, s);
        break;
    default:
        show_simple(p, s);
        return;
    }
    indent(p);
    text_put(p->out, "}\n");
}

static void
show_body(Printer *p, StmtId first)
{
    const Kernel *k = p->k;
    p->depth++;
    for (StmtId id = first; id; id = k->stmts.p[id].next) {
        show_stmt(p, &k->stmts.p[id]);
    }
    for (StmtId id = first; id; id = k->stmts.p[id].next) {
        if (k->stmts.p[id].kind == ST_ALLOC) {
            leave_name(&p->bufs, k->stmts.p[id].alloc.buf);
        }
    }
    p->depth--;
}

/* ---- the kernel ---------------------------------------------------------- */

static void
show_global(Printer *p, BufId id, const char *word)
{
    enter_name(&p->bufs, id);
    text_printf(p->out, "  %s ", word);
    show_name(&p->bufs, id, '%', p);
    show_shape(p->out, &p->k->bufs.p[id]);
}

const char *
bufuse_name(BufUse use)
{
    static const char *const names[] = {
        [USE_TENSOR] = "tensor", [USE_SCALAR] = "scalar", [USE_FLOW] = "tiling"};
    return names[use];
}

static void
show_params(Printer *p)
{
    const Kernel *k = p->k;
    for (uint32_t i = 0; i < k->params.n; i++) {
        const Buffer *b = &k->bufs.p[k->params.p[i]];
        show_global(p, k->params.p[i], argrole_word(ir_arg_role(b)));
        if (b->use != USE_TENSOR) {
            text_printf(p->out, " use=%s", bufuse_name(b->use));
        }
        if (b->preset) {
            Expr value = {
                .kind = EX_CONST, .dtype = (uint8_t)b->dtype, .imm = b->preset_value};
            text_put(p->out, " preset=");
            show_const(p, &value, b->dtype);
        }
        text_putc(p->out, '\n');
    }
}

enum {
    BYTES_PER_LINE = 32
};

/* Prints bytes in hexadecimal, in the order of memory. */
static void
show_data(Text *out, const Buffer *b)
{
    static const char digits[] = "0123456789abcdef";
    for (int64_t i = 0; i < b->bytes; i++) {
        if (i > 0 && i % BYTES_PER_LINE == 0) {
            text_put(out, "\n    ");
        }
        text_putc(out, digits[b->data[i] >> 4]);
        text_putc(out, digits[b->data[i] & 15]);
    }
}

/* Prints what a packed constant is made from. */
static void
show_pack(Text *out, const Buffer *b)
{
    const PackInfo *i = b->pack;
    text_printf(out, " %s(%s[%lld, %lld, %lld, %lld]%s%s%s%s)",
                b->packed ? "packed" : "plain", dtype_name(i->weight),
                (long long)i->dim[0], (long long)i->dim[1], (long long)i->dim[2],
                (long long)i->dim[3], i->nibbles ? " nibbles" : "",
                i->depthwise ? " depthwise" : "", i->requant ? " requant" : "",
                i->bias ? " bias" : "");
}

static void
show_tables(Printer *p)
{
    const Kernel *k = p->k;
    for (BufId id = 1; id < k->bufs.n; id++) {
        if (k->bufs.p[id].role == BUF_CONST) {
            show_global(p, id, "const");
            if (k->bufs.p[id].pack) {
                show_pack(p->out, &k->bufs.p[id]);
            }
            text_put(p->out, " =");
            text_put(p->out, k->bufs.p[id].bytes > BYTES_PER_LINE ? "\n    " : " ");
            show_data(p->out, &k->bufs.p[id]);
            text_putc(p->out, '\n');
        }
    }
}

static void
show_choices(Printer *p)
{
    for (int i = 0; p->k->choices && i < CHOICE_COUNT; i++) {
        int n = chosen(p->k->choices, (Choice)i);
        if (n != 0) {
            text_printf(p->out, " choice=%s:%s", choice_info((Choice)i)->number,
                        choice_reading((Choice)i, n)->name);
        }
    }
}

static void
show_head(Printer *p)
{
    const Kernel *k = p->k;
    text_printf(p->out, "kernel %s soc=%s", sym_text(&k->unit->names, k->name),
                k->soc->name);
    show_choices(p);
    text_printf(p->out, "%s%s%s%s {\n", k->folded ? " folded" : "",
                k->may_read_uninit ? " fill_scratch" : "",
                k->blocks_ordered ? " ordered" : "",
                k->blocks_atomics_ordered ? " turns" : "");
    show_params(p);
    show_tables(p);
    for (RegId r = 1; r < k->regs.n; r++) {
        enter_name(&p->regs, r);
        text_put(p->out, "  reg ");
        show_name(&p->regs, r, '$', p);
        text_printf(p->out, ": %s%s\n", dtype_name(k->regs.p[r].dtype),
                    r == k->core ? " core" : "");
    }
    bool any = false;
    for (int s = 0; s < SC_COUNT; s++) {
        if (k->peak[s]) {
            text_printf(p->out, "%s %s=%lld", any ? "" : "  peak", scope_name((Scope)s),
                        (long long)k->peak[s]);
            any = true;
        }
    }
    text_put(p->out, any ? "\n" : "");
}

static void
names_init(Names *names, uint32_t n, Arena *scratch)
{
    names->number = ARENA_ARRAY(scratch, uint32_t, n);
    names->sym = ARENA_ARRAY(scratch, Sym, n);
}

static void
print_kernel(const Kernel *k, Printer p)
{
    Arena scratch;
    Text *out = p.out;
    arena_init(&scratch);
    p.k = k;
    p.scratch = &scratch;
    names_init(&p.bufs, k->bufs.n, &scratch);
    names_init(&p.regs, k->regs.n, &scratch);
    names_init(&p.vars, k->vars.n, &scratch);
    for (uint32_t i = 1; i < k->bufs.n; i++) {
        p.bufs.sym[i] = identifier_of(k, k->bufs.p[i].name, &scratch);
    }
    for (uint32_t i = 1; i < k->regs.n; i++) {
        p.regs.sym[i] = identifier_of(k, k->regs.p[i].name, &scratch);
    }
    for (uint32_t i = 1; i < k->vars.n; i++) {
        p.vars.sym[i] = identifier_of(k, k->vars.p[i].name, &scratch);
    }
    p.ordinal = ARENA_ARRAY(&scratch, uint32_t, k->bufs.n);
    uint32_t nsyms = k->unit->names.n;
    p.bufs.visible = ARENA_ARRAY(&scratch, uint32_t, nsyms);
    p.regs.visible = ARENA_ARRAY(&scratch, uint32_t, nsyms);
    p.vars.visible = ARENA_ARRAY(&scratch, uint32_t, nsyms);
    show_head(&p);
    show_body(&p, k->body);
    text_put(out, "}\n");
    arena_free(&scratch);
}

void
ir_print(const Kernel *k, Text *out)
{
    print_kernel(k, (Printer){.out = out});
}

void
ir_print_places(const Kernel *k, Text *out)
{
    print_kernel(k, (Printer){.out = out, .places = true});
}

void
ir_print_lines(const Kernel *k, Text *out, IrLineSink *each, void *to)
{
    print_kernel(k, (Printer){.out = out, .each = each, .to = to});
}
