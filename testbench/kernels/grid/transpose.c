/* Transposes a square matrix by tiles in shared memory. A row of a tile has a word more than it
 * needs, so that the lanes that read a column find it in different banks. */

#include "weft_grid.h"

#ifndef SIDE_LOG2
#define SIDE_LOG2 6                     /* of the matrix, at least TILE_LOG2 */
#endif
#ifndef TILE_LOG2
#define TILE_LOG2 6                     /* of a tile, at most; at least 3 */
#endif
#ifndef BLOCK
#define BLOCK 64
#endif

#define SIDE (1u << SIDE_LOG2)

static uint32_t wrong;

struct matrices {
    uint32_t *from, *to;
    uint32_t tile_log2;
};

static uint32_t value(uint32_t i) { return i ^ i << 5; }

WEFT_KERNEL(make, struct matrices, m, at)
{
    for (uint32_t i = weft_index(at); i < SIDE * SIDE; i += weft_size(at))
        m.from[i] = value(i);
}

WEFT_KERNEL(transpose, struct matrices, m, at)
{
    uint32_t *tile = WEFT_SHARED(uint32_t, at);
    const uint32_t side = 1u << m.tile_log2, tiles_log2 = SIDE_LOG2 - m.tile_log2;
    const uint32_t left = (at.block & ((1u << tiles_log2) - 1)) << m.tile_log2;
    const uint32_t top = at.block >> tiles_log2 << m.tile_log2;

    for (uint32_t i = at.thread; i < 1u << 2 * m.tile_log2; i += at.threads) {
        uint32_t x = i & (side - 1), y = i >> m.tile_log2;
        tile[i + y] = m.from[((top + y) << SIDE_LOG2) + left + x];
    }
    weft_block_barrier();
    for (uint32_t i = at.thread; i < 1u << 2 * m.tile_log2; i += at.threads) {
        uint32_t x = i & (side - 1), y = i >> m.tile_log2;
        m.to[((left + y) << SIDE_LOG2) + top + x] = tile[(x << m.tile_log2) + x + y];
    }
}

WEFT_KERNEL(check, struct matrices, m, at)
{
    for (uint32_t i = weft_index(at); i < SIDE * SIDE; i += weft_size(at))
        if (m.to[i] != value((i & (SIDE - 1)) << SIDE_LOG2 | i >> SIDE_LOG2))
            wrong = 1;
}

int weft_host(void)
{
    const uint32_t block = weft_block_of(BLOCK), grid = weft_blocks_at_once(block);
    struct matrices m = {weft_allocate(4 * SIDE * SIDE), weft_allocate(4 * SIDE * SIDE), 0};

    /* A tile is as wide as a warp, and eight at least. */
    while (m.tile_log2 < 3 || (m.tile_log2 < TILE_LOG2 && 1u << m.tile_log2 < weft_threads_per_warp()))
        m.tile_log2++;
    const uint32_t bytes = 4u * ((1u << m.tile_log2) + 1) << m.tile_log2;

    weft_region_of_launches(0);
    weft_launch(make, grid, block, 0, &m);
    weft_region_of_launches(1);
    struct weft_figures figures =
        weft_launch(transpose, 1u << 2 * (SIDE_LOG2 - m.tile_log2), block, bytes, &m);
    weft_region_of_launches(0);
    wrong |= weft_launch(check, grid, block, 0, &m).error;
#ifdef FIGURES
    weft_print_figures("transpose", &figures);
#endif
    return wrong | figures.error;
}
