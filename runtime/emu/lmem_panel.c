/* lmem_panel.c: convolutions on LMEM lanes with panels of input elements (num/dot.h).
 *
 * An area of the results, some whole rows or a part of one, is computed at a time. Its
 * panel has a line for each input channel and kernel position, in that order, with the
 * input element of every result, or zero outside of the image. The sums are products of
 * the panel and the weights of some output channels. */
#include "emu/lmem_conv.h"

#include <string.h>

#include "num/dot.h"

enum {
    LINES = 128,  /* lines of a panel; even */
    CHANNELS = 64 /* output channels for one panel */
};

typedef struct Area {
    int64_t n, top, left, rows, columns; /* the area of results */
} Area;

typedef struct Work {
    const Conv *c;
    const NumDotTable *dot;
    bool floats;
    Area area;
    int64_t first, channels; /* output channels */
    int lines;
    int64_t line[LINES][3]; /* input channel (-1: a line of zeros), row and column of the
                               kernel */
    float f[LINES * DOT_PIXELS], fw[CHANNELS * LINES];
    int16_t s[LINES * DOT_PIXELS], sw[CHANNELS * LINES];
    float fsum[(CHANNELS + DOT_CHANNELS) * DOT_PIXELS];
    int32_t isum[(CHANNELS + DOT_CHANNELS) * DOT_PIXELS];
} Work;

/* ---- one line ------------------------------------------------------------ */

/* Finds the columns [lo, hi) of the area whose input column w0 + step * column is in the
 * image. */
static void
columns_inside(int64_t w0, int64_t step, int64_t width, int64_t columns, int64_t *lo,
               int64_t *hi)
{
    *lo = w0 < 0 ? (-w0 + step - 1) / step : 0;
    *hi = w0 < width ? (width - w0 + step - 1) / step : 0;
    *hi = *hi < columns ? *hi : columns;
}

static void
copy_elements(const Work *w, int64_t to, uint8_t *bytes, float *floats,
              const uint8_t *from, int64_t step, int64_t n)
{
    int size = dtype_size(w->c->x.dtype);
    uint8_t *out = w->floats ? (uint8_t *)(floats + to) : bytes + to;
    if (step == size) {
        memcpy(out, from, (size_t)(n * size));
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        memcpy(out + i * size, from + i * step, (size_t)size);
    }
}

/* Collects the input elements of all results, as bytes or floats. */
static void
put_line(const Work *w, const int64_t line[3], uint8_t *bytes, float *floats)
{
    const Conv *c = w->c;
    const Area *a = &w->area;
    int half;
    int64_t size = dtype_size(c->x.dtype), lo, hi;
    const int64_t origin[LMEM_AXES] = {a->n, line[0] < 0 ? 0 : line[0], 0, 0};
    const uint8_t *x = emu_tensor_at(&c->x, origin, &half);
    int64_t w0 = a->left * c->stride[1] + line[2] * c->dilation[1] - c->pad[1];
    columns_inside(w0, c->stride[1], c->x.x.shape[LMEM_W], a->columns, &lo, &hi);
    memset(w->floats ? (void *)floats : (void *)bytes, 0,
           DOT_PIXELS * (w->floats ? sizeof *floats : 1));
    for (int64_t r = 0; r < a->rows && lo < hi && line[0] >= 0; r++) {
        int64_t h = (a->top + r) * c->stride[0] + line[1] * c->dilation[0] - c->pad[0];
        if (h >= 0 && h < c->x.x.shape[LMEM_H]) {
            int64_t at = h * c->x.x.stride[LMEM_H] +
                         (w0 + lo * c->stride[1]) * c->x.x.stride[LMEM_W];
            copy_elements(w, r * a->columns + lo, bytes, floats, x + at * size,
                          c->stride[1] * c->x.x.stride[LMEM_W] * size, hi - lo);
        }
    }
}

/* ---- panels -------------------------------------------------------------- */

/* Plans the next lines; next is the number of the first one. Returns false when there are
 * no more. */
static bool
take_lines(Work *w, int64_t *next)
{
    const Conv *c = w->c;
    int64_t points = c->kernel[0] * c->kernel[1];
    int64_t all = (c->depthwise ? 1 : c->x.x.shape[LMEM_C]) * points;
    for (w->lines = 0; w->lines < LINES && *next < all; w->lines++, ++*next) {
        int64_t *l = w->line[w->lines];
        l[0] = c->depthwise ? w->first : *next / points;
        l[1] = *next % points / c->kernel[1];
        l[2] = *next % points % c->kernel[1];
    }
    if (w->lines % 2 != 0 && !w->floats) { /* lines of bytes are paired */
        memcpy(w->line[w->lines], w->line[w->lines - 1], sizeof *w->line);
        w->line[w->lines++][0] = -1;
    }
    return w->lines > 0;
}

