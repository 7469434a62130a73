/* pack.c: section PACK says which constant tables are packed constants, and how their
 * rows are laid out. docs/blob-format.md lists the fields.
 *
 * All fields after the axes of the weight follow from those before; the reader computes
 * them again and refuses other numbers, so the record can be trusted. It owns the rule
 * packed-constant. */
#include "blob/blob.h"

#include "isa/bytes.h"

enum {
    FLAG_PACKED = 1,
    FLAG_DEPTHWISE = 2,
    FLAG_REQUANT = 4,
    FLAG_BIAS = 8,
    FLAG_NIBBLES = 16
};

/* Whether any processor that this reader knows has packed constants. */
#ifdef TIK_LEAN
#define HAS_LMEM LEAN_LMEM
#else
#define HAS_LMEM true
#endif

bool
blob_pack_plan(const Soc *soc, const Choices *choices, TikBlobPack *p)
{
    PackTarget t;
    bool bytes = p->weight == DT_S8 || p->weight == DT_U8;
    if (!HAS_LMEM || !pack_target(soc, choices, &t) || (p->nibbles && !bytes)) {
        return false;
    }
    PackWeight w = {
        .bits = p->nibbles ? 4 : 8 * (unsigned)dtype_size(p->weight),
        .is_float = dtype_is_float(p->weight),
        .is_bfloat = p->weight == DT_BF16,
        .oc = p->dim[0],
        .ic = p->dim[1],
        .kh = p->dim[2],
        .kw = p->dim[3],
        .depthwise = p->depthwise,
    };
    return pack_constant(&t, &w, p->requant, p->bias, &p->plan) == PACK_OK &&
           p->plan.total <= UINT32_MAX;
}

void
blob_pack_write(const TikBlobPack *p, uint32_t region, uint8_t *r)
{
    put32(r, region);
    r[4] = (uint8_t)((p->packed ? FLAG_PACKED : 0) | (p->depthwise ? FLAG_DEPTHWISE : 0) |
                     (p->requant ? FLAG_REQUANT : 0) | (p->bias ? FLAG_BIAS : 0) |
                     (p->nibbles ? FLAG_NIBBLES : 0));
    r[5] = (uint8_t)p->plan.nparts;
    r[6] = (uint8_t)p->weight;
    put32(r + 8, (uint32_t)p->plan.rows);
    put32(r + 12, (uint32_t)p->plan.row_bytes);
    for (int i = 0; i < 4; i++) {
        put32(r + 16 + 4 * i, (uint32_t)p->plan.shape[i]);
        put32(r + 32 + 4 * i, p->dim[i]);
    }
    for (int i = 0; i < p->plan.nparts; i++) {
        const PackPart *part = &p->plan.part[i];
        uint8_t *q = r + 48 + 16 * i;
        q[0] = (uint8_t)part->kind;
        put32(q + 4, (uint32_t)part->offset);
        put32(q + 8, (uint32_t)part->slot_bytes);
        put32(q + 12, (uint32_t)part->pitch);
    }
}

/* ---- reading ------------------------------------------------------------- */

/* Returns the record of the region, or null. Records that have been checked ascend; for
 * others the result may be wrong. */
static const uint8_t *
find(const TikBlob *b, uint64_t region)
{
    uint64_t lo = 0, hi = blob_records(b, SEC_PACK);
    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;
        const uint8_t *r = blob_record(b, SEC_PACK, mid);
        if (get32(r) == region) {
            return r;
        }
        if (get32(r) < region) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return NULL;
}

bool
blob_is_packed(const TikBlob *b, uint64_t region)
{
    return find(b, region) != NULL;
}

static TikBlobPack
fields(const uint8_t *r)
{
    TikBlobPack p = {.present = true,
                     .packed = (r[4] & FLAG_PACKED) != 0,
                     .depthwise = (r[4] & FLAG_DEPTHWISE) != 0,
                     .requant = (r[4] & FLAG_REQUANT) != 0,
                     .bias = (r[4] & FLAG_BIAS) != 0,
                     .nibbles = (r[4] & FLAG_NIBBLES) != 0,
                     .weight = (Dtype)r[6]};
    for (int i = 0; i < 4; i++) {
        p.dim[i] = get32(r + 32 + 4 * i);
    }
    return p;
}

TikBlobPack
blob_pack_of(const TikBlob *b, uint64_t region)
{
    const uint8_t *r = find(b, region);
    TikBlobPack p = {0};
    if (r != NULL) {
        p = fields(r);
        p.present = blob_pack_plan(b->soc, &b->choices, &p);
    }
    return p;
}

static bool
check_record(const TikBlob *b, const uint8_t *r, uint64_t *least)
{
    uint64_t region = get32(r);
    if (region < *least || region >= blob_records(b, SEC_REGN) || r[6] <= DT_NONE ||
        r[6] >= DT_PLAIN) {
        return false;
    }
    const uint8_t *table = blob_record(b, SEC_REGN, region);
    TikBlobPack p = fields(r);
    uint8_t want[PACK_BYTES] = {0};
    if (table[6] != TIKBLOB_TABLE || !blob_pack_plan(b->soc, &b->choices, &p) ||
        p.plan.total != get64(table + 16)) {
        return false;
    }
    Dtype stored = p.requant || p.bias || p.nibbles ? DT_U8 : p.weight;
    blob_pack_write(&p, (uint32_t)region, want);
    *least = region + 1;
    return table[5] == (uint8_t)stored && memcmp(r, want, PACK_BYTES) == 0;
}

bool
blob_check_packs(const TikBlob *b, TikBlobDiag *diag)
{
    uint64_t n = blob_records(b, SEC_PACK);
    uint64_t least = 0;
    const TikBlobSection *s = blob_section(b, SEC_PACK);
    if (s != NULL && n == 0) {
        return blob_bad(diag, BLOB_PACK_FIELD, SEC_PACK, s->offset);
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *r = blob_record(b, SEC_PACK, i);
        if (!check_record(b, r, &least)) {
            return blob_bad(diag, BLOB_PACK_FIELD, SEC_PACK, (uint64_t)(r - b->bytes));
        }
    }
    return true;
}
