/* compact.h: what the stages of tools/compact share. The tool translates functions of C,
 * which clang has compiled to bitcode for a device, to the byte code of
 * runtime/lean/compact.def:
 *
 *   read.c     links the modules and optimises them for size
 *   tree.c     decides which values stay on the operand stack
 *   local.c    gives the others slots of the frame
 *   select.c   writes the codes of instructions
 *   control.c  writes those of branches and of whole functions
 *   pair.c     makes one symbol of each frequent pair, and bytes of all symbols
 *   emit.c     writes the C file: code, tables, calls of functions that stay C
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
    ESCAPES = COMPACT_ESCAPES,
    SHORT = COMPACT_SHORT,
    MIDDLE = COMPACT_MIDDLE,
    LONG = COMPACT_LONG,
    SYMBOLS = 256,
    MOST_HELPERS = 128
};

typedef enum Code {
#define CODE(name, operand, effect) C_##name,
#include "lean/compact.def"
    CODE_COUNT
} Code;

/* A token of the code: a symbol, or one of these plus a number. */
enum {
    TOKEN_LABEL = 1 << 20,  /* plus a block */
    TOKEN_BRANCH = 1 << 21, /* plus a block: the distance to it */
    TOKEN_RAW = 1 << 22,    /* plus a byte that is as it is */
    TOKEN_NUMBER = (1 << 20) - 1
};

typedef struct Tokens {
    int *at;
    int n, room;
} Tokens;

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
    int *starts;           /* of functions, in tokens */
    int *frames;           /* of functions: slots with those of operands */
    int codes[SYMBOLS][2]; /* the pair that a symbol stands for */
    int needs[SYMBOLS];    /* how many symbols wait while it is expanded */
    int nblocks;           /* numbers of labels */
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

void token(Function *f, int t);
/* An operand. */
void number(Function *f, int64_t v);
void code(Function *f, Code c);
/* A code with its operand. */
void code_n(Function *f, Code c, int64_t n);
void set(Function *f, int slot);
int bits(const Function *f, LLVMValueRef v);
/* Pushes a value, all operands of an instruction; emit pushes them and computes. */
void push_one(Function *f, LLVMValueRef v);
void push_operands(Function *f, LLVMValueRef v);
void emit(Function *f, LLVMValueRef v);

void select_function(Function *f);
int number_in(Table *t, LLVMValueRef v);

void make_pairs(Program *p);
/* Gives the bytes of all functions, and where each starts. */
uint8_t *encode(Program *p, int *n, int *starts);
/* Writes the C file. */
bool write_file(Program *p, const char *folder, const char *root, const char *head);

#endif
