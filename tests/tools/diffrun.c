/* diffrun.c: runs many generated programs on both back ends in one process, for
 * tests/random/differential.py and similar scripts. It reads jobs on standard input and
 * writes results on standard output:
 *
 *  PROGRAM <id> <source bytes> <processor> [<levels> [<show>]]\n <source> \n
 *  CHOICE <point> <reading>\n                     any number of these
 *  IN <tensor> <bytes> [<kernel>]\n <raw> \n      any number; kernel: its index; without
 *                                                 it, one array for all kernels
 *  END\n
 * gives, for each kernel of the source in order (it has id + index)
 *  RESULT <id> <status> <detail>\n      status: ok (detail: a checksum of the blob),
 *                                       fault, mismatch, error
 *  OUT <tensor> <bytes>\n <raw> \n      for ok, of every show-th kernel: every global
 *                                       tensor after the run
 *  END\n
 * or, when the source is refused, one RESULT <id> reject <detail> and END.
 *
 * ok means: native code at each of the optimisation levels (digits, and t; 02 when not
 * given), and the emulator, left the same bytes in every global tensor. fault means that
 * all stopped with the same rule and text. All kernels of a source are compiled into one
 * module: at level 0 as they are written, at the others as the passes of the host back
 * end leave them; t is level 0, as they leave them. After the levels, v has replay check
 * the passes, which a part of the other jobs has too. The environment's TIKC_DISABLE
 * names passes that are left out ('all': all of them). With 'each', kernels are executed
 * once more without each pass that changes what becomes of them, and without all of them;
 * what was left out when a result differs is in the detail. The file TIKC_EACH_LOG gets
 * lines 'PASS COUNT': how many kernels were executed without it. */
#include "host/host.h"
#include "tikblob.h"
#include "pipeline.h"
#include "tikrt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_TENSORS = 32,
    MAX_INPUTS = 2048,
    MAX_LEVELS = 4, /* sessions have 0 to 3 */
    NAME = 64,
    MAX_WITHOUT = 32, /* passes of the host back end, and all of them */
    REPLAYED = 8,     /* one job of that many has its transforms checked by replay, */
    APART = 250       /* and of a job of many kernels each kernel after that many */
};

typedef struct Input {
    char name[NAME];
    int kernel; /* -1: the kernels share it and do not change it */
    size_t size;
    uint8_t *bytes;
    TikArray shared;
} Input;

typedef struct Job {
    long id;
    char soc[NAME], levels[NAME];
    bool replayed; /* whatever is_replayed says */
    int show;
    char *source;
    size_t len;
    Choices choices;
    Input in[MAX_INPUTS];
    int nin;
} Job;

/* The arrays and the outcome of one run. */
typedef struct Run {
    TikArray arrays[MAX_TENSORS];
    TikArray *pointers[MAX_TENSORS];
    TikError err;
    bool ok;
    uint64_t blob; /* checksum of the blob, of the emulator's run */
} Run;

/* The kernels of a source as machine code of one optimisation level. */
typedef struct Native {
    TikKernel *entries;
    void *handle;
} Native;

/* The host back end with a session for each optimisation level that was wanted. */
typedef struct Host {
    const HostApi *api;
    HostSession *sessions[MAX_LEVELS];
    PassList without; /* passes of the host back end that are left out */
    /* whether kernels are executed without each pass, too, and how many were */
    bool each;
    long others[MAX_WITHOUT + 2];
} Host;

/* The kernels of a source without one pass, where that makes others of them. */
typedef struct Variant {
    const char *name;   /* of what was left out */
    TikKernel **entry;  /* by kernel; null: as another variant */
    TikKernel *entries; /* those that there are */
    void *handle;
} Variant;

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

