/* asm.c: tikblob_assemble makes bytes of the text of disasm.c. Each line has one fact;
 * blank lines and lines that begin with # are skipped. It accepts every blob that the
 * writer can write, also ones that tikblob_open or tikblob_verify refuse, so that tests
 * can be written as text. It is hosted. */
#include "blob/writer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Asm {
    const char *p, *end; /* rest of the text */
    int line;
    char *error;
    size_t error_size;
    TikBlobWriter *w;
    const Soc *soc;
    char *meta;
    TikBlobKernelInfo info; /* the kernel whose head is being read */
    Bytes args, regions;    /* TikBlobArg, TikBlobRegion */
    Choices choices;
    Bytes frames;       /* uint32_t: number of each frame in the writer */
    Bytes texts;        /* char *: texts that were unquoted, and bytes of tables */
    uint8_t *table;     /* next byte of the present table */
    int64_t table_left; /* bytes that the present table lacks */
    bool in_kernel, in_code;
    TikDesc d;
} Asm;

static bool fail(Asm *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool
fail(Asm *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (a->error_size > 0) {
        vsnprintf(a->error, a->error_size, fmt, ap);
    }
    va_end(ap);
    return false;
}

/* ---- tokens -------------------------------------------------------------- */

static bool
at_end(const Asm *a)
{
    return a->p == a->end || *a->p == '\n';
}

static void
skip_blanks(Asm *a)
{
    while (a->p < a->end && (*a->p == ' ' || *a->p == '\t' || *a->p == '\r')) {
        a->p++;
    }
}

static bool
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-';
}

/* A point belongs to a name (vsel.bits), but not to a number (0.1). */
static bool
goes_on(const char *buf, size_t n, char c)
{
    return is_word(c) || (c == '.' && n > 0 && (buf[0] < '0' || buf[0] > '9'));
}

/* Reads the next word; it is empty when there is none. */
static void
peek_word(Asm *a, char buf[64])
{
    size_t n = 0;
    skip_blanks(a);
    while (a->p + n < a->end && goes_on(buf, n, a->p[n]) && n < 63) {
        buf[n] = a->p[n];
        n++;
    }
    buf[n] = 0;
}

static bool
read_word(Asm *a, char buf[64], const char *what)
{
    peek_word(a, buf);
    a->p += strlen(buf);
    return buf[0] != 0 || fail(a, "%s expected", what);
}

static bool
accept_word(Asm *a, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(a);
    if ((size_t)(a->end - a->p) < n || memcmp(a->p, word, n) != 0 ||
        (a->p + n < a->end && is_word(a->p[n]))) {
        return false;
    }
    a->p += n;
    return true;
}

static bool
want_word(Asm *a, const char *word)
{
    return accept_word(a, word) || fail(a, "'%s' expected", word);
}

static bool
accept_char(Asm *a, char c)
{
    skip_blanks(a);
    if (at_end(a) || *a->p != c) {
        return false;
    }
    a->p++;
    return true;
}

static bool
want_char(Asm *a, char c)
{
    return accept_char(a, c) || fail(a, "'%c' expected", c);
}

static bool
read_int(Asm *a, int64_t *out)
{
    char buf[64];
    char *end;
    if (!read_word(a, buf, "number")) {
        return false;
    }
    errno = 0;
    *out = strtoll(buf, &end, 10);
    return (*end == 0 && errno == 0) || fail(a, "'%s' is not a 64-bit integer", buf);
}

static bool
read_u64(Asm *a, uint64_t *out)
{
    char buf[64];
    char *end;
    if (!read_word(a, buf, "number")) {
        return false;
    }
    errno = 0;
    *out = strtoull(buf, &end, 10);
    return (*end == 0 && errno == 0 && buf[0] != '-') ||
           fail(a, "'%s' is not an unsigned 64-bit integer", buf);
}

static bool
read_u32(Asm *a, uint32_t *out)
{
    int64_t v;
    if (!read_int(a, &v)) {
        return false;
    }
    *out = (uint32_t)v;
    return (v >= 0 && v <= UINT32_MAX) ||
           fail(a, "%lld is not in 0 to 4294967295", (long long)v);
}

