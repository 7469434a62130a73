/* layout.c: transposes of tiles (vector chapter 6): vnchwconv, vtranspose and those of
 * planes that are whole tiles. They are calls of the runtime library with addresses and
 * steps only (tikrt_tiles, tikrt_planes), since their shuffles cost more time to compile
 * than a kernel's other code together. tikrt_exec has the other new orders of elements.
 */
#include "host/lower/lower.h"
#include "isa/operand.h"
#include "tikcode.h"

enum {
    ENTRIES = 16,
    HALF = BLOCK_BYTES / 2,
    TILE_BYTES = 512 /* of 16-bit elements */
};

static const Arg *
arg(const Lower *l, StmtId s, int i)
{
    return &l->k->args.p[l->k->stmts.p[s].instr.arg + (uint32_t)i];
}

static LLVMValueRef
number(Lower *l, StmtId s, int i, int64_t by)
{
    LLVMValueRef v = lower_number(l, arg(l, s, i)->expr, s);
    return LLVMBuildMul(l->b, v, lower_const(l, by), "");
}

static int64_t
constant(const Lower *l, StmtId s, int i)
{
    return ir_expr(l->k, arg(l, s, i)->expr)->imm;
}

/* True if no destination is a tensor that a source is. */
static bool
is_apart(const Lower *l, StmtId s, int dst, int src, int n)
{
    bool apart = true;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            apart = apart && arg(l, s, dst + i)->ref.buf != arg(l, s, src + k)->ref.buf;
        }
    }
    return apart;
}

