/* test_npy.c: checks that every legal spelling of a .npy file is read, that every other
 * is refused with a message that says why, and that a failed write leaves no file. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tikrt.h"

static char folder[64];

static const char *
path_of(const char *name)
{
    static char path[4][128];
    static int turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static int
make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tik-npy-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int
remove_folder(void **state)
{
    (void)state;
    unlink(path_of("a.npy"));
    unlink(path_of("link.npy"));
    return rmdir(folder); /* it fails when a test left a file */
}

/* Writes a file with this header text, version and data. */
static void
write_file(int major, const char *dict, const void *data, size_t n)
{
    FILE *f = fopen(path_of("a.npy"), "wb");
    assert_non_null(f);
    size_t len = strlen(dict);
    fwrite("\x93NUMPY", 1, 6, f);
    fputc(major, f);
    fputc(0, f);
    for (int i = 0; i < (major == 1 ? 2 : 4); i++) {
        fputc((int)(len >> (8 * i) & 0xff), f);
    }
    fwrite(dict, 1, len, f);
    fwrite(data, 1, n, f);
    fclose(f);
}

static const uint16_t six[6] = {1, 2, 3, 0x7e01, 5, 0xffff};

static void
expect_read(int major, const char *dict)
{
    TikArray a;
    TikError err = {0};
    write_file(major, dict, six, sizeof six);
    if (!tik_npy_read(path_of("a.npy"), DT_F16, 6, &a, &err)) {
        fprintf(stderr, "%s: %s\n", dict, err.text);
        fail();
    }
    assert_memory_equal(a.data, six, sizeof six);
    assert_int_equal(a.bytes, 12);
    for (int i = 12; i < 32; i++) {
        assert_int_equal(a.data[i], 0);
    }
    tik_array_free(&a);
}

static void
spellings(void **state)
{
    (void)state;
    expect_read(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (6,), }   \n");
    expect_read(2, "{'descr': '<f2', 'fortran_order': False, 'shape': (6,), }\n");
    expect_read(3, "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f2\"}");
    expect_read(1,
                "{ 'shape' : ( 3L , 2L ) , 'descr' : '=f2' , 'fortran_order' : False }");
    expect_read(1,
                "{'descr':'<f2','fortran_order':False,'shape':(1,6,1,1,1,1,1,1,1,1),}");
}

static void
expect_refused(Dtype t, int64_t elems, TikErrorKind kind, const char *part)
{
    TikArray a;
    TikError err = {0};
    assert_false(tik_npy_read(path_of("a.npy"), t, elems, &a, &err));
    assert_null(a.data);
    assert_int_equal(err.kind, kind);
    assert_string_equal(err.name, kind == TIK_ERR_IO ? "file-read" : "npy");
    if (strstr(err.text, part) == NULL) {
        fprintf(stderr, "'%s' is not in: %s\n", part, err.text);
        fail();
    }
}

static void
refused_dict(const char *dict, const char *part)
{
    write_file(1, dict, six, sizeof six);
    expect_refused(DT_F16, 6, TIK_ERR_NPY, part);
}

#define HEAD "{'descr': '<f2', 'fortran_order': False, 'shape': "

static void
broken_headers(void **state)
{
    (void)state;
    refused_dict("", "not a dictionary");
    refused_dict("{", "no string");
    refused_dict("[]", "not a dictionary");
    refused_dict("{'descr': '<f2', 'shape': (6,)}", "lacks");
    refused_dict(HEAD "(6,), 'extra': 1}", "unknown or repeated");
    refused_dict(HEAD "(6,), 'shape': (6,)}", "unknown or repeated");
    refused_dict(HEAD "(6,)} x", "after the dictionary");
    refused_dict(HEAD "(6)}", "shape");
    refused_dict(HEAD "6}", "shape");
    refused_dict(HEAD "(-6,)}", "shape");
    refused_dict(HEAD "(6 7)}", "shape");
    refused_dict(HEAD "(99999999999999999999,)}", "too large");
    refused_dict(HEAD "(4294967296,4294967296,4294967296)}", "counted");
    refused_dict("{'descr': '<f2', 'fortran_order': 0, 'shape': (6,)}", "fortran_order");
    refused_dict("{'descr': [('a', '<f2')], 'fortran_order': False, 'shape': (6,)}",
                 "records");
    refused_dict("{'descr': 'f2', 'fortran_order': False, 'shape': (6,)}", "'f2'");
    refused_dict("{'descr': '', 'fortran_order': False, 'shape': (6,)}", "dtype");
    refused_dict("{'descr': '<f2", "unterminated");
}

