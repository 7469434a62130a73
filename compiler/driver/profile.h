/* profile.h: a run in the mode time, as commands show it. */
#ifndef TIKC_PROFILE_H
#define TIKC_PROFILE_H

#include "driver/driver.h"

/* What is collected while a kernel of a blob runs. */
typedef struct ProfileView {
    TikBlob blob;
    TikBlobKernel kernel;
    int index; /* of the kernel */
    TikProfile profile;
    const char **names; /* by descriptor: the name of its instruction */
    uint64_t *busy;     /* by descriptor: clocks of its queue */
    uint8_t *queue;     /* by descriptor */
    Text trace;
    uint64_t events;
    bool wants_trace;
} ProfileView;

/* Makes the view of a kernel, whose profile is given to the emulator. Returns false after
 * a diagnostic. */
bool MUST_USE profile_begin(Cmd *c, ProfileView *v, const uint8_t *blob, size_t size,
                            int kernel);
/* Writes the trace of --trace and prints what was found. */
bool MUST_USE profile_end(Cmd *c, ProfileView *v);

/* Prints what was executed, which depends on no model. */
bool MUST_USE profile_stats(Cmd *c, const ProfileView *v);

#endif
