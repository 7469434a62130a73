/* properties.c: one verdict for each property of a kernel (tikproof.h): what the verifier
 * has accepted, what is proved of the order of its queues, and what it does with its
 * bytes. Hosted. */
#include "blob/data.h"

#include <stdio.h>
#include <string.h>

static const char *const numbers[] = {
#define PROPERTY(id, number, what) [TIKBLOB_##id] = number,
#include "isa/property.def"
};

static const char *const texts[] = {
#define PROPERTY(id, number, what) [TIKBLOB_##id] = what,
#include "isa/property.def"
};

const char *
tikblob_property_number(TikBlobPropertyId p)
{
    return numbers[p];
}

const char *
tikblob_property_text(TikBlobPropertyId p)
{
    return texts[p];
}

const char *
tikblob_verdict_name(TikBlobVerdict v)
{
    return v == TIKBLOB_PROVED    ? "proved"
           : v == TIKBLOB_REFUTED ? "refuted"
                                  : "not proved";
}

/* Rules that descriptors are marked to check while running. */
static void
checked_bounds(const TikBlobProof *proof, TikBlobProperty *out)
{
    if (proof->checked > 0) {
        out->verdict = TIKBLOB_NOT_PROVED;
        snprintf(out->text, sizeof out->text, "%lld rules are checked while running",
                 (long long)proof->checked);
    }
}

static void
order(const TikBlob *b, int kernel, TikBlobProperty *out)
{
    TikBlobKernel info;
    TikBlobOrder o;
    tikblob_kernel(b, kernel, &info);
    if ((info.flags & TIKBLOB_QUEUES) == 0 || tikblob_order(b, kernel, &o)) {
        return;
    }
    bool race = strcmp(o.name, "race") == 0;
    for (int p = TIKBLOB_FLAGS; p <= TIKBLOB_RACES; p++) {
        if (race && p == TIKBLOB_FLAGS) {
            continue; /* flags are compared before accesses are */
        }
        bool refuted = o.certain && (race || p == TIKBLOB_FLAGS);
        out[p] =
            (TikBlobProperty){.verdict = refuted ? TIKBLOB_REFUTED : TIKBLOB_NOT_PROVED,
                              .first = o.first,
                              .later = o.later};
        snprintf(out[p].text, sizeof out[p].text, "%s: %.360s", o.name, o.text);
    }
}

bool
tikblob_properties(const TikBlob *b, int kernel, const TikBlobProof *proof,
                   uint64_t budget, TikBlobProperty out[TIKBLOB_PROPERTIES])
{
    for (int i = 0; i < TIKBLOB_PROPERTIES; i++) {
        out[i] = (TikBlobProperty){
            .verdict = TIKBLOB_PROVED, .first = UINT32_MAX, .later = UINT32_MAX};
    }
    checked_bounds(proof, &out[TIKBLOB_BOUNDS]);
    order(b, kernel, out);
    return data_walk(b, kernel, budget, out);
}