static void
wrong_contents(void **state)
{
    (void)state;
    refused_dict("{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}",
                 "holds float32; the tensor is float16");
    refused_dict("{'descr': '<f8', 'fortran_order': False, 'shape': (6,)}",
                 "holds float64; the tensor is float16");
    refused_dict(HEAD "(5,)}", "holds 5 elements; the tensor has 6");
    refused_dict(HEAD "(7,)}", "holds 7 elements; the tensor has 6");
    refused_dict(HEAD "(0, 9)}", "holds 0 elements");
    write_file(1, HEAD "(6,)}", six, 11);
    expect_refused(DT_F16, 6, TIK_ERR_NPY, "cut off: 11 of 12 bytes");
    uint16_t seven[7] = {0};
    write_file(1, HEAD "(6,)}", seven, 13);
    expect_refused(DT_F16, 6, TIK_ERR_NPY, "goes on after its 12 bytes");
}

/* Reads a file of six elements, or of n, and compares what comes of it. */
static void
expect_order(const char *dict, Dtype t, const void *data, size_t bytes, const void *want,
             int64_t n)
{
    TikArray a;
    TikError err = {0};
    write_file(1, dict, data, bytes);
    assert_true(tik_npy_read(path_of("a.npy"), t, n, &a, &err));
    assert_memory_equal(a.data, want, bytes);
    tik_array_free(&a);
}

