/* Sums one value of each thread: a tree over all threads of the core, with a barrier between its
 * levels. The levels narrower than a warp are divergent. */

#include "weft.h"

#define MOST_THREADS 4096

static WEFT_ALIGNED WEFT_HOST uint32_t partial[MOST_THREADS];

int main(unsigned hart)
{
    const unsigned threads = weft_threads();
    unsigned width = 1;
    while (width < threads)
        width *= 2;

    partial[hart] = 2 * hart + 1;
    weft_barrier();

    for (unsigned half = width / 2; half > 0; half /= 2) {
        if (hart < half && hart + half < threads)
            partial[hart] += partial[hart + half];
        weft_barrier();
    }

    /* The sum of the first n odd numbers is n squared. */
    return partial[0] != threads * threads;
}
