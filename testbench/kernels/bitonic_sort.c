/* Sorts a permutation by Batcher's bitonic network: each thread takes every (W * T)th comparator
 * of a step, with a barrier between steps. The data decide whether a pair is exchanged. */

#include "weft.h"

#define LENGTH 128

static WEFT_ALIGNED WEFT_HOST uint32_t keys[LENGTH];

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

    for (unsigned i = hart; i < LENGTH; i += threads)
        keys[i] = scatter(i);
    weft_barrier();

    for (unsigned run = 2; run <= LENGTH; run *= 2) {
        for (unsigned distance = run / 2; distance > 0; distance /= 2) {
            for (unsigned i = hart; i < LENGTH / 2; i += threads) {
                unsigned low = 2 * i - (i & (distance - 1)), high = low + distance;
                uint32_t a = keys[low], b = keys[high];
                uint32_t descending = (low & run) != 0;
                if ((b < a) != descending) {
                    keys[low] = b;
                    keys[high] = a;
                }
            }
            weft_barrier();
        }
    }

    uint32_t wrong = 0;
    for (unsigned i = hart; i < LENGTH; i += threads)
        wrong |= keys[LENGTH - 1 - i] ^ (LENGTH - 1 - i);
    return wrong != 0;
}
