/* Two time steps of a fluid in a channel with grains, by the lattice Boltzmann method (lbm of SPEC CPU2006), with
 * nine directions in two dimensions, in fixed point: products and quotients are rounded. A step scatters to the
 * neighbours. The divergent branches: an obstacle sends each population back to where it came from, and a fluid cell
 * relaxes all towards an equilibrium; `if` the fluid is driven there, without `else`. */

#include "weft.h"

#define WIDTH 16
#define HEIGHT 8
#define CELLS (WIDTH * HEIGHT)
#define DIRECTIONS 9
#define STEPS 2
#define ONE 65536     /* the density 1, of populations */
#define UNIT 4096     /* the velocity 1, and weights */
#define RELAXATION 29 /* 29/16 of the distance to the equilibrium in each step */

enum { FLUID, DRIVEN, OBSTACLE };

/* Directions d and OPPOSITE(d) are opposite. Direction 0 is rest. */
#define OPPOSITE(d) ((d) == 0 ? 0 : 1 + (((d) - 1) ^ 1))
static const int32_t along_x[DIRECTIONS] = {0, 1, -1, 0, 0, 1, -1, -1, 1};
static const int32_t along_y[DIRECTIONS] = {0, 0, 0, 1, -1, 1, -1, 1, -1};
static const int32_t weight[DIRECTIONS] = {1820, 455, 455, 455, 455, 114, 114, 114, 114}; /* 4/9, 1/9, 1/36 */

static WEFT_ALIGNED WEFT_HOST int32_t populations[2][DIRECTIONS][CELLS];
static WEFT_ALIGNED WEFT_HOST uint32_t kind[CELLS];
WEFT_SIGNATURE(cells, CELLS); /* the populations of a cell, folded into one word */

static uint32_t scatter(uint32_t x)
{
    x *= 0x9e3779b1;
    return x ^ x >> 15;
}

/* The channel has walls above and below. One cell in eight is a grain. */
static void make_cell(uint32_t cell)
{
    uint32_t x = cell % WIDTH, y = cell / WIDTH;
    uint32_t solid = (y == 0) | (y == HEIGHT - 1) | ((scatter(cell) >> 20 & 7) == 0);
    kind[cell] = OBSTACLE * solid + DRIVEN * (!solid & (x == 0));
    for (uint32_t d = 0; d < DIRECTIONS; d++)
        populations[0][d][cell] = weight[d] * (ONE / UNIT) + (int32_t)((7 * x ^ 5 * y) & 15) * 32;
}

/* The right end of a row is joined to the left end of the next, and the last row to the first. */
static uint32_t neighbour(uint32_t cell, uint32_t d)
{
    return (cell + (uint32_t)(WIDTH * along_y[d] + along_x[d])) % CELLS;
}

static __attribute__((noinline)) void step(int32_t (*from)[CELLS], int32_t (*to)[CELLS], uint32_t cell)
{
    if (kind[cell] == OBSTACLE) {
        #pragma GCC unroll 9
        for (uint32_t d = 0; d < DIRECTIONS; d++)
            to[d][neighbour(cell, d)] = from[OPPOSITE(d)][cell];
    } else {
        int32_t density = 0, x = 0, y = 0;
        #pragma GCC unroll 9
        for (uint32_t d = 0; d < DIRECTIONS; d++) {
            density += from[d][cell];
            x += along_x[d] * from[d][cell];
            y += along_y[d] * from[d][cell];
        }
        x = x * UNIT / density;
        y = y * UNIT / density;
        if (kind[cell] == DRIVEN) {
            x = UNIT / 20;
            y = UNIT / 50;
        }
        int32_t still = UNIT - (3 * (x * x + y * y) / UNIT >> 1);
        #pragma GCC unroll 9
        for (uint32_t d = 0; d < DIRECTIONS; d++) {
            int32_t speed = along_x[d] * x + along_y[d] * y;
            int32_t share = still + (speed * (6 * UNIT + 9 * speed) >> 13);
            int32_t equilibrium = (density * share >> 12) * weight[d] >> 12;
            to[d][neighbour(cell, d)] = from[d][cell] + ((equilibrium - from[d][cell]) * RELAXATION >> 4);
        }
    }
}

int main(unsigned hart)
{
    static const uint32_t expected[WEFT_DIGESTS] = {
        0x87131db1, 0xdfd7e828, 0x3105252a, 0x9a9e9b74,
        0x4e74e94f, 0xb59a4a30, 0xdf9fb0ad, 0x987f9fbc,
        0x75fe9bc0, 0xe157c491, 0xc5685ec0, 0x9f52dad0,
        0xa4ede7cd, 0x20f55147, 0x3de1a1af, 0x9dbd0ecf,
    };
    const unsigned threads = weft_threads();

    for (unsigned cell = hart; cell < CELLS; cell += threads)
        make_cell(cell);
    weft_barrier();

    for (unsigned number = 0; number < STEPS; number++) {
        for (unsigned cell = hart; cell < CELLS; cell += threads)
            step(populations[number & 1], populations[~number & 1], cell);
        weft_barrier();
    }

    for (unsigned cell = hart; cell < CELLS; cell += threads)
        for (unsigned d = 0; d < DIRECTIONS; d++)
            cells[cell] = weft_fold(cells[cell], (uint32_t)populations[STEPS & 1][d][cell]);
    weft_barrier();

    return weft_differ(cells, CELLS, expected) != 0;
}
