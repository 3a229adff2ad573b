/* Multiplies two square matrices: a block computes a tile of the product, one element a thread, from
 * tiles of both factors in shared memory. */

#include "weft_grid.h"

#ifndef SIDE_LOG2
#define SIDE_LOG2 5
#endif
#ifndef TILE_LOG2
#define TILE_LOG2 3                     /* at most SIDE_LOG2 */
#endif

#define SIDE (1u << SIDE_LOG2)

static uint32_t wrong;

struct matrices {
    uint32_t *a, *b, *product;
    uint32_t tile_log2;                 /* columns of a tile, and rows of that of b */
    uint32_t rows_log2;                 /* rows of a tile of the product and of a */
};

/* Element (r, c) of a is r + 3 c + 1, and of b it is r ^ c. */
WEFT_KERNEL(make, struct matrices, m, at)
{
    for (uint32_t i = weft_index(at); i < SIDE * SIDE; i += weft_size(at)) {
        uint32_t row = i >> SIDE_LOG2, column = i & (SIDE - 1);
        m.a[i] = row + 3 * column + 1;
        m.b[i] = row ^ column;
    }
}

WEFT_KERNEL(matrix_multiply, struct matrices, m, at)
{
    const uint32_t side = 1u << m.tile_log2, rows = 1u << m.rows_log2;
    uint32_t *of_a = WEFT_SHARED(uint32_t, at), *of_b = of_a + at.threads;
    const uint32_t x = at.thread & (side - 1), y = at.thread >> m.tile_log2;
    const uint32_t tiles_log2 = SIDE_LOG2 - m.tile_log2;
    const uint32_t column = ((at.block & ((1u << tiles_log2) - 1)) << m.tile_log2) + x;
    const uint32_t row = (at.block >> tiles_log2 << m.rows_log2) + y;
    uint32_t sum = 0;

    for (uint32_t k = 0; k < SIDE; k += side) {
        of_a[at.thread] = m.a[(row << SIDE_LOG2) + k + x];
        for (uint32_t line = y; line < side; line += rows)
            of_b[(line << m.tile_log2) + x] = m.b[((k + line) << SIDE_LOG2) + column];
        weft_block_barrier();
        const uint32_t *left = of_a + (y << m.tile_log2), *right = of_b + x;
        for (uint32_t i = 0; i < side; i++, right += side)
            sum += left[i] * *right;
        weft_block_barrier();
    }
    m.product[(row << SIDE_LOG2) + column] = sum;
}

/* The sum of (r + 3 k + 1) (k ^ c) in another order: over the values of k ^ c. */
WEFT_KERNEL(check, struct matrices, m, at)
{
    for (uint32_t i = weft_index(at); i < SIDE * SIDE; i += weft_size(at)) {
        uint32_t row = i >> SIDE_LOG2, column = i & (SIDE - 1), sum = 0;
        for (uint32_t value = 1; value < SIDE; value++)
            sum += (row + 3 * (value ^ column) + 1) * value;
        if (m.product[i] != sum)
            wrong = 1;
    }
}

int weft_host(void)
{
    struct matrices m = {weft_allocate(4 * SIDE * SIDE), weft_allocate(4 * SIDE * SIDE),
                         weft_allocate(4 * SIDE * SIDE), 0, 0};
    uint32_t block = weft_block_of(1u << 2 * TILE_LOG2), block_log2 = 0;

    while (1u << block_log2 < block)
        block_log2++;
    m.tile_log2 = block_log2 < TILE_LOG2 ? block_log2 : TILE_LOG2;
    m.rows_log2 = block_log2 - m.tile_log2;
    while (m.rows_log2 > SIDE_LOG2) {   /* a warp of more threads than that has wider tiles */
        m.rows_log2--;
        m.tile_log2++;
    }
    const uint32_t grid = 1u << (2 * SIDE_LOG2 - block_log2);
    const uint32_t bytes = 4 * block + (4u << 2 * m.tile_log2);

    weft_region_of_launches(0);
    weft_launch(make, weft_blocks_at_once(block), block, 0, &m);
    weft_region_of_launches(1);
    struct weft_figures figures = weft_launch(matrix_multiply, grid, block, bytes, &m);
    weft_region_of_launches(0);
    wrong |= weft_launch(check, weft_blocks_at_once(block), block, 0, &m).error;
#ifdef FIGURES
    weft_print_figures("matrix_multiply", &figures);
#endif
    return wrong | figures.error;
}
