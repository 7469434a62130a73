/* move.c: lowers data_move on every path, and the padding register.
 *
 * Bursts are copied with memcpy, inside of one tensor with memmove, since source and
 * destination may share bytes there (the warning overlap): each burst is read before it
 * is written. One burst is one copy in place; more go through a helper that advances both
 * addresses by their pitch, in ascending order. Moves that fill (pad modes) or convert
 * (L0C) have helpers of their own.
 *
 * Streams. Output that the kernel never reads, of a kernel whose tensors do not fit the
 * caches, is written past them: a line that is written whole need not be read first,
 * which saves a third of the memory traffic of an addition. Such stores are weakly
 * ordered, so a fence precedes each return. */
#include "host/lower/lower.h"
#include "isa/operand.h"

#include <string.h>

typedef struct Move {
    const Ref *dst, *src;
    MoveUnits units;
    int64_t mode;
    bool overlaps;                     /* source and destination may share bytes */
    LLVMValueRef to, from;             /* addresses */
    LLVMValueRef nburst, burst;        /* i64 */
    LLVMValueRef dst_bytes, src_bytes; /* bytes of one burst */
    LLVMValueRef dst_pitch, src_pitch; /* bytes from burst to burst */
} Move;

static const Arg *
operand(Lower *l, StmtId s, int i)
{
    return &l->k->args.p[l->k->stmts.p[s].instr.arg + (uint32_t)i];
}

static LLVMValueRef
number(Lower *l, StmtId s, int i)
{
    return lower_number(l, operand(l, s, i)->expr, s);
}

static LLVMValueRef
times(Lower *l, LLVMValueRef v, int64_t by)
{
    return LLVMBuildMul(l->b, v, lower_const(l, by), "");
}

/* Returns the bytes that a pad mode takes from each burst: 1, 2, 4, 8, 16. */
static int64_t
pad_width(const Move *m)
{
    return INT64_C(1) << (m->mode - 1);
}

static void
call_helper(Lower *l, const Helper *h, const Move *m, LLVMValueRef extra)
{
    LLVMValueRef args[6] = {m->to, m->from, m->nburst, m->dst_pitch, m->src_pitch, extra};
    lower_helper_call(l, h, args, 6);
}

/* Begins a helper (dst, src, bursts, dst pitch, src pitch, extra) and its loop over
 * bursts; false when it exists. The parameter extra is i64. */
static bool
burst_loop(Lower *l, Helper *h, Counted *c, const char *name)
{
    LLVMTypeRef types[6] = {l->ptr, l->ptr, l->i64, l->i64, l->i64, l->i64};
    if (!lower_helper_begin(l, h, name, types, 6)) {
        return false;
    }
    c->count = LLVMGetParam(h->fn, 2);
    c->n = 2;
    for (unsigned i = 0; i < 2; i++) {
        c->at[i] = LLVMGetParam(h->fn, i);
        c->step[i] = LLVMGetParam(h->fn, 3 + i);
    }
    lower_counted_begin(l, c);
    return true;
}

/* ---- copies -------------------------------------------------------------- */

/* Short bursts of a constant length become a few vector moves instead of a call. */
enum {
    INLINE_BURST = 512
};

static void
copy_bytes(Lower *l, bool overlaps, LLVMValueRef to, LLVMValueRef from, LLVMValueRef len)
{
    if (overlaps) {
        LLVMBuildMemMove(l->b, to, 1, from, 1, len);
    } else {
        LLVMBuildMemCpy(l->b, to, 1, from, 1, len);
    }
}

static void
copy_bursts(Lower *l, const Move *m)
{
    Helper h;
    Counted c = {0};
    bool fixed = LLVMIsConstant(m->src_bytes) &&
                 LLVMConstIntGetZExtValue(m->src_bytes) <= INLINE_BURST;
    const char *name = m->overlaps ? "tik.overlap" : "tik.move";
    if (fixed) {
        name = arena_printf(l->arena, "%s.%llu", name,
                            (unsigned long long)LLVMConstIntGetZExtValue(m->src_bytes));
    }
    if (burst_loop(l, &h, &c, name)) {
        LLVMValueRef len = fixed ? m->src_bytes : LLVMGetParam(h.fn, 5);
        copy_bytes(l, m->overlaps, c.at[0], c.at[1], len);
        lower_counted_end(l, &c);
        lower_helper_end(l, &h);
    }
    call_helper(l, &h, m, m->src_bytes);
}

