/* The dot product of two vectors of floats. */
#ifndef DOT_H
#define DOT_H

#include <stddef.h>

float dot(const float *a, const float *b, size_t n);

/* The instruction sets that this library was compiled for, as words with blanks between them. */
const char *dot_isa(void);

#endif
