/* writer.c: the writer of the container. It collects strings, rows, code and places;
 * tikblob_finish lays the sections out in the one canonical way and adds checksums. It is
 * hosted.
 *
 * The finished blob is opened and each kernel is verified once. This gives step bounds
 * that were not stated and, on request, the `checked` flag of descriptors that cannot be
 * proved. */
#include "blob/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory -------------------------------------------------------------- */

uint8_t *
bytes_add(Bytes *b, size_t n)
{
    if (b->failed) {
        return NULL;
    }
    if (n > b->cap - b->n) {
        size_t cap = b->cap * 2 > b->n + n ? b->cap * 2 : b->n + n + 256;
        uint8_t *p = realloc(b->p, cap);
        if (p == NULL) {
            b->failed = true;
            return NULL;
        }
        b->p = p;
        b->cap = cap;
    }
    if (n > 0) {
        memset(b->p + b->n, 0, n);
    }
    b->n += n;
    return b->p + b->n - n;
}

static uint32_t
hash_bytes(const uint8_t *p, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) {
        h = (h ^ p[i]) * 16777619u;
    }
    return h;
}

/* ---- strings and rows ---------------------------------------------------- */

typedef struct Key {
    const uint8_t *bytes;
    size_t size;
    uint32_t hash;
} Key;

static bool
entry_is(const Bytes *pool, uint32_t at, const Key *k)
{
    return pool->n - at >= k->size && memcmp(pool->p + at, k->bytes, k->size) == 0;
}

/* Doubles the table, with the hashes that are kept next to the offsets. */
static bool
index_grow(Index *x)
{
    uint32_t n = x->nslots == 0 ? 64 : x->nslots * 2;
    uint32_t *slots = calloc((size_t)n * 2, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < x->nslots; i++) {
        if (x->slots[2 * i] != 0) {
            uint32_t j = x->slots[2 * i + 1] & (n - 1);
            while (slots[2 * j] != 0) {
                j = (j + 1) & (n - 1);
            }
            slots[2 * j] = x->slots[2 * i];
            slots[2 * j + 1] = x->slots[2 * i + 1];
        }
    }
    free(x->slots);
    x->slots = slots;
    x->nslots = n;
    return true;
}

/* Finds the slot of a key, which is a pair: offset plus one, hash. *found says whether
 * the key is there. Null when memory is exhausted. */
static uint32_t *
index_find(Index *x, const Bytes *pool, const Key *k, bool *found)
{
    if (x->used * 2 >= x->nslots && !index_grow(x)) {
        return NULL;
    }
    uint32_t j = k->hash & (x->nslots - 1);
    *found = false;
    while (x->slots[2 * j] != 0) {
        if (x->slots[2 * j + 1] == k->hash && entry_is(pool, x->slots[2 * j] - 1, k)) {
            *found = true;
            break;
        }
        j = (j + 1) & (x->nslots - 1);
    }
    return &x->slots[2 * j];
}

/* Returns the offset of the key in its pool, to which it is added when it is new
 * (*added). */
static uint32_t
index_intern(TikBlobWriter *w, Index *x, Bytes *pool, const Key *k, bool *added)
{
    bool found = false;
    uint32_t *slot = index_find(x, pool, k, &found);
    *added = false;
    if (slot != NULL && found) {
        return slot[0] - 1;
    }
    uint8_t *p =
        slot != NULL && pool->n + k->size < UINT32_MAX ? bytes_add(pool, k->size) : NULL;
    if (p == NULL) {
        w->failed = true;
        return 0;
    }
    memcpy(p, k->bytes, k->size);
    slot[0] = (uint32_t)(p - pool->p) + 1;
    slot[1] = k->hash;
    x->used++;
    *added = true;
    return slot[0] - 1;
}

/* A row's size is in its head, so a longer row never equals a shorter one's beginning. */
uint32_t
writer_row(TikBlobWriter *w, const uint8_t *row, size_t size)
{
    Key k = {row, size, hash_bytes(row, size)};
    bool added;
    return index_intern(w, &w->row_index, &w->rows, &k, &added) / ROW_BYTES;
}

