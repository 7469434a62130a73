/* layout.c: transposes and other new orders of elements (vector chapter 6). Each repeat
 * is read as a whole before any of it is written. */
#include "emu/emu.h"
#include "isa/operand.h"

#include <string.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

enum {
    ENTRIES = 16,
    CORNER = 8, /* rows and columns of 16 bits that are transposed at a time */
    TILE_BYTES = 512,
    TILE_SIDE = 16,
    GROUPS = 8, /* groups from which vmrgch takes elements in a repeat */
    KEPT = 4    /* elements that it takes from each */
};

/* Transposes 8 x 8 elements of 16 bits; steps are the bytes from row to row. All rows are
 * read before one is written. */
static void
transpose_corner(uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step)
{
#if defined(__x86_64__)
    __m128i x[CORNER], y[CORNER];
    for (int i = 0; i < CORNER; i++) {
        x[i] = _mm_loadu_si128((const __m128i *)(const void *)(src + i * src_step));
    }
    /* Rows i and i + 4 are interleaved; after three times, each row is a column. */
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < CORNER / 2; i++) {
            y[2 * i] = _mm_unpacklo_epi16(x[i], x[i + CORNER / 2]);
            y[2 * i + 1] = _mm_unpackhi_epi16(x[i], x[i + CORNER / 2]);
        }
        memcpy(x, y, sizeof x);
    }
    for (int i = 0; i < CORNER; i++) {
        _mm_storeu_si128((__m128i *)(void *)(dst + i * dst_step), x[i]);
    }
#else
    uint16_t x[CORNER][CORNER], y[CORNER][CORNER];
    for (int i = 0; i < CORNER; i++) {
        memcpy(x[i], src + i * src_step, sizeof x[i]);
    }
    for (int i = 0; i < CORNER; i++) {
        for (int j = 0; j < CORNER; j++) {
            y[j][i] = x[i][j];
        }
    }
    for (int i = 0; i < CORNER; i++) {
        memcpy(dst + i * dst_step, y[i], sizeof y[i]);
    }
#endif
}

/* Transposes 16 x 16 elements of 16 bits in rows of 32 bytes, to other ones. */
static void
transpose_16(uint8_t *dst, const uint8_t *src)
{
    enum {
        ROW = 2 * TILE_SIDE,
        HALF = ROW / 2
    };
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            transpose_corner(dst + j * CORNER * ROW + i * HALF, ROW,
                             src + i * CORNER * ROW + j * HALF, ROW);
        }
    }
}

/* ---- vnchwconv ----------------------------------------------------------- */

/* A repeat of 16 blocks, or of one half of each. */
typedef struct Blocks {
    uint8_t row[ENTRIES][BLOCK_BYTES];
} Blocks;

typedef struct Scatter {
    uint8_t *dst[ENTRIES];
    const uint8_t *src[ENTRIES];
    int64_t n, dst_step, src_step;
    size_t len; /* bytes of a block that take part */
    int size;   /* of an element */
} Scatter;

/* Makes element k of destination i of element i of source k. 32-bit elements of sources 0
 * to 7 go to the even destinations, those of 8 to 15 to the odd ones. */
static void
transpose_blocks(const Blocks *in, Blocks *out, int size)
{
    for (int source = 0; source < ENTRIES; source++) {
        for (int e = 0; e < (size == 4 ? 8 : ENTRIES); e++) {
            int to = size == 4 ? 2 * e + source / 8 : e;
            int at = size == 4 ? source % 8 : source;
            memcpy(&out->row[to][at * size], &in->row[source][e * size], (size_t)size);
        }
    }
}

/* Copies the blocks of a repeat; most are whole. */
static void
read_blocks(const Scatter *s, int64_t r, Blocks *in)
{
    for (int i = 0; s->len == BLOCK_BYTES && i < ENTRIES; i++) {
        memcpy(in->row[i], s->src[i] + r * s->src_step, BLOCK_BYTES);
    }
    for (int i = 0; s->len != BLOCK_BYTES && i < ENTRIES; i++) {
        memcpy(in->row[i], s->src[i] + r * s->src_step, s->len);
    }
}

static void
write_blocks(const Scatter *s, int64_t r, const Blocks *out)
{
    for (int i = 0; s->len == BLOCK_BYTES && i < ENTRIES; i++) {
        memcpy(s->dst[i] + r * s->dst_step, out->row[i], BLOCK_BYTES);
    }
    for (int i = 0; s->len != BLOCK_BYTES && i < ENTRIES; i++) {
        memcpy(s->dst[i] + r * s->dst_step, out->row[i], s->len);
    }
}

