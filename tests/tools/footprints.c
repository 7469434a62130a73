/* footprints.c: compares the bytes that the emulator accesses with those that the rules
 * say it does (check_footprint), for tests/cross/footprints.py.
 *  footprints BLOB...   runs the kernels of blobs, with BLOB.in in place of .tkb, if
 * there is such a file (tests/blobs/README.md) Each instruction is executed three times:
 * as it is; with other contents of all bytes that its operands do not read; and for each
 * source with its first and its last byte changed. So it is known which bytes it wrote,
 * whatever they were before, and whether bytes that are no part of what it reads have an
 * influence on what it writes. It prints, for each instruction, dtype and operand: NAME
 * DTYPE OPERAND runs N outside A depends B unwritten C inexact D first E last F N:
 * executions; A: bytes that were written and are in no destination (of the instruction,
 * so the same for each of its operands); B: bytes that were written with another value
 * when others than those of the sources had changed; C: bytes of this destination that
 * were not written, D: executions in which the rules say that the footprint is a bound
 * only; E, F: executions in which the first and the last byte of this source had an
 * influence. Operands in LMEM and lists are left out. */
#include "blob/blob.h"
#include "emu/emu.h"
#include "rules/internal.h"
#include "tikrt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_SPANS = 40,
    MAX_KEYS = 8000,
    MAX_OPS = 1 << 16,
    MAX_BYTES = 1 << 24, /* of all memories; kernels of more are not watched */
    TIMES = 2,           /* of each descriptor */
    KEPT = 8,
    TRIES = 64 /* other values of an element */
};

/* A memory: its bytes, and what is known of each. */
typedef struct Span {
    uint8_t *p, *before, *after, *other;
    uint8_t *flags;
    size_t n;
} Span;

enum {
    READ = 1,
    WRITE = 2,
    KEEP = 4, /* not changed: special registers, constants */
    WROTE = 8
};

typedef struct Count {
    uint16_t op;
    uint8_t dtype, slot;
    int64_t runs, outside, depends, unwritten, inexact, first, last;
} Count;

static Span spans[MAX_SPANS];
static int nspans;
static Count counts[MAX_KEYS];
static int ncounts;
static EmuExec *real[MAX_OPS];
static uint8_t times[MAX_OPS];
static const EmuOp *first_op;
static uint64_t state = 1;

bool __real_emu_finish(EmuProgram *p, EmuResult *res);
bool __wrap_emu_finish(EmuProgram *p, EmuResult *res);

static uint8_t
draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint8_t)(state >> 40);
}

static void *
allocated(size_t n)
{
    void *p = calloc(n + 1, 1);
    if (p == NULL) {
        fprintf(stderr, "footprints: no memory\n");
        exit(2);
    }
    return p;
}

static Count *
count_of(Op op, Dtype t, int slot)
{
    for (int i = 0; i < ncounts; i++) {
        if (counts[i].op == op && counts[i].dtype == t && counts[i].slot == slot) {
            return &counts[i];
        }
    }
    if (ncounts == MAX_KEYS) {
        fprintf(stderr, "footprints: too many operands\n");
        exit(2);
    }
    counts[ncounts] =
        (Count){.op = (uint16_t)op, .dtype = (uint8_t)t, .slot = (uint8_t)slot};
    return &counts[ncounts++];
}

/* ---- memories ------------------------------------------------------------ */

static void
add_span(uint8_t *p, int64_t n)
{
    Span *s = &spans[nspans];
    if (p == NULL || n <= 0 || nspans == MAX_SPANS) {
        return;
    }
    nspans++;
    *s = (Span){.p = p, .n = (size_t)n};
    s->before = allocated(s->n);
    s->after = allocated(s->n);
    s->other = allocated(s->n);
    s->flags = allocated(s->n);
}

