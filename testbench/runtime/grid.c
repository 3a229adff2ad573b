/* The launch of kernels: see weft_grid.h.
 *
 * All threads run main. At the top of its loop hart 0 calls the host part, which comes back from
 * that call whenever it launches a kernel, like a coroutine: weft_host_begins or weft_host_goes_on
 * switch to the host's stack, weft_host_launches and the end of the host part switch back. Each
 * switch is a function that is called and returns, only with another stack. So hart 0 meets its
 * warp behind the call, where each divergence unit expects it.
 *
 * The calls and returns of the two sides do not match. So a switch ends by setting the call depth to
 * that of its caller, plus one. */

#include "weft_grid.h"

#define SCRATCHPAD 0x20000000u

/* Bytes of the host part's stack. */
#ifndef WEFT_HOST_STACK
#define WEFT_HOST_STACK 2048
#endif
_Static_assert(WEFT_HOST_STACK >= 512 && WEFT_HOST_STACK % 16 == 0,
               "WEFT_HOST_STACK must be a multiple of 16, at least 512");

#define GUARD 0x57a6b10cu               /* in the last words of the host part's stack */
#define GUARDS 4

/* The stack for a core of one thread, which cannot tell its size from the distance to the next. */
#define ONLY_STACK 4096

enum { STARTS, HOST, KERNEL, ENDED };

/* What hart 0 tells all others, and the state of the switch. */
static struct {
    uint32_t launches;                  /* so many; no more after the last kernel: the host part has ended */
    weft_entry *entry;
    const void *arguments;
    uint32_t grid, shared;
    uint32_t slots;                     /* blocks that run at once */
    uint32_t threads_log2, warps_log2;  /* of a block */
    uint32_t free;                      /* RAM that is not allocated; 0: none of it is */
    uint32_t stride;                    /* bytes from one block's shared memory to the next */
    uint32_t region;
    uint32_t state;
    uint32_t nested;                    /* a kernel has tried to launch another */
    uint32_t second_stack_end;
    int result;
} now;

uint32_t weft_thread_sp, weft_host_sp;

__attribute__((section(".weft.stack,\"aw\",@nobits#"), aligned(16))) uint32_t weft_host_stack[WEFT_HOST_STACK / 4];

extern char __image_end[];
/* The scratchpad's bytes as an address: -Wl,--defsym=__scratchpad_bytes=65536. Else there is none. */
extern char __scratchpad_bytes[] __attribute__((weak));

/* ---- Switches between the stacks of hart 0 -------------------------------------------------- */

#define STORE_REGISTERS                                                                           \
    "addi sp, sp, -64\n\tsw ra, 0(sp)\n\tsw s0, 4(sp)\n\tsw s1, 8(sp)\n\tsw s2, 12(sp)\n\t"       \
    "sw s3, 16(sp)\n\tsw s4, 20(sp)\n\tsw s5, 24(sp)\n\tsw s6, 28(sp)\n\tsw s7, 32(sp)\n\t"       \
    "sw s8, 36(sp)\n\tsw s9, 40(sp)\n\tsw s10, 44(sp)\n\tsw s11, 48(sp)\n\t"
#define LOAD_REGISTERS                                                                            \
    "lw ra, 0(sp)\n\tlw s0, 4(sp)\n\tlw s1, 8(sp)\n\tlw s2, 12(sp)\n\tlw s3, 16(sp)\n\t"          \
    "lw s4, 20(sp)\n\tlw s5, 24(sp)\n\tlw s6, 28(sp)\n\tlw s7, 32(sp)\n\tlw s8, 36(sp)\n\t"       \
    "lw s9, 40(sp)\n\tlw s10, 44(sp)\n\tlw s11, 48(sp)\n\taddi sp, sp, 64\n\t"
/* main is at call depth 1, as _start called it; the host part gets room for unbalanced returns. */
#define RETURN_TO_THREAD "csrrwi zero, 0x803, 2\n\tret"
#define RETURN_TO_HOST "csrrwi zero, 0x803, 20\n\tret"

