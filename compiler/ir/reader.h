/* reader.h: declares what the files of the IR's reader share: a place in the text, the
 * tables of names, and the parts of the grammar. parser.c describes the whole. It is
 * private to compiler/ir.
 *
 * Every function that returns bool and must be used reports a `syntax` diagnostic before
 * it returns false. Spaces and comments are skipped before a token. */
#ifndef TIKC_IR_READER_H
#define TIKC_IR_READER_H

#include "ir/ir.h"

/* The things of one kind that are visible, by the symbol of their full name (NAME or
 * NAME.n). */
typedef struct NameTable {
    uint32_t *id;
    uint32_t cap;
    /* in the order in which they became visible; the end of a block removes its own from
     * the end */
    VEC(Sym) order;
} NameTable;

typedef struct Reader {
    Unit *u;
    Kernel *k;
    Arena scratch;
    const char *text;
    uint32_t pos;
    uint32_t file;
    int depth; /* number of open blocks and brackets */
    int loops; /* number of enclosing loops that a break could leave */
    bool in_multicore;
    bool has_sreg; /* the kernel has its special registers */
    /* value of the instruction blocks before the next statement; 0: there is none */
    ExprId cores;
    NameTable bufs, regs, vars;
    NameTable kernels; /* kernels of the file, by number from 1 on */
    VEC(BufId) allocs; /* buffers in the order of their allocs in the text */
} Reader;

/* ---- reader.c: tokens and names ------------------------------------------ */

/* These report the text from begin to the present position, and return false. */
bool reader_fail_at(const Reader *p, uint32_t begin, DiagId id, const char *text);
bool reader_fail(const Reader *p, uint32_t begin, const char *text);
/* Returns the next character that is neither space nor comment; 0 at the end. */
char reader_peek(Reader *p);
/* Takes a token if it comes next, and returns whether it did. */
bool reader_accept(Reader *p, const char *token);
bool MUST_USE reader_expect(Reader *p, const char *token);
/* Reads a word of name characters and of the given others; what names it in the
 * diagnostic. */
bool MUST_USE reader_word(Reader *p, const char *others, const char *what,
                          const char **out);
bool MUST_USE reader_dtype_word(Reader *p, Dtype *out);
/* Reads a dtype that buffers can have. */
bool MUST_USE reader_stored_dtype(Reader *p, Dtype *out);
/* Reads a dtype that an operand can have, whose elements may share bytes. */
bool MUST_USE reader_operand_dtype(Reader *p, Dtype *out);
bool MUST_USE reader_natural(Reader *p, int64_t lo, int64_t hi, int64_t *out);
/* Reads n bytes as pairs of hexadecimal digits, with spaces between them. */
bool MUST_USE reader_bytes(Reader *p, int64_t n, const uint8_t **out);
/* Reads NAME or NAME.n after its sigil; base gets NAME, full the symbol of all of it. */
bool MUST_USE reader_sigil_name(Reader *p, const char *sigil, Sym *base, Sym *full);
/* Returns what was declared by that name; 0 if nothing was. */
uint32_t reader_find_name(const NameTable *t, Sym s);
bool MUST_USE reader_declare_name(Reader *p, NameTable *t, Sym s, uint32_t id);
void reader_forget_names(NameTable *t, uint32_t keep);
bool MUST_USE reader_use_name(Reader *p, const NameTable *t, const char *sigil,
                              uint32_t *id);

/* ---- reader_expr.c: expressions and operands ----------------------------- */

/* Reads an expression that must have the type. */
bool MUST_USE reader_typed_expr(Reader *p, Dtype t, ExprId *out);
bool MUST_USE reader_integer_expr(Reader *p, Dtype expected, ExprId *out);
bool MUST_USE reader_reference(Reader *p, Ref *out);
/* Reads the value of one operand of an instruction; dst is the dtype of its destination,
 * if that was read already. */
bool MUST_USE reader_operand(Reader *p, const ParamInfo *param, Dtype dst, Arg *out);

/* ---- parser.c, parser_kernel.c ------------------------------------------- */

/* Reads statements up to and including a closing brace. */
bool MUST_USE reader_statements(Reader *p, StmtId owner, int slot);
/* Reads the dtype and shape of a buffer. */
bool MUST_USE reader_shape(Reader *p, Buffer *b);

#endif
