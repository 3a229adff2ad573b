/* The cheapest path through a grid from its first row to each cell of its last (PathFinder of
 * Rodinia): row by row, each cell is reached from the cheapest of three. The divergent branches:
 * `if` there is a cell to the left, `if` the path from there is cheaper, and the same to the
 * right, all without `else`. */

#include "weft.h"

#define COLUMNS 256
#define ROWS 6

static WEFT_ALIGNED WEFT_HOST uint32_t toll[ROWS][COLUMNS];

/* The best path to each cell of two rows: its cost times COLUMNS, plus the column where it
 * begins. */
static WEFT_ALIGNED WEFT_HOST uint32_t ways[2][COLUMNS];

WEFT_SIGNATURE(columns, COLUMNS); /* the paths to the cells of a column, folded into one word */

static uint32_t scatter(uint32_t x)
{
    x *= 0x9e3779b1;
    return x ^ x >> 15;
}

int main(unsigned hart)
{
    static const uint32_t expected[WEFT_DIGESTS] = {
        0x5b260f39, 0x997b7950, 0x9fe0e313, 0xae65dbfc,
        0x207c5ae1, 0x2dc39571, 0x22d99a71, 0x7d802b6e,
        0xa52a99d0, 0xfa9a77da, 0x2ca92e3e, 0xe423cdc7,
        0x31a698a4, 0xc0cc9049, 0x7d0d95dd, 0xd36b2464,
    };
    const unsigned threads = weft_threads();
    uint32_t *from = ways[0], *to = ways[1];

    for (unsigned column = hart; column < COLUMNS; column += threads) {
        for (unsigned row = 0; row < ROWS; row++)
            toll[row][column] = 1 + (scatter(COLUMNS * row + column) >> 16 & 63);
        from[column] = COLUMNS * toll[0][column] + column;
    }
    weft_barrier();

    for (unsigned row = 1; row < ROWS; row++) {
        for (unsigned column = hart; column < COLUMNS; column += threads) {
            uint32_t best = from[column];
            if (column > 0 && from[column - 1] < best)
                best = from[column - 1];
            if (column < COLUMNS - 1 && from[column + 1] < best)
                best = from[column + 1];
            to[column] = best + COLUMNS * toll[row][column];
            columns[column] = weft_fold(columns[column], to[column]);
        }
        weft_barrier();
        uint32_t *other = from;
        from = to;
        to = other;
    }

    return weft_differ(columns, COLUMNS, expected) != 0;
}
