/* compact.h: what the stages of tools/compact share. The tool translates functions of C,
 * which clang has compiled to bitcode for a device, to the byte code of
 * runtime/lean/compact.def:
 *
 *   read.c     links the modules and optimises them for size
 *   tree.c     decides which values stay on the operand stack
 *   local.c    gives the others slots of the frame
 *   select.c   writes the codes of values: address.c those of loads and stores, compute.c
 *              of operations on numbers, call.c of calls
 *   write.c    writes tokens
 *   control.c  writes those of branches and of whole functions
 *   table.c    decides by which table each symbol is read
 *   pair.c     makes one symbol of each frequent pair
 *   huffman.c  gives the symbols of a table codes of bits
 *   encode.c   writes the bits of all symbols and distances
 *   emit.c     writes the C file: code and calls of functions that stay C; data.c the
 *              tables of constants
 *
 * What a stage does not know is an error of the tool, which names the function. */
#ifndef TIK_COMPACT_H
#define TIK_COMPACT_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lean/compact.h"

enum {
    LITERALS = COMPACT_LITERALS,
    VALUES = COMPACT_VALUES,
    ESCAPE = COMPACT_ESCAPE,
    LARGEST = (1 << COMPACT_ESCAPED) - 1, /* operand */
    SYMBOLS = 256,
    MOST_HELPERS = 128
};

typedef enum Code {
#define CODE(name, operand, effect) C_##name,
#include "lean/compact.def"
    CODE_COUNT
} Code;

typedef enum TokenKind {
    TOKEN_CODE,
    TOKEN_NUMBER,   /* an operand of `code` */
    TOKEN_DISTANCE, /* to a block */
    TOKEN_LABEL,    /* a block begins */
    TOKEN_FUNCTION  /* a function begins */
} TokenKind;

typedef struct Token {
    TokenKind kind;
    int value;
    Code code; /* whose operand it is */
    int depth; /* operands on the stack before a code */
    int table; /* by which its symbol is read */
    int symbol;
} Token;

typedef struct Tokens {
    Token *at;
    int n, room;
} Tokens;

/* The symbols of a table with the lengths of their codes in bits; 0: it is not there. */
typedef struct Huffman {
    int count[SYMBOLS], length[SYMBOLS];
    unsigned bits[SYMBOLS];
} Huffman;

enum {
    TABLES = 2 * COMPACT_TABLES
};

/* One value of a function: an argument's element, or an instruction. */
typedef struct Node {
    LLVMValueRef v;
    LLVMOpcode op;
    int block, pos;
    int uses;
    bool folded, keep; /* in the tree of its user; never folded */
    int value;         /* its number among those with a slot, or -1 */
} Node;

typedef struct Value {
    int node; /* -1: an argument */
    int slot;
    int weight;
} Value;

typedef struct Program Program;

typedef struct Function {
    Program *p;
    LLVMValueRef f;
    LLVMBasicBlockRef *blocks;
    int nblocks, first_block;
    bool *
        only_returns; /* blocks of phis and a return, which are copied to their callers */
    Node *nodes;
    int nnodes;
    struct Map *map; /* of values to nodes; of arguments and blocks to their numbers */
    int nargs;       /* slots of arguments */
    Value *values;
    int nvalues;
    int nslots;
    int depth, deepest; /* of the operand stack */
} Function;

typedef struct Table {
    LLVMValueRef *at;
    int n, room;
} Table;

struct Program {
    LLVMContextRef context;
    LLVMModuleRef m;
    LLVMTargetDataRef layout;
    int pointer; /* bytes */
    Table functions, globals, natives;
    Table pool; /* large constants */
    const char *helpers[MOST_HELPERS];
    int nhelpers;
    Tokens code;
    int *frames; /* of functions: slots with those of operands */
    int next[CODE_COUNT][COMPACT_NESTED + 1]; /* compact_next, apart */
    int values[SYMBOLS]; /* operands that symbols stand for, from VALUES on */
    int nvalues;
    int pairs[SYMBOLS][2]; /* the pair that a symbol stands for */
    int needs[SYMBOLS];    /* how many symbols wait while it is expanded */
    Huffman tables[TABLES];
    int nblocks; /* numbers of labels */
};

