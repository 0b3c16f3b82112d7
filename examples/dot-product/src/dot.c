#include "dot.h"

float dot(const float *a, const float *b, size_t n)
{
    float sums[16] = {0};
    float sum = 0;
    size_t i = 0;

    /* Sixteen sums at a time: the compiler uses the widest vectors that it may use. */
    for (; i + 16 <= n; i += 16)
        for (size_t j = 0; j < 16; j++)
            sums[j] += a[i + j] * b[i + j];
    for (size_t j = 0; j < 16; j++)
        sum += sums[j];
    for (; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

const char *dot_isa(void)
{
    return "baseline"
#ifdef __SSE4_2__
           " sse4.2"
#endif
#ifdef __AVX2__
           " avx2"
#endif
#ifdef __FMA__
           " fma"
#endif
#ifdef __AVX512F__
           " avx512f"
#endif
        ;
}
