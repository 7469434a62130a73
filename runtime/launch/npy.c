/* npy.c: reads and writes tensors as .npy files. It reads versions 1 to 3; what is big
 * endian or in Fortran order it turns into the order of tensors (npy_order.h), as numpy
 * does. It reports what is wrong with every other file. It writes version 1
 * through a temporary file in the same folder that is renamed when it is complete, so a
 * failed write leaves no new file and keeps an older one. Devices and pipes are written
 * in place. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tikrt.h"
#include "support/error.h"
#include "launch/npy_header.h"
#include "launch/npy_order.h"
#include "launch/outfile.h"

/* ---- reading ------------------------------------------------------------- */

typedef struct Input {
    const char *path;
    FILE *file;
    TikError *err;
} Input;

static bool
io_error(const Input *in)
{
    return launch_error(in->err, TIK_ERR_IO, "file-read", "cannot read '%s': %s",
                        in->path, strerror(errno));
}

#define NPY_ERROR(in, fmt, ...)                                                          \
    launch_error((in)->err, TIK_ERR_NPY, "npy", "'%s': " fmt, (in)->path, __VA_ARGS__)

/* Reads exactly n bytes; *got is the number that could be read. */
static bool
read_bytes(const Input *in, void *p, size_t n, size_t *got)
{
    *got = fread(p, 1, n, in->file);
    return *got == n;
}

static bool
read_prefix(const Input *in, size_t *header_len)
{
    uint8_t b[12];
    size_t got;
    if (!read_bytes(in, b, 8, &got)) {
        if (ferror(in->file)) {
            return io_error(in);
        }
        return NPY_ERROR(in, "not a .npy file: it has only %zu bytes", got);
    }
    if (memcmp(b, "\x93NUMPY", 6) != 0) {
        return NPY_ERROR(in, "%s",
                         "not a .npy file: the first bytes are not those of one");
    }
    if (b[6] < 1 || b[6] > 3) {
        return NPY_ERROR(in, "its format is version %d.%d; versions 1 to 3 are known",
                         b[6], b[7]);
    }
    size_t width = b[6] == 1 ? 2 : 4;
    if (!read_bytes(in, b + 8, width, &got)) {
        return ferror(in->file) ? io_error(in)
                                : NPY_ERROR(in, "%s", "its header is cut off");
    }
    *header_len = (size_t)b[8] | (size_t)b[9] << 8;
    if (width == 4) {
        *header_len |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    }
    return true;
}

enum {
    MAX_HEADER = 1 << 20
};

static bool
read_header(const Input *in, NpyHeader *h)
{
    size_t len = 0, got;
    if (!read_prefix(in, &len)) {
        return false;
    }
    if (len > MAX_HEADER) {
        return NPY_ERROR(in, "its header has %zu bytes; at most %d are read", len,
                         MAX_HEADER);
    }
    char *text = malloc(len + 1);
    if (text == NULL) {
        return io_error(in);
    }
    bool ok = read_bytes(in, text, len, &got);
    if (!ok) {
        ok = ferror(in->file)
                 ? io_error(in)
                 : NPY_ERROR(in, "its header is cut off: %zu of %zu bytes", got, len);
    } else {
        const char *why = NULL;
        ok = npy_parse_header(text, len, h, &why) || NPY_ERROR(in, "%s", why);
    }
    free(text);
    return ok;
}

/* Returns the element type of a description without its byte order. */
static Dtype
dtype_of_descr(const char *code)
{
    static const struct {
        const char *code;
        Dtype dtype;
    } known[] = {{"b1", DT_BOOL}, {"i1", DT_S8},  {"u1", DT_U8},  {"i2", DT_S16},
                 {"u2", DT_U16},  {"i4", DT_S32}, {"u4", DT_U32}, {"i8", DT_S64},
                 {"u8", DT_U64},  {"f2", DT_F16}, {"f4", DT_F32}, {"f8", DT_F64}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].code, code) == 0) {
            return known[i].dtype;
        }
    }
    return DT_NONE;
}

/* Returns the element type in which a tensor of type t is stored. */
static Dtype
stored_as(Dtype t)
{
    return t == DT_BF16 ? DT_U16 : t;
}