/* Called by main: runs the host part until it launches a kernel or ends. */
void weft_host_begins(void);
__asm__(".section .text.weft_host_begins, \"ax\", @progbits\n"
        "weft_host_begins:\n\t"
        STORE_REGISTERS
        "la t1, weft_thread_sp\n\tsw sp, 0(t1)\n\t"
        "la sp, weft_host_stack + " WEFT_EXPANDED(WEFT_HOST_STACK) "\n\t"
        "call weft_host_runs\n\t"
        "la t1, weft_thread_sp\n\tlw sp, 0(t1)\n\t"
        LOAD_REGISTERS
        RETURN_TO_THREAD "\n\t.previous");

/* Called by main: the same, after a kernel. */
void weft_host_goes_on(void);
__asm__(".section .text.weft_host_goes_on, \"ax\", @progbits\n"
        "weft_host_goes_on:\n\t"
        STORE_REGISTERS
        "la t1, weft_thread_sp\n\tsw sp, 0(t1)\n\t"
        "la t1, weft_host_sp\n\tlw sp, 0(t1)\n\t"
        LOAD_REGISTERS
        RETURN_TO_HOST "\n\t.previous");

/* Called by the host part: returns when the kernel has ended. */
void weft_host_launches(void);
__asm__(".section .text.weft_host_launches, \"ax\", @progbits\n"
        "weft_host_launches:\n\t"
        STORE_REGISTERS
        "la t1, weft_host_sp\n\tsw sp, 0(t1)\n\t"
        "la t1, weft_thread_sp\n\tlw sp, 0(t1)\n\t"
        LOAD_REGISTERS
        RETURN_TO_THREAD "\n\t.previous");

/* ---- The host part ------------------------------------------------------------------------- */

static int stack_overflows(void)
{
    uint32_t changed = 0;
    for (int i = 0; i < GUARDS; i++)
        changed |= *(volatile uint32_t *)&weft_host_stack[i] ^ GUARD;
    return changed != 0;
}

/* The host part has written below its stack, and so maybe into `now`: nothing can go on. */
static __attribute__((noreturn)) void end_by_stack(void)
{
    weft_puts("weft_host: it needs more than " WEFT_EXPANDED(WEFT_HOST_STACK)
              " bytes of stack; compile with more, such as -DWEFT_HOST_STACK=16384\n");
    now.launches = 0;
    now.state = ENDED;
    weft_exit(WEFT_LAUNCH_STACK);
}

__attribute__((used, noinline)) void weft_host_runs(void)
{
    for (int i = 0; i < GUARDS; i++)
        weft_host_stack[i] = GUARD;
    now.state = HOST;
    now.region = 1;
    now.result = weft_host();
    if (stack_overflows())
        end_by_stack();
    now.state = ENDED;
}

#define NO_BLOCK 31

/* Whole warps of a block, as a power of two, or NO_BLOCK. */
static uint32_t warps_log2(uint32_t threads)
{
    uint32_t size = weft_threads_per_warp(), warps = 0;
    while (size < threads && warps < 16) {
        size <<= 1;
        warps++;
    }
    return size == threads && weft_warps() >> warps ? warps : NO_BLOCK;
}

uint32_t weft_block_of(uint32_t most)
{
    uint32_t size = weft_threads_per_warp(), warps = weft_warps();
    for (; warps % 2 == 0 && 2 * size <= most; warps /= 2)
        size *= 2;
    return size;
}

uint32_t weft_blocks_at_once(uint32_t threads) { return weft_warps() >> warps_log2(threads); }

/* The RAM between the program and the stacks that is not allocated. */
static uint32_t free_begin(void)
{
    return now.free ? now.free : ((uintptr_t)__image_end + 255) & ~(uintptr_t)255;
}

static uint32_t free_bytes(void)
{
    /* The host part is on hart 0, whose stack is the lowest. */
    uint32_t end = weft_stack_end();
    uint32_t stack = now.second_stack_end ? now.second_stack_end - end : ONLY_STACK;
    return free_begin() + stack < end ? end - stack - free_begin() : 0;
}

uint32_t weft_shared_bytes(void)
{
    return __scratchpad_bytes ? (uint32_t)(uintptr_t)__scratchpad_bytes : free_bytes();
}

