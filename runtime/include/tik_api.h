/* tik_api.h: marks the functions that a library gives to its users. All others are
 * hidden, because the libraries are compiled with -fvisibility=hidden. */
#ifndef TIK_API_H
#define TIK_API_H

#ifdef __GNUC__
#define TIK_API __attribute__((visibility("default")))
#else
#define TIK_API
#endif

#endif
