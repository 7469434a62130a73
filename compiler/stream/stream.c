/* stream.c: lowers kernel IR to descriptors. The statements of a checked and allocated
 * kernel are walked in order; each gives the scalar descriptors for its operands and then
 * its own. A multi-core loop has no loop in the blob: its variable is the core's index,
 * and every core runs the body once (cores beyond a smaller loop's count skip it).
 *
 * It relies on: pass check (proofs), pass allocate (addresses), ir_verify. What does not
 * fit the format is the user's fault `blob`. */

/* ASSUMES loop-type: a loop variable is in its dtype. */
/* ASSUMES loop-fixed: the body of a loop does not change its bounds. */
/* ASSUMES bound-63: a bound is below 2^63. */
#include "stream/stream.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline.h"

#ifndef TIKC_VERSION
#define TIKC_VERSION "0"
#endif

static bool body(Stream *s, StmtId first);

bool
stream_emit(Stream *s)
{
    return stream_emit_desc(s, &s->d);
}

/* True if the descriptor may break a rule at run time and reads Scalars. */
static bool
may_fault(const TikDesc *d)
{
    bool divides = (d->alu_op == SOP_DIV || d->alu_op == SOP_REM) &&
                   !dtype_is_float(d->dtype) && (d->b.kind != NUM_IMM || d->b.imm == 0);
    return d->kind == DESC_INSTR || d->kind == DESC_LOAD || d->kind == DESC_STORE ||
           (d->kind == DESC_ALU && divides);
}

/* Names the Scalars that a fault at the descriptor reports. */
static void
name_scalars(Stream *s)
{
    RegId regs[IR_WHERE_SCALARS];
    int n = ir_scalars_read(s->k, s->at, regs, IR_WHERE_SCALARS);
    for (int i = 0; i < n; i++) {
        const Reg *reg = &s->k->regs.p[regs[i]];
        if (s->regs[regs[i]] >= 0) { /* otherwise it is in no descriptor */
            TikNum num = {.kind = NUM_REG, .index = (uint32_t)s->regs[regs[i]]};
            tikblob_emit_name(s->w, sym_text(&s->u->names, reg->name), num, reg->dtype);
        }
    }
}

/* Returns the writer's frame of the calls that led to the present statement. */
static uint32_t
frame(Stream *s)
{
    uint32_t *calls;
    Unit *u = s->u;
    uint32_t n = unit_new_calls(u, s->at->chain, s->frames, &s->scratch, &calls);
    for (uint32_t i = 0; i < n; i++) {
        const CallStep *step = &u->chains.p[calls[i]];
        TikBlobFrame f = {
            .parent = s->frames[step->parent], .callee = step->callee, .file = ""};
        if (step->call.file != 0) {
            Source *src = &u->sources.p[step->call.file];
            LineCol at = source_line_col(&u->arena, src, step->call.begin);
            f.file = src->path;
            f.line = at.line;
            f.column = at.column;
        }
        s->frames[calls[i]] = tikblob_add_frame(s->w, &f);
    }
    return s->frames[s->at->chain];
}

bool
stream_append(Stream *s, const TikDesc *d)
{
    char error[200];
    Source *src = &s->u->sources.p[s->at->span.file];
    bool placed = s->at->span.file != 0;
    LineCol at = {0, 0};
    if (placed) {
        at = source_line_col(&s->u->arena, src, s->at->span.begin);
    }
    if (!tikblob_emit(s->w, d, placed ? src->path : NULL, at.line, at.column, error,
                      sizeof error)) {
        diag_add(s->u, D_BLOB, s->at->span, s->at->chain, "%s", error);
        return false;
    }
    tikblob_emit_frame(s->w, frame(s));
    if (may_fault(d)) {
        name_scalars(s);
    }
    return true;
}

bool
stream_emit_desc(Stream *s, const TikDesc *d)
{
    TRY(stream_insert(s));
    s->nemitted++;
    return stream_append(s, d);
}

static bool
emit_plain(Stream *s, TikDescKind kind)
{
    tikblob_clear(&s->d, 0);
    s->d.kind = kind;
    return stream_emit(s);
}

/* ---- accesses and instructions ------------------------------------------- */

static bool
load(Stream *s, const Stmt *st)
{
    TikOperand from;
    TRY(stream_operand(s, &st->load.ref, &from));
    tikblob_clear(&s->d, 0);
    s->d.kind = DESC_LOAD;
    s->d.checked = st->proof != PROOF_PROVED;
    s->d.operand = from;
    s->d.reg = stream_reg(s, st->load.reg);
    s->d.dtype = st->load.ref.dtype;
    return stream_emit(s);
}

