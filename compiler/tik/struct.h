/* struct.h: the structures and enumerations of tik/struct.def, for the methods that
 * take them. */
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

/* The numbers of the enumerators. */
enum {
#define ENUMERATOR(of, name, number) TVALUE_##of##_##name = (number),
#include "tik/struct.def"
};

/* The fields of all structures. */
typedef enum TikField {
#define FIELD(of, name, dflt, kind) TFIELD_##of##_##name,
#include "tik/struct.def"
    TFIELD_COUNT
} TikField;

/* Returns which structure a value is; TSTRUCT_COUNT if it is none. */
TikStruct tik_struct_of(Value v);
/* Returns the present value of a field, which has the kind in the table. v must be a
 * structure with that field. */
Value tik_field(Value v, TikField f);
const char *tik_field_name(TikField f);
/* Returns the place where the program gave the field its value; otherwise if it has its
 * default. */
Span tik_field_span(Value v, TikField f, Span otherwise);
/* Returns whether the value is one of an enumeration. */
bool tik_is_enum(Value v, TikEnum of);
/* Returns the number of an enumerator. v must be one, as all values of fields that are
 * enumerations are. */
int tik_enum_number(Value v);
/* Returns whether the structure has a field that differs from its default. */
bool tik_struct_changed(Interp *in, Value v);

/* Adds the structures and enumerations of tik/struct.def. */
void tik_install_structs(Interp *in, Value module);

#endif
