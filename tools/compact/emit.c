/* emit.c: writes the C file. */
#include "compact.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ARGUMENTS = 16
};

/* ---- the stack ----------------------------------------------------------- */

/* Slots that a call of function i needs at most, with what it calls; nothing recurses. A
 * call through a pointer may be of any function of that type whose address is taken. */
typedef struct Depth {
    Program *p;
    int *most; /* 0: not known; -1: being asked */
} Depth;

static bool
address_taken(LLVMValueRef f)
{
    for (LLVMUseRef u = LLVMGetFirstUse(f); u != NULL; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != f) {
            return true;
        }
        for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++) {
            if (LLVMGetOperand(user, i) == f) {
                return true;
            }
        }
    }
    return false;
}

static int depth_of(Depth *d, int i);

static int
depth_of_call(Depth *d, LLVMValueRef call)
{
    LLVMValueRef to = LLVMGetCalledValue(call);
    int most = 0;
    for (int i = 0; i < d->p->functions.n; i++) {
        LLVMValueRef f = d->p->functions.at[i];
        bool may = LLVMIsAFunction(to)
                       ? f == to
                       : LLVMGlobalGetValueType(f) == LLVMGetCalledFunctionType(call) &&
                             address_taken(f);
        int n = may ? depth_of(d, i) : 0;
        most = n > most ? n : most;
    }
    return most;
}

static int
depth_of(Depth *d, int i)
{
    if (d->most[i] < 0) {
        return 0; /* it is among the callers, and nothing recurses */
    }
    if (d->most[i] > 0) {
        return d->most[i];
    }
    int most = 0;
    d->most[i] = -1;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(d->p->functions.at[i]); b != NULL;
         b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v != NULL;
             v = LLVMGetNextInstruction(v)) {
            int n = LLVMIsACallInst(v) && !is_nothing(v) ? depth_of_call(d, v) : 0;
            most = n > most ? n : most;
        }
    }
    return d->most[i] = most + d->p->frames[i];
}

/* ---- data ---------------------------------------------------------------- */

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

static void
write_data(Program *p, FILE *o, int number)
{
    LLVMValueRef g = p->globals.at[number];
    int64_t n = size_of(p, LLVMGlobalGetValueType(g));
    int align = (int)LLVMGetAlignment(g);
    uint8_t *bytes = calloc((size_t)n + 8, 1);
    LLVMValueRef *places = calloc((size_t)n + 8, sizeof(LLVMValueRef));
    bytes_of(p, LLVMGetInitializer(g), bytes, places);
    bool pointers = false;
    for (int64_t i = 0; i < n; i++) {
        pointers = pointers || places[i] != NULL;
    }
    fprintf(o, "/* %s */\n", LLVMGetValueName(g));
    if (!pointers) {
        fprintf(o, "static const uint8_t data_%d[] __attribute__((aligned(%d))) = {",
                number, align);
        for (int64_t i = 0; i < n; i++) {
            fprintf(o, "%s%d,", i % 24 == 0 ? "\n    " : " ", bytes[i]);
        }
    } else {
        fprintf(o, "static const void *const data_%d[] = {", number);
        for (int64_t i = 0; i < n; i += p->pointer) {
            uint64_t x = 0;
            bool little = LLVMByteOrder(p->layout) == LLVMLittleEndian;
            for (int k = 0; k < p->pointer; k++) {
                x |= (uint64_t)bytes[i + k] << 8 * (little ? k : p->pointer - 1 - k);
            }
            fprintf(o, "\n    ");
            if (places[i] != NULL) {
                write_address(p, o, places[i]);
            } else {
                fprintf(o, "(const void *)%lluu", (unsigned long long)x);
            }
            fprintf(o, ",");
        }
    }
    fprintf(o, "\n};\n");
    free(bytes);
    free(places);
}

enum {
    MOST_TABLES = 2048
};

