/* small_stack.c: a verifier as byte code whose stack is smaller than tikblob_workspace
 * states. Such a stack is asked for at each call, so the kernel must be refused by the
 * rule workspace, and no word beyond the stack be written:
 *
 *   small_stack BLOB    returns 0 when this is so, else what failed
 *
 * It has workspace.c, with a number in the place of compact_slots. */
#include "host.h"
#include "lean/compact.h"

static uint16_t slots;
#define compact_slots slots
#include "blob/workspace.c"
#undef compact_slots

enum {
    MOST_BYTES = 1 << 16,
    MOST_SLOTS = 1 << 10,
    MOST_WORKSPACE = 1 << 17,
    BEYOND = 64, /* words with marks */
    ARGUMENTS = 5,
    RULE_WORKSPACE = 801
};

static uint8_t bytes[MOST_BYTES] __attribute__((aligned(16)));
static uint8_t workspace[MOST_WORKSPACE] __attribute__((aligned(16)));
static CompactSlot stack[MOST_SLOTS + BEYOND];
static TikBlob blob;
static TikBlobDiag diag;

/* Verifies with n words of stack, which have marks after their end; *fits: whether they
 * were enough. Returns whether the marks are there afterwards. */
static bool
run_marked(unsigned n, bool *fits)
{
    TikBlobVerify with = {.workspace = workspace, .bytes = sizeof workspace};
    TikBlobProof proof;
    const int64_t mark = 0x5a5a5a5a5a5a5a5a;
    bool kept = true;
    for (unsigned i = 0; i < BEYOND; i++) {
        stack[n + i] = mark;
    }
    stack[0] = (intptr_t)&blob;
    stack[1] = 0;
    stack[2] = (intptr_t)&with;
    stack[3] = (intptr_t)&proof;
    stack[4] = (intptr_t)&diag;
    *fits = compact_run(compact_of_verify_kernel, stack, ARGUMENTS, n);
    for (unsigned i = 0; i < BEYOND; i++) {
        kept = kept && stack[n + i] == mark;
    }
    return kept && (!*fits || stack[0] == 1);
}

/* The same through the function for programs. */
static bool
verify(unsigned n)
{
    TikBlobProof proof;
    slots = (uint16_t)n;
    return tikblob_verify(&blob, 0, workspace, sizeof workspace, &proof, &diag);
}

int
host_main(int argc, char **argv)
{
    long size = argc == 2 ? host_read(argv[1], bytes, sizeof bytes) : -1;
    unsigned least = 0, all = compact_slots;
    if (size < 0 || all > MOST_SLOTS ||
        !tikblob_open(&blob, bytes, (size_t)size, &diag)) {
        return 1;
    }
    for (unsigned n = ARGUMENTS; n <= all; n += 12) {
        bool fits;
        if (!run_marked(n, &fits) || (least > 0 && !fits)) {
            return 2;
        }
        least = fits && least == 0 ? n : least;
    }
    if (least < 64 || !verify(all)) { /* most of them were too small */
        return 3;
    }
    return !verify(least / 2) && diag.rule == RULE_WORKSPACE ? 0 : 4;
}
