/* The functions that g++ calls around the constructor of a static local variable: the first thread
 * runs it, the others wait until it is done. They need the extension A. */

#include "weft.h"

#ifdef __riscv_atomic

struct guard {
    uint8_t done;                       /* g++ reads it too */
    uint32_t warp;                      /* that runs the constructor, plus 1 */
};

int __cxa_guard_acquire(struct guard *guard)
{
    uint32_t mine = weft_warp() + 1;
    while (!__atomic_load_n(&guard->done, __ATOMIC_ACQUIRE)) {
        uint32_t warp = 0;
        if (__atomic_compare_exchange_n(&guard->warp, &warp, mine, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return 1;
#ifdef WEFT_STACKS
        if (warp == mine)
            return 0;                   /* the stack makes it wait behind the constructor */
#endif
    }
    return 0;
}

void __cxa_guard_release(struct guard *guard)
{
    __atomic_store_n(&guard->done, 1, __ATOMIC_RELEASE);
}

void __cxa_guard_abort(struct guard *guard)
{
    __atomic_store_n(&guard->warp, 0, __ATOMIC_RELEASE);
}

#endif
