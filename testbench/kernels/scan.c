/* Inclusive prefix sums over all threads: in step d each thread adds the sum that ends d
 * positions to its left, from one buffer to another, with a barrier between the steps. In steps
 * shorter than a warp the first lanes have no thread to their left. */

#include "weft.h"

#define MOST_THREADS 4096

static WEFT_ALIGNED WEFT_HOST uint32_t sums[2][MOST_THREADS];

static uint32_t value(uint32_t hart) { return (hart ^ hart >> 3) & 31; }

int main(unsigned hart)
{
    const unsigned threads = weft_threads();
    uint32_t *from = sums[0], *to = sums[1];

    from[hart] = value(hart);
    weft_barrier();

    for (unsigned distance = 1; distance < threads; distance *= 2) {
        uint32_t sum = from[hart];
        if (hart >= distance)
            sum += from[hart - distance];
        to[hart] = sum;
        weft_barrier();
        uint32_t *other = from;
        from = to;
        to = other;
    }

    /* Neighbouring sums differ by one value. That holds everywhere only if every sum is correct. */
    uint32_t before = 0;
    if (hart > 0)
        before = from[hart - 1];
    return from[hart] - before != value(hart);
}
