/* strmethod.c: has the methods of texts. Letters are ASCII letters; other characters pass
 * unchanged. A search is charged for the product of both lengths, which it takes when
 * much of the part is found everywhere. */
#include "python/core.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

static bool
is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool
text_arg(Interp *in, const CallArgs *args, int i, const Str **out)
{
    if (args->pos[i].kind != VAL_STR) {
        py_raise(in, "TypeError", args->span, "a text is needed, not '%s'",
                 val_type_name(args->pos[i]));
        return false;
    }
    *out = args->pos[i].str;
    return true;
}

static bool
int_arg(Interp *in, const CallArgs *args, int i, int64_t *out)
{
    if (i >= args->npos || args->pos[i].kind == VAL_NONE) {
        return true;
    }
    if (!val_is_int(args->pos[i]) || !val_as_int64(args->pos[i], out)) {
        py_raise(in, "TypeError", args->span, "an integer is needed, not '%s'",
                 val_type_name(args->pos[i]));
        return false;
    }
    return true;
}

static bool
charge_search(Interp *in, Value text, const Str *part, Span span)
{
    return core_charge(in, text.str->len / 8 * (1 + (int64_t)part->len / 64), span);
}

/* ---- letters ------------------------------------------------------------- */

typedef enum CaseKind {
    CASE_LOWER,
    CASE_UPPER,
    CASE_SWAP,
    CASE_TITLE,
    CASE_CAPITAL
} CaseKind;

static bool
is_lower(unsigned char c)
{
    return c >= 'a' && c <= 'z';
}

static bool
is_upper(unsigned char c)
{
    return c >= 'A' && c <= 'Z';
}

static Value
change_case(Interp *in, Value self, CaseKind kind)
{
    char *p = arena_strndup(core_arena(in), self.str->p, self.str->len);
    bool inside = false;
    for (uint32_t i = 0; i < self.str->len; i++) {
        unsigned char c = (unsigned char)p[i];
        if (c >= 128) {
            inside = true;
            continue;
        }
        bool up = kind == CASE_UPPER || (kind == CASE_SWAP && is_lower(c)) ||
                  (kind == CASE_TITLE && !inside) || (kind == CASE_CAPITAL && i == 0);
        bool letter = is_lower(c) || is_upper(c);
        p[i] = (char)(letter && is_lower(c) == up ? c ^ 32 : c);
        inside = letter;
    }
    return val_str_ref(in, p, self.str->len);
}

#define CASE_METHOD(name, kind)                                                          \
    static Value name(Interp *in, Value self, const CallArgs *args)                      \
    {                                                                                    \
        (void)args;                                                                      \
        return change_case(in, self, kind);                                              \
    }
CASE_METHOD(str_lower, CASE_LOWER)
CASE_METHOD(str_upper, CASE_UPPER)
CASE_METHOD(str_swapcase, CASE_SWAP)
CASE_METHOD(str_title, CASE_TITLE)
CASE_METHOD(str_capitalize, CASE_CAPITAL)

/* Returns whether all characters satisfy the predicate, and there is one. */
static Value
all_chars(Value self, int (*is)(int))
{
    bool yes = self.str->len > 0;
    for (uint32_t i = 0; yes && i < self.str->len; i++) {
        unsigned char c = (unsigned char)self.str->p[i];
        yes = (c >= 128 ? is == isalpha || is == isalnum : is(c));
    }
    return val_bool(yes);
}

#define CHAR_METHOD(name, predicate)                                                     \
    static Value name(Interp *in, Value self, const CallArgs *args)                      \
    {                                                                                    \
        (void)in;                                                                        \
        (void)args;                                                                      \
        return all_chars(self, predicate);                                               \
    }
CHAR_METHOD(str_isdigit, isdigit)
CHAR_METHOD(str_isalpha, isalpha)
CHAR_METHOD(str_isalnum, isalnum)
CHAR_METHOD(str_isspace, isspace)

static Value
one_case(Value self, int (*wanted)(int), int (*other)(int))
{
    bool some = false;
    for (uint32_t i = 0; i < self.str->len; i++) {
        unsigned char c = (unsigned char)self.str->p[i];
        if (c < 128 && other(c)) {
            return val_bool(false);
        }
        some = some || (c < 128 && wanted(c));
    }
    return val_bool(some);
}

