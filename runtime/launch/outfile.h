/* outfile.h: writes files under a temporary name next to their place, and renames them
 * when they are complete. A link stays a link, and a file that existed before keeps its
 * mode. */
#ifndef TIKRT_LAUNCH_OUTFILE_H
#define TIKRT_LAUNCH_OUTFILE_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

typedef struct OutPlace {
    char *path;   /* the place that links lead to; freed by outfile_forget */
    char *temp;   /* the temporary file, in the same folder */
    mode_t mode;  /* mode of the file that is to be replaced */
    bool existed; /* there is a file to replace */
} OutPlace;

/* Finds the place of a path that names an ordinary file or nothing. Returns 0, or errno
 * for a folder, a file that may not be written, a circle of links. */
int outfile_find(OutPlace *p, const char *path);
/* Opens the temporary file, which must not exist. Returns the descriptor, or -1 with
 * errno. */
int outfile_open(const OutPlace *p);
/* Renames the temporary file to its place, or removes it. Returns 0 or errno. */
int outfile_put(const OutPlace *p);
void outfile_drop(const OutPlace *p);
void outfile_forget(OutPlace *p);

/* Between outfile_begin and outfile_end no signal ends the process, so that no temporary
 * file is left. A signal takes effect afterwards. */
void outfile_begin(sigset_t *before);
void outfile_end(const sigset_t *before);

#endif
