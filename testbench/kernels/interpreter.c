/* An interpreter: a loop around a `switch`, which the compiler turns into a jump through a
 * table. Neighbouring threads run different programs, so their lanes jump to different cases. */

#include "weft.h"

enum operation { LOAD_CONSTANT, MOVE, ADD, SUBTRACT, SHIFT_RIGHT, AND, JUMP_UNLESS_ZERO, HALT };

/* One instruction with the registers `to` and `from`; `constant` is also the target of a jump. */
struct instruction {
    uint8_t operation, to, from, constant;
};

#define REGISTERS 4
#define LONGEST 10

/* Each computes a function of register 0 in register 1. */
static const struct instruction programs[4][LONGEST] = {
    { /* the sum of the numbers from 1 to n */
        {LOAD_CONSTANT, 1, 0, 0},
        {LOAD_CONSTANT, 2, 0, 1},
        {ADD, 1, 0, 0},
        {SUBTRACT, 0, 2, 0},
        {JUMP_UNLESS_ZERO, 0, 0, 2},
        {HALT, 0, 0, 0},
    },
    { /* the n-th Fibonacci number */
        {LOAD_CONSTANT, 1, 0, 0},
        {LOAD_CONSTANT, 2, 0, 1},
        {MOVE, 3, 1, 0},
        {ADD, 3, 2, 0},
        {MOVE, 1, 2, 0},
        {MOVE, 2, 3, 0},
        {LOAD_CONSTANT, 3, 0, 1},
        {SUBTRACT, 0, 3, 0},
        {JUMP_UNLESS_ZERO, 0, 0, 2},
        {HALT, 0, 0, 0},
    },
    { /* the number of ones in n */
        {LOAD_CONSTANT, 1, 0, 0},
        {LOAD_CONSTANT, 2, 0, 1},
        {MOVE, 3, 0, 0},
        {AND, 3, 2, 0},
        {ADD, 1, 3, 0},
        {SHIFT_RIGHT, 0, 2, 0},
        {JUMP_UNLESS_ZERO, 0, 0, 2},
        {HALT, 0, 0, 0},
    },
    { /* 16 n */
        {LOAD_CONSTANT, 2, 0, 1},
        {LOAD_CONSTANT, 3, 0, 4},
        {MOVE, 1, 0, 0},
        {ADD, 1, 1, 0},
        {SUBTRACT, 3, 2, 0},
        {JUMP_UNLESS_ZERO, 3, 0, 3},
        {HALT, 0, 0, 0},
    },
};

static __attribute__((noinline)) uint32_t interpret(const struct instruction *program, uint32_t n)
{
    uint32_t registers[REGISTERS] = {n};
    unsigned at = 0, operation;
    do {
        const struct instruction *instruction = &program[at++];
        uint32_t *to = &registers[instruction->to];
        uint32_t from = registers[instruction->from];
        operation = instruction->operation;
        switch (operation) {
        case LOAD_CONSTANT:
            *to = instruction->constant;
            break;
        case MOVE:
            *to = from;
            break;
        case ADD:
            *to += from;
            break;
        case SUBTRACT:
            *to -= from;
            break;
        case SHIFT_RIGHT:
            *to >>= from;
            break;
        case AND:
            *to &= from;
            break;
        case JUMP_UNLESS_ZERO:
            if (*to != 0)
                at = instruction->constant;
            break;
        case HALT:
            break;
        default:
            __builtin_unreachable();
        }
    } while (operation != HALT);
    return registers[1];
}

int main(unsigned hart)
{
    static const uint8_t fibonacci[9] = {0, 1, 1, 2, 3, 5, 8, 13, 21};
    static const uint8_t sum[9] = {0, 1, 3, 6, 10, 15, 21, 28, 36};
    static const uint8_t ones[9] = {0, 1, 1, 2, 1, 2, 2, 3, 1};
    uint32_t n = 1 + (hart >> 2 & 7);
    const uint32_t expected[4] = {sum[n], fibonacci[n], ones[n], 16 * n};

    return interpret(programs[hart & 3], n) != expected[hart & 3];
}
