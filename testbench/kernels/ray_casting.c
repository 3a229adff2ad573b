/* Casts fans of rays from four points through a maze whose walls are on the lines between the
 * cells of a grid. The divergent branches, both with loads on both sides: whether a ray crosses
 * a column line or a row line next, and whether it is shaded by the wall that it hits or by the
 * sky. */

#include "weft.h"

#define RAYS 256   /* four in each direction, one from each point */
#define EDGE 16    /* cells; the maze repeats beyond the edge */
#define VIEW 12    /* maximum number of lines that a ray crosses */
#define ONE 0x8000 /* the distance to one column line for a direction of 1 */

static WEFT_ALIGNED WEFT_HOST uint32_t column_line[EDGE * EDGE];
static WEFT_ALIGNED WEFT_HOST uint32_t row_line[EDGE * EDGE];
static WEFT_ALIGNED WEFT_HOST uint32_t texture[4 * EDGE];
static WEFT_ALIGNED WEFT_HOST uint32_t sky[EDGE + 1];
WEFT_HOST WEFT_SIGNATURE(pixels, RAYS);

static uint32_t scatter(uint32_t x)
{
    x *= 0x9e3779b1;
    return x ^ x >> 15;
}

/* One line in six has a wall, of texture 1 to 3; 0 is none. The other 30 bits are the tint of
 * the air in front of it. */
static uint32_t make_line(uint32_t line)
{
    uint32_t random = scatter(line) >> 8;
    uint32_t wall = (1 + random % 3) & -(uint32_t)(random / 4 % 6 == 0);
    return 4 * (random >> 8) + wall;
}

/* Every ray goes right by 128, and up or down by 4 to 252. */
static uint32_t goes_up(uint32_t ray) { return -(uint32_t)(ray < RAYS / 2); }
static uint32_t slope_of(uint32_t ray)
{
    uint32_t down = 8 * (ray / 4) - (RAYS - 4);
    return (down ^ goes_up(ray)) - goes_up(ray);
}

/* Sums the tint of everything in front of the first wall. Returns four times the distance to
 * that wall, plus its texture. */
static __attribute__((noinline)) uint32_t cast(uint32_t ray)
{
    const uint32_t up = goes_up(ray), slope = slope_of(ray);
    const uint32_t to_column = ONE / 128, to_row = ONE / slope;
    uint32_t next_column = to_column / 2, next_row = to_row / 4;
    uint32_t column = 5 * (ray % 4), row = 3 * (ray % 4), lines = VIEW;
    uint32_t line, distance, tint = 0;
    do {
        if (next_column < next_row) {
            distance = next_column;
            next_column += to_column;
            column = (column + 1) % EDGE;
            line = column_line[row * EDGE + column];
        } else {
            distance = next_row;
            next_row += to_row;
            row = (row + (up | 1)) % EDGE;
            line = row_line[row * EDGE + column];
        }
        tint += line / 4;
    } while (line % 4 == 0 && --lines > 0);
    pixels[ray] = tint;
    return 4 * distance + line % 4;
}

static __attribute__((noinline)) uint32_t shade(uint32_t ray, uint32_t distance, uint32_t hit)
{
    if (hit != 0) {
        uint32_t light = texture[hit * EDGE + distance / 16 % EDGE];
        return light * 1024 / (1024 + distance);
    } else {
        uint32_t slope = slope_of(ray);
        uint32_t above = sky[slope / EDGE], below = sky[slope / EDGE + 1];
        return above + ((below - above) * (slope % EDGE) >> 4);
    }
}

int main(unsigned hart)
{
    static const uint32_t expected[WEFT_DIGESTS] = {
        0x22d1b19e, 0x207857eb, 0xb6b87261, 0x17039ca0,
        0xa0858856, 0x6279741b, 0x2c8d4e2b, 0x171f98ce,
        0x39c1c783, 0x8bd571bd, 0x2c2420b4, 0x29a4647c,
        0x9850e1c7, 0x54b1437a, 0x6e0a4667, 0x4ea6b0c6,
    };
    const unsigned threads = weft_threads();

    for (unsigned cell = hart; cell < EDGE * EDGE; cell += threads) {
        column_line[cell] = make_line(2 * cell);
        row_line[cell] = make_line(2 * cell + 1);
    }
    for (unsigned i = hart; i < 4 * EDGE; i += threads)
        texture[i] = 64 + (scatter(i) >> 16 & 255);
    for (unsigned i = hart; i <= EDGE; i += threads)
        sky[i] = 0x100 + 11 * i * i;
    weft_barrier();

    for (unsigned ray = hart; ray < RAYS; ray += threads) {
        uint32_t seen = cast(ray);
        pixels[ray] += shade(ray, seen / 4, seen % 4);
    }
    weft_barrier();

    return weft_differ(pixels, RAYS, expected) != 0;
}
