/* Follows linked lists to their ends: each load needs the previous one, the nodes are scattered
 * over memory, and the lists of neighbouring lanes have different lengths. */

#include "weft.h"

#define NODES 128

struct node {
    const struct node *next;
    uint32_t value;
};

static WEFT_ALIGNED WEFT_HOST struct node nodes[NODES];

/* A node's successor has a smaller number; 0 is the end of every list. */
static uint32_t successor(uint32_t number)
{
    uint32_t step = 1 + (7 * number >> 2 & 7);
    return step < number ? number - step : 0;
}

int main(unsigned hart)
{
    const unsigned threads = weft_threads();

    for (unsigned number = hart; number < NODES; number += threads) {
        nodes[number].next = number > 0 ? &nodes[successor(number)] : 0;
        nodes[number].value = number ^ 5 * number;
    }
    weft_barrier();

    uint32_t begin = NODES - 1 - (23 * hart & (NODES - 1));
    uint32_t sum = 0;
    for (const struct node *node = &nodes[begin]; node; node = node->next)
        sum += node->value;

    /* The same without memory accesses. */
    uint32_t expected = 0;
    for (uint32_t number = begin; number > 0; number = successor(number))
        expected += number ^ 5 * number;
    return sum != expected;
}