static bool
check_dtype(const Input *in, const NpyHeader *h, Dtype want)
{
    char order = h->descr[0];
    if (order == '\0' || strchr("<>|=", order) == NULL) {
        return NPY_ERROR(in, "its dtype '%s' is not that of numbers", h->descr);
    }
    Dtype held = dtype_of_descr(h->descr + 1);
    const char *note = want == DT_BF16 ? " (stored as uint16)" : "";
    if (held != DT_NONE && want == DT_NONE) {
        want = held;
    }
    if (held == DT_NONE || held != stored_as(want)) {
        const char *name = held == DT_NONE ? h->descr : dtype_name(held);
        if (want == DT_NONE) {
            return NPY_ERROR(in, "its dtype '%s' is none of tensors", name);
        }
        return NPY_ERROR(in, "it holds %s; the tensor is %s%s", name, dtype_name(want),
                         note);
    }
    return true;
}

static bool
check_shape(const Input *in, const NpyHeader *h, int64_t *elems)
{
    int64_t want = *elems;
    int64_t count = 1;
    for (int i = 0; i < h->ndim; i++) {
        if (h->shape[i] == 0) {
            count = 0;
            break;
        }
        if (__builtin_mul_overflow(count, h->shape[i], &count)) {
            return NPY_ERROR(in, "%s", "its shape has more elements than can be counted");
        }
    }
    *elems = count;
    if (want >= 0 && count != want) {
        return NPY_ERROR(in, "it holds %" PRId64 " elements; the tensor has %" PRId64,
                         count, want);
    }
    return true;
}

static void
keep_shape(TikArray *a, const NpyHeader *h)
{
    if (h->ndim > (int)(sizeof a->shape / sizeof a->shape[0])) {
        return; /* tik_array_alloc made it one-dimensional */
    }
    a->ndim = h->ndim;
    memset(a->shape, 0, sizeof a->shape);
    for (int i = 0; i < h->ndim; i++) {
        a->shape[i] = h->shape[i];
    }
}

static bool
cut_off(const Input *in, size_t got, int64_t want)
{
    return NPY_ERROR(in, "it is cut off: %zu of %" PRId64 " bytes of data", got, want);
}

static bool
goes_on(const Input *in, int64_t bytes)
{
    return NPY_ERROR(in, "it goes on after its %" PRId64 " bytes of data", bytes);
}

static bool
read_data(const Input *in, TikArray *a)
{
    size_t got;
    if (!read_bytes(in, a->data, (size_t)a->bytes, &got)) {
        return ferror(in->file) ? io_error(in) : cut_off(in, got, a->bytes);
    }
    if (fgetc(in->file) != EOF) {
        return goes_on(in, a->bytes);
    }
    return ferror(in->file) ? io_error(in) : true;
}

static bool
read_open(const Input *in, Dtype dtype, int64_t elems, TikArray *out)
{
    NpyHeader h;
    if (!read_header(in, &h) || !check_dtype(in, &h, dtype) ||
        !check_shape(in, &h, &elems)) {
        return false;
    }
    dtype = dtype == DT_NONE ? dtype_of_descr(h.descr + 1) : dtype;
    if (!tik_array_alloc(out, dtype, elems, in->err)) {
        return false;
    }
    keep_shape(out, &h);
    bool ok = read_data(in, out) &&
              (npy_to_order(&h, out->data, dtype_size(dtype), out->elems) ||
               launch_error(in->err, TIK_ERR_IO, "limit-memory",
                            "not enough memory to reorder '%s'", in->path));
    if (!ok) {
        tik_array_free(out);
    }
    return ok;
}

bool
tik_npy_read(const char *path, Dtype dtype, int64_t elems, TikArray *out, TikError *err)
{
    memset(out, 0, sizeof *out);
    Input in = {path, fopen(path, "rb"), err};
    if (in.file == NULL) {
        return io_error(&in);
    }
    bool ok = read_open(&in, dtype, elems, out);
    fclose(in.file);
    return ok;
}

static bool
view_data(const Input *in, const uint8_t *file, size_t size, TikArray *a)
{
    long at = ftell(in->file);
    if (at < 0) {
        return io_error(in);
    }
    size_t left = size - (size_t)at;
    if (a->elems > INT64_MAX / 8 || left < (size_t)a->bytes) {
        return cut_off(in, left, a->bytes);
    }
    /* arrays have no const data; code that views a file does not write to it */
    a->data = (uint8_t *)(uintptr_t)(file + at);
    return left == (size_t)a->bytes || goes_on(in, a->bytes);
}

/* What is not in the order of tensors cannot stay where it is. */
static bool
check_in_order(const Input *in, const NpyHeader *h, int size)
{
    return !npy_is_other_order(h, size) ||
           NPY_ERROR(in, "%s",
                     npy_is_fortran(h)
                         ? "its elements are in Fortran order; a view needs C order"
                         : "its numbers are big endian; a view needs little endian");
}

