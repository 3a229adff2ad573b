/* Adds two vectors, the threads of all blocks striding over the elements. */

#include "weft_grid.h"

#ifndef LENGTH
#define LENGTH 1000
#endif
#ifndef BLOCK
#define BLOCK 64
#endif

static uint32_t wrong;

struct vectors {
    uint32_t *a, *b, *sum;
    uint32_t length;
};

static uint32_t scatter(uint32_t x) { return x ^ x << 7 ^ x >> 3; }

WEFT_KERNEL(make, struct vectors, v, at)
{
    for (uint32_t i = weft_index(at); i < v.length; i += weft_size(at)) {
        v.a[i] = scatter(i);
        v.b[i] = 5 - i;
    }
}

WEFT_KERNEL(vector_add, struct vectors, v, at)
{
    for (uint32_t i = weft_index(at); i < v.length; i += weft_size(at))
        v.sum[i] = v.a[i] + v.b[i];
}

WEFT_KERNEL(check, struct vectors, v, at)
{
    for (uint32_t i = weft_index(at); i < v.length; i += weft_size(at))
        if (v.sum[i] - scatter(i) + i != 5)
            wrong = 1;
}

int weft_host(void)
{
    const uint32_t bytes = 4 * LENGTH, block = weft_block_of(BLOCK), grid = weft_blocks_at_once(block);
    struct vectors v = {weft_allocate(bytes), weft_allocate(bytes), weft_allocate(bytes), LENGTH};

    weft_region_of_launches(0);
    weft_launch(make, grid, block, 0, &v);
    weft_region_of_launches(1);
    struct weft_figures figures = weft_launch(vector_add, grid, block, 0, &v);
    weft_region_of_launches(0);
    wrong |= weft_launch(check, grid, block, 0, &v).error;
#ifdef FIGURES
    weft_print_figures("vector_add", &figures);
#endif
    return wrong | figures.error;
}
