/* explain.c: tikblob_explain makes a sentence of a refusal: the rule, the numbers and the
 * place in the source if the blob has it. The caller adds the name of the rule, which it
 * has. It is hosted. */
#include "blob/blob.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct Line {
    char *p;
    size_t n, size;
} Line;

static void add(Line *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void
add(Line *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = l->n < l->size ? vsnprintf(l->p + l->n, l->size - l->n, fmt, ap) : 0;
    va_end(ap);
    l->n += n > 0 ? (size_t)n : 0;
}

static const char no_memory[] = "memory";

void
blob_no_memory(TikBlobDiag *diag)
{
    if (diag != NULL) {
        *diag = (TikBlobDiag){.descriptor = -1};
        memcpy(diag->code, no_memory, sizeof no_memory);
    }
}

static const char *
rule_text(const char *code)
{
    if (strcmp(code, no_memory) == 0) {
        return "there is enough memory for what the blob becomes";
    }
    const BlobRuleInfo *b;
    for (int i = 0; (b = blob_rule_at(i)) != NULL; i++) {
        if (strcmp(b->name, code) == 0) {
            return b->rule;
        }
    }
    Rule r = rule_find(code);
    return r == RULE_NONE ? "the blob is well-formed" : rule_table[r].rule;
}

static void
add_numbers(Line *l, const TikBlobDiag *d)
{
    if (d->seen_lo == 0 && d->seen_hi == 0 && d->allowed_lo == 0 && d->allowed_hi == 0) {
        return;
    }
    add(l, "; found %" PRId64, d->seen_lo);
    if (d->seen_hi != d->seen_lo) {
        add(l, " to %" PRId64, d->seen_hi);
    }
    if (d->allowed_lo == d->allowed_hi) {
        add(l, ", required %" PRId64, d->allowed_lo);
    } else if (d->allowed_hi == INT64_MAX) {
        add(l, ", required at least %" PRId64, d->allowed_lo);
    } else if (d->allowed_lo < d->allowed_hi) {
        add(l, ", required %" PRId64 " to %" PRId64, d->allowed_lo, d->allowed_hi);
    }
}

static void
add_descriptor(Line *l, const TikBlob *b, int kernel, const TikBlobDiag *d)
{
    static const char *const names[] = {
        "loop",   "endloop",          "if",   "else",  "endif",      "break", "continue",
        "return", "scalar operation", "load", "store", "instruction"};
    TikBlobKernel k;
    tikblob_kernel(b, kernel, &k);
    add(l, " in kernel '%s', descriptor %" PRId64, k.name, d->descriptor);
    const uint8_t *p = b->bytes + d->offset;
    bool whole =
        d->offset + SLOT_BYTES <= b->size && p[1] >= CLASS_BASE && p[1] < CLASS_COUNT;
    uint32_t op = whole ? get16(p + 2) & ((1 << OP_BITS) - 1) : OP_COUNT;
    if (whole && p[1] == CLASS_BASE + DESC_INSTR && op < OP_COUNT) {
        add(l, " (%s)", op_table[op].name);
    } else if (whole) {
        add(l, " (%s)", names[p[1] - CLASS_BASE]);
    }
    const char *file;
    uint32_t line, column;
    if (d->descriptor <= UINT32_MAX &&
        tikblob_place(b, kernel, (uint32_t)d->descriptor, &file, &line, &column)) {
        add(l, " from %s:%u:%u", file, line, column);
    }
}

/* b is as tikblob_open left it. Its kernels and places are used only when it was
 * accepted. */
void
tikblob_explain(const TikBlob *b, int kernel, const TikBlobDiag *diag, char *out,
                size_t size)
{
    Line l = {out, 0, size};
    bool opened = b != NULL && b->nkernels > 0 && b->known[SEC_STRS] >= 0;
    if (size > 0) {
        out[0] = 0;
    }
    add(&l, "%s", rule_text(diag->code[0] ? diag->code : tikblob_rule_name(diag->rule)));
    add_numbers(&l, diag);
    if (diag->descriptor >= 0 && opened && kernel >= 0 && kernel < b->nkernels) {
        add_descriptor(&l, b, kernel, diag);
    } else if (diag->section[0] != 0) {
        add(&l, " (section %s, byte %" PRIu64 " of the file)", diag->section,
            diag->offset);
    } else if (diag->rule < BLOB_SIGNATURE_SIZE || diag->rule > BLOB_SIGNATURE) {
        add(&l, " (byte %" PRIu64 " of the file)", diag->offset);
    }
}
