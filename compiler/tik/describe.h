/* describe.h: what is known of the names of a program after it was evaluated, for
 * editors: what each was bound to last, in words, and the storage of tensors. */
#ifndef TIKC_TIK_DESCRIBE_H
#define TIKC_TIK_DESCRIBE_H

#include "ir/ir.h"
#include "python/watch.h"

typedef enum FactKind {
    FACT_VALUE, /* a value of Python */
    FACT_TENSOR,
    FACT_SCALAR,
    FACT_EXPR,
    FACT_CONTAINER, /* a tik.Tik */
    FACT_TIK,       /* the module tik */
    FACT_OTHER      /* another object of the module tik */
} FactKind;

struct Root;

typedef struct NameFact {
    Span at; /* where the name is bound, see watch.h */
    Sym name;
    bool attribute;
    uint32_t times;
    FactKind kind;
    const char *text; /* one line: "int: 128", "float16 tensor (4, 128) in UB" */
    /* of a function or class of the program its statement, of a module its file; file 0:
     * nothing of that kind */
    Span made;
    const struct Root *root; /* of a tensor, else null */
} NameFact;

/* The facts of one evaluation, in the order in which places bound a name first. They live
 * as long as the unit. */
typedef struct NameFacts {
    VEC(NameFact) all;
} NameFacts;

/* Describes what was noted. Call it while the evaluator still has its kernels. */
void describe_names(Interp *in, const NameWatch *w, NameFacts *out);
/* Returns the buffer of a tensor in a kernel that was built, or 0: then *k is null. */
BufId describe_buffer(const NameFact *f, const Kernel **k);
/* Returns where a tensor was made. */
Span describe_made(const NameFact *f);

#endif
