/* The threads of a warp pass a lock on while they spin. The thread that holds it waits at a
 * greater pc than those that spin, so the core must switch to it by itself:
 * `divergence.fair_after` says how soon. With 0 the run never ends. */

#include <stdatomic.h>

#include "weft.h"

#define MOST_WARPS 64

/* A lock and the data it guards: the number of turns, and the sum of the threads' numbers. */
static WEFT_ALIGNED struct turns {
    atomic_uint locked;
    volatile uint32_t count;
    volatile uint32_t sum;
} turns[MOST_WARPS];

int main(unsigned hart)
{
    struct turns *mine = &turns[weft_warp()];

    while (atomic_exchange_explicit(&mine->locked, 1, memory_order_acquire))
        ;
    mine->count = mine->count + 1;
    mine->sum = mine->sum + hart;
    atomic_store_explicit(&mine->locked, 0, memory_order_release);
    weft_barrier();

    /* No thread's turn was lost. */
    uint32_t first = hart - weft_lane(), sum = 0;
    for (uint32_t lane = 0; lane < weft_threads_per_warp(); lane++)
        sum += first + lane;
    return mine->count != weft_threads_per_warp() || mine->sum != sum;
}