static int
hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads a character of a quoted text; false at its end or after an error. */
static bool
unquote(Asm *a, char *out)
{
    char c = *a->p++;
    *out = c;
    if (c != '\\' || at_end(a)) {
        return c != '\\' || fail(a, "escape at the end of the line");
    }
    c = *a->p++;
    *out = c;
    if (c != 'x') {
        return true;
    }
    int hi = a->end - a->p >= 2 ? hex_digit(a->p[0]) : -1;
    int lo = hi >= 0 ? hex_digit(a->p[1]) : -1;
    if (lo < 0) {
        return fail(a, "\\x needs two digits");
    }
    a->p += 2;
    *out = (char)(hi * 16 + lo);
    return *out != 0 || fail(a, "a text has no zero byte");
}

/* Keeps a text until the end of the assembly. */
static bool
read_text(Asm *a, char **out)
{
    if (!want_char(a, '"')) {
        return false;
    }
    const char *end = memchr(a->p, '\n', (size_t)(a->end - a->p));
    char *s = malloc((size_t)((end == NULL ? a->end : end) - a->p) + 1);
    uint8_t *slot = bytes_add(&a->texts, sizeof s);
    size_t n = 0;
    if (s == NULL || slot == NULL) {
        free(s);
        return fail(a, "out of memory");
    }
    memcpy(slot, &s, sizeof s);
    while (!at_end(a) && *a->p != '"') {
        if (!unquote(a, &s[n++])) {
            return false;
        }
    }
    s[n] = 0;
    char *fit = realloc(s, n + 1);
    *out = fit == NULL ? s : fit;
    memcpy(a->texts.p + a->texts.n - sizeof s, out, sizeof s);
    return want_char(a, '"');
}

static bool
read_dtype(Asm *a, Dtype *out)
{
    char buf[64];
    if (!read_word(a, buf, "dtype")) {
        return false;
    }
    *out = dtype_find_stored(buf);
    return *out != DT_NONE || fail(a, "'%s' is not a dtype", buf);
}

static bool
read_operand_dtype(Asm *a, Dtype *out)
{
    char buf[64];
    if (!read_word(a, buf, "dtype")) {
        return false;
    }
    *out = dtype_find_operand(buf);
    return *out != DT_NONE || fail(a, "'%s' is not a dtype", buf);
}

static bool
read_scope(Asm *a, Scope *out)
{
    char buf[64];
    if (!read_word(a, buf, "memory")) {
        return false;
    }
    for (int i = 0; i < SC_COUNT; i++) {
        if (strcmp(scope_name((Scope)i), buf) == 0) {
            *out = (Scope)i;
            return true;
        }
    }
    return fail(a, "'%s' is not a memory", buf);
}

/* ---- numbers and operands ------------------------------------------------ */

static bool
index_after(const char *buf, char letter, uint32_t *out)
{
    char *end;
    if (buf[0] != letter || buf[1] < '0' || buf[1] > '9') {
        return false;
    }
    unsigned long v = strtoul(buf + 1, &end, 10);
    *out = (uint32_t)v;
    return *end == 0 && v < UINT32_MAX;
}

static bool
read_number(Asm *a, TikNum *out)
{
    char buf[64];
    uint32_t index;
    peek_word(a, buf);
    if (strcmp(buf, "core") == 0) {
        *out = (TikNum){.kind = NUM_CORE};
    } else if (index_after(buf, 'r', &index)) {
        *out = (TikNum){.kind = NUM_REG, .index = index};
    } else if (index_after(buf, 's', &index)) {
        *out = (TikNum){.kind = NUM_LOOP, .index = index};
    } else {
        *out = (TikNum){.kind = NUM_IMM};
        return read_int(a, &out->imm);
    }
    a->p += strlen(buf);
    return true;
}

