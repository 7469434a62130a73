/* data.c: a kernel with a table, presets and an address list, launched twice from a
 * user's program. */
#include <stdio.h>
#include <string.h>
#include <tikrt.h>

extern const TikKernel tik_kernel_data;

static void
show(const char *what, const TikArray *a)
{
    const int32_t *p = (const int32_t *)(const void *)a->data;
    printf("%s:", what);
    for (int64_t i = 0; i < a->elems; i++) {
        printf(" %d", p[i]);
    }
    printf("\n");
}

int
main(void)
{
    const TikKernel *k = &tik_kernel_data;
    TikArray items[2] = {0}, y = {0}, w = {0};
    TikError err = {0};
    for (int i = 0; i < k->nparams; i++) {
        const TikParam *p = &k->params[i];
        printf("%s %s %s %lld preset %d %lld\n", tikrt_role_name(p->role), p->name,
               tikrt_dtype_name(p->dtype), (long long)p->elems, p->preset,
               (long long)p->preset_value);
    }
    if (!tik_array_alloc(&items[0], DT_S32, 16, &err) ||
        !tik_array_alloc(&items[1], DT_S32, 16, &err) ||
        !tik_array_alloc(&y, DT_S32, 24, &err) || !tik_array_alloc(&w, DT_S32, 8, &err)) {
        return 1;
    }
    TikArray list = {.dtype = DT_S64, .elems = 2, .items = items};
    TikArray *args[] = {&list, &y, &w};
    ((int32_t *)(void *)items[0].data)[1] = 11;
    ((int32_t *)(void *)items[1].data)[1] = 22;
    for (int round = 0; round < 2; round++) {
        memset(y.data, 0x55,
               (size_t)y.bytes); /* what stands there before does not matter */
        if (!tik_launch(k, args, 1, &err)) {
            printf("fault %s: %s\n", err.name, err.text);
        }
        show("y", &y);
        show("w", &w);
        show("0", &items[0]);
        show("1", &items[1]);
    }
    items[1].bytes = 0;
    if (!tik_launch(k, args, 1, &err)) {
        printf("fault %s: %s\n", err.name, err.text);
    }
    list.elems = 1;
    if (!tik_launch(k, args, 1, &err)) {
        printf("%s: %s\n", err.name, err.text);
    }
    list.elems = 2;
    items[1].bytes = LIST_WINDOW;
    if (!tik_launch(k, args, 1, &err)) {
        printf("%s: %s\n", err.name, err.text);
    }
    items[1].bytes = 64;
    tik_array_free(&items[0]);
    tik_array_free(&items[1]);
    tik_array_free(&y);
    tik_array_free(&w);
    return 0;
}
