/* digest.c: CRC-32C of sections and the SHA-256 build id. It is freestanding, and its
 * tables are constant. */
#include "blob/blob.h"

/* Where the processor may have an instruction for the polynomial, and a library tells
 * whether it has. */
#if defined(__x86_64__) && __STDC_HOSTED__
#define HAS_CRC_INSTRUCTION 1
#else
#define HAS_CRC_INSTRUCTION 0
#endif

/* The reflected polynomial 0x82f63b78, for the eight groups of four bits of a word: what
 * each of their values leaves after the 32 bits of the word. The last table is the one
 * for four bits alone. */
static const uint32_t crc_of[][16] = {
#ifndef TIK_LEAN /* a loader has the last one alone, and goes byte by byte */
    {0x00000000, 0xdd45aab8, 0xbf672381, 0x62228939, 0x7b2231f3, 0xa6679b4b, 0xc4451272,
     0x1900b8ca, 0xf64463e6, 0x2b01c95e, 0x49234067, 0x9466eadf, 0x8d665215, 0x5023f8ad,
     0x32017194, 0xef44db2c},
    {0x00000000, 0xe964b13d, 0xd725148b, 0x3e41a5b6, 0xaba65fe7, 0x42c2eeda, 0x7c834b6c,
     0x95e7fa51, 0x52a0c93f, 0xbbc47802, 0x8585ddb4, 0x6ce16c89, 0xf90696d8, 0x106227e5,
     0x2e238253, 0xc747336e},
    {0x00000000, 0xa541927e, 0x4f6f520d, 0xea2ec073, 0x9edea41a, 0x3b9f3664, 0xd1b1f617,
     0x74f06469, 0x38513ec5, 0x9d10acbb, 0x773e6cc8, 0xd27ffeb6, 0xa68f9adf, 0x03ce08a1,
     0xe9e0c8d2, 0x4ca15aac},
    {0x00000000, 0x70a27d8a, 0xe144fb14, 0x91e6869e, 0xc76580d9, 0xb7c7fd53, 0x26217bcd,
     0x56830647, 0x8b277743, 0xfb850ac9, 0x6a638c57, 0x1ac1f1dd, 0x4c42f79a, 0x3ce08a10,
     0xad060c8e, 0xdda47104},
    {0x00000000, 0x13a29877, 0x274530ee, 0x34e7a899, 0x4e8a61dc, 0x5d28f9ab, 0x69cf5132,
     0x7a6dc945, 0x9d14c3b8, 0x8eb65bcf, 0xba51f356, 0xa9f36b21, 0xd39ea264, 0xc03c3a13,
     0xf4db928a, 0xe7790afd},
    {0x00000000, 0x3fc5f181, 0x7f8be302, 0x404e1283, 0xff17c604, 0xc0d23785, 0x809c2506,
     0xbf59d487, 0xfbc3faf9, 0xc4060b78, 0x844819fb, 0xbb8de87a, 0x04d43cfd, 0x3b11cd7c,
     0x7b5fdfff, 0x449a2e7e},
    {0x00000000, 0xf26b8303, 0xe13b70f7, 0x1350f3f4, 0xc79a971f, 0x35f1141c, 0x26a1e7e8,
     0xd4ca64eb, 0x8ad958cf, 0x78b2dbcc, 0x6be22838, 0x9989ab3b, 0x4d43cfd0, 0xbf284cd3,
     0xac78bf27, 0x5e133c24},
#endif
    {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362,
     0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab,
     0xe330a81a, 0xf36e6f75},
};

uint32_t
blob_crc32c_tables(const uint8_t *p, uint64_t n)
{
    const uint32_t *nibble = crc_of[sizeof crc_of / sizeof crc_of[0] - 1];
    uint32_t crc = ~(uint32_t)0;
#ifndef TIK_LEAN
    for (; n >= 4; n -= 4, p += 4) {
        uint32_t w = crc ^ get32(p);
        crc = 0;
        for (int i = 0; i < 8; i++) {
            crc ^= crc_of[i][w >> 4 * i & 15];
        }
    }
#endif
    for (; n > 0; n--, p++) {
        crc ^= *p;
        crc = crc >> 4 ^ nibble[crc & 15];
        crc = crc >> 4 ^ nibble[crc & 15];
    }
    return ~crc;
}

#if HAS_CRC_INSTRUCTION
__attribute__((target("sse4.2"))) static uint32_t
crc_by_instruction(const uint8_t *p, uint64_t n)
{
    uint64_t wide = ~(uint32_t)0;
    for (; n >= 8; n -= 8, p += 8) {
        wide = __builtin_ia32_crc32di(wide, get64(p));
    }
    uint32_t crc = (uint32_t)wide;
    for (; n > 0; n--, p++) {
        crc = __builtin_ia32_crc32qi(crc, *p);
    }
    return ~crc;
}
#endif

