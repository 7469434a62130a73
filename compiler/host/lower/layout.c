/* layout.c: transposes of tiles (vector chapter 6): vnchwconv, vtranspose and those of
 * planes that are whole tiles. The runtime library has the other new orders of elements.
 *
 * A tile has 16 rows of a block (of half a block for bytes). It is loaded in pieces of 16
 * bytes; a register is several pieces that are transposed independently of each other: a
 * few of the tile, and those of neighbouring repeats where source and destination are
 * different tensors. A square of n vectors of n elements is transposed by rotating the
 * bits of every element's index: log2(n) times, the vectors of the first half are
 * interleaved with those of the second, which is an instruction of the processor.
 *
 * All of a repeat is read before it is written, and its blocks are written in order. */
#include "host/lower/lower.h"
#include "isa/operand.h"

enum {
    ENTRIES = 16,
    PIECE = 16,       /* bytes */
    TILE_BYTES = 512, /* of 16-bit elements */
    MAX_PIECES = 4
};

/* How tiles are transposed: `size` bytes of an element, tiles of `together` repeats at
 * once. */
typedef struct Tiles {
    int size, together;
    bool rest;                  /* there may be fewer repeats than a multiple of those */
    int64_t dst_half, src_half; /* bytes before the half of a block that bytes use */
} Tiles;

/* The blocks of the first repeat, and what takes them to the next. */
typedef struct Blocks {
    LLVMValueRef dst[ENTRIES], src[ENTRIES];
    LLVMValueRef repeats, dst_step, src_step;
} Blocks;

static LLVMValueRef
at(Lower *l, LLVMValueRef p, LLVMValueRef off)
{
    return LLVMBuildGEP2(l->b, l->i8, p, &off, 1, "");
}

/* ---- pieces -------------------------------------------------------------- */

/* Vectors of a square, squares of a tile beside each other, pieces of a tile in a
 * vector. */
static int
side(const Tiles *t)
{
    return PIECE / t->size;
}

static int
squares(const Tiles *t)
{
    return t->size == 1 ? 1 : 2;
}

static int
pieces(const Tiles *t)
{
    return ENTRIES / side(t);
}

static LLVMTypeRef
vector_type(Lower *l, const Tiles *t, int n)
{
    LLVMTypeRef element = LLVMIntTypeInContext(l->ctx, (unsigned)t->size * 8);
    return LLVMVectorType(element, (unsigned)(n * side(t)));
}

static LLVMValueRef
shuffle(Lower *l, LLVMValueRef a, LLVMValueRef b, const int *from, int n)
{
    LLVMValueRef index[MAX_PIECES * PIECE];
    for (int i = 0; i < n; i++) {
        index[i] = lower_const32(l, from[i]);
    }
    return LLVMBuildShuffleVector(l->b, a, b, LLVMConstVector(index, (unsigned)n), "");
}

/* Joins n pieces, a power of two. */
static LLVMValueRef
join(Lower *l, const Tiles *t, LLVMValueRef *piece, int n)
{
    int in_order[MAX_PIECES * PIECE];
    for (int i = 0; i < MAX_PIECES * PIECE; i++) {
        in_order[i] = i;
    }
    for (int width = side(t); n > 1; n /= 2) {
        width *= 2;
        for (int i = 0; i < n / 2; i++) {
            piece[i] = shuffle(l, piece[2 * i], piece[2 * i + 1], in_order, width);
        }
    }
    return piece[0];
}

/* Returns n pieces of a vector from `first` on. */
static LLVMValueRef
part(Lower *l, const Tiles *t, LLVMValueRef v, int first, int n)
{
    LLVMTypeRef types[2] = {vector_type(l, t, n), LLVMTypeOf(v)};
    LLVMValueRef args[2] = {v, lower_const(l, first * side(t))};
    return lower_intrinsic(l, "llvm.vector.extract", types, 2, args, 2);
}

/* Interleaves the lower (upper: 1) halves of the pieces of two vectors. */
static LLVMValueRef
interleave(Lower *l, const Tiles *t, LLVMValueRef a, LLVMValueRef b, int upper)
{
    int n = side(t), lanes = n * pieces(t) * t->together, from[MAX_PIECES * PIECE];
    for (int i = 0; i < lanes; i++) {
        from[i] = i / n * n + upper * (n / 2) + i % n / 2 + i % 2 * lanes;
    }
    return shuffle(l, a, b, from, lanes);
}