static int64_t
memory_of(const EmuProgram *p)
{
    int64_t sum = p->scratch_bytes;
    for (uint32_t i = 0; i < p->kernel.nargs; i++) {
        sum += p->kernel.args[i] != NULL ? p->kernel.args[i]->bytes : 0;
    }
    return sum;
}

static void
find_spans(const EmuProgram *p)
{
    nspans = 0;
    add_span(p->scratch, p->scratch_bytes);
    for (uint32_t i = 0; i < p->kernel.nargs; i++) {
        const TikArray *a = p->kernel.args[i];
        if (a != NULL && a->items == NULL) {
            add_span(a->data, a->room > a->bytes ? a->room : a->bytes);
        }
    }
}

static void
free_spans(void)
{
    for (int i = 0; i < nspans; i++) {
        free(spans[i].before);
        free(spans[i].after);
        free(spans[i].other);
        free(spans[i].flags);
    }
    nspans = 0;
}

static void
mark(const uint8_t *at, int64_t n, uint8_t flag)
{
    for (int i = 0; i < nspans; i++) {
        Span *s = &spans[i];
        for (int64_t b = 0; b < n; b++) {
            if (at + b >= s->p && at + b < s->p + s->n) {
                s->flags[at + b - s->p] |= flag;
            }
        }
    }
}

/* Puts one of the copies of each memory into it, or takes one. */
static void
put(uint8_t *(*copy)(Span *))
{
    for (int i = 0; i < nspans; i++) {
        memcpy(spans[i].p, copy(&spans[i]), spans[i].n);
    }
}

static void
take(uint8_t *(*copy)(Span *))
{
    for (int i = 0; i < nspans; i++) {
        memcpy(copy(&spans[i]), spans[i].p, spans[i].n);
    }
}

static uint8_t *
before(Span *s)
{
    return s->before;
}

static uint8_t *
after(Span *s)
{
    return s->after;
}

static uint8_t *
other(Span *s)
{
    return s->other;
}

/* ---- one instruction ----------------------------------------------------- */

typedef struct Site {
    EmuRun *r;
    const EmuOp *op;
    CheckInstr in;
    const ParamInfo *params;
    int n;
    Footprint f[MAX_PARAMS];
    uint8_t *base[MAX_PARAMS]; /* of the operand's root; null: left out */
    EmuRun run;                /* as it was before the instruction */
    int64_t *vals;
} Site;

static size_t
values(const EmuRun *r)
{
    return ((size_t)r->p->first_const + r->p->nconsts) * sizeof *r->vals;
}

/* Executes the instruction on what the memories hold, as if for the first time. */
static bool
again(Site *s)
{
    EmuRun *r = s->r;
    uint8_t *warned = r->warned;
    *r = s->run;
    r->warned = warned;
    memcpy(r->vals, s->vals, values(r));
    return real[s->op - first_op](r, s->op);
}

static void
mark_footprint(const Footprint *f, const uint8_t *base, uint8_t flag)
{
    for (int64_t i = 0; i < f->count0; i++) {
        for (int64_t j = 0; j < f->count1; j++) {
            mark(base + f->offset + i * f->stride0 + j * f->stride1, f->len, flag);
        }
    }
}

/* Notes what the operands access. Returns false for an instruction that is left out. */
static bool
look(Site *s)
{
    Fault fault;
    bool any = false;
    emu_instr(s->r, s->op, &s->in);
    if (form_is_control(op_table[s->op->op].form) || !check_values(&s->in, &fault)) {
        return false;
    }
    for (int i = 0; i < nspans; i++) {
        memset(spans[i].flags, 0, spans[i].n);
    }
    for (int i = 0; i < s->n; i++) {
        Role role = s->params[i].role;
        const CheckTensor *t = &s->in.args[i].t;
        s->base[i] = NULL;
        if (role != ROLE_DST && role != ROLE_SRC) {
            continue;
        }
        uint8_t *at = t->items > 0 ? NULL : emu_operand(s->r, s->op, i, 0);
        if (at == NULL || t->scope == SC_LMEM) {
            return false;
        }
        bool exact;
        s->f[i] = check_footprint(&s->in, i, &exact);
        s->base[i] = at - t->offset;
        uint8_t flag = role == ROLE_SRC ? READ : WRITE;
        mark_footprint(&s->f[i], s->base[i], flag);
        Count *c = count_of(s->in.op, t->dtype, i);
        c->runs++;
        c->inexact += !exact;
        any = true;
    }
    bool adds = check_reads_dst(&s->in);
    for (int i = 0; i < s->n; i++) {
        if (adds && s->params[i].role == ROLE_DST) {
            mark_footprint(&s->f[i], s->base[i], READ);
        }
    }
    return any;
}

