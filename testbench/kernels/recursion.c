/* Fibonacci numbers by plain recursion: each thread recurs to its own depth, so that paths
 * differ in call depth as well as in pc. */

#include "weft.h"

static __attribute__((noinline, noclone)) uint32_t fibonacci(uint32_t n)
{
    if (n < 2)
        return n;
    return fibonacci(n - 1) + fibonacci(n - 2);
}

int main(unsigned hart)
{
    static const uint32_t expected[8] = {0, 1, 1, 2, 3, 5, 8, 13};
    unsigned n = (hart ^ hart >> 3) & 7;

    return fibonacci(n) != expected[n];
}