static Value
str_isupper(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)args;
    return one_case(self, isupper, islower);
}

static Value
str_islower(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)args;
    return one_case(self, islower, isupper);
}

static Value
str_isidentifier(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)args;
    bool yes = self.str->len > 0 && !isdigit((unsigned char)self.str->p[0]);
    for (uint32_t i = 0; i < self.str->len; i++) {
        unsigned char c = (unsigned char)self.str->p[i];
        yes = yes && (isalnum(c) || c == '_' || c >= 128);
    }
    return val_bool(yes);
}

/* ---- searching ----------------------------------------------------------- */

/* Returns the first or last place of part in text, -1 if there is none. */
static int64_t
find_bytes(const char *p, size_t n, const Str *part, bool last)
{
    /* end of the places where it may begin */
    int64_t beyond = (int64_t)n - part->len + 1;
    if (part->len == 0) {
        return last ? (int64_t)n : 0;
    }
    for (int64_t i = 0; i < beyond; i++) {
        const char *hit =
            last ? p + beyond - 1 - i : memchr(p + i, part->p[0], (size_t)(beyond - i));
        if (!hit) {
            break;
        }
        if (memcmp(hit, part->p, part->len) == 0) {
            return hit - p;
        }
        i = last ? i : hit - p;
    }
    return -1;
}

static int64_t
count_chars(const char *p, size_t n)
{
    Str s = {.len = (uint32_t)n, .p = p};
    return str_count((Value){.kind = VAL_STR, .str = &s});
}

/* Returns whether a window of the text begins after its end, where not even the empty
 * text is. */
static bool
begins_beyond(Value self, const CallArgs *args)
{
    int64_t start = 0;
    return args->npos > 1 && val_is_int(args->pos[1]) &&
           val_as_int64(args->pos[1], &start) && start > str_count(self);
}

/* Replaces the text by the window that the arguments [start[, end]] after the first one
 * give. */
static bool
take_window(Interp *in, Value *self, const CallArgs *args)
{
    int64_t bounds[4];
    if (args->npos < 2) {
        return true;
    }
    SliceVal s = {args->pos[1], args->npos > 2 ? args->pos[2] : val_none(), val_none()};
    TRY(index_slice(in, &s, str_count(*self), args->span, bounds));
    *self = str_slice(in, *self, bounds[0], 1, bounds[2]);
    return true;
}

/* Implements find(part[, start[, end]]) in characters; returns -2 after a failure. */
static int64_t
find(Interp *in, Value self, const CallArgs *args, bool last)
{
    const Str *part = NULL;
    int64_t bounds[4];
    SliceVal s = {args->npos > 1 ? args->pos[1] : val_none(),
                  args->npos > 2 ? args->pos[2] : val_none(), val_none()};
    if (!text_arg(in, args, 0, &part) ||
        !index_slice(in, &s, str_count(self), args->span, bounds) ||
        !charge_search(in, self, part, args->span)) {
        return -2;
    }
    if (begins_beyond(self, args)) {
        return -1;
    }
    Value window = str_slice(in, self, bounds[0], 1, bounds[2]);
    int64_t at = find_bytes(window.str->p, window.str->len, part, last);
    if (at > 0) {
        at = count_chars(window.str->p, (size_t)at);
    }
    return at < 0 ? -1 : at + bounds[0];
}

static Value
str_find(Interp *in, Value self, const CallArgs *args)
{
    int64_t i = find(in, self, args, false);
    return i == -2 ? val_fail() : val_int(i);
}

static Value
str_rfind(Interp *in, Value self, const CallArgs *args)
{
    int64_t i = find(in, self, args, true);
    return i == -2 ? val_fail() : val_int(i);
}

static Value
found_or_raise(Interp *in, const CallArgs *args, int64_t i)
{
    if (i == -1) {
        return py_raise(in, "ValueError", args->span, "the text does not contain %s",
                        val_repr(in, args->pos[0]));
    }
    return i == -2 ? val_fail() : val_int(i);
}