static char *
utf8_copy(const char *text)
{
    size_t n = strlen(text);
    char *copy = malloc(n + 1);
    uint64_t bad;
    if (copy == NULL) {
        return NULL;
    }
    memcpy(copy, text, n + 1);
    while (!blob_utf8((const uint8_t *)copy, n, &bad)) {
        copy[bad] = '?';
    }
    return copy;
}

/* An id is the text's offset in the pool until tikblob_finish sorts the texts. */
uint32_t
writer_string(TikBlobWriter *w, const char *text)
{
    char *copy = utf8_copy(text == NULL ? "" : text);
    if (copy == NULL) {
        w->failed = true;
        return 0;
    }
    Key k = {(const uint8_t *)copy, strlen(copy) + 1, 0};
    k.hash = hash_bytes(k.bytes, k.size);
    bool added;
    uint32_t id = index_intern(w, &w->string_index, &w->strings, &k, &added);
    uint8_t *p = added ? bytes_add(&w->string_at, sizeof id) : NULL;
    if (p != NULL) {
        memcpy(p, &id, sizeof id);
    }
    w->failed |= added && p == NULL;
    free(copy);
    return id;
}

/* ---- kernels ------------------------------------------------------------- */

TikBlobWriter *
tikblob_writer_new(const Soc *soc)
{
    TikBlobWriter *w = calloc(1, sizeof *w);
    if (w != NULL) {
        w->soc = soc;
    }
    return w;
}

void
tikblob_choices(TikBlobWriter *w, const Choices *c)
{
    w->choices = c != NULL ? *c : (Choices){{0}};
}

static size_t
kernel_count(const TikBlobWriter *w)
{
    return w->kernels.n / sizeof(WriterKernel);
}

static WriterKernel *
kernel_at(const TikBlobWriter *w, size_t i)
{
    return (WriterKernel *)(void *)w->kernels.p + i;
}

WriterKernel *
writer_kernel(TikBlobWriter *w)
{
    return kernel_at(w, kernel_count(w) - 1);
}

void
tikblob_writer_free(TikBlobWriter *w)
{
    if (w == NULL) {
        return;
    }
    for (size_t i = 0; i < kernel_count(w); i++) {
        WriterKernel *k = kernel_at(w, i);
        free((void *)(uintptr_t)k->info.args);
        free((void *)(uintptr_t)k->info.regions);
        free(k->arg_names);
        free(k->region_names);
    }
    Bytes *all[] = {&w->code,   &w->rows,  &w->strings, &w->string_at, &w->kernels,
                    &w->places, &w->names, &w->tables,  &w->frames};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]->p);
    }
    free(w->row_index.slots);
    free(w->string_index.slots);
    free(w->frame_index.slots);
    free(w);
}

void
tikblob_check_unproved(TikBlobWriter *w)
{
    w->check_unproved = true;
}

static void *
copy_of(TikBlobWriter *w, const void *p, size_t n, size_t size)
{
    void *copy = calloc(n + 1, size);
    if (copy == NULL) {
        w->failed = true;
    } else if (n > 0) {
        memcpy(copy, p, n * size);
    }
    return copy;
}

/* Gives a table its place in CNST and copies its bytes there. */
static void
place_table(TikBlobWriter *w, TikBlobRegion *r)
{
    size_t over = w->tables.n % PACK_ALIGN;
    if (r->pack.present && over > 0 && bytes_add(&w->tables, PACK_ALIGN - over) == NULL) {
        w->failed = true;
        return;
    }
    r->base = (int64_t)w->tables.n;
    uint8_t *p = bytes_add(&w->tables, (size_t)blob_table_room((uint64_t)r->bytes));
    if (p == NULL) {
        w->failed = true;
    } else {
        memcpy(p, r->data, (size_t)r->bytes);
    }
    r->data = NULL;
}

