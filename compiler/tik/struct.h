/* struct.h: the structures and enumerations of tik/struct.def, for the methods that take
 * them. */
#ifndef TIKC_TIK_STRUCT_H
#define TIKC_TIK_STRUCT_H

#include "tik/tik.h"

typedef enum TikStruct {
#define STRUCT(name) TSTRUCT_##name,
#include "tik/struct.def"
    TSTRUCT_COUNT
} TikStruct;

typedef enum TikEnum {
#define ENUM(name) TENUM_##name,
#include "tik/struct.def"
    TENUM_COUNT
} TikEnum;

/* Numbers of the enumerators. */
enum {
#define ENUMERATOR(of, name, number) TVALUE_##of##_##name = (number),
#include "tik/struct.def"
};

/* All fields of all structures. */
typedef enum TikField {
#define FIELD(of, name, dflt, kind) TFIELD_##of##_##name,
#include "tik/struct.def"
    TFIELD_COUNT
} TikField;

/* Which structure a value is; TSTRUCT_COUNT: none. */
TikStruct tik_struct_of(Value v);
/* A field as it is now, of the kind that the table says. Presupposes that v is a
 * structure which has it. */
Value tik_field(Value v, TikField f);
const char *tik_field_name(TikField f);
/* Where the program gave the field its value; the other span when it has its default. */
Span tik_field_span(Value v, TikField f, Span otherwise);
/* Whether the value is one of an enumeration. */
bool tik_is_enum(Value v, TikEnum of);
/* The number of an enumerator; presupposes that v is one, as the fields of an enumeration
 * are. */
int tik_enum_number(Value v);
/* Whether the structure has a field that differs from its default. */
bool tik_struct_changed(Interp *in, Value v);

#endif
