/* Counts the steps from a number to 1, where odd n goes to 3n + 1 and even n to n / 2. The lanes
 * need from none to 111 steps, and diverge at every step. A second count leaves out the steps at
 * even numbers. */

#include "weft.h"

static __attribute__((noinline)) uint32_t steps_one_by_one(uint32_t n)
{
    uint32_t steps = 0;
    while (n != 1) {
        if (n & 1)
            n += 2 * n + 1;
        else
            n /= 2;
        steps++;
    }
    return steps;
}

static __attribute__((noinline)) uint32_t steps_by_odd_numbers(uint32_t n)
{
    uint32_t steps = 0;
    for (;;) {
        while ((n & 1) == 0) {
            n /= 2;
            steps++;
        }
        if (n == 1)
            return steps;
        n += 2 * n + 1;
        steps++;
    }
}

int main(unsigned hart)
{
    uint32_t n = 1 + (hart & 31);
    return steps_one_by_one(n) != steps_by_odd_numbers(n);
}
