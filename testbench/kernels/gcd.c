/* The greatest common divisor of two numbers, different in each thread, by two algorithms:
 * Euclid's by subtraction, and the binary one. Their loops have a different number of iterations
 * in each lane. */

#include "weft.h"

static __attribute__((noinline)) uint32_t gcd_euclid(uint32_t a, uint32_t b)
{
    while (b != 0) {
        while (a >= b)
            a -= b;
        uint32_t rest = a;
        a = b;
        b = rest;
    }
    return a;
}

static __attribute__((noinline)) uint32_t gcd_binary(uint32_t a, uint32_t b)
{
    unsigned twos = 0;
    while (((a | b) & 1) == 0) {
        a >>= 1;
        b >>= 1;
        twos++;
    }
    while ((a & 1) == 0)
        a >>= 1;
    do {
        while ((b & 1) == 0)
            b >>= 1;
        if (a > b) {
            uint32_t larger = a;
            a = b;
            b = larger;
        }
        b -= a;
    } while (b != 0);
    return a << twos;
}

static uint32_t scatter(uint32_t x)
{
    x ^= x << 5;
    x ^= x >> 3;
    return (x & 127) + 1;
}

int main(unsigned hart)
{
    uint32_t a = scatter(3 * hart + 1);
    uint32_t b = scatter(5 * hart + 11);
    return gcd_euclid(a, b) != gcd_binary(a, b);
}
