/* outfile.h: files that are made whole under a temporary name beside their place and then
 * put there. A link stays a link, and a file that was there before keeps its mode. */
#ifndef TIKRT_LAUNCH_OUTFILE_H
#define TIKRT_LAUNCH_OUTFILE_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

typedef struct OutPlace {
    char *path;   /* where the links lead; freed by outfile_forget */
    char *temp;   /* beside it */
    mode_t mode;  /* of the file that is to be replaced */
    bool existed; /* there is one */
} OutPlace;

/* Finds the place of a path that names an ordinary file or nothing. 0, or errno: a
 * folder, a file that may not be written, a circle of links. */
int outfile_find(OutPlace *p, const char *path);
/* Opens the temporary file, which must not be there. The descriptor, or -1 with errno. */
int outfile_open(const OutPlace *p);
/* Puts the temporary file into its place, or takes it away. 0, or errno. */
int outfile_put(const OutPlace *p);
void outfile_drop(const OutPlace *p);
void outfile_forget(OutPlace *p);

/* From here to the end no signal ends the process, so that no temporary file is left; it
 * ends afterwards. */
void outfile_begin(sigset_t *before);
void outfile_end(const sigset_t *before);

#endif