static void
read_input(Job *job, const char *line)
{
    Input *in = job->nin < MAX_INPUTS ? &job->in[job->nin++] : must(NULL);
    *in = (Input){.kernel = -1};
    if (sscanf(line, "IN %63s %zu %d", in->name, &in->size, &in->kernel) < 2) {
        must(NULL);
    }
    in->bytes = read_bytes(in->size);
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
    char line[256];
    job->nin = 0;
    memset(&job->choices, 0, sizeof job->choices);
    job->show = 1;
    snprintf(job->levels, sizeof job->levels, "02");
    if (!fgets(line, sizeof line, stdin) ||
        sscanf(line, "PROGRAM %ld %zu %63s %63s %d", &job->id, &job->len, job->soc,
               job->levels, &job->show) < 3) {
        return false;
    }
    size_t n = strspn(job->levels, "0123t");
    job->replayed = strcmp(job->levels + n, "v") == 0;
    if (n == 0 || n > MAX_LEVELS || n + job->replayed != strlen(job->levels)) {
        return false;
    }
    job->levels[n] = '\0';
    job->source = (char *)read_bytes(job->len);
    while (fgets(line, sizeof line, stdin) && strncmp(line, "END", 3) != 0) {
        if (!read_choice(job, line)) {
            read_input(job, line);
        }
    }
    return true;
}

static void
free_job(Job *job)
{
    free(job->source);
    for (int i = 0; i < job->nin; i++) {
        free(job->in[i].bytes);
        if (job->in[i].shared.data) {
            tik_array_free(&job->in[i].shared);
        }
    }
}

/* ---- arrays -------------------------------------------------------------- */

static Input *
find_input(Job *job, const char *name, int kernel)
{
    for (int j = 0; j < job->nin; j++) {
        Input *in = &job->in[j];
        if ((in->kernel < 0 || in->kernel == kernel) && strcmp(in->name, name) == 0) {
            return in;
        }
    }
    return NULL;
}

static void
new_array(TikArray *a, const Buffer *b, const Input *in)
{
    TikError err;
    if (!tik_array_alloc(a, b->dtype, b->elems, &err)) {
        must(NULL);
    }
    if (in) {
        memcpy(a->data, in->bytes, MIN(in->size, (size_t)a->bytes));
    }
}

static void
fill_arrays(Run *r, Job *job, const Kernel *k, int index)
{
    memset(r, 0, sizeof *r);
    for (uint32_t i = 0; i < k->params.n; i++) {
        const Buffer *b = &k->bufs.p[k->params.p[i]];
        Input *in = find_input(job, sym_text(&k->unit->names, b->name), index);
        if (in && in->kernel < 0 && k->unit->kernels.n > 1) {
            if (!in->shared.data) {
                new_array(&in->shared, b, in);
            }
            r->pointers[i] = &in->shared;
        } else {
            new_array(&r->arrays[i], b, in);
            r->pointers[i] = &r->arrays[i];
        }
    }
}

static void
free_arrays(Run *r, int n)
{
    for (int i = 0; i < n; i++) {
        if (r->arrays[i].data) {
            tik_array_free(&r->arrays[i]);
        }
    }
}

/* True if no kernel has written to an array that all of them read. */
static bool
shared_arrays_kept(const Job *job)
{
    for (int i = 0; i < job->nin; i++) {
        const Input *in = &job->in[i];
        if (in->shared.data && memcmp(in->shared.data, in->bytes,
                                      MIN(in->size, (size_t)in->shared.bytes)) != 0) {
            return false;
        }
    }
    return true;
}

/* ---- running ------------------------------------------------------------- */

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
        const TikArray *x = a->pointers[i], *y = b->pointers[i];
        if (memcmp(x->data, y->data, (size_t)x->bytes) == 0) {
            continue;
        }
        int64_t j = 0;
        while (x->data[j] == y->data[j]) {
            j++;
        }
        snprintf(why, size, "tensor %d byte %lld: %02x against %02x", i, (long long)j,
                 x->data[j], y->data[j]);
        return false;
    }
    return true;
}

