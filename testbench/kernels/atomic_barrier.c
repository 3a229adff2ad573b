/* A barrier built from an atomic counter and a word on which threads wait with plain loads. The
 * last thread to arrive resets the counter and releases the others. */

#include <stdatomic.h>

#include "weft.h"

#define MOST_THREADS 256
#define STEPS 20

static atomic_uint arrived;
static volatile uint32_t phase;

static void wait_for_all(uint32_t threads)
{
    uint32_t mine = phase;
    if (atomic_fetch_add_explicit(&arrived, 1, memory_order_acq_rel) != threads - 1) {
        while (phase == mine)
            ;
    } else {
        atomic_store_explicit(&arrived, 0, memory_order_relaxed);
        phase = mine + 1;
    }
    atomic_signal_fence(memory_order_acq_rel);
}

static uint32_t values[2][MOST_THREADS];

/* Values go round: in each step, a thread takes the value of the thread before it, plus one. */
int main(unsigned hart)
{
    uint32_t threads = weft_threads() < MOST_THREADS ? weft_threads() : MOST_THREADS;
    if (hart >= threads)
        return 0;

    uint32_t before = (hart ? hart : threads) - 1, expected = hart;
    values[0][hart] = hart;
    wait_for_all(threads);
    for (uint32_t step = 0; step < STEPS; step++) {
        values[1 - step % 2][hart] = values[step % 2][before] + 1;
        expected = expected ? expected - 1 : threads - 1;
        wait_for_all(threads);
    }
    return values[STEPS % 2][hart] != expected + STEPS || phase != STEPS + 1;
}