uint32_t
blob_crc32c(const uint8_t *p, uint64_t n)
{
#if HAS_CRC_INSTRUCTION
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.2")) {
        return crc_by_instruction(p, n);
    }
#endif
    return blob_crc32c_tables(p, n);
}

static const uint32_t sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

static uint32_t
rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* A round renames the eight variables instead of moving them; after eight of them they
 * have their names again. */
#define SHA_ROUND(a, b, c, d, e, f, g, h, at, word)                                      \
    h += (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + (g ^ (e & (f ^ g))) + sha_k[at] +    \
         (word);                                                                         \
    d += h;                                                                              \
    h += (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) | (c & (a | b)));
/* Eight rounds from i on, a multiple of 16, with the words from j on. */
#define SHA_ROUNDS(i, j, WORD)                                                           \
    SHA_ROUND(a, b, c, d, e, f, g, h, (i) + (j), WORD(j))                                \
    SHA_ROUND(h, a, b, c, d, e, f, g, (i) + (j) + 1, WORD((j) + 1))                      \
    SHA_ROUND(g, h, a, b, c, d, e, f, (i) + (j) + 2, WORD((j) + 2))                      \
    SHA_ROUND(f, g, h, a, b, c, d, e, (i) + (j) + 3, WORD((j) + 3))                      \
    SHA_ROUND(e, f, g, h, a, b, c, d, (i) + (j) + 4, WORD((j) + 4))                      \
    SHA_ROUND(d, e, f, g, h, a, b, c, (i) + (j) + 5, WORD((j) + 5))                      \
    SHA_ROUND(c, d, e, f, g, h, a, b, (i) + (j) + 6, WORD((j) + 6))                      \
    SHA_ROUND(b, c, d, e, f, g, h, a, (i) + (j) + 7, WORD((j) + 7))

#define SHA_FIRST(j) w[j]
/* The words of the schedule are made when they are needed; sixteen of them are kept. */
#define SHA_NEXT(j)                                                                      \
    (w[j] += w[((j) + 9) & 15] + sha_old(w[((j) + 1) & 15]) + sha_new(w[((j) + 14) & 15]))

static uint32_t
sha_old(uint32_t x)
{
    return rotr(x, 7) ^ rotr(x, 18) ^ x >> 3;
}

static uint32_t
sha_new(uint32_t x)
{
    return rotr(x, 17) ^ rotr(x, 19) ^ x >> 10;
}

static void
sha_block(Sha256 *s, const uint8_t *p)
{
    uint32_t w[16], *v = s->h;
    uint32_t a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6];
    uint32_t h = v[7];
    for (int i = 0; i < 16; i++) {
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
               (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    }
    SHA_ROUNDS(0, 0, SHA_FIRST)
    SHA_ROUNDS(0, 8, SHA_FIRST)
    for (int i = 16; i < 64; i += 16) {
        SHA_ROUNDS(i, 0, SHA_NEXT)
        SHA_ROUNDS(i, 8, SHA_NEXT)
    }
    v[0] += a;
    v[1] += b;
    v[2] += c;
    v[3] += d;
    v[4] += e;
    v[5] += f;
    v[6] += g;
    v[7] += h;
}

void
blob_sha256_init(Sha256 *s)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int i = 0; i < 8; i++) {
        s->h[i] = start[i];
    }
    s->used = 0;
    s->total = 0;
}

void
blob_sha256_add(Sha256 *s, const uint8_t *p, uint64_t n)
{
    s->total += n;
    while (n > 0) {
        for (; s->used == 0 && n >= 64; n -= 64, p += 64) {
            sha_block(s, p);
        }
        if (n == 0) {
            break;
        }
        s->block[s->used++] = *p++;
        n--;
        if (s->used == 64) {
            sha_block(s, s->block);
            s->used = 0;
        }
    }
}

void
blob_sha256_end(Sha256 *s, uint8_t out[32])
{
    uint64_t bits = s->total * 8;
    uint8_t pad = 0x80;
    blob_sha256_add(s, &pad, 1);
    pad = 0;
    while (s->used != 56) {
        blob_sha256_add(s, &pad, 1);
    }
    for (int i = 0; i < 8; i++) {
        uint8_t byte = (uint8_t)(bits >> (56 - 8 * i));
        blob_sha256_add(s, &byte, 1);
    }
    for (int i = 0; i < 32; i++) {
        out[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
    }
}
