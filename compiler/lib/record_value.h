/* record_value.h: values of the evaluator as those of tikrecord.h, and back. */
#ifndef TIKC_LIB_RECORD_VALUE_H
#define TIKC_LIB_RECORD_VALUE_H

#include "ir/ir.h"
#include "python/foreign.h"
#include "tikrecord.h"

#include <pthread.h>

/* What a recording is: the evaluator that the program's calls go to. */
typedef struct Record Record;
struct Record {
    Interp in;
    ForeignHost host;
    TikcForeign *foreign; /* or null */
    void *ctx;
    pthread_t thread;     /* whose C stack the evaluator knows */
    uint32_t checked;     /* the kernels before it were checked */
    VEC(Kernel *) failed; /* kernels with errors, which the containers still point to */
};

/* Returns VAL_FAIL after an exception. */
Value record_in(Record *r, const TikcValue *v);
bool record_out(Record *r, Value v, TikcValue *out);
Span record_span(Unit *u, TikcPlace place);
/* Makes the arguments of a call; false after an exception. */
bool record_args(Record *r, const TikcArgs *given, Span span, CallArgs *out);
/* The hook of foreign objects; ctx is the Record. */
Value record_foreign(void *ctx, int64_t number, Sym name, const CallArgs *args);

#endif