static void
place_tables(TikBlobWriter *w, WriterKernel *k)
{
    TikBlobRegion *r = (TikBlobRegion *)(uintptr_t)k->info.regions;
    for (int i = 0; r != NULL && i < k->info.nregions; i++) {
        if (r[i].kind == TIKBLOB_TABLE) {
            place_table(w, &r[i]);
        }
    }
}

void
tikblob_begin_kernel(TikBlobWriter *w, const TikBlobKernelInfo *info)
{
    WriterKernel *k = (WriterKernel *)(void *)bytes_add(&w->kernels, sizeof *k);
    if (k == NULL) {
        w->failed = true;
        return;
    }
    size_t nargs = (size_t)info->nargs;
    size_t nregions = (size_t)info->nregions;
    k->info = *info;
    k->info.args = copy_of(w, info->args, nargs, sizeof *info->args);
    k->info.regions = copy_of(w, info->regions, nregions, sizeof *info->regions);
    k->arg_names = calloc(nargs + 1, sizeof *k->arg_names);
    k->region_names = calloc(nregions + 1, sizeof *k->region_names);
    k->name = writer_string(w, info->name);
    k->code_first = (uint32_t)(w->code.n / SLOT_BYTES);
    w->failed |= k->arg_names == NULL || k->region_names == NULL;
    for (size_t i = 0; i < nargs && k->arg_names != NULL; i++) {
        k->arg_names[i] = writer_string(w, info->args[i].name);
    }
    for (size_t i = 0; i < nregions && k->region_names != NULL; i++) {
        k->region_names[i] = writer_string(w, info->regions[i].name);
    }
    place_tables(w, k);
    w->depth = 0;
}

bool
tikblob_emit(TikBlobWriter *w, const TikDesc *d, const char *file, uint32_t line,
             uint32_t column, char *error, size_t error_size)
{
    EncodeError err = {error, error_size};
    if (error_size > 0) {
        snprintf(error, error_size, "out of memory");
    }
    if (w->failed || kernel_count(w) == 0 || !writer_encode(w, d, &err)) {
        return false;
    }
    bool placed = file != NULL && *file != 0;
    WriterPlace place = {writer_string(w, placed ? file : ""), placed ? line : 0,
                         placed ? column : 0, 0};
    uint8_t *p = bytes_add(&w->places, sizeof place);
    if (p == NULL) {
        w->failed = true;
        return false;
    }
    memcpy(p, &place, sizeof place);
    w->has_place |= placed;
    return !w->failed;
}

uint32_t
tikblob_add_frame(TikBlobWriter *w, const TikBlobFrame *frame)
{
    const WriterFrame *all = (const WriterFrame *)(const void *)w->frames.p;
    uint32_t depth = frame->parent == 0 ? 0 : all[frame->parent - 1].depth;
    if (depth == TIKBLOB_MAX_CALLS) {
        return frame->parent;
    }
    bool placed = *frame->file != 0;
    WriterFrame f = {.depth = depth + 1,
                     .parent = frame->parent,
                     .callee = writer_string(w, *frame->callee ? frame->callee : "?"),
                     .file = writer_string(w, frame->file),
                     .line = placed ? frame->line : 0,
                     .column = placed ? frame->column : 0};
    Key k = {(const uint8_t *)&f, sizeof f, hash_bytes((const uint8_t *)&f, sizeof f)};
    bool added;
    w->has_empty |= !placed;
    uint32_t at = index_intern(w, &w->frame_index, &w->frames, &k, &added);
    return w->failed ? 0 : at / (uint32_t)sizeof f + 1;
}

void
tikblob_emit_frame(TikBlobWriter *w, uint32_t frame)
{
    size_t n = w->places.n / sizeof(WriterPlace);
    if (n > 0) {
        ((WriterPlace *)(void *)w->places.p)[n - 1].frame = frame;
    }
}

void
tikblob_emit_name(TikBlobWriter *w, const char *name, TikNum num, Dtype dtype)
{
    if (*name == 0 || w->places.n == 0) {
        return;
    }
    WriterName n = {(uint32_t)(w->places.n / sizeof(WriterPlace)) - 1,
                    writer_string(w, name), num, dtype};
    uint8_t *p = bytes_add(&w->names, sizeof n);
    if (p == NULL) {
        w->failed = true;
        return;
    }
    memcpy(p, &n, sizeof n);
}

