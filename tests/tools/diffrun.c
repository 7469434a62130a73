/* diffrun.c: runs many generated programs on both back ends in one process, for
 * tests/oracle/differential.py. Reads jobs on standard input, writes results on standard output:
 *
 *   PROGRAM <id> <source bytes> <processor>\n <source> \n
 *   CHOICE <point> <reading>\n             any number
 *   IN <tensor> <bytes>\n <raw> \n          any number
 *   END\n
 * gives
 *   RESULT <id> <status> <detail>\n         status: ok, reject, fault, mismatch, error
 *   OUT <tensor> <bytes>\n <raw> \n         for ok: every global tensor after the run
 *   END\n
 *
 * ok means: native code at -O0 and at -O2, and the emulator, left the same bytes in every global
 * tensor. fault means that all three stopped with the same rule and text. */
#include "host/host.h"
#include "tikblob.h"
#include "tikc.h"
#include "tikrt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_TENSORS = 32,
    NAME = 64
};

typedef struct Input {
    char name[NAME];
    size_t size;
    uint8_t *bytes;
} Input;

typedef struct Job {
    long id;
    char soc[NAME];
    char *source;
    size_t len;
    Choices choices;
    Input in[MAX_TENSORS];
    int nin;
} Job;

/* One run's arrays and outcome. */
typedef struct Run {
    TikArray arrays[MAX_TENSORS];
    TikArray *pointers[MAX_TENSORS];
    TikError err;
    bool ok;
} Run;

static void *
must(void *p)
{
    if (!p) {
        fprintf(stderr, "diffrun: out of memory or bad input\n");
        exit(2);
    }
    return p;
}

static uint8_t *
read_bytes(size_t n)
{
    uint8_t *p = must(malloc(n + 1));
    if (fread(p, 1, n, stdin) != n || getchar() != '\n') {
        must(NULL);
    }
    p[n] = 0;
    return p;
}

static bool
read_choice(Job *job, const char *line)
{
    char point[NAME], reading[NAME];
    Choice c;
    if (sscanf(line, "CHOICE %63s %63s", point, reading) != 2) {
        return false;
    }
    if (!choice_find(point, &c) || !choice_find_reading(c, reading, &job->choices.v[c])) {
        must(NULL);
    }
    return true;
}

static bool
read_job(Job *job)
{
    memset(job, 0, sizeof *job);
    char line[256];
    if (!fgets(line, sizeof line, stdin) ||
        sscanf(line, "PROGRAM %ld %zu %63s", &job->id, &job->len, job->soc) != 3) {
        return false;
    }
    job->source = (char *)read_bytes(job->len);
    while (fgets(line, sizeof line, stdin) && strncmp(line, "END", 3) != 0) {
        if (read_choice(job, line)) {
            continue;
        }
        Input *in = &job->in[job->nin++];
        if (job->nin > MAX_TENSORS ||
            sscanf(line, "IN %63s %zu", in->name, &in->size) != 2) {
            must(NULL);
        }
        in->bytes = read_bytes(in->size);
    }
    return true;
}

static void
free_job(Job *job)
{
    free(job->source);
    for (int i = 0; i < job->nin; i++) {
        free(job->in[i].bytes);
    }
}

static void
fill_arrays(Run *r, const Job *job, const Kernel *k)
{
    memset(r, 0, sizeof *r);
    for (uint32_t i = 0; i < k->params.n; i++) {
        const Buffer *b = &k->bufs.p[k->params.p[i]];
        TikArray *a = &r->arrays[i];
        if (!tik_array_alloc(a, b->dtype, b->elems, &r->err)) {
            must(NULL);
        }
        r->pointers[i] = a;
        for (int j = 0; j < job->nin; j++) {
            if (strcmp(job->in[j].name, sym_text(&k->unit->names, b->name)) == 0) {
                memcpy(a->data, job->in[j].bytes, MIN(job->in[j].size, (size_t)a->bytes));
            }
        }
    }
}

static void
free_arrays(Run *r, int n)
{
    for (int i = 0; i < n; i++) {
        tik_array_free(&r->arrays[i]);
    }
}

static void
run_host(Run *r, const HostApi *host, Kernel *k, int level)
{
    HostOptions opt = {level, NULL};
    TikKernel entry;
    void *handle;
    r->ok = host->jit(k, &opt, &entry, &handle);
    if (!r->ok) {
        snprintf(r->err.text, sizeof r->err.text, "the host back end failed");
        return;
    }
    r->ok = tik_launch(&entry, r->pointers, 2, &r->err);
    host->release(handle);
}