static Value
str_index(Interp *in, Value self, const CallArgs *args)
{
    return found_or_raise(in, args, find(in, self, args, false));
}

static Value
str_rindex(Interp *in, Value self, const CallArgs *args)
{
    return found_or_raise(in, args, find(in, self, args, true));
}

static Value
str_countof(Interp *in, Value self, const CallArgs *args)
{
    const Str *part = NULL;
    int64_t n = 0;
    bool beyond = begins_beyond(self, args);
    if (!text_arg(in, args, 0, &part) || !take_window(in, &self, args) ||
        !charge_search(in, self, part, args->span)) {
        return val_fail();
    }
    if (part->len == 0) {
        return val_int(beyond ? 0 : str_count(self) + 1);
    }
    const char *p = self.str->p;
    size_t rest = self.str->len;
    for (;;) {
        int64_t at = find_bytes(p, rest, part, false);
        if (at < 0) {
            return val_int(n);
        }
        n++;
        p += at + part->len;
        rest -= (size_t)at + part->len;
    }
}

static bool
has_end(Interp *in, const Str *s, const Str *part, bool front)
{
    if (s->len < part->len) {
        return false;
    }
    core_owe(in, part->len / WORK_BYTES);
    return memcmp(front ? s->p : s->p + s->len - part->len, part->p, part->len) == 0;
}

static Value
ends(Interp *in, Value self, const CallArgs *args, bool front)
{
    const Str *part = NULL;
    Value v = args->pos[0];
    bool beyond = begins_beyond(self, args);
    if (!take_window(in, &self, args)) {
        return val_fail();
    }
    if (v.kind == VAL_TUPLE) {
        bool yes = false;
        for (uint32_t i = 0; i < v.list->n && !yes; i++) {
            Value end = v.list->p[i];
            if (!core_step(in, args->span)) {
                return val_fail();
            }
            yes = end.kind == VAL_STR && has_end(in, self.str, end.str, front);
        }
        return val_bool(yes && !beyond);
    }
    return text_arg(in, args, 0, &part)
               ? val_bool(!beyond && has_end(in, self.str, part, front))
               : val_fail();
}

static Value
str_startswith(Interp *in, Value self, const CallArgs *args)
{
    return ends(in, self, args, true);
}

static Value
str_endswith(Interp *in, Value self, const CallArgs *args)
{
    return ends(in, self, args, false);
}

/* ---- splitting and joining ----------------------------------------------- */

static Value
str_join(Interp *in, Value self, const CallArgs *args)
{
    Value items = args->pos[0];
    if (items.kind != VAL_LIST && items.kind != VAL_TUPLE) {
        items = iter_collect(in, VAL_LIST, items, args->span);
    }
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    for (uint32_t i = 0; !val_failed(items) && i < items.list->n; i++) {
        Value v = items.list->p[i];
        if (v.kind != VAL_STR) {
            return py_raise(in, "TypeError", args->span,
                            "item %u to join is a '%s', not a text", i, val_type_name(v));
        }
        if ((i && !core_put(in, &t, self.str->p, self.str->len, args->span)) ||
            !core_put(in, &t, v.str->p, v.str->len, args->span) ||
            !core_step(in, args->span)) {
            return val_fail();
        }
    }
    return val_failed(items) ? items : val_text(in, &t);
}

enum {
    PIECE_STEPS = 8 /* cost of making a text */
};

static Value
split_spaces(Interp *in, const Str *s, int64_t max, Span span)
{
    Value list = val_items(in, VAL_LIST, 0);
    uint32_t i = 0;
    for (;;) {
        while (i < s->len && is_space(s->p[i])) {
            i++;
        }
        if (i == s->len) {
            return list;
        }
        uint32_t start = i;
        while (i < s->len && !is_space(s->p[i])) {
            i++;
        }
        if (max-- == 0) {
            uint32_t end = s->len;
            while (end > start && is_space(s->p[end - 1])) {
                end--;
            }
            list_push(in, list, val_str_n(in, s->p + start, end - start));
            return list;
        }
        list_push(in, list, val_str_n(in, s->p + start, i - start));
        if (!core_charge(in, PIECE_STEPS, span) || !core_step(in, span)) {
            return val_fail();
        }
    }
}

