/* Adds two vectors. The threads stride over the elements, so that neighbouring lanes use
 * neighbouring words. 250 elements do not fill a whole number of rounds: the last one is
 * divergent. */

#include "weft.h"

#define LENGTH 250

static WEFT_ALIGNED WEFT_HOST uint32_t left[LENGTH];
static WEFT_ALIGNED WEFT_HOST uint32_t right[LENGTH];
WEFT_HOST WEFT_SIGNATURE(sum, LENGTH);

int main(unsigned hart)
{
    const unsigned threads = weft_threads();

    for (unsigned i = hart; i < LENGTH; i += threads) {
        left[i] = 3 * i + 1;
        right[i] = 1000 - i;
    }
    for (unsigned i = hart; i < LENGTH; i += threads)
        sum[i] = left[i] + right[i];
    weft_barrier();

    /* The order is reversed, so that a thread checks results of other threads. */
    unsigned wrong = 0;
    for (unsigned i = hart; i < LENGTH; i += threads) {
        unsigned j = LENGTH - 1 - i;
        wrong |= sum[j] ^ (2 * j + 1001);
    }
    return wrong != 0;
}
