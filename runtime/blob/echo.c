/* echo.c: descriptors that repeat one before them, byte for byte but for the low words of
 * the offsets of an instruction's operands, as unrolled loops make them. What was checked
 * of the first one holds for those that follow. It is freestanding. */
#include "blob/blob.h"

enum {
    NEAR_ROW = 1 << 30 /* high words of offsets below this one take any low word */
};

/* Marks the low word of an offset at a byte of the descriptor as free. Returns false if
 * the sum of both words may overflow. */
static bool
free_word(BlobEcho *e, const TikBlob *b, uint32_t at)
{
    const uint8_t *head = blob_record(b, SEC_AFFN, get32(e->p + at) & 0xffffff);
    int32_t high = (int32_t)get32(head + 8);
    uint32_t low = at + 4;
    e->keep[low / 8] &= low % 8 == 0 ? ~(uint64_t)UINT32_MAX : UINT32_MAX;
    e->at[e->n++] = (uint16_t)low;
    return high > -NEAR_ROW && high < NEAR_ROW;
}

/* Returns the bytes of a parameter. */
static uint32_t
bytes_of(Role role, MaskForm form)
{
    switch (role) {
    case ROLE_DST:
    case ROLE_SRC:
    case ROLE_ROOT:
        return 8;
    case ROLE_MASK:
        return 4 * (uint32_t)mask_words(form);
    case ROLE_MASKMODE:
        return 0;
    case ROLE_REPEAT:
    case ROLE_INT:
    case ROLE_SCALAR:
    case ROLE_ATTR:
    case ROLE_PIPE:
        break;
    }
    return 4;
}

/* Frees the low words of an instruction's offsets. */
static bool
free_offsets(BlobEcho *e, const TikBlob *b)
{
    int n, numbers, bytes;
    Op op = (Op)(get16(e->p + 2) & ((1 << OP_BITS) - 1));
    MaskForm form = (MaskForm)(get16(e->p + 2) >> OP_FORM_SHIFT & 3);
    const ParamRow *params = op_params(op, &n);
    blob_instr_layout(op, form, &numbers, &bytes);
    uint32_t at = 8 + blob_more_tags(numbers);
    bool near = true;
    for (int i = 0; i < n; i++) {
        Role role = role_at(params, i);
        if (role == ROLE_DST || role == ROLE_SRC || role == ROLE_ROOT) {
            near = free_word(e, b, at) && near;
        }
        at += bytes_of(role, form);
    }
    return near;
}

bool
blob_echo_keep(BlobEcho *e, const TikBlob *b, uint64_t offset)
{
    const uint8_t *p = b->bytes + offset;
    e->p = NULL;
    if (p[0] * SLOT_BYTES > ECHO_WORDS * 8) {
        return false;
    }
    e->p = p;
    e->n = 0;
    e->words = p[0] * SLOT_BYTES / 8;
    for (int i = 0; i < e->words; i++) {
        e->keep[i] = UINT64_MAX;
    }
    bool near = p[1] != CLASS_BASE + DESC_INSTR || free_offsets(e, b);
    e->p = near ? p : NULL;
    return near;
}

bool
blob_echo_is(const BlobEcho *e, const uint8_t *p, uint64_t room)
{
    if (e->p == NULL || room < (uint64_t)e->words * 8 || get64(p) != get64(e->p)) {
        return false;
    }
    uint64_t other = 0;
    for (int i = 1; i < e->words; i++) {
        other |= (get64(p + 8 * i) ^ get64(e->p + 8 * i)) & e->keep[i];
    }
    return other == 0;
}
