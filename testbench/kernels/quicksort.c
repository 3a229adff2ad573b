/* Every thread sorts its own array on its stack by quicksort. Recursion and loops depend on the
 * data, and all lanes use their stacks at once. */

#include "weft.h"

#define LENGTH 12

/* Sorts keys[first] to keys[last]: the part before the pivot with a call, the part after it
 * here. */
static __attribute__((noinline, noclone)) void quicksort(uint32_t *keys, int first, int last)
{
    while (first < last) {
        uint32_t pivot = keys[last];
        int middle = first;
        for (int i = first; i < last; i++) {
            uint32_t key = keys[i];
            if (key < pivot) {
                keys[i] = keys[middle];
                keys[middle++] = key;
            }
        }
        keys[last] = keys[middle];
        keys[middle] = pivot;
        quicksort(keys, first, middle - 1);
        first = middle + 1;
    }
}

int main(unsigned hart)
{
    uint32_t keys[LENGTH];
    uint32_t random = hart + 1, sum = 0;

    for (int i = 0; i < LENGTH; i++) {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        keys[i] = random;
        sum += random;
    }
    quicksort(keys, 0, LENGTH - 1);

    uint32_t wrong = 0;
    for (int i = 0; i < LENGTH; i++) {
        sum -= keys[i];
        wrong |= keys[i] < keys[i > 0 ? i - 1 : 0];
    }
    return (wrong | sum) != 0;
}