static bool
store(Stream *s, const Stmt *st)
{
    TikOperand to;
    TikNum value;
    TRY(stream_operand(s, &st->store.ref, &to));
    TRY(stream_number(s, st->store.value, &value));
    tikblob_clear(&s->d, 0);
    s->d.kind = DESC_STORE;
    s->d.checked = st->proof != PROOF_PROVED;
    s->d.operand = to;
    s->d.a = value;
    s->d.dtype = st->store.ref.dtype;
    return stream_emit(s);
}

static bool
operand(Stream *s, const Arg *arg, int i, TikDesc *d)
{
    switch (arg->kind) {
    case ARG_NONE:
        return true;
    case ARG_REF:
        return stream_operand(s, &arg->ref, &d->args[i].t);
    case ARG_EXPR:
        return stream_number(s, arg->expr, &d->args[i].v);
    case ARG_MASK:
        break;
    }
    d->mask_form = arg->mask_form;
    for (int w = 0; w < mask_words(arg->mask_form); w++) {
        TRY(stream_number(s, arg->mask[w], &d->args[i].mask[w]));
    }
    return true;
}

static bool
instr(Stream *s, const Stmt *st)
{
    TikDesc *d = &s->call; /* s->d is used meanwhile to compute numbers */
    int n;
    form_params(op_table[st->instr.op].form, &n);
    tikblob_clear(d, n);
    d->kind = DESC_INSTR;
    d->checked = st->proof != PROOF_PROVED;
    d->op = st->instr.op;
    for (int i = 0; i < n; i++) {
        TRY(operand(s, &s->k->args.p[st->instr.arg + (uint32_t)i], i, d));
    }
    return stream_emit_desc(s, d);
}

/* ---- control ------------------------------------------------------------- */

static bool
open_if(Stream *s, const Stmt *st, TikNum cond)
{
    if (s->ifs == TIKBLOB_MAX_IFS) {
        diag_add(s->u, D_BLOB, st->span, st->chain,
                 "branches nest more than %d deep; a blob allows %d", s->ifs,
                 TIKBLOB_MAX_IFS);
        return false;
    }
    s->ifs++;
    tikblob_clear(&s->d, 0);
    s->d.kind = DESC_IF;
    s->d.a = cond;
    return stream_emit(s);
}

static bool
close_if(Stream *s, const Stmt *st)
{
    s->ifs--;
    s->at = st;
    return emit_plain(s, DESC_ENDIF);
}

static bool
branch(Stream *s, const Stmt *st)
{
    TikNum cond;
    TRY(stream_number(s, st->cond.cond, &cond));
    TRY(open_if(s, st, cond));
    TRY(body(s, st->cond.then_body));
    if (st->cond.else_body != 0) {
        s->at = st;
        TRY(emit_plain(s, DESC_ELSE));
        TRY(body(s, st->cond.else_body));
    }
    return close_if(s, st);
}

static bool
open_loop(Stream *s, const Stmt *st, TikNum begin, TikNum end)
{
    if (s->depth == TIKBLOB_MAX_LOOPS) {
        diag_add(s->u, D_BLOB, st->span, st->chain,
                 "loops nest more than %d deep; a blob allows %d", s->depth,
                 TIKBLOB_MAX_LOOPS);
        return false;
    }
    tikblob_clear(&s->d, 0);
    s->d.kind = DESC_LOOP;
    s->d.slot = (uint32_t)s->depth++;
    s->d.a = begin;
    s->d.b = end;
    return stream_emit(s);
}

static bool
close_loop(Stream *s, const Stmt *st)
{
    s->at = st;
    tikblob_clear(&s->d, 0);
    s->d.kind = DESC_ENDLOOP;
    s->d.slot = (uint32_t)--s->depth;
    return stream_emit(s);
}

