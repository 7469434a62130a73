/* amx.c: products of bytes on tile registers, see num/amx.h.
 *
 * Registers 0 to 3 have the sums of 16 rows x 16 columns each, 4 and 5 rows of the first
 * factor, 6 and 7 columns of the second one. The instructions are written as assembly,
 * because what the compilers' headers say of the memory that they read differs. */
#if defined(__linux__)
#define _GNU_SOURCE /* syscall */
#endif
#include "num/amx.h"

#include "num/lanes.h"

#if defined(__x86_64__) && defined(__linux__)
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    ASK_FOR_STATE = 0x1023, /* ARCH_REQ_XCOMP_PERM */
    TILE_DATA = 18,         /* XTILEDATA */
    SIDE = NUM_AMX_GROUP,   /* rows of a register, and words of a row */
    WORD = 4,
    LINE = SIDE * WORD
};

bool
num_amx_allowed(void)
{
    return num_has_vnni() && __builtin_cpu_supports("amx-tile") &&
           __builtin_cpu_supports("amx-int8") &&
           syscall(SYS_arch_prctl, ASK_FOR_STATE, TILE_DATA) == 0;
}

/* The sizes of the registers, as the processor reads them. */
typedef struct Shapes {
    uint8_t palette, start_row, none[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} Shapes;

#define SET_SHAPES(shapes) __asm__ volatile("ldtilecfg %0" : : "m"(*(shapes)) : "memory")
#define RELEASE()          __asm__ volatile("tilerelease" : : : "memory")
#define ZERO(tile)         __asm__ volatile("tilezero %%tmm" #tile : : :)
#define LOAD(tile, from, pitch)                                                          \
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #tile                                  \
                     :                                                                   \
                     : "r"(from), "r"(pitch)                                             \
                     : "memory")
#define STORE(tile, to, pitch)                                                           \
    __asm__ volatile("tilestored %%tmm" #tile ", (%0,%1,1)"                              \
                     :                                                                   \
                     : "r"(to), "r"(pitch)                                               \
                     : "memory")
#define MULTIPLY(how, sum, a, b)                                                         \
    __asm__ volatile(how " %%tmm" #b ", %%tmm" #a ", %%tmm" #sum : : :)

static void
set_shapes(NumAmx *s, int rows, int64_t steps)
{
    if (s->rows == rows && s->steps == steps) {
        return;
    }
    Shapes shapes = {.palette = 1};
    for (int i = 0; i < 8; i++) {
        bool low = i == 2 || i == 3 || i == 5; /* rows from 16 on */
        int here = !low ? (rows < SIDE ? rows : SIDE) : rows > SIDE ? rows - SIDE : SIDE;
        shapes.rows[i] = (uint8_t)(i < 6 ? here : steps);
        shapes.row_bytes[i] = (uint16_t)(WORD * (i == 4 || i == 5 ? steps : SIDE));
    }
    SET_SHAPES(&shapes);
    s->rows = rows;
    s->steps = steps;
}

/* A part of a block: some of its steps for a pair of groups. */
typedef struct Part {
    const uint8_t *a, *b;
    uint8_t *c;
    int64_t n, steps; /* n times as many steps as the registers have */
    bool low;         /* there are rows from 16 on */
    bool right;       /* there are columns from 16 on */
    bool first;
} Part;

/* Multiplies the factors of a part. */
#define PART(name, how)                                                                  \
    static void name(const NumAmxBlock *b, const Part *p)                                \
    {                                                                                    \
        const int64_t pitch = b->a_pitch, line = b->b_step;                              \
        const uint8_t *a0 = p->a, *a1 = a0 + SIDE * pitch, *b0 = p->b, *b1 = b0 + LINE;  \
        const int64_t a_step = WORD * p->steps, b_step = line * p->steps;                \
        for (int64_t i = 0; i < p->n; i++) {                                             \
            LOAD(6, b0, line);                                                           \
            LOAD(4, a0, pitch);                                                          \
            MULTIPLY(how, 0, 4, 6);                                                      \
            if (p->right) {                                                              \
                LOAD(7, b1, line);                                                       \
                MULTIPLY(how, 1, 4, 7);                                                  \
            }                                                                            \
            if (p->low) {                                                                \
                LOAD(5, a1, pitch);                                                      \
                MULTIPLY(how, 2, 5, 6);                                                  \
            }                                                                            \
            if (p->low && p->right) {                                                    \
                MULTIPLY(how, 3, 5, 7);                                                  \
            }                                                                            \
            a0 += a_step;                                                                \
            a1 += a_step;                                                                \
            b0 += b_step;                                                                \
            b1 += b_step;                                                                \
        }                                                                                \
    }

PART(multiply_ss, "tdpbssd")
PART(multiply_su, "tdpbsud")
PART(multiply_us, "tdpbusd")
PART(multiply_uu, "tdpbuud")

static void
begin(const NumAmxBlock *b, const Part *p)
{
    const uint8_t *left = p->c, *right = left + b->c_group;
    const int64_t row = b->c_row;
    if (p->first) {
        ZERO(0);
        ZERO(1);
        ZERO(2);
        ZERO(3);
        return;
    }
    LOAD(0, left, row);
    if (p->right) {
        LOAD(1, right, row);
    }
    if (p->low) {
        LOAD(2, left + SIDE * row, row);
    }
    if (p->low && p->right) {
        LOAD(3, right + SIDE * row, row);
    }
}

static void
end(const NumAmxBlock *b, const Part *p)
{
    uint8_t *left = p->c, *right = left + b->c_group;
    const int64_t row = b->c_row;
    STORE(0, left, row);
    if (p->right) {
        STORE(1, right, row);
    }
    if (p->low) {
        STORE(2, left + SIDE * row, row);
    }
    if (p->low && p->right) {
        STORE(3, right + SIDE * row, row);
    }
}

/* Multiplies n times as many steps as the registers have, from a step on. */
static void
multiply(const NumAmxBlock *b, int64_t from, int64_t n, int64_t steps)
{
    static void (*const ways[2][2])(const NumAmxBlock *, const Part *) = {
        {multiply_uu, multiply_us}, {multiply_su, multiply_ss}};
    for (int g = 0; g < b->groups; g += 2) {
        const Part p = {.a = (const uint8_t *)b->a + from * WORD,
                        .b = (const uint8_t *)b->b + g / 2 * b->b_pair + from * b->b_step,
                        .c = (uint8_t *)b->c + g * b->c_group,
                        .n = n,
                        .steps = steps,
                        .low = b->rows > SIDE,
                        .right = g + 1 < b->groups,
                        .first = b->first && from == 0};
        begin(b, &p);
        ways[b->a_sign][b->b_sign](b, &p);
        end(b, &p);
    }
}

/* Whole registers of steps are multiplied first, then what is left, with other shapes. */
void
num_amx_multiply(NumAmx *s, const NumAmxBlock *b)
{
    int64_t whole = b->steps / SIDE, rest = b->steps % SIDE;
    if (whole != 0) {
        set_shapes(s, b->rows, SIDE);
        multiply(b, 0, whole, SIDE);
    }
    if (rest != 0) {
        set_shapes(s, b->rows, rest);
        multiply(b, whole * SIDE, 1, rest);
    }
}

void
num_amx_close(NumAmx *s)
{
    if (s->rows != 0) {
        RELEASE();
    }
    *s = (NumAmx){0};
}
#else
bool
num_amx_allowed(void)
{
    return false;
}

void
num_amx_multiply(NumAmx *s, const NumAmxBlock *b)
{
    (void)s;
    (void)b;
}

void
num_amx_close(NumAmx *s)
{
    (void)s;
}
#endif
