/* lmem_const.c: packs constants other than weights: parameters of output channels,
 * elements of 4 bits, resized arrays. See lmem_pack.h. */
#include "layout/lmem_pack.h"

#include "isa/bytes.h"

static void
put32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++) {
        p[i] = (uint8_t)(v >> (8 * i));
    }
}

static uint32_t
word(const void *p, uint64_t i)
{
    const uint8_t *b = (const uint8_t *)p + 4 * i;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* ---- requantisation ------------------------------------------------------ */

void
pack_requant_words(const PackTarget *t, uint64_t oc, const PackRequant *requant,
                   void *out)
{
    uint8_t *p = out;
    for (uint64_t c = 0; c < oc; c++, p += 4 * (size_t)t->requant_words) {
        uint32_t zp = word(requant->zp, c * requant->zp_step);
        uint32_t back = 0U - word(requant->shift, c); /* words hold a shift to the left */
        put32(p, word(requant->mul, c));
        if (t->requant_words == 3) {
            put32(p + 4, back);
            put32(p + 8, zp);
        } else {
            put32(p + 4, (back & 0xff) + ((zp & 0xffff) << 16));
        }
    }
}

/* ---- parameters of PACK_PLAIN targets ------------------------------------ */

void
pack_channel_bytes(uint64_t oc, const void *bias, const PackRequant *requant,
                   uint8_t *out)
{
    for (uint64_t c = 0; c < oc; c++) {
        if (bias != NULL) {
            put32(out, word(bias, c));
            out += 4;
        }
        put32(out, word(requant->mul, c));
        out[4] = (uint8_t)word(requant->shift, c);
        out += 5;
    }
}

void
pack_bias_planes(uint64_t oc, const void *bias, uint8_t *out)
{
    const uint8_t *words = bias;
    for (uint64_t c = 0; c < oc; c++) {
        memcpy(out + 2 * c, words + 4 * c + 2, 2);
        memcpy(out + 2 * (oc + c), words + 4 * c, 2);
    }
}

/* ---- elements of 4 bits -------------------------------------------------- */

void
pack_nibbles(const uint8_t *src, uint64_t n, uint8_t *out)
{
    for (uint64_t i = 0; i < n; i += 2) {
        uint8_t high = i + 1 < n ? src[i + 1] : 0;
        out[i / 2] = (uint8_t)((src[i] & 15) | (high & 15) << 4);
    }
}

void
pack_nibbles_apart(const uint8_t *src, uint64_t n, uint8_t *out)
{
    for (uint64_t i = 0; i < n; i++) {
        out[i] = (uint8_t)(src[i / 2] >> (4 * (i % 2)) & 15);
    }
}

/* ---- resize -------------------------------------------------------------- */

void
pack_resize(const void *src, const uint64_t *from, const uint64_t *to, int rank,
            size_t elem_bytes, void *out)
{
    uint64_t below_from = 1;
    uint64_t below_to = 1;
    for (int i = 1; i < rank; i++) {
        below_from *= from[i];
        below_to *= to[i];
    }
    if (rank == 1) {
        memcpy(out, src, from[0] * elem_bytes);
        return;
    }
    for (uint64_t i = 0; i < from[0]; i++) {
        pack_resize((const uint8_t *)src + i * below_from * elem_bytes, from + 1, to + 1,
                    rank - 1, elem_bytes, (uint8_t *)out + i * below_to * elem_bytes);
    }
}