static bool
loop(Stream *s, const Stmt *st)
{
    TikNum begin, end;
    Interval lo = stream_sum(s, st->loop.begin)->range;
    Interval hi = stream_sum(s, st->loop.end)->range;
    Interval type = interval_of_type(s->k->vars.p[st->loop.var].dtype);
    /* loop_bounds checks that the variable stays in its dtype where types of bounds do
     * not say so. */
    int64_t first = MAX(lo.lo, type.lo);
    int64_t last = MIN(hi.hi > first ? hi.hi - 1 : first, type.hi);
    TRY(stream_number(s, st->loop.begin, &begin));
    TRY(stream_number(s, st->loop.end, &end));
    s->vars[st->loop.var] =
        (LoopVar){.num = {.kind = NUM_LOOP, .index = (uint32_t)s->depth},
                  .range = interval_between(first, MAX(first, last))};
    TRY(open_loop(s, st, begin, end));
    tikblob_emit_name(s->w, ir_var_label(s->k, st->loop.var), s->vars[st->loop.var].num,
                      s->k->vars.p[st->loop.var].dtype);
    TRY(stream_begin_turn(s, (StmtId)(st - s->k->stmts.p)));
    TRY(body(s, st->loop.body));
    return close_loop(s, st);
}

/* True if a break or continue belongs to the loop whose body begins here. */
static bool
has_jump(const Kernel *k, StmtId first)
{
    for (StmtId id = first; id != 0; id = k->stmts.p[id].next) {
        const Stmt *st = &k->stmts.p[id];
        bool found = false;
        switch ((StmtKind)st->kind) {
        case ST_BREAK:
        case ST_CONTINUE:
            found = true;
            break;
        case ST_IF:
            found = has_jump(k, st->cond.then_body) || has_jump(k, st->cond.else_body);
            break;
        case ST_SCOPE:
            found = has_jump(k, st->scope.body);
            break;
        case ST_NONE:
        case ST_INSTR:
        case ST_SET:
        case ST_LOAD:
        case ST_STORE:
        case ST_ALLOC:
        case ST_FOR:
        case ST_RETURN:
            break;
        }
        if (found) {
            return true;
        }
    }
    return false;
}

/* Cores with an index beyond the loop's count do nothing in it. */
static bool
open_core_guard(Stream *s, const Stmt *st)
{
    TikNum blocks;
    TRY(stream_number(s, st->loop.end, &blocks));
    uint32_t reg = stream_temp(s);
    tikblob_clear(&s->d, 0);
    s->d.kind = DESC_ALU;
    s->d.alu_op = SOP_LT;
    s->d.dtype = DT_S64;
    s->d.reg = reg;
    s->d.a = (TikNum){.kind = NUM_CORE};
    s->d.b = blocks;
    TRY(stream_emit(s));
    return open_if(s, st, (TikNum){.kind = NUM_REG, .index = reg});
}

/* Emits the body once, for the core's own index; inside a loop of one iteration when it
 * contains jumps out. */
static bool
core_loop(Stream *s, const Stmt *st)
{
    bool open = st->loop.block_num == IR_SCALAR_BLOCKS;
    bool guarded = open || st->loop.block_num < s->cores || s->any_cores;
    bool jumps = has_jump(s->k, st->loop.body);
    s->vars[st->loop.var] = (LoopVar){
        .num = {.kind = NUM_CORE},
        .range = interval_between(0, (open ? IR_MAX_BLOCKS : st->loop.block_num) - 1)};
    if (guarded) {
        TRY(open_core_guard(s, st));
    }
    if (jumps) {
        TRY(open_loop(s, st, (TikNum){.imm = 0}, (TikNum){.imm = 1}));
    }
    TRY(body(s, st->loop.body));
    if (jumps) {
        TRY(close_loop(s, st));
    }
    return !guarded || close_if(s, st);
}

static bool
statement(Stream *s, const Stmt *st)
{
    switch ((StmtKind)st->kind) {
    case ST_INSTR:
        return instr(s, st);
    case ST_SET:
        return stream_assign(s, st->set.reg, st->set.value);
    case ST_LOAD:
        return load(s, st);
    case ST_STORE:
        return store(s, st);
    case ST_FOR:
        return ir_is_multicore(st) ? core_loop(s, st) : loop(s, st);
    case ST_IF:
        return branch(s, st);
    case ST_SCOPE:
        return body(s, st->scope.body);
    case ST_BREAK:
        return emit_plain(s, DESC_BREAK);
    case ST_CONTINUE:
        return emit_plain(s, DESC_CONTINUE);
    case ST_RETURN:
        return emit_plain(s, DESC_RETURN);
    case ST_ALLOC:
    case ST_NONE:
        return true;
    }
    UNREACHABLE();
}

static bool
body(Stream *s, StmtId first)
{
    for (StmtId id = first; id != 0; id = s->k->stmts.p[id].next) {
        const Stmt *st = &s->k->stmts.p[id];
        stream_next_statement(s, st);
        TRY(statement(s, st));
    }
    return true;
}