void
tikblob_end_kernel(TikBlobWriter *w)
{
    w->depth = 0;
}

/* ---- strings in their final order ---------------------------------------- */

/* Maps a string's id to its offset in STRS: pairs are sorted by text, then looked up by
 * id. */
typedef struct Named {
    const char *text;
    uint32_t id, offset;
} Named;

static int
by_text(const void *a, const void *b)
{
    return strcmp(((const Named *)a)->text, ((const Named *)b)->text);
}

static int
by_id(const void *a, const void *b)
{
    uint32_t x = ((const Named *)a)->id;
    uint32_t y = ((const Named *)b)->id;
    return (x > y) - (x < y);
}

typedef struct Names {
    Named *p;
    size_t n;
} Names;

static uint32_t
offset_of(const Names *names, uint32_t id)
{
    Named key = {.id = id};
    const Named *found = bsearch(&key, names->p, names->n, sizeof key, by_id);
    return found == NULL ? 0 : found->offset;
}

static bool
has_empty_name(const TikBlobWriter *w)
{
    for (size_t i = 0; i < kernel_count(w); i++) {
        const WriterKernel *k = kernel_at(w, i);
        bool empty = w->strings.p[k->name] == 0;
        for (int j = 0; j < k->info.nargs; j++) {
            empty |= w->strings.p[k->arg_names[j]] == 0;
        }
        for (int j = 0; j < k->info.nregions; j++) {
            empty |= w->strings.p[k->region_names[j]] == 0;
        }
        if (empty) {
            return true;
        }
    }
    return false;
}

/* The empty text means "no place". When LINE is left out, nothing may refer to it. */
static bool
is_used(const TikBlobWriter *w, const char *text)
{
    return *text != 0 || w->has_place || w->has_empty || has_empty_name(w);
}

static bool
sort_names(TikBlobWriter *w, Names *names, Bytes *strs)
{
    size_t n = w->string_at.n / sizeof(uint32_t);
    names->p = calloc(n + 1, sizeof *names->p);
    names->n = 0;
    if (names->p == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t id;
        memcpy(&id, w->string_at.p + i * sizeof id, sizeof id);
        const char *text = (const char *)w->strings.p + id;
        if (is_used(w, text)) {
            names->p[names->n++] = (Named){text, id, 0};
        }
    }
    qsort(names->p, names->n, sizeof *names->p, by_text);
    for (size_t i = 0; i < names->n; i++) {
        size_t size = strlen(names->p[i].text) + 1;
        names->p[i].offset = (uint32_t)strs->n;
        uint8_t *p = bytes_add(strs, size);
        if (p == NULL) {
            return false;
        }
        memcpy(p, names->p[i].text, size);
    }
    qsort(names->p, names->n, sizeof *names->p, by_id);
    return true;
}

/* ---- sections ------------------------------------------------------------ */

typedef struct Image {
    TikBlobWriter *w;
    Names names;
    Bytes part[SEC_COUNT];
    bool present[SEC_COUNT];
    bool failed;
    uint8_t sink[TARG_BYTES]; /* written to when memory is exhausted; as long as the
                                 longest record */
} Image;

static uint8_t *
add(Image *im, SectionId id, size_t n)
{
    uint8_t *p = bytes_add(&im->part[id], n);
    im->failed |= p == NULL;
    return p == NULL ? im->sink : p;
}

static void
add_copy(Image *im, SectionId id, const void *from, size_t n)
{
    uint8_t *p = n == 0 ? NULL : bytes_add(&im->part[id], n);
    im->failed |= n > 0 && p == NULL;
    if (p != NULL) {
        memcpy(p, from, n);
    }
}

