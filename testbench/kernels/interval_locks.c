/* Each thread changes an interval of a shared array at once. It locks the cells of the interval
 * in order, which excludes a deadlock, and holds them all until it is done. */

#include <stdatomic.h>

#include "weft.h"

#define MOST_THREADS 256
#define LONGEST 4
#define ROUNDS 2

static struct cell {
    atomic_uint locked;
    uint32_t value;
} cells[MOST_THREADS / 2 + LONGEST];

/* Neighbours have overlapping intervals of different lengths. */
static uint32_t first_of(uint32_t hart) { return hart / 2; }
static uint32_t end_of(uint32_t hart) { return first_of(hart) + 1 + hart % LONGEST; }

int main(unsigned hart)
{
    uint32_t threads = weft_threads() < MOST_THREADS ? weft_threads() : MOST_THREADS;
    if (hart >= threads)
        return 0;

    uint32_t first = first_of(hart), end = end_of(hart);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = first; i < end; i++)
            while (atomic_exchange_explicit(&cells[i].locked, 1, memory_order_acquire))
                ;
        for (uint32_t i = first; i < end; i++)
            cells[i].value += hart + 1;
        for (uint32_t i = first; i < end; i++)
            atomic_store_explicit(&cells[i].locked, 0, memory_order_release);
    }
    weft_barrier();

    /* Each cell has the sum of all threads whose interval it belongs to. */
    uint32_t wrong = 0;
    for (uint32_t i = hart; i < threads / 2 + LONGEST; i += threads) {
        uint32_t sum = 0;
        for (uint32_t other = 0; other < threads; other++)
            for (uint32_t round = 0; round < ROUNDS; round++)
                sum += first_of(other) <= i && i < end_of(other) ? other + 1 : 0;
        wrong |= cells[i].value != sum || cells[i].locked;
    }
    return wrong;
}