static bool
read_operand(Asm *a, TikOperand *o)
{
    const int max = TIKBLOB_MAX_TERMS + TIKBLOB_MAX_REGS;
    *o = (TikOperand){0};
    if (!read_operand_dtype(a, &o->dtype) || !want_char(a, '[') ||
        !read_u32(a, &o->region) || !want_char(a, ',') || !read_int(a, &o->offset)) {
        return false;
    }
    while (accept_char(a, ',')) {
        if (o->nterms == max) {
            return fail(a, "more than %d terms", max);
        }
        int i = o->nterms++;
        if (!read_int(a, &o->terms[i].coef) || !want_char(a, '*') ||
            !read_number(a, &o->terms[i].num)) {
            return false;
        }
    }
    return want_char(a, ']');
}

static bool
read_mask(Asm *a, TikNum *words)
{
    static const char *const names[] = {"count", "bits", "bits4", "counter"};
    char buf[64];
    int form = 0;
    if (!read_word(a, buf, "form of the mask")) {
        return false;
    }
    while (form < 4 && strcmp(names[form], buf) != 0) {
        form++;
    }
    if (form == 4) {
        return fail(a, "'%s' is not a form of mask: count, bits, bits4 or counter", buf);
    }
    a->d.mask_form = (MaskForm)form;
    for (int i = 0; i < mask_words(a->d.mask_form); i++) {
        if (!want_char(a, i == 0 ? '(' : ',') || !read_number(a, &words[i])) {
            return false;
        }
    }
    return want_char(a, ')');
}

/* ---- descriptors --------------------------------------------------------- */

static bool
read_instr(Asm *a, const char *name)
{
    int n;
    if (!op_find(name, &a->d.op)) {
        return fail(a, "'%s' is neither an instruction nor a word of this format", name);
    }
    const ParamInfo *p = form_params(op_table[a->d.op].form, &n);
    a->d.kind = DESC_INSTR;
    a->d.checked = accept_word(a, "checked");
    for (int i = 0; i < n; i++) {
        if (p[i].role == ROLE_MASKMODE) {
            continue;
        }
        if (!want_word(a, p[i].name) || !want_char(a, '=')) {
            return false;
        }
        bool tensor =
            p[i].role == ROLE_DST || p[i].role == ROLE_SRC || p[i].role == ROLE_ROOT;
        bool ok = tensor                   ? read_operand(a, &a->d.args[i].t)
                  : p[i].role == ROLE_MASK ? read_mask(a, a->d.args[i].mask)
                                           : read_number(a, &a->d.args[i].v);
        if (!ok) {
            return false;
        }
    }
    return true;
}

static bool
read_register_line(Asm *a, uint32_t reg)
{
    char buf[64];
    a->d.reg = reg;
    if (!want_char(a, '=') || !read_word(a, buf, "operation")) {
        return false;
    }
    if (strcmp(buf, "load") == 0) {
        a->d.kind = DESC_LOAD;
        a->d.checked = accept_word(a, "checked");
        return read_operand(a, &a->d.operand);
    }
    a->d.kind = DESC_ALU;
    if (!scalar_op_find(buf, &a->d.alu_op)) {
        return fail(a, "'%s' is not a scalar operation", buf);
    }
    if (!read_dtype(a, &a->d.dtype) ||
        (blob_has_from(a->d.alu_op) && !read_dtype(a, &a->d.from)) ||
        !read_number(a, &a->d.a)) {
        return false;
    }
    return scalar_op_table[a->d.alu_op].arity == 1 || read_number(a, &a->d.b);
}

static bool
read_slot(Asm *a)
{
    TikNum n;
    if (!read_number(a, &n)) {
        return false;
    }
    a->d.slot = n.index;
    return n.kind == NUM_LOOP || fail(a, "a loop slot (s0, s1, ...) expected");
}

static bool
read_loop(Asm *a)
{
    a->d.kind = DESC_LOOP;
    return read_slot(a) && want_char(a, '=') && read_number(a, &a->d.a) &&
           read_number(a, &a->d.b);
}

static bool
read_store(Asm *a)
{
    a->d.kind = DESC_STORE;
    a->d.checked = accept_word(a, "checked");
    return read_operand(a, &a->d.operand) && read_number(a, &a->d.a);
}

