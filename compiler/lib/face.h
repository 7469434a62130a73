/* face.h: the struct of a Tikc, shared by the files that implement tikc.h. */
#ifndef TIKC_LIB_FACE_H
#define TIKC_LIB_FACE_H

#include "pipeline.h"
#include "tikc.h"

struct Tikc {
    Unit unit; /* is first, since a loader gets the unit and needs the Tikc */
    TikcLoad *load;
    void *ctx;
    bool used; /* a program was compiled, with success or without */
    bool good; /* the compilation succeeded */
    /* machine code of its kernels, and what releases it; null: there is none. Both are of
     * native.c, which is in the shared library only */
    struct Native *native;
    void (*end_native)(Tikc *t);
    /* the recording of record.c, and what ends it; null: there is none */
    struct Record *record;
    void (*end_record)(Tikc *t);
};

#endif
