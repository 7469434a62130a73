/* example.h: the examples of calls, kernels of docs/examples. */
#ifndef TIKC_EXAMPLE_H
#define TIKC_EXAMPLE_H

/* An example of a method. An example of several methods has a row for each; a method
 * has its own example before those that it shares. */
typedef struct CallExample {
    const char *method;
    const char *file; /* in the tree */
    const char *text; /* a sentence, the program, and what its arrays hold after a run */
} CallExample;

/* Made by tools/embed_examples.py while building; the last row has no method. */
extern const CallExample call_examples[];

#endif
