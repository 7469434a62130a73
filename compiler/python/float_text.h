/* float_text.h: the decimal digits of floats of usual sizes, by exact arithmetic on 128
 * bits; printf and strtod, which take many times as long, are for the others. */
#ifndef TIKC_PYTHON_FLOAT_TEXT_H
#define TIKC_PYTHON_FLOAT_TEXT_H

#include "base/arena.h"

enum {
    FLOAT_DIGITS = 17 /* the most digits that a float needs to be read back */
};

/* Digits d.ddd without the point, and the decimal exponent. */
typedef struct FloatDigits {
    char digit[FLOAT_DIGITS + 1];
    int n;
    int exp10;
} FloatDigits;

/* Gives the fewest digits, but at least 15, that read back as f > 0. Returns false if f
 * is none of the usual floats. */
bool float_shortest(double f, FloatDigits *out);

/* Append f >= 0 as "%.*f" and "%.*e" print it; they return false, and append nothing, if
 * f is none of the usual floats or the precision is large. */
bool float_fixed(double f, int precision, Text *out);
bool float_scientific(double f, int precision, Text *out);

#endif
