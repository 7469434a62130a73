/* fuzz_ir.c: passes any text through the reader of the IR's text form. What it accepts
 * must print to a text that reads back to the same text, and must go through all passes
 * and be consistent after each; a blob is made of what they accept. */
#include "pipeline.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static Kernel *
parse(Unit *u, const char *text, size_t len)
{
    return ir_parse(u, unit_add_source(u, "fuzz.ir", text, len));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Unit u;
    unit_init(&u);
    Kernel *k = parse(&u, (const char *)data, size);
    if (k) {
        Text first;
        Text second;
        text_init(&first, &u.arena);
        text_init(&second, &u.arena);
        ir_print(k, &first);
        Kernel *again = parse(&u, first.p, first.n);
        if (!again) {
            abort();
        }
        ir_print(again, &second);
        if (strcmp(first.p, second.p) != 0) {
            abort();
        }
        PassOptions opt = {.verify_each = true};
        const uint8_t *bytes;
        size_t n;
        if (passes_run(again, &opt) && u.errors == 0) {
            (void)!tikc_blob(&u, &again, 1, &bytes, &n);
        }
        kernel_free(again);
        kernel_free(k);
    }
    unit_free(&u);
    return 0;
}
