/* fault.h: the numbers of a fault are those that its text tells. */
#ifndef TEST_FAULT_H
#define TEST_FAULT_H

#include "rules/check.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Whether the word stands in the text, not as a part of a longer one. */
static inline bool
fault_has(const Fault *f, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = f->text; (at = strstr(at, word)) != NULL; at++) {
        bool begins = at == f->text || !isalnum((unsigned char)at[-1]);
        if (begins && !isalnum((unsigned char)at[n])) {
            return true;
        }
    }
    return false;
}

/* Whether the text tells the number: decimal, in hexadecimal, as the last of that many
 * bytes, or as the type or memory that it is the number of. */
static inline bool
fault_tells(const Fault *f, int64_t v)
{
    char word[3][24];
    snprintf(word[0], sizeof word[0], "%lld", (long long)v);
    snprintf(word[1], sizeof word[1], "0x%llx", (unsigned long long)v);
    snprintf(word[2], sizeof word[2], "%lld", (long long)((uint64_t)v - 1));
    bool scope = v >= 0 && v < SC_COUNT && fault_has(f, scope_name((Scope)v));
    bool dtype = v > DT_NONE && v < DT_COUNT && fault_has(f, dtype_name((Dtype)v));
    return scope || dtype || fault_has(f, word[0]) || fault_has(f, word[1]) ||
           fault_has(f, word[2]);
}

/* A fault has no number, or a value with no limits or limits that it is outside of, and
 * its text tells all of them but a lower limit of 0 and one without end, or that it is
 * before the first. */
static inline bool
fault_numbers_hold(const Fault *f)
{
    bool limits = f->lo != 0 || f->hi != 0;
    bool outside = f->lo <= f->hi && (f->value < f->lo || f->value > f->hi);
    bool before = f->value < 0 && f->lo == 0 && strstr(f->text, ", before ") != NULL;
    return (f->value == 0 && !limits) || before ||
           (fault_tells(f, f->value) &&
            (!limits || (outside && (f->lo == 0 || fault_tells(f, f->lo)) &&
                         (f->hi == INT64_MAX || fault_tells(f, f->hi)))));
}

#endif
