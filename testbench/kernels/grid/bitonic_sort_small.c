/* Sorts many short arrays of keys, each with its value: a block sorts an array by a bitonic network
 * in shared memory, with a barrier between the steps. */

#include "weft_grid.h"

#ifndef LENGTH_LOG2
#define LENGTH_LOG2 6                   /* of an array */
#endif
#ifndef ARRAYS
#define ARRAYS 8
#endif
#ifndef BLOCK
#define BLOCK (LENGTH / 2)
#endif

#define LENGTH (1u << LENGTH_LOG2)
#define ALL (ARRAYS * LENGTH)

static uint32_t wrong;

struct arrays {
    uint32_t *key, *value, *sorted, *sorted_value;
};

/* A permutation of the numbers below LENGTH, different in each array, as keys with gaps. */
static uint32_t key_of(uint32_t i)
{
    uint32_t x = (i ^ i >> LENGTH_LOG2) & (LENGTH - 1);
    x ^= x << 3 & (LENGTH - 1);
    x ^= x >> 2;
    return 3 * x + 1;
}

WEFT_KERNEL(make, struct arrays, a, at)
{
    for (uint32_t i = weft_index(at); i < ALL; i += weft_size(at)) {
        a.key[i] = key_of(i);
        a.value[i] = i;
    }
}

WEFT_KERNEL(bitonic_sort_small, struct arrays, a, at)
{
    uint32_t *key = WEFT_SHARED(uint32_t, at), *value = key + LENGTH;
    const uint32_t first = at.block << LENGTH_LOG2;

    for (uint32_t i = at.thread; i < LENGTH; i += at.threads) {
        key[i] = a.key[first + i];
        value[i] = a.value[first + i];
    }
    weft_block_barrier();
    for (uint32_t run = 2; run <= LENGTH; run *= 2) {
        for (uint32_t distance = run / 2; distance > 0; distance /= 2) {
            for (uint32_t pair = at.thread; pair < LENGTH / 2; pair += at.threads) {
                uint32_t low = 2 * pair - (pair & (distance - 1)), high = low + distance;
                uint32_t left = key[low], right = key[high];
                uint32_t descending = (low & run) != 0;
                if ((right < left) != descending) {
                    uint32_t other = value[low];
                    key[low] = right;
                    key[high] = left;
                    value[low] = value[high];
                    value[high] = other;
                }
            }
            weft_block_barrier();
        }
    }
    for (uint32_t i = at.thread; i < LENGTH; i += at.threads) {
        a.sorted[first + i] = key[i];
        a.sorted_value[first + i] = value[i];
    }
}

/* The keys are known, and each has brought its value. */
WEFT_KERNEL(check, struct arrays, a, at)
{
    for (uint32_t i = weft_index(at); i < ALL; i += weft_size(at)) {
        uint32_t from = a.sorted_value[i];
        if (a.sorted[i] != 3 * (i & (LENGTH - 1)) + 1 || from >> LENGTH_LOG2 != i >> LENGTH_LOG2 ||
            key_of(from) != a.sorted[i])
            wrong = 1;
    }
}

int weft_host(void)
{
    const uint32_t block = weft_block_of(BLOCK), grid = weft_blocks_at_once(block);
    struct arrays a = {weft_allocate(4 * ALL), weft_allocate(4 * ALL), weft_allocate(4 * ALL),
                       weft_allocate(4 * ALL)};

    weft_region_of_launches(0);
    weft_launch(make, grid, block, 0, &a);
    weft_region_of_launches(1);
    struct weft_figures figures = weft_launch(bitonic_sort_small, ARRAYS, block, 8 * LENGTH, &a);
    weft_region_of_launches(0);
    wrong |= weft_launch(check, grid, block, 0, &a).error;
#ifdef FIGURES
    weft_print_figures("bitonic_sort_small", &figures);
#endif
    return wrong | figures.error;
}