void *weft_allocate(uint32_t bytes)
{
    uint32_t begin = free_begin(), left = free_bytes();
    if (bytes > left) {
        weft_puts("weft_allocate: ");
        weft_put_long(bytes);
        weft_puts(" bytes: there are ");
        weft_put_long(left);
        weft_puts(" between program and stacks\n");
        weft_exit(1);                   /* the others then find no kernel to run, and end as well */
    }
    now.free = (begin + bytes + 255) & ~255u;
    return (void *)(uintptr_t)begin;
}

void weft_region_of_launches(uint32_t region) { now.region = region; }

/* Reads both words of a counter, the high one before and after. */
#define READ_LONG(low, high)                                                                      \
    ({                                                                                            \
        uint32_t before_, low_, high_;                                                            \
        do {                                                                                      \
            before_ = WEFT_READ(high);                                                            \
            low_ = WEFT_READ(low);                                                                \
            high_ = WEFT_READ(high);                                                              \
        } while (before_ != high_);                                                               \
        (uint64_t)high_ << 32 | low_;                                                             \
    })

static struct weft_figures counters(void)
{
    struct weft_figures read = {0};
    read.parts = READ_LONG(0xcc6, 0xcc9);
    read.thread_instructions = READ_LONG(0xcc5, 0xcc8);
    read.instructions = READ_LONG(minstret, minstreth);
    read.cycles = READ_LONG(mcycle, mcycleh);
    return read;
}

static struct weft_figures refuse(int error)
{
    struct weft_figures figures = {0};
    figures.error = error;
    return figures;
}

static struct weft_figures refuse_threads(uint32_t threads)
{
    uint32_t most = weft_threads_per_warp();
    weft_puts("weft_launch: ");
    weft_put_long(threads);
    weft_puts(" threads in a block: it must be a power of two from ");
    weft_put_long(weft_threads_per_warp());
    weft_puts(" to ");
    for (uint32_t warps = weft_warps(); warps >= 2; warps /= 2)
        most *= 2;
    weft_put_long(most);
    weft_putc('\n');
    return refuse(WEFT_LAUNCH_THREADS);
}

static struct weft_figures refuse_shared(uint32_t bytes, uint32_t blocks)
{
    weft_puts("weft_launch: ");
    weft_put_long(bytes);
    weft_puts(" bytes of shared memory for each of ");
    weft_put_long(blocks);
    weft_puts(" blocks at once: there are ");
    weft_put_long(weft_shared_bytes());
    weft_puts(__scratchpad_bytes ? " in the scratchpad\n" : " between program and stacks\n");
    return refuse(WEFT_LAUNCH_SHARED);
}

struct weft_figures weft_launch_kernel(weft_entry *entry, uint32_t grid, uint32_t threads,
                                       uint32_t shared, const void *arguments)
{
    if (now.state == STARTS) {
        weft_puts("weft_launch: a constructor cannot launch a kernel\n");
        return refuse(WEFT_LAUNCH_NESTED);
    }
    if (now.state == KERNEL) {
        now.nested = 1;                 /* the host part reports it: it is one thread */
        return refuse(WEFT_LAUNCH_NESTED);
    }
    if (stack_overflows())
        end_by_stack();
    now.warps_log2 = warps_log2(threads);
    if (now.warps_log2 == NO_BLOCK)
        return refuse_threads(threads);

    now.slots = weft_warps() >> now.warps_log2;
    const uint32_t line = 4 * weft_threads_per_warp(), available = weft_shared_bytes();
    const uint32_t blocks = grid < now.slots ? grid : now.slots;
    now.stride = (shared + line - 1) & ~(line - 1);
    uint32_t left = available;
    for (uint32_t block = 0; block < blocks; block++) {
        if (now.stride > left || shared > available)
            return refuse_shared(shared, blocks);
        left -= now.stride;
    }
    now.entry = entry;
    now.arguments = arguments;
    now.grid = grid;
    now.shared = __scratchpad_bytes ? SCRATCHPAD : free_begin();
    now.threads_log2 = now.warps_log2;
    for (uint32_t lanes = weft_threads_per_warp(); lanes > 1; lanes >>= 1)
        now.threads_log2++;
    now.nested = 0;
    now.state = KERNEL;
    now.launches++;

    struct weft_figures before = counters();
    weft_host_launches();
    struct weft_figures figures = counters();

    now.state = HOST;
    figures.cycles -= before.cycles;
    figures.instructions -= before.instructions;
    figures.thread_instructions -= before.thread_instructions;
    figures.parts -= before.parts;
    if (now.nested) {
        weft_puts("weft_launch: a kernel cannot launch a kernel\n");
        figures.error = WEFT_LAUNCH_NESTED;
    }
    return figures;
}