/* Other contents of everything that is not read. */
static void
disturb(const EmuRun *r)
{
    mark(r->sreg, SREG_BYTES, KEEP);
    for (uint32_t i = 0; i < r->p->kernel.nregions; i++) {
        if (r->p->tables[i] != NULL) {
            mark(r->p->tables[i], r->p->kernel.regions[i].bytes, KEEP);
        }
    }
    for (int i = 0; i < nspans; i++) {
        for (size_t b = 0; b < spans[i].n; b++) {
            bool fixed = (spans[i].flags[b] & (READ | KEEP)) != 0;
            spans[i].other[b] = spans[i].before[b];
            if (!fixed) {
                spans[i].other[b] ^= (uint8_t)(draw() | 1);
            }
        }
    }
}

/* Compares two executions: after, from before, and the present bytes, from other. */
static void
compare(const Site *s)
{
    int64_t outside = 0, depends = 0;
    for (int i = 0; i < nspans; i++) {
        Span *m = &spans[i];
        for (size_t b = 0; b < m->n; b++) {
            bool wrote = m->after[b] != m->before[b] || m->p[b] != m->other[b];
            m->flags[b] |= wrote ? WROTE : 0;
            outside += wrote && (m->flags[b] & (WRITE | KEEP)) == 0;
            depends += wrote && (m->flags[b] & WRITE) != 0 && m->after[b] != m->p[b];
        }
    }
    for (int i = 0; i < s->n; i++) {
        if (s->base[i] != NULL) {
            Count *c = count_of(s->in.op, s->in.args[i].t.dtype, i);
            c->outside += outside;
            c->depends += depends;
        }
    }
}

/* Of bytes that are read too it is not known whether they were written. */
static bool
is_written(const uint8_t *at)
{
    for (int i = 0; i < nspans; i++) {
        if (at >= spans[i].p && at < spans[i].p + spans[i].n) {
            return (spans[i].flags[at - spans[i].p] & (WROTE | READ)) != 0;
        }
    }
    return false;
}

static int64_t
unwritten(const Footprint *f, const uint8_t *base)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < f->count0; i++) {
        for (int64_t j = 0; j < f->count1; j++) {
            for (int64_t b = 0; b < f->len; b++) {
                sum +=
                    !is_written(base + f->offset + i * f->stride0 + j * f->stride1 + b);
            }
        }
    }
    return sum;
}

/* Fills the copy `other` with what the instruction is to find: what it found, or other
 * contents of all that it reads. */
static void
vary(int k)
{
    static const uint8_t masks[] = {0xff, 0xbf, 0x01, 0xbf}; /* numbers, floats, bools */
    for (int i = 0; i < nspans; i++) {
        Span *m = &spans[i];
        memcpy(m->other, m->before, m->n);
        for (size_t b = 0; k >= KEPT && b < m->n; b++) {
            if ((m->flags[b] & (READ | KEEP)) == READ) {
                m->other[b] = draw() & masks[k % 4];
            }
        }
    }
}

/* Returns whether an execution on changed bytes gave something else than the one whose
 * result is in `after`, apart from the n bytes themselves. */
