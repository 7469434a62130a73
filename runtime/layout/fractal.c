/* fractal.c: the functions of fractal.h that are no mere formulas. */
#include "layout/fractal.h"

#include "isa/bytes.h"

static int64_t
windows(int64_t size, int64_t kernel, int64_t dilation, int64_t stride)
{
    int64_t room = size - dilation * (kernel - 1) - 1;
    return stride < 1 ? 0 : room < 0 ? 1 : room / stride + 1;
}

int64_t
fractal_windows_h(const FractalWindows *s)
{
    return windows(s->h + s->top + s->bottom, s->kh, s->dilation_h, s->stride_h);
}

int64_t
fractal_windows_w(const FractalWindows *s)
{
    return windows(s->w + s->left + s->right, s->kw, s->dilation_w, s->stride_w);
}

/* A row consists of a run of c0 elements in each column of fractals. */
void
fractal_nd_to_nz(uint8_t *nz, const uint8_t *nd, const FractalMatrix *m)
{
    FractalShape s = m->shape;
    memset(nz, 0, (size_t)(fractal_elems(s) * m->size));
    for (int64_t c = 0; c < m->columns; c += s.c0) {
        int64_t run = m->columns - c < s.c0 ? m->columns - c : s.c0;
        for (int64_t r = 0; r < m->rows; r++) {
            memcpy(nz + fractal_nz(s, r, c) * m->size, nd + (r * m->pitch + c) * m->size,
                   (size_t)(run * m->size));
        }
    }
}

void
fractal_nz_to_nd(uint8_t *nd, const uint8_t *nz, const FractalMatrix *m)
{
    FractalShape s = m->shape;
    for (int64_t r = 0; r < m->rows; r++) {
        for (int64_t c = 0; c < m->columns; c += s.c0) {
            int64_t run = m->columns - c < s.c0 ? m->columns - c : s.c0;
            memcpy(nd + (r * m->pitch + c) * m->size, nz + fractal_nz(s, r, c) * m->size,
                   (size_t)(run * m->size));
        }
    }
}
