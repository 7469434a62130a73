/* tables.c: strings, kernels, arguments, regions and affine rows of a blob: checks their
 * part of P1, and has the accessors of the public header. It is freestanding.
 *
 * It owns the rules of the groups strings and tables of blob_rule.def, and meta-text. */
#include "blob/blob.h"

/* ---- text ---------------------------------------------------------------- */

/* Returns the length of the UTF-8 sequence at p, 0 when it is none. It must have the
 * shortest form and be no surrogate, up to 10ffff. */
static int
utf8_length(const uint8_t *p, uint64_t n)
{
    uint8_t c = p[0];
    int len = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : 4;
    if (len == 1) {
        return 1;
    }
    if (c < 0xc2 || c > 0xf4 || (uint64_t)len > n) {
        return 0;
    }
    for (int i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool wrong = (c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] > 0x9f) ||
                 (c == 0xf0 && p[1] < 0x90) || (c == 0xf4 && p[1] > 0x8f);
    return wrong ? 0 : len;
}

bool
blob_utf8(const uint8_t *p, uint64_t n, uint64_t *bad)
{
    uint64_t i = 0;
    while (i < n) {
        int len = utf8_length(p + i, n - i);
        if (len == 0) {
            *bad = i;
            return false;
        }
        i += (uint64_t)len;
    }
    return true;
}

/* Returns whether the string at a comes before the one at b; both end in a zero byte. */
static bool
string_before(const uint8_t *a, const uint8_t *b)
{
    while (*a != 0 && *a == *b) {
        a++;
        b++;
    }
    return *a < *b;
}

static bool
check_strings(const TikBlob *b, TikBlobDiag *diag)
{
    const TikBlobSection *s = blob_section(b, SEC_STRS);
    const uint8_t *p = b->bytes + s->offset;
    uint64_t bad;
    if (s->size > MAX_STRING_BYTES) {
        return blob_bad_value(diag, BLOB_STRING_LIMIT, SEC_STRS, s->offset,
                              (BlobSeen){(int64_t)s->size, 0, MAX_STRING_BYTES});
    }
    if (s->size == 0 || p[s->size - 1] != 0) {
        return blob_bad(diag, BLOB_STRING_END, SEC_STRS, s->offset + s->size);
    }
    if (!blob_utf8(p, s->size, &bad)) {
        return blob_bad(diag, BLOB_STRING_UTF8, SEC_STRS, s->offset + bad);
    }
    uint64_t last = 0;
    for (uint64_t i = 1; i < s->size; i++) {
        if (p[i - 1] == 0 && !string_before(p + last, p + i)) {
            return blob_bad(diag, BLOB_STRING_ORDER, SEC_STRS, s->offset + i);
        }
        last = p[i - 1] == 0 ? i : last;
    }
    return true;
}

static bool
check_ref(const TikBlob *b, SectionId id, const uint8_t *field, TikBlobDiag *diag)
{
    const TikBlobSection *s = blob_section(b, SEC_STRS);
    const uint8_t *p = b->bytes + s->offset;
    uint32_t ref = get32(field);
    if (ref >= s->size || (ref > 0 && p[ref - 1] != 0)) {
        return blob_bad_value(diag, BLOB_STRING_REF, id, (uint64_t)(field - b->bytes),
                              (BlobSeen){ref, 0, (int64_t)s->size - 1});
    }
    return true;
}

/* Bytes of STRS that a walk over the references covers. */
enum {
#ifdef TIK_LEAN
    WINDOW = 1024 /* it has less stack */
#else
    WINDOW = 1 << 17
#endif
};

typedef struct Window {
    uint64_t first;
    uint8_t seen[WINDOW / 8];
} Window;

static void
mark_ref(Window *w, uint32_t ref)
{
    if (ref >= w->first && ref - w->first < WINDOW) {
        uint64_t i = ref - w->first;
        w->seen[i / 8] |= (uint8_t)(1 << (i % 8));
    }
}

