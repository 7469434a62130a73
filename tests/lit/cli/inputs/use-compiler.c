/* use-compiler.c PROGRAM.tik OUT: a program that compiles with libtikc, and knows tikc.h
 * only: what a mistake is told like, then the blob, IR, trace and facts of PROGRAM. With
 * RUN it runs the blob too, by libtikrt. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tikc.h>
#ifdef RUN
#include <tikrt.h>
#endif

static const char wrong[] =
    "from tbe import tik; t = tik.Tik(); x = t.Tensor('float16', (65536,), name='x', "
    "scope=tik.scope_gm); u = t.Tensor('float16', (128,), name='u', "
    "scope=tik.scope_ubuf)\n"
    "t.data_move(u, x, 0, 5000, 8, 0, 0)\n"
    "t.BuildCCE(kernel_name='k', inputs=[x], outputs=[])\n";

static void
show_mistakes(void)
{
    Tikc *t = tikc_new();
    if (tikc_compile_text(t, "wrong.tik", wrong, sizeof wrong - 1)) {
        printf("no mistake found\n");
    }
    printf("%s%d error, %d warnings\n%s", tikc_diagnostics(t, TIKC_JSON),
           (int)tikc_errors(t), (int)tikc_warnings(t), tikc_diagnostics(t, TIKC_TEXT));
    tikc_free(t);
    t = tikc_new();
    if (!tikc_set_soc(t, "Ascend31")) {
        printf("%s", tikc_diagnostics(t, TIKC_TEXT));
    }
    tikc_free(t);
}

/* The program's only import, wherever it is looked for. */
static bool
load(void *ctx, const char *path, const char **text, size_t *size)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (strcmp(name, "sizes.py") != 0) {
        return false;
    }
    *text = ctx;
    *size = strlen(ctx);
    return true;
}

static char *
read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = malloc(65536);
    *size = f ? fread(text, 1, 65536, f) : 0;
    if (f) {
        fclose(f);
    }
    return text;
}

static bool
write_all(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(bytes, 1, size, f) == size;
    return f && fclose(f) == 0 && ok;
}

/* An import whose text the loader has. */
static void
show_loader(void)
{
    static const char text[] = "import sizes\nprint('loaded n=%d' % (sizes.N * M))\n";
    char module[] = "N = 64\n";
    Tikc *t = tikc_new();
    tikc_set_loader(t, load, module);
    if (!tikc_define(t, "M", "2") || tikc_define(t, "2M", "2")) {
        printf("define\n");
    }
    tikc_free(t);
    t = tikc_new();
    tikc_set_loader(t, load, module);
    (void)!tikc_define(t, "M", "2");
    (void)!tikc_compile_text(t, "main.tik", text, sizeof text - 1);
    printf("printed: %s", tikc_output(t));
    tikc_free(t);
}

/* The text of a kernel is a source, too; a setting that speaks to a program is none for
 * it. */
static void
show_ir(Tikc *of)
{
    size_t n;
    const void *text;
    if (!tikc_make(of, 0, TIKC_IR, &text, &n)) {
        return;
    }
    Tikc *t = tikc_new();
    if (tikc_compile_text(t, "again.ir", text, n)) {
        printf("again %s of %d\n", tikc_kernel_name(t, 0), tikc_kernels(t));
    }
    tikc_free(t);
    t = tikc_new();
    tikc_set_call(t, "f()");
    (void)!tikc_compile_text(t, "again.ir", text, n);
    printf("%s", tikc_diagnostics(t, TIKC_TEXT));
    tikc_free(t);
}

#ifdef RUN
static void
run(const uint8_t *blob, size_t size)
{
    TikArray x, y;
    TikArray *args[] = {&x, &y};
    TikError err;
    if (!tik_array_alloc(&x, DT_F16, 128, &err) ||
        !tik_array_alloc(&y, DT_F16, 128, &err)) {
        return;
    }
    ((uint16_t *)(void *)x.data)[127] = 0x3c00;
    if (tik_emulate(blob, size, 0, args, &err)) {
        printf("double: %x\n", ((uint16_t *)(void *)y.data)[127]);
    }
    tik_array_free(&x);
    tik_array_free(&y);
}
#endif

int
main(int argc, char **argv)
{
    size_t size, n;
    const void *bytes;
    if (argc != 3) {
        return 2;
    }
    printf("version %s\n", tikc_version());
    show_mistakes();
    char *text = read_all(argv[1], &size);
    Tikc *t = tikc_new();
    if (!tikc_compile_text(t, argv[1], text, size)) {
        printf("%s", tikc_diagnostics(t, TIKC_TEXT));
        return 1;
    }
    printf("kernel %s of %d\n", tikc_kernel_name(t, 0), tikc_kernels(t));
    show_loader();
    show_ir(t);
    for (int form = TIKC_IR; form <= TIKC_FACTS; form++) {
        if (tikc_make(t, 0, (TikcForm)form, &bytes, &n)) {
            printf("%s", (const char *)bytes);
        }
    }
    bool ok = tikc_make(t, -1, TIKC_BLOB, &bytes, &n) && write_all(argv[2], bytes, n);
#ifdef RUN
    run(bytes, n);
#endif
    tikc_free(t);
    free(text);
    return ok ? 0 : 1;
}
