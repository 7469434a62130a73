/* data.c: writes the tables that the code reads, and the list of their addresses. */
#include "compact.h"

#include <stdlib.h>

static int64_t
size_of(const Program *p, LLVMTypeRef t)
{
    return (int64_t)LLVMABISizeOfType(p->layout, t);
}

/* The bytes of a constant; where addresses are, `places` has what they are of. */
static void
bytes_of(Program *p, LLVMValueRef v, uint8_t *out, LLVMValueRef *places)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMIsNull(v) || LLVMIsAUndefValue(v) || LLVMIsAPoisonValue(v)) {
        return;
    }
    if (LLVMIsAConstantInt(v)) {
        int64_t n = size_of(p, t);
        uint64_t x = LLVMConstIntGetZExtValue(v);
        for (int64_t i = 0; i < n; i++) {
            bool little = LLVMByteOrder(p->layout) == LLVMLittleEndian;
            out[little ? i : n - 1 - i] = (uint8_t)(x >> 8 * i);
        }
    } else if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
        for (unsigned i = 0; i < LLVMCountStructElementTypes(t); i++) {
            int64_t at = (int64_t)LLVMOffsetOfElement(p->layout, t, i);
            bytes_of(p, LLVMGetAggregateElement(v, i), out + at, places + at);
        }
    } else if (LLVMGetTypeKind(t) == LLVMArrayTypeKind) {
        int64_t size = size_of(p, LLVMGetElementType(t));
        for (unsigned i = 0; i < LLVMGetArrayLength2(t); i++) {
            bytes_of(p, LLVMGetAggregateElement(v, i), out + i * size, places + i * size);
        }
    } else if (LLVMIsAFunction(v) || LLVMIsAGlobalVariable(v)) {
        places[0] = v;
    } else {
        stop("a constant: %s", LLVMPrintValueToString(v));
    }
}

static int
global_number(Program *p, LLVMValueRef g)
{
    return number_in(&p->globals, g);
}

static void
write_address(Program *p, FILE *o, LLVMValueRef v)
{
    if (LLVMIsAFunction(v)) {
        if (LLVMIsDeclaration(v)) {
            stop("a table has the address of %s", LLVMGetValueName(v));
        }
        fprintf(o, "(const void *)%d", number_in(&p->functions, v) + 1);
    } else if (LLVMIsDeclaration(v)) {
        fprintf(o, "%s", LLVMGetValueName(v));
    } else {
        fprintf(o, "&data_%d", global_number(p, v));
    }
}

/* The bytes of a table; where addresses are, `places` has what they are of. */
typedef struct Data {
    int64_t n;
    uint8_t *bytes;
    LLVMValueRef *places;
} Data;

static Data
data_of(Program *p, LLVMValueRef g)
{
    Data d = {.n = size_of(p, LLVMGlobalGetValueType(g))};
    d.bytes = calloc((size_t)d.n + 8, 1);
    d.places = calloc((size_t)d.n + 8, sizeof(LLVMValueRef));
    bytes_of(p, LLVMGetInitializer(g), d.bytes, d.places);
    return d;
}

static void
data_free(Data *d)
{
    free(d->bytes);
    free(d->places);
}

static bool
has_addresses(const Data *d)
{
    for (int64_t i = 0; i < d->n; i++) {
        if (d->places[i] != NULL) {
            return true;
        }
    }
    return false;
}

/* Writes a table that has addresses: numbers between them are as wide as these. */
static void
write_addresses(Program *p, FILE *o, const Data *d)
{
    bool little = LLVMByteOrder(p->layout) == LLVMLittleEndian;
    for (int64_t i = 0; i < d->n; i += p->pointer) {
        uint64_t x = 0;
        for (int k = 0; k < p->pointer; k++) {
            x |= (uint64_t)d->bytes[i + k] << 8 * (little ? k : p->pointer - 1 - k);
        }
        fprintf(o, "\n    ");
        if (d->places[i] != NULL) {
            write_address(p, o, d->places[i]);
        } else {
            fprintf(o, "(const void *)%lluu", (unsigned long long)x);
        }
        fprintf(o, ",");
    }
    fprintf(o, "\n};\n");
}

static void
write_data(Program *p, FILE *o, int number)
{
    LLVMValueRef g = p->globals.at[number];
    Data d = data_of(p, g);
    fprintf(o, "/* %s */\n", LLVMGetValueName(g));
    if (has_addresses(&d)) {
        fprintf(o, "static const void *const data_%d[] = {", number);
        write_addresses(p, o, &d);
    } else {
        fprintf(o, "static const uint8_t data_%d[] __attribute__((aligned(%d))) = {",
                number, (int)LLVMGetAlignment(g));
        write_list(o, d.bytes, d.n);
    }
    data_free(&d);
}

enum {
    MOST_TABLES = 2048
};

/* Returns whether all tables to which this one points are written. */
static bool
is_ready(Program *p, LLVMValueRef g, const bool *done)
{
    Data d = data_of(p, g);
    bool ready = true;
    for (int64_t k = 0; k < d.n; k++) {
        bool table = d.places[k] != NULL && !LLVMIsAFunction(d.places[k]);
        ready = (!table || done[global_number(p, d.places[k])]) && ready;
    }
    data_free(&d);
    return ready;
}

/* Writes a table unless it has to wait for others; returns whether it is written. */
static bool
write_table(Program *p, FILE *o, int i, const bool *done)
{
    LLVMValueRef g = p->globals.at[i];
    if (p->globals.n > MOST_TABLES / 2) {
        stop("too many %s", "tables");
    }
    if (LLVMIsDeclaration(g)) {
        return true;
    }
    if (!LLVMIsGlobalConstant(g)) {
        stop("%s is no constant", LLVMGetValueName(g));
    }
    if (!is_ready(p, g, done)) {
        return false;
    }
    write_data(p, o, i);
    return true;
}

void
write_globals(Program *p, FILE *o)
{
    bool *done = calloc(MOST_TABLES, sizeof *done);
    int used = p->globals.n;
    for (bool more = true; more;) {
        more = false;
        for (int i = p->globals.n - 1; i >= 0; i--) {
            bool was = done[i];
            done[i] = was || write_table(p, o, i, done);
            more = more || done[i] != was;
        }
    }
    free(done);
    fprintf(o, "const void *const compact_globals[] = {\n");
    for (int i = 0; i < used; i++) {
        fprintf(o, "    ");
        write_address(p, o, p->globals.at[i]);
        fprintf(o, ",\n");
    }
    fprintf(o, "    0,\n};\n");
}