static void
mark_text(const TikBlob *b, Window *w, const char *text)
{
    mark_ref(w, (uint32_t)(text - (const char *)blob_bytes(b, SEC_STRS)));
}

/* Marks what all tables but the places refer to. */
static void
mark_tables(const TikBlob *b, Window *w)
{
    static const SectionId tables[] = {SEC_KERN, SEC_ARGS, SEC_REGN};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        for (uint64_t i = 0; i < blob_records(b, tables[t]); i++) {
            mark_ref(w, get32(blob_record(b, tables[t], i)));
        }
    }
    for (uint64_t i = 0; i < blob_records(b, SEC_NAME); i++) {
        mark_ref(w, get32(blob_record(b, SEC_NAME, i) + 4));
    }
    for (uint32_t i = 1; i <= tikblob_frames(b); i++) {
        TikBlobFrame f;
        tikblob_frame(b, i, &f);
        mark_text(b, w, f.callee);
        mark_text(b, w, f.file);
    }
}

static void
mark_places(const TikBlob *b, Window *w)
{
    const TikBlobSection *s = blob_section(b, SEC_LINE);
    if (s == NULL) {
        return;
    }
    LineReader r = {b->bytes + s->offset, b->bytes + s->offset + s->size, 0, 0, 0};
    for (int k = 0; k < b->nkernels; k++) {
        uint32_t n = get32(blob_record(b, SEC_KERN, (uint64_t)k) + 12);
        blob_line_kernel(&r);
        for (uint32_t i = 0; i < n && blob_line_next(&r); i++) {
            mark_ref(w, r.file);
        }
    }
}

/* Returns the first byte of a string in the window that is not marked, or where the
 * window ends. */
static uint64_t
first_unmarked(const TikBlob *b, const Window *w)
{
    const TikBlobSection *s = blob_section(b, SEC_STRS);
    const uint8_t *p = b->bytes + s->offset;
    uint64_t i = w->first;
    for (; i < s->size && i - w->first < WINDOW; i++) {
        bool start = i == 0 || p[i - 1] == 0;
        if (start && !(w->seen[(i - w->first) / 8] >> ((i - w->first) % 8) & 1)) {
            return i;
        }
    }
    return i;
}

/* Checks that every string is referred to. It runs last, when the references themselves
 * have been checked. The places are by far the most references and name only files: they
 * are read for windows with a string that nothing else refers to, so for few. */
bool
blob_check_strings(const TikBlob *b, TikBlobDiag *diag)
{
    const TikBlobSection *s = blob_section(b, SEC_STRS);
    for (uint64_t first = 0; first < s->size; first += WINDOW) {
        uint64_t end = first + WINDOW < s->size ? first + WINDOW : s->size;
        Window w = {.first = first};
        mark_tables(b, &w);
        if (first_unmarked(b, &w) < end) {
            mark_places(b, &w);
        }
        uint64_t unused = first_unmarked(b, &w);
        if (unused < end) {
            return blob_bad(diag, BLOB_STRING_UNUSED, SEC_STRS, s->offset + unused);
        }
    }
    return true;
}

/* ---- kernels ------------------------------------------------------------- */

static const char *
text_at(const TikBlob *b, uint32_t ref)
{
    return (const char *)blob_bytes(b, SEC_STRS) + ref;
}

void
tikblob_kernel(const TikBlob *b, int index, TikBlobKernel *out)
{
    const uint8_t *p = blob_record(b, SEC_KERN, (uint64_t)index);
    *out = (TikBlobKernel){.name = text_at(b, get32(p)),
                           .code_first = get32(p + 4),
                           .code_slots = get32(p + 8),
                           .ndescriptors = get32(p + 12),
                           .first_arg = get32(p + 16),
                           .nargs = get32(p + 20),
                           .first_region = get32(p + 24),
                           .nregions = get32(p + 28),
                           .nregs = get32(p + 32),
                           .nloops = get32(p + 36),
                           .cores = get32(p + 40),
                           .flags = get32(p + 44),
                           .step_bound = get64(p + 48)};
    for (int i = 1; i < SC_COUNT; i++) {
        out->peak[i] = blob_has_peak(i) ? get32(p + 52 + 4 * i) : b->soc->bytes[i];
    }
}

