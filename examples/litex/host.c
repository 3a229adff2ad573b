/* The processor's program: runs two programs on the core, one waited for by its status and one by its interrupt. */

#include <generated/csr.h>
#include <generated/sdram_phy.h>
#include <irq.h>
#include <system.h>

#include "weft.h"

enum { CONTROL = 0x90000000, INTERRUPT = 5, HOST_RAM = 0x40000000, WEFT_RAM = 0x80000000u, RAM_BYTES = 1 << 20 };
enum { NUMBERS = 96, FACTOR = 3, POLLS = 1000000 };

extern const char scale_elf[], scale_elf_end[], histogram_elf[], histogram_elf_end[];

static struct weft core;
static volatile int ended;

/* Programs of the core see the SDRAM at another address than the processor. */
static char *seen(uint32_t address) { return (char *)(address - WEFT_RAM + HOST_RAM); }

static uint32_t read_register(void *context, uint32_t offset)
{
    (void)context;
    return *(volatile uint32_t *)(CONTROL + offset);
}

static void write_register(void *context, uint32_t offset, uint32_t value)
{
    (void)context;
    *(volatile uint32_t *)(CONTROL + offset) = value;
}

static int read_memory(void *context, uint32_t address, void *data, uint32_t bytes)
{
    (void)context;
    flush_cpu_dcache();
    for (uint32_t at = 0; at < bytes; at++)
        ((char *)data)[at] = seen(address)[at];
    return 0;
}

/* The cache of the processor is write-through. */
static int write_memory(void *context, uint32_t address, const void *data, uint32_t bytes)
{
    (void)context;
    for (uint32_t at = 0; at < bytes; at++)
        seen(address)[at] = ((const char *)data)[at];
    return 0;
}

static void print(const char *text)
{
    for (; *text; text++) {
        while (uart_txfull_read())
            ;
        uart_rxtx_write(*text);
    }
}

static void print_number(uint32_t number)
{
    char digits[11], *at = digits + 10;
    *at = 0;
    do
        *--at = '0' + number % 10;
    while (number /= 10);
    print(at);
}

/* Prints what the program on the core has printed. */
static void print_console(void)
{
    char text[65];
    uint32_t bytes;
    while ((bytes = weft_console(&core, text, 64)) != 0) {
        text[bytes] = 0;
        print("core: ");
        print(text);
    }
}

void isr(void);
void isr(void)
{
    if (irq_pending() & 1 << INTERRUPT) {
        weft_interrupt(&core, 0);
        ended = 1;
    }
}

static int check(int error, const char *step)
{
    if (error) {
        print(step);
        print(": ");
        print(weft_error_text(error));
        print("\n");
    }
    return error;
}

/* Whether the run has ended well. */
static int report(const struct weft_result *result)
{
    print_console();
    print("cycles ");
    print_number(result->cycles);
    print(", thread instructions ");
    print_number(result->thread_instructions);
    print("\n");
    if (result->fault) {
        print("fault ");
        print_number(result->fault_cause);
        print(" at ");
        print_number(result->fault_pc - WEFT_RAM);
        print("\n");
    }
    return result->done && !result->fault && !result->bus_error && result->exit_code == 0;
}

/* Numbers of the processor, multiplied by the core. */
static int scale(void)
{
    const uint32_t bytes = scale_elf_end - scale_elf;
    uint32_t input, output, numbers[NUMBERS];
    struct weft_result result;
    for (uint32_t at = 0; at < NUMBERS; at++)
        numbers[at] = at * at;
    if (check(weft_load(&core, scale_elf, bytes), "load") || check(weft_symbol(scale_elf, bytes, "input", &input), "input") ||
        check(weft_symbol(scale_elf, bytes, "output", &output), "output") ||
        check(weft_write(&core, input, numbers, sizeof numbers), "write") || check(weft_start(&core, FACTOR), "start") ||
        check(weft_wait(&core, POLLS, &result), "wait") || check(weft_read(&core, output, numbers, sizeof numbers), "read"))
        return 0;
    int right = report(&result);
    for (uint32_t at = 0; at < NUMBERS; at++)
        right &= numbers[at] == FACTOR * at * at;
    return right;
}

/* A kernel that checks itself; its end is an interrupt. */
static int histogram(void)
{
    struct weft_result result;
    weft_interrupt(&core, 1);
    irq_setmask(1 << INTERRUPT);
    irq_setie(1);
    if (check(weft_load(&core, histogram_elf, histogram_elf_end - histogram_elf), "load") || check(weft_start(&core, 0), "start"))
        return 0;
    while (!ended)
        ;
    return !check(weft_wait(&core, 1, &result), "wait") && report(&result);
}

/* What the BIOS of LiteX does for SDRAM that needs no training. */
static void start_memory(void)
{
    sdram_dfii_control_write(DFII_CONTROL_CKE | DFII_CONTROL_ODT | DFII_CONTROL_RESET_N);
    init_sequence();
    sdram_dfii_control_write(DFII_CONTROL_SEL);
}

int main(void)
{
    const struct weft_access access = {0, read_register, write_register, read_memory, write_memory};
    start_memory();
    if (!check(weft_open(&core, &access, WEFT_RAM, RAM_BYTES), "open")) {
        print("warps ");
        print_number(core.warps);
        print(", threads ");
        print_number(core.threads);
        print(", unit ");
        print(core.unit);
        print("\n");
        print(scale() ? "scale: right\n" : "scale: WRONG\n");
        print(histogram() ? "histogram: right\n" : "histogram: WRONG\n");
    }
    main_finish_write(1);
    return 0;
}
