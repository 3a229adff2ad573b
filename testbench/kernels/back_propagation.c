/* Trains a neural network of 16 inputs, 16 hidden units and one output by back propagation (in
 * Rodinia), in fixed point: sums of products by trees, then every weight is adjusted. The
 * divergent branches: in each level of a tree, `if` the thread still adds; `if` a sum is below
 * or above the sloped range of the activation, all without `else`. */

#include "weft.h"

#define INPUTS 16
#define HIDDEN 16
#define EDGES (INPUTS * HIDDEN) /* edge INPUTS * i + j leads from input j to hidden unit i */
#define EPOCHS 2
#define ONE 4096 /* the number 1 */
#define TARGET (ONE / 8)

static WEFT_ALIGNED WEFT_HOST int32_t input[INPUTS];
static WEFT_ALIGNED WEFT_HOST int32_t hidden[HIDDEN];
static WEFT_ALIGNED WEFT_HOST int32_t delta[HIDDEN]; /* the change at a hidden unit */
static WEFT_ALIGNED WEFT_HOST int32_t sum[EDGES];

/* First the weights of edges to the hidden units, then those of edges to the output. */
WEFT_HOST WEFT_SIGNATURE(weights, EDGES + HIDDEN);

static uint32_t scatter(uint32_t x)
{
    x *= 0x9e3779b1;
    return x ^ x >> 15;
}

static int32_t weight(uint32_t edge) { return (int32_t)weights[edge]; }

/* Adds up each 16 neighbouring sums in the first of them. */
static __attribute__((noinline)) void add_up(unsigned hart, unsigned count)
{
    const unsigned threads = weft_threads();
    for (unsigned distance = 1; distance < 16; distance *= 2) {
        for (unsigned i = hart; i < count; i += threads)
            if ((i & (2 * distance - 1)) == 0)
                sum[i] += sum[i + distance];
        weft_barrier();
    }
}

/* A sigmoid of three straight pieces. */
static int32_t activation(int32_t x)
{
    int32_t y = ONE / 2 + x / 4;
    if (y < ONE / 16)
        y = ONE / 16;
    if (y > ONE - ONE / 16)
        y = ONE - ONE / 16;
    return y;
}

int main(unsigned hart)
{
    static const uint32_t expected[WEFT_DIGESTS] = {
        0xa83306fb, 0x2478c4a3, 0x660d4a8f, 0xb20123e6,
        0x33e30e18, 0x305ccb03, 0xe95bf407, 0xdbb8a532,
        0x35c0429e, 0x9f7cd385, 0xa38dda3f, 0x1f239048,
        0x50d3356e, 0x5af54f6e, 0x19a903a3, 0x56bf898f,
    };
    const unsigned threads = weft_threads();

    for (unsigned i = hart; i < INPUTS; i += threads)
        input[i] = (int32_t)(scatter(i) >> 20);
    for (unsigned edge = hart; edge < EDGES + HIDDEN; edge += threads)
        weights[edge] = (scatter(INPUTS + edge) >> 20) - ONE / 2;
    weft_barrier();

    for (unsigned epoch = 0; epoch < EPOCHS; epoch++) {
        for (unsigned edge = hart; edge < EDGES; edge += threads)
            sum[edge] = weight(edge) * input[edge % INPUTS] / ONE;
        weft_barrier();
        add_up(hart, EDGES);

        for (unsigned i = hart; i < HIDDEN; i += threads)
            hidden[i] = activation(sum[INPUTS * i]);
        weft_barrier();
        for (unsigned i = hart; i < HIDDEN; i += threads)
            sum[i] = weight(EDGES + i) * hidden[i] / ONE;
        weft_barrier();
        add_up(hart, HIDDEN);

        int32_t error = TARGET - activation(sum[0]);
        for (unsigned i = hart; i < HIDDEN; i += threads) {
            delta[i] = error * weight(EDGES + i) / ONE;
            weights[EDGES + i] += (uint32_t)(error * hidden[i] / ONE);
        }
        weft_barrier();
        for (unsigned edge = hart; edge < EDGES; edge += threads)
            weights[edge] += (uint32_t)(delta[edge / INPUTS] * input[edge % INPUTS] / ONE);
        weft_barrier();
    }

    return weft_differ(weights, EDGES + HIDDEN, expected) != 0;
}
