/* report_bytes.h: reports of files as bytes, for the process that prints them. */
#ifndef TIKC_REPORT_BYTES_H
#define TIKC_REPORT_BYTES_H

#include "driver/findings.h"

/* Puts all of a report but its path. */
void report_encode(const Report *r, Text *out);
/* Fills an empty report. Returns false if the bytes are none. */
bool MUST_USE report_decode(Report *r, const char *bytes, size_t n);

#endif