static void
build_args(Image *im, const WriterKernel *k)
{
    for (int i = 0; i < k->info.nargs; i++) {
        const TikBlobArg *a = &k->info.args[i];
        uint8_t *p = add(im, SEC_ARGS, ARG_BYTES);
        put32(p, offset_of(&im->names, k->arg_names[i]));
        p[4] = (uint8_t)a->dtype;
        p[5] = (uint8_t)a->role;
        p[6] = (uint8_t)a->ndim;
        put64(p + 8, (uint64_t)a->elems);
        for (int d = 0; d < a->ndim && d < 8; d++) {
            put64(p + 16 + 8 * d, (uint64_t)a->shape[d]);
        }
        p[7] = (uint8_t)((a->preset ? ARG_PRESET : 0) | (a->open ? ARG_OPEN : 0));
        put64(p + 80, a->preset ? (uint64_t)a->preset_value : 0);
    }
}

static void
build_regions(Image *im, const WriterKernel *k)
{
    for (int i = 0; i < k->info.nregions; i++) {
        const TikBlobRegion *r = &k->info.regions[i];
        uint8_t *p = add(im, SEC_REGN, REGION_BYTES);
        put32(p, offset_of(&im->names, k->region_names[i]));
        p[4] = (uint8_t)r->scope;
        p[5] = (uint8_t)r->dtype;
        p[6] = (uint8_t)r->kind;
        p[7] = r->open;
        put64(p + 8, (uint64_t)r->base);
        put64(p + 16, (uint64_t)r->bytes);
        if (r->pack.present) {
            uint32_t index = (uint32_t)(im->part[SEC_REGN].n / REGION_BYTES) - 1;
            blob_pack_write(&r->pack, index, add(im, SEC_PACK, PACK_BYTES));
            im->present[SEC_PACK] = true;
        }
    }
}

static void
build_kernel(Image *im, const WriterKernel *k)
{
    uint32_t args = (uint32_t)(im->part[SEC_ARGS].n / ARG_BYTES);
    uint32_t regions = (uint32_t)(im->part[SEC_REGN].n / REGION_BYTES);
    uint8_t *p = add(im, SEC_KERN, KERN_BYTES);
    put32(p, offset_of(&im->names, k->name));
    put32(p + 4, k->code_first);
    put32(p + 8, k->code_slots);
    put32(p + 12, k->ndescriptors);
    put32(p + 16, args);
    put32(p + 20, (uint32_t)k->info.nargs);
    put32(p + 24, regions);
    put32(p + 28, (uint32_t)k->info.nregions);
    put32(p + 32, k->nregs);
    put32(p + 36, k->nloops);
    put32(p + 40, k->info.cores);
    put32(p + 44, k->info.flags);
    put64(p + 48, k->info.step_bound == 0
                      ? 1
                      : k->info.step_bound); /* see complete(), which sets it */
    for (int i = 0; i < SC_COUNT; i++) {
        if (blob_has_peak(i)) {
            put32(p + 52 + 4 * i, (uint32_t)k->info.peak[i]);
        }
    }
    build_args(im, k);
    build_regions(im, k);
}

/* ---- affine rows: the ring of links -------------------------------------- */

static int
by_row(const void *a, const void *b)
{
    return blob_row_compare(*(uint8_t *const *)a, *(uint8_t *const *)b);
}

static void
build_rows(Image *im)
{
    Bytes *part = &im->part[SEC_AFFN];
    const Bytes *rows = &im->w->rows;
    uint8_t **heads = calloc(rows->n / ROW_BYTES + 1, sizeof *heads);
    size_t n = 0;
    add_copy(im, SEC_AFFN, rows->p, rows->n);
    if (heads == NULL || part->failed) {
        im->failed = true;
        free(heads);
        return;
    }
    uint8_t *p = part->p;
    for (size_t i = 0; i < rows->n; i += ROW_BYTES * (1 + (size_t)p[i + 1])) {
        heads[n++] = p + i;
    }
    qsort(heads, n, sizeof *heads, by_row);
    for (size_t i = 0; i < n; i++) {
        put32(heads[i] + 12, (uint32_t)((heads[(i + 1) % n] - p) / ROW_BYTES));
    }
    free(heads);
}

