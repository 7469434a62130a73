/* compact.c: executes the byte code of compact.def: a machine with a stack of words of 64
 * bits, on which numbers of 32 bits are extended by their sign and narrower ones by
 * zeros. Nothing recurses or is allocated. A call lays on the stack, from the arguments
 * on: the slots of the function, what it returns to, its operands. */
#include "lean/compact.h"

typedef enum Code {
#define CODE(name, operand, effect) C_##name,
#include "lean/compact.def"
    CODE_COUNT
} Code;

_Static_assert((int)CODE_COUNT <= (int)COMPACT_LITERALS, "codes are literals");

typedef struct Run {
    uint32_t at;      /* the next bit */
    uint32_t waiting; /* symbols that come before it, the next one lowest, and a 1 above
                         them */
    unsigned next;    /* the tables of what follows the last code */
    CompactSlot *top; /* the first free slot */
    CompactSlot *frame, *operands, *start, *end;
} Run;

/* How words of 64 bits are aligned in structures. */
#define WORD                                                                             \
    offsetof(                                                                            \
        struct {                                                                         \
            char c;                                                                      \
            int64_t v;                                                                   \
        },                                                                               \
        v)

typedef int64_t Word __attribute__((may_alias, aligned(4)));
typedef int32_t Half __attribute__((may_alias));
typedef uint16_t Quarter __attribute__((may_alias));

/* The next bits of the code, the first one highest; at least 25 of them are right. */
static inline __attribute__((always_inline)) uint32_t
ahead(const Run *r)
{
    const uint8_t *p = compact_code + (r->at >> 3);
    uint32_t word = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
                    (uint32_t)p[3];
    return word << (r->at & 7);
}

static __attribute__((noinline)) unsigned
plain(Run *r, unsigned n)
{
    uint32_t word = ahead(r);
    r->at += n;
    return n > 0 ? word >> (32 - n) : 0;
}

/* Of the codes of each length, n is the number of the one that the bits begin with, less
 * those that are symbols: below 0, it is one of them. */
static unsigned
symbol_of(Run *r, unsigned table)
{
    const uint8_t *first = compact_symbols + compact_tables[table], *count = first;
    const uint8_t *symbols = first + *first + 1;
    uint32_t word = ahead(r);
    int n = 0;
    do {
        int k = *++count;
        n = (n << 1 | (int)(word >> 31)) - k;
        word <<= 1;
        symbols += k;
    } while (n >= 0);
    r->at += (uint32_t)(count - first);
    return symbols[n];
}

static unsigned
symbol(Run *r, unsigned table)
{
    unsigned s;
    if (r->waiting > 1) {
        s = r->waiting & 255;
        r->waiting >>= 8;
    } else {
        s = symbol_of(r, table);
    }
    while (s - COMPACT_LITERALS < COMPACT_VALUES - COMPACT_LITERALS) {
        const uint8_t *pair = compact_pairs + 2 * (s - COMPACT_LITERALS);
        r->waiting = r->waiting << 8 | pair[1];
        s = pair[0];
    }
    return s;
}

static Code
next_code(Run *r)
{
    unsigned n = (unsigned)(r->top - r->operands);
    n = n < COMPACT_NESTED ? n : COMPACT_NESTED;
    unsigned code = symbol(r, n == 0 ? 0 : r->next >> 4 * n & 15);
    r->next = compact_next[code];
    return (Code)code;
}

static unsigned
operand_of(Run *r, unsigned next)
{
    unsigned n = symbol(r, COMPACT_TABLES + (next & 15));
    return n < COMPACT_VALUES    ? n
           : n == COMPACT_ESCAPE ? plain(r, COMPACT_ESCAPED)
                                 : compact_values[n - COMPACT_VALUES];
}

static unsigned
operand(Run *r)
{
    return operand_of(r, r->next);
}

