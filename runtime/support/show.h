/* show.h: elements of tensors as text, as numpy writes them. It is private to the
 * runtime; tikrt.h has the functions for other programs. */
#ifndef TIK_SHOW_H
#define TIK_SHOW_H

#include "tikrt.h"

enum {
    SHOW_BYTES = 48 /* of the text of an element */
};

/* A finite float as decimal digits d.ddd without the point, and the exponent of ten. */
typedef struct ShowDigits {
    bool negative;
    char digit[24];
    int n;
    int exp10;
} ShowDigits;

/* Gives the fewest digits that read back as the same number of the type. */
void show_digits(Dtype t, double v, ShowDigits *out);
/* Reads a float of a tensor. */
double show_float(Dtype t, const uint8_t *at);
/* Writes an element: the fewest digits that a float needs, True and False of bool. */
void show_element(Dtype t, const uint8_t *at, char out[SHOW_BYTES]);

#endif
