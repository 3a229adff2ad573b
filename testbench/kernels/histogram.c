/* Counts numbers by their trailing zero bits: the threads count into shared bins with atomic
 * additions. Half of the numbers are in the first bin, a quarter in the second, and so on, so
 * that most lanes share their bin with others. */

#include <stdatomic.h>

#include "weft.h"

#define LENGTH 256
#define BINS 9

static WEFT_ALIGNED atomic_uint bins[BINS];

/* A permutation of the numbers below LENGTH. */
static uint32_t scatter(uint32_t x)
{
    x ^= x << 3 & (LENGTH - 1);
    x ^= x >> 2;
    return x;
}

int main(unsigned hart)
{
    const unsigned threads = weft_threads();

    for (unsigned i = hart; i < LENGTH; i += threads) {
        uint32_t number = scatter(i) | LENGTH; /* a guard bit, so that zero ends too */
        unsigned zeros = 0;
        while ((number & 1) == 0) {
            number >>= 1;
            zeros++;
        }
        atomic_fetch_add_explicit(&bins[zeros], 1, memory_order_relaxed);
    }
    weft_barrier();

    uint32_t wrong = 0, expected = LENGTH / 2;
    for (unsigned zeros = 0; zeros < BINS; zeros++) {
        wrong |= atomic_load_explicit(&bins[zeros], memory_order_relaxed) ^ expected;
        expected = zeros < BINS - 2 ? expected / 2 : 1;
    }
    return wrong != 0;
}