static bool
same(const Run *a, const Run *b, int n, char *why, size_t size)
{
    if (a->ok != b->ok || (!a->ok && (strcmp(a->err.name, b->err.name) != 0 ||
                                      strcmp(a->err.text, b->err.text) != 0))) {
        snprintf(why, size, "%s [%s] against %s [%s]", a->ok ? "ok" : a->err.text,
                 a->err.name, b->ok ? "ok" : b->err.text, b->err.name);
        return false;
    }
    for (int i = 0; a->ok && i < n; i++) {
        for (int64_t j = 0; j < a->arrays[i].bytes; j++) {
            if (a->arrays[i].data[j] != b->arrays[i].data[j]) {
                snprintf(why, size, "tensor %d byte %lld: %02x against %02x", i,
                         (long long)j, a->arrays[i].data[j], b->arrays[i].data[j]);
                return false;
            }
        }
    }
    return true;
}

static void
print_outputs(const Run *r, const Kernel *k)
{
    for (uint32_t i = 0; i < k->params.n; i++) {
        const TikArray *a = &r->arrays[i];
        printf("OUT %s %lld\n", sym_text(&k->unit->names, k->bufs.p[k->params.p[i]].name),
               (long long)a->bytes);
        fwrite(a->data, 1, (size_t)a->bytes, stdout);
        putchar('\n');
    }
}

static bool
verify_blob(const uint8_t *bytes, size_t size, char *why, size_t whysize)
{
    TikBlob b;
    TikBlobDiag d;
    TikBlobProof proof;
    bool ok = tikblob_open(&b, bytes, size, &d);
    if (ok) {
        uint64_t n = tikblob_workspace(&b, 0);
        void *w = must(malloc(n ? n : 1));
        ok = tikblob_verify(&b, 0, w, n, &proof, &d);
        free(w);
    }
    if (!ok) {
        snprintf(why, whysize, "blob refused: %s", d.code);
    }
    return ok;
}

static void
run_kernel(const Job *job, const HostApi *host, Unit *u, Kernel *k)
{
    Run fast, slow, emu;
    int n = (int)k->params.n;
    const uint8_t *blob;
    size_t size;
    char why[1024] = "the stream back end failed";
    fill_arrays(&fast, job, k);
    fill_arrays(&slow, job, k);
    fill_arrays(&emu, job, k);
    bool ok =
        tikc_blob(u, &k, 1, &blob, &size) && verify_blob(blob, size, why, sizeof why);
    if (ok) {
        emu.ok = tik_emulate(blob, size, 0, emu.pointers, &emu.err);
        run_host(&fast, host, k, 2);
        run_host(&slow, host, k, 0);
        ok = same(&fast, &emu, n, why, sizeof why) &&
             same(&slow, &emu, n, why, sizeof why);
    }
    if (!ok) {
        printf("RESULT %ld mismatch %s\n", job->id, why);
    } else if (!emu.ok) {
        printf("RESULT %ld fault %s %s\n", job->id, emu.err.name, emu.err.text);
    } else {
        printf("RESULT %ld ok -\n", job->id);
        print_outputs(&emu, k);
    }
    free_arrays(&fast, n);
    free_arrays(&slow, n);
    free_arrays(&emu, n);
}

static void
run_job(const Job *job, const HostApi *host)
{
    Unit u;
    unit_init(&u);
    PassOptions opt = {NULL, true, NULL};
    u.soc_fixed = true;
    u.opt.choices = job->choices;
    bool ok = unit_set_soc(&u, job->soc) &&
              tikc_compile(&u, "generated.tik", job->source, job->len, &opt);
    if (ok && u.kernels.n == 1 && u.kernels.p[0]->params.n <= MAX_TENSORS) {
        run_kernel(job, host, &u, u.kernels.p[0]);
    } else {
        printf("RESULT %ld reject", job->id);
        for (uint32_t i = 0; i < u.diags.n; i++) {
            const Diag *d = u.diags.p[i];
            if (d->level == LEVEL_ERROR) {
                printf(" %s: %s;", diag_table[d->id].name, d->text);
            }
        }
        printf("\n");
    }
    printf("END\n");
    fflush(stdout);
    for (uint32_t i = 0; i < u.kernels.n; i++) {
        kernel_free(u.kernels.p[i]);
    }
    unit_free(&u);
}

int
main(void)
{
    Unit u;
    unit_init(&u);
    const HostApi *host = host_open(&u);
    if (!host) {
        fprintf(stderr, "diffrun: %s\n", u.diags.p[0]->text);
        return 2;
    }
    Job job;
    while (read_job(&job)) {
        run_job(&job, host);
        free_job(&job);
    }
    unit_free(&u);
    return 0;
}