static void
transpose(Lower *l, const Tiles *t, LLVMValueRef *v)
{
    int n = side(t);
    for (int round = 1; round < n; round *= 2) {
        LLVMValueRef next[PIECE];
        for (int i = 0; i < n; i++) {
            next[i] = interleave(l, t, v[i / 2], v[i / 2 + n / 2], i % 2);
        }
        for (int i = 0; i < n; i++) {
            v[i] = next[i];
        }
    }
}

/* ---- tiles --------------------------------------------------------------- */

/* Loads vector i of a square: in each piece a row of it. */
static LLVMValueRef
load_rows(Lower *l, const Tiles *t, const Blocks *b, const LLVMValueRef *off, int square,
          int i)
{
    LLVMValueRef piece[MAX_PIECES];
    int n = 0;
    for (int r = 0; r < t->together; r++) {
        for (int q = 0; q < pieces(t); q++) {
            LLVMValueRef p = at(l, b->src[q * side(t) + i], off[r]);
            p = at(l, p, lower_const(l, square * PIECE + t->src_half));
            piece[n] = LLVMBuildLoad2(l->b, vector_type(l, t, 1), p, "");
            LLVMSetAlignment(piece[n++], 1);
        }
    }
    return join(l, t, piece, n);
}

/* Stores the tile of a repeat. A transposed vector has a column of the tile, which is one
 * block, or two of 32-bit elements. */
static void
store_columns(Lower *l, const Tiles *t, const Blocks *b, LLVMValueRef off,
              LLVMValueRef *columns, int repeat)
{
    int blocks = t->size == 4 ? 2 : 1, n = pieces(t) / blocks;
    for (int k = 0; k < ENTRIES; k++) {
        int first = repeat * pieces(t) + k % blocks * n;
        LLVMValueRef v = part(l, t, columns[k / blocks], first, n);
        LLVMValueRef p = at(l, b->dst[k], off);
        p = at(l, p, lower_const(l, t->dst_half));
        LLVMSetAlignment(LLVMBuildStore(l->b, v, p), 1);
    }
}

static void
tiles(Lower *l, const Tiles *t, const Blocks *b, LLVMValueRef repeat)
{
    LLVMValueRef v[ENTRIES], from[MAX_PIECES], to[MAX_PIECES];
    for (int r = 0; r < t->together; r++) {
        LLVMValueRef n = LLVMBuildAdd(l->b, repeat, lower_const(l, r), "");
        from[r] = LLVMBuildMul(l->b, n, b->src_step, "");
        to[r] = LLVMBuildMul(l->b, n, b->dst_step, "");
    }
    for (int q = 0; q < squares(t); q++) {
        for (int i = 0; i < side(t); i++) {
            v[q * side(t) + i] = load_rows(l, t, b, from, q, i);
        }
        transpose(l, t, v + q * side(t));
    }
    for (int r = 0; r < t->together; r++) {
        store_columns(l, t, b, to[r], v, r);
    }
}

/* Transposes the tiles of repeats from `first` to the end. Returns how many it did. */
static LLVMValueRef
tile_loop(Lower *l, const Tiles *t, const Blocks *b, LLVMValueRef first)
{
    LLVMValueRef together = lower_const(l, t->together);
    LLVMValueRef n = LLVMBuildSub(l->b, b->repeats, first, "");
    Counted c = {.count = LLVMBuildUDiv(l->b, n, together, "")};
    lower_counted_begin(l, &c);
    LLVMValueRef done = LLVMBuildMul(l->b, c.index, together, "");
    tiles(l, t, b, LLVMBuildAdd(l->b, first, done, ""));
    lower_counted_end(l, &c);
    return LLVMBuildMul(l->b, c.count, together, "");
}

static void
all_tiles(Lower *l, const Tiles *t, const Blocks *b)
{
    Tiles one = *t;
    one.together = 1;
    LLVMValueRef done = tile_loop(l, t, b, lower_const(l, 0));
    if (t->rest && t->together > 1) {
        tile_loop(l, &one, b, done);
    }
}

