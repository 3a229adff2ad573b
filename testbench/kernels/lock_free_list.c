/* Each thread pushes a node on a list that it shares with its neighbours, without a lock: by
 * compare-and-swap, which uses load-reserved and store-conditional. Of concurrent threads the
 * first succeeds and the others retry. */

#include <stdatomic.h>

#include "weft.h"

#define MOST_THREADS 4096
#define LISTS 16

struct node {
    struct node *next;
    uint32_t visits;
};

static WEFT_ALIGNED WEFT_HOST struct node nodes[MOST_THREADS];
static WEFT_ALIGNED _Atomic(struct node *) tops[LISTS];

int main(unsigned hart)
{
    struct node *node = &nodes[hart];
    _Atomic(struct node *) *top = &tops[hart / 8 % LISTS];
    node->visits = 0;
    struct node *seen = atomic_load_explicit(top, memory_order_relaxed);
    do {
        node->next = seen;
    } while (!atomic_compare_exchange_weak_explicit(top, &seen, node, memory_order_release,
                                                    memory_order_relaxed));
    weft_barrier();

    /* One thread walks each list; then every thread checks that its node was visited once. */
    if (hart < LISTS)
        for (struct node *at = tops[hart]; at; at = at->next)
            at->visits++;
    weft_barrier();
    return node->visits != 1;
}