void *room(void *p, int n, int *have, size_t size);
void fail(const Function *f, const char *what, LLVMValueRef v) __attribute__((noreturn));

/* Ends the tool with a message, in which %s stands for what. */
void stop(const char *format, const char *what)
    __attribute__((noreturn, format(printf, 1, 0)));

struct Map *map_new(void);
void map_put(struct Map *m, const void *key, int value);
int map_get(const struct Map *m, const void *key); /* -1 */

LLVMModuleRef read_modules(Program *p, char **paths, int n, const char *roots);

/* Operands of an instruction in the order in which they are pushed. */
int operands(Function *f, LLVMValueRef v, LLVMValueRef *out, int room);
LLVMValueRef plain(LLVMValueRef v);
Node *node_of(const Function *f, LLVMValueRef v);
void make_trees(Function *f);
/* The phis of a block, and what one gets from a block. */
LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from);
bool is_nothing(LLVMValueRef v);
/* A switch has cases that are no bytes, so its value is compared with each of them. */
bool needs_chain(LLVMValueRef sw);

void give_slots(Function *f);
int arg_slot(Function *f, LLVMValueRef arg, int element);
/* The slot of an argument; of one that has several elements that of the next one. */
int next_slot(Function *f, LLVMValueRef arg, int *element);

void token(Function *f, TokenKind kind, int value);
/* What the code c takes as operand. */
void number(Function *f, Code c, int64_t v);
void code(Function *f, Code c);
/* A code with its operand. */
void code_n(Function *f, Code c, int64_t n);
void constant(Function *f, int64_t v);
void get(Function *f, int slot);
void set(Function *f, int slot);
/* More operands are on the stack, or less. */
void deeper(Function *f, int by);
/* Calls a function of C: the text says how many operands it takes, and what it makes of
 * them (emit.c). */
void native(Function *f, const char *what, int operands, int results);
int bits(const Function *f, LLVMValueRef v);
void narrow(Function *f, int width);
void sign(Function *f, int width);
/* Pushes a value, all operands of an instruction; emit pushes them and computes. */
void push_one(Function *f, LLVMValueRef v);
void push_operands(Function *f, LLVMValueRef v);
void emit(Function *f, LLVMValueRef v);
int function_number(Function *f, LLVMValueRef v);
/* Pushes all of an address but a part that is constant, and returns this. */
int64_t push_address(Function *f, LLVMValueRef v);
void add_constant(Function *f, int64_t v);
void emit_access(Function *f, LLVMValueRef v, bool store);
void emit_binary(Function *f, LLVMValueRef v, LLVMOpcode op);
void emit_compare(Function *f, LLVMValueRef v);
void emit_cast(Function *f, LLVMValueRef v, LLVMOpcode op);
void emit_choice(Function *f, LLVMValueRef v);
void emit_call(Function *f, LLVMValueRef v);
/* One of the two values of a sum, difference or product that may overflow. */
void emit_overflow(Function *f, LLVMValueRef v);

void select_function(Function *f);
int number_in(Table *t, LLVMValueRef v);

/* Gives tokens their symbols, and the tables by which they are read. */
void make_tables(Program *p);
void make_pairs(Program *p);
/* The lengths of codes by the counts of symbols; their bits. */
void make_code(Huffman *h);
/* Gives the bytes of all functions, and where each starts, in units of COMPACT_ALIGN. */
uint8_t *encode(Program *p, int *n, int *starts);
/* Numbers of a list in C, with its end. */
void write_list(FILE *o, const uint8_t *at, int64_t n);
void write_globals(Program *p, FILE *o);
/* Writes the C file. */
bool write_file(Program *p, const char *folder, const char *root, const char *head);

#endif