static bool
split_args(Interp *in, const CallArgs *args, const Str **sep, int64_t *max)
{
    Value v = args->npos > 0 ? args->pos[0] : builtin_keyword(args, in->core->sym.sep);
    Value limit = builtin_keyword(args, in->core->sym.maxsplit);
    *max = -1;
    *sep = NULL;
    if (!val_failed(limit) && val_is_int(limit) && !val_as_int64(limit, max)) {
        *max = -1;
    }
    if (!val_failed(v) && v.kind != VAL_NONE) {
        if (v.kind != VAL_STR || v.str->len == 0) {
            py_raise(in, v.kind == VAL_STR ? "ValueError" : "TypeError", args->span,
                     "a separator is a text that is not empty");
            return false;
        }
        *sep = v.str;
    }
    return int_arg(in, args, 1, max);
}

static Value
str_split(Interp *in, Value self, const CallArgs *args)
{
    const Str *sep = NULL;
    int64_t max = -1;
    if (!split_args(in, args, &sep, &max) ||
        !core_reserve(in, (double)self.str->len * 2, args->span)) {
        return val_fail();
    }
    if (!sep) {
        return split_spaces(in, self.str, max < 0 ? INT64_MAX : max, args->span);
    }
    if (!charge_search(in, self, sep, args->span)) {
        return val_fail();
    }
    Value list = val_items(in, VAL_LIST, 0);
    const char *p = self.str->p;
    size_t rest = self.str->len;
    for (;;) {
        int64_t at = max == 0 ? -1 : find_bytes(p, rest, sep, false);
        list_push(in, list, val_str_n(in, p, at < 0 ? rest : (size_t)at));
        if (!core_charge(in, PIECE_STEPS, args->span) || !core_step(in, args->span)) {
            return val_fail();
        }
        if (at < 0) {
            return list;
        }
        p += at + sep->len;
        rest -= (size_t)at + sep->len;
        max--;
    }
}

static Value
str_rsplit(Interp *in, Value self, const CallArgs *args)
{
    const Str *sep = NULL;
    int64_t max = -1;
    if (!split_args(in, args, &sep, &max)) {
        return val_fail();
    }
    if (!sep || max < 0) {
        return str_split(in, self, args);
    }
    if (!charge_search(in, self, sep, args->span)) {
        return val_fail();
    }
    Value back = val_items(in, VAL_LIST, 0);
    size_t rest = self.str->len;
    for (;;) {
        int64_t at = max-- == 0 ? -1 : find_bytes(self.str->p, rest, sep, true);
        size_t from = at < 0 ? 0 : (size_t)at + sep->len;
        list_push(in, back, val_str_n(in, self.str->p + from, rest - from));
        if (!core_charge(in, PIECE_STEPS, args->span) || !core_step(in, args->span)) {
            return val_fail();
        }
        if (at < 0) {
            break;
        }
        rest = (size_t)at;
    }
    for (uint32_t i = 0; i < back.list->n / 2; i++) {
        Value swap = back.list->p[i];
        back.list->p[i] = back.list->p[back.list->n - 1 - i];
        back.list->p[back.list->n - 1 - i] = swap;
    }
    return back;
}

static Value
str_splitlines(Interp *in, Value self, const CallArgs *args)
{
    Value keep = args->npos ? args->pos[0]
                            : builtin_keyword(args, intern(&in->u->names, "keepends"));
    bool ends = false;
    Value list = val_items(in, VAL_LIST, 0);
    const char *p = self.str->p;
    const char *end = p + self.str->len;
    if ((!val_failed(keep) && !op_truth(in, keep, args->span, &ends))) {
        return val_fail();
    }
    while (p < end) {
        const char *q = p;
        while (q < end && *q != '\n' && *q != '\r') {
            q++;
        }
        const char *next = q + 1 + (q + 1 < end && q[0] == '\r' && q[1] == '\n');
        list_push(in, list, val_str_n(in, p, (size_t)((ends ? MIN(next, end) : q) - p)));
        if (!core_charge(in, PIECE_STEPS, args->span) || !core_step(in, args->span)) {
            return val_fail();
        }
        p = next;
    }
    return list;
}

