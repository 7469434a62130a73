/* error.c: fills a TikError; see error.h. */
#include "support/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
launch_error(TikError *err, TikErrorKind kind, const char *name, const char *fmt, ...)
{
    if (err == NULL) {
        return false;
    }
    *err = (TikError){.kind = kind};
    snprintf(err->name, sizeof err->name, "%s", name);
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    return false;
}

void
error_rule_text(Rule rule, int64_t value, char *out, size_t size)
{
    if (rule == RULE_DIV_ZERO) {
        snprintf(out, size, "division of integers by zero");
    } else if (rule == RULE_LOOP_BOUNDS) {
        snprintf(out, size,
                 "a loop bound is %" PRId64 "; bounds satisfy 0 <= begin <= end", value);
    } else if (rule == RULE_TENSOR_OVERFLOW) {
        snprintf(out, size,
                 "the element at byte offset %" PRId64 " is outside the tensor", value);
    } else if (rule == RULE_CAPACITY) {
        snprintf(out, size,
                 "a buffer of %" PRId64 " bytes does not fit what its memory has left",
                 value);
    } else if (rule == RULE_BARRIER) {
        snprintf(out, size, "core %" PRId64 " ends without coming to the barrier", value);
    } else if (rule == RULE_BLOCK_COUNT) {
        snprintf(out, size, "the loop has %" PRId64 " blocks; %s", value,
                 rule_table[rule].rule);
    } else {
        snprintf(out, size, "the value is %" PRId64 "; %s", value, rule_table[rule].rule);
    }
}

static void
where_add(char where[WHERE_BYTES], const char *entry)
{
    size_t n = strlen(where), comma = n > 0 ? 2 : 0, len = strlen(entry);
    if (n + comma + len < WHERE_BYTES) {
        memcpy(where + n, ", ", comma);
        memcpy(where + n + comma, entry, len + 1);
    }
}

void
where_core(char where[WHERE_BYTES], int64_t core, int64_t cores)
{
    char entry[40];
    if (core > 0 || cores > 1) {
        snprintf(entry, sizeof entry, "core %" PRId64, core);
        where_add(where, entry);
    }
}

void
where_value(char where[WHERE_BYTES], const char *name, Dtype dtype, int64_t value)
{
    char entry[WHERE_BYTES];
    int n = dtype == DT_U64
                ? snprintf(entry, sizeof entry, "%s = %" PRIu64, name, (uint64_t)value)
                : snprintf(entry, sizeof entry, "%s = %" PRId64, name, value);
    if (n > 0 && (size_t)n < sizeof entry) {
        where_add(where, entry);
    }
}
