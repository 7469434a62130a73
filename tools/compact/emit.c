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

/* ---- functions of C ------------------------------------------------------ */

static unsigned
attribute(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

/* Writes the call to a text, with arguments from that one on. */
static void
call_text(LLVMValueRef f, unsigned first, char *out, size_t room)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(f), args[MOST_ARGUMENTS];
    unsigned n = LLVMCountParamTypes(type);
    const char *name = LLVMGetValueName(f);
    if (n > MOST_ARGUMENTS) {
        stop("too many arguments of %s", name);
    }
    LLVMGetParamTypes(type, args);
    int k = snprintf(out, room, "%s(", name);
    for (unsigned i = first; i < n; i++) {
        LLVMTypeKind t = LLVMGetTypeKind(args[i]);
        if ((t != LLVMIntegerTypeKind && t != LLVMPointerTypeKind) ||
            LLVMGetEnumAttributeAtIndex(f, i + 1, attribute("byval")) != NULL) {
            stop("an argument of %s is no number", name);
        }
        bool pointer = t == LLVMPointerTypeKind;
        k += snprintf(out + k, room - (size_t)k, "%s%ss[%u]", i > first ? ", " : "",
                      pointer ? "(void *)(intptr_t)" : "", i);
    }
}

/* The C compiler knows the types of results and arguments; a result in memory is the
 * first argument here. */
static void
write_native(FILE *o, LLVMValueRef f)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(f);
    bool made = LLVMCountParamTypes(type) > 0 &&
                LLVMGetEnumAttributeAtIndex(f, 1, attribute("sret")) != NULL;
    LLVMTypeKind r = LLVMGetTypeKind(LLVMGetReturnType(type));
    char call[1000];
    call_text(f, made, call, sizeof call);
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
            write_native(o, f);
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

void
write_list(FILE *o, const uint8_t *at, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        fprintf(o, "%s%d,", i % 24 == 0 ? "\n    " : " ", at[i]);
    }
    fprintf(o, "\n};\n");
}

static void
write_bytes(FILE *o, const char *name, const uint8_t *at, int n)
{
    fprintf(o, "const uint8_t %s[] = {", name);
    write_list(o, at, n);
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

static void
write_pool(const Program *p, FILE *o)
{
    fprintf(o, "const int64_t compact_pool[] = {\n");
    for (int i = 0; i < p->pool.n; i++) {
        fprintf(o, "    (int64_t)0x%llxu,\n",
                (unsigned long long)LLVMConstIntGetZExtValue(p->pool.at[i]));
    }
    fprintf(o, "    0,\n};\n");
}

/* Where functions start in the code, and their names for who reads the file. */
static void
write_functions(const Program *p, FILE *o, const int *starts)
{
    write_words(o, "compact_starts", starts, p->functions.n);
    fprintf(o, "/* Functions:");
    for (int i = 0; i < p->functions.n; i++) {
        fprintf(o, "%s%d %s", i % 6 == 0 ? "\n * " : ", ", i + 1,
                LLVMGetValueName(p->functions.at[i]));
    }
    fprintf(o, " */\n");
}

static void
write_pairs(const Program *p, FILE *o)
{
    uint8_t pairs[2 * SYMBOLS];
    for (int i = LITERALS; i < VALUES; i++) {
        pairs[2 * (i - LITERALS)] = (uint8_t)p->pairs[i][0];
        pairs[2 * (i - LITERALS) + 1] = (uint8_t)p->pairs[i][1];
    }
    write_bytes(o, "compact_pairs", pairs, 2 * (VALUES - LITERALS));
}

/* The number of the function that the loader calls, and how much stack that needs. */
static void
write_root(Program *p, FILE *o, const char *name)
{
    LLVMValueRef root = LLVMGetNamedFunction(p->m, name);
    if (root == NULL || LLVMIsDeclaration(root)) {
        stop("there is no %s", name);
    }
    Depth d = {p, calloc((size_t)p->functions.n, sizeof(int))};
    int k = number_in(&p->functions, root);
    fprintf(o, "const uint16_t compact_of_%s = %d;\n", name, k + 1);
    fprintf(o, "const uint16_t compact_slots = %d;\n", depth_of(&d, k));
    free(d.most);
}

bool
write_file(Program *p, const char *path, const char *root, const char *head)
{
    FILE *o = fopen(path, "w");
    int n, *starts = calloc((size_t)p->functions.n, sizeof *starts);
    if (o == NULL) {
        return false;
    }
    make_tables(p);
    make_pairs(p);
    uint8_t *bytes = encode(p, &n, starts);
    if (n > UINT16_MAX * COMPACT_ALIGN / 8) {
        stop("%s", "more than 32,767 bytes of code");
    }
    write_head(p, o, head);
    write_globals(p, o);
    write_natives(p, o);
    write_pool(p, o);
    write_functions(p, o, starts);
    write_pairs(p, o);
    write_tables(p, o);
    write_bytes(o, "compact_code", bytes, n);
    write_root(p, o, root);
    return fclose(o) == 0;
}
