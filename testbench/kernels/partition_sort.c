/* Every thread sorts its own array by quicksort without recursion. The divergent branches:
 * whether a key goes to the front or to the back of its part of the array, each side with a
 * store and a load; and which of the two parts waits until the other has been sorted. */

#include "weft.h"

#define LENGTH 16

/* A part of the array that is not sorted yet: from `first` to before `end`. */
struct part {
    uint32_t *first, *end;
};

/* A permutation of the numbers below LENGTH, different in each thread. */
static uint32_t scatter(uint32_t x, uint32_t thread)
{
    x = (x ^ thread) & (LENGTH - 1);
    x ^= x << 1 & (LENGTH - 1);
    x ^= x >> 2;
    x = (x + (thread >> 4)) & (LENGTH - 1);
    x ^= x << 3 & (LENGTH - 1);
    return x;
}

static __attribute__((noinline)) void sort(uint32_t *first, uint32_t *end)
{
    struct part waiting[4]; /* at most log2(LENGTH), because the smaller part is sorted first */
    int count = 0;

    for (;;) {
        while (end - first > 1) {
            /* The slots of pivot and key are free: each iteration fills one and frees the next. */
            uint32_t *front = first, *back = end - 1;
            uint32_t pivot = *front, key = *back;
            do {
                if (key < pivot) {
                    *front++ = key;
                    key = *front;
                } else {
                    *back-- = key;
                    key = *back;
                }
            } while (front < back);
            *front = pivot;
            if (front - first < end - front) {
                waiting[count].first = front + 1;
                waiting[count].end = end;
                end = front;
            } else {
                waiting[count].first = first;
                waiting[count].end = front;
                first = front + 1;
            }
            count++;
        }
        if (count == 0)
            return;
        count--;
        first = waiting[count].first;
        end = waiting[count].end;
    }
}

int main(unsigned hart)
{
    uint32_t keys[LENGTH];

    for (uint32_t i = 0; i < LENGTH; i++)
        keys[i] = scatter(i, hart);
    sort(keys, keys + LENGTH);

    uint32_t wrong = 0;
    for (uint32_t i = 0; i < LENGTH; i++)
        wrong |= keys[i] ^ i;
    return wrong != 0;
}