static bool
same_constant(LLVMValueRef a, LLVMValueRef b)
{
    return LLVMIsConstant(a) && LLVMIsConstant(b) &&
           LLVMConstIntGetZExtValue(a) == LLVMConstIntGetZExtValue(b);
}

/* ---- streams ------------------------------------------------------------- */

/* Limits in bytes: the size of all global tensors from which reads and writes wait for
 * memory; the size from which a tensor's size only means "unknown"; the shortest burst
 * that is streamed; one iteration of the loop. */
enum {
    FAR_TOTAL = 2 << 20,
    STREAM_BURST = 2048,
    STREAM_STEP = 4 * CACHE_LINE
};
#define STREAM_UNKNOWN ((int64_t)INT32_MAX)

static void
note_read(Lower *l, const Ref *r)
{
    l->streams[r->buf] = false;
}

static void
note_instr_reads(Lower *l, const Stmt *st)
{
    int n;
    const ParamInfo *params = form_params(op_table[st->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        if (params[i].role == ROLE_SRC) {
            note_read(l, &l->k->args.p[st->instr.arg + (uint32_t)i].ref);
        }
    }
}

void
lower_find_streams(Lower *l)
{
    const Kernel *k = l->k;
    int64_t total = 0;
    for (uint32_t i = 0; i < k->params.n; i++) {
        const Buffer *b = &k->bufs.p[k->params.p[i]];
        total += b->bytes < STREAM_UNKNOWN ? b->bytes : 0;
        l->streams[k->params.p[i]] = b->role == BUF_OUT && b->bytes < STREAM_UNKNOWN;
    }
    for (uint32_t i = 1; i < k->stmts.n; i++) {
        const Stmt *st = &k->stmts.p[i];
        if (st->kind == ST_INSTR) {
            note_instr_reads(l, st);
        } else if (st->kind == ST_LOAD) {
            note_read(l, &st->load.ref);
        }
    }
    l->has_far = total >= FAR_TOTAL;
    for (uint32_t i = 1; i < k->bufs.n; i++) {
        l->streams[i] = l->streams[i] && total >= l->target->stream_bytes;
        l->has_streams = l->has_streams || l->streams[i];
    }
}

void
lower_fence_streams(Lower *l)
{
    if (l->has_streams) {
        LLVMBuildFence(l->b, LLVMAtomicOrderingSequentiallyConsistent, false, "");
    }
}

static LLVMValueRef
advance(Lower *l, LLVMValueRef at, LLVMValueRef by)
{
    return LLVMBuildGEP2(l->b, l->i8, at, &by, 1, "");
}

/* Copies n lines; dst is at the start of a line. */
static void
stream_group(Lower *l, LLVMValueRef dst, LLVMValueRef src, int n)
{
    LLVMTypeRef line = LLVMVectorType(l->i64, CACHE_LINE / 8);
    unsigned kind =
        LLVMGetMDKindIDInContext(l->ctx, "nontemporal", strlen("nontemporal"));
    LLVMValueRef v[STREAM_STEP / CACHE_LINE];
    for (int i = 0; i < n; i++) {
        v[i] = LLVMBuildLoad2(l->b, line, advance(l, src, lower_const(l, i * CACHE_LINE)),
                              "");
        LLVMSetAlignment(v[i], 1);
    }
    for (int i = 0; i < n; i++) {
        LLVMValueRef st =
            LLVMBuildStore(l->b, v[i], advance(l, dst, lower_const(l, i * CACHE_LINE)));
        LLVMSetAlignment(st, CACHE_LINE);
        LLVMSetMetadata(st, kind, l->nontemporal);
    }
}

/* Builds a loop over whole groups of lines; dst is at the start of a line. */
static void
stream_lines(Lower *l, LLVMValueRef dst, LLVMValueRef src, LLVMValueRef bytes)
{
    LLVMValueRef step = lower_const(l, STREAM_STEP);
    Counted c = {.count = LLVMBuildUDiv(l->b, bytes, step, ""),
                 .n = 2,
                 .at = {dst, src},
                 .step = {step, step}};
    lower_counted_begin(l, &c);
    stream_group(l, c.at[0], c.at[1], STREAM_STEP / CACHE_LINE);
    lower_counted_end(l, &c);
}

/* Streams the helper's bytes up to a line, then whole groups of lines, then the rest.
 * There is at least one line. */
static void
stream_body(Lower *l, const Helper *h)
{
    LLVMValueRef dst = LLVMGetParam(h->fn, 0);
    LLVMValueRef src = LLVMGetParam(h->fn, 1);
    LLVMValueRef at = LLVMBuildPtrToInt(l->b, dst, l->i64, "");
    LLVMValueRef head = LLVMBuildAnd(l->b, LLVMBuildNeg(l->b, at, ""),
                                     lower_const(l, CACHE_LINE - 1), "");
    LLVMBuildMemCpy(l->b, dst, 1, src, 1, head);
    LLVMValueRef rest = LLVMBuildSub(l->b, LLVMGetParam(h->fn, 2), head, "");
    LLVMValueRef tail = LLVMBuildAnd(l->b, rest, lower_const(l, STREAM_STEP - 1), "");
    LLVMValueRef body = LLVMBuildSub(l->b, rest, tail, "");
    dst = advance(l, dst, head);
    src = advance(l, src, head);
    stream_lines(l, dst, src, body);
    LLVMBuildMemCpy(l->b, advance(l, dst, body), 1, advance(l, src, body), 1, tail);
}

static Helper
stream_helper(Lower *l)
{
    Helper h;
    LLVMTypeRef types[3] = {l->ptr, l->ptr, l->i64};
    if (lower_helper_begin(l, &h, "tik.stream", types, 3)) {
        stream_body(l, &h);
        lower_helper_end(l, &h);
    }
    return h;
}

static void
stream(Lower *l, const Move *m, LLVMValueRef bytes)
{
    Helper h = stream_helper(l);
    LLVMValueRef args[3] = {m->to, m->from, bytes};
    lower_helper_call(l, &h, args, 3);
}

/* Streams the helper's bytes if that is worth it: then they are many. */
static void
some_body(Lower *l, const Helper *h, const Helper *many)
{
    LLVMValueRef args[3];
    for (unsigned i = 0; i < 3; i++) {
        args[i] = LLVMGetParam(h->fn, i);
    }
    LLVMBasicBlockRef past = lower_block(l, "past"), plain = lower_block(l, "plain"),
                      done = lower_block(l, "moved");
    LLVMValueRef least = lower_const(l, STREAM_BURST);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntSGE, args[2], least, ""), past,
                    plain);
    LLVMPositionBuilderAtEnd(l->b, past);
    lower_helper_call(l, many, args, 3);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, plain);
    LLVMBuildMemCpy(l->b, args[0], 1, args[1], 1, args[2]);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
}