/* Returns constant data of n values, as the library's structures have them. */
static LLVMValueRef
constants(Lower *l, LLVMValueRef *fields, unsigned n)
{
    LLVMValueRef init = LLVMConstStructInContext(l->ctx, fields, n, false);
    LLVMValueRef global = LLVMAddGlobal(l->mod, LLVMTypeOf(init), "tik_tiles");
    LLVMSetInitializer(global, init);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

static void
call(Lower *l, const char *name, LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef types[8];
    for (unsigned i = 0; i < n; i++) {
        types[i] = LLVMTypeOf(args[i]);
    }
    LLVMTypeRef type = LLVMFunctionType(l->none, types, n, false);
    LLVMBuildCall2(l->b, type, lower_runtime(l, name, type), args, n, "");
}

/* ---- vnchwconv ----------------------------------------------------------- */

/* Returns the bytes from rows in global memory to those of the next iteration. */
static LLVMValueRef
ahead_of(Lower *l, const Ref *r)
{
    bool loaded;
    LLVMValueRef next = l->has_far ? lower_later(l, r, 1, &loaded) : NULL;
    if (next == NULL) {
        return lower_const(l, 0);
    }
    LLVMValueRef now = LLVMBuildPtrToInt(l->b, lower_ref(l, r), l->i64, "");
    return LLVMBuildSub(l->b, LLVMBuildPtrToInt(l->b, next, l->i64, ""), now, "");
}

static void
nchw(Lower *l, StmtId s)
{
    int size = dtype_size(arg(l, s, NCHW_dst_list)->ref.dtype);
    bool dst_high = size == 1 && constant(l, s, NCHW_dst_high_half) != 0;
    bool src_high = size == 1 && constant(l, s, NCHW_src_high_half) != 0;
    bool apart = is_apart(l, s, NCHW_dst_list, NCHW_src_list, ENTRIES);
    LLVMValueRef how[4] = {lower_const32(l, size), lower_const32(l, apart),
                           lower_const32(l, dst_high ? HALF : 0),
                           lower_const32(l, src_high ? HALF : 0)};
    LLVMValueRef first = lower_const(l, NCHW_dst_list), all = lower_operands(l, s);
    LLVMValueRef args[6] = {constants(l, how, 4),
                            LLVMBuildInBoundsGEP2(l->b, l->ptr, all, &first, 1, ""),
                            number(l, s, NCHW_repeat_times, 1),
                            number(l, s, NCHW_dst_rep_stride, BLOCK_BYTES),
                            number(l, s, NCHW_src_rep_stride, BLOCK_BYTES),
                            ahead_of(l, &arg(l, s, NCHW_src_list)->ref)};
    call(l, "tikrt_tiles", args, 6);
}

/* ---- planes and tiles ---------------------------------------------------- */

/* The tiles of repeats, in bands. */
typedef struct Repeats {
    LLVMValueRef n, dst_step, src_step;
} Repeats;

static void
call_planes(Lower *l, StmtId s, const TikPlanes *p, const Repeats *r)
{
    LLVMValueRef fields[7] = {
        lower_const32(l, p->size),    lower_const32(l, p->apart),
        lower_const(l, p->bands),     lower_const(l, p->dst_band),
        lower_const(l, p->src_band),  lower_const(l, p->dst_pitch),
        lower_const(l, p->src_pitch),
    };
    Form form = op_table[l->k->stmts.p[s].instr.op].form;
    int dst = form_first(form, ROLE_DST), src = form_first(form, ROLE_SRC);
    LLVMValueRef args[6] = {constants(l, fields, 7),
                            lower_ref(l, &arg(l, s, dst)->ref),
                            lower_ref(l, &arg(l, s, src)->ref),
                            r->n,
                            r->dst_step,
                            r->src_step};
    call(l, "tikrt_planes", args, 6);
}

/* True if the plane is whole tiles, whose number is known. */
static bool
is_tiled(const Lower *l, StmtId s)
{
    int size = dtype_size(arg(l, s, PLANES_dst)->ref.dtype);
    bool known = ir_is_const(l->k, arg(l, s, PLANES_m_len)->expr) &&
                 ir_is_const(l->k, arg(l, s, PLANES_channels)->expr);
    int64_t m = known ? constant(l, s, PLANES_m_len) : 0;
    int64_t n = known ? constant(l, s, PLANES_channels) : 0;
    return known && m % ENTRIES == 0 && n % ENTRIES == 0 && m * size % BLOCK_BYTES == 0 &&
           is_apart(l, s, PLANES_dst, PLANES_src, 1);
}

static void
planes(Lower *l, StmtId s)
{
    int64_t size = dtype_size(arg(l, s, PLANES_dst)->ref.dtype);
    int64_t m = constant(l, s, PLANES_m_len), n = constant(l, s, PLANES_channels);
    bool to_channels = constant(l, s, PLANES_chw2hwc) != 0;
    int64_t rows = to_channels ? n : m, columns = to_channels ? m : n;
    int64_t wide = size == 1 ? HALF : BLOCK_BYTES; /* bytes of a row of a tile */
    TikPlanes p = {.size = (int32_t)size,
                   .apart = 1,
                   .bands = rows / ENTRIES,
                   .dst_band = ENTRIES * size,
                   .src_band = ENTRIES * columns * size,
                   .dst_pitch = rows * size,
                   .src_pitch = columns * size};
    Repeats r = {lower_const(l, columns * size / wide), lower_const(l, wide * rows),
                 lower_const(l, wide)};
    call_planes(l, s, &p, &r);
}

/* Tiles are transposed in place, or away from their sources. */
static void
single_tiles(Lower *l, StmtId s, bool one)
{
    LLVMValueRef zero = lower_const(l, 0);
    TikPlanes p = {.size = 2,
                   .apart = is_apart(l, s, TILES_dst, TILES_src, 1),
                   .bands = 1,
                   .dst_pitch = BLOCK_BYTES,
                   .src_pitch = BLOCK_BYTES};
    Repeats r = {one ? lower_const(l, 1) : number(l, s, TILES_repeat_times, 1),
                 one ? zero : number(l, s, TILES_dst_rep_stride, TILE_BYTES),
                 one ? zero : number(l, s, TILES_src_rep_stride, TILE_BYTES)};
    call_planes(l, s, &p, &r);
}

void
lower_layout(Lower *l, StmtId s)
{
    Form form = op_table[l->k->stmts.p[s].instr.op].form;
    if (form == FORM_NCHW) {
        nchw(l, s);
    } else if (form == FORM_TILE || form == FORM_TILES) {
        single_tiles(l, s, form == FORM_TILE);
    } else if (form == FORM_PLANES && is_tiled(l, s)) {
        planes(l, s);
    } else {
        lower_exec(l, s);
    }
}
