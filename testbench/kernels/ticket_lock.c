/* A lock that threads enter in the order in which they asked for it: each takes a ticket and
 * waits, with a plain load, until its number is served. */

#include <stdatomic.h>

#include "weft.h"

#define MOST_THREADS 256
#define ROUNDS 2

static atomic_uint tickets;
static volatile uint32_t served;

/* What the lock guards: the number of entries, and a digest of the threads in their order. */
static uint32_t entries;
static uint32_t digest;
static uint32_t order[MOST_THREADS * ROUNDS];

int main(unsigned hart)
{
    uint32_t threads = weft_threads() < MOST_THREADS ? weft_threads() : MOST_THREADS;
    if (hart >= threads)
        return 0;

    for (int round = 0; round < ROUNDS; round++) {
        uint32_t ticket = atomic_fetch_add_explicit(&tickets, 1, memory_order_relaxed);
        while (served != ticket)
            ;
        atomic_signal_fence(memory_order_acquire);
        order[ticket] = hart;
        digest = weft_fold(digest, hart);
        entries++;
        atomic_signal_fence(memory_order_release);
        served = ticket + 1;
    }
    weft_barrier();

    /* Every thread entered once for each of its tickets, one at a time. */
    uint32_t mine = 0, expected = 0;
    for (uint32_t i = 0; i < entries; i++) {
        expected = weft_fold(expected, order[i]);
        mine += order[i] == hart;
    }
    return mine != ROUNDS || digest != expected || tickets != entries;
}