static void
run_scatter(const Scatter *s)
{
    for (int64_t r = 0; r < s->n; r++) {
        Blocks in, out;
        read_blocks(s, r, &in);
        switch (s->size) {
        case 1:
            transpose_blocks(&in, &out, 1);
            break;
        case 2:
            transpose_16(out.row[0], in.row[0]);
            break;
        default:
            transpose_blocks(&in, &out, 4);
            break;
        }
        write_blocks(s, r, &out);
    }
}

/* Finds the addresses of the blocks; false when some do not exist. */
static bool
find_blocks(const EmuRun *r, const EmuOp *op, Scatter *s)
{
    bool half = s->size == 1;
    int64_t to = half && emu_slot(r, op, NCHW_dst_high_half) != 0 ? BLOCK_BYTES / 2 : 0;
    int64_t from = half && emu_slot(r, op, NCHW_src_high_half) != 0 ? BLOCK_BYTES / 2 : 0;
    int64_t len = half ? BLOCK_BYTES / 2 : BLOCK_BYTES;
    s->len = (size_t)len;
    for (int i = 0; i < ENTRIES; i++) {
        uint8_t *d =
            emu_operand(r, op, NCHW_dst_list + i, to + (s->n - 1) * s->dst_step + len);
        uint8_t *a =
            emu_operand(r, op, NCHW_src_list + i, from + (s->n - 1) * s->src_step + len);
        if (d == NULL || a == NULL) {
            return false;
        }
        s->dst[i] = d + to;
        s->src[i] = a + from;
    }
    return true;
}

bool
emu_exec_nchw(EmuRun *r, const EmuOp *op)
{
    Scatter s = {.n = emu_slot(r, op, NCHW_repeat_times),
                 .size = dtype_size((Dtype)op->dtype)};
    int64_t dst_rep = emu_slot(r, op, NCHW_dst_rep_stride);
    int64_t src_rep = emu_slot(r, op, NCHW_src_rep_stride);
    if (!emu_begin(r, op)) {
        return false;
    }
    s.dst_step = dst_rep * BLOCK_BYTES;
    s.src_step = src_rep * BLOCK_BYTES;
    if (s.n > 0 && !find_blocks(r, op, &s)) {
        return emu_refuse(r, op);
    }
    run_scatter(&s);
    return true;
}

/* ---- tiles --------------------------------------------------------------- */

static void
transpose_tile(uint8_t *dst, const uint8_t *src)
{
    uint8_t in[TILE_BYTES];
    memcpy(in, src, TILE_BYTES);
    transpose_16(dst, in);
}

bool
emu_exec_tiles(EmuRun *r, const EmuOp *op)
{
    bool one = op_table[op->op].form == FORM_TILE;
    int64_t n = one ? 1 : emu_slot(r, op, TILES_repeat_times);
    int64_t dst_rep = one ? 0 : emu_slot(r, op, TILES_dst_rep_stride);
    int64_t src_rep = one ? 0 : emu_slot(r, op, TILES_src_rep_stride);
    if (!emu_begin(r, op)) {
        return false;
    }
    if (n == 0) {
        return true;
    }
    uint8_t *dst = emu_operand(r, op, TILES_dst, ((n - 1) * dst_rep + 1) * TILE_BYTES);
    const uint8_t *src =
        emu_operand(r, op, TILES_src, ((n - 1) * src_rep + 1) * TILE_BYTES);
    if (dst == NULL || src == NULL) {
        return emu_refuse(r, op);
    }
    for (int64_t i = 0; i < n; i++) {
        transpose_tile(dst + i * dst_rep * TILE_BYTES, src + i * src_rep * TILE_BYTES);
    }
    return true;
}

/* ---- v4dtrans ------------------------------------------------------------ */

/* Defines a transpose: dst[j * rows + i] = src[i * columns + j]. */
#define TRANSPOSE(name, T)                                                               \
    static void name(uint8_t *restrict dst, const uint8_t *restrict src, int64_t rows,   \
                     int64_t columns)                                                    \
    {                                                                                    \
        for (int64_t i = 0; i < rows; i++) {                                             \
            for (int64_t j = 0; j < columns; j++) {                                      \
                memcpy(dst + (j * rows + i) * (int64_t)sizeof(T),                        \
                       src + (i * columns + j) * (int64_t)sizeof(T), sizeof(T));         \
            }                                                                            \
        }                                                                                \
    }

TRANSPOSE(transpose8, uint8_t)
TRANSPOSE(transpose32, uint32_t)