/* Where the parts of the next kernel must begin. */
typedef struct Parts {
    uint64_t code, arg, region;
} Parts;

static bool
check_parts(const TikBlob *b, const uint8_t *p, Parts *next, TikBlobDiag *diag)
{
    bool in_order = get32(p + 4) == next->code && get32(p + 16) == next->arg &&
                    get32(p + 24) == next->region;
    next->code += get32(p + 8);
    next->arg += get32(p + 20);
    next->region += get32(p + 28);
    bool fits = next->code <= blob_records(b, SEC_CODE) &&
                next->arg <= blob_records(b, SEC_ARGS) &&
                next->region <= blob_records(b, SEC_REGN);
    if (!in_order || !fits) {
        return blob_bad(diag, BLOB_KERNEL_RANGE, SEC_KERN, (uint64_t)(p + 4 - b->bytes));
    }
    return true;
}

static bool
check_peak(const TikBlob *b, const uint8_t *p, TikBlobDiag *diag)
{
    for (int i = 1; i < PEAK_SCOPES; i++) {
        int64_t room = blob_has_peak(i) ? b->soc->bytes[i] : 0;
        if (get32(p + 52 + 4 * i) > room) {
            return blob_bad_value(diag, BLOB_KERNEL_PEAK, SEC_KERN,
                                  (uint64_t)(p + 52 + 4 * i - b->bytes),
                                  (BlobSeen){get32(p + 52 + 4 * i), 0, room});
        }
    }
    return true;
}

static bool
check_kernel(const TikBlob *b, const uint8_t *p, Parts *next, TikBlobDiag *diag)
{
    uint64_t where = (uint64_t)(p - b->bytes);
    uint32_t cores = get32(p + 40);
    if (!check_ref(b, SEC_KERN, p, diag)) {
        return false;
    }
    if (*text_at(b, get32(p)) == 0) {
        return blob_bad(diag, BLOB_KERNEL_NAME, SEC_KERN, where);
    }
    if (cores < 1 || cores > MAX_BLOB_CORES) {
        return blob_bad_value(diag, BLOB_KERNEL_LIMIT, SEC_KERN, where + 40,
                              (BlobSeen){cores, 1, MAX_BLOB_CORES});
    }
    if (get32(p + 32) > MAX_BLOB_REGS || get32(p + 36) > TIKBLOB_MAX_LOOPS) {
        return blob_bad(diag, BLOB_KERNEL_LIMIT, SEC_KERN, where + 32);
    }
    uint32_t flags = get32(p + 44);
    if (flags > (TIKBLOB_FILL_SCRATCH | TIKBLOB_ORDERED | TIKBLOB_ANY_CORES |
                 TIKBLOB_QUEUES) ||
        !blob_is_zero(p + 84, 4)) {
        return blob_bad(diag, BLOB_KERNEL_FLAGS, SEC_KERN, where + 44);
    }
    if (get64(p + 48) == 0) {
        return blob_bad_value(diag, BLOB_KERNEL_STEPS, SEC_KERN, where + 48,
                              (BlobSeen){0, 1, INT64_MAX});
    }
    return check_parts(b, p, next, diag) && check_peak(b, p, diag);
}

/* ---- arguments ----------------------------------------------------------- */

