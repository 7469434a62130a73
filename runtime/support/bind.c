/* bind.c: binds arrays to the arguments of a kernel; see bind.h. */
#include "support/bind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/error.h"
#include "support/pages.h"

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

/* Sets all elements, but not the room after them. */
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

/* ---- the room after an array --------------------------------------------- */

/* Returns the array's bytes followed by the room of its granule, which is zeroed: in
 * place, or in a copy that lives until bound_end. Null when memory is exhausted. */
static uint8_t *
with_room(Bound *b, const TikArray *a, bool unwritten)
{
    int64_t room = scope_granule(SC_GM, false, a->bytes);
    if (a->room >= room) {
        memset(a->data + a->bytes, 0, (size_t)(room - a->bytes));
        return a->data;
    }
    uint8_t *own = pages_alloc(room);
    if (own != NULL) {
        memcpy(own, a->data, (size_t)a->bytes);
        b->bounces[b->nbounces++] = (Bounce){own, a->data, a->bytes, unwritten};
    }
    return own;
}

/* An array that the kernel only reads is not written, because it may be in memory that
 * cannot be written, or share bytes with one that was. */
static void
bounce_back(const Bounce *x)
{
    if (!x->unwritten && memcmp(x->caller, x->own, (size_t)x->bytes) != 0) {
        memcpy(x->caller, x->own, (size_t)x->bytes);
    }
    pages_free(x->own, scope_granule(SC_GM, false, x->bytes));
}

/* ---- binding ------------------------------------------------------------- */

static bool
no_memory(TikError *err)
{
    return launch_error(err, TIK_ERR_IO, "limit-memory",
                        "not enough memory to run the kernel");
}

static bool
bind_list(Bound *b, const TikArray *a, ListItem *items)
{
    for (int64_t i = 0; i < a->elems; i++) {
        items[i] = (ListItem){with_room(b, &a->items[i], false), a->items[i].bytes};
        if (items[i].data == NULL) {
            return false;
        }
    }
    return true;
}

static bool
bind_array(Bound *b, const TikParam *p, const TikArray *a, TikArray *out)
{
    if (p->preset) {
        fill(a, p->preset_value);
    }
    *out = *a;
    if (!p->inside) {
        out->data = with_room(b, a, p->unwritten != 0);
    }
    return out->data != NULL;
}

static bool
bind_all(Bound *b, const TikParam *params, int n, TikArray *const *arrays)
{
    ListItem *next = b->items;
    for (int i = 0; i < n; i++) {
        TikArray *a = &b->own[i];
        *a = *arrays[i];
        b->arrays[i] = a;
        if (params[i].role == (int)ARGROLE_LIST) {
            b->args[i] = (uint8_t *)next;
            if (!bind_list(b, a, next)) {
                return false;
            }
            next += a->elems;
        } else {
            if (!bind_array(b, &params[i], arrays[i], a)) {
                return false;
            }
            b->args[i] = a->data;
        }
        b->args[n + i] = (uint8_t *)(uintptr_t)a->bytes;
    }
    return true;
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
    b->own = calloc((size_t)n + 1, sizeof *b->own);
    b->arrays = calloc((size_t)n + 1, sizeof *b->arrays);
    b->bounces = calloc((size_t)n + nitems + 1, sizeof *b->bounces);
    bool ok = b->args != NULL && b->items != NULL && b->own != NULL &&
              b->arrays != NULL && b->bounces != NULL;
    return (ok && bind_all(b, params, n, arrays)) || no_memory(err);
}

void
bound_end(Bound *b)
{
    for (int i = 0; i < b->nbounces; i++) {
        bounce_back(&b->bounces[i]);
    }
    free(b->args);
    free(b->items);
    free(b->own);
    free(b->arrays);
    free(b->bounces);
}
