/* if (A && B) C; else D; E; with the threads of figure 1 of the Simty report. Of every four
 * threads number 0 takes A, B, C, E; number 1 takes A, D, E; numbers 2 and 3 take A, B, D, E.
 * Each block writes its letter into the thread's route and has a label, so that a trace shows
 * the sequence of paths. Nothing in between accesses memory. */

#include "weft.h"

#define BLOCK(letter)                                                        \
    __asm__ volatile(".globl block_" #letter "\n"                            \
                     "block_" #letter ":\n\t"                                \
                     "slli %0, %0, 4\n\t"                                    \
                     "addi %0, %0, 0x" #letter                               \
                     : "+r"(route))

static __attribute__((noinline)) uint32_t walk(uint32_t a, uint32_t b)
{
    uint32_t route = 0;

    BLOCK(A);
    if (a) {
        BLOCK(B);
        if (b) {
            BLOCK(C);
            goto E;
        }
    }
    BLOCK(D);
E:
    BLOCK(E);
    return route;
}

int main(unsigned hart)
{
    static const uint32_t expected[4] = {0xabce, 0xade, 0xabde, 0xabde};
    unsigned thread = hart % 4;

    return walk(thread != 1, thread == 0) != expected[thread];
}
