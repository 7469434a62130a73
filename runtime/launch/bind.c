/* bind.c: see bind.h. */
#include "launch/bind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "launch/error.h"

static bool
check_list(const TikParam *p, const TikArray *a, TikError *err)
{
    if (a == NULL || a->items == NULL || a->elems != p->elems) {
        return launch_error(err, TIK_ERR_USAGE, "usage",
                            "the list for '%s' is not of %" PRId64 " arrays", p->name,
                            p->elems);
    }
    for (int64_t i = 0; i < a->elems; i++) {
        const TikArray *item = &a->items[i];
        if (item->data == NULL || item->bytes < 0 || item->bytes > LIST_WINDOW / 2) {
            return launch_error(err, TIK_ERR_USAGE, "usage",
                                "array %" PRId64 " of '%s' does not have 0 to %" PRId64
                                " bytes",
                                i, p->name, LIST_WINDOW / 2);
        }
    }
    return true;
}

static bool
check_array(const TikParam *p, const TikArray *a, TikError *err)
{
    if (p->role == (int)ARGROLE_LIST) {
        return check_list(p, a, err);
    }
    if (a == NULL || a->data == NULL || a->dtype != p->dtype ||
        (!p->open && a->elems < p->elems)) {
        return launch_error(err, TIK_ERR_USAGE, "usage",
                            "the array for '%s' is not of %" PRId64 " %s elements",
                            p->name, p->elems, dtype_name(p->dtype));
    }
    return true;
}

/* All elements get the value; the bytes that round the array up stay zero. */
static void
fill(const TikArray *a, int64_t value)
{
    int size = dtype_size(a->dtype);
    uint8_t element[8];
    for (int i = 0; i < size; i++) {
        element[i] = (uint8_t)((uint64_t)value >> (8 * i));
    }
    for (int64_t i = 0; i < a->elems; i++) {
        memcpy(a->data + i * size, element, (size_t)size);
    }
}

static ListItem *
list_items(const TikArray *a, ListItem *items)
{
    for (int64_t i = 0; i < a->elems; i++) {
        items[i] = (ListItem){a->items[i].data, a->items[i].bytes};
    }
    return items + a->elems;
}

bool
bound_init(Bound *b, const TikParam *params, int n, TikArray *const *arrays,
           TikError *err)
{
    size_t nitems = 0;
    *b = (Bound){0};
    for (int i = 0; i < n; i++) {
        if (!check_array(&params[i], arrays[i], err)) {
            return false;
        }
        nitems += params[i].role == (int)ARGROLE_LIST ? (size_t)params[i].elems : 0;
    }
    b->args = calloc(2 * (size_t)n + 1, sizeof *b->args);
    b->items = calloc(nitems + 1, sizeof *b->items);
    if (b->args == NULL || b->items == NULL) {
        return launch_error(err, TIK_ERR_IO, "limit-memory",
                            "not enough memory to run the kernel");
    }
    ListItem *next = b->items;
    for (int i = 0; i < n; i++) {
        b->args[i] = arrays[i]->data;
        b->args[n + i] = (uint8_t *)(uintptr_t)arrays[i]->bytes;
        if (params[i].role == (int)ARGROLE_LIST) {
            b->args[i] = (uint8_t *)next;
            next = list_items(arrays[i], next);
        } else if (params[i].preset) {
            fill(arrays[i], params[i].preset_value);
        }
    }
    return true;
}

void
bound_free(Bound *b)
{
    free(b->args);
    free(b->items);
}