static Value
part_at(Interp *in, Value self, const CallArgs *args, bool last)
{
    const Str *sep = NULL;
    Value none = val_str(in, "");
    if (!text_arg(in, args, 0, &sep)) {
        return val_fail();
    }
    if (sep->len == 0) {
        return py_raise(in, "ValueError", args->span,
                        "a separator is a text that is not empty");
    }
    if (!charge_search(in, self, sep, args->span)) {
        return val_fail();
    }
    int64_t at = find_bytes(self.str->p, self.str->len, sep, last);
    if (at < 0) {
        Value head[3] = {self, none, none};
        Value tail[3] = {none, none, self};
        return val_tuple(in, last ? tail : head, 3);
    }
    size_t after = (size_t)at + sep->len;
    Value three[3] = {val_str_n(in, self.str->p, (size_t)at), args->pos[0],
                      val_str_n(in, self.str->p + after, self.str->len - after)};
    return val_tuple(in, three, 3);
}

static Value
str_partition(Interp *in, Value self, const CallArgs *args)
{
    return part_at(in, self, args, false);
}

static Value
str_rpartition(Interp *in, Value self, const CallArgs *args)
{
    return part_at(in, self, args, true);
}

/* ---- changing ------------------------------------------------------------ */

static Value
str_replace(Interp *in, Value self, const CallArgs *args)
{
    const Str *old = NULL;
    const Str *new = NULL;
    int64_t max = -1;
    char room[TEXT_ROOM];
    Text t;
    if (!text_arg(in, args, 0, &old) || !text_arg(in, args, 1, &new) ||
        !int_arg(in, args, 2, &max) || !charge_search(in, self, old, args->span) ||
        !core_reserve(in,
                      (double)(self.str->len + 1.0) * (1.0 + new->len) / MAX(old->len, 1),
                      args->span) ||
        !core_charge(in, old->len ? 0 : (int64_t)self.str->len, args->span)) {
        return val_fail();
    }
    text_init_in(&t, core_arena(in), room, sizeof room);
    const char *p = self.str->p;
    const char *end = p + self.str->len;
    while (max != 0) {
        if (old->len == 0) {
            text_putn(&t, new->p, new->len);
            max--;
            if (p == end || max == 0) {
                break;
            }
            text_putc(&t, *p++);
            while (p < end && ((unsigned char)*p & 0xc0) == 0x80) {
                text_putc(&t, *p++);
            }
            continue;
        }
        int64_t at = find_bytes(p, (size_t)(end - p), old, false);
        if (at < 0) {
            break;
        }
        text_putn(&t, p, (size_t)at);
        text_putn(&t, new->p, new->len);
        core_owe(in, 2);
        p += at + old->len;
        max--;
    }
    text_putn(&t, p, (size_t)(end - p));
    return val_text(in, &t);
}

static Value
strip(Interp *in, Value self, const CallArgs *args, bool left, bool right)
{
    const Str *set = NULL;
    const char *p = self.str->p;
    const char *end = p + self.str->len;
    if ((args->npos && args->pos[0].kind != VAL_NONE && !text_arg(in, args, 0, &set))) {
        return val_fail();
    }
    bool in_set[UCHAR_MAX + 1] = {false};
    for (uint32_t i = 0; set && i < set->len; i++) {
        in_set[(unsigned char)set->p[i]] = true;
    }
#define STRIPPED(c) (set ? in_set[(unsigned char)(c)] : is_space(c))
    while (left && p < end && STRIPPED(*p)) {
        p++;
    }
    while (right && p < end && STRIPPED(end[-1])) {
        end--;
    }
#undef STRIPPED
    return val_str_n(in, p, (size_t)(end - p));
}

static Value
str_strip(Interp *in, Value self, const CallArgs *args)
{
    return strip(in, self, args, true, true);
}

static Value
str_lstrip(Interp *in, Value self, const CallArgs *args)
{
    return strip(in, self, args, true, false);
}