/* Transposes elements of 16 bits, most of them in corners. */
static void
transpose_halves(uint8_t *dst, const uint8_t *src, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i += CORNER) {
        for (int64_t j = 0; j < columns; j += CORNER) {
            uint8_t *to = dst + 2 * (j * rows + i);
            const uint8_t *from = src + 2 * (i * columns + j);
            if (rows - i >= CORNER && columns - j >= CORNER) {
                transpose_corner(to, 2 * rows, from, 2 * columns);
                continue;
            }
            for (int64_t y = 0; y < CORNER && i + y < rows; y++) {
                for (int64_t x = 0; x < CORNER && j + x < columns; x++) {
                    memcpy(to + 2 * (x * rows + y), from + 2 * (y * columns + x), 2);
                }
            }
        }
    }
}

static void
transpose(uint8_t *dst, const uint8_t *src, int64_t rows, int64_t columns, int size)
{
    switch (size) {
    case 1:
        transpose8(dst, src, rows, columns);
        return;
    case 2:
        transpose_halves(dst, src, rows, columns);
        return;
    default:
        transpose32(dst, src, rows, columns);
        return;
    }
}

bool
emu_exec_planes(EmuRun *r, const EmuOp *op)
{
    int size = dtype_size((Dtype)op->dtype);
    int64_t length = emu_slot(r, op, PLANES_m_len);
    int64_t channels = emu_slot(r, op, PLANES_channels);
    bool hwc = emu_slot(r, op, PLANES_chw2hwc) != 0;
    Fault f;
    CheckMultiple m = {RULE_MLEN_ALIGN, PLANES_m_len, length, BLOCK_BYTES / size};
    if (!emu_begin(r, op)) {
        return false;
    }
    if (!check_multiple((Op)op->op, &m, &f)) {
        return emu_record(r, op, &f);
    }
    int64_t bytes = length * channels * size;
    uint8_t *dst = emu_operand(r, op, PLANES_dst, bytes);
    const uint8_t *src = emu_operand(r, op, PLANES_src, bytes);
    if (dst == NULL || src == NULL) {
        return emu_refuse(r, op);
    }
    uint8_t copy[REPEAT_BYTES];
    if (dst == src && bytes <= REPEAT_BYTES) {
        memcpy(copy, src, (size_t)bytes);
        src = copy;
    }
    transpose(dst, src, hwc ? channels : length, hwc ? length : channels, size);
    return true;
}

/* ---- vmrgch -------------------------------------------------------------- */

bool
emu_exec_channels(EmuRun *r, const EmuOp *op)
{
    int64_t size = dtype_size((Dtype)op->dtype);
    bool sixteen =
        size > 1 || emu_chosen(r->p, CHOICE_VMRGCH_8_BIT) == CHOSE_VMRGCH_8_BIT_SIXTEEN;
    int64_t group = (sixteen ? 16 : 32) * size, kept = KEPT * size;
    int64_t n = emu_slot(r, op, CHANNELS_repeat_times);
    if (!emu_begin(r, op)) {
        return false;
    }
    uint8_t *dst = emu_operand(r, op, CHANNELS_dst, n * GROUPS * kept);
    const uint8_t *src = emu_operand(r, op, CHANNELS_src, n * GROUPS * group);
    if (dst == NULL || src == NULL) {
        return emu_refuse(r, op);
    }
    for (int64_t i = 0; i < n; i++) {
        uint8_t out[GROUPS * KEPT * 2];
        for (int g = 0; g < GROUPS; g++) {
            memcpy(out + g * kept, src + (i * GROUPS + g) * group, (size_t)kept);
        }
        memcpy(dst + i * GROUPS * kept, out, (size_t)(GROUPS * kept));
    }
    return true;
}

/* ---- binding ------------------------------------------------------------- */

/* Returns the size of the widest elements that the instruction moves. */
static int
widest(Form form)
{
    return form == FORM_NCHW || form == FORM_PLANES ? 4 : 2;
}

bool
emu_bind_layout(EmuProgram *p, EmuOp *op, const char **why)
{
    int n;
    Form form = op_table[op->op].form;
    const ParamInfo *params = form_params(form, &n);
    Dtype t = emu_slot_ref(p, op, form_main(form))->dtype;
    for (int i = 0; i < n; i++) {
        bool tensor = params[i].role == ROLE_DST || params[i].role == ROLE_SRC;
        if (tensor && emu_slot_ref(p, op, i)->dtype != t) {
            *why = "operands of a transpose differ in dtype";
            return false;
        }
    }
    bool tiles = form == FORM_TILES || form == FORM_TILE;
    op->dtype = (uint8_t)t;
    *why = "the transpose does not exist for its dtype";
    return dtype_size(t) <= widest(form) && (!tiles || dtype_size(t) == 2);
}
