/* tikproof.h: what is proved of a kernel of a blob, a verdict for each of the properties
 * P1 to P12 of docs/blob-format.md. Hosted: a loader has tikblob_verify. */
#ifndef TIKPROOF_H
#define TIKPROOF_H

#include "tikblob.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The properties of docs/blob-format.md, P1 to P12. Those from DEFINED on are proved by
 * tikblob_properties. */
typedef enum TikBlobPropertyId {
#define PROPERTY(id, number, what) TIKBLOB_##id,
#include "isa/property.def"
    TIKBLOB_PROPERTIES
} TikBlobPropertyId;

TIK_API const char *tikblob_property_number(TikBlobPropertyId p); /* "P9" */
TIK_API const char *tikblob_property_text(TikBlobPropertyId p);

typedef enum TikBlobVerdict {
    TIKBLOB_PROVED,
    TIKBLOB_REFUTED,   /* it fails in each execution; the text says where */
    TIKBLOB_NOT_PROVED /* by what the walk knows it may fail */
} TikBlobVerdict;

typedef struct TikBlobProperty {
    TikBlobVerdict verdict;
    uint32_t first, later; /* descriptors at fault; UINT32_MAX: none */
    char text[400];        /* what is at fault, with places of the source where known */
} TikBlobProperty;

/* Answers for each property of a kernel that tikblob_verify has accepted with *proof:
 * P1 to P6 by that; P7 and P8 by tikblob_order if queues execute it; P9 to P12 by a walk
 * over what it does with its bytes. budget bounds that walk, in descriptors; 0: the usual
 * one. False: memory is exhausted. */
TIK_API bool tikblob_properties(const TikBlob *b, int kernel, const TikBlobProof *proof,
                                uint64_t budget, TikBlobProperty out[TIKBLOB_PROPERTIES]);
TIK_API const char *tikblob_verdict_name(TikBlobVerdict v); /* "proved" */

#ifdef __cplusplus
}
#endif
#endif