static Value
str_rstrip(Interp *in, Value self, const CallArgs *args)
{
    return strip(in, self, args, false, true);
}

/* Fills a text up to a width. front says how many halves of the padding come first: 0, 1
 * or 2. */
static Value
justify(Interp *in, Value self, const CallArgs *args, int front)
{
    int64_t width = 0;
    const Str *fill = NULL;
    if (!int_arg(in, args, 0, &width) ||
        (args->npos > 1 && !text_arg(in, args, 1, &fill))) {
        return val_fail();
    }
    if (fill && count_chars(fill->p, fill->len) != 1) {
        return py_raise(in, "TypeError", args->span, "the fill is one character");
    }
    int64_t n = str_count(self);
    int64_t pad = MAX(width - n, 0);
    if (!core_reserve(in, (double)pad * 8, args->span) ||
        !core_charge(in, pad, args->span)) {
        return val_fail();
    }
    int64_t before = front == 2 ? pad : front == 1 ? pad / 2 + (pad & width & 1) : 0;
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    for (int64_t i = 0; i <= pad; i++) {
        if (i == before) {
            text_putn(&t, self.str->p, self.str->len);
        }
        if (i < pad) {
            text_putn(&t, fill ? fill->p : " ", fill ? fill->len : 1);
        }
    }
    return val_text(in, &t);
}

static Value
str_ljust(Interp *in, Value self, const CallArgs *args)
{
    return justify(in, self, args, 0);
}

static Value
str_center(Interp *in, Value self, const CallArgs *args)
{
    return justify(in, self, args, 1);
}

static Value
str_rjust(Interp *in, Value self, const CallArgs *args)
{
    return justify(in, self, args, 2);
}

static Value
str_zfill(Interp *in, Value self, const CallArgs *args)
{
    int64_t width = 0;
    if (!int_arg(in, args, 0, &width) ||
        !core_reserve(in, 2 * (double)MAX(width, 0), args->span) ||
        !core_charge(in, MAX(width, 0) / 2, args->span)) {
        return val_fail();
    }
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    bool sign = self.str->len && (self.str->p[0] == '-' || self.str->p[0] == '+');
    if (sign) {
        text_putc(&t, self.str->p[0]);
    }
    for (int64_t i = str_count(self); i < width; i++) {
        text_putc(&t, '0');
    }
    text_putn(&t, self.str->p + sign, self.str->len - sign);
    return val_text(in, &t);
}

static Value
without_end(Interp *in, Value self, const CallArgs *args, bool front)
{
    const Str *part = NULL;
    if (!text_arg(in, args, 0, &part)) {
        return val_fail();
    }
    if (!has_end(in, self.str, part, front)) {
        return self;
    }
    return val_str_n(in, self.str->p + (front ? part->len : 0),
                     self.str->len - part->len);
}

static Value
str_removeprefix(Interp *in, Value self, const CallArgs *args)
{
    return without_end(in, self, args, true);
}

static Value
str_removesuffix(Interp *in, Value self, const CallArgs *args)
{
    return without_end(in, self, args, false);
}

static Value
str_format(Interp *in, Value self, const CallArgs *args)
{
    return format_braces(in, self, args, val_fail());
}

static Value
str_format_map(Interp *in, Value self, const CallArgs *args)
{
    return format_braces(in, self, &(CallArgs){.span = args->span}, args->pos[0]);
}

static Value
str_expandtabs(Interp *in, Value self, const CallArgs *args)
{
    int64_t size = 8;
    if (!int_arg(in, args, 0, &size) ||
        !core_reserve(in, (double)self.str->len * 2, args->span)) {
        return val_fail();
    }
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    int64_t column = 0;
    for (uint32_t i = 0; i < self.str->len; i++) {
        char c = self.str->p[i];
        int64_t fill = size > 0 ? size - column % size : 0;
        core_owe(in, 1);
        if (c != '\t') {
            text_putc(&t, c);
            column = c == '\n' || c == '\r' ? 0 : column + ((c & 0xc0) != 0x80);
            continue;
        }
        if (!core_reserve(in, (double)fill * 2, args->span)) {
            return val_fail();
        }
        for (int64_t k = 0; k < fill; k++) {
            text_putc(&t, ' ');
        }
        column += fill;
    }
    return val_text(in, &t);
}

