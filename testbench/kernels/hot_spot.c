/* The temperature of a chip of 16 x 16 cells over three time steps (HotSpot of Rodinia): a cell
 * exchanges heat with its neighbours, and its power is added. The divergent branches: at each
 * edge, `if` there is a neighbour, without `else`. The power is chosen so that all cells warm up
 * equally in each step, on top of a known pattern. */

#include "weft.h"

#define EDGE 16
#define CELLS (EDGE * EDGE)
#define STEPS 3
#define WARMING 5 /* in each step */

static WEFT_ALIGNED WEFT_HOST int32_t temperature[2][CELLS];
static WEFT_ALIGNED WEFT_HOST int32_t power[CELLS];

static int32_t pattern(unsigned row, unsigned column)
{
    return (int32_t)((7 * row ^ 5 * column) & 63);
}

static int32_t difference(unsigned row, unsigned column, unsigned other_row, unsigned other_column)
{
    int32_t there = -(int32_t)((other_row < EDGE) & (other_column < EDGE));
    return (pattern(other_row, other_column) - pattern(row, column)) & there;
}

static void make_cell(unsigned row, unsigned column)
{
    int32_t flux = difference(row, column, row - 1, column);
    flux += difference(row, column, row + 1, column);
    flux += difference(row, column, row, column - 1);
    flux += difference(row, column, row, column + 1);
    temperature[0][row * EDGE + column] = pattern(row, column);
    power[row * EDGE + column] = WARMING - flux;
}

int main(unsigned hart)
{
    const unsigned threads = weft_threads();
    int32_t *from = temperature[0], *to = temperature[1];

    for (unsigned cell = hart; cell < CELLS; cell += threads)
        make_cell(cell / EDGE, cell % EDGE);
    weft_barrier();

    for (unsigned step = 0; step < STEPS; step++) {
        for (unsigned cell = hart; cell < CELLS; cell += threads) {
            unsigned row = cell / EDGE, column = cell % EDGE;
            int32_t own = from[cell], flux = 0;
            if (row > 0)
                flux += from[cell - EDGE] - own;
            if (row < EDGE - 1)
                flux += from[cell + EDGE] - own;
            if (column > 0)
                flux += from[cell - 1] - own;
            if (column < EDGE - 1)
                flux += from[cell + 1] - own;
            to[cell] = own + flux + power[cell];
        }
        weft_barrier();
        int32_t *other = from;
        from = to;
        to = other;
    }

    uint32_t wrong = 0;
    for (unsigned cell = hart; cell < CELLS; cell += threads)
        wrong |= (uint32_t)(from[cell] ^ (pattern(cell / EDGE, cell % EDGE) + STEPS * WARMING));
    return wrong != 0;
}