/* Does the same with a length that is known only at run time. */
static Helper
stream_some_helper(Lower *l)
{
    Helper many = stream_helper(l), h;
    LLVMTypeRef types[3] = {l->ptr, l->ptr, l->i64};
    if (lower_helper_begin(l, &h, "tik.stream.some", types, 3)) {
        some_body(l, &h, &many);
        lower_helper_end(l, &h);
    }
    return h;
}

static bool
worth_streaming(Lower *l, const Move *m, LLVMValueRef bytes)
{
    return l->streams[m->dst->buf] && LLVMIsConstant(bytes) &&
           LLVMConstIntGetZExtValue(bytes) >= STREAM_BURST;
}

enum {
    LINE_BITS = 6,
    DEPTH = 12 /* of expressions that are looked into */
};

/* Returns the number of low bits that are 0 in all values of an integer expression, as
 * far as they are found, LINE_BITS at most. */
static int
low_zeros(const Kernel *k, ExprId id, int depth)
{
    const Expr *e = ir_expr(k, id);
    if (e->kind == EX_CONST) {
        int n = 0;
        while (n < LINE_BITS && (e->imm >> n & 1) == 0) {
            n++;
        }
        return n;
    }
    if (e->kind != EX_OP || depth == DEPTH || dtype_kind((Dtype)e->dtype) == KIND_FLOAT) {
        return 0;
    }
    switch (e->op) {
    case SOP_ADD:
    case SOP_SUB:
        return MIN(low_zeros(k, e->a, depth + 1), low_zeros(k, e->b, depth + 1));
    case SOP_MUL:
        return MIN(LINE_BITS,
                   low_zeros(k, e->a, depth + 1) + low_zeros(k, e->b, depth + 1));
    case SOP_CAST:
        return e->dtype == DT_BOOL ? 0 : low_zeros(k, e->a, depth + 1);
    default:
        return 0;
    }
}

