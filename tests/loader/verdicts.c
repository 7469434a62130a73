/* verdicts.c: opens and verifies blobs and walks over their descriptors, and prints what
 * it finds, one line per blob, the same on every processor:
 *
 *   verdicts LIST    LIST has the paths of the blobs, one per line
 *
 * A line may go on after a space: a number N stands for N copies with changed fields and
 * right checksums, and "flips" for a copy for each bit, with this bit changed, of which
 * there is one line with how many were opened and a sum over the refusals.
 * open, refused RULE SECTION OFFSET or, for each kernel, its descriptors with a sum over
 * all their fields, and proved with numbers or refused. It also watches the memory that
 * the loader uses: the workspace has marks after its end, and the stack is filled with
 * marks before each call. The last line has the most bytes of stack of open and verify,
 * and the greatest part of the stated workspace that stayed unused. */
#include "host.h"
#include "tikblob.h"
#include "isa/bytes.h"
#include "blob_change.h"

enum {
    MOST_BYTES = 1 << 20,
    MOST_WORKSPACE = 1 << 18,
    MOST_LIST = 1 << 20,
    STACK = 24 << 10, /* bytes of stack that are marked */
    MARK = 0xa5
};

static uint8_t bytes[MOST_BYTES] __attribute__((aligned(16)));
static uint8_t original[MOST_BYTES];
static uint8_t workspace[MOST_WORKSPACE + 64] __attribute__((aligned(16)));
static char list[MOST_LIST];
static TikBlob blob;
static TikDesc desc;
static TikBlobDiag diag;
static TikCursor cursor;

/* ---- text ---------------------------------------------------------------- */

static char line[4096];
static size_t used;

static void
put(const char *text)
{
    while (*text != 0 && used < sizeof line) {
        line[used++] = *text++;
    }
}

static void
put_number(int64_t v)
{
    char digits[24];
    int n = 0;
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    put(v < 0 ? " -" : " ");
    do {
        digits[n++] = (char)('0' + u % 10);
        u /= 10;
    } while (u > 0);
    while (n > 0) {
        char one[2] = {digits[--n], 0};
        put(one);
    }
}

static void
end_line(void)
{
    put("\n");
    host_write(line, used);
    used = 0;
}

/* ---- memory -------------------------------------------------------------- */

/* The stack below the caller is marked and looked at by functions that have the same
 * frame, and the bytes between are those that what was called has used. */
static __attribute__((noinline)) void
mark_stack(void)
{
    volatile uint8_t room[STACK];
    for (size_t i = 0; i < sizeof room; i++) {
        room[i] = MARK;
    }
}

static __attribute__((noinline)) size_t
used_stack(void)
{
    volatile uint8_t room[STACK];
    const volatile uint8_t *p = room;
    __asm__("" : "+r"(p)); /* the marks are not lost on the compiler */
    size_t free = 0;
    while (free < sizeof room && p[free] == MARK) {
        free++;
    }
    return sizeof room - free;
}

static size_t most_open, most_verify, most_rest;

static void
note(size_t *most, size_t n)
{
    *most = n > *most ? n : *most;
}

/* ---- blobs --------------------------------------------------------------- */

static uint64_t sum;

static void
mix(uint64_t v)
{
    sum = (sum ^ v) * 0x100000001b3U;
    sum ^= sum >> 29;
}

static void
mix_number(const TikNum *n)
{
    mix((uint64_t)n->kind);
    mix(n->kind == NUM_IMM ? (uint64_t)n->imm : n->index);
}

static void
mix_operand(const TikOperand *o)
{
    mix(o->region);
    mix((uint64_t)o->offset);
    mix((uint64_t)o->dtype);
    for (int i = 0; i < o->nterms; i++) {
        mix_number(&o->terms[i].num);
        mix((uint64_t)o->terms[i].coef);
    }
}

/* Returns whether the whole kernel was walked over. */
static bool
walk(int kernel)
{
    int more;
    sum = 0;
    tikblob_cursor(&cursor, &blob, kernel);
    memset(&desc, 0, sizeof desc);
    while ((more = tikblob_next(&cursor, &desc, &diag)) > 0) {
        mix((uint64_t)desc.kind);
        if (desc.kind == DESC_LOAD || desc.kind == DESC_STORE) {
            mix_operand(&desc.operand);
        } else if (desc.kind == DESC_INSTR) {
            mix((uint64_t)desc.op);
            for (int i = 0; i < MAX_PARAMS; i++) {
                mix_operand(&desc.args[i].t);
                mix_number(&desc.args[i].v);
                mix_number(&desc.args[i].mask[0]);
            }
        } else {
            mix_number(&desc.a);
            mix_number(&desc.b);
        }
        memset(&desc, 0, sizeof desc); /* of what is not used nothing is said */
    }
    put_number((int64_t)cursor.index);
    put_number((int64_t)(sum >> 1));
    return more == 0;
}

