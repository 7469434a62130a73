/* figures.h: what kernels take, for reports and budgets (docs/ci.md). */
#ifndef TIKC_FIGURES_H
#define TIKC_FIGURES_H

#include "driver/driver.h"

typedef enum FigureId {
#define FIGURE(id, name, what) FIGURE_##id,
#include "driver/figure.def"
    FIGURE_COUNT
} FigureId;

extern const char *const figure_names[FIGURE_COUNT];

/* What one kernel takes on one processor. */
typedef struct Figures {
    const char *file, *kernel, *soc; /* soc: null if it may be any */
    int64_t v[FIGURE_COUNT];         /* -1: not known, or of a budget: no limit */
} Figures;

typedef struct FigureList {
    Figures *p;
    uint32_t n, cap;
} FigureList;

/* Measures a kernel that was accepted. c is the command that compiled it; its settings
 * hold for the run of the model, too. Returns false after a diagnostic. */
bool MUST_USE figures_measure(Cmd *c, Kernel *k, Figures *out);

/* Puts an entry of a report. */
void figures_json(const Figures *f, Text *out);
/* Puts a report of entries, each as figures_json puts it, with commas between them. */
void figures_report(const char *entries, Text *out);
/* Reads a report or budget. Returns false after a diagnostic. */
bool MUST_USE figures_read(Unit *u, const char *path, FigureList *out);

/* Returns the entry of a budget for a kernel, or null: one that names the file and the
 * kernel goes before one with a star. */
const Figures *figures_find(const FigureList *budget, const Figures *of);
/* Adds an error if a number is above the budget's. */
void figures_check(Unit *u, Span kernel, const FigureList *budget, const Figures *of,
                   const char *path);

#endif