bool
lower_keeps_lines(const Lower *l, const Ref *r, int64_t bytes)
{
    return bytes >= STREAM_BURST || low_zeros(l->k, r->off, 0) == LINE_BITS;
}

/* True if bursts may be whole lines: the length says so, or it is not known yet. */
static bool
may_be_lines(Lower *l, const Move *m)
{
    bool known = LLVMIsConstant(m->src_bytes);
    int64_t bytes = known ? (int64_t)LLVMConstIntGetZExtValue(m->src_bytes) : 0;
    return l->streams[m->dst->buf] &&
           (!known || (bytes % CACHE_LINE == 0 && bytes > 0 &&
                       (!same_constant(m->nburst, lower_const(l, 1)) ||
                        lower_keeps_lines(l, m->dst, bytes))));
}

/* Streams a burst of whole lines, in a loop over its groups of lines. */
static void
stream_burst(Lower *l, LLVMValueRef dst, LLVMValueRef src, int64_t bytes)
{
    int64_t group = STREAM_STEP;
    while (bytes % group != 0) {
        group /= 2;
    }
    LLVMValueRef step = lower_const(l, group);
    Counted c = {.count = lower_const(l, bytes / group),
                 .n = 2,
                 .at = {dst, src},
                 .step = {step, step}};
    lower_counted_begin(l, &c);
    stream_group(l, c.at[0], c.at[1], (int)(group / CACHE_LINE));
    lower_counted_end(l, &c);
}

/* Does the same with a number of lines that is known only at run time. */
static void
stream_unknown_lines(Lower *l, LLVMValueRef dst, LLVMValueRef src, LLVMValueRef bytes)
{
    LLVMValueRef step = lower_const(l, CACHE_LINE);
    LLVMValueRef rest = LLVMBuildAnd(l->b, bytes, lower_const(l, STREAM_STEP - 1), "");
    LLVMValueRef body = LLVMBuildSub(l->b, bytes, rest, "");
    stream_lines(l, dst, src, body);
    Counted c = {.count = LLVMBuildUDiv(l->b, rest, step, ""),
                 .n = 2,
                 .at = {advance(l, dst, body), advance(l, src, body)},
                 .step = {step, step}};
    lower_counted_begin(l, &c);
    stream_group(l, c.at[0], c.at[1], 1);
    lower_counted_end(l, &c);
}

/* Bursts at lines, of whole lines. */
static void
stream_whole_bursts(Lower *l, const Move *m)
{
    Helper h;
    Counted c = {0};
    bool known = LLVMIsConstant(m->src_bytes);
    int64_t bytes = known ? (int64_t)LLVMConstIntGetZExtValue(m->src_bytes) : 0;
    const char *name =
        known ? arena_printf(l->arena, "tik.lines.%lld", (long long)bytes) : "tik.lines";
    if (burst_loop(l, &h, &c, name)) {
        if (known) {
            stream_burst(l, c.at[0], c.at[1], bytes);
        } else {
            stream_unknown_lines(l, c.at[0], c.at[1], LLVMGetParam(h.fn, 5));
        }
        lower_counted_end(l, &c);
        lower_helper_end(l, &h);
    }
    call_helper(l, &h, m, m->src_bytes);
}

/* Bursts of any length at any place. */
static void
stream_some_bursts(Lower *l, const Move *m)
{
    Helper some = stream_some_helper(l), h;
    Counted c = {0};
    if (burst_loop(l, &h, &c, "tik.move.some")) {
        LLVMValueRef args[3] = {c.at[0], c.at[1], LLVMGetParam(h.fn, 5)};
        lower_helper_call(l, &some, args, 3);
        lower_counted_end(l, &c);
        lower_helper_end(l, &h);
    }
    call_helper(l, &h, m, m->src_bytes);
}

