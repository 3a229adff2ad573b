/* Solves Laplace's equation in 8 x 8 x 4 cells by Jacobi's iteration (LPS, the Laplace solver of the GPGPU-Sim
 * benchmarks), in fixed point, until no cell changes by more than 1/128 of the largest value. The divergent branches:
 * a boundary cell keeps its value, an inner cell becomes the mean of its six neighbours; `if` it still changes,
 * without `else`. */

#include "weft.h"

#define WIDTH 8
#define HEIGHT 8
#define DEPTH 4
#define CELLS (WIDTH * HEIGHT * DEPTH)
#define MOST_SWEEPS 64
#define TOLERANCE 128 /* of values from 0 to 16383 */
#define SIXTH 10923   /* of 65536 */

enum { X = 1, Y = WIDTH, Z = WIDTH * HEIGHT };

/* The cells before and after the last sweep: sweep n writes half n & 1. */
WEFT_HOST WEFT_SIGNATURE(field, 2 * CELLS);
static WEFT_ALIGNED uint32_t moving[MOST_SWEEPS]; /* whether a sweep changed a cell */

static uint32_t scatter(uint32_t x)
{
    x *= 0x9e3779b1;
    return x ^ x >> 15;
}

static uint32_t is_at_boundary(uint32_t cell)
{
    uint32_t x = cell % WIDTH, y = cell / Y % HEIGHT, z = cell / Z;
    return (x == 0) | (x == WIDTH - 1) | (y == 0) | (y == HEIGHT - 1) | (z == 0) | (z == DEPTH - 1);
}

int main(unsigned hart)
{
    static const uint32_t expected[WEFT_DIGESTS] = {
        0x836c836c, 0x9006e42a, 0x7f5d1225, 0x88588322,
        0x611331ba, 0x1d11da05, 0x199928b5, 0xf2d7f2d7,
        0x7b6c7b6c, 0x2b5f2b6b, 0x938f229c, 0x4f48c3e7,
        0xd5671167, 0xd0ff9925, 0x0689cc85, 0xf2d7f2d7,
    };
    const unsigned threads = weft_threads();

    for (unsigned cell = hart; cell < CELLS; cell += threads)
        field[CELLS + cell] = scatter(cell) >> 18 & -is_at_boundary(cell);
    weft_barrier();

    unsigned sweep = 0;
    do {
        const uint32_t *from = &field[CELLS * (~sweep & 1)];
        uint32_t *to = &field[CELLS * (sweep & 1)];
        for (unsigned cell = hart; cell < CELLS; cell += threads) {
            const uint32_t *at = &from[cell];
            if (is_at_boundary(cell)) {
                to[cell] = at[0];
            } else {
                uint32_t around = at[-X] + at[X] + at[-Y] + at[Y] + at[-Z] + at[Z];
                uint32_t mean = around * SIXTH >> 16;
                if (mean - at[0] + TOLERANCE > 2 * TOLERANCE)
                    moving[sweep] = 1;
                to[cell] = mean;
            }
        }
        weft_barrier();
        sweep++;
    } while (moving[sweep - 1] & (sweep < MOST_SWEEPS));

    return weft_differ(field, 2 * CELLS, expected) != 0;
}
