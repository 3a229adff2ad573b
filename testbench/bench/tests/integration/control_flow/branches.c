/* Every kind of branch that C has, with data that differ from thread to thread. */

#include "weft.h"

#define NOT_INLINE __attribute__((noinline))

typedef uint32_t function(uint32_t);

static NOT_INLINE uint32_t twice(uint32_t value) { return 2 * value; }
static NOT_INLINE uint32_t half(uint32_t value) { return value / 2; }
static NOT_INLINE uint32_t odd(uint32_t value) { return value & 1 ? value : half(value) + 1; }

static function *const functions[] = {twice, half, odd, twice};

/* Returns by a tail call through a pointer, or directly. */
static NOT_INLINE uint32_t through(function *chosen, uint32_t value)
{
    if (value == 3)
        return 77;
    return chosen(value);
}

/* A table of pointers: an indirect tail call with a bounded index. */
static NOT_INLINE uint32_t bounded(uint32_t which, uint32_t value)
{
    if (which > 3)
        return value;
    return functions[which](value + 1);
}

/* A dense switch with a case that returns, one that falls through, and a default. */
static NOT_INLINE uint32_t dense(uint32_t which, uint32_t value)
{
    switch (which) {
    case 0: value += 5; break;
    case 1: value ^= 0x55; /* fall through */
    case 2: value *= 3; break;
    case 3: return value;
    case 4: value = twice(value); break;
    case 5: if (value & 1) value += half(value); break;
    case 6: value -= 1; break;
    case 7: weft_exit(0);
    default: value = ~value;
    }
    return value + 1;
}

/* A switch over all values of an expression, and one inside a loop that it leaves. */
static NOT_INLINE uint32_t looped(uint32_t value)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 40; i++) {
        switch ((value >> (i & 15)) & 7) {
        case 0: sum += i; break;
        case 1: sum ^= value; continue;
        case 2: sum -= 3; break;
        case 3: if (sum > 5000) return sum; break;
        case 4: sum = half(sum); break;
        case 5: sum += 9; break;
        case 6: if (i > 30) goto out; break;
        case 7: sum += 2; break;
        }
        value = value * 1103515245 + 12345;
    }
out:
    return sum;
}

/* Early returns at several depths of nested loops. */
static NOT_INLINE int32_t nested(uint32_t value)
{
    for (uint32_t i = 1; i < 9; i++) {
        for (uint32_t j = 1; j < 9; j++) {
            if (i * j == value)
                return (int32_t)(i << 4 | j);
            if (value < 4 && j == i)
                break;
        }
        if (i == value)
            return -1;
    }
    return -2;
}

static NOT_INLINE uint32_t recursive(uint32_t value)
{
    if (value < 2)
        return value;
    if (value & 1)
        return recursive(value - 1) + 1;
    return recursive(value / 2) + recursive(value / 2 - 1);
}

/* Mutual tail recursion. */
static NOT_INLINE uint32_t even_steps(uint32_t value, uint32_t steps);
static NOT_INLINE uint32_t odd_steps(uint32_t value, uint32_t steps)
{
    return value == 0 ? steps : even_steps(value - 1, steps + 3);
}
static NOT_INLINE uint32_t even_steps(uint32_t value, uint32_t steps)
{
    if (value == 0)
        return steps;
    return odd_steps(value - 1, steps + 5);
}

/* Threaded code: a jump through labels whose addresses are data. */
static NOT_INLINE uint32_t threaded(const uint8_t *program, uint32_t value)
{
    static const void *const labels[] = {&&add, &&shift, &&skip, &&stop};
    goto *labels[*program];
add:
    value += 3;
    goto *labels[*++program];
shift:
    value <<= 1;
    goto *labels[*++program];
skip:
    if (value & 2)
        program++;
    goto *labels[*++program];
stop:
    return value;
}

static const uint8_t programs[3][6] = {{0, 1, 2, 0, 1, 3}, {1, 1, 2, 1, 0, 3}, {2, 0, 0, 2, 3, 3}};

int main(unsigned hart)
{
    uint32_t sum = 0;
    for (uint32_t round = 0; round < 12; round++) {
        uint32_t value = hart * 7 + round * 3;
        sum += through(functions[(hart + round) & 3], value);
        sum += bounded(value % 6, value);
        sum += dense((hart + round) % 7 + (round == 11 && hart == 5), value);
        sum += looped(value);
        sum += (uint32_t)nested(value & 63);
        sum += recursive(value & 31);
        sum += even_steps(value & 15, round);
        sum += threaded(programs[value % 3], value);
        sum += (uint32_t)((uint64_t)sum * value / (round + 3));
    }
    volatile uint32_t keep = sum;
    (void)keep;
    return 0;
}
