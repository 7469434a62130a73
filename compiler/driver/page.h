/* page.h: pages of HTML that need nothing beside themselves. */
#ifndef TIKC_PAGE_H
#define TIKC_PAGE_H

#include "driver/driver.h"

/* What follows a part of a template. */
typedef enum PageSlot {
    SLOT_END,
    SLOT_TITLE, /* a line of text */
    SLOT_TEXT,  /* a text in a fixed pitch, for who runs no scripts */
    SLOT_DATA   /* JSON that the script of the page shows */
} PageSlot;

typedef struct PagePart {
    const char *text;
    size_t n;
    PageSlot then;
} PagePart;

/* The templates of compiler/driver/page, with their styles and scripts in them, as
 * tools/embed_pages.py makes them while building: parts up to SLOT_END. */
extern const PagePart page_profile[];
extern const PagePart page_listing[];

/* What a page shows: texts as they are. They are escaped, whatever they contain. */
typedef struct PageContent {
    const char *title;
    const char *text;
    const Text *json;
} PageContent;

/* Puts the list "files" of the data: the names, and the texts of those that were
 * compiled; of very long ones their size only. */
void page_files(const Unit *u, const char *const *files, uint32_t n, Text *out);

/* Puts a page. The same content gives the same bytes. */
void page_put(const PagePart *template, const PageContent *content, Text *out);

#endif
