/* fractal.h: formulas for the positions of the elements of a matrix, an image or weights
 * in the fractal layouts. Both back ends and the rules use them, and there are no others.
 * Positions and sizes count elements.
 *
 * A fractal is a small matrix of r0 rows and c0 columns whose elements follow each other.
 * In the names of the layouts the first letter is the order of the fractals, the second
 * that of the elements inside of one: with z, rows follow each other; with n, columns do.
 * Elements that the matrix does not have in the last fractal of a row or a column are
 * padding.
 *
 *   r0 = c0 = 16    accumulator fractals (L0C): 512 bytes of 16 bits, 1024 of 32
 *   r0 = 16, c0 = fractal_c0(size)    fractals of inputs: 512 bytes of any
 * type */
#ifndef TIK_FRACTAL_H
#define TIK_FRACTAL_H

#include <stdint.h>

enum {
    FRACTAL_SIDE = 16,   /* rows of a fractal; columns of one in L0C */
    FRACTAL_ROW = 32,    /* bytes of a row of an input fractal */
    FRACTAL_BYTES = 512, /* bytes of an input fractal */
    FRACTAL_ELEMS = 256  /* elements of a fractal of L0C */
};

/* These return ceil(a / b), and that times b, for a >= 0. */
static inline int64_t
fractal_count(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

static inline int64_t
fractal_up(int64_t a, int64_t b)
{
    return fractal_count(a, b) * b;
}

/* Returns the columns of an input fractal of elements of `size` bytes, which are also the
 * channels C0 of a group. */
static inline int64_t
fractal_c0(int64_t size)
{
    return FRACTAL_ROW / size;
}

enum {
    FRACTAL_FEW =
        4 /* channels of a group in the special form of images with few of them */
};

/* A matrix of r1 x c1 fractals. The functions that take it return the index of the
 * element in row r and column c. */
typedef struct FractalShape {
    int64_t r1, c1; /* fractals along the rows and along the columns */
    int64_t r0, c0; /* rows and columns of a fractal */
} FractalShape;

/* Returns the shape that holds rows x columns. */
static inline FractalShape
fractal_shape(int64_t rows, int64_t columns, int64_t r0, int64_t c0)
{
    return (FractalShape){fractal_count(rows, r0), fractal_count(columns, c0), r0, c0};
}

static inline int64_t
fractal_elems(FractalShape s)
{
    return s.r1 * s.c1 * s.r0 * s.c0;
}

/* The layout NZ, (C1, R1, r0, c0), of L1, L0C (16 x 16), UB and GM: columns of fractals
 * follow each other. */
static inline int64_t
fractal_nz(FractalShape s, int64_t r, int64_t c)
{
    return (c / s.c0 * s.r1 + r / s.r0) * s.r0 * s.c0 + r % s.r0 * s.c0 + c % s.c0;
}

/* The layout ZZ, (R1, C1, r0, c0), of L0A. */
static inline int64_t
fractal_zz(FractalShape s, int64_t r, int64_t c)
{
    return (r / s.r0 * s.c1 + c / s.c0) * s.r0 * s.c0 + r % s.r0 * s.c0 + c % s.c0;
}

/* NZ whose column blocks are pitch rows apart, (C1, pitch, c0). If pitch is r1 * r0 it is
 * fractal_nz. */
static inline int64_t
fractal_nz_pitch(int64_t pitch, int64_t c0, int64_t r, int64_t c)
{
    return c / c0 * pitch * c0 + r * c0 + c % c0;
}

/* The layout ZN of B[k][n], (K1, N1, 16, k0), of L0B: rows of fractals follow each other,
 * and in a fractal the columns of B. */
static inline int64_t
fractal_zn(int64_t n1, int64_t k0, int64_t k, int64_t n)
{
    return (k / k0 * n1 + n / FRACTAL_SIDE) * FRACTAL_SIDE * k0 + n % FRACTAL_SIDE * k0 +
           k % k0;
}

/* The layout of L0C, NZ of 16 x 16: C[m][n] with m1 rows of fractals. */
static inline int64_t
fractal_l0c(int64_t m1, int64_t m, int64_t n)
{
    return (n / FRACTAL_SIDE * m1 + m / FRACTAL_SIDE) * FRACTAL_ELEMS +
           m % FRACTAL_SIDE * FRACTAL_SIDE + n % FRACTAL_SIDE;
}

/* An image in groups of c0 channels, (N, C1, H, W, C0). */
typedef struct FractalImage {
    int64_t c1, h, w, c0;
} FractalImage;

static inline int64_t
fractal_nc1hwc0(FractalImage s, int64_t n, int64_t c, int64_t h, int64_t w)
{
    return (((n * s.c1 + c / s.c0) * s.h + h) * s.w + w) * s.c0 + c % s.c0;
}

/* A weight from cin to cout channels in the layout FRACTAL_Z, (C1 * Kh * Kw, N1, 16, C0),
 * which L0B takes. */
typedef struct FractalWeights {
    int64_t kh, kw;
    int64_t n1; /* groups of 16 output channels */
    int64_t c0;
} FractalWeights;

static inline int64_t
fractal_z(FractalWeights s, int64_t co, int64_t ci, int64_t kh, int64_t kw)
{
    int64_t row = (ci / s.c0 * s.kh + kh) * s.kw + kw;
    return (row * s.n1 + co / FRACTAL_SIDE) * FRACTAL_SIDE * s.c0 +
           co % FRACTAL_SIDE * s.c0 + ci % s.c0;
}

/* ---- windows of an image (img2col) --------------------------------------- */

/* The windows of a kernel that goes over an image of h x w, which padding surrounds. */
typedef struct FractalWindows {
    int64_t h, w;
    int64_t left, right, top, bottom; /* padding */
    int64_t stride_h, stride_w;
    int64_t kh, kw;
    int64_t dilation_h, dilation_w;
} FractalWindows;

/* These return the rows and columns of windows; one where the kernel is larger than the
 * padded image. */
int64_t fractal_windows_h(const FractalWindows *s);
int64_t fractal_windows_w(const FractalWindows *s);

/* These return the row and the column of the image that the window of output row ho,
 * column wo reads at kernel point (kh, kw). Outside of the image it reads padding. */
static inline int64_t
fractal_window_y(const FractalWindows *s, int64_t ho, int64_t kh)
{
    return ho * s->stride_h - s->top + kh * s->dilation_h;
}

static inline int64_t
fractal_window_x(const FractalWindows *s, int64_t wo, int64_t kw)
{
    return wo * s->stride_w - s->left + kw * s->dilation_w;
}

/* ---- whole matrices ------------------------------------------------------ */

/* A (rows, columns) matrix of elements of size bytes, which is copied from or to NZ row
 * by row; the padding of NZ becomes 0. pitch is the distance of rows of the plain matrix,
 * in columns. */
typedef struct FractalMatrix {
    int64_t rows, columns, pitch, size;
    FractalShape shape;
} FractalMatrix;

void fractal_nd_to_nz(uint8_t *nz, const uint8_t *nd, const FractalMatrix *m);
void fractal_nz_to_nd(uint8_t *nd, const uint8_t *nz, const FractalMatrix *m);

#endif