void
tikblob_arg(const TikBlob *b, const TikBlobKernel *k, int index, TikBlobArg *out)
{
    const uint8_t *p = blob_record(b, SEC_ARGS, k->first_arg + (uint64_t)index);
    *out = (TikBlobArg){.name = text_at(b, get32(p)),
                        .dtype = (Dtype)p[4],
                        .role = p[5],
                        .elems = (int64_t)get64(p + 8),
                        .ndim = p[6],
                        .open = (p[7] & ARG_OPEN) != 0};
    for (int i = 0; i < out->ndim; i++) {
        out->shape[i] = (int64_t)get64(p + 16 + 8 * i);
    }
    out->preset = (p[7] & ARG_PRESET) != 0;
    out->preset_value = (int64_t)get64(p + 80);
}

static bool
dtype_exists(uint8_t t)
{
    return dtype_is_stored(t);
}

static bool
check_shape(const uint8_t *p)
{
    int64_t elems = 1;
    for (int i = 0; i < p[6]; i++) {
        int64_t n = (int64_t)get64(p + 16 + 8 * i);
        if (n < 1 || __builtin_mul_overflow(elems, n, &elems)) {
            return false;
        }
    }
    int64_t bytes;
    if (p[5] == ARGROLE_LIST && elems > LIST_MAX) {
        return false;
    }
    return elems == (int64_t)get64(p + 8) &&
           !__builtin_mul_overflow(elems, (int64_t)dtype_size((Dtype)p[4]), &bytes) &&
           bytes <= INT64_MAX - BLOCK_BYTES;
}

/* Checks a preset, which is the canonical value of elements that the kernel's caller does
 * not give; an address of a list is an int64. */
static bool
check_preset(const uint8_t *p)
{
    int64_t value = (int64_t)get64(p + 80);
    bool list = p[5] == ARGROLE_LIST;
    bool open = (p[7] & ARG_OPEN) != 0;
    if (p[7] > (ARG_PRESET | ARG_OPEN) || (open && list)) {
        return false;
    }
    if ((p[7] & ARG_PRESET) == 0) {
        return value == 0 && (!list || p[4] == DT_S64);
    }
    return p[5] != ARGROLE_INPUT && !list && scalar_wrap((Dtype)p[4], value) == value;
}

static bool
check_arg(const TikBlob *b, const uint8_t *p, TikBlobDiag *diag)
{
    uint64_t where = (uint64_t)(p - b->bytes);
    if (!check_ref(b, SEC_ARGS, p, diag)) {
        return false;
    }
    bool fields = *text_at(b, get32(p)) != 0 && dtype_exists(p[4]) &&
                  p[5] < ARGROLE_COUNT && p[6] <= 8 && check_preset(p);
    if (!fields || !blob_is_zero(p + 16 + 8 * p[6], 64 - 8 * (uint64_t)p[6])) {
        return blob_bad(diag, BLOB_ARG_FIELD, SEC_ARGS, where);
    }
    if (!check_shape(p)) {
        return blob_bad(diag, BLOB_ARG_SHAPE, SEC_ARGS, where + 8);
    }
    return true;
}

/* ---- regions ------------------------------------------------------------- */

void
tikblob_region(const TikBlob *b, const TikBlobKernel *k, int index, TikBlobRegion *out)
{
    const uint8_t *p = blob_record(b, SEC_REGN, k->first_region + (uint64_t)index);
    *out = (TikBlobRegion){.name = text_at(b, get32(p)),
                           .scope = (Scope)p[4],
                           .dtype = (Dtype)p[5],
                           .kind = (TikBlobRegionKind)p[6],
                           .base = (int64_t)get64(p + 8),
                           .bytes = (int64_t)get64(p + 16),
                           .open = p[7] != 0};
    if (out->kind == TIKBLOB_TABLE) {
        out->data = blob_bytes(b, SEC_CNST) + out->base;
        out->pack = blob_pack_of(b, k->first_region + (uint64_t)index);
    }
}

