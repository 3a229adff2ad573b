/* Calls through a table of function pointers: in every round each four neighbouring threads call
 * four different functions. The lanes with the leader's target call first; the others execute
 * the call again. */

#include "weft.h"

#define ROUNDS 8

static uint32_t increment(uint32_t x) { return x + 1; }
static uint32_t twice(uint32_t x) { return x << 1; }
static uint32_t invert(uint32_t x) { return ~x; }
static uint32_t fold(uint32_t x) { return x ^ x >> 7; }

static uint32_t (*const operations[4])(uint32_t) = {increment, twice, invert, fold};

int main(unsigned hart)
{
    uint32_t value = hart;
    for (unsigned round = 0; round < ROUNDS; round++)
        value = operations[(hart + round) & 3](value);

    /* The same values without calls. */
    uint32_t expected = hart;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned which = (hart + round) & 3;
        uint32_t is[4] = {expected + 1, expected << 1, ~expected, expected ^ expected >> 7};
        uint32_t next = 0;
        for (unsigned i = 0; i < 4; i++)
            next |= is[i] & -(uint32_t)(which == i);
        expected = next;
    }
    return value != expected;
}