static bool
view_open(const Input *in, const void *file, size_t size, Dtype dtype, int64_t elems,
          TikArray *out)
{
    NpyHeader h;
    if (!read_header(in, &h) || !check_dtype(in, &h, dtype) ||
        !check_shape(in, &h, &elems)) {
        return false;
    }
    if (!check_in_order(in, &h, dtype_size(dtype_of_descr(h.descr + 1)))) {
        return false;
    }
    *out = (TikArray){.dtype = dtype, .elems = elems, .ndim = 1, .shape = {elems}};
    out->bytes = elems * dtype_size(dtype);
    keep_shape(out, &h);
    return view_data(in, file, size, out);
}

bool
tik_npy_view(const char *path, const void *file, size_t size, Dtype dtype, int64_t elems,
             TikArray *out, TikError *err)
{
    Input in = {path, NULL, err};
    if (size == 0) {
        return NPY_ERROR(&in, "%s", "not a .npy file: it has only 0 bytes");
    }
    in.file = fmemopen((void *)(uintptr_t)file, size, "rb");
    if (in.file == NULL) {
        return io_error(&in);
    }
    bool ok = view_open(&in, file, size, dtype, elems, out);
    fclose(in.file);
    return ok;
}

/* ---- writing ------------------------------------------------------------- */

static const char *
descr_of_dtype(Dtype t)
{
    static const char *const codes[DT_COUNT] = {
        [DT_U8] = "|u1",  [DT_S8] = "|i1",  [DT_U16] = "<u2",  [DT_S16] = "<i2",
        [DT_F16] = "<f2", [DT_U32] = "<u4", [DT_S32] = "<i4",  [DT_F32] = "<f4",
        [DT_U64] = "<u8", [DT_S64] = "<i8", [DT_BOOL] = "|b1", [DT_F64] = "<f8"};
    return codes[stored_as(t)];
}

/* Returns the length of everything before the data, a multiple of 64 as the format
 * requires. */
static size_t
make_header(const TikArray *a, char out[512])
{
    char shape[256] = "";
    size_t at = 0;
    for (int i = 0; i < a->ndim; i++) {
        at += (size_t)snprintf(shape + at, sizeof shape - at, "%s%" PRId64,
                               i > 0 ? ", " : "", a->shape[i]);
    }
    int n = snprintf(out + 10, 502,
                     "{'descr': '%s', 'fortran_order': False, 'shape': (%s%s), }",
                     descr_of_dtype(a->dtype), shape, a->ndim == 1 ? "," : "");
    size_t total = ((size_t)n + 10 + 1 + 63) / 64 * 64;
    memset(out + 10 + n, ' ', total - 10 - (size_t)n);
    out[total - 1] = '\n';
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)((total - 10) & 0xff);
    out[9] = (char)((total - 10) >> 8);
    return total;
}

/* Writes the file and closes fd. Returns 0 or errno. */
static int
write_all(int fd, const TikArray *a)
{
    char header[512];
    size_t len = make_header(a, header);
    FILE *f = fdopen(fd, "wb");
    if (f == NULL) {
        int e = errno;
        close(fd);
        return e;
    }
    errno = 0;
    bool ok = fwrite(header, 1, len, f) == len &&
              fwrite(a->data, 1, (size_t)a->bytes, f) == (size_t)a->bytes &&
              fflush(f) == 0;
    int e = ok ? 0 : errno != 0 ? errno : EIO;
    if (fclose(f) != 0 && e == 0) {
        e = errno;
    }
    return e;
}

static int
write_place(const OutPlace *p, const TikArray *a)
{
    int fd = outfile_open(p);
    int e = fd < 0 ? errno : write_all(fd, a);
    if (fd >= 0 && e != 0) {
        outfile_drop(p);
    }
    return e != 0 ? e : outfile_put(p);
}

static int
write_path(const char *path, const TikArray *a)
{
    struct stat st;
    OutPlace p;
    sigset_t before;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        return fd < 0 ? errno : write_all(fd, a);
    }
    outfile_begin(&before);
    int e = outfile_find(&p, path);
    e = e != 0 ? e : write_place(&p, a);
    outfile_forget(&p);
    outfile_end(&before);
    return e;
}

bool
tik_npy_write(const char *path, const TikArray *a, TikError *err)
{
    int e = write_path(path, a);
    return e == 0 || launch_error(err, TIK_ERR_IO, "file-write", "cannot write '%s': %s",
                                  path, strerror(e));
}