/* Reads the name of an instruction; that of a variant has a dot. */
static void
read_variant(Asm *a, char buf[64])
{
    size_t n = strlen(buf);
    while (a->p < a->end && (*a->p == '.' || is_word(*a->p)) && n < 63) {
        buf[n++] = *a->p++;
    }
    buf[n] = 0;
}

static bool
read_desc(Asm *a)
{
    static const struct {
        const char *word;
        TikDescKind kind;
    } plain[] = {{"else", DESC_ELSE},
                 {"endif", DESC_ENDIF},
                 {"break", DESC_BREAK},
                 {"continue", DESC_CONTINUE},
                 {"return", DESC_RETURN}};
    char buf[64];
    uint32_t reg;
    if (!read_word(a, buf, "descriptor")) {
        return false;
    }
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (strcmp(buf, plain[i].word) == 0) {
            a->d.kind = plain[i].kind;
            return true;
        }
    }
    if (index_after(buf, 'r', &reg)) {
        return read_register_line(a, reg);
    }
    if (strcmp(buf, "loop") == 0) {
        return read_loop(a);
    }
    if (strcmp(buf, "endloop") == 0) {
        a->d.kind = DESC_ENDLOOP;
        return read_slot(a);
    }
    if (strcmp(buf, "if") == 0) {
        a->d.kind = DESC_IF;
        return read_number(a, &a->d.a);
    }
    if (strcmp(buf, "store") == 0) {
        return read_store(a);
    }
    read_variant(a, buf);
    return read_instr(a, buf);
}

/* Reads a frame by its number in the text; 0 when there is none. */
static bool
read_frame(Asm *a, uint32_t *out)
{
    uint32_t number;
    if (!read_u32(a, &number)) {
        return false;
    }
    if (number > a->frames.n / sizeof *out) {
        return fail(a, "there is no frame %u above", number);
    }
    *out = 0;
    if (number > 0) {
        memcpy(out, a->frames.p + (number - 1) * sizeof *out, sizeof *out);
    }
    return true;
}

/* Reads a place, @ "k.tik" 3:5, if there is one. */
static bool
read_place(Asm *a, char **file, uint32_t *line, uint32_t *column)
{
    return !accept_char(a, '@') || (read_text(a, file) && read_u32(a, line) &&
                                    want_char(a, ':') && read_u32(a, column));
}

/* Reads names after the place: named "i" int32 s0. */
static bool
read_names(Asm *a)
{
    while (accept_word(a, "named")) {
        char *name;
        Dtype dtype;
        TikNum num;
        if (!read_text(a, &name) || !read_dtype(a, &dtype) || !read_number(a, &num)) {
            return false;
        }
        if (num.kind != NUM_LOOP && num.kind != NUM_REG) {
            return fail(a, "a loop slot or a register has a name");
        }
        tikblob_emit_name(a->w, name, num, dtype);
    }
    return true;
}

static bool
code_line(Asm *a)
{
    char *file = NULL;
    uint32_t line = 0;
    uint32_t column = 0;
    char text[200];
    if (accept_word(a, "end")) {
        tikblob_end_kernel(a->w);
        a->in_code = false;
        a->in_kernel = false;
        return true;
    }
    memset(&a->d, 0, sizeof a->d);
    if (!read_desc(a)) {
        return false;
    }
    if (!read_place(a, &file, &line, &column)) {
        return false;
    }
    if (!tikblob_emit(a->w, &a->d, file, line, column, text, sizeof text)) {
        return fail(a, "%s", text);
    }
    if (accept_word(a, "in")) {
        uint32_t frame;
        if (!read_frame(a, &frame)) {
            return false;
        }
        tikblob_emit_frame(a->w, frame);
    }
    return read_names(a);
}

/* ---- heads --------------------------------------------------------------- */

static bool
blob_line(Asm *a)
{
    char buf[64];
    if (!want_word(a, "blob") || !want_word(a, "1")) {
        return false;
    }
    if (!want_char(a, '.') || !want_word(a, "0") || !read_word(a, buf, "target")) {
        return false;
    }
    const Soc *soc = soc_find(buf);
    if (soc == NULL || strcmp(soc->name, buf) != 0) {
        return fail(a, "'%s' is not a processor", buf);
    }
    a->soc = soc;
    a->w = tikblob_writer_new(soc);
    return a->w != NULL || fail(a, "out of memory");
}