static void
put_weights(Work *w)
{
    const Conv *c = w->c;
    int size = dtype_size(c->x.dtype);
    for (int i = 0; i < w->lines; i++) {
        const int64_t *l = w->line[i];
        int64_t at = l[0] < 0 ? 0 : emu_conv_weight(c, l[0], l[1], l[2]);
        for (int64_t k = 0; k < w->channels; k++) {
            const uint8_t *p =
                emu_conv_lane(c, w->first + k, c->weight_at, c->weight_pitch) + at * size;
            if (w->floats) {
                memcpy(&w->fw[k * LINES + i], p, sizeof(float));
            } else {
                w->sw[k * LINES + i] = l[0] < 0 ? 0 : (int8_t)*p;
            }
        }
    }
}

static void
put_panel(Work *w)
{
    for (int i = 0; i < w->lines; i++) {
        uint8_t bytes[2][DOT_PIXELS];
        if (w->floats) {
            put_line(w, w->line[i], NULL, w->f + i * DOT_PIXELS);
        } else if (i % 2 == 0) {
            put_line(w, w->line[i], bytes[0], NULL);
            put_line(w, w->line[i + 1], bytes[1], NULL);
            w->dot->zip(w->s + i * DOT_PIXELS, bytes[0], bytes[1],
                        w->c->x.dtype == DT_S8);
        }
    }
}

static void
add_products(Work *w)
{
    int64_t pixels = w->area.rows * w->area.columns;
    for (int64_t k = 0; k < w->channels; k += DOT_CHANNELS) {
        if (w->floats) {
            w->dot->floats(w->fsum + k * DOT_PIXELS, w->f, w->fw + k * LINES, LINES,
                           w->lines, pixels);
        } else {
            w->dot->pairs(w->isum + k * DOT_PIXELS, w->s, w->sw + k * LINES, LINES,
                          w->lines / 2, pixels);
        }
    }
}

static void
put_results(const Work *w)
{
    const Area *a = &w->area;
    for (int64_t k = 0; k < w->channels; k++) {
        for (int64_t r = 0; r < a->rows; r++) {
            const int64_t at[LMEM_AXES] = {a->n, w->first + k, a->top + r, a->left};
            int64_t from = k * DOT_PIXELS + r * a->columns;
            emu_conv_put(w->c, at, w->isum + from, w->fsum + from, a->columns);
        }
    }
}

/* ---- the whole ----------------------------------------------------------- */

static void
do_area(Work *w)
{
    int64_t all = w->c->d.x.shape[LMEM_C], most = w->c->depthwise ? 1 : CHANNELS;
    for (w->first = 0; w->first < all; w->first += most) {
        int64_t next = 0;
        w->channels = all - w->first < most ? all - w->first : most;
        size_t sums = DOT_PIXELS * (size_t)(w->channels + DOT_CHANNELS);
        memset(w->floats ? (void *)w->fsum : (void *)w->isum, 0, 4 * sums);
        while (take_lines(w, &next)) {
            put_weights(w);
            put_panel(w);
            add_products(w);
        }
        put_results(w);
    }
}

static void
do_image(Work *w)
{
    int64_t height = w->c->d.x.shape[LMEM_H], width = w->c->d.x.shape[LMEM_W];
    Area *a = &w->area;
    int64_t rows = width < DOT_PIXELS ? DOT_PIXELS / width : 1;
    for (a->top = 0; a->top < height; a->top += rows) {
        a->rows = height - a->top < rows ? height - a->top : rows;
        for (a->left = 0; a->left < width; a->left += DOT_PIXELS) {
            a->columns = width - a->left < DOT_PIXELS ? width - a->left : DOT_PIXELS;
            do_area(w);
        }
    }
}

void
emu_conv_panels(const Conv *c)
{
    Work w = {.c = c, .dot = num_dot(), .floats = c->x.dtype == DT_F32};
    for (w.area.n = 0; w.area.n < c->d.x.shape[LMEM_N]; w.area.n++) {
        do_image(&w);
    }
}
