/* parser_kernel.c: reads kernels of the text form: heads, arguments, constant tables,
 * registers, and all kernels of a file. See parser.c. */
#include "ir/packed_const.h"
#include "ir/reader.h"

#include <string.h>

/* ---- declarations -------------------------------------------------------- */

bool MUST_USE
reader_shape(Reader *p, Buffer *b)
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
    TRY(reader_shape(p, b));
    if (b->dynamic) {
        (void)ir_dynamic_room(p->k, b);
    } else if (b->role != BUF_CONST && b->role != BUF_LIST) {
        b->dynamic = reader_accept(p, "open");
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

/* Reads what the launcher learns about an argument. */
static bool MUST_USE
use(Reader *p, Buffer *b)
{
    if (!reader_accept(p, "use=")) {
        return true;
    }
    for (int i = USE_SCALAR; i <= USE_FLOW; i++) {
        if (reader_accept(p, bufuse_name((BufUse)i))) {
            b->use = (BufUse)i;
            return true;
        }
    }
    return reader_fail(p, p->pos, "expected scalar or tiling");
}

static bool MUST_USE
parameter(Reader *p, BufRole role)
{
    Buffer b = {.scope = SC_GM, .role = role, .address = -1, .copies = 1};
    TRY(global(p, &b));
    if (role == BUF_LIST) {
        TRY(address_list(p, &b));
    }
    TRY(use(p, &b));
    if (role != BUF_LIST && role != BUF_IN && reader_accept(p, "preset=")) {
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

/* Reads what the constant is made from, which decides its shape. */
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
    RegId reg = ir_reg(p->k, base, t, (Span){p->file, begin, p->pos});
    if (reader_accept(p, "core")) {
        bool ok = p->k->core == 0 && t == DT_S32;
        p->k->core = reg;
        return ok || reader_fail(p, begin, "one register has the core's index, int32");
    }
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

/* Reads any number of choice=POINT:READING. */
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
    p->k->folded = reader_accept(p, "folded");
    p->k->may_read_uninit = reader_accept(p, "fill_scratch");
    p->k->blocks_ordered = reader_accept(p, "ordered");
    p->k->blocks_atomics_ordered = reader_accept(p, "turns");
    return reader_expect(p, "{");
}

static bool MUST_USE
kernel(Reader *p)
{
    p->cores = 0;
    p->has_sreg = false;
    p->allocs.n = 0;
    reader_forget_names(&p->bufs, 0);
    reader_forget_names(&p->regs, 0);
    return kernel_head(p) && declarations(p) && reader_statements(p, 0, 0);
}

static bool
at_end(Reader *p)
{
    reader_peek(p);
    return p->pos == p->u->sources.p[p->file].len;
}

Kernel *
ir_parse(Unit *u, uint32_t file)
{
    Reader p = {.u = u, .text = u->sources.p[file].text, .file = file};
    p.k = kernel_new(u);
    bool ok = kernel(&p) &&
              (at_end(&p) || reader_fail(&p, p.pos, "expected the end of the text"));
    arena_free(&p.scratch);
    if (!ok) {
        kernel_free(p.k);
        return NULL;
    }
    return p.k;
}

/* ---- files --------------------------------------------------------------- */

/* Makes the allowances of comments and options. A comment counts for the statement on its
 * line, or for the first line after it. */
static void
allowances(Unit *u, uint32_t file)
{
    const Source *src = &u->sources.p[file];
    /* start of the lines that only hold comments, or of the present one */
    uint32_t first = 0;
    for (uint32_t at = 0; at < src->len;) {
        uint32_t end = at;
        while (end < src->len && src->text[end] != '\n') {
            end++;
        }
        uint32_t begin = at;
        while (begin < end && strchr(" \t\r", src->text[begin])) {
            begin++;
        }
        at = end + 1;
        if (begin == end || src->text[begin] == '#') {
            continue;
        }
        Span line = {file, begin, end};
        for (uint32_t i = first; i < end; i++) {
            uint32_t to = i;
            while (src->text[i] == '#' && to < end && src->text[to] != '\n') {
                to++;
            }
            if (to > i) {
                severity_comment(u, (Span){file, i, to}, line);
                i = to;
            }
        }
        severity_line(u, line);
        first = at;
    }
}

/* Makes the kernel that was read one of the unit's, if its name is new. */
static bool MUST_USE
enter_kernel(Reader *p)
{
    Unit *u = p->u;
    const Kernel *k = p->k;
    uint32_t first = reader_find_name(&p->kernels, k->name);
    if (first) {
        Diag *d = diag_add(u, D_KERNEL_NAME, k->span, 0, "two kernels are called '%s'",
                           sym_text(&u->names, k->name));
        diag_note(u, d, u->kernels.p[first - 1]->span, "the first one");
        return false;
    }
    ir_keep_trace(p->k);
    VEC_PUSH(&u->arena, &u->kernels, p->k);
    return reader_declare_name(p, &p->kernels, k->name, u->kernels.n);
}

bool
ir_read(Unit *u, uint32_t file)
{
    Reader p = {.u = u, .text = u->sources.p[file].text, .file = file};
    bool ok = true;
    allowances(u, file);
    while (ok && (u->kernels.n == 0 || !at_end(&p))) {
        p.k = kernel_new(u);
        ok = kernel(&p) && enter_kernel(&p);
        if (!ok) {
            kernel_free(p.k);
        }
    }
    arena_free(&p.scratch);
    return ok;
}
