/* gemm_amx.c: the level of products of bytes on tile registers (num/amx.h). Words are
 * four bytes as they are, of any sign, so rows need no start; both factors are packed as
 * for vectors that multiply bytes. */
#include "num/amx.h"
#include "ops/gemm.h"

static void
row(void *out, const uint8_t *const *runs, int64_t n, bool sign)
{
    gemm_vnni.pack_row[GEMM_BYTES](out, runs, n, sign);
}

/* Signs stay as they are. */
static void
panel(const GemmPanel *p)
{
    GemmPanel plain = *p;
    plain.a_sign = false;
    gemm_vnni.pack_panel[GEMM_BYTES](&plain);
}

const GemmLevel gemm_amx = {
    .rows = NUM_AMX_ROWS,
    .columns = NUM_AMX_COLUMNS,
    .words = {[GEMM_BYTES] = 8},
    .quads = true,
    .amx = true,
    .pack_row = {[GEMM_BYTES] = row},
    .pack_panel = {[GEMM_BYTES] = panel},
};
