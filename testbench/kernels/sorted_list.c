/* Threads insert into sorted linked lists and remove from them. A thread walks a list hand over
 * hand: it locks the next node before it releases the one behind. */

#include <stdatomic.h>
#include <stddef.h>

#include "weft.h"

#define MOST_THREADS 256
#define SHARERS 8               /* threads of a list */
#define LISTS (MOST_THREADS / SHARERS)

struct node {
    atomic_uint locked;
    uint32_t key;
    struct node *next;
};

static struct node heads[LISTS];
static struct node nodes[MOST_THREADS][2];

static void lock(struct node *node)
{
    while (atomic_exchange_explicit(&node->locked, 1, memory_order_acquire))
        ;
}

static void unlock(struct node *node)
{
    atomic_store_explicit(&node->locked, 0, memory_order_release);
}

/* Returns the last node with a smaller key. It and the node after it are locked. */
static struct node *find(struct node *head, uint32_t key)
{
    struct node *before = head;
    lock(before);
    while (before->next) {
        struct node *node = before->next;
        lock(node);
        if (node->key >= key)
            break;
        unlock(before);
        before = node;
    }
    return before;
}

static void insert(struct node *head, struct node *node)
{
    struct node *before = find(head, node->key);
    struct node *after = before->next;
    node->next = after;
    before->next = node;
    if (after)
        unlock(after);
    unlock(before);
}

static void remove_key(struct node *head, uint32_t key)
{
    struct node *before = find(head, key);
    struct node *node = before->next;
    before->next = node->next;
    unlock(node);
    unlock(before);
}

int main(unsigned hart)
{
    if (hart >= MOST_THREADS)
        return 0;

    /* The keys of a thread are far apart, and neighbours insert in falling order. */
    uint32_t place = ~hart % SHARERS;
    struct node *head = &heads[hart / SHARERS], *mine = nodes[hart];
    mine[0].key = 1 + place;
    mine[1].key = 1 + place + SHARERS;
    insert(head, &mine[0]);
    insert(head, &mine[1]);
    remove_key(head, mine[0].key);
    weft_barrier();

    /* The list is in order and has the second key of each of its threads. */
    uint32_t wrong = 0, found = 0, last = 0, length = 0;
    for (struct node *node = head->next; node; node = node->next) {
        wrong |= node->key <= last || node->locked;
        found |= node == &mine[1];
        last = node->key;
        length++;
    }
    uint32_t first = hart - hart % SHARERS;
    uint32_t sharers = weft_threads() - first < SHARERS ? weft_threads() - first : SHARERS;
    return wrong || !found || length != sharers || head->locked;
}