static bool
choice_line(Asm *a)
{
    char buf[64];
    char *reading;
    Choice point;
    if (!read_word(a, buf, "point") || !read_text(a, &reading)) {
        return false;
    }
    if (!choice_find(buf, &point) ||
        !choice_find_reading(point, reading, &a->choices.v[point])) {
        return fail(a, "there is no choice %s \"%s\"", buf, reading);
    }
    tikblob_choices(a->w, &a->choices);
    return true;
}

/* Reads a frame. Numbers ascend from 1, and the parent comes before it. */
static bool
frame_line(Asm *a)
{
    TikBlobFrame f = {.file = ""};
    uint32_t number;
    char *callee;
    char *file = NULL;
    if (!read_u32(a, &number) || !read_frame(a, &f.parent) || !read_text(a, &callee) ||
        !read_place(a, &file, &f.line, &f.column)) {
        return false;
    }
    if (number != a->frames.n / sizeof number + 1) {
        return fail(a, "frame %u out of order", number);
    }
    f.callee = callee;
    f.file = file == NULL ? "" : file;
    number = tikblob_add_frame(a->w, &f);
    uint8_t *p = bytes_add(&a->frames, sizeof number);
    if (p != NULL) {
        memcpy(p, &number, sizeof number);
    }
    return p != NULL || fail(a, "out of memory");
}

static bool
kernel_line(Asm *a)
{
    char *name;
    a->info = (TikBlobKernelInfo){0};
    a->args.n = 0;
    a->regions.n = 0;
    a->in_kernel = true;
    if (!read_text(a, &name) || !want_word(a, "cores") || !read_u32(a, &a->info.cores) ||
        !want_word(a, "steps") || !read_u64(a, &a->info.step_bound)) {
        return false;
    }
    a->info.name = name;
    a->info.flags |= accept_word(a, "fill") ? TIKBLOB_FILL_SCRATCH : 0u;
    a->info.flags |= accept_word(a, "ordered") ? TIKBLOB_ORDERED : 0u;
    a->info.flags |= accept_word(a, "any") ? TIKBLOB_ANY_CORES : 0u;
    a->info.flags |= accept_word(a, "queues") ? TIKBLOB_QUEUES : 0u;
    return true;
}

static bool
peak_line(Asm *a)
{
    Scope s;
    uint32_t bytes;
    if (!read_scope(a, &s) || !read_u32(a, &bytes)) {
        return false;
    }
    a->info.peak[s] = bytes;
    return blob_has_peak((int)s) || fail(a, "%s has no peak", scope_name(s));
}

static bool
read_shape(Asm *a, TikBlobArg *arg)
{
    arg->elems = 1;
    if (!want_char(a, '(')) {
        return false;
    }
    while (!accept_char(a, ')')) {
        if (arg->ndim == 8) {
            return fail(a, "more than 8 dimensions");
        }
        if ((arg->ndim > 0 && !want_char(a, ',')) ||
            !read_int(a, &arg->shape[arg->ndim])) {
            return false;
        }
        if (__builtin_mul_overflow(arg->elems, arg->shape[arg->ndim++], &arg->elems)) {
            return fail(a, "the shape does not fit 64 bits");
        }
    }
    return true;
}

static bool
arg_line(Asm *a)
{
    TikBlobArg arg = {0};
    char buf[64];
    char *name;
    if (!read_text(a, &name) || !read_word(a, buf, "role")) {
        return false;
    }
    arg.name = name;
    while (arg.role < (int)ARGROLE_COUNT &&
           strcmp(argrole_name((ArgRole)arg.role), buf) != 0) {
        arg.role++;
    }
    if (arg.role == (int)ARGROLE_COUNT) {
        return fail(a, "'%s' is not a role: input, output, workspace, global or list",
                    buf);
    }
    if (!read_dtype(a, &arg.dtype) || !read_shape(a, &arg)) {
        return false;
    }
    arg.preset = accept_word(a, "preset");
    if (arg.preset && !read_int(a, &arg.preset_value)) {
        return false;
    }
    arg.open = accept_word(a, "open");
    uint8_t *p = bytes_add(&a->args, sizeof arg);
    if (p != NULL) {
        memcpy(p, &arg, sizeof arg);
    }
    return p != NULL || fail(a, "out of memory");
}

