/* launch.c: what a user's program looks like: an object made by tikc, its descriptor,
 * libtikrt. */
#include <stdio.h>
#include <stdlib.h>
#include <tikrt.h>

extern const TikKernel tik_kernel_cores;

int
main(int argc, char **argv)
{
    static const char *const roles[] = {"input", "output", "workspace"};
    const TikKernel *k = &tik_kernel_cores;
    TikArray arrays[3];
    TikArray *args[3];
    TikError err = {0};
    printf("%s on %s: %d cores, %d tensors\n", k->name, k->soc, k->cores, k->nparams);
    for (int i = 0; i < k->nparams; i++) {
        const TikParam *p = &k->params[i];
        printf("%s %s %lld %s\n", p->name, tikrt_dtype_name(p->dtype),
               (long long)p->elems, roles[p->role]);
        if (!tik_array_alloc(&arrays[i], p->dtype, p->elems, &err)) {
            return 1;
        }
        args[i] = &arrays[i];
    }
    for (int i = 0; i < 512; i++) {
        ((uint16_t *)arrays[0].data)[i] = 0x3c00;
    }
    ((int32_t *)arrays[1].data)[0] = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 4;
    if (!tik_launch(k, args, 2, &err)) {
        printf("fault %s at %s\n", err.name, err.place);
        for (uint32_t i = err.frame; i != 0; i = k->frames[i - 1].parent) {
            const TikFrame *f = &k->frames[i - 1];
            printf("in %s called at %s:%u:%u\n", f->callee, f->file, (unsigned)f->line,
                   (unsigned)f->column);
        }
    } else {
        for (int i = 0; i < 4; i++) {
            printf("%x ", ((uint16_t *)arrays[2].data)[i * 128 + 127]);
        }
        printf("\n");
    }
    for (int i = 0; i < k->nparams; i++) {
        tik_array_free(&arrays[i]);
    }
    return 0;
}
