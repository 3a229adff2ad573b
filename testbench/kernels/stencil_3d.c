/* Two time steps of diffusion on a grid of 8 x 8 x 8 cells. The divergent branch: an inner cell
 * loads its six neighbours and changes by them. A boundary cell loads the three cells inward of
 * it, in a direction from a table, and is extrapolated. The field is a polynomial of second
 * degree, for which both are exact, so the result is known. Nothing is rounded, so no error is
 * hidden. */

#include "weft.h"

#define EDGE 8
#define CELLS (EDGE * EDGE * EDGE)
#define STEPS 2

enum { X = 1, Y = EDGE, Z = EDGE * EDGE };

static WEFT_ALIGNED WEFT_HOST int32_t field[2][CELLS];
static WEFT_ALIGNED WEFT_HOST int32_t inward[CELLS]; /* from a boundary cell to the next inner one */

/* 3 x^2 - 4 y^2 + 5 z^2 + 7 x y - 2 y z + 9 x: each step adds 2 * (3 - 4 + 5). */
static int32_t solution(unsigned cell, unsigned step)
{
    int32_t x = cell % EDGE, y = cell / Y % EDGE, z = cell / Z;
    return x * (3 * x + 7 * y + 9) - y * (4 * y + 2 * z) + 5 * z * z + 8 * (int32_t)step;
}

/* 1 at the low end, -1 at the high end, else 0. */
static int32_t from_edge(uint32_t place) { return (place == 0) - (place == EDGE - 1); }

/* Cells at an edge or a corner use all of their directions at once. */
static int32_t direction_inward(unsigned cell)
{
    return from_edge(cell % EDGE) * X + from_edge(cell / Y % EDGE) * Y + from_edge(cell / Z) * Z;
}

int main(unsigned hart)
{
    const unsigned threads = weft_threads();
    int32_t *from = field[0], *to = field[1];

    for (unsigned cell = hart; cell < CELLS; cell += threads) {
        from[cell] = solution(cell, 0);
        inward[cell] = direction_inward(cell);
    }
    weft_barrier();

    for (unsigned step = 0; step < STEPS; step++) {
        for (unsigned cell = hart; cell < CELLS; cell += threads) {
            const int32_t *at = &from[cell];
            int32_t next;
            if (inward[cell] == 0) {
                int32_t around = at[-X] + at[X] + at[-Y] + at[Y] + at[-Z] + at[Z];
                next = around - 5 * at[0];
            } else {
                int32_t stride = inward[cell];
                int32_t inner = 3 * (at[stride] - at[2 * stride]) + at[3 * stride];
                next = 2 * inner - at[0] + 8;
            }
            to[cell] = next;
        }
        weft_barrier();
        int32_t *other = from;
        from = to;
        to = other;
    }

    uint32_t wrong = 0;
    for (unsigned cell = hart; cell < CELLS; cell += threads)
        wrong |= (uint32_t)(from[cell] ^ solution(cell, STEPS));
    return wrong != 0;
}