enum {
    MAX_TABLE_TEXT = 16 << 20 /* bytes of a table */
};

/* Reads the fields of a packed constant from which its plan follows. */
static bool
read_pack(Asm *a, bool packed, TikBlobRegion *r)
{
    TikBlobPack *p = &r->pack;
    *p = (TikBlobPack){.present = true, .packed = packed};
    if (!read_dtype(a, &p->weight)) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        int64_t n;
        if (!read_int(a, &n)) {
            return false;
        }
        if (n < 1 || n > UINT32_MAX) {
            return fail(a, "an axis of a weight is 1 to 4294967295");
        }
        p->dim[i] = (uint32_t)n;
    }
    p->nibbles = accept_word(a, "nibbles");
    p->depthwise = accept_word(a, "depthwise");
    p->requant = accept_word(a, "requant");
    p->bias = accept_word(a, "bias");
    if (!blob_pack_plan(a->soc, &a->choices, p) || p->plan.total != (uint64_t)r->bytes) {
        return fail(a, "%s packs no such constant of that size", a->soc->name);
    }
    return true;
}

/* Reads the head of a table. Its bytes follow on lines of their own, see data_line. */
static bool
read_table(Asm *a, TikBlobRegion *r)
{
    r->kind = TIKBLOB_TABLE;
    if (!want_word(a, "bytes") || !read_int(a, &r->bytes)) {
        return false;
    }
    if (r->bytes < 1 || r->bytes > MAX_TABLE_TEXT) {
        return fail(a, "a table has 1 to %d bytes", MAX_TABLE_TEXT);
    }
    bool packed = accept_word(a, "packed");
    if ((packed || accept_word(a, "plain")) && !read_pack(a, packed, r)) {
        return false;
    }
    uint8_t *data = calloc(1, (size_t)r->bytes);
    uint8_t *slot = data == NULL ? NULL : bytes_add(&a->texts, sizeof data);
    if (slot == NULL) {
        free(data);
        return fail(a, "out of memory");
    }
    memcpy(slot, &data, sizeof data);
    a->table = data;
    a->table_left = r->bytes;
    r->data = data;
    return true;
}

static bool
data_line(Asm *a)
{
    skip_blanks(a);
    while (!at_end(a) && *a->p != ' ') {
        int hi = hex_digit(a->p[0]);
        int lo = hi >= 0 && a->end - a->p >= 2 ? hex_digit(a->p[1]) : -1;
        if (lo < 0) {
            return fail(a, "two hexadecimal digits expected");
        }
        if (a->table_left == 0) {
            return fail(a, "more bytes than the table has");
        }
        *a->table++ = (uint8_t)(hi << 4 | lo);
        a->table_left--;
        a->p += 2;
    }
    return true;
}

static bool
read_global(Asm *a, TikBlobRegion *r)
{
    if (accept_word(a, "table")) {
        return read_table(a, r);
    }
    r->kind = accept_word(a, "list") ? TIKBLOB_LIST : TIKBLOB_TENSOR;
    if ((r->kind == TIKBLOB_TENSOR && !want_word(a, "arg")) || !read_int(a, &r->base)) {
        return false;
    }
    int64_t n = (int64_t)(a->args.n / sizeof(TikBlobArg));
    if (r->base < 0 || r->base >= n) {
        return fail(a, "argument %lld; the kernel has %lld", (long long)r->base,
                    (long long)n);
    }
    const TikBlobArg *arg = (const TikBlobArg *)(const void *)a->args.p + r->base;
    r->open = arg->open;
    int64_t size = r->kind == TIKBLOB_LIST ? LIST_WINDOW : dtype_size(arg->dtype);
    return !__builtin_mul_overflow(arg->elems, size, &r->bytes) ||
           fail(a, "the argument does not fit 64 bits");
}