/* Bursts that turn out to be at lines are streamed, whatever their length. */
static void
stream_bursts(Lower *l, const Move *m)
{
    bool known = LLVMIsConstant(m->src_bytes);
    LLVMBasicBlockRef lines = lower_block(l, "lines"), others = lower_block(l, "others"),
                      done = lower_block(l, "moved");
    LLVMValueRef place = LLVMBuildPtrToInt(l->b, m->to, l->i64, "");
    place = LLVMBuildOr(l->b, place, m->dst_pitch, "");
    place = LLVMBuildOr(l->b, place, m->src_bytes, "");
    place = LLVMBuildAnd(l->b, place, lower_const(l, CACHE_LINE - 1), "");
    LLVMValueRef at_line = LLVMBuildICmp(l->b, LLVMIntEQ, place, lower_const(l, 0), "");
    LLVMBuildCondBr(l->b, at_line, lines, others);
    LLVMPositionBuilderAtEnd(l->b, lines);
    stream_whole_bursts(l, m);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, others);
    if (known) {
        copy_bursts(l, m);
    } else {
        stream_some_bursts(l, m);
    }
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
}

static void
copy(Lower *l, const Move *m)
{
    bool packed = same_constant(m->dst_pitch, m->dst_bytes) &&
                  same_constant(m->src_pitch, m->src_bytes);
    bool one = same_constant(m->nburst, lower_const(l, 1));
    if (one || (packed && !m->overlaps)) {
        Move all = *m;
        all.src_bytes = LLVMBuildMul(l->b, m->nburst, m->src_bytes, "");
        all.nburst = lower_const(l, 1);
        all.dst_pitch = all.src_pitch = lower_const(l, 0);
        if (worth_streaming(l, m, all.src_bytes)) {
            stream(l, m, all.src_bytes);
        } else if (may_be_lines(l, &all) && !m->overlaps) {
            stream_bursts(l, &all);
        } else {
            copy_bytes(l, m->overlaps, m->to, m->from, all.src_bytes);
        }
        return;
    }
    if (may_be_lines(l, m) && !m->overlaps) {
        stream_bursts(l, m);
    } else {
        copy_bursts(l, m);
    }
}

void
lower_copy_bursts(Lower *l, const CopyBursts *c)
{
    copy(l, &(Move){.dst = c->dst,
                    .src = c->src,
                    .overlaps = c->dst->buf == c->src->buf,
                    .to = c->to,
                    .from = c->from,
                    .nburst = c->n,
                    .dst_bytes = c->bytes,
                    .src_bytes = c->bytes,
                    .dst_pitch = c->dst_pitch,
                    .src_pitch = c->src_pitch});
}

void
lower_copy_runs(Lower *l, const CopyRuns *r)
{
    LLVMValueRef bytes = lower_const(l, r->bytes);
    copy(l, &(Move){.dst = r->dst,
                    .src = r->src,
                    .to = r->to,
                    .from = r->from,
                    .nburst = lower_const(l, r->n),
                    .dst_bytes = bytes,
                    .src_bytes = bytes,
                    .dst_pitch = lower_const(l, r->dst_pitch),
                    .src_pitch = lower_const(l, r->src_pitch)});
}

/* ---- pad modes ----------------------------------------------------------- */

/* Each burst becomes one block: it is filled with the padding register, then the first
 * bytes come from the source. */
static void
pad(Lower *l, Move *m)
{
    Helper h;
    Counted c = {0};
    int64_t width = pad_width(m);
    const char *name = arena_printf(l->arena, "tik.pad.%lld", (long long)width);
    if (burst_loop(l, &h, &c, name)) {
        LLVMValueRef fill = LLVMBuildTrunc(l->b, LLVMGetParam(h.fn, 5), l->i16, "");
        LLVMValueRef at = LLVMBuildStore(l->b, lower_splat(l, fill, 16), c.at[0]);
        LLVMSetAlignment(at, 1);
        LLVMBuildMemCpy(l->b, c.at[0], 1, c.at[1], 1, lower_const(l, width));
        lower_counted_end(l, &c);
        lower_helper_end(l, &h);
    }
    m->src_pitch = lower_const(l, width);
    LLVMValueRef fill = lower_const(l, 0);
    if (l->padding != NULL) {
        fill = LLVMBuildLoad2(l->b, l->i64, l->padding, "");
    }
    if (width == 1) { /* an 8-bit element fills both bytes */
        LLVMValueRef low = LLVMBuildAnd(l->b, fill, lower_const(l, 0xff), "");
        fill = times(l, low, 0x0101);
    }
    call_helper(l, &h, m, fill);
}

