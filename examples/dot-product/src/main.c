/* Prints what the library was compiled for, and the dot product of two vectors that it computes. */
#include "dot.h"

#include <stdio.h>

int main(void)
{
    float a[100], b[100];

    for (int i = 0; i < 100; i++) {
        a[i] = (float)i;
        b[i] = 2;
    }
    printf("compiled for: %s\n", dot_isa());
    printf("dot product: %g\n", dot(a, b, 100));
    return 0;
}