/* ---- places -------------------------------------------------------------- */

static void
put_varint(Image *im, SectionId id, uint64_t v)
{
    while (v >= 0x80) {
        *add(im, id, 1) = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *add(im, id, 1) = (uint8_t)v;
}

static uint64_t
zigzag(uint32_t from, uint32_t to)
{
    int64_t d = (int64_t)to - (int64_t)from;
    return d < 0 ? ((uint64_t)-d << 1) - 1 : (uint64_t)d << 1;
}

static void
build_places(Image *im)
{
    const WriterPlace *place = (const WriterPlace *)(const void *)im->w->places.p;
    for (size_t i = 0; i < kernel_count(im->w); i++) {
        WriterPlace last = {0, 0, 0};
        for (uint32_t d = 0; d < kernel_at(im->w, i)->ndescriptors; d++, place++) {
            uint32_t file = offset_of(&im->names, place->file);
            put_varint(im, SEC_LINE,
                       zigzag(last.line, place->line) << 1 | (file != last.file));
            if (file != last.file) {
                put_varint(im, SEC_LINE, file);
            }
            put_varint(im, SEC_LINE, zigzag(last.column, place->column));
            last = (WriterPlace){file, place->line, place->column};
        }
    }
}

static void
build_names(Image *im)
{
    const WriterName *name = (const WriterName *)(const void *)im->w->names.p;
    for (size_t i = 0; i < im->w->names.n / sizeof *name; i++, name++) {
        uint8_t *p = add(im, SEC_NAME, NAME_BYTES);
        put32(p, name->descriptor);
        put32(p + 4, offset_of(&im->names, name->name));
        put32(p + 8, name->num.index);
        p[12] = name->num.kind == NUM_LOOP ? NAME_SLOT : NAME_REGISTER;
        p[13] = (uint8_t)name->dtype;
    }
}

/* ---- frames -------------------------------------------------------------- */

/* A record of CALL that is being sorted: its fields, the parent being known last, and its
 * number in the writer. */
typedef struct Sorted {
    uint32_t field[FRAME_BYTES / 4];
    uint32_t number;
} Sorted;

static int
by_fields(const void *a, const void *b)
{
    const Sorted *x = a;
    const Sorted *y = b;
    for (size_t i = 0; i < sizeof x->field / sizeof x->field[0]; i++) {
        if (x->field[i] != y->field[i]) {
            return x->field[i] < y->field[i] ? -1 : 1;
        }
    }
    return 0;
}

/* Sorts frames depth by depth, since the order of a frame depends on the new number of
 * its parent. final gives new numbers by those of the writer. */
static void
sort_frames(const Image *im, Sorted *all, size_t n, uint32_t *final)
{
    const WriterFrame *from = (const WriterFrame *)(const void *)im->w->frames.p;
    for (size_t i = 0; i < n; i++) {
        const WriterFrame *f = &from[i];
        all[i] = (Sorted){{f->depth, 0, offset_of(&im->names, f->callee),
                           offset_of(&im->names, f->file), f->line, f->column},
                          (uint32_t)i + 1};
    }
    qsort(all, n, sizeof *all, by_fields);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && all[end].field[0] == all[i].field[0]; end++) {
            all[end].field[1] = final[from[all[end].number - 1].parent];
        }
        qsort(all + i, end - i, sizeof *all, by_fields);
        for (size_t j = i; j < end; j++) {
            final[all[j].number] = (uint32_t)j + 1;
        }
    }
}

/* Makes runs of descriptors that follow each other in one frame. */
static void
build_runs(Image *im, const uint32_t *final)
{
    const WriterPlace *place = (const WriterPlace *)(const void *)im->w->places.p;
    for (size_t i = 0; i < kernel_count(im->w); i++) {
        uint32_t left = kernel_at(im->w, i)->ndescriptors;
        while (left > 0) {
            uint32_t n = 1;
            while (n < left && place[n].frame == place->frame) {
                n++;
            }
            put_varint(im, SEC_CALL, n);
            put_varint(im, SEC_CALL, final[place->frame]);
            place += n;
            left -= n;
        }
    }
}

