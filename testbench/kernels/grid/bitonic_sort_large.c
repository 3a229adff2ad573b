/* Sorts one long array of keys by a bitonic network. The steps within a part are done by a block in
 * shared memory, all that follow each other in one launch; a longer step is a launch of its own. */

#include "weft_grid.h"

#ifndef LENGTH_LOG2
#define LENGTH_LOG2 9
#endif
#ifndef PART_LOG2
#define PART_LOG2 6
#endif
#ifndef BLOCK
#define BLOCK (PART / 2)
#endif

#define LENGTH (1u << LENGTH_LOG2)
#define PART (1u << PART_LOG2)

_Static_assert(PART_LOG2 <= LENGTH_LOG2, "a part is longer than the array");

static uint32_t wrong;

struct step {
    uint32_t *key;
    uint32_t run, distance;
};

WEFT_KERNEL(make, struct step, s, at)
{
    for (uint32_t i = weft_index(at); i < LENGTH; i += weft_size(at)) {
        uint32_t x = i ^ (i << 3 & (LENGTH - 1));
        s.key[i] = 3 * (x ^ x >> 2) + 1;
    }
}

static void exchange(uint32_t *key, uint32_t low, uint32_t distance, uint32_t descending)
{
    uint32_t left = key[low], right = key[low + distance];
    if ((right < left) != descending) {
        key[low] = right;
        key[low + distance] = left;
    }
}

/* The steps of one run within a part, from a distance on. `first` is the number of its first key. */
static void merge(uint32_t *key, uint32_t first, uint32_t run, uint32_t distance, const struct weft_place at)
{
    for (; distance > 0; distance /= 2) {
        for (uint32_t pair = at.thread; pair < PART / 2; pair += at.threads) {
            uint32_t low = 2 * pair - (pair & (distance - 1));
            exchange(key, low, distance, ((first + low) & run) != 0);
        }
        weft_block_barrier();
    }
}

WEFT_KERNEL(sort_parts, struct step, s, at)
{
    uint32_t *key = WEFT_SHARED(uint32_t, at);
    const uint32_t first = at.block << PART_LOG2;

    for (uint32_t i = at.thread; i < PART; i += at.threads)
        key[i] = s.key[first + i];
    weft_block_barrier();
    for (uint32_t run = 2; run <= PART; run *= 2)
        merge(key, first, run, run / 2, at);
    for (uint32_t i = at.thread; i < PART; i += at.threads)
        s.key[first + i] = key[i];
}

WEFT_KERNEL(merge_parts, struct step, s, at)
{
    uint32_t *key = WEFT_SHARED(uint32_t, at);
    const uint32_t first = at.block << PART_LOG2;

    for (uint32_t i = at.thread; i < PART; i += at.threads)
        key[i] = s.key[first + i];
    weft_block_barrier();
    merge(key, first, s.run, PART / 2, at);
    for (uint32_t i = at.thread; i < PART; i += at.threads)
        s.key[first + i] = key[i];
}

WEFT_KERNEL(long_step, struct step, s, at)
{
    for (uint32_t pair = weft_index(at); pair < LENGTH / 2; pair += weft_size(at)) {
        uint32_t low = 2 * pair - (pair & (s.distance - 1));
        exchange(s.key, low, s.distance, (low & s.run) != 0);
    }
}

/* The last run has no bit in any index: the whole array ascends. */
WEFT_KERNEL(check, struct step, s, at)
{
    for (uint32_t i = weft_index(at); i < LENGTH; i += weft_size(at))
        if (s.key[i] != 3 * i + 1)
            wrong = 1;
}

int weft_host(void)
{
    const uint32_t block = weft_block_of(BLOCK), grid = weft_blocks_at_once(block);
    const uint32_t parts = LENGTH / PART;
    struct step s = {weft_allocate(4 * LENGTH), 0, 0};

    weft_region_of_launches(0);
    weft_launch(make, grid, block, 0, &s);
    weft_region_of_launches(1);
    struct weft_figures figures = weft_launch(sort_parts, parts, block, 4 * PART, &s);
    for (s.run = 2 * PART; s.run <= LENGTH; s.run *= 2) {
        for (s.distance = s.run / 2; s.distance >= PART; s.distance /= 2)
            weft_add_figures(&figures, weft_launch(long_step, grid, block, 0, &s));
        weft_add_figures(&figures, weft_launch(merge_parts, parts, block, 4 * PART, &s));
    }
    weft_region_of_launches(0);
    wrong |= weft_launch(check, grid, block, 0, &s).error;
#ifdef FIGURES
    weft_print_figures("bitonic_sort_large", &figures);
#endif
    return wrong | figures.error;
}
