/* The example of figure 7 in the paper on dynamic warp formation. Threads of even number begin a loop one iteration
 * before the others, and every second iteration has work. So threads that meet after each iteration never work together;
 * they would if those of odd number could be one iteration behind. The divergent branches: `if` there is work. */

#include "weft.h"

#define CELLS 128
#define STEPS 16
#define ROUNDS 10

WEFT_SIGNATURE(cells, CELLS);

static inline uint32_t work(uint32_t x)
{
#pragma GCC unroll 10
    for (int round = 0; round < ROUNDS; round++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return x;
}

int main(unsigned hart)
{
    static const uint32_t expected[WEFT_DIGESTS] = {
        0x1c3854bc, 0x006ba29e, 0xc2c47b3b, 0x5b499c20,
        0xd9cb1bce, 0xe8516756, 0x9d7e62eb, 0xaa0e36be,
        0x8bd35a05, 0xef83d838, 0xe8856e44, 0xfb2978d8,
        0xafe1f604, 0x9bc3574a, 0xc71e4f62, 0x0aad752c,
    };
    const unsigned threads = weft_threads();

    for (unsigned cell = hart; cell < CELLS; cell += threads) {
        uint32_t x = cell + 1;
        for (unsigned i = cell % 2; i < STEPS; i++)
            if (i % 2)
                x = work(x);
        cells[cell] = x;
    }
    weft_barrier();

    return weft_differ(cells, CELLS, expected) != 0;
}
