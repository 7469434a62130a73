/* transfer.c: lowers data_move_pad (data-movement 5) without padding elements; tikrt_exec
 * has the other moves that pad, reorder or repeat.
 *
 * A burst of any number of bytes becomes whole blocks on the core. The rest of the last
 * block repeats the burst's first element; it is written before the burst is, since both
 * are whole vectors then. */
#include "host/lower/lower.h"
#include "isa/operand.h"
#include "rules/transfer.h"

static ExprId
operand(const Lower *l, StmtId s, int i)
{
    return l->k->args.p[l->k->stmts.p[s].instr.arg + (uint32_t)i].expr;
}

static const Ref *
tensor(const Lower *l, StmtId s, int i)
{
    return &l->k->args.p[l->k->stmts.p[s].instr.arg + (uint32_t)i].ref;
}

static bool
is_number(const Lower *l, StmtId s, int i, int64_t value)
{
    ExprId e = operand(l, s, i);
    return ir_is_const(l->k, e) && ir_expr(l->k, e)->imm == value;
}

/* Returns a number of bytes that is at least v, and whole blocks. */
static LLVMValueRef
whole_blocks(Lower *l, LLVMValueRef v)
{
    v = LLVMBuildAdd(l->b, v, lower_const(l, BLOCK_BYTES - 1), "");
    return LLVMBuildAnd(l->b, v, lower_const(l, -BLOCK_BYTES), "");
}

/* Returns v plus operand i in units of that many bytes. */
static LLVMValueRef
plus_gap(Lower *l, StmtId s, LLVMValueRef v, int i, int64_t unit)
{
    LLVMValueRef gap = lower_number(l, operand(l, s, i), s);
    gap = LLVMBuildMul(l->b, gap, lower_const(l, unit), "");
    return LLVMBuildAdd(l->b, v, gap, "");
}

static void
pad_out(Lower *l, StmtId s, CopyBursts *c)
{
    c->dst_pitch = plus_gap(l, s, c->bytes, PADMOVE_dst_gap, 1);
    c->src_pitch =
        plus_gap(l, s, whole_blocks(l, c->bytes), PADMOVE_src_gap, BLOCK_BYTES);
    lower_copy_bursts(l, c);
}

/* Fills the last block of each burst; the parameters are the place of the first of them,
 * the bursts, their number, and the pitches. */
static void
fill_blocks(Lower *l, const CopyBursts *c)
{
    int size = dtype_size(c->dst->dtype);
    LLVMTypeRef types[5] = {l->ptr, l->ptr, l->i64, l->i64, l->i64};
    LLVMTypeRef element = LLVMIntTypeInContext(l->ctx, 8 * (unsigned)size);
    Helper h;
    if (lower_helper_begin(l, &h, arena_printf(l->arena, "tik.fill.%d", size), types,
                           5)) {
        Counted p = {.count = LLVMGetParam(h.fn, 2),
                     .n = 2,
                     .at = {LLVMGetParam(h.fn, 0), LLVMGetParam(h.fn, 1)},
                     .step = {LLVMGetParam(h.fn, 3), LLVMGetParam(h.fn, 4)}};
        lower_counted_begin(l, &p);
        LLVMValueRef v = LLVMBuildLoad2(l->b, element, p.at[1], "");
        LLVMSetAlignment(v, 1);
        v = LLVMBuildStore(l->b, lower_splat(l, v, BLOCK_BYTES / size), p.at[0]);
        LLVMSetAlignment(v, 1);
        lower_counted_end(l, &p);
        lower_helper_end(l, &h);
    }
    LLVMValueRef last =
        LLVMBuildSub(l->b, whole_blocks(l, c->bytes), lower_const(l, BLOCK_BYTES), "");
    LLVMValueRef args[5] = {LLVMBuildGEP2(l->b, l->i8, c->to, &last, 1, ""), c->from,
                            c->n, c->dst_pitch, c->src_pitch};
    lower_helper_call(l, &h, args, 5);
}

static void
pad_in(Lower *l, StmtId s, CopyBursts *c)
{
    c->dst_pitch =
        plus_gap(l, s, whole_blocks(l, c->bytes), PADMOVE_dst_gap, BLOCK_BYTES);
    c->src_pitch = plus_gap(l, s, c->bytes, PADMOVE_src_gap, 1);
    bool whole =
        LLVMIsConstant(c->bytes) && LLVMConstIntGetZExtValue(c->bytes) % BLOCK_BYTES == 0;
    if (!whole) {
        fill_blocks(l, c);
    }
    lower_copy_bursts(l, c);
}

/* Returns whether the move pads with nothing but the first elements of bursts. */
static bool
is_plain(const Lower *l, StmtId s)
{
    const Ref *dst = tensor(l, s, PADMOVE_dst), *src = tensor(l, s, PADMOVE_src);
    Scope to = l->k->bufs.p[dst->buf].scope;
    if (to == SC_GM) {
        return !l->sets_atomic;
    }
    return dst->buf != src->buf && is_number(l, s, PADMOVE_left_padding, 0) &&
           is_number(l, s, PADMOVE_right_padding, 0) && !dtype_is_half_byte(dst->dtype) &&
           ir_is_const(l->k, operand(l, s, PADMOVE_fill)) &&
           !is_number(l, s, PADMOVE_fill, PAD_REGISTER);
}

static void
pad_move(Lower *l, StmtId s, LLVMValueRef bytes)
{
    CopyBursts c = {.dst = tensor(l, s, PADMOVE_dst),
                    .src = tensor(l, s, PADMOVE_src),
                    .n = lower_number(l, operand(l, s, PADMOVE_nburst), s),
                    .bytes = bytes};
    c.to = lower_ref(l, c.dst);
    c.from = lower_ref(l, c.src);
    if (l->k->bufs.p[c.dst->buf].scope == SC_GM) {
        pad_out(l, s, &c);
    } else {
        pad_in(l, s, &c);
    }
}

/* A burst may be shorter than an element, whose other bytes are then 0. */
static void
pad_move_of_elements(Lower *l, StmtId s)
{
    LLVMValueRef bytes = lower_number(l, operand(l, s, PADMOVE_burst), s);
    LLVMValueRef size = lower_const(l, dtype_size(tensor(l, s, PADMOVE_dst)->dtype));
    LLVMBasicBlockRef usual = lower_block(l, "pad"), part = lower_block(l, "part"),
                      done = lower_block(l, "moved");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntSGE, bytes, size, ""), usual, part);
    LLVMPositionBuilderAtEnd(l->b, usual);
    pad_move(l, s, bytes);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, part);
    l->stamp++; /* what the other branch has computed is not known here */
    lower_exec(l, s);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
    l->stamp++;
}

void
lower_transfer(Lower *l, StmtId s)
{
    bool pads = op_table[l->k->stmts.p[s].instr.op].sem == SEM_PAD_MOVE;
    if (!pads || !is_plain(l, s)) {
        lower_exec(l, s);
        return;
    }
    ExprId burst = operand(l, s, PADMOVE_burst);
    bool known = ir_is_const(l->k, burst);
    bool out = l->k->bufs.p[tensor(l, s, PADMOVE_dst)->buf].scope == SC_GM;
    int size = dtype_size(tensor(l, s, PADMOVE_dst)->dtype);
    if (known && ir_expr(l->k, burst)->imm < size && !out) {
        lower_exec(l, s);
    } else if (known || out || size == 1) {
        pad_move(l, s, lower_number(l, burst, s));
    } else {
        pad_move_of_elements(l, s);
    }
}
