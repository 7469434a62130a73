/* profile.h: a run in the mode time, as commands show it. */
#ifndef TIKC_PROFILE_H
#define TIKC_PROFILE_H

#include "driver/driver.h"

/* Where a descriptor is in the source; without a file it is not known. */
typedef struct ProfilePlace {
    const char *file;
    uint32_t line, column;
} ProfilePlace;

typedef struct ProfileTrace ProfileTrace;
typedef struct ProfileRecord ProfileRecord;

/* What is collected while a kernel of a blob runs. */
typedef struct ProfileView {
    TikBlob blob;
    TikBlobKernel kernel;
    int index; /* of the kernel */
    TikProfile profile;
    const char **names;    /* by descriptor: the name of its instruction */
    ProfilePlace *places;  /* by descriptor */
    uint64_t *busy;        /* by descriptor: clocks of its queue */
    uint8_t *queue;        /* by descriptor */
    ProfileTrace *trace;   /* of --trace, or null */
    ProfileRecord *record; /* of --html, or null */
} ProfileView;

/* Makes the view of a kernel, whose profile is given to the emulator. Returns false after
 * a diagnostic. */
bool MUST_USE profile_begin(Cmd *c, ProfileView *v, const uint8_t *blob, size_t size,
                            int kernel);
/* Writes the files that the command line asks for and prints what was found. */
bool MUST_USE profile_end(Cmd *c, ProfileView *v);
/* Prints what was executed, which depends on no model. */
bool MUST_USE profile_stats(Cmd *c, const ProfileView *v);
/* Names what a queue waits for: a queue, or a TIK_WAIT_. */
const char *profile_wait_name(int by);

/* ---- profile_trace.c ----------------------------------------------------- */

ProfileTrace *profile_trace_begin(Arena *a);
void profile_trace_event(const ProfileView *v, const TikProfileEvent *e);
void profile_trace_flag(const ProfileView *v, const TikProfileFlag *f);
/* Adds the file of --trace. Returns false after a diagnostic. */
bool MUST_USE profile_trace_end(const Cmd *c, const ProfileView *v, IoBatch *out);

/* ---- profile_page.c ------------------------------------------------------ */

/* What the page of --html has from other forms of the profile. */
typedef struct ProfileForms {
    const char *screen; /* as text */
    const char *json;   /* the object of --format json */
} ProfileForms;

/* Adds the file of --html. Returns false after a diagnostic. */
bool MUST_USE profile_page(Cmd *c, const ProfileView *v, const ProfileForms *forms,
                           IoBatch *out);

#endif