static void
build_calls(Image *im)
{
    size_t n = im->w->frames.n / sizeof(WriterFrame);
    Sorted *all = calloc(n + 1, sizeof *all);
    uint32_t *final = calloc(n + 1, sizeof *final);
    if (all == NULL || final == NULL) {
        im->failed = true;
    } else {
        sort_frames(im, all, n, final);
        put32(add(im, SEC_CALL, CALL_HEAD), (uint32_t)n);
        for (size_t i = 0; i < n; i++) {
            uint8_t *p = add(im, SEC_CALL, FRAME_BYTES);
            for (int j = 0; j < FRAME_BYTES / 4; j++) {
                put32(p + 4 * j, all[i].field[j]);
            }
        }
        build_runs(im, final);
    }
    free(all);
    free(final);
}

/* ---- the finished file --------------------------------------------------- */

static void
put_header(const Image *im, uint8_t *p, uint32_t nsections, uint64_t total)
{
    static const uint8_t magic[8] = {0x89, 'T', 'K', 'B', 0x0d, 0x0a, 0x1a, 0x0a};
    memcpy(p, magic, sizeof magic);
    put16(p + 8, TIKBLOB_MAJOR);
    put16(p + 10, TIKBLOB_MINOR);
    put32(p + 12, HEADER_BYTES);
    put64(p + 16, total);
    put32(p + 24, nsections);
    put32(p + 28, HEADER_BYTES);
    put32(p + 32, (uint32_t)im->w->soc->core);
}

static bool
lay_out(const Image *im, uint8_t **bytes, size_t *size)
{
    uint32_t n = 0;
    for (int id = 0; id < SEC_COUNT; id++) {
        n += im->present[id];
    }
    Bytes out = {0};
    bytes_add(&out, HEADER_BYTES + n * ENTRY_BYTES);
    uint64_t entry = HEADER_BYTES;
    for (int id = 0; id < SEC_COUNT && !out.failed; id++) {
        const SectionInfo *s = &blob_sections[id];
        size_t align = (size_t)1 << s->align;
        if (!im->present[id]) {
            continue;
        }
        bytes_add(&out, (align - out.n % align) % align);
        size_t at = out.n;
        uint8_t *p = bytes_add(&out, im->part[id].n);
        if (p == NULL) {
            break;
        }
        if (im->part[id].n > 0) {
            memcpy(p, im->part[id].p, im->part[id].n);
        }
        uint8_t *e = out.p + entry;
        put32(e, s->fourcc);
        put16(e + 4, s->flags);
        e[6] = s->align;
        put64(e + 8, at);
        put64(e + 16, im->part[id].n);
        put32(e + 24, s->record);
        entry += ENTRY_BYTES;
    }
    if (out.failed) {
        free(out.p);
        return false;
    }
    put_header(im, out.p, n, out.n);
    tikblob_update_checksums(out.p, out.n);
    *bytes = out.p;
    *size = out.n;
    return true;
}

/* ---- what only the verifier knows ---------------------------------------- */

/* Sets the flag `checked` of the descriptors whose bits are set. */
static void
mark_checked(uint8_t *code, const TikBlobKernel *k, const uint8_t *bits)
{
    uint8_t *p = code + (size_t)k->code_first * SLOT_BYTES;
    for (uint32_t i = 0; i < k->ndescriptors; i++) {
        if (bits[i / 8] >> (i % 8) & 1) {
            if (p[1] == CLASS_BASE + DESC_INSTR) {
                put16(p + 2, get16(p + 2) | OP_CHECKED);
            } else {
                p[2] |= ACCESS_CHECKED;
            }
        }
        p += (size_t)p[0] * SLOT_BYTES;
    }
}