static void
put_refusal(void)
{
    put(" refused");
    put_number(diag.rule);
    put(" ");
    put(diag.section[0] ? diag.section : "-");
    put_number((int64_t)diag.offset);
    put_number(diag.descriptor);
}

/* Returns the bytes at the end of the workspace that were not written, or -1 when bytes
 * after it were. */
static long
rest_of_workspace(uint64_t size)
{
    uint64_t end = size;
    for (uint64_t i = size; i < size + 64; i++) {
        if (workspace[i] != MARK) {
            return -1;
        }
    }
    while (end > 0 && workspace[end - 1] == MARK) {
        end--;
    }
    return (long)(size - end);
}

static bool
verify(int kernel)
{
    TikBlobProof proof;
    uint64_t size = tikblob_workspace(&blob, kernel);
    if (size > MOST_WORKSPACE) {
        put(" too large");
        return true;
    }
    memset(workspace, MARK, (size_t)size + 64);
    mark_stack();
    bool ok = tikblob_verify(&blob, kernel, workspace, size, &proof, &diag);
    note(&most_verify, used_stack());
    long rest = rest_of_workspace(size);
    if (rest < 0) {
        put(" WORKSPACE OVERRUN");
        return false;
    }
    if (proof.work > tikblob_work(&blob, kernel)) {
        put(" WORK");
        return false;
    }
    if (ok) {
        put(" proved");
        put_number(proof.proved);
        put_number(proof.checked);
        put_number((int64_t)(proof.steps >> 1));
        TikBlobKernel k;
        tikblob_kernel(&blob, kernel, &k);
        note(&most_rest, k.nregs > 0 ? (size_t)rest : 0);
    } else {
        put_refusal();
    }
    return true;
}

static bool
examine(long n)
{
    bool ok = true;
    mark_stack();
    bool opened = tikblob_open(&blob, bytes, (uint64_t)n, &diag);
    note(&most_open, used_stack());
    if (!opened) {
        put_refusal();
        return true;
    }
    for (int k = 0; k < blob.nkernels && ok; k++) {
        put(" kernel");
        ok = walk(k) && verify(k);
    }
    return ok;
}

/* The state of the changes goes on from blob to blob, so that each gets others. */
static uint64_t state = 15;

static bool
examine_changed(const char *path, long n, long copies)
{
    bool ok = true;
    memcpy(original, bytes, (size_t)n);
    for (long copy = 0; copy < copies; copy++) {
        memcpy(bytes, original, (size_t)n);
        for (uint32_t i = 1 + change_below(&state, 3); i > 0; i--) {
            change_field(bytes, (uint64_t)n, &state);
        }
        change_repair(bytes, (uint64_t)n);
        put(path);
        put(" change");
        put_number(copy);
        ok = examine(n) && ok;
        end_line();
    }
    return ok;
}

static void
examine_flips(const char *path, long n)
{
    int64_t opened = 0;
    sum = 0;
    for (long i = 0; i < 8 * n; i++) {
        bytes[i / 8] ^= (uint8_t)(1 << i % 8);
        if (tikblob_open(&blob, bytes, (uint64_t)n, &diag)) {
            opened++;
        } else {
            mix(diag.rule);
            mix(diag.offset);
        }
        bytes[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    put(path);
    put(" flips opened");
    put_number(opened);
    put_number((int64_t)(sum >> 1));
    end_line();
}

/* Reads the blob of a line of the list, which has been split at a space. */
static bool
examine_line(const char *path, const char *how)
{
    long n = host_read(path, bytes, sizeof bytes), copies = 0;
    bool ok = true;
    if (n < 0) {
        put(path);
        put(" UNREADABLE");
        end_line();
        return false;
    }
    if (*how == 'f') {
        examine_flips(path, n);
    } else if (*how != 0) {
        for (; *how != 0; how++) {
            copies = copies * 10 + (*how - '0');
        }
        ok = examine_changed(path, n, copies);
    } else {
        put(path);
        ok = examine(n);
        end_line();
    }
    return ok;
}

int
host_main(int argc, char **argv)
{
    long n = argc == 2 ? host_read(argv[1], (uint8_t *)list, sizeof list - 1) : -1;
    bool ok = n > 0;
    for (long i = 0, from = 0, how = 0; i < n; i++) {
        if (list[i] == ' ' || list[i] == '\n') {
            bool end = list[i] == '\n';
            list[i] = 0;
            how = how == 0 ? i + !end : how;
            if (end) {
                ok = examine_line(list + from, list + how) && ok;
                from = i + 1;
                how = 0;
            }
        }
    }
    put("stack open");
    put_number((int64_t)most_open);
    put(" verify");
    put_number((int64_t)most_verify);
    put(" workspace rest");
    put_number((int64_t)most_rest);
    end_line();
    return ok ? 0 : 1;
}
