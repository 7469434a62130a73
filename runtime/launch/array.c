/* array.c: storage of global tensors, and the functions of tikrt.h about their types. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/isa.h"
#include "tikrt.h"
#include "support/error.h"
#include "support/pages.h"
#include "support/show.h"

Dtype
tikrt_dtype(const char *name)
{
    return dtype_find_stored(name);
}

const char *
tikrt_dtype_name(Dtype t)
{
    return dtype_name(t);
}

int
tikrt_dtype_size(Dtype t)
{
    return dtype_size(t);
}

const char *
tikrt_role_name(int role)
{
    return argrole_name((ArgRole)role);
}

void
tik_element_text(const TikArray *a, int64_t i, char *out, size_t size)
{
    char text[SHOW_BYTES];
    show_element(a->dtype, a->data + i * dtype_size(a->dtype), text);
    snprintf(out, size, "%s", text);
}

int64_t
tik_array_room(int64_t bytes)
{
    return scope_granule(SC_GM, false, bytes);
}

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
    int64_t room = tik_array_room(bytes);
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
