/* run_blob.c: loads a descriptor blob, has it proved, and runs its first kernel on arrays
 * of .npy files.
 *
 * usage: run_blob BLOB.tkb ARGUMENT=FILE.npy...
 *
 * A file of an input is read, that of an output or workspace written. Inputs without a
 * file are zeros. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tikblob.h>
#include <tikrt.h>

enum {
    MOST_ARGS = 64
};

/* Reads a whole file; null if that fails. */
static uint8_t *
read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    long end = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    uint8_t *bytes = end >= 0 ? malloc((size_t)end + 1) : NULL;
    if (bytes) {
        rewind(f);
        *size = fread(bytes, 1, (size_t)end, f);
    }
    if (f) {
        fclose(f);
    }
    return bytes;
}

/* Proves that every access of kernel 0 stays in bounds; what is not proved is marked in
 * the blob and checked while it runs. */
static bool
verify(const TikBlob *blob)
{
    TikBlobDiag diag;
    TikBlobProof proof;
    uint64_t room = tikblob_workspace(blob, 0);
    void *workspace = malloc(room);
    bool ok = workspace && tikblob_verify(blob, 0, workspace, room, &proof, &diag);
    if (ok) {
        printf("for %s: %lld rules proved, %lld checked while running\n",
               tikblob_soc_name(blob->soc), (long long)proof.proved,
               (long long)proof.checked);
    } else if (workspace) {
        char text[600];
        tikblob_explain(blob, 0, &diag, text, sizeof text);
        fprintf(stderr, "refused: %s [%s]\n", text, diag.code);
    }
    free(workspace);
    return ok;
}

/* Returns the file of an argument, or null. */
static const char *
file_of(const TikBlobArg *arg, char **files)
{
    size_t n = strlen(arg->name);
    for (; *files; files++) {
        if (strncmp(*files, arg->name, n) == 0 && (*files)[n] == '=') {
            return *files + n + 1;
        }
    }
    return NULL;
}

/* Makes the array of an argument: of its file if it is an input that has one, else zeros.
 */
static bool
make_array(const TikBlobArg *arg, char **files, TikArray *a, TikError *err)
{
    const char *file = file_of(arg, files);
    printf("%s %s: %s, %lld elements\n", tikrt_role_name(arg->role), arg->name,
           tikrt_dtype_name(arg->dtype), (long long)arg->elems);
    if (file && arg->role == ARGROLE_INPUT) {
        return tik_npy_read(file, arg->dtype, arg->elems, a, err);
    }
    if (!tik_array_alloc(a, arg->dtype, arg->elems, err)) {
        return false;
    }
    a->ndim = arg->ndim; /* of the file that is written */
    memcpy(a->shape, arg->shape, sizeof a->shape);
    return true;
}

/* Runs kernel 0: arrays of its arguments, the emulator, files of what it wrote. */
static bool
run(const TikBlob *blob, char **files, TikError *err)
{
    TikBlobKernel k;
    TikBlobArg arg[MOST_ARGS];
    TikArray arrays[MOST_ARGS] = {{0}}, *args[MOST_ARGS];
    tikblob_kernel(blob, 0, &k);
    bool ok = k.nargs <= MOST_ARGS;
    for (uint32_t i = 0; ok && i < k.nargs; i++) {
        args[i] = &arrays[i];
        tikblob_arg(blob, &k, (int)i, &arg[i]);
        ok = make_array(&arg[i], files, &arrays[i], err);
    }
    ok = ok && tik_emulate(blob->bytes, blob->size, 0, args, err);
    for (uint32_t i = 0; ok && i < k.nargs; i++) {
        const char *file = file_of(&arg[i], files);
        ok =
            !file || arg[i].role == ARGROLE_INPUT || tik_npy_write(file, &arrays[i], err);
    }
    for (uint32_t i = 0; i < k.nargs && i < MOST_ARGS; i++) {
        tik_array_free(&arrays[i]);
    }
    return ok;
}

int
main(int argc, char **argv)
{
    TikBlob blob;
    TikBlobDiag diag;
    TikError err = {
        TIK_ERR_USAGE, "usage", "a kernel with too many arguments", "", "", 0};
    size_t size = 0;
    uint8_t *bytes = argc >= 2 ? read_file(argv[1], &size) : NULL;
    if (!bytes) {
        fprintf(stderr, "usage: run_blob BLOB.tkb ARGUMENT=FILE.npy...\n");
        return 2;
    }
    bool ok = tikblob_open(&blob, bytes, size, &diag);
    if (!ok) {
        fprintf(stderr, "refused: %s at byte %llu\n", diag.code,
                (unsigned long long)diag.offset);
    } else if ((ok = verify(&blob)) && !(ok = run(&blob, argv + 2, &err))) {
        fprintf(stderr, "%s: error: %s [%s] %s\n", err.place, err.text, err.name,
                err.where);
    }
    free(bytes);
    return ok ? 0 : 1;
}
