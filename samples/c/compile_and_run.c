/* compile_and_run.c: a program with the compiler in it. It compiles a kernel from a text
 * in memory, as a service or a test bench would that makes its kernels while it runs, and
 * runs the blob on the emulator with its own arrays.
 *
 * usage: compile_and_run [NAME=VALUE]...     sets names of the kernel's program, such as
 * FACTOR=3 */
#include <stdio.h>
#include <string.h>
#include <tikc.h>
#include <tikrt.h>

enum {
    N = 1024
};

static const char program[] =
    "from tbe import tik\n"
    "t = tik.Tik()\n"
    "x = t.Tensor('float32', (N,), name='x', scope=tik.scope_gm)\n"
    "y = t.Tensor('float32', (N,), name='y', scope=tik.scope_gm)\n"
    "ub = t.Tensor('float32', (N,), name='ub', scope=tik.scope_ubuf)\n"
    "t.data_move(ub, x, 0, 1, N // 8, 0, 0)\n"
    "t.vec_muls(64, ub, ub, FACTOR, N // 64, 8, 8)\n"
    "t.data_move(y, ub, 0, 1, N // 8, 0, 0)\n"
    "t.BuildCCE(kernel_name='scaled', inputs=[x], outputs=[y])\n";

/* Sets the names that the program leaves open; those of the command line come last and
 * win. */
static bool
define(Tikc *t, int argc, char **argv)
{
    bool ok = tikc_define(t, "N", "1024") && tikc_define(t, "FACTOR", "2");
    for (int i = 1; i < argc && ok; i++) {
        char *value = strchr(argv[i], '=');
        if (!value) {
            fprintf(stderr, "'%s' is not NAME=VALUE\n", argv[i]);
            return false;
        }
        *value++ = '\0';
        ok = tikc_define(t, argv[i], value);
    }
    return ok;
}

/* Runs the kernel on x = 0, 1, 2, ... and prints a few results. */
static bool
run(const void *blob, size_t size)
{
    TikArray x = {0}, y = {0};
    TikArray *args[] = {&x, &y}; /* the inputs, then the outputs, as in BuildCCE */
    TikError err;
    bool ok =
        tik_array_alloc(&x, DT_F32, N, &err) && tik_array_alloc(&y, DT_F32, N, &err);
    for (int i = 0; ok && i < N; i++) {
        ((float *)(void *)x.data)[i] = (float)i;
    }
    ok = ok && tik_emulate(blob, size, 0, args, &err);
    if (ok) {
        const float *r = (const float *)(const void *)y.data;
        printf("y[1] = %g, y[2] = %g, y[%d] = %g\n", r[1], r[2], N - 1, r[N - 1]);
    } else {
        fprintf(stderr, "%s: error: %s [%s]\n", err.place, err.text, err.name);
    }
    tik_array_free(&x);
    tik_array_free(&y);
    return ok;
}

int
main(int argc, char **argv)
{
    const void *blob;
    size_t size;
    Tikc *t = tikc_new();
    bool ok = tikc_set_soc(t, "Ascend310P3") && define(t, argc, argv) &&
              tikc_compile_text(t, "scaled.tik", program, sizeof program - 1) &&
              tikc_make(t, -1, TIKC_BLOB, &blob, &size);
    /* Warnings are worth showing after a success too. TIKC_JSON has the same as objects.
     */
    fputs(tikc_diagnostics(t, TIKC_TEXT), stderr);
    if (ok) {
        printf("kernel %s\n", tikc_kernel_name(t, 0));
        ok = run(blob, size); /* the bytes belong to t */
    }
    tikc_free(t);
    return ok ? 0 : 1;
}