/* ---- Output -------------------------------------------------------------------------------- */

void weft_put_long(uint64_t value)
{
    static const uint64_t powers[] = {
        10000000000000000000u, 1000000000000000000u, 100000000000000000u, 10000000000000000u,
        1000000000000000u, 100000000000000u, 10000000000000u, 1000000000000u, 100000000000u,
        10000000000u, 1000000000u, 100000000u, 10000000u, 1000000u, 100000u, 10000u, 1000u, 100u, 10u, 1u};
    int begun = 0;
    for (int place = 0; place < 20; place++) {
        char digit = '0';
        for (; value >= powers[place]; value -= powers[place])
            digit++;
        begun |= digit != '0' || place == 19;
        if (begun)
            weft_putc(digit);
    }
}

void weft_add_figures(struct weft_figures *sum, struct weft_figures figures)
{
    sum->error |= figures.error;
    sum->cycles += figures.cycles;
    sum->instructions += figures.instructions;
    sum->thread_instructions += figures.thread_instructions;
    sum->parts += figures.parts;
}

void weft_print_figures(const char *name, const struct weft_figures *figures)
{
    weft_puts(name);
    weft_puts(": ");
    weft_put_long(figures->cycles);
    weft_puts(" cycles, ");
    weft_put_long(figures->instructions);
    weft_puts(" instructions, ");
    weft_put_long(figures->thread_instructions);
    weft_puts(" of threads, ");
    weft_put_long(figures->parts);
    weft_puts(" parts\n");
}

/* ---- All threads --------------------------------------------------------------------------- */

/* A warp sets the group of its barriers once, whatever path comes first: others of the warp may
 * already wait at the next barrier, where a write is illegal. */
static inline void set_group(uint32_t k)
{
    if (WEFT_READ(WEFT_CSR_BARRIER_LEVEL) != k)
        weft_barrier_level(k);
}

static inline void run_blocks(uint32_t hart, uint32_t all_warps)
{
    const uint32_t slots = now.slots, grid = now.grid;
    const uint32_t threads_log2 = now.threads_log2, thread = hart & ((1u << threads_log2) - 1);
    const void *arguments = now.arguments;
    weft_entry *entry = now.entry;
    const uint32_t slot = hart >> threads_log2;
    if (slot >= slots)
        return;

    uint32_t shared = now.shared;
    for (uint32_t left = slot, stride = now.stride; left; left >>= 1, stride <<= 1)
        if (left & 1)
            shared += stride;
    set_group(now.warps_log2);
    weft_region(now.region);
    for (uint32_t block = slot; block < grid; block += slots) {
        entry(arguments, block, thread, grid, threads_log2, (void *)(uintptr_t)shared);
        weft_block_barrier();           /* the next block uses the same shared memory */
    }
    weft_region(0);
    set_group(all_warps);
}

/* Weak: a program of its own main does not need all this, and the linker drops it. */
__attribute__((weak)) int main(unsigned hart)
{
    const uint32_t all_warps = WEFT_READ(WEFT_CSR_BARRIER_LEVEL); /* as after reset */
    if (hart == 1)
        now.second_stack_end = weft_stack_end();
    weft_barrier();
    if (hart == 0)
        weft_host_begins();
    for (uint32_t launches = 1;; launches++) {
        weft_barrier();
        if (now.launches != launches)
            /* A kernel that has ended hart 0 has ended the host part too. */
            return hart == 0 ? now.result : now.state == KERNEL ? WEFT_LAUNCH_ENDED : 0;
        run_blocks(hart, all_warps);
        weft_barrier();
        if (hart == 0)
            weft_host_goes_on();
    }
}
