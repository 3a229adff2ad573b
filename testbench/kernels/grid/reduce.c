/* Sums a vector: each thread sums its elements, each block its threads by a tree in shared memory,
 * and the host part the blocks. */

#include "weft_grid.h"

#ifndef LENGTH
#define LENGTH 2000
#endif
#ifndef BLOCK
#define BLOCK 64
#endif

#define MOST_BLOCKS 64                  /* as many as warps */

static WEFT_ALIGNED uint32_t sums[MOST_BLOCKS];

struct vector {
    uint32_t *element;
    uint32_t length;
};

static uint32_t value(uint32_t i) { return (i ^ i >> 4) & 1023; }

WEFT_KERNEL(make, struct vector, v, at)
{
    for (uint32_t i = weft_index(at); i < v.length; i += weft_size(at))
        v.element[i] = value(i);
}

WEFT_KERNEL(reduce, struct vector, v, at)
{
    uint32_t *partial = WEFT_SHARED(uint32_t, at);
    uint32_t sum = 0;

    for (uint32_t i = weft_index(at); i < v.length; i += weft_size(at))
        sum += v.element[i];
    partial[at.thread] = sum;
    weft_block_barrier();
    for (uint32_t half = at.threads / 2; half > 0; half /= 2) {
        if (at.thread < half)
            partial[at.thread] += partial[at.thread + half];
        weft_block_barrier();
    }
    if (at.thread == 0)
        sums[at.block] = partial[0];
}

int weft_host(void)
{
    const uint32_t block = weft_block_of(BLOCK), grid = weft_blocks_at_once(block);
    struct vector v = {weft_allocate(4 * LENGTH), LENGTH};

    weft_region_of_launches(0);
    weft_launch(make, grid, block, 0, &v);
    weft_region_of_launches(1);
    struct weft_figures figures = weft_launch(reduce, grid, block, 4 * block, &v);

    uint32_t sum = 0, expected = 0;
    for (uint32_t i = 0; i < grid; i++)
        sum += sums[i];
    /* x ^ x >> 4 permutes the lower ten bits, for each value of the bits above. */
    for (uint32_t i = LENGTH & ~1023u; i < LENGTH; i++)
        expected += value(i);
    for (uint32_t runs = LENGTH / 1024; runs > 0; runs--)
        expected += 1023 * 1024 / 2;
#ifdef FIGURES
    weft_print_figures("reduce", &figures);
#endif
    return sum != expected || figures.error;
}
