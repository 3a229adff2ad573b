/* Adds each cell of a grid and its four neighbours: a block goes down a stripe of columns, one a
 * thread, with the row that it is at in shared memory, and the rows above and below in registers.
 * Outside of the grid all is zero. */

#include "weft_grid.h"

#ifndef SIDE_LOG2
#define SIDE_LOG2 6
#endif
#ifndef ROWS_LOG2
#define ROWS_LOG2 4                     /* of a stripe, at most SIDE_LOG2 */
#endif
#ifndef BLOCK
#define BLOCK 16                        /* at most SIDE */
#endif

#define SIDE (1u << SIDE_LOG2)
#define ROWS (1u << ROWS_LOG2)

static uint32_t wrong;

struct grids {
    uint32_t *from, *to;
};

static uint32_t value(uint32_t x, uint32_t y) { return x < SIDE && y < SIDE ? (y ^ x << 3) + 1 : 0; }

WEFT_KERNEL(make, struct grids, g, at)
{
    for (uint32_t i = weft_index(at); i < SIDE * SIDE; i += weft_size(at))
        g.from[i] = value(i & (SIDE - 1), i >> SIDE_LOG2);
}

WEFT_KERNEL(striped_stencil, struct grids, g, at)
{
    /* Two rows in turn: one barrier a row. The words before and after are the stripe's border. */
    uint32_t *line = WEFT_SHARED(uint32_t, at) + 1, *other = line + at.threads + 2;
    const uint32_t across_log2 = SIDE_LOG2 - at.threads_log2;
    const uint32_t begin = (at.block & ((1u << across_log2) - 1)) << at.threads_log2, x = begin + at.thread;
    const uint32_t top = at.block >> across_log2 << ROWS_LOG2;
    const uint32_t *from = g.from + (top << SIDE_LOG2);
    uint32_t *to = g.to + (top << SIDE_LOG2) + x;
    const uint32_t first = at.thread == 0, last = at.thread == at.threads - 1;
    const uint32_t has_left = begin > 0, has_right = begin + at.threads < SIDE;

    uint32_t above = top > 0 ? from[x - SIDE] : 0, here = from[x];
    for (uint32_t y = top; y < top + ROWS; y++) {
        const uint32_t below = y + 1 < SIDE ? from[SIDE + x] : 0;
        line[at.thread] = here;
        if (first)
            line[-1] = has_left ? from[x - 1] : 0;
        if (last)
            line[at.threads] = has_right ? from[x + 1] : 0;
        weft_block_barrier();
        *to = here + above + below + line[(int)at.thread - 1] + line[at.thread + 1];
        above = here;
        here = below;
        from += SIDE;
        to += SIDE;
        uint32_t *used = line;
        line = other;
        other = used;
    }
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
    struct grids g = {weft_allocate(4 * SIDE * SIDE), weft_allocate(4 * SIDE * SIDE)};
    uint32_t stripes = SIDE / ROWS;

    for (uint32_t width = block; width < SIDE; width *= 2)
        stripes *= 2;

    weft_region_of_launches(0);
    weft_launch(make, at_once, block, 0, &g);
    weft_region_of_launches(1);
    struct weft_figures figures = weft_launch(striped_stencil, stripes, block, 8 * (block + 2), &g);
    weft_region_of_launches(0);
    wrong |= weft_launch(check, at_once, block, 0, &g).error;
#ifdef FIGURES
    weft_print_figures("striped_stencil", &figures);
#endif
    return wrong | figures.error;
}