/* Reads a distance, and returns where it leads. */
static uint32_t
target(Run *r)
{
    unsigned kind = symbol_of(r, COMPACT_TABLES + (compact_next[C_DISTANCE] & 15));
    if (kind == COMPACT_FAR) {
        uint32_t n = plain(r, COMPACT_FAR_BITS);
        return r->at + n - (1u << (COMPACT_FAR_BITS - 1));
    }
    uint32_t n = 1u << (kind >> 1) | plain(r, kind >> 1);
    return kind & 1 ? r->at - n : r->at + n - 1;
}

static void
go(Run *r, uint32_t to)
{
    r->at = to;
    r->waiting = 1;
}

static bool
enter(Run *r, unsigned function)
{
    int64_t back = (int64_t)r->at << 32 | (int64_t)(r->frame - r->start) << 16 |
                   (int64_t)(r->operands - r->start);
    uint32_t waiting = r->waiting;
    go(r, (uint32_t)compact_starts[function - 1] * COMPACT_ALIGN);
    CompactSlot *frame = r->top - operand_of(r, compact_next[C_HEAD]);
    unsigned slots = operand_of(r, compact_next[C_HEAD]);
    if (slots + COMPACT_DEEPEST + 2 > (size_t)(r->end - r->top)) {
        return false;
    }
    r->frame = frame;
    r->operands = r->top + slots + 2;
    r->operands[-2] = back;
    r->operands[-1] = (int64_t)waiting;
    r->top = r->operands;
    return true;
}

/* Returns to the caller; false: there is none. */
static bool
leave(Run *r)
{
    int64_t back = r->operands[-2];
    r->waiting = (uint32_t)r->operands[-1];
    r->next = compact_next[C_CALL];
    r->top = r->frame;
    r->at = (uint32_t)(back >> 32);
    r->frame = r->start + (back >> 16 & 0xffff);
    r->operands = r->start + (back & 0xffff);
    return r->operands != r->start;
}

static bool
give(Run *r, int64_t value)
{
    CompactSlot *to = r->frame;
    bool more = leave(r);
    *to = value;
    r->top = to + 1;
    return more;
}

/* k cases follow. */
static void
choose(Run *r, int64_t value, unsigned k)
{
    bool found = false;
    uint32_t to = 0;
    for (; k > 0; k--) {
        bool is = operand_of(r, compact_next[C_CASE]) == value;
        uint32_t there = target(r);
        to = is ? there : to;
        found = found || is;
    }
    if (found) {
        go(r, to);
    }
}

/* Codes with an operand that push. */
static int64_t
pushed(const Run *r, Code code, unsigned k)
{
    switch (code) {
    case C_GET:
        return r->frame[k];
    case C_LEA:
        return (int64_t)(intptr_t)(r->frame + k);
    case C_CONST:
        return (int64_t)k;
    case C_MINUS:
        return -1 - (int64_t)k;
    case C_POOL:
        return compact_pool[k];
    default:
        return (int64_t)(intptr_t)compact_globals[k];
    }
}

static int64_t
loaded(Code code, const uint8_t *p, unsigned k)
{
    switch (code) {
    case C_LD8:
        return p[k];
    case C_LD16:
        return ((const Quarter *)p)[k];
    case C_LD32:
        return ((const Half *)p)[k];
    default:
        return *(const Word *)(p + k * WORD);
    }
}

static void
store(Code code, uint8_t *p, unsigned k, int64_t v)
{
    switch (code) {
    case C_ST8:
        p[k] = (uint8_t)v;
        break;
    case C_ST16:
        ((Quarter *)p)[k] = (uint16_t)v;
        break;
    case C_ST32:
        ((Half *)p)[k] = (int32_t)v;
        break;
    default:
        *(Word *)(p + k * WORD) = v;
    }
}

