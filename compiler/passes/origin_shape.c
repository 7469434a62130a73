/* origin_shape.c: which blocks a product reads of its factors (see passes/origin.h). */
#include "isa/operand.h"
#include "layout/fractal.h"
#include "passes/origin.h"

enum {
    SIDE = FRACTAL_SIDE
};

bool
origin_is_product(const Stmt *s)
{
    if (s->kind != ST_INSTR) {
        return false;
    }
    Sem sem = op_table[s->instr.op].sem;
    return sem == SEM_MMAD || sem == SEM_MATMUL || sem == SEM_CONV2D;
}

/* An image is read in windows of all kinds: its blocks follow each other. */
static bool
conv_shape(const CheckInstr *in, int64_t c0, bool second, OriginShape *out)
{
    const CheckArg *a = in->args;
    int64_t columns = fractal_up(a[CONV2D_kernel_cout].v, SIDE);
    int64_t image = a[CONV2D_fm_c1].v * a[CONV2D_fm_h].v * a[CONV2D_fm_w].v;
    int64_t runs = a[CONV2D_fm_c1].v * a[CONV2D_kernel_h].v * a[CONV2D_kernel_w].v;
    *out = second ? (OriginShape){.nouter = runs,
                                  .ninner = columns,
                                  .second = true,
                                  .columns = columns}
                  : (OriginShape){.nouter = 1, .ninner = image, .rows = 1};
    return a[CONV2D_fm_c0].v == c0;
}

bool
origin_shape(const CheckInstr *in, int factor, OriginShape *out)
{
    const CheckArg *a = in->args;
    Dtype t = a[MATMUL_a + factor].t.dtype;
    int64_t c0 = fractal_c0(dtype_size(t));
    bool second = factor == 1, unit = op_table[in->op].sem == SEM_MMAD;
    if (dtype_is_half_byte(t)) {
        return false;
    }
    if (op_table[in->op].sem == SEM_CONV2D) {
        return conv_shape(in, c0, second, out);
    }
    int64_t m = a[MATMUL_m].v, k = a[MATMUL_k].v, n = a[MATMUL_n].v;
    int64_t runs = fractal_count(k, c0), columns = fractal_up(n, SIDE);
    *out = second ? (OriginShape){.nouter = runs,
                                  .ninner = columns,
                                  .second = true,
                                  .columns = columns}
                  : (OriginShape){.nouter = m,
                                  .ninner = runs,
                                  .fractals = unit && m > 1,
                                  .rows = unit ? 1 : fractal_up(m, SIDE)};
    return m > 0 && k > 0 && n > 0;
}

int64_t
origin_block(const OriginShape *s, int64_t i, int64_t j)
{
    if (s->second) {
        return i * s->columns + j;
    }
    return s->fractals ? (i / SIDE * s->ninner + j) * SIDE + i % SIDE : j * s->rows + i;
}
