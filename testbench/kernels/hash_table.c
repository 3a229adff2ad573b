/* Threads count words in a hash table. Each bucket is a chain with a lock of its own, so threads
 * wait for each other only if their words fall into the same bucket. */

#include <stdatomic.h>

#include "weft.h"

#define MOST_THREADS 256
#define WORDS 8                 /* of each thread */
#define SHARED 4                /* how often each word occurs */
#define BUCKETS 16

struct entry {
    struct entry *next;
    uint32_t word;
    uint32_t count;
};

static struct bucket {
    atomic_uint locked;
    struct entry *first;
} buckets[BUCKETS];

static struct entry entries[MOST_THREADS * WORDS / SHARED];
static atomic_uint used;

static struct bucket *bucket_of(uint32_t word)
{
    return &buckets[(word ^ word >> 4) % BUCKETS];
}

static struct entry *find(struct bucket *bucket, uint32_t word)
{
    struct entry *entry = bucket->first;
    while (entry && entry->word != word)
        entry = entry->next;
    return entry;
}

static void count(uint32_t word)
{
    struct bucket *bucket = bucket_of(word);
    while (atomic_exchange_explicit(&bucket->locked, 1, memory_order_acquire))
        ;
    struct entry *entry = find(bucket, word);
    if (!entry) {
        entry = &entries[atomic_fetch_add_explicit(&used, 1, memory_order_relaxed)];
        entry->word = word;
        entry->next = bucket->first;
        bucket->first = entry;
    }
    entry->count++;
    atomic_store_explicit(&bucket->locked, 0, memory_order_release);
}

int main(unsigned hart)
{
    uint32_t threads = weft_threads() < MOST_THREADS ? weft_threads() : MOST_THREADS;
    if (hart >= threads)
        return 0;

    /* Neighbours count the same words. */
    for (uint32_t i = hart; i < threads * WORDS; i += threads)
        count(i / SHARED);
    weft_barrier();

    uint32_t wrong = used != threads * WORDS / SHARED;
    for (uint32_t word = hart; word < threads * WORDS / SHARED; word += threads) {
        struct entry *entry = find(bucket_of(word), word);
        wrong |= !entry || entry->count != SHARED;
    }
    return wrong;
}