static bool
check_global(const TikBlob *b, const TikBlobKernel *k, const uint8_t *p,
             TikBlobDiag *diag)
{
    uint64_t where = (uint64_t)(p - b->bytes);
    uint64_t index = get64(p + 8);
    if (index >= k->nargs) {
        return blob_bad_value(diag, BLOB_REGION_BASE, SEC_REGN, where + 8,
                              (BlobSeen){(int64_t)index, 0, (int64_t)k->nargs - 1});
    }
    TikBlobArg arg;
    tikblob_arg(b, k, (int)index, &arg);
    bool list = arg.role == ARGROLE_LIST;
    if (list != (p[6] == TIKBLOB_LIST)) {
        return blob_bad(diag, BLOB_REGION_BASE, SEC_REGN, where + 8);
    }
    if (arg.open != (p[7] != 0)) {
        return blob_bad(diag, BLOB_REGION_FIELD, SEC_REGN, where + 7);
    }
    int64_t bytes = arg.elems * (list ? LIST_WINDOW : dtype_size(arg.dtype));
    if (bytes != (int64_t)get64(p + 16)) {
        return blob_bad_value(diag, BLOB_REGION_BYTES, SEC_REGN, where + 16,
                              (BlobSeen){(int64_t)get64(p + 16), bytes, bytes});
    }
    return true;
}

/* Checks that the gaps between tables are zero. */
static bool
check_gap(const TikBlob *b, uint64_t from, uint64_t to, TikBlobDiag *diag)
{
    const TikBlobSection *s = blob_section(b, SEC_CNST);
    return from == to || blob_is_zero(b->bytes + s->offset + from, to - from) ||
           blob_bad(diag, BLOB_CONST_RANGE, SEC_CNST, s->offset + from);
}

/* Checks that a table begins where the one before it in the blob ended, or a packed one
 * at the next page. */
static bool
check_table(const TikBlob *b, const uint8_t *p, bool packed, uint64_t *next,
            TikBlobDiag *diag)
{
    const TikBlobSection *s = blob_section(b, SEC_CNST);
    uint64_t ended = *next;
    uint64_t where = (uint64_t)(p - b->bytes);
    uint64_t base = get64(p + 8);
    uint64_t bytes = get64(p + 16);
    uint64_t size = s == NULL ? 0 : s->size;
    *next = packed ? (ended + PACK_ALIGN - 1) / PACK_ALIGN * PACK_ALIGN : ended;
    if (base != *next || base > size) {
        return blob_bad_value(diag, BLOB_CONST_RANGE, SEC_REGN, where + 8,
                              (BlobSeen){(int64_t)base, (int64_t)*next, (int64_t)*next});
    }
    if (bytes < 1 || bytes > size - base || blob_table_room(bytes) > size - base ||
        mod_floor((int64_t)bytes, dtype_size((Dtype)p[5])) != 0) {
        return blob_bad_value(diag, BLOB_REGION_BYTES, SEC_REGN, where + 16,
                              (BlobSeen){(int64_t)bytes, 1, (int64_t)(size - base)});
    }
    *next = base + blob_table_room(bytes);
    return check_gap(b, ended, base, diag) && check_gap(b, base + bytes, *next, diag);
}

static bool
check_local(const TikBlob *b, const TikBlobKernel *k, const uint8_t *p, TikBlobDiag *diag)
{
    uint64_t where = (uint64_t)(p - b->bytes);
    Scope scope = (Scope)p[4];
    int64_t base = (int64_t)get64(p + 8);
    int64_t bytes = (int64_t)get64(p + 16);
    int64_t room = b->soc->bytes[scope];
    if (base < 0 || base > room || mod_floor(base, scope_alloc_unit(scope)) != 0) {
        return blob_bad_value(diag, BLOB_REGION_BASE, SEC_REGN, where + 8,
                              (BlobSeen){base, 0, room});
    }
    if (bytes < 1 || bytes > room - base) {
        return blob_bad_value(diag, BLOB_REGION_BYTES, SEC_REGN, where + 16,
                              (BlobSeen){bytes, 1, room - base});
    }
    if (base + bytes > k->peak[scope]) {
        return blob_bad_value(diag, BLOB_KERNEL_PEAK, SEC_REGN, where,
                              (BlobSeen){k->peak[scope], base + bytes, room});
    }
    return true;
}