/* Puts what a character becomes: a text, a code, None (left out) or, when the table has
 * no entry, itself. */
static bool
translate_one(Interp *in, const CallArgs *args, uint32_t code, Text *out)
{
    Value to = val_none();
    int64_t c = 0;
    if (!dict_get(in, args->pos[0], val_int(code), &to)) {
        format_put_code(out, code);
    } else if (to.kind == VAL_STR) {
        return core_put(in, out, to.str->p, to.str->len, args->span);
    } else if (val_is_int(to) && val_as_int64(to, &c) && c >= 0 && c <= 0x10ffff) {
        format_put_code(out, (uint32_t)c);
    } else if (to.kind != VAL_NONE) {
        py_raise(in, "TypeError", args->span,
                 "a character becomes a text, a character code or None, not '%s'",
                 val_type_name(to));
        return false;
    }
    return true;
}

static Value
str_translate(Interp *in, Value self, const CallArgs *args)
{
    if (args->pos[0].kind != VAL_DICT) {
        return py_raise(in, "TypeError", args->span,
                        "translate takes a dict (str.maketrans makes one), not '%s'",
                        val_type_name(args->pos[0]));
    }
    enum {
        TRANSLATE_STEPS = 4 /* cost of a character */
    };
    char room[TEXT_ROOM];
    Text t;
    int n = 1;
    text_init_in(&t, core_arena(in), room, sizeof room);
    for (uint32_t i = 0; i < self.str->len; i += (uint32_t)n) {
        if (!core_charge(in, TRANSLATE_STEPS, args->span) ||
            !translate_one(in, args, format_code(self.str->p + i, &n), &t)) {
            return val_fail();
        }
    }
    return val_text(in, &t);
}

/* Makes the table of maketrans from one dict: keys that are characters become their
 * codes. */
static Value
table_of_dict(Interp *in, const Dict *d, Span span)
{
    Value table = val_dict(in);
    int n = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        Value key = d->p[i].key;
        if (val_failed(key)) {
            continue;
        }
        if (key.kind == VAL_STR && str_count(key) != 1) {
            return py_raise(in, "ValueError", span,
                            "a key of the table is one character, not %s",
                            val_repr(in, key));
        }
        key = key.kind == VAL_STR ? val_int(format_code(key.str->p, &n)) : key;
        if (!dict_put(in, table.dict, key, d->p[i].v, span)) {
            return val_fail();
        }
    }
    return table;
}

static Value
str_maketrans(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    const Str *part[3] = {NULL, NULL, NULL};
    Value table = val_dict(in);
    if (args->npos == 1 && args->pos[0].kind == VAL_DICT) {
        return table_of_dict(in, args->pos[0].dict, args->span);
    }
    for (int i = 0; i < args->npos; i++) {
        if (!text_arg(in, args, i, &part[i])) {
            return val_fail();
        }
    }
    if (args->npos < 2 || str_count(args->pos[0]) != str_count(args->pos[1])) {
        return py_raise(in, "ValueError", args->span,
                        "maketrans takes a dict, or two texts of one length");
    }
    const char *to = part[1]->p;
    int n = 1;
    int m = 1;
    for (uint32_t i = 0; i < part[0]->len; i += (uint32_t)n, to += m) {
        uint32_t from = format_code(part[0]->p + i, &n);
        if (!dict_put(in, table.dict, val_int(from), val_int(format_code(to, &m)),
                      args->span)) {
            return val_fail();
        }
    }
    for (uint32_t i = 0; part[2] && i < part[2]->len; i += (uint32_t)n) {
        uint32_t gone = format_code(part[2]->p + i, &n);
        if (!dict_put(in, table.dict, val_int(gone), val_none(), args->span)) {
            return val_fail();
        }
    }
    return table;
}

static Value
str_encode(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return error_not_supported(
        in, args->span, "str.encode is not evaluated: the language has no bytes",
        "use the text as it is; ord(c) gives the code of a character");
}