/* Decides how many repeats are transposed at once: as many as fill a register. */
static Tiles
plan(Lower *l, int size, bool apart, LLVMValueRef repeats)
{
    Tiles t = {.size = size, .together = 1};
    int most = (l->target->masked_stores ? MAX_PIECES : 2) / pieces(&t);
    bool known = LLVMIsConstant(repeats);
    int64_t n = known ? (int64_t)LLVMConstIntGetZExtValue(repeats) : most;
    while (apart && t.together * 2 <= most && t.together * 2 <= n) {
        t.together *= 2;
    }
    t.rest = !known || n % t.together != 0;
    return t;
}

static const char *
helper_name(Lower *l, const char *what, const Tiles *t)
{
    return arena_printf(l->arena, "tik.%s.%d.%d.%d.%d.%d", what, t->size, t->together,
                        t->rest, (int)t->dst_half, (int)t->src_half);
}

/* ---- vnchwconv ----------------------------------------------------------- */

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

/* Builds the helper (addresses of operands, repeats, steps of dst and src). */
static void
nchw_helper(Lower *l, const Helper *h, const Tiles *t)
{
    Blocks b = {.repeats = LLVMGetParam(h->fn, 1),
                .dst_step = LLVMGetParam(h->fn, 2),
                .src_step = LLVMGetParam(h->fn, 3)};
    for (int i = 0; i < 2 * ENTRIES; i++) {
        LLVMValueRef index = lower_const(l, NCHW_dst_list + i);
        LLVMValueRef p =
            LLVMBuildGEP2(l->b, l->ptr, LLVMGetParam(h->fn, 0), &index, 1, "");
        p = LLVMBuildLoad2(l->b, l->ptr, p, "");
        *(i < ENTRIES ? &b.dst[i] : &b.src[i - ENTRIES]) = p;
    }
    all_tiles(l, t, &b);
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

static void
nchw(Lower *l, StmtId s)
{
    LLVMValueRef args[4] = {lower_operands(l, s), number(l, s, NCHW_repeat_times, 1),
                            number(l, s, NCHW_dst_rep_stride, BLOCK_BYTES),
                            number(l, s, NCHW_src_rep_stride, BLOCK_BYTES)};
    int size = dtype_size(arg(l, s, NCHW_dst_list)->ref.dtype);
    Tiles t =
        plan(l, size, is_apart(l, s, NCHW_dst_list, NCHW_src_list, ENTRIES), args[1]);
    if (size == 1) {
        t.dst_half = constant(l, s, NCHW_dst_high_half) != 0 ? PIECE : 0;
        t.src_half = constant(l, s, NCHW_src_high_half) != 0 ? PIECE : 0;
    }
    Helper h;
    LLVMTypeRef types[4] = {l->ptr, l->i64, l->i64, l->i64};
    if (lower_helper_begin(l, &h, helper_name(l, "NCHW", &t), types, 4)) {
        nchw_helper(l, &h, &t);
        lower_helper_end(l, &h);
    }
    lower_helper_call(l, &h, args, 4);
}

/* ---- planes and tiles ---------------------------------------------------- */

/* Rows of tiles at a fixed pitch. */
typedef struct Plane {
    LLVMValueRef dst, src, bands, dst_band, src_band; /* bytes from band to band */
    LLVMValueRef dst_pitch, src_pitch;                /* from row to row of a tile */
    LLVMValueRef repeats, dst_step, src_step;
} Plane;

enum {
    PLANE_PARAMS = 10
};

static void
plane_params(Plane *p, LLVMValueRef *v[PLANE_PARAMS])
{
    LLVMValueRef *fields[PLANE_PARAMS] = {
        &p->dst,       &p->src,       &p->bands,   &p->dst_band, &p->src_band,
        &p->dst_pitch, &p->src_pitch, &p->repeats, &p->dst_step, &p->src_step};
    for (int i = 0; i < PLANE_PARAMS; i++) {
        v[i] = fields[i];
    }
}

/* A column of 32-bit elements is two blocks. */
static void
plane_helper(Lower *l, const Tiles *t, const Plane *p)
{
    Counted c = {.count = p->bands,
                 .at = {p->dst, p->src},
                 .step = {p->dst_band, p->src_band},
                 .n = 2};
    lower_counted_begin(l, &c);
    Blocks b = {.repeats = p->repeats, .dst_step = p->dst_step, .src_step = p->src_step};
    int blocks = t->size == 4 ? 2 : 1;
    for (int i = 0; i < ENTRIES; i++) {
        LLVMValueRef row = LLVMBuildMul(l->b, p->src_pitch, lower_const(l, i), "");
        LLVMValueRef column =
            LLVMBuildMul(l->b, p->dst_pitch, lower_const(l, i / blocks), "");
        b.src[i] = at(l, c.at[1], row);
        b.dst[i] =
            at(l, at(l, c.at[0], column), lower_const(l, i % blocks * BLOCK_BYTES));
    }
    all_tiles(l, t, &b);
    lower_counted_end(l, &c);
}

static void
call_plane(Lower *l, Plane *p, int size, bool apart)
{
    Tiles t = plan(l, size, apart, p->repeats);
    LLVMTypeRef types[PLANE_PARAMS];
    LLVMValueRef *v[PLANE_PARAMS], args[PLANE_PARAMS];
    plane_params(p, v);
    for (int i = 0; i < PLANE_PARAMS; i++) {
        types[i] = i < 2 ? l->ptr : l->i64;
        args[i] = *v[i];
    }
    Helper h;
    if (lower_helper_begin(l, &h, helper_name(l, "PLANE", &t), types, PLANE_PARAMS)) {
        Plane inside;
        plane_params(&inside, v);
        for (int i = 0; i < PLANE_PARAMS; i++) {
            *v[i] = LLVMGetParam(h.fn, (unsigned)i);
        }
        plane_helper(l, &t, &inside);
        lower_helper_end(l, &h);
    }
    lower_helper_call(l, &h, args, PLANE_PARAMS);
}

/* True if the plane is whole tiles, whose number is known. */
static bool
is_tiled(const Lower *l, StmtId s, int size)
{
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
    int64_t wide = size == 1 ? PIECE : BLOCK_BYTES; /* bytes of a row of a tile */
    Plane p = {.dst = lower_ref(l, &arg(l, s, PLANES_dst)->ref),
               .src = lower_ref(l, &arg(l, s, PLANES_src)->ref),
               .bands = lower_const(l, rows / ENTRIES),
               .dst_band = lower_const(l, ENTRIES * size),
               .src_band = lower_const(l, ENTRIES * columns * size),
               .dst_pitch = lower_const(l, rows * size),
               .src_pitch = lower_const(l, columns * size),
               .repeats = lower_const(l, columns * size / wide),
               .dst_step = lower_const(l, wide * rows),
               .src_step = lower_const(l, wide)};
    call_plane(l, &p, (int)size, true);
}

/* Tiles are transposed in place, or away from their sources. */
static void
single_tiles(Lower *l, StmtId s, bool one)
{
    LLVMValueRef zero = lower_const(l, 0), row = lower_const(l, BLOCK_BYTES);
    Plane p = {.dst = lower_ref(l, &arg(l, s, TILES_dst)->ref),
               .src = lower_ref(l, &arg(l, s, TILES_src)->ref),
               .bands = lower_const(l, 1),
               .dst_band = zero,
               .src_band = zero,
               .dst_pitch = row,
               .src_pitch = row,
               .repeats = one ? lower_const(l, 1) : number(l, s, TILES_repeat_times, 1),
               .dst_step = one ? zero : number(l, s, TILES_dst_rep_stride, TILE_BYTES),
               .src_step = one ? zero : number(l, s, TILES_src_rep_stride, TILE_BYTES)};
    call_plane(l, &p, 2, is_apart(l, s, TILES_dst, TILES_src, 1));
}

void
lower_layout(Lower *l, StmtId s)
{
    Form form = op_table[l->k->stmts.p[s].instr.op].form;
    if (form == FORM_NCHW) {
        nchw(l, s);
    } else if (form == FORM_TILE || form == FORM_TILES) {
        single_tiles(l, s, form == FORM_TILE);
    } else if (form == FORM_PLANES &&
               is_tiled(l, s, dtype_size(arg(l, s, PLANES_dst)->ref.dtype))) {
        planes(l, s);
    } else {
        lower_exec(l, s);
    }
}