/* ---- kernels ------------------------------------------------------------- */

static void
mark_used(Stream *s, BufId b)
{
    s->regions[b] = 0;
}

static void
mark_args(Stream *s, const Stmt *st)
{
    int n;
    form_params(op_table[st->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *a = &s->k->args.p[st->instr.arg + (uint32_t)i];
        if (a->kind == ARG_REF) {
            mark_used(s, a->ref.buf);
        }
    }
}

/* Marks the buffers that the statements access and finds the number of cores. */
static void
survey(Stream *s, StmtId first)
{
    for (StmtId id = first; id != 0; id = s->k->stmts.p[id].next) {
        const Stmt *st = &s->k->stmts.p[id];
        switch ((StmtKind)st->kind) {
        case ST_INSTR:
            mark_args(s, st);
            break;
        case ST_LOAD:
            mark_used(s, st->load.ref.buf);
            break;
        case ST_STORE:
            mark_used(s, st->store.ref.buf);
            break;
        case ST_FOR:
            if (ir_is_multicore(st)) {
                s->cores = MAX(s->cores, ir_blocks(s->k, st));
                s->any_cores = s->any_cores || st->loop.block_num == IR_SCALAR_BLOCKS;
            }
            survey(s, st->loop.body);
            break;
        case ST_IF:
            survey(s, st->cond.then_body);
            survey(s, st->cond.else_body);
            break;
        case ST_SCOPE:
            survey(s, st->scope.body);
            break;
        case ST_NONE:
        case ST_SET:
        case ST_ALLOC:
        case ST_BREAK:
        case ST_CONTINUE:
        case ST_RETURN:
            break;
        }
    }
}

static bool
make_arg(Stream *s, const Buffer *b, TikBlobArg *out)
{
    *out = (TikBlobArg){.name = sym_text(&s->u->names, b->name),
                        .dtype = b->dtype,
                        .role = (int)ir_arg_role(b),
                        .elems = b->elems,
                        .ndim = (int)MAX(b->shape.n, 1),
                        .preset = b->preset,
                        .preset_value = b->preset_value,
                        .open = b->dynamic,
                        .shape = {b->elems}};
    if (b->shape.n > 8) {
        diag_add(s->u, D_BLOB, b->span, b->chain,
                 "tensor '%s' has %u dimensions; a blob allows 8", out->name, b->shape.n);
        return false;
    }
    for (uint32_t i = 0; i < b->shape.n; i++) {
        out->shape[i] = b->shape.p[i];
    }
    return true;
}

static int64_t
param_index(const Kernel *k, BufId b)
{
    for (uint32_t i = 0; i < k->params.n; i++) {
        if (k->params.p[i] == b) {
            return i;
        }
    }
    ICE("global tensor that is no parameter");
}

static void
make_pack(const Buffer *b, TikBlobPack *out)
{
    const PackInfo *i = b->pack;
    if (i == NULL) {
        return;
    }
    *out = (TikBlobPack){.present = true,
                         .packed = b->packed,
                         .depthwise = i->depthwise,
                         .requant = i->requant,
                         .bias = i->bias,
                         .nibbles = i->nibbles,
                         .weight = i->weight,
                         .plan = i->plan};
    for (int d = 0; d < 4; d++) {
        out->dim[d] = (uint32_t)i->dim[d];
    }
}

static TikBlobRegion
make_region(const Stream *s, BufId id)
{
    const Buffer *b = &s->k->bufs.p[id];
    TikBlobRegion r = {.name = sym_text(&s->u->names, b->name),
                       .scope = b->scope,
                       .dtype = b->dtype,
                       .base = b->address,
                       .bytes = stream_region_bytes(s, id),
                       .open = b->dynamic};
    if (b->role == BUF_CONST) {
        r.kind = TIKBLOB_TABLE;
        r.data = b->data;
        make_pack(b, &r.pack);
    } else if (b->scope == SC_GM) {
        r.kind = b->role == BUF_LIST ? TIKBLOB_LIST : TIKBLOB_TENSOR;
        r.base = param_index(s->k, id);
    }
    return r;
}

static bool
begin(Stream *s)
{
    const Kernel *k = s->k;
    TikBlobArg *args = ARENA_ARRAY(&s->scratch, TikBlobArg, k->params.n + 1);
    TikBlobRegion *regions = ARENA_ARRAY(&s->scratch, TikBlobRegion, k->bufs.n + 1);
    int nregions = 0;
    for (uint32_t i = 0; i < k->params.n; i++) {
        TRY(make_arg(s, &k->bufs.p[k->params.p[i]], &args[i]));
    }
    for (BufId b = 1; b < k->bufs.n; b++) {
        if (s->regions[b] >= 0) {
            s->regions[b] = nregions;
            regions[nregions++] = make_region(s, b);
        }
    }
    TikBlobKernelInfo info = {.name = sym_text(&s->u->names, k->name),
                              .cores = (uint32_t)s->cores,
                              .flags = (k->may_read_uninit ? TIKBLOB_FILL_SCRATCH : 0u) |
                                       (k->blocks_ordered ? TIKBLOB_ORDERED : 0u) |
                                       (s->any_cores ? TIKBLOB_ANY_CORES : 0u) |
                                       (s->plan != NULL ? TIKBLOB_QUEUES : 0u),
                              .args = args,
                              .nargs = (int)k->params.n,
                              .regions = regions,
                              .nregions = nregions};
    memcpy(info.peak, k->peak, sizeof info.peak);
    tikblob_begin_kernel(s->w, &info);
    return true;
}

static void
prepare(Stream *s)
{
    const Kernel *k = s->k;
    s->sums = ARENA_ARRAY(&s->scratch, const Sum *, k->exprs.n + 1);
    s->values = ARENA_ARRAY(&s->scratch, Value, k->exprs.n + 1);
    s->vars = ARENA_ARRAY(&s->scratch, LoopVar, k->vars.n + 1);
    s->regs = ARENA_ARRAY(&s->scratch, int32_t, k->regs.n + 1);
    s->frames = ARENA_ARRAY(&s->scratch, uint32_t, s->u->chains.n);
    s->regions = ARENA_ARRAY(&s->scratch, int32_t, k->bufs.n + 1);
    for (uint32_t i = 0; i < k->regs.n; i++) {
        s->regs[i] = -1;
    }
    for (uint32_t i = 0; i < k->bufs.n; i++) {
        s->regions[i] = -1;
    }
    s->cores = 1;
}

/* plan: what orders the queues; null: the descriptors are executed in their order. */
static bool
kernel(Unit *u, TikBlobWriter *w, const Kernel *k, const Plan *plan)
{
    Stream s = {.u = u, .k = k, .w = w, .plan = plan};
    arena_init(&s.scratch);
    prepare(&s);
    survey(&s, k->body);
    stream_find_turns(&s);
    s.turn_reg = plan != NULL ? s.nregs++ : 0;
    bool ok = begin(&s) && body(&s, k->body) && stream_insert(&s);
    tikblob_end_kernel(w);
    arena_free(&s.scratch);
    return ok;
}

/* ---- blobs --------------------------------------------------------------- */

/* What the writer makes must be accepted: the loader's own checks run on the finished
 * bytes. */
static bool
self_check(Unit *u, Kernel *const *kernels, const uint8_t *bytes, size_t size)
{
    TikBlob b;
    TikBlobDiag diag;
    TikBlobProof proof;
    char text[400];
    int at = 0;
    bool ok = tikblob_open(&b, bytes, size, &diag) && tikblob_identify(&b, &diag);
    for (; ok && at < b.nkernels; at++) {
        uint64_t n = tikblob_workspace(&b, at);
        Arena scratch;
        arena_init(&scratch);
        ok = tikblob_verify(&b, at, arena_alloc(&scratch, (size_t)n), n, &proof, &diag);
        arena_free(&scratch);
        if (!ok) {
            break;
        }
    }
    if (!ok) {
        tikblob_explain(&b, at, &diag, text, sizeof text);
        diag_add(u, D_BLOB, kernels[at]->span, 0, "%s: %s", diag.code, text);
    }
    return ok;
}

static bool
same_target(Unit *u, Kernel *const *kernels, int n)
{
    for (int i = 1; i < n; i++) {
        if (kernels[i]->soc != kernels[0]->soc) {
            diag_add(
                u, D_BLOB, kernels[i]->span, 0,
                "kernel '%s' is for %s and kernel '%s' for %s; a blob has one target",
                sym_text(&u->names, kernels[0]->name), kernels[0]->soc->name,
                sym_text(&u->names, kernels[i]->name), kernels[i]->soc->name);
            return false;
        }
    }
    return true;
}

static bool
finish(Unit *u, TikBlobWriter *w, const uint8_t **bytes, size_t *size)
{
    uint8_t *out;
    tikblob_check_unproved(w);
    if (!tikblob_finish(w, "tikc " TIKC_VERSION, &out, size)) {
        base_out_of_memory(0);
    }
    *bytes = arena_copy(&u->arena, out, *size);
    free(out);
    return true;
}

/* plans: one for each kernel; null: queues are not used. */
static bool
make_blob(Unit *u, Kernel *const *kernels, int n, const Plan *plans,
          const uint8_t **bytes, size_t *size)
{
    if (n < 1) {
        diag_add(u, D_BLOB, (Span){0, 0, 0}, 0, "there is no kernel to put into a blob");
        return false;
    }
    TRY(same_target(u, kernels, n));
    TikBlobWriter *w = tikblob_writer_new(kernels[0]->soc);
    if (w == NULL) {
        base_out_of_memory(0);
    }
    tikblob_choices(w, kernels[0]->choices);
    bool ok = true;
    for (int i = 0; i < n; i++) {
        bool queues = plans != NULL && plans[i].ordered;
        ok = kernel(u, w, kernels[i], queues ? &plans[i] : NULL) && ok;
    }
    ok = ok && finish(u, w, bytes, size);
    tikblob_writer_free(w);
    return ok && self_check(u, kernels, *bytes, *size);
}

static Plan *
plans_of(Unit *u, const uint8_t *bytes, size_t size, int n)
{
    TikBlob b;
    TikBlobDiag diag;
    Plan *plans = ARENA_ARRAY(&u->arena, Plan, n);
    if (!tikblob_open(&b, bytes, size, &diag)) {
        ICE("a blob of ours is refused");
    }
    for (int i = 0; i < n; i++) {
        plan_make(&plans[i], &u->arena, &b, i);
    }
    return plans;
}

/* What is written must be proved, too: a plan is of the descriptors without it. */
static bool
are_ordered(const Plan *plans, const uint8_t *bytes, size_t size, int n)
{
    TikBlob b;
    TikBlobDiag diag;
    bool ok = tikblob_open(&b, bytes, size, &diag);
    for (int i = 0; ok && i < n; i++) {
        TikBlobOrder order;
        ok = !plans[i].ordered || tikblob_order(&b, i, &order);
    }
    return ok;
}

/* Reports the kernels that are executed in the program's order although their queues were
 * asked for. */
static void
report_unused(Unit *u, Kernel *const *kernels, int n, const Plan *plans, const TikBlob *b)
{
    for (int i = 0; i < n; i++) {
        TikBlobOrder order;
        const char *name = sym_text(&u->names, kernels[i]->name);
        if (plans[i].ordered) {
            continue;
        }
        if (plans[i].own && !tikblob_order(b, i, &order)) {
            diag_add(u, D_SYNC_UNUSED, kernels[i]->span, 0,
                     "kernel '%s' has flags, and they do not order its queues: %s: %s",
                     name, order.name, order.text);
        } else {
            diag_add(u, D_SYNC_UNUSED, kernels[i]->span, 0,
                     "no flags were found that are proved to order the queues of kernel "
                     "'%s'",
                     name);
        }
    }
}

bool
tikc_blob(Unit *u, Kernel *const *kernels, int n, const uint8_t **bytes, size_t *size)
{
    TRY(make_blob(u, kernels, n, NULL, bytes, size));
    if (!u->opt.sync_auto) {
        return true;
    }
    TikBlob b;
    TikBlobDiag diag;
    Plan *plans = plans_of(u, *bytes, *size, n);
    if (tikblob_open(&b, *bytes, *size, &diag)) {
        report_unused(u, kernels, n, plans, &b);
    }
    TRY(make_blob(u, kernels, n, plans, bytes, size));
    if (!are_ordered(plans, *bytes, *size, n)) {
        ICE("the order of queues that was planned is not the one that was written");
    }
    return true;
}

bool
tikc_explain_sync(Unit *u, Kernel *const *kernels, int n, Text *out)
{
    TikBlob b;
    TikBlobDiag diag;
    const uint8_t *bytes;
    size_t size;
    TRY(make_blob(u, kernels, n, NULL, &bytes, &size));
    Plan *plans = plans_of(u, bytes, size, n);
    if (!tikblob_open(&b, bytes, size, &diag)) {
        ICE("a blob of ours is refused");
    }
    for (int i = 0; i < n; i++) {
        plan_explain(&plans[i], &b, i, out);
    }
    return true;
}