static int64_t
computed(Code code, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (code) {
    case C_ADD:
        return (int64_t)(x + y);
    case C_SUB:
        return (int64_t)(x - y);
    case C_MUL:
        return (int64_t)(x * y);
    case C_AND:
        return a & b;
    case C_OR:
        return a | b;
    case C_XOR:
        return a ^ b;
    case C_SHL:
        return (int64_t)(x << (b & 63));
    case C_SHR:
        return (int64_t)(x >> (b & 63));
    case C_SAR:
        return a >> (b & 63);
    case C_EQ:
        return a == b;
    case C_NE:
        return a != b;
    case C_LT:
        return a < b;
    case C_LE:
        return a <= b;
    case C_GT:
        return a > b;
    case C_GE:
        return a >= b;
    case C_BELOW:
        return x < y;
    case C_BELOW_EQ:
        return x <= y;
    case C_ABOVE:
        return x > y;
    default:
        return x >= y;
    }
}

/* Codes with an operand; false: the stack is too small. */
static bool
with_operand(Run *r, Code code)
{
    unsigned k = operand(r);
    CompactSlot *last = r->top - 1;
    uint8_t *p = (uint8_t *)(uintptr_t)*last;
    if (code <= C_GLOBAL) {
        *r->top++ = pushed(r, code, k);
        return true;
    }
    if (code <= C_LD64) {
        *last = loaded(code, p, k);
        return true;
    }
    if (code <= C_ST64) {
        r->top -= 2;
        store(code, p, k, last[-1]);
        return true;
    }
    switch (code) {
    case C_TEE:
        r->frame[k] = *last;
        return true;
    case C_SET:
        r->top = last;
        r->frame[k] = *last;
        return true;
    case C_INDEX:
        r->top = last;
        last[-1] += *last * (int64_t)k;
        return true;
    case C_OFFSET:
        *last = (int64_t)((uint64_t)*last + k);
        return true;
    case C_SX:
        *last = (int64_t)((uint64_t)*last << (64 - k)) >> (64 - k);
        return true;
    case C_SWITCH:
        r->top = last;
        choose(r, *last, k);
        return true;
    case C_NATIVE:
        r->top = compact_native(k, r->top);
        return true;
    default:
        return enter(r, k);
    }
}

/* The other codes but calls; false: the last function has returned. */
static bool
without_operand(Run *r, Code code)
{
    CompactSlot *last = r->top - 1;
    switch (code) {
    case C_NOT:
        *last = *last == 0;
        return true;
    case C_SX32:
        *last = (int32_t)*last;
        return true;
    case C_ZX32:
        *last = (uint32_t)*last;
        return true;
    case C_SELECT:
        r->top -= 2;
        last[-2] = last[-2] != 0 ? last[-1] : *last;
        return true;
    case C_JUMP:
        go(r, target(r));
        return true;
    case C_RETURN:
        return give(r, *last);
    case C_LEAVE:
        return leave(r);
    default:
        break;
    }
    r->top = last;
    if (code == C_DROP) {
        return true;
    }
    if (code <= C_IFNOT) {
        uint32_t there = target(r);
        if ((*last != 0) == (code == C_IFNOT)) {
            go(r, there);
        }
        return true;
    }
    if ((*last != 0) != (code >= C_NOT_0)) {
        return true;
    }
    return code == C_ZERO_LEAVE || code == C_NOT_LEAVE
               ? leave(r)
               : give(r, code == C_ZERO_1 || code == C_NOT_1);
}

bool
compact_run(unsigned function, CompactSlot *stack, unsigned n, unsigned slots)
{
    Run run = {.waiting = 1,
               .top = stack + n,
               .frame = stack,
               .operands = stack,
               .start = stack,
               .end = stack + slots};
    Run *r = &run;
    bool fits = enter(r, function), more = true;
    while (fits && more) {
        Code code = next_code(r);
        CompactSlot *last = r->top - 1;
        if (code <= C_NATIVE) {
            fits = with_operand(r, code);
        } else if (code <= C_ABOVE_EQ) {
            r->top = last;
            last[-1] = computed(code, last[-1], *last);
        } else if (code == C_CALL_VALUE) {
            r->top = last;
            fits = enter(r, (unsigned)*last);
        } else {
            more = without_operand(r, code);
        }
    }
    return fits;
}