static bool
complete_kernel(const TikBlobWriter *w, uint8_t *bytes, const TikBlob *b, int index)
{
    TikBlobKernel k;
    TikBlobProof proof;
    tikblob_kernel(b, index, &k);
    bool stated = kernel_at(w, (size_t)index)->info.step_bound != 0;
    if (!w->check_unproved && stated) {
        return true;
    }
    TikBlobVerify with = {.bytes = tikblob_workspace(b, index)};
    with.workspace = aligned_alloc(16, (with.bytes + 15) / 16 * 16);
    with.unproved = calloc(k.ndescriptors / 8 + 1, 1);
    bool ok = with.workspace != NULL && with.unproved != NULL;
    if (ok && tikblob_unproved(b, index, &with, &proof, NULL)) {
        uint8_t *kern = bytes + (blob_record(b, SEC_KERN, (uint64_t)index) - b->bytes);
        if (w->check_unproved) {
            mark_checked(bytes + blob_section(b, SEC_CODE)->offset, &k, with.unproved);
        }
        if (!stated) {
            put64(kern + 48, proof.steps);
        }
    }
    free(with.workspace);
    free(with.unproved);
    return ok;
}

static bool
complete(const TikBlobWriter *w, uint8_t *bytes, size_t size)
{
    TikBlob b;
    bool ok = true;
    if (!tikblob_open(&b, bytes, size, NULL)) {
        return true; /* the caller's input gives no legal blob; opening it reports why */
    }
    for (int i = 0; i < b.nkernels && ok; i++) {
        ok = complete_kernel(w, bytes, &b, i);
    }
    tikblob_update_checksums(bytes, size);
    return ok;
}

static void
build_choices(Image *im)
{
    for (int i = 0; i < CHOICE_COUNT; i++) {
        int reading = chosen(&im->w->choices, (Choice)i);
        if (reading != 0) {
            uint8_t record[CHOICE_BYTES];
            blob_choice_record((Choice)i, reading, record);
            add_copy(im, SEC_CHCE, record, sizeof record);
        }
    }
}

static void
build(Image *im, const char *meta)
{
    TikBlobWriter *w = im->w;
    blob_target_record(w->soc, add(im, SEC_TARG, TARG_BYTES));
    build_choices(im);
    for (size_t i = 0; i < kernel_count(w); i++) {
        build_kernel(im, kernel_at(w, i));
    }
    build_rows(im);
    add_copy(im, SEC_CODE, w->code.p, w->code.n);
    add_copy(im, SEC_CNST, w->tables.p, w->tables.n);
    if (im->present[SEC_LINE]) {
        build_places(im);
    }
    build_names(im);
    if (im->present[SEC_CALL]) {
        build_calls(im);
    }
    if (im->present[SEC_META]) {
        char *text = utf8_copy(meta);
        im->failed |= text == NULL;
        add_copy(im, SEC_META, text, text == NULL ? 0 : strlen(text));
        free(text);
    }
    add(im, SEC_IDNT, 32);
}

bool
tikblob_finish(TikBlobWriter *w, const char *meta, uint8_t **bytes, size_t *size)
{
    Image im = {.w = w};
    if (w->failed) {
        return false;
    }
    for (int id = 0; id < SEC_COUNT; id++) {
        im.present[id] = blob_sections[id].required;
    }
    im.present[SEC_CHCE] = choices_or_null(&w->choices) != NULL;
    im.present[SEC_CNST] = w->tables.n > 0;
    im.present[SEC_LINE] = w->has_place;
    im.present[SEC_NAME] = w->names.n > 0;
    im.present[SEC_CALL] = w->frames.n > 0;
    im.present[SEC_META] = meta != NULL && *meta != 0;
    bool ok = sort_names(w, &im.names, &im.part[SEC_STRS]);
    if (ok) {
        build(&im, meta);
    }
    ok = ok && !im.failed && lay_out(&im, bytes, size);
    for (int id = 0; id < SEC_COUNT; id++) {
        free(im.part[id].p);
    }
    free(im.names.p);
    if (ok && !complete(w, *bytes, *size)) {
        free(*bytes);
        ok = false;
    }
    return ok;
}