/* Returns whether all tables to which this one points are written. */
static bool
is_ready(Program *p, LLVMValueRef g, const bool *done)
{
    int64_t n = size_of(p, LLVMGlobalGetValueType(g));
    uint8_t *bytes = calloc((size_t)n + 8, 1);
    LLVMValueRef *places = calloc((size_t)n + 8, sizeof(LLVMValueRef));
    bool ready = true;
    bytes_of(p, LLVMGetInitializer(g), bytes, places);
    for (int64_t k = 0; k < n; k++) {
        bool table = places[k] != NULL && !LLVMIsAFunction(places[k]);
        ready = (!table || done[global_number(p, places[k])]) && ready;
    }
    free(bytes);
    free(places);
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

static void
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

/* ---- functions of C ------------------------------------------------------ */

static unsigned
attribute(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

/* The C compiler knows the types of results and arguments; a result in memory is the
 * first argument here. */
static void
write_native(Program *p, FILE *o, LLVMValueRef f)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(f), args[MOST_ARGUMENTS];
    unsigned n = LLVMCountParamTypes(type);
    const char *name = LLVMGetValueName(f);
    if (n > MOST_ARGUMENTS) {
        stop("too many arguments of %s", name);
    }
    LLVMGetParamTypes(type, args);
    bool made = n > 0 && LLVMGetEnumAttributeAtIndex(f, 1, attribute("sret")) != NULL;
    LLVMTypeKind r = LLVMGetTypeKind(LLVMGetReturnType(type));
    char call[1000];
    int k = snprintf(call, sizeof call, "%s(", name);
    for (unsigned i = made; i < n; i++) {
        LLVMTypeKind t = LLVMGetTypeKind(args[i]);
        if ((t != LLVMIntegerTypeKind && t != LLVMPointerTypeKind) ||
            LLVMGetEnumAttributeAtIndex(f, i + 1, attribute("byval")) != NULL) {
            stop("an argument of %s is no number", name);
        }
        bool pointer = t == LLVMPointerTypeKind;
        k += snprintf(call + k, sizeof call - (size_t)k, "%s%ss[%u]",
                      i > made ? ", " : "", pointer ? "(void *)(intptr_t)" : "", i);
    }
    (void)p;
    if (made) {
        fprintf(o, "*(__typeof__(%s)) *)(intptr_t)s[0] = %s);", call, call);
    } else {
        fprintf(o, "%s%s);",
                r == LLVMVoidTypeKind      ? ""
                : r == LLVMPointerTypeKind ? "s[0] = (intptr_t)"
                                           : "s[0] = ",
                call);
    }
}

static void
write_natives(Program *p, FILE *o)
{
    fprintf(o, "\nCompactSlot *\ncompact_native(unsigned n, CompactSlot *top)\n{\n    "
               "CompactSlot *s = top;\n    int64_t a, b, c, t;\n    switch (n) {\n");
    for (int i = 0; i < p->nhelpers; i++) {
        const char *what = p->helpers[i];
        fprintf(o, "    case %d: ", i);
        if (what[0] == '@') {
            LLVMValueRef f = LLVMGetNamedFunction(p->m, what + 1);
            LLVMTypeRef type = LLVMGlobalGetValueType(f);
            bool result = LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMVoidTypeKind;
            fprintf(o, "s -= %u; ", LLVMCountParamTypes(type));
            write_native(p, o, f);
            fprintf(o, " return s + %d;\n", result);
        } else {
            int k = what[0] - '0';
            fprintf(o, "s -= %d; ", k);
            if (what[1] == '!') {
                fprintf(o, "%s; return s;\n", what + 2);
                continue;
            }
            fprintf(o, "a = s[0]; ");
            fprintf(o, "%s%s", k > 1 ? "b = s[1]; " : "", k > 2 ? "c = s[2]; " : "");
            fprintf(o, "s[0] = %s; return s + 1;\n", what + 2);
        }
    }
    fprintf(o, "    default: return s;\n    }\n}\n");
}

/* ---- the file ------------------------------------------------------------ */

static void
write_bytes(FILE *o, const char *name, const uint8_t *at, int n)
{
    fprintf(o, "const uint8_t %s[] = {", name);
    for (int i = 0; i < n; i++) {
        fprintf(o, "%s%d,", i % 24 == 0 ? "\n    " : " ", at[i]);
    }
    fprintf(o, "\n};\n");
}

/* What the callers of byte code have in common with it: the structures of verify_layout,
 * in its order. */
static void
write_layout(Program *p, FILE *o)
{
    static const char *const same[] = {"sizeof(Verifier)", "sizeof(TikBlob)",
                                       "offsetof(Verifier, c)", "sizeof(TikDescKind)"};
    LLVMValueRef layout = LLVMGetNamedGlobal(p->m, "verify_layout");
    if (layout == NULL) {
        stop("there is no %s", "verify_layout");
    }
    LLVMValueRef v = LLVMGetInitializer(layout);
    for (unsigned i = 0; i < sizeof same / sizeof same[0]; i++) {
        fprintf(o, "_Static_assert(%s == %llu, \"made for other structures\");\n",
                same[i], LLVMConstIntGetZExtValue(LLVMGetAggregateElement(v, i)));
    }
}

static void
write_head(Program *p, FILE *o, const char *head)
{
    bool little = LLVMByteOrder(p->layout) == LLVMLittleEndian;
    LLVMTypeRef word = LLVMInt64TypeInContext(p->context);
    fprintf(o, "/* Made by tools/compact of the sources of the verifier: %s. */\n", head);
    fprintf(o, "#include \"blob/verify.h\"\n#include \"layout/lmem_pack.h\"\n#include "
               "\"lean/compact.h\"\n#include \"num/scalar.h\"\n#include "
               "\"rules/internal.h\"\n\n");
    fprintf(
        o,
        "_Static_assert(sizeof(void *) == %d, \"made for another width of pointers\");\n",
        p->pointer);
    fprintf(o,
            "_Static_assert(__BYTE_ORDER__ == __ORDER_%s_ENDIAN__, \"made for another "
            "order of bytes\");\n",
            little ? "LITTLE" : "BIG");
    fprintf(o, "struct aligned {\n    char c;\n    int64_t v;\n};\n");
    fprintf(o,
            "_Static_assert(offsetof(struct aligned, v) == %d, \"made for another "
            "alignment\");\n\n",
            (int)LLVMABIAlignmentOfType(p->layout, word));
    fprintf(o,
            "_Static_assert(COMPACT_LITERALS == %d && COMPACT_VALUES == %d, \"made by "
            "another tools/compact\");\n",
            LITERALS, VALUES);
    write_layout(p, o);
}

static void
write_words(FILE *o, const char *name, const int *at, int n)
{
    fprintf(o, "const uint16_t %s[] = {", name);
    for (int i = 0; i < n; i++) {
        fprintf(o, "%s%d,", i % 16 == 0 ? "\n    " : " ", at[i]);
    }
    fprintf(o, "\n};\n");
}

/* The counts of lengths and the symbols of a table; returns how many bytes. */
static int
bytes_of_table(const Huffman *h, uint8_t *out)
{
    int longest = 0, n;
    for (int i = 0; i < SYMBOLS; i++) {
        longest = h->length[i] > longest ? h->length[i] : longest;
        out[h->length[i]] += h->length[i] > 0;
    }
    out[0] = (uint8_t)longest;
    n = longest + 1;
    for (int k = 1; k <= longest; k++) {
        for (int i = 0; i < SYMBOLS; i++) {
            if (h->length[i] == k) {
                out[n++] = (uint8_t)i;
            }
        }
    }
    return n;
}

static void
write_tables(Program *p, FILE *o)
{
    static uint8_t bytes[TABLES * SYMBOLS];
    int starts[TABLES], next[CODE_COUNT], n = 0;
    for (int t = 0; t < TABLES; t++) {
        starts[t] = n;
        n += bytes_of_table(&p->tables[t], bytes + n);
    }
    for (int c = 0; c < CODE_COUNT; c++) {
        next[c] = p->next[c][0] - COMPACT_TABLES;
        for (int k = 1; k <= COMPACT_NESTED; k++) {
            next[c] |= p->next[c][k] << 4 * k;
        }
    }
    write_bytes(o, "compact_symbols", bytes, n);
    write_words(o, "compact_tables", starts, TABLES);
    write_words(o, "compact_next", next, CODE_COUNT);
    write_words(o, "compact_values", p->values, p->nvalues);
}

bool
write_file(Program *p, const char *path, const char *roots, const char *head)
{
    FILE *o = fopen(path, "w");
    int n, *starts = calloc((size_t)p->functions.n, sizeof *starts);
    Depth d = {p, calloc((size_t)p->functions.n, sizeof(int))};
    if (o == NULL) {
        return false;
    }
    make_tables(p);
    make_pairs(p);
    uint8_t *bytes = encode(p, &n, starts), pairs[2 * SYMBOLS];
    if (n > UINT16_MAX * COMPACT_ALIGN / 8) {
        stop("%s", "more than 32,767 bytes of code");
    }
    write_head(p, o, head);
    write_globals(p, o);
    write_natives(p, o);
    fprintf(o, "const int64_t compact_pool[] = {\n");
    for (int i = 0; i < p->pool.n; i++) {
        fprintf(o, "    (int64_t)0x%llxu,\n",
                (unsigned long long)LLVMConstIntGetZExtValue(p->pool.at[i]));
    }
    fprintf(o, "    0,\n};\nconst uint16_t compact_starts[] = {");
    for (int i = 0; i < p->functions.n; i++) {
        fprintf(o, "%s%d,", i % 16 == 0 ? "\n    " : " ", starts[i]);
    }
    fprintf(o, "\n};\n/* Functions:");
    for (int i = 0; i < p->functions.n; i++) {
        fprintf(o, "%s%d %s", i % 6 == 0 ? "\n * " : ", ", i + 1,
                LLVMGetValueName(p->functions.at[i]));
    }
    fprintf(o, " */\n");
    for (int i = LITERALS; i < VALUES; i++) {
        pairs[2 * (i - LITERALS)] = (uint8_t)p->pairs[i][0];
        pairs[2 * (i - LITERALS) + 1] = (uint8_t)p->pairs[i][1];
    }
    write_bytes(o, "compact_pairs", pairs, 2 * (VALUES - LITERALS));
    write_tables(p, o);
    write_bytes(o, "compact_code", bytes, n);
    LLVMValueRef root = LLVMGetNamedFunction(p->m, roots);
    if (root == NULL || LLVMIsDeclaration(root)) {
        stop("there is no %s", roots);
    }
    int k = number_in(&p->functions, root);
    fprintf(o, "const uint16_t compact_of_%s = %d;\n", roots, k + 1);
    fprintf(o, "const uint16_t compact_slots = %d;\n", depth_of(&d, k));
    return fclose(o) == 0;
}