/* ---- conversions on the way to and from L0C ------------------------------ */

enum {
    FRACTAL = 256,
    CHUNK = 64
}; /* numbers of elements */

/* Converts float32 to float16: a number beyond the largest finite one becomes that; NaN
 * gives +0. */
static LLVMValueRef
saturate_f16(Lower *l, LLVMValueRef f, int lanes)
{
    LLVMValueRef bits = lower_from_f32(l, f, DT_F16, lanes);
    LLVMValueRef size =
        LLVMBuildAnd(l->b, bits, lower_bits_const(l, DT_F16, lanes, 0x7fff), "");
    LLVMValueRef sign =
        LLVMBuildAnd(l->b, bits, lower_bits_const(l, DT_F16, lanes, 0x8000), "");
    LLVMValueRef inf = lower_bits_const(l, DT_F16, lanes, 0x7c00);
    LLVMValueRef most =
        LLVMBuildOr(l->b, sign, lower_bits_const(l, DT_F16, lanes, 0x7bff), "");
    LLVMValueRef is_inf = LLVMBuildICmp(l->b, LLVMIntEQ, size, inf, "");
    LLVMValueRef is_nan = LLVMBuildICmp(l->b, LLVMIntSGT, size, inf, "");
    bits = LLVMBuildSelect(l->b, is_inf, most, bits, "");
    return LLVMBuildSelect(l->b, is_nan, lower_bits_const(l, DT_F16, lanes, 0), bits, "");
}

static LLVMValueRef
conv_relu(Lower *l, Dtype t, int lanes, LLVMValueRef v)
{
    LLVMValueRef zero = lower_bits_const(l, t, lanes, 0);
    LLVMValueRef more = LLVMBuildICmp(l->b, LLVMIntSGT, v, zero, "");
    if (t != DT_S32) { /* NaN is not above 0: it gives +0 */
        LLVMValueRef inf =
            lower_bits_const(l, t, lanes, t == DT_F16 ? 0x7c00 : 0x7f800000);
        more = LLVMBuildAnd(l->b, more, LLVMBuildICmp(l->b, LLVMIntSLE, v, inf, ""), "");
    }
    return LLVMBuildSelect(l->b, more, v, zero, "");
}

static LLVMValueRef
convert_lanes(Lower *l, const Move *m, LLVMValueRef v)
{
    Dtype from = m->src->dtype;
    switch (m->mode) {
    case 1:
        return saturate_f16(l, lower_to_f32(l, v, from, CHUNK), CHUNK);
    case 2:
        v = conv_relu(l, from, CHUNK, v);
        return saturate_f16(l, lower_to_f32(l, v, from, CHUNK), CHUNK);
    case 4:
        return lower_from_f32(l, lower_to_f32(l, v, from, CHUNK), DT_F32, CHUNK);
    case 5:
        return conv_relu(l, from, CHUNK, v);
    default:
        UNREACHABLE();
    }
}

static void
convert(Lower *l, const Move *m)
{
    Helper h;
    Counted outer = {0};
    const char *name = arena_printf(l->arena, "tik.conv.%lld.%s.%s", (long long)m->mode,
                                    dtype_name(m->src->dtype), dtype_name(m->dst->dtype));
    if (burst_loop(l, &h, &outer, name)) {
        Counted c = {
            .count = LLVMGetParam(h.fn, 5), .n = 2, .at = {outer.at[0], outer.at[1]}};
        c.step[0] = lower_const(l, CHUNK * dtype_size(m->dst->dtype));
        c.step[1] = lower_const(l, CHUNK * dtype_size(m->src->dtype));
        lower_counted_begin(l, &c);
        LLVMTypeRef type = lower_bits_type(l, m->src->dtype, CHUNK);
        LLVMValueRef v = LLVMBuildLoad2(l->b, type, c.at[1], "");
        LLVMSetAlignment(v, 1);
        LLVMSetAlignment(LLVMBuildStore(l->b, convert_lanes(l, m, v), c.at[0]), 1);
        lower_counted_end(l, &c);
        lower_counted_end(l, &outer);
        lower_helper_end(l, &h);
    }
    call_helper(l, &h, m, times(l, m->burst, FRACTAL / CHUNK));
}

