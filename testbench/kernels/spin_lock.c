/* All threads take the same lock again and again and change what it guards. The threads of a
 * warp spin on the lock while one of them holds it. */

#include <stdatomic.h>

#include "weft.h"

#define MOST_THREADS 256
#define ROUNDS 2

/* A lock and the data it guards: the number of entries, and the sum of the threads' numbers. */
static struct {
    atomic_uint locked;
    volatile uint32_t count;
    volatile uint32_t sum;
} guarded;

int main(unsigned hart)
{
    uint32_t threads = weft_threads() < MOST_THREADS ? weft_threads() : MOST_THREADS;
    if (hart >= threads)
        return 0;

    for (int round = 0; round < ROUNDS; round++) {
        while (atomic_exchange_explicit(&guarded.locked, 1, memory_order_acquire))
            ;
        guarded.count = guarded.count + 1;
        guarded.sum = guarded.sum + hart;
        atomic_store_explicit(&guarded.locked, 0, memory_order_release);
    }
    weft_barrier();

    /* No entry was lost. */
    uint32_t count = 0, sum = 0;
    for (uint32_t i = 0; i < threads; i++) {
        count += ROUNDS;
        sum += ROUNDS * i;
    }
    return guarded.count != count || guarded.sum != sum;
}