static bool
region_line(Asm *a)
{
    TikBlobRegion r = {0};
    uint32_t index;
    char *name;
    if (!read_u32(a, &index) || !read_text(a, &name) || !read_scope(a, &r.scope) ||
        !read_dtype(a, &r.dtype)) {
        return false;
    }
    r.name = name;
    if (index != a->regions.n / sizeof r) {
        return fail(a, "region %u out of order", index);
    }
    bool ok = r.scope == SC_GM ? read_global(a, &r)
                               : want_word(a, "at") && read_int(a, &r.base) &&
                                     want_word(a, "bytes") && read_int(a, &r.bytes);
    r.open = r.open || (ok && accept_word(a, "open"));
    uint8_t *p = ok ? bytes_add(&a->regions, sizeof r) : NULL;
    if (p != NULL) {
        memcpy(p, &r, sizeof r);
    }
    return p != NULL || (!ok ? false : fail(a, "out of memory"));
}

static bool
begin_code(Asm *a)
{
    a->info.args = (const TikBlobArg *)(const void *)a->args.p;
    a->info.nargs = (int)(a->args.n / sizeof(TikBlobArg));
    a->info.regions = (const TikBlobRegion *)(const void *)a->regions.p;
    a->info.nregions = (int)(a->regions.n / sizeof(TikBlobRegion));
    tikblob_begin_kernel(a->w, &a->info);
    a->in_code = true;
    return true;
}

static bool
head_line(Asm *a)
{
    if (a->w == NULL) {
        return blob_line(a);
    }
    if (a->in_code) {
        return code_line(a);
    }
    if (!a->in_kernel) {
        if (accept_word(a, "choice")) {
            return choice_line(a);
        }
        if (a->meta == NULL && accept_word(a, "meta")) {
            return read_text(a, &a->meta);
        }
        if (accept_word(a, "frame")) {
            return frame_line(a);
        }
        return want_word(a, "kernel") && kernel_line(a);
    }
    if (accept_word(a, "peak")) {
        return peak_line(a);
    }
    if (accept_word(a, "arg")) {
        return arg_line(a);
    }
    if (accept_word(a, "data")) {
        return data_line(a);
    }
    if (a->table_left != 0) {
        return fail(a, "the table above misses %lld bytes", (long long)a->table_left);
    }
    if (accept_word(a, "region")) {
        return region_line(a);
    }
    return want_word(a, "code") && begin_code(a);
}

static bool
one_line(Asm *a)
{
    skip_blanks(a);
    if (!at_end(a) && *a->p != '#') {
        if (!head_line(a)) {
            return false;
        }
        skip_blanks(a);
        if (!at_end(a)) {
            return fail(a, "text after the end of the line's meaning");
        }
    }
    while (!at_end(a)) {
        a->p++;
    }
    if (a->p < a->end) {
        a->p++;
        a->line++;
    }
    return true;
}

static bool
all_lines(Asm *a)
{
    while (a->p < a->end) {
        if (!one_line(a)) {
            return false;
        }
    }
    return (a->w != NULL && !a->in_kernel) || fail(a, "the text ends inside a blob");
}

bool
tikblob_assemble(const char *text, size_t len, uint8_t **bytes, size_t *size, int *line,
                 char *error, size_t error_size)
{
    Asm *a = calloc(1, sizeof *a);
    *bytes = NULL;
    *size = 0;
    *line = 0;
    if (error_size > 0) {
        snprintf(error, error_size, "out of memory");
    }
    if (a == NULL) {
        return false;
    }
    a->p = text;
    a->end = text + len;
    a->line = 1;
    a->error = error;
    a->error_size = error_size;
    bool ok = all_lines(a) && tikblob_finish(a->w, a->meta, bytes, size);
    *line = ok ? 0 : a->line;
    for (size_t i = 0; i < a->texts.n / sizeof(char *); i++) {
        char *s;
        memcpy(&s, a->texts.p + i * sizeof s, sizeof s);
        free(s);
    }
    free(a->texts.p);
    free(a->args.p);
    free(a->regions.p);
    free(a->frames.p);
    tikblob_writer_free(a->w);
    free(a);
    return ok;
}