/* ---- rows by index ------------------------------------------------------- */

/* Limits in bytes: how far ahead rows are asked for, the longest of them, and the least
 * tensor that they are in. */
enum {
    ROWS_AHEAD = 2048,
    LONGEST_ROW = 4096,
    FAR_TENSOR = 1 << 16
};

LLVMValueRef
lower_row_ahead(Lower *l, const Ref *r, int64_t bytes)
{
    bool loaded = false;
    int64_t by = bytes > 0 && bytes < ROWS_AHEAD ? ROWS_AHEAD / bytes : 1;
    bool may = l->has_far && bytes > 0 && bytes <= LONGEST_ROW &&
               l->k->bufs.p[r->buf].bytes >= FAR_TENSOR;
    LLVMValueRef at = may ? lower_later(l, r, by, &loaded) : NULL;
    return loaded ? at : NULL;
}

/* The processor foresees rows that follow each other, but not those whose numbers were
 * read. */
static void
ask_for_row(Lower *l, StmtId s)
{
    ExprId burst = operand(l, s, MOVE_burst)->expr;
    ExprId n = operand(l, s, MOVE_nburst)->expr;
    const Ref *src = &operand(l, s, MOVE_src)->ref;
    const Ref *dst = &operand(l, s, MOVE_dst)->ref;
    if (l->k->bufs.p[src->buf].scope != SC_GM || !ir_is_const(l->k, burst) ||
        !ir_is_const(l->k, n) || ir_expr(l->k, n)->imm != 1) {
        return;
    }
    MoveUnits u = move_units(SC_GM, src->dtype, l->k->bufs.p[dst->buf].scope, dst->dtype);
    int64_t bytes = ir_expr(l->k, burst)->imm * u.src_burst;
    LLVMValueRef at = lower_row_ahead(l, src, bytes);
    if (at != NULL) {
        lower_prefetch(l, at, 0, bytes, false);
        if (bytes % CACHE_LINE != 0) {
            lower_prefetch(l, at, bytes - 1, 1, false);
        }
    }
}

/* ---- statements ---------------------------------------------------------- */

void
lower_move(Lower *l, StmtId s)
{
    if (l->fusion != NULL) {
        lower_fused_move(l, s);
        return;
    }
    Move m = {.dst = &operand(l, s, MOVE_dst)->ref, .src = &operand(l, s, MOVE_src)->ref};
    Scope from = l->k->bufs.p[m.src->buf].scope;
    Scope to = l->k->bufs.p[m.dst->buf].scope;
    m.overlaps = m.dst->buf == m.src->buf;
    bool blocks = m.overlaps && chosen(l->k->choices, CHOICE_OVERLAPPING_MOVE) ==
                                    CHOSE_OVERLAPPING_MOVE_ASCENDING;
    if ((l->sets_atomic && to == SC_GM) || blocks) {
        lower_exec(l, s);
        return;
    }
    ask_for_row(l, s);
    m.units = move_units(from, m.src->dtype, to, m.dst->dtype);
    m.mode = ir_expr(l->k, operand(l, s, MOVE_mode)->expr)->imm;
    m.to = lower_ref(l, m.dst);
    m.from = lower_ref(l, m.src);
    m.nburst = number(l, s, MOVE_nburst);
    m.burst = number(l, s, MOVE_burst);
    m.dst_bytes = times(l, m.burst, m.units.dst_burst);
    m.src_bytes = times(l, m.burst, m.units.src_burst);
    LLVMValueRef dst_gap = times(l, number(l, s, MOVE_dst_stride), m.units.dst_gap);
    LLVMValueRef src_gap = times(l, number(l, s, MOVE_src_stride), m.units.src_gap);
    m.dst_pitch = LLVMBuildAdd(l->b, m.dst_bytes, dst_gap, "");
    m.src_pitch = LLVMBuildAdd(l->b, m.src_bytes, src_gap, "");
    if (m.mode == 0) {
        copy(l, &m);
    } else if (from == SC_L0C || to == SC_L0C) {
        convert(l, &m);
    } else {
        pad(l, &m);
    }
}

void
lower_register(Lower *l, StmtId s)
{
    LLVMBuildStore(l->b, number(l, s, 0), l->padding);
}