static void
other_orders(void **state)
{
    (void)state;
    static const uint16_t swapped[6] = {0x100, 0x200, 0x300, 0x017e, 0x500, 0xffff};
    static const uint16_t columns[6] = {1, 0x7e01, 2, 5, 3, 0xffff};
    static const uint16_t both[6] = {0x100, 0x017e, 0x200, 0x500, 0x300, 0xffff};
    static const uint8_t wide[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const uint8_t narrow[8] = {8, 7, 6, 5, 4, 3, 2, 1};
    static const uint8_t cube[8] = {0, 4, 2, 6, 1, 5, 3, 7}; /* of 0 to 7 */
    static const uint8_t row[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    expect_order("{'descr': '>f2', 'fortran_order': False, 'shape': (6,)}", DT_F16,
                 swapped, 12, six, 6);
    expect_order("{'descr': '<f2', 'fortran_order': True, 'shape': (2,3)}", DT_F16,
                 columns, 12, six, 6);
    expect_order("{'descr': '>f2', 'fortran_order': True, 'shape': (2,3)}", DT_F16, both,
                 12, six, 6);
    expect_order("{'descr': '>i8', 'fortran_order': True, 'shape': ()}", DT_S64, wide, 8,
                 narrow, 1);
    expect_order("{'descr': '>u1', 'fortran_order': True, 'shape': (1,8,1)}", DT_U8, wide,
                 8, wide, 8);
    expect_order("{'descr': '|i1', 'fortran_order': True, 'shape': (2,2,2)}", DT_S8, cube,
                 8, row, 8);
    expect_order("{'descr': '>f4', 'fortran_order': True, 'shape': (0,3)}", DT_F32, row,
                 0, row, 0);
}

static void
views_stay_where_they_are(void **state)
{
    (void)state;
    static const char *const refused[] = {"'>f2', 'fortran_order': False",
                                          "'<f2', 'fortran_order': True"};
    for (int i = 0; i < 2; i++) {
        char dict[96], bytes[256];
        TikArray a;
        TikError err = {0};
        snprintf(dict, sizeof dict, "{'descr': %s, 'shape': (2,3)}", refused[i]);
        write_file(1, dict, six, sizeof six);
        FILE *f = fopen(path_of("a.npy"), "rb");
        size_t n = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        assert_false(tik_npy_view("a.npy", bytes, n, DT_F16, 6, &a, &err));
        assert_non_null(strstr(err.text, i == 0 ? "little endian" : "C order"));
    }
}

static void
broken_files(void **state)
{
    (void)state;
    TikArray a;
    TikError err;
    assert_false(tik_npy_read(path_of("none.npy"), DT_F16, 6, &a, &err));
    assert_int_equal(err.kind, TIK_ERR_IO);
    assert_non_null(strstr(err.text, "none.npy"));
    assert_false(tik_npy_read(folder, DT_F16, 6, &a, &err));
    assert_int_equal(err.kind, TIK_ERR_IO);
    write_file(9, HEAD "(6,)}", six, 12);
    expect_refused(DT_F16, 6, TIK_ERR_NPY, "version 9.0");
    /* A good file that is cut at any length is refused. */
    write_file(1, HEAD "(6,)}", six, 12);
    FILE *f = fopen(path_of("a.npy"), "rb");
    char whole[256];
    size_t n = fread(whole, 1, sizeof whole, f);
    fclose(f);
    for (size_t len = 0; len < n; len++) {
        f = fopen(path_of("a.npy"), "wb");
        fwrite(whole, 1, len, f);
        fclose(f);
        expect_refused(DT_F16, 6, TIK_ERR_NPY, "");
    }
}

static void
stored_types(void **state)
{
    (void)state;
    TikArray a;
    TikError err;
    write_file(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (6,)}", six, 12);
    assert_true(tik_npy_read(path_of("a.npy"), DT_BF16, 6, &a, &err));
    assert_int_equal(a.dtype, DT_BF16);
    tik_array_free(&a);
    expect_refused(DT_F16, 6, TIK_ERR_NPY, "holds uint16; the tensor is float16");
    write_file(1, HEAD "(6,)}", six, 12);
    expect_refused(DT_BF16, 6, TIK_ERR_NPY, "the tensor is bfloat16 (stored as uint16)");
    expect_refused(DT_U16, 6, TIK_ERR_NPY, "holds float16; the tensor is uint16");
    write_file(1, "{'descr': '|b1', 'fortran_order': False, 'shape': ()}", "\1", 1);
    assert_true(tik_npy_read(path_of("a.npy"), DT_BOOL, 1, &a, &err));
    assert_int_equal(a.ndim, 0);
    tik_array_free(&a);
}

static void
written_files_read_back(void **state)
{
    (void)state;
    for (int t = 1; t < DT_PLAIN; t++) {
        for (int ndim = 0; ndim <= 8; ndim += 1 + (ndim >= 2) * 5) {
            TikArray a, b;
            TikError err;
            int64_t elems = ndim == 0 ? 1 : 12;
            assert_true(tik_array_alloc(&a, (Dtype)t, elems, &err));
            for (int64_t i = 0; i < a.bytes; i++) {
                a.data[i] = (uint8_t)(i * 31 + t);
            }
            a.ndim = ndim;
            a.shape[0] = ndim == 1 ? 12 : 4;
            for (int i = 1; i < ndim; i++) {
                a.shape[i] = i == 1 ? 3 : 1;
            }
            assert_true(tik_npy_write(path_of("a.npy"), &a, &err));
            assert_true(tik_npy_read(path_of("a.npy"), (Dtype)t, elems, &b, &err));
            assert_memory_equal(a.data, b.data, (size_t)a.bytes);
            assert_int_equal(b.ndim, ndim);
            assert_memory_equal(a.shape, b.shape, (size_t)ndim * sizeof a.shape[0]);
            tik_array_free(&a);
            tik_array_free(&b);
        }
    }
}

static void
the_header_is_aligned(void **state)
{
    (void)state;
    TikArray a;
    TikError err;
    assert_true(tik_array_alloc(&a, DT_F32, 5, &err));
    assert_true(tik_npy_write(path_of("a.npy"), &a, &err));
    tik_array_free(&a);
    FILE *f = fopen(path_of("a.npy"), "rb");
    char text[256] = {0};
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    assert_int_equal(n, 128 + 20);
    assert_memory_equal(text, "\x93NUMPY\x01\x00\x76\x00", 10);
    assert_non_null(
        strstr(text + 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }"));
    assert_int_equal(text[127], '\n');
}

static void
links_and_devices_stay(void **state)
{
    (void)state;
    TikArray a;
    TikError err;
    struct stat st;
    assert_true(tik_array_alloc(&a, DT_F32, 5, &err));
    assert_true(tik_npy_write(path_of("a.npy"), &a, &err));
    assert_int_equal(symlink(path_of("a.npy"), path_of("link.npy")), 0);
    assert_true(tik_npy_write(path_of("link.npy"), &a, &err));
    assert_int_equal(lstat(path_of("link.npy"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_true(tik_npy_write("/dev/null", &a, &err));
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    tik_array_free(&a);
}

/* remove_folder finds files that a failed write left. */
static void
failed_writes(void **state)
{
    (void)state;
    TikArray a;
    TikError err;
    assert_true(tik_array_alloc(&a, DT_F32, 5000, &err));
    assert_false(tik_npy_write(path_of("no/such/a.npy"), &a, &err));
    assert_int_equal(err.kind, TIK_ERR_IO);
    assert_string_equal(err.name, "file-write");
    assert_false(tik_npy_write(folder, &a, &err));
    assert_int_equal(err.kind, TIK_ERR_IO);
    assert_false(tik_npy_write("/dev/full", &a, &err));
    assert_non_null(strstr(err.text, "/dev/full"));
    /* There is no room in the middle of the file, and an older file has its name. */
    struct rlimit limit, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    write_file(1, HEAD "(6,)}", six, 12);
    small = limit;
    small.rlim_cur = 10000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_false(tik_npy_write(path_of("a.npy"), &a, &err));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(err.kind, TIK_ERR_IO);
    TikArray old;
    assert_true(tik_npy_read(path_of("a.npy"), DT_F16, 6, &old, &err));
    tik_array_free(&old);
    assert_int_equal(chmod(folder, 0555), 0);
    if (geteuid() != 0) {
        assert_false(tik_npy_write(path_of("b.npy"), &a, &err));
    }
    assert_int_equal(chmod(folder, 0755), 0);
    tik_array_free(&a);
}

static void
impossible_arrays(void **state)
{
    (void)state;
    TikArray a;
    TikError err;
    assert_false(tik_array_alloc(&a, DT_NONE, 1, &err));
    assert_int_equal(err.kind, TIK_ERR_USAGE);
    assert_false(tik_array_alloc(&a, DT_S64, INT64_MAX / 4, &err));
    assert_false(tik_array_alloc(&a, DT_S64, -1, &err));
    assert_false(tik_array_alloc(&a, DT_U8, INT64_MAX - 100, &err));
    assert_int_equal(err.kind, TIK_ERR_IO);
    assert_true(tik_array_alloc(&a, DT_U8, 0, &err));
    tik_array_free(&a);
    assert_true(tik_array_alloc(&a, DT_U8, 33, &err));
    assert_int_equal((uintptr_t)a.data % 64, 0);
    for (int i = 0; i < 64; i++) {
        assert_int_equal(a.data[i], 0);
    }
    tik_array_free(&a);
    assert_true(tik_array_alloc(&a, DT_U8, 5 << 20, &err));
    a.data[(5 << 20) - 1] = 1;
    tik_array_free(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spellings),
        cmocka_unit_test(broken_headers),
        cmocka_unit_test(wrong_contents),
        cmocka_unit_test(other_orders),
        cmocka_unit_test(views_stay_where_they_are),
        cmocka_unit_test(broken_files),
        cmocka_unit_test(stored_types),
        cmocka_unit_test(written_files_read_back),
        cmocka_unit_test(the_header_is_aligned),
        cmocka_unit_test(links_and_devices_stay),
        cmocka_unit_test(failed_writes),
        cmocka_unit_test(impossible_arrays),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