static bool
check_region(const TikBlob *b, const TikBlobKernel *k, const uint8_t *p, uint64_t *next,
             TikBlobDiag *diag)
{
    if (!check_ref(b, SEC_REGN, p, diag)) {
        return false;
    }
    if (p[4] >= SC_COUNT || !dtype_exists(p[5]) ||
        p[6] > (p[4] == SC_GM ? TIKBLOB_LIST : TIKBLOB_TENSOR) ||
        p[7] > (p[6] == TIKBLOB_TENSOR)) {
        return blob_bad(diag, BLOB_REGION_FIELD, SEC_REGN, (uint64_t)(p + 4 - b->bytes));
    }
    if (p[6] == TIKBLOB_TABLE) {
        size_t index = (size_t)(p - blob_record(b, SEC_REGN, 0)) / REGION_BYTES;
        return check_table(b, p, blob_is_packed(b, index), next, diag);
    }
    return p[4] == SC_GM ? check_global(b, k, p, diag) : check_local(b, k, p, diag);
}

/* ---- affine rows --------------------------------------------------------- */

int
blob_row_compare(const uint8_t *a, const uint8_t *b)
{
    uint64_t n = (uint64_t)(a[1] < b[1] ? a[1] : b[1]) * ROW_BYTES;
    for (uint64_t i = 0; i < 12; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    for (uint64_t i = ROW_BYTES; i < ROW_BYTES + n; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

static bool
check_terms(const uint8_t *head, int n)
{
    int count[4] = {0, 0, 0, 0};
    for (int i = 1; i <= n; i++) {
        const uint8_t *t = head + ROW_BYTES * i;
        bool fields = t[0] == ROW_TERM && (t[1] == TAG_LOOP || t[1] == TAG_REG) &&
                      get16(t + 2) == 0;
        const uint8_t *before = t - ROW_BYTES;
        bool ascends = i == 1 || before[1] < t[1] ||
                       (before[1] == t[1] && get32(before + 4) < get32(t + 4));
        if (!fields || !ascends || get64(t + 8) == 0) {
            return false;
        }
        count[t[1]]++;
    }
    return count[TAG_LOOP] <= TIKBLOB_MAX_TERMS && count[TAG_REG] <= TIKBLOB_MAX_REGS;
}

/* Checks that the links are a ring through all heads, from the smallest row upwards and
 * back. */
static bool
check_ring(const TikBlob *b, uint64_t heads, TikBlobDiag *diag)
{
    uint64_t n = blob_records(b, SEC_AFFN);
    uint64_t at = 0;
    int falls = 0;
    for (uint64_t i = 0; i < heads; i++) {
        const uint8_t *p = blob_record(b, SEC_AFFN, at);
        uint64_t next = get32(p + 12);
        if (next >= n || blob_record(b, SEC_AFFN, next)[0] != ROW_HEAD) {
            return blob_bad(diag, BLOB_ROW_UNIQUE, SEC_AFFN,
                            (uint64_t)(p + 12 - b->bytes));
        }
        falls += blob_row_compare(p, blob_record(b, SEC_AFFN, next)) >= 0;
        at = next;
    }
    if (heads > 0 && (at != 0 || falls != 1)) {
        return blob_bad(diag, BLOB_ROW_UNIQUE, SEC_AFFN,
                        blob_section(b, SEC_AFFN)->offset);
    }
    return true;
}

static bool
check_rows(const TikBlob *b, TikBlobDiag *diag)
{
    uint64_t n = blob_records(b, SEC_AFFN);
    uint64_t heads = 0;
    for (uint64_t i = 0; i < n;) {
        const uint8_t *p = blob_record(b, SEC_AFFN, i);
        uint64_t where = (uint64_t)(p - b->bytes);
        if (p[0] != ROW_HEAD || get16(p + 2) != 0 ||
            p[1] > TIKBLOB_MAX_TERMS + TIKBLOB_MAX_REGS || p[1] >= n - i) {
            return blob_bad(diag, BLOB_ROW_FIELD, SEC_AFFN, where);
        }
        if (!check_terms(p, p[1])) {
            return blob_bad(diag, BLOB_ROW_TERM, SEC_AFFN, where);
        }
        i += 1 + (uint64_t)p[1];
        heads++;
    }
    return check_ring(b, heads, diag);
}

/* ---- all ----------------------------------------------------------------- */

static bool
check_meta(const TikBlob *b, TikBlobDiag *diag)
{
    const TikBlobSection *s = blob_section(b, SEC_META);
    uint64_t bad = 0;
    if (s == NULL) {
        return true;
    }
    const uint8_t *p = b->bytes + s->offset;
    while (bad < s->size && p[bad] != 0) {
        bad++;
    }
    if (s->size == 0 || bad < s->size) {
        return blob_bad(diag, BLOB_META_TEXT, SEC_META, s->offset + bad);
    }
    if (!blob_utf8(p, s->size, &bad)) {
        return blob_bad(diag, BLOB_STRING_UTF8, SEC_META, s->offset + bad);
    }
    return true;
}

static bool
check_kernels(TikBlob *b, TikBlobDiag *diag)
{
    uint64_t n = blob_records(b, SEC_KERN);
    Parts next = {0, 0, 0};
    if (n < 1 || n > 65535) {
        return blob_bad_value(diag, BLOB_KERNEL_COUNT, SEC_KERN,
                              blob_section(b, SEC_KERN)->offset,
                              (BlobSeen){(int64_t)n, 1, 65535});
    }
    b->nkernels = (int)n;
    for (uint64_t i = 0; i < n; i++) {
        if (!check_kernel(b, blob_record(b, SEC_KERN, i), &next, diag)) {
            return false;
        }
    }
    if (next.code != blob_records(b, SEC_CODE) || next.arg != blob_records(b, SEC_ARGS) ||
        next.region != blob_records(b, SEC_REGN)) {
        return blob_bad(diag, BLOB_KERNEL_RANGE, SEC_KERN,
                        blob_section(b, SEC_KERN)->offset);
    }
    return true;
}

static bool
check_regions(const TikBlob *b, TikBlobDiag *diag)
{
    uint64_t next = 0; /* where the next constant table must begin */
    for (int k = 0; k < b->nkernels; k++) {
        TikBlobKernel kernel;
        tikblob_kernel(b, k, &kernel);
        for (uint32_t i = 0; i < kernel.nregions; i++) {
            const uint8_t *p =
                blob_record(b, SEC_REGN, kernel.first_region + (uint64_t)i);
            if (!check_region(b, &kernel, p, &next, diag)) {
                return false;
            }
        }
    }
    const TikBlobSection *s = blob_section(b, SEC_CNST);
    if (s != NULL && (s->size == 0 || s->size != next)) {
        return blob_bad_value(diag, BLOB_CONST_RANGE, SEC_CNST, s->offset,
                              (BlobSeen){(int64_t)s->size, (int64_t)next, (int64_t)next});
    }
    return true;
}

bool
blob_check_tables(TikBlob *b, TikBlobDiag *diag)
{
    if (!check_strings(b, diag) || !check_kernels(b, diag)) {
        return false;
    }
    for (uint64_t i = 0; i < blob_records(b, SEC_ARGS); i++) {
        if (!check_arg(b, blob_record(b, SEC_ARGS, i), diag)) {
            return false;
        }
    }
    return check_regions(b, diag) && blob_check_packs(b, diag) && check_rows(b, diag) &&
           check_meta(b, diag);
}