static bool
differs(const uint8_t *at, const uint8_t *was, const uint8_t *is, int n)
{
    for (int i = 0; i < nspans; i++) {
        const Span *m = &spans[i];
        for (size_t b = 0; b < m->n; b++) {
            const uint8_t *p = m->p + b;
            bool itself =
                p >= at && p < at + n && *p == is[p - at] && m->after[b] == was[p - at];
            if (*p != m->after[b] && !itself) {
                return true;
            }
        }
    }
    return false;
}

static int64_t
scalar_of(const Site *s)
{
    for (int i = 0; i < s->n; i++) {
        if (s->params[i].role == ROLE_SCALAR) {
            return s->in.args[i].v;
        }
    }
    return 0;
}

/* Another value of byte b of an element: random, that of another source at the same end
 * or of the scalar, so that they may be equal, or an extreme one. */
static uint8_t
another(const Site *s, int k, int slot, bool last, int b)
{
    static const uint8_t extreme[] = {0x00, 0x7f, 0xff, 0x3c};
    int source = k / 4 % s->n;
    if (k % 4 == 1 && source != slot && s->base[source] != NULL) {
        const Footprint *f = &s->f[source];
        int size = dtype_size(s->in.args[source].t.dtype);
        int64_t at = last ? footprint_end(f) - size : f->offset;
        return b < size && size <= f->len ? s->base[source][at + b] : draw();
    }
    return k % 8 == 2   ? (uint8_t)(scalar_of(s) >> 8 * (b % 8))
           : k % 4 == 3 ? extreme[k / 4 % 4]
                        : draw();
}

/* Returns whether another value of the first or last element of a source changes
 * something else. */
static bool
matters(Site *s, int slot, bool last)
{
    uint8_t was[16], is[16];
    const Footprint *f = &s->f[slot];
    int size = dtype_size(s->in.args[slot].t.dtype),
        n = size > f->len ? (int)f->len : size;
    uint8_t *at = s->base[slot] + (last ? footprint_end(f) - n : f->offset);
    for (int k = 0; k < TRIES; k++) {
        vary(k);
        put(other);
        if (!again(s)) {
            continue; /* contents that the instruction does not take */
        }
        take(after);
        put(other);
        for (int b = 0; b < n; b++) {
            was[b] = at[b];
            is[b] = another(s, k, slot, last, b);
            at[b] = is[b];
        }
        if (!again(s) || differs(at, was, is, n)) {
            return true; /* a fault is an influence too */
        }
    }
    return false;
}

static void
ends(Site *s)
{
    for (int i = 0; i < s->n; i++) {
        const Footprint *f = &s->f[i];
        if (s->base[i] == NULL) {
            continue;
        }
        Count *c = count_of(s->in.op, s->in.args[i].t.dtype, i);
        if (s->params[i].role == ROLE_DST) {
            c->unwritten += unwritten(f, s->base[i]);
        } else if (footprint_end(f) > f->offset) {
            c->first += matters(s, i, false);
            c->last += matters(s, i, true);
        }
    }
}

static bool
watched(EmuRun *r, const EmuOp *op)
{
    static Site s;
    size_t index = (size_t)(op - first_op);
    if (times[index] >= TIMES) {
        return real[index](r, op);
    }
    s.r = r;
    s.op = op;
    s.params = form_params(op_table[op->op].form, &s.n);
    check_begin(&s.in, (Op)op->op, s.n);
    if (!look(&s)) {
        return real[index](r, op);
    }
    times[index]++;
    s.run = *r;
    s.vals = allocated(values(r));
    memcpy(s.vals, r->vals, values(r));
    take(before);
    bool ok = again(&s);
    take(after);
    if (ok) {
        disturb(r);
        put(other);
        ok = again(&s);
        compare(&s);
        ends(&s);
        put(before);
        ok = again(&s) && ok;
    }
    free(s.vals);
    return ok;
}

