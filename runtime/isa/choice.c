/* choice.c: the table of choices that choice.h declares, made from choice.def. */
#include "isa/choice.h"

#include <string.h>

enum {
    MAX_READINGS = 4
};

static const ChoiceInfo points[CHOICE_COUNT] = {
#define CHOICE(id, number, name, question, reason)                                       \
    [CHOICE_##id] = {number, name, question, reason},
#include "isa/choice.def"
};

static const char *const fixed[CHOICE_COUNT] = {
#define ONE_READING(choice, why) [CHOICE_##choice] = why,
#include "isa/choice.def"
};

static const ReadingInfo readings[CHOICE_COUNT][MAX_READINGS] = {
#define READING(choice, n, id, name, text) [CHOICE_##choice][n] = {name, text},
#include "isa/choice.def"
};

void
choice_letters(Choice point, uint8_t out[4])
{
    const char *number = points[point].number;
    for (int i = 0; i < 4; i++) {
        out[i] = (uint8_t)*number;
        number += *number != 0;
    }
}

bool
choice_has_reading(Choice point, int n)
{
    return choice_reading(point, n) != NULL;
}

const ChoiceInfo *
choice_info(Choice point)
{
    return &points[point];
}

const char *
choice_fixed(Choice point)
{
    return fixed[point];
}

const ReadingInfo *
choice_reading(Choice point, int n)
{
    bool there = n >= 0 && n < MAX_READINGS && readings[point][n].name != NULL;
    return there ? &readings[point][n] : NULL;
}

bool
choice_find(const char *text, Choice *point)
{
    for (int i = 0; i < CHOICE_COUNT; i++) {
        if (strcmp(points[i].number, text) == 0 || strcmp(points[i].name, text) == 0) {
            *point = (Choice)i;
            return true;
        }
    }
    return false;
}

bool
choice_find_reading(Choice point, const char *text, uint8_t *n)
{
    const ReadingInfo *r;
    for (int i = 0; (r = choice_reading(point, i)) != NULL; i++) {
        if (strcmp(r->name, text) == 0) {
            *n = (uint8_t)i;
            return true;
        }
    }
    return false;
}

const Choices *
choices_or_null(const Choices *c)
{
    for (int i = 0; c != NULL && i < CHOICE_COUNT; i++) {
        if (c->v[i] != 0) {
            return c;
        }
    }
    return NULL;
}
