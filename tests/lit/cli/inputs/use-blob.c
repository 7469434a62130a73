/* use-blob.c: a program of somebody who loads blobs, with the installed headers and
 * nothing else: prints the instructions of kernel 0, then runs it on one input and one
 * output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tikblob.h>
#include <tikrt.h>

static unsigned char bytes[1 << 16];

static void
print_instructions(const TikBlob *blob)
{
    TikCursor cursor;
    TikDesc d;
    TikBlobDiag diag;
    tikblob_cursor(&cursor, blob, 0);
    while (tikblob_next(&cursor, &d, &diag) == 1) {
        if (d.kind != DESC_INSTR) {
            continue;
        }
        printf("%s:", tikblob_op_name(d.op));
        for (int i = 0; i < tikblob_params(d.op); i++) {
            TikBlobParam p;
            tikblob_param(d.op, i, &p);
            printf(" %s%s", p.role == ROLE_DST ? ">" : "", p.name);
        }
        printf("\n");
    }
}

static int
run(size_t size)
{
    TikArray x, y;
    TikArray *args[] = {&x, &y};
    TikError err;
    if (!tik_array_alloc(&x, tikrt_dtype("float16"), 128, &err) ||
        !tik_array_alloc(&y, DT_F16, 128, &err)) {
        return 1;
    }
    for (int i = 0; i < 128; i++) {
        ((uint16_t *)(void *)x.data)[i] = 0x3c00;
    }
    if (!tik_emulate(bytes, size, 0, args, &err)) {
        printf("%s\n", err.text);
        return 1;
    }
    printf("%s %x\n", tikrt_dtype_name(y.dtype), ((uint16_t *)(void *)y.data)[127]);
    tik_array_free(&x);
    tik_array_free(&y);
    return 0;
}

int
main(int argc, char **argv)
{
    TikBlob blob;
    TikBlobDiag diag;
    TikBlobProof proof;
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f) {
        fclose(f);
    }
    if (!tikblob_open(&blob, bytes, size, &diag)) {
        printf("%s\n", diag.code);
        return 1;
    }
    uint64_t room = tikblob_workspace(&blob, 0);
    void *workspace = malloc(room);
    bool ok = tikblob_verify(&blob, 0, workspace, room, &proof, &diag);
    free(workspace);
    printf("%s, %s\n", tikblob_soc_name(blob.soc), ok ? "verified" : diag.code);
    print_instructions(&blob);
    return run(size);
}