/* Called in the place of emu_finish. */
bool
__wrap_emu_finish(EmuProgram *p, EmuResult *res)
{
    bool ok = __real_emu_finish(p, res);
    if (!ok || p->nops > MAX_OPS || p->kernel.nargs >= MAX_SPANS ||
        memory_of(p) > MAX_BYTES) {
        return ok;
    }
    first_op = p->ops;
    memset(times, 0, sizeof times);
    free_spans();
    find_spans(p);
    for (uint32_t i = 0; i < p->nops; i++) {
        real[i] = p->ops[i].exec;
        if (p->ops[i].kind == DESC_INSTR) {
            p->ops[i].exec = watched;
        }
    }
    return true;
}

/* ---- blobs --------------------------------------------------------------- */

static uint8_t *
read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    *n = 0;
    if (f == NULL) {
        return NULL;
    }
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    uint8_t *p = allocated((size_t)size);
    *n = fread(p, 1, (size_t)size, f);
    fclose(f);
    return p;
}

/* The next array of a file of arrays; without it random bytes. */
static void
fill(TikArray *a, const uint8_t *in, size_t size, size_t *at)
{
    uint64_t n = 0;
    if (in != NULL && *at + 8 <= size) {
        n = get64(in + *at);
        *at += 8;
    }
    if (n > 0 && n <= (uint64_t)a->bytes && *at + n <= size) {
        memcpy(a->data, in + *at, n);
        *at += n;
        return;
    }
    for (int64_t i = 0; i < a->bytes; i++) {
        a->data[i] = draw();
    }
}

static void
run_kernel(const TikBlob *b, int kernel, const uint8_t *in, size_t nin, size_t *at)
{
    TikBlobKernel k;
    TikError err;
    tikblob_kernel(b, kernel, &k);
    TikArray *arrays = allocated(k.nargs * sizeof *arrays), *args[64] = {NULL};
    bool ok = k.nargs < 64;
    for (uint32_t i = 0; ok && i < k.nargs; i++) {
        TikBlobArg a;
        tikblob_arg(b, &k, (int)i, &a);
        ok = a.role != ARGROLE_LIST && !a.preset && a.elems < MAX_BYTES &&
             tik_array_alloc(&arrays[i], a.dtype, a.elems, &err);
        if (ok) {
            fill(&arrays[i], in, nin, at);
            args[i] = &arrays[i];
        }
    }
    if (ok) {
        (void)tik_emulate(b->bytes, b->size, kernel, args, &err);
    }
    free_spans();
    for (uint32_t i = 0; i < k.nargs && i < 64; i++) {
        if (args[i] != NULL) {
            tik_array_free(args[i]);
        }
    }
    free(arrays);
}

static void
run_blob(const char *path)
{
    char name[4096];
    size_t n, nin, at = 0;
    TikBlob b;
    TikBlobDiag diag;
    uint8_t *bytes = read_file(path, &n);
    snprintf(name, sizeof name, "%.*s.in", (int)strlen(path) - 4, path);
    uint8_t *in = read_file(name, &nin);
    if (bytes == NULL || !tikblob_open(&b, bytes, n, &diag)) {
        fprintf(stderr, "footprints: cannot open %s\n", path);
        exit(2);
    }
    for (int i = 0; i < b.nkernels; i++) {
        run_kernel(&b, i, in, nin, &at);
    }
    free(bytes);
    free(in);
}

int
main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        run_blob(argv[i]);
    }
    for (int i = 0; i < ncounts; i++) {
        const Count *c = &counts[i];
        int n;
        const ParamInfo *p = form_params(op_table[c->op].form, &n);
        printf("%s %s %s %s runs %lld outside %lld depends %lld unwritten %lld inexact "
               "%lld first %lld last %lld\n",
               op_table[c->op].name, dtype_name((Dtype)c->dtype), p[c->slot].name,
               p[c->slot].role == ROLE_DST ? "dst" : "src", (long long)c->runs,
               (long long)c->outside, (long long)c->depends, (long long)c->unwritten,
               (long long)c->inexact, (long long)c->first, (long long)c->last);
    }
    return 0;
}
