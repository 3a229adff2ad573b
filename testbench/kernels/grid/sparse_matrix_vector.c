/* Multiplies a sparse matrix by a vector, one thread a row. The matrix is in the ELLPACK format: the
 * k-th elements of all rows follow each other, so that lanes read neighbouring words. The rows differ
 * in length, and gather from all over the vector. */

#include "weft_grid.h"

#ifndef SIDE_LOG2
#define SIDE_LOG2 7                     /* rows, and columns */
#endif
#ifndef MOST
#define MOST 16                         /* elements of a row */
#endif
#ifndef BLOCK
#define BLOCK 64
#endif

#define SIDE (1u << SIDE_LOG2)

static uint32_t wrong;

struct operands {
    uint32_t *length, *column, *element;
    uint32_t *vector, *product;
};

/* The matrix as formulas: the length of a row, and column and value of its k-th element. */
static uint32_t length_of(uint32_t row) { return MOST / 2 + (row ^ row >> 3) % (MOST / 2 + 1); }
static uint32_t column_of(uint32_t row, uint32_t k)
{
    uint32_t hash = row * 0x9e3779b1u + k * 0x85ebca6bu;
    return (hash ^ hash >> 15) >> 8 & (SIDE - 1);
}
static uint32_t element_of(uint32_t row, uint32_t k) { return row + 3 * k + 1; }

WEFT_KERNEL(make, struct operands, o, at)
{
    for (uint32_t row = weft_index(at); row < SIDE; row += weft_size(at)) {
        o.length[row] = length_of(row);
        o.vector[row] = 2 * row + 1;
        for (uint32_t k = 0; k < MOST; k++) {
            o.column[(k << SIDE_LOG2) + row] = column_of(row, k);
            o.element[(k << SIDE_LOG2) + row] = element_of(row, k);
        }
    }
}

WEFT_KERNEL(sparse_matrix_vector, struct operands, o, at)
{
    for (uint32_t row = weft_index(at); row < SIDE; row += weft_size(at)) {
        const uint32_t length = o.length[row];
        uint32_t sum = 0;
        for (uint32_t k = 0, i = row; k < length; k++, i += SIDE)
            sum += o.element[i] * o.vector[o.column[i]];
        o.product[row] = sum;
    }
}

/* The same from the formula, with the elements in reverse order. */
WEFT_KERNEL(check, struct operands, o, at)
{
    for (uint32_t row = weft_index(at); row < SIDE; row += weft_size(at)) {
        uint32_t sum = 0;
        for (uint32_t k = MOST; k-- > 0;)
            sum += k < length_of(row) ? element_of(row, k) * (2 * column_of(row, k) + 1) : 0;
        if (o.product[row] != sum)
            wrong = 1;
    }
}

int weft_host(void)
{
    const uint32_t block = weft_block_of(BLOCK), grid = weft_blocks_at_once(block);
    struct operands o = {weft_allocate(4 * SIDE), weft_allocate(4 * MOST * SIDE), weft_allocate(4 * MOST * SIDE),
                         weft_allocate(4 * SIDE), weft_allocate(4 * SIDE)};

    weft_region_of_launches(0);
    weft_launch(make, grid, block, 0, &o);
    weft_region_of_launches(1);
    struct weft_figures figures = weft_launch(sparse_matrix_vector, grid, block, 0, &o);
    weft_region_of_launches(0);
    wrong |= weft_launch(check, grid, block, 0, &o).error;
#ifdef FIGURES
    weft_print_figures("sparse_matrix_vector", &figures);
#endif
    return wrong | figures.error;
}
