/* The Mandelbrot set in single-precision floating point. A core without F leaves that to the
 * compiler's library: calls, normalisation loops and special cases, at each of which the lanes
 * diverge. The number of iterations until a point escapes differs from pixel to pixel. */

#include "weft.h"

#define COLUMNS 8
#define ROWS 4
#define MOST_TURNS 5

static WEFT_ALIGNED WEFT_HOST uint32_t turns[ROWS * COLUMNS];

static __attribute__((noinline)) uint32_t turns_of(float x, float y)
{
    float re = x, im = y;
    uint32_t turn = 0;
    while (turn < MOST_TURNS) {
        float re2 = re * re, im2 = im * im;
        if (re2 + im2 > 4.0f)
            break;
        im = 2.0f * re * im + y;
        re = re2 - im2 + x;
        turn++;
    }
    return turn;
}

int main(unsigned hart)
{
    const unsigned threads = weft_threads();
    /* Computed in double precision on another machine. */
    static const uint8_t expected[ROWS][COLUMNS] = {
        {5, 5, 5, 5, 5, 5, 5, 3},
        {0, 3, 5, 5, 5, 5, 5, 3},
        {0, 2, 2, 3, 5, 5, 4, 2},
        {0, 1, 2, 2, 2, 4, 2, 1},
    };

    for (unsigned i = hart; i < ROWS * COLUMNS; i += threads) {
        int column = (int)(i % COLUMNS), row = (int)(i / COLUMNS);
        turns[i] = turns_of((float)(3 * column - 16) * 0.125f, (float)row * 0.375f);
    }
    weft_barrier();

    uint32_t wrong = 0;
    for (unsigned i = hart; i < ROWS * COLUMNS; i += threads)
        wrong |= turns[i] ^ expected[i / COLUMNS][i % COLUMNS];
    return wrong != 0;
}
