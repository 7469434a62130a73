/* integer.c: the functions of isa/integer.h, once. */
#define TIK_INTEGER_BODIES
#include "isa/integer.h"
