/* Photons walk through four layers of tissue until they leave them or are absorbed (MCML, Monte
 * Carlo for multi-layered media). The divergent branches: within a layer a part of the photon is
 * absorbed and the rest is scattered, with three loads and a store; at a boundary, with two
 * loads, it is reflected or enters the next layer; `if` its weight is low, it plays Russian
 * roulette. */

#include "weft.h"

#define PHOTONS 96
#define LAYERS 4
#define WHOLE 4096 /* the weight of a photon at its start */
#define LITTLE 512 /* below it the roulette decides: 1 of 8 survives, with 8 times the weight */
#define THICKNESS 64

/* Rows 0 to 3: weight of each photon absorbed by the layers; row 4: weight that left them. */
WEFT_SIGNATURE(weights, (LAYERS + 1) * PHOTONS);

/* The distance to the next event: -ln of the middle of each sixteenth, times 24. */
static const int32_t step_length[16] = {83, 57, 45, 36, 30, 26, 22, 18, 15, 13, 10, 8, 6, 4, 2, 1};

/* Weight that a layer absorbs at each event, in 256ths. */
static const uint32_t absorption[LAYERS] = {64, 112, 80, 144};

/* Depth of each boundary, and the number of photons in 256 that it reflects. */
static const int32_t boundary[LAYERS + 1] = {0, 64, 128, 192, 256};
static const uint32_t reflectance[LAYERS + 1] = {128, 40, 72, 24, 56};

/* The cosine of the scattering angle, times 16: Henyey and Greenstein's for g = 0.3 in the even
 * layers and g = 0.8 in the odd ones, at the middle of each sixteenth. */
static const int32_t cosine[2][16] = {
    {-14, -10, -6, -3, 1, 2, 4, 6, 8, 9, 11, 12, 13, 14, 15, 16},
    {-4, 6, 10, 12, 13, 14, 15, 15, 15, 15, 16, 16, 16, 16, 16, 16},
};

static uint32_t random_next(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x;
}

static __attribute__((noinline)) void walk(uint32_t photon)
{
    uint32_t random = random_next(0x9e3779b1 * (photon + 1));
    uint32_t weight = WHOLE, layer = 0;
    int32_t depth = 0, direction = 16;
    do {
        random = random_next(random);
        int32_t next = depth + (step_length[random >> 28] * direction >> 4);
        if ((uint32_t)(next - boundary[layer]) <= THICKNESS) {
            uint32_t absorbed = weight * absorption[layer] >> 8;
            weights[layer * PHOTONS + photon] += absorbed;
            weight -= absorbed;
            depth = next;
            int32_t up = direction >> 31;
            direction = (cosine[layer & 1][random & 15] ^ up) - up;
        } else {
            uint32_t down = direction > 0;
            depth = boundary[layer + down];
            if ((random & 255) < reflectance[layer + down])
                direction = -direction;
            else
                layer += 2 * down - 1;
        }
        if (weight < LITTLE) {
            uint32_t goes_on = -(uint32_t)((random >> 8 & 7) == 0);
            weight = 8 * weight & goes_on;
        }
    } while (weight > 0 && layer < LAYERS);
    weights[LAYERS * PHOTONS + photon] = weight;
}

int main(unsigned hart)
{
    static const uint32_t expected[WEFT_DIGESTS] = {
        0xc7d1692f, 0x87341e70, 0x23d5bc2c, 0xeb582d50,
        0xcf9ceb07, 0x51b8030a, 0x1ca22e6b, 0xe3c30c02,
        0x82fc0f03, 0x36dd9fc8, 0xf5c4e4ac, 0x08095825,
        0x22f7f5bb, 0x33acfeb9, 0xb2b5ca00, 0xd7564b21,
    };
    const unsigned threads = weft_threads();

    for (unsigned photon = hart; photon < PHOTONS; photon += threads)
        walk(photon);
    weft_barrier();

    return weft_differ(weights, (LAYERS + 1) * PHOTONS, expected) != 0;
}