static Value
str_istitle(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)args;
    bool inside = false;
    bool some = false;
    for (uint32_t i = 0; i < self.str->len; i++) {
        unsigned char c = (unsigned char)self.str->p[i];
        bool letter = c < 128 && isalpha(c);
        if (letter && (isupper(c) != 0) == inside) {
            return val_bool(false);
        }
        inside = letter;
        some = some || letter;
    }
    return val_bool(some);
}

static Value
str_isprintable(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)args;
    bool yes = true;
    for (uint32_t i = 0; i < self.str->len; i++) {
        unsigned char c = (unsigned char)self.str->p[i];
        yes = yes && (c >= 128 || isprint(c));
    }
    return val_bool(yes);
}

static Value
str_isascii(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)args;
    return val_bool(str_count(self) == self.str->len);
}

static const BuiltinRow rows[] = {
    {"lower", str_lower, 0, 0, NULL},
    {"upper", str_upper, 0, 0, NULL},
    {"casefold", str_lower, 0, 0, NULL},
    {"swapcase", str_swapcase, 0, 0, NULL},
    {"title", str_title, 0, 0, NULL},
    {"capitalize", str_capitalize, 0, 0, NULL},
    {"isdigit", str_isdigit, 0, 0, NULL},
    {"isnumeric", str_isdigit, 0, 0, NULL},
    {"isdecimal", str_isdigit, 0, 0, NULL},
    {"isalpha", str_isalpha, 0, 0, NULL},
    {"isalnum", str_isalnum, 0, 0, NULL},
    {"isspace", str_isspace, 0, 0, NULL},
    {"isupper", str_isupper, 0, 0, NULL},
    {"islower", str_islower, 0, 0, NULL},
    {"isidentifier", str_isidentifier, 0, 0, NULL},
    {"find", str_find, 1, 3, NULL, COST_INSIDE},
    {"rfind", str_rfind, 1, 3, NULL},
    {"index", str_index, 1, 3, NULL, COST_INSIDE},
    {"rindex", str_rindex, 1, 3, NULL},
    {"count", str_countof, 1, 3, NULL},
    {"startswith", str_startswith, 1, 3, NULL, COST_INSIDE},
    {"endswith", str_endswith, 1, 3, NULL, COST_INSIDE},
    {"join", str_join, 1, 1, NULL},
    {"split", str_split, 0, 2, "sep maxsplit"},
    {"rsplit", str_rsplit, 0, 2, "sep maxsplit"},
    {"splitlines", str_splitlines, 0, 1, "keepends"},
    {"partition", str_partition, 1, 1, NULL},
    {"rpartition", str_rpartition, 1, 1, NULL},
    {"replace", str_replace, 2, 3, NULL},
    {"strip", str_strip, 0, 1, NULL},
    {"lstrip", str_lstrip, 0, 1, NULL},
    {"rstrip", str_rstrip, 0, 1, NULL},
    {"ljust", str_ljust, 1, 2, NULL},
    {"center", str_center, 1, 2, NULL},
    {"rjust", str_rjust, 1, 2, NULL},
    {"zfill", str_zfill, 1, 1, NULL},
    {"removeprefix", str_removeprefix, 1, 1, NULL},
    {"removesuffix", str_removesuffix, 1, 1, NULL},
    {"format", str_format, 0, 255, "*"},
    {"format_map", str_format_map, 1, 1, NULL},
    {"expandtabs", str_expandtabs, 0, 1, NULL},
    {"translate", str_translate, 1, 1, NULL},
    {"encode", str_encode, 0, 2, "*"},
    {"istitle", str_istitle, 0, 0, NULL},
    {"isprintable", str_isprintable, 0, 0, NULL},
    {"isascii", str_isascii, 0, 0, NULL},
};

static const BuiltinRow statics[] = {{"maketrans", str_maketrans, 1, 3, NULL}};

void
strmethod_install(Interp *in)
{
    ClassVal *c = in->core->types[VAL_STR];
    builtin_add_rows(in, &c->attrs, rows, ARRAY_LEN(rows), c);
    builtin_add_static(in, c, statics, ARRAY_LEN(statics));
}