static void
print_outputs(const Run *r, const Kernel *k)
{
    for (uint32_t i = 0; i < k->params.n; i++) {
        const TikArray *a = r->pointers[i];
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

/* The hash is FNV-1a. */
static uint64_t
checksum(const uint8_t *p, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++) {
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    }
    return h;
}

static bool
emulate(Run *r, Unit *u, Kernel *k, char *why, size_t whysize)
{
    const uint8_t *blob;
    size_t size;
    snprintf(why, whysize, "the stream back end failed");
    if (!tikc_blob(u, &k, 1, &blob, &size) || !verify_blob(blob, size, why, whysize)) {
        return false;
    }
    r->blob = checksum(blob, size);
    r->ok = tik_emulate(blob, size, 0, r->pointers, &r->err);
    return true;
}

/* Runs native code of a kernel and compares what it leaves with what the emulator did. */
static bool
run_native(Job *job, const Kernel *k, int index, TikKernel *entry, int threads,
           const Run *emu, char *why, size_t whysize)
{
    Run host;
    int n = (int)k->params.n;
    fill_arrays(&host, job, k, index);
    host.ok = tik_launch(entry, host.pointers, threads, &host.err);
    bool ok = same(&host, emu, n, why, whysize);
    free_arrays(&host, n);
    return ok;
}

/* Runs a kernel on the emulator, then at each level and without each pass. */
static void
run_kernel(Job *job, Unit *u, const Native *native, const Variant *variants, int index)
{
    Kernel *k = u->kernels.p[index];
    Run emu;
    int n = (int)k->params.n;
    char why[1024];
    fill_arrays(&emu, job, k, index);
    bool ok = emulate(&emu, u, k, why, sizeof why);
    for (int i = 0; ok && job->levels[i]; i++) {
        ok = run_native(job, k, index, &native[i].entries[index],
                        job->levels[i] == '0' ? 1 : 2, &emu, why, sizeof why);
    }
    for (const Variant *v = variants; ok && v->name; v++) {
        int given = snprintf(why, sizeof why, "without %s: ", v->name);
        ok = !v->entry[index] || run_native(job, k, index, v->entry[index], 2, &emu,
                                            why + given, sizeof why - (size_t)given);
    }
    if (!ok) {
        printf("RESULT %ld mismatch %s\n", job->id + index, why);
    } else if (!emu.ok) {
        printf("RESULT %ld fault %s %s\n", job->id + index, emu.err.name, emu.err.text);
    } else {
        printf("RESULT %ld ok %016llx\n", job->id + index, (unsigned long long)emu.blob);
        if (job->show > 0 && index % job->show == 0) {
            print_outputs(&emu, k);
        }
    }
    printf("END\n");
    free_arrays(&emu, n);
}

static void
print_refusal(const Job *job, const Unit *u)
{
    printf("RESULT %ld reject", job->id);
    for (uint32_t i = 0; i < u->diags.n; i++) {
        const Diag *d = u->diags.p[i];
        if (d->level == LEVEL_ERROR) {
            printf(" %s: %s;", diag_table[d->id].name, d->text);
        }
    }
    printf("\nEND\n");
}

static int
level_of(char level)
{
    return level == 't' ? 0 : level - '0';
}

static HostSession *
session_of(Host *host, Unit *u, int level)
{
    HostSession **s = &host->sessions[level];
    if (*s == NULL) {
        *s = host->api->open(u, &(HostOptions){.opt_level = level});
    }
    return *s;
}

/* Makes the tiled versions of the kernels; replayed: some of them have each pass checked
 * against what was written. */
static Kernel **
tile(const Host *host, Unit *u, bool replayed)
{
    PassOptions opt = {.without = &host->without};
    Kernel **tiled = must(calloc(u->kernels.n, sizeof(Kernel *)));
    for (uint32_t i = 0; i < u->kernels.n; i++) {
        opt.verify_each = replayed && i % APART == 0;
        tikc_tile(&u->kernels.p[i], 1, &opt);
        tiled[i] = u->kernels.p[i]->tiled;
    }
    return tiled;
}

static void
use_tiled(Unit *u, Kernel *const *tiled, bool use)
{
    for (uint32_t i = 0; i < u->kernels.n; i++) {
        u->kernels.p[i]->tiled = use ? tiled[i] : NULL;
    }
}

/* Whether the transforms of a job are replayed: by its text, as most processes run a few
 * jobs only. */
static bool
is_replayed(const Job *job)
{
    uint32_t h = 0;
    for (size_t i = 0; i < job->len; i++) {
        h = (h ^ (unsigned char)job->source[i]) * 16777619U;
    }
    return job->replayed || (h >> 16) % REPLAYED == 0;
}

/* ---- without each pass --------------------------------------------------- */

/* Returns a digest of what becomes of a kernel: the statements and operands as they are,
 * and the text, which has the rest. */
static uint64_t
digest(const Kernel *k)
{
    Arena arena;
    Text text;
    arena_init(&arena);
    text_init(&text, &arena);
    ir_print(k, &text);
    uint64_t h = checksum((const uint8_t *)text.p, text.n);
    h = h * 31 + checksum((const uint8_t *)k->stmts.p, k->stmts.n * sizeof *k->stmts.p);
    h = h * 31 + checksum((const uint8_t *)k->args.p, k->args.n * sizeof *k->args.p);
    arena_free(&arena);
    return h;
}

/* Whether a digest is the first of its kind of those that are known of a kernel; 0 ends
 * them. */
static bool
is_new(uint64_t *known, uint64_t h)
{
    int i = 0;
    while (known[i] && known[i] != h) {
        i++;
    }
    bool fresh = !known[i];
    known[i] = h;
    return fresh;
}

/* Makes native code of the kernels of which leaving passes out makes something new. */
static bool
make_variant(Host *host, HostSession *s, Unit *u, const PassList *without, Variant *v,
             uint64_t (*known)[MAX_WITHOUT + 2], long *others)
{
    int n = (int)u->kernels.n, changed = 0;
    Kernel **list = must(calloc((size_t)n, sizeof(Kernel *)));
    Kernel **kept = must(calloc((size_t)n, sizeof(Kernel *)));
    int *at = must(calloc((size_t)n, sizeof *at));
    PassOptions opt = {.without = without};
    for (int i = 0; i < n; i++) {
        Kernel *k = u->kernels.p[i], *tiled = passes_host(k, &opt);
        kept[i] = k->tiled;
        if (is_new(known[i], digest(tiled ? tiled : k))) {
            k->tiled = tiled;
            at[changed] = i;
            list[changed++] = k;
        } else if (tiled) {
            kernel_free(tiled);
        }
    }
    v->entry = must(calloc((size_t)n, sizeof(TikKernel *)));
    v->entries = must(calloc((size_t)n + 1, sizeof *v->entries));
    bool ok =
        changed == 0 || host->api->jit(s, list, changed, false, v->entries, &v->handle);
    for (int i = 0; i < changed; i++) {
        v->entry[at[i]] = &v->entries[i];
        if (list[i]->tiled) {
            kernel_free(list[i]->tiled);
        }
        list[i]->tiled = kept[at[i]];
    }
    *others += changed;
    free(list);
    free(kept);
    free(at);
    return ok;
}

/* Makes the variants of a job, at the level of its last one, whose kernels are tiled. The
 * list ends with one that has no name. */
static bool
make_variants(Host *host, const Job *job, Unit *u, Variant *variants)
{
    int n = (int)u->kernels.n, count = 0;
    char last = job->levels[strlen(job->levels) - 1];
    HostSession *s = session_of(host, u, level_of(last));
    uint64_t(*known)[MAX_WITHOUT + 2] = must(calloc((size_t)n, sizeof *known));
    PassList without = {0};
    for (int i = 0; i < n; i++) {
        Kernel *k = u->kernels.p[i];
        (void)is_new(known[i], digest(k->tiled ? k->tiled : k));
    }
    bool ok = s != NULL;
    for (int i = 0; ok && i < pass_count; i++) {
        if ((pass_table[i].needs & FACT_HOST) != 0) {
            const PassInfo *one = &pass_table[i];
            VEC_PUSH(&u->arena, &without, one);
            PassList alone = {.p = &one, .n = 1};
            variants[count].name = one->name;
            ok = make_variant(host, s, u, &alone, &variants[count], known,
                              &host->others[count]);
            count++;
        }
    }
    variants[count].name = "all";
    ok = ok && make_variant(host, s, u, &without, &variants[count], known,
                            &host->others[count]);
    free(known);
    return ok;
}

static void
free_variants(const Host *host, Variant *v)
{
    for (; v->name; v++) {
        if (v->handle) {
            host->api->release(v->handle);
        }
        free(v->entry);
        free(v->entries);
    }
}

static void
run_kernels(Job *job, Host *host, Unit *u)
{
    Native native[MAX_LEVELS] = {0};
    Variant variants[MAX_WITHOUT + 2] = {0};
    int n = (int)u->kernels.n;
    bool ok = true;
    Kernel **tiled = tile(host, u, is_replayed(job));
    for (int i = 0; ok && job->levels[i]; i++) {
        use_tiled(u, tiled, job->levels[i] != '0');
        HostSession *s = session_of(host, u, level_of(job->levels[i]));
        native[i].entries = must(calloc((size_t)n, sizeof *native[i].entries));
        ok = s != NULL && host->api->jit(s, u->kernels.p, n, false, native[i].entries,
                                         &native[i].handle);
    }
    ok = ok && (!host->each || make_variants(host, job, u, variants));
    for (int i = 0; ok && i < n; i++) {
        run_kernel(job, u, native, variants, i);
    }
    if (!ok) {
        print_refusal(job, u);
    } else if (!shared_arrays_kept(job)) {
        printf("RESULT %ld error a kernel wrote to an input\nEND\n", job->id);
    }
    for (int i = 0; i < MAX_LEVELS && native[i].entries; i++) {
        if (native[i].handle) {
            host->api->release(native[i].handle);
        }
        free(native[i].entries);
    }
    free_variants(host, variants);
    use_tiled(u, tiled, true);
    free(tiled);
}

static bool
few_params(const Unit *u)
{
    for (uint32_t i = 0; i < u->kernels.n; i++) {
        if (u->kernels.p[i]->params.n > MAX_TENSORS) {
            return false;
        }
    }
    return u->kernels.n > 0;
}

static void
run_job(Job *job, Host *host)
{
    Unit u;
    unit_init(&u);
    PassOptions opt = {.verify_each = true};
    u.soc_fixed = true;
    u.opt.choices = job->choices;
    bool ok = unit_set_soc(&u, job->soc) &&
              tikc_compile(&u, "generated.tik", job->source, job->len, &opt);
    if (ok && few_params(&u)) {
        run_kernels(job, host, &u);
    } else {
        print_refusal(job, &u);
    }
    fflush(stdout);
    for (uint32_t i = 0; i < u.kernels.n; i++) {
        kernel_free(u.kernels.p[i]);
    }
    unit_free(&u);
}

/* names: of passes of the host back end, with commas between them, 'all', 'each', or
 * null. */
static bool
read_disabled(Host *host, Arena *arena, const char *names)
{
    for (int i = 0; names && strcmp(names, "all") == 0 && i < pass_count; i++) {
        if ((pass_table[i].needs & FACT_HOST) != 0) {
            VEC_PUSH(arena, &host->without, &pass_table[i]);
        }
    }
    host->each = names && strcmp(names, "each") == 0;
    if (!names || strcmp(names, "all") == 0 || host->each) {
        return true;
    }
    char *list = arena_printf(arena, "%s", names), *rest = NULL;
    for (char *s = strtok_r(list, ",", &rest); s != NULL;
         s = strtok_r(NULL, ",", &rest)) {
        const PassInfo *p = pass_find(s);
        if (p == NULL || (p->needs & FACT_HOST) == 0) {
            return false;
        }
        VEC_PUSH(arena, &host->without, p);
    }
    return true;
}

/* Adds to the log how many kernels were executed without each pass. */
static void
write_log(const Host *host)
{
    const char *path = getenv("TIKC_EACH_LOG");
    FILE *f = host->each && path ? fopen(path, "a") : NULL;
    for (int i = 0, at = 0; f && i <= pass_count; i++) {
        if (i == pass_count || (pass_table[i].needs & FACT_HOST) != 0) {
            fprintf(f, "%s %ld\n", i == pass_count ? "all" : pass_table[i].name,
                    host->others[at++]);
        }
    }
    if (f) {
        fclose(f);
    }
}

int
main(void)
{
    Unit u;
    unit_init(&u);
    Host host = {.api = host_open(&u)};
    if (!host.api) {
        fprintf(stderr, "diffrun: %s\n", u.diags.p[0]->text);
        return 2;
    }
    if (!read_disabled(&host, &u.arena, getenv("TIKC_DISABLE"))) {
        fprintf(stderr, "diffrun: TIKC_DISABLE names no passes of the host back end\n");
        return 2;
    }
    Job *job = must(calloc(1, sizeof *job));
    while (read_job(job)) {
        run_job(job, &host);
        free_job(job);
    }
    for (int i = 0; i < MAX_LEVELS; i++) {
        if (host.sessions[i] != NULL) {
            host.api->close(host.sessions[i]);
        }
    }
    write_log(&host);
    free(job);
    unit_free(&u);
    return 0;
}
