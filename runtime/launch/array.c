/* array.c: storage of global tensors. */
#include <inttypes.h>
#include <string.h>

#include "tikrt.h"
#include "support/error.h"
#include "support/pages.h"

bool
tik_array_alloc(TikArray *a, Dtype t, int64_t elems, TikError *err)
{
    memset(a, 0, sizeof *a);
    int64_t bytes;
    if (!dtype_is_stored((int)t) || elems < 0 ||
        __builtin_mul_overflow(elems, dtype_size(t), &bytes) ||
        bytes > INT64_MAX - 2 * BLOCK_BYTES) {
        return launch_error(err, TIK_ERR_USAGE, "usage",
                            "a tensor of %" PRId64 " elements is too large", elems);
    }
    int64_t room = scope_granule(SC_GM, false, bytes);
    uint8_t *data = pages_alloc(room);
    if (data == NULL) {
        return launch_error(err, TIK_ERR_IO, "limit-memory",
                            "not enough memory for a tensor of %" PRId64 " bytes", bytes);
    }
    *a = (TikArray){.dtype = t,
                    .elems = elems,
                    .ndim = 1,
                    .data = data,
                    .bytes = bytes,
                    .room = room};
    a->shape[0] = elems;
    return true;
}

void
tik_array_free(TikArray *a)
{
    pages_free(a->data, a->room);
    memset(a, 0, sizeof *a);
}
