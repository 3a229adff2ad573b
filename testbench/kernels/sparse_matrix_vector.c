/* Multiplies a sparse matrix in compressed rows by a vector, one thread per row. The rows have 0
 * to 7 elements. Neighbouring lanes therefore leave the inner loop after different numbers of
 * iterations, and gather from addresses all over the vector. */

#include "weft.h"

#define ROWS 80
#define COLUMNS 64

#define ELEMENTS (ROWS / 8 * 28)

static WEFT_ALIGNED WEFT_HOST uint32_t row_begin[ROWS + 1];
static WEFT_ALIGNED WEFT_HOST uint32_t column[ELEMENTS];
static WEFT_ALIGNED WEFT_HOST uint32_t element[ELEMENTS];
static WEFT_ALIGNED WEFT_HOST uint32_t vector[COLUMNS];
static WEFT_ALIGNED WEFT_HOST uint32_t product[ROWS];

/* The matrix as formulas: the length of a row, and column and value of its k-th element. */
static uint32_t length_of(uint32_t row) { return 5 * row % 8; }
static uint32_t column_of(uint32_t row, uint32_t k) { return (5 * row + 11 * k) % COLUMNS; }
static uint32_t element_of(uint32_t row, uint32_t k) { return row + 3 * k + 1; }

static __attribute__((noinline)) void make_row(uint32_t row)
{
    static const uint8_t before[8] = {0, 0, 5, 7, 14, 18, 19, 25};
    uint32_t begin = row / 8 * 28 + before[row % 8];

    row_begin[row] = begin;
    for (uint32_t k = 0; k < length_of(row); k++) {
        column[begin + k] = column_of(row, k);
        element[begin + k] = element_of(row, k);
    }
}

int main(unsigned hart)
{
    const unsigned threads = weft_threads();

    for (unsigned row = hart; row < ROWS; row += threads)
        make_row(row);
    for (unsigned i = hart; i < COLUMNS; i += threads)
        vector[i] = 2 * i + 1;
    row_begin[ROWS] = ELEMENTS;
    weft_barrier();

    for (unsigned row = hart; row < ROWS; row += threads) {
        uint32_t sum = 0;
        for (uint32_t at = row_begin[row]; at < row_begin[row + 1]; at++)
            sum += element[at] * vector[column[at]];
        product[row] = sum;
    }
    weft_barrier();

    /* The same from the formula: rows in reverse order, always over seven elements. */
    uint32_t wrong = 0;
    for (unsigned i = hart; i < ROWS; i += threads) {
        uint32_t row = ROWS - 1 - i, sum = 0;
        for (uint32_t k = 0; k < 7; k++) {
            uint32_t there = -(uint32_t)(k < length_of(row));
            sum += element_of(row, k) * (2 * column_of(row, k) + 1) & there;
        }
        wrong |= product[row] ^ sum;
    }
    return wrong != 0;
}
