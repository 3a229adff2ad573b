/* Adds each cell of a grid and its four neighbours: a block holds a tile in shared memory, with a
 * border of one cell around it. Outside of the grid all is zero. */

#include "weft_grid.h"

#ifndef SIDE_LOG2
#define SIDE_LOG2 6                     /* of the grid, and at least that of a tile */
#endif
#ifndef TILE_LOG2
#define TILE_LOG2 6                     /* columns of a tile, at most */
#endif
#ifndef BLOCK
#define BLOCK 64
#endif

#define SIDE (1u << SIDE_LOG2)

static uint32_t wrong;

struct grids {
    uint32_t *from, *to;
    uint32_t width_log2, height_log2;   /* of a tile */
};

static uint32_t value(uint32_t x, uint32_t y) { return x < SIDE && y < SIDE ? (x ^ y << 3) + 1 : 0; }

WEFT_KERNEL(make, struct grids, g, at)
{
    for (uint32_t i = weft_index(at); i < SIDE * SIDE; i += weft_size(at))
        g.from[i] = value(i & (SIDE - 1), i >> SIDE_LOG2);
}

static uint32_t cell(const uint32_t *from, uint32_t x, uint32_t y)
{
    return x < SIDE && y < SIDE ? from[(y << SIDE_LOG2) + x] : 0;
}

WEFT_KERNEL(blocked_stencil, struct grids, g, at)
{
    const uint32_t width = 1u << g.width_log2, height = 1u << g.height_log2;
    uint32_t *tile = WEFT_SHARED(uint32_t, at); /* (height + 2) rows of width words, two columns of height */
    uint32_t *left_border = tile + ((height + 2) << g.width_log2), *right_border = left_border + height;
    const uint32_t x = at.thread & (width - 1), y = at.thread >> g.width_log2;
    const uint32_t across_log2 = SIDE_LOG2 - g.width_log2;
    const uint32_t column = ((at.block & ((1u << across_log2) - 1)) << g.width_log2) + x;
    const uint32_t row = (at.block >> across_log2 << g.height_log2) + y;
    uint32_t *here = tile + ((y + 1) << g.width_log2) + x;

    const uint32_t own = cell(g.from, column, row);
    *here = own;
    if (y == 0)
        here[-(int)width] = cell(g.from, column, row - 1);
    if (y == height - 1)
        here[width] = cell(g.from, column, row + 1);
    if (x == 0)
        left_border[y] = cell(g.from, column - 1, row);
    if (x == width - 1)
        right_border[y] = cell(g.from, column + 1, row);
    weft_block_barrier();
    const uint32_t left = *(x == 0 ? &left_border[y] : here - 1);
    const uint32_t right = *(x == width - 1 ? &right_border[y] : here + 1);
    g.to[(row << SIDE_LOG2) + column] = own + left + right + here[-(int)width] + here[width];
}

WEFT_KERNEL(check, struct grids, g, at)
{
    for (uint32_t i = weft_index(at); i < SIDE * SIDE; i += weft_size(at)) {
        uint32_t x = i & (SIDE - 1), y = i >> SIDE_LOG2;
        if (g.to[i] != value(x, y) + value(x - 1, y) + value(x + 1, y) + value(x, y - 1) + value(x, y + 1))
            wrong = 1;
    }
}

int weft_host(void)
{
    const uint32_t block = weft_block_of(BLOCK), at_once = weft_blocks_at_once(block);
    struct grids g = {weft_allocate(4 * SIDE * SIDE), weft_allocate(4 * SIDE * SIDE), 0, 0};

    while (g.width_log2 < TILE_LOG2 && 1u << g.width_log2 < weft_threads_per_warp())
        g.width_log2++;
    while (1u << (g.width_log2 + g.height_log2) < block)
        g.height_log2++;
    const uint32_t words = (((1u << g.height_log2) + 2) << g.width_log2) + (2u << g.height_log2);

    weft_region_of_launches(0);
    weft_launch(make, at_once, block, 0, &g);
    weft_region_of_launches(1);
    struct weft_figures figures =
        weft_launch(blocked_stencil, 1u << (2 * SIDE_LOG2 - g.width_log2 - g.height_log2), block, 4 * words, &g);
    weft_region_of_launches(0);
    wrong |= weft_launch(check, at_once, block, 0, &g).error;
#ifdef FIGURES
    weft_print_figures("blocked_stencil", &figures);
#endif
    return wrong | figures.error;
}
