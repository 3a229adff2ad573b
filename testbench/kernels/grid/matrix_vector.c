/* Multiplies a matrix by a vector: the lanes of a row go along it together, and add their sums by a
 * tree in shared memory. */

#include "weft_grid.h"

#ifndef SIDE_LOG2
#define SIDE_LOG2 6
#endif
#ifndef BLOCK
#define BLOCK 64
#endif

#define SIDE (1u << SIDE_LOG2)

static uint32_t wrong;

struct operands {
    uint32_t *matrix, *vector, *product;
    uint32_t lanes_log2;                /* of a row */
};

/* Element (r, c) is (r ^ c) + 1, and the vector is 2 c + 3. */
WEFT_KERNEL(make, struct operands, o, at)
{
    for (uint32_t i = weft_index(at); i < SIDE * SIDE; i += weft_size(at))
        o.matrix[i] = ((i >> SIDE_LOG2 ^ i) & (SIDE - 1)) + 1;
    for (uint32_t i = weft_index(at); i < SIDE; i += weft_size(at))
        o.vector[i] = 2 * i + 3;
}

WEFT_KERNEL(matrix_vector, struct operands, o, at)
{
    uint32_t *partial = WEFT_SHARED(uint32_t, at);
    const uint32_t lanes = 1u << o.lanes_log2, lane = at.thread & (lanes - 1);
    const uint32_t rows = at.threads >> o.lanes_log2;

    for (uint32_t first = at.block * rows; first < SIDE; first += at.grid * rows) {
        const uint32_t row = first + (at.thread >> o.lanes_log2);
        uint32_t sum = 0;
        if (row < SIDE)
            for (uint32_t column = lane; column < SIDE; column += lanes)
                sum += o.matrix[(row << SIDE_LOG2) + column] * o.vector[column];
        partial[at.thread] = sum;
        weft_block_barrier();
        for (uint32_t half = lanes / 2; half > 0; half /= 2) {
            if (lane < half)
                partial[at.thread] += partial[at.thread + half];
            weft_block_barrier();
        }
        if (lane == 0 && row < SIDE)
            o.product[row] = partial[at.thread];
        weft_block_barrier();
    }
}

/* The same from the formula, split by the bits of the row: without the matrix. */
WEFT_KERNEL(check, struct operands, o, at)
{
    for (uint32_t row = weft_index(at); row < SIDE; row += weft_size(at)) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < SIDE; k++)
            sum += (k + 1) * (2 * (row ^ k) + 3);
        if (o.product[row] != sum)
            wrong = 1;
    }
}

int weft_host(void)
{
    const uint32_t block = weft_block_of(BLOCK), grid = weft_blocks_at_once(block);
    struct operands o = {weft_allocate(4 * SIDE * SIDE), weft_allocate(4 * SIDE), weft_allocate(4 * SIDE), 0};

    while (o.lanes_log2 < SIDE_LOG2 && 1u << o.lanes_log2 < weft_threads_per_warp())
        o.lanes_log2++;

    weft_region_of_launches(0);
    weft_launch(make, grid, block, 0, &o);
    weft_region_of_launches(1);
    struct weft_figures figures = weft_launch(matrix_vector, grid, block, 4 * block, &o);
    weft_region_of_launches(0);
    wrong |= weft_launch(check, grid, block, 0, &o).error;
#ifdef FIGURES
    weft_print_figures("matrix_vector", &figures);
#endif
    return wrong | figures.error;
}
