/* error.h: fills a TikError. It is private to the runtime. */
#ifndef TIK_ERROR_H
#define TIK_ERROR_H

#include "rules/check.h"
#include "tikrt.h"

/* Fills *err, which may be null. It always returns false. */
bool launch_error(TikError *err, TikErrorKind kind, const char *name, const char *fmt,
                  ...) __attribute__((format(printf, 4, 5)));

/* Appends whole entries to TikError.where as far as there is room. The core is appended
 * only if there are several. */
void where_core(char where[WHERE_BYTES], int64_t core, int64_t cores);
void where_value(char where[WHERE_BYTES], const char *name, Dtype dtype, int64_t value);

/* Makes the text of a fault that no instruction raised: a division, a loop, an access to
 * an element. value is the number at fault: the loop bound, or the byte offset. */
void error_rule_text(Rule rule, int64_t value, char *out, size_t size);

#endif
