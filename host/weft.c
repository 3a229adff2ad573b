/* See weft.h. */

#include "weft.h"

#include "weft_registers.h"

/* Offsets and values of the ELF format: the file, a segment, a section, a symbol. */
enum {
    FILE_BYTES = 52, FILE_TYPE = 16, FILE_MACHINE = 18, FILE_ENTRY = 24, FILE_SEGMENTS = 28, FILE_SECTIONS = 32,
    FILE_SEGMENT_BYTES = 42, FILE_SEGMENT_COUNT = 44, FILE_SECTION_BYTES = 46, FILE_SECTION_COUNT = 48,
    FILE_NAMES = 50,
    SEGMENT_BYTES = 32, SEGMENT_TYPE = 0, SEGMENT_OFFSET = 4, SEGMENT_ADDRESS = 8, SEGMENT_IN_FILE = 16,
    SEGMENT_FIRST = 12, SEGMENT_IN_MEMORY = 20,
    SECTION_BYTES = 40, SECTION_NAME = 0, SECTION_TYPE = 4, SECTION_ADDRESS = 12, SECTION_OFFSET = 16,
    SECTION_SIZE = 20, SECTION_LINK = 24,
    SYMBOL_BYTES = 16, SYMBOL_NAME = 0, SYMBOL_VALUE = 4, SYMBOL_SIZE = 8, SYMBOL_INFO = 12,
    EXECUTABLE = 2, RISCV = 243, LOADED = 1, TABLE = 0x60005754, SYMBOLS = 2, OBJECT = 1, FUNCTION = 2
};

struct file {
    const uint8_t *data;
    uint32_t bytes;
};

static uint32_t half(const uint8_t *at) { return at[0] | (uint32_t)at[1] << 8; }
static uint32_t word(const uint8_t *at) { return half(at) | half(at + 2) << 16; }

static int same(const char *one, const char *other)
{
    while (*one && *one == *other)
        one++, other++;
    return *one == *other;
}

static int contains(uint32_t from, uint32_t size, uint32_t address, uint32_t bytes)
{
    return address >= from && address - from <= size && bytes <= size - (address - from);
}

/* A part of the file, or 0 if it is cut short. */
static const uint8_t *part(const struct file *file, uint32_t offset, uint32_t bytes)
{
    return contains(0, file->bytes, offset, bytes) ? file->data + offset : 0;
}

/* Entry `number` of the table of segments or sections; 0 if there is none. */
static const uint8_t *entry_of(const struct file *file, uint32_t table, uint32_t size, uint32_t count, uint32_t least,
                               uint32_t number)
{
    uint32_t bytes = half(file->data + size), offset = number * bytes; /* both below 65536, so no overflow */
    if (number >= half(file->data + count) || bytes < least || word(file->data + table) > file->bytes)
        return 0;
    return contains(0, file->bytes - word(file->data + table), offset, least)
               ? file->data + word(file->data + table) + offset
               : 0;
}

static const uint8_t *segment(const struct file *file, uint32_t number)
{
    return entry_of(file, FILE_SEGMENTS, FILE_SEGMENT_BYTES, FILE_SEGMENT_COUNT, SEGMENT_BYTES, number);
}

static const uint8_t *section(const struct file *file, uint32_t number)
{
    return entry_of(file, FILE_SECTIONS, FILE_SECTION_BYTES, FILE_SECTION_COUNT, SECTION_BYTES, number);
}

/* A name in a section of names; "" if it is not there, or not ended. */
static const char *name_in(const struct file *file, uint32_t names, uint32_t offset)
{
    const uint8_t *table = section(file, names);
    uint32_t from, end;
    if (!table || !part(file, word(table + SECTION_OFFSET), word(table + SECTION_SIZE)))
        return "";
    from = word(table + SECTION_OFFSET) + offset;
    end = word(table + SECTION_OFFSET) + word(table + SECTION_SIZE);
    if (offset >= word(table + SECTION_SIZE))
        return "";
    for (uint32_t at = from; at < end; at++)
        if (!file->data[at])
            return (const char *)file->data + from;
    return "";
}

static int check_file(const struct file *file)
{
    static const uint8_t begin[6] = {0x7f, 'E', 'L', 'F', 1, 1};
    if (file->bytes < FILE_BYTES)
        return WEFT_NO_ELF;
    for (uint32_t at = 0; at < sizeof begin; at++)
        if (file->data[at] != begin[at])
            return WEFT_NO_ELF;
    if (half(file->data + FILE_TYPE) != EXECUTABLE)
        return WEFT_NO_ELF;
    return half(file->data + FILE_MACHINE) == RISCV ? WEFT_OK : WEFT_OTHER_MACHINE;
}

/* Calls `visit` for each symbol with a name, until it returns 1. */
static int each_symbol(const struct file *file, int (*visit)(void *, const char *, const uint8_t *), void *context)
{
    for (uint32_t number = 0;; number++) {
        const uint8_t *table = section(file, number), *symbols;
        if (!table)
            return 0;
        symbols = part(file, word(table + SECTION_OFFSET), word(table + SECTION_SIZE));
        if (word(table + SECTION_TYPE) != SYMBOLS || !symbols)
            continue;
        for (uint32_t at = 0; at + SYMBOL_BYTES <= word(table + SECTION_SIZE); at += SYMBOL_BYTES) {
            const char *name = name_in(file, word(table + SECTION_LINK), word(symbols + at + SYMBOL_NAME));
            if (*name && visit(context, name, symbols + at))
                return 1;
        }
    }
}

static uint32_t get(struct weft *core, uint32_t offset)
{
    return core->access.read_register(core->access.context, offset);
}

static void set(struct weft *core, uint32_t offset, uint32_t value)
{
    core->access.write_register(core->access.context, offset, value);
}

/* A counter of two words, whose low word may pass into the high one between the reads. */
static uint64_t counter(struct weft *core, uint32_t low, uint32_t high)
{
    uint32_t above = get(core, high), below, again;
    for (;; above = again) {
        below = get(core, low);
        again = get(core, high);
        if (again == above)
            return (uint64_t)above << 32 | below;
    }
}

static int is_busy(uint32_t status)
{
    return (status & (WEFT_STATUS_RUNNING_MASK | WEFT_STATUS_STOPPING_MASK)) != 0;
}

int weft_open(struct weft *core, const struct weft_access *access, uint32_t ram, uint32_t ram_bytes)
{
    uint32_t shape;
    core->access = *access;
    if (get(core, WEFT_ID) != WEFT_ID_VALUE)
        return WEFT_NO_CORE;
    if ((get(core, WEFT_VERSION) ^ WEFT_VERSION_VALUE) & WEFT_VERSION_MAJOR_MASK)
        return WEFT_OTHER_VERSION;
    shape = get(core, WEFT_SHAPE);
    core->warps = (shape & WEFT_SHAPE_WARPS_MASK) >> WEFT_SHAPE_WARPS_BIT;
    core->threads = (shape & WEFT_SHAPE_THREADS_MASK) >> WEFT_SHAPE_THREADS_BIT;
    core->scratchpad_bytes = get(core, WEFT_SCRATCHPAD_BYTES);
    for (uint32_t letter = 0; letter < 16; letter++)
        core->unit[letter] = (char)(get(core, WEFT_UNIT_0 + letter / 4 * 4) >> letter % 4 * 8);
    core->unit[16] = 0;
    core->reads_table = (shape & WEFT_SHAPE_TABLE_MASK) != 0;
    core->table = core->table_first = core->table_bytes = 0;
    core->ram = ram;
    core->ram_bytes = ram_bytes;
    core->entry = 1;
    core->bss = core->bss_bytes = 0;
    return WEFT_OK;
}

static int clear(struct weft *core, uint32_t address, uint32_t bytes)
{
    static const uint8_t zeros[256];
    while (bytes) {
        uint32_t now = bytes < sizeof zeros ? bytes : (uint32_t)sizeof zeros;
        if (core->access.write_memory(core->access.context, address, zeros, now))
            return WEFT_ACCESS;
        address += now;
        bytes -= now;
    }
    return WEFT_OK;
}

static int is_loaded(const uint8_t *header)
{
    uint32_t type = word(header + SEGMENT_TYPE);
    return (type == LOADED || type == TABLE) && word(header + SEGMENT_IN_MEMORY);
}

static int load_segment(struct weft *core, const struct file *file, const uint8_t *header)
{
    uint32_t address = word(header + SEGMENT_ADDRESS), in_file = word(header + SEGMENT_IN_FILE);
    const uint8_t *data = part(file, word(header + SEGMENT_OFFSET), in_file);
    if (in_file && core->access.write_memory(core->access.context, address, data, in_file))
        return WEFT_ACCESS;
    return clear(core, address + in_file, word(header + SEGMENT_IN_MEMORY) - in_file);
}

int weft_load(struct weft *core, const void *elf, uint32_t bytes)
{
    struct file file = {elf, bytes};
    const uint8_t *header;
    int error = check_file(&file);
    const uint8_t *table = 0;
    uint32_t entry, number;
    if (error)
        return error;
    if (is_busy(get(core, WEFT_STATUS)))
        return WEFT_BUSY;
    entry = word(file.data + FILE_ENTRY);
    if (entry % 4 || !contains(core->ram, core->ram_bytes, entry, 4))
        return WEFT_BAD_ENTRY;
    for (number = 0; (header = segment(&file, number)); number++) {
        if (!is_loaded(header))
            continue;
        if (word(header + SEGMENT_IN_FILE) > word(header + SEGMENT_IN_MEMORY) ||
            !part(&file, word(header + SEGMENT_OFFSET), word(header + SEGMENT_IN_FILE)))
            return WEFT_NO_ELF;
        if (!contains(core->ram, core->ram_bytes, word(header + SEGMENT_ADDRESS), word(header + SEGMENT_IN_MEMORY)))
            return WEFT_OUTSIDE_RAM;
        if (word(header + SEGMENT_TYPE) == TABLE)
            table = header;
    }
    if (number == 0 || number != half(file.data + FILE_SEGMENT_COUNT))
        return WEFT_NO_ELF;
    if (core->reads_table && !table)
        return WEFT_NO_TABLE;
    core->entry = 1;
    for (number = 0; (header = segment(&file, number)); number++)
        if (is_loaded(header) && (error = load_segment(core, &file, header)))
            return error;
    core->bss = core->bss_bytes = 0;
    for (number = 0; (header = section(&file, number)); number++)
        if (same(name_in(&file, half(file.data + FILE_NAMES), word(header + SECTION_NAME)), ".bss")) {
            core->bss = word(header + SECTION_ADDRESS);
            core->bss_bytes = word(header + SECTION_SIZE);
        }
    if (core->reads_table) {
        core->table = word(table + SEGMENT_ADDRESS);
        core->table_first = word(table + SEGMENT_FIRST);
        core->table_bytes = word(table + SEGMENT_IN_MEMORY);
    }
    core->entry = entry;
    return WEFT_OK;
}

struct search {
    const char *name;
    uint32_t address, size;
};

static int is_named(void *context, const char *name, const uint8_t *symbol)
{
    struct search *search = context;
    if (!same(name, search->name))
        return 0;
    search->address = word(symbol + SYMBOL_VALUE);
    return 1;
}

int weft_symbol(const void *elf, uint32_t bytes, const char *name, uint32_t *address)
{
    struct file file = {elf, bytes};
    struct search search = {name, 0, 0};
    int error = check_file(&file);
    if (error)
        return error;
    if (!each_symbol(&file, is_named, &search))
        return WEFT_NO_ELF;
    *address = search.address;
    return WEFT_OK;
}

static int is_around(void *context, const char *name, const uint8_t *symbol)
{
    struct search *search = context;
    uint32_t kind = symbol[SYMBOL_INFO] & 15;
    if ((kind != OBJECT && kind != FUNCTION) ||
        search->address - word(symbol + SYMBOL_VALUE) >= word(symbol + SYMBOL_SIZE))
        return 0;
    search->name = name;
    search->address -= word(symbol + SYMBOL_VALUE);
    return 1;
}

const char *weft_symbol_at(const void *elf, uint32_t bytes, uint32_t address, uint32_t *offset)
{
    struct file file = {elf, bytes};
    struct search search = {0, address, 0};
    if (check_file(&file) || !each_symbol(&file, is_around, &search))
        return 0;
    *offset = search.address;
    return search.name;
}

static int in_scratchpad(const struct weft *core, uint32_t address, uint32_t bytes)
{
    return contains(WEFT_SCRATCHPAD_BASE, core->scratchpad_bytes, address, bytes);
}

/* Copies bytes between words of the scratchpad and `to`, or from `from` if that is not 0. */
static int copy_scratchpad(struct weft *core, uint32_t address, uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    uint32_t at = address - WEFT_SCRATCHPAD_BASE, end = at + bytes;
    if (is_busy(get(core, WEFT_STATUS)))
        return WEFT_BUSY;
    while (at < end) {
        uint32_t offset = WEFT_SCRATCHPAD + (at & ~3u), value = get(core, offset);
        do {
            uint32_t shift = at % 4 * 8;
            if (from)
                value = (value & ~(0xffu << shift)) | (uint32_t)*from++ << shift;
            else
                *to++ = (uint8_t)(value >> shift);
        } while (++at < end && at % 4);
        if (from)
            set(core, offset, value);
    }
    return WEFT_OK;
}

int weft_read(struct weft *core, uint32_t address, void *data, uint32_t bytes)
{
    if (in_scratchpad(core, address, bytes))
        return copy_scratchpad(core, address, data, 0, bytes);
    if (!contains(core->ram, core->ram_bytes, address, bytes))
        return WEFT_OUTSIDE_RAM;
    return core->access.read_memory(core->access.context, address, data, bytes) ? WEFT_ACCESS : WEFT_OK;
}

int weft_write(struct weft *core, uint32_t address, const void *data, uint32_t bytes)
{
    if (in_scratchpad(core, address, bytes))
        return copy_scratchpad(core, address, 0, data, bytes);
    if (!contains(core->ram, core->ram_bytes, address, bytes))
        return WEFT_OUTSIDE_RAM;
    /* Each run clears it. During a run the program may share it. */
    if (bytes && address < core->bss + core->bss_bytes && core->bss < address + bytes &&
        !is_busy(get(core, WEFT_STATUS)))
        return WEFT_CLEARED;
    return core->access.write_memory(core->access.context, address, data, bytes) ? WEFT_ACCESS : WEFT_OK;
}

int weft_start(struct weft *core, uint32_t argument)
{
    if (core->entry & 1)
        return WEFT_NOT_LOADED;
    if (is_busy(get(core, WEFT_STATUS)))
        return WEFT_BUSY;
    set(core, WEFT_ENTRY, core->entry);
    set(core, WEFT_ARGUMENT, argument);
    if (core->reads_table) {
        set(core, WEFT_TABLE_BASE, core->table);
        set(core, WEFT_TABLE_FIRST, core->table_first);
        set(core, WEFT_TABLE_BYTES, core->table_bytes);
    }
    set(core, WEFT_CONTROL, WEFT_CONTROL_START_MASK);
    return get(core, WEFT_STATUS) & WEFT_STATUS_REFUSED_MASK ? WEFT_NOT_TAKEN : WEFT_OK;
}

static void report(struct weft *core, uint32_t status, struct weft_result *result)
{
    uint32_t thread = get(core, WEFT_FAULT_THREAD);
    result->running = (status & WEFT_STATUS_RUNNING_MASK) != 0;
    result->stopping = (status & WEFT_STATUS_STOPPING_MASK) != 0;
    result->done = (status & WEFT_STATUS_DONE_MASK) != 0;
    result->fault = (status & WEFT_STATUS_FAULT_MASK) != 0;
    result->bus_error = (status & WEFT_STATUS_BUS_ERROR_MASK) != 0;
    result->exit_valid = (status & WEFT_STATUS_EXIT_VALID_MASK) != 0;
    result->exit_code = result->exit_valid ? get(core, WEFT_EXIT_CODE) : 0;
    result->exit_hart = result->exit_valid ? get(core, WEFT_EXIT_HART) : 0;
    result->fault_cause = get(core, WEFT_FAULT_CAUSE);
    result->fault_pc = get(core, WEFT_FAULT_PC);
    result->fault_warp = (thread & WEFT_FAULT_THREAD_WARP_MASK) >> WEFT_FAULT_THREAD_WARP_BIT;
    result->fault_lane = (thread & WEFT_FAULT_THREAD_LANE_MASK) >> WEFT_FAULT_THREAD_LANE_BIT;
    result->fault_address = get(core, WEFT_FAULT_ADDRESS);
    result->bus_error_address = get(core, WEFT_BUS_ERROR_ADDRESS);
    result->cycles = counter(core, WEFT_CYCLES, WEFT_CYCLES_HIGH);
    result->instructions = counter(core, WEFT_INSTRUCTIONS, WEFT_INSTRUCTIONS_HIGH);
    result->thread_instructions = counter(core, WEFT_THREAD_INSTRUCTIONS, WEFT_THREAD_INSTRUCTIONS_HIGH);
    result->stalls.write_port = counter(core, WEFT_STALLS_WRITE_PORT, WEFT_STALLS_WRITE_PORT_HIGH);
    result->stalls.place = counter(core, WEFT_STALLS_PLACE, WEFT_STALLS_PLACE_HIGH);
    result->stalls.result = counter(core, WEFT_STALLS_RESULT, WEFT_STALLS_RESULT_HIGH);
    result->stalls.spacing = counter(core, WEFT_STALLS_SPACING, WEFT_STALLS_SPACING_HIGH);
    result->stalls.fetch = counter(core, WEFT_STALLS_FETCH, WEFT_STALLS_FETCH_HIGH);
    result->stalls.parked = counter(core, WEFT_STALLS_PARKED, WEFT_STALLS_PARKED_HIGH);
}

/* The first status of a core that has stopped, or the last of `polls`. */
static uint32_t last_status(struct weft *core, uint32_t polls)
{
    uint32_t status = get(core, WEFT_STATUS);
    while (is_busy(status) && polls-- > 1)
        status = get(core, WEFT_STATUS);
    return status;
}

int weft_wait(struct weft *core, uint32_t polls, struct weft_result *result)
{
    uint32_t status = last_status(core, polls);
    report(core, status, result);
    return is_busy(status) ? WEFT_TIMEOUT : WEFT_OK;
}

int weft_stop(struct weft *core, uint32_t polls)
{
    set(core, WEFT_CONTROL, WEFT_CONTROL_STOP_MASK);
    return is_busy(last_status(core, polls)) ? WEFT_TIMEOUT : WEFT_OK;
}

int weft_path(struct weft *core, uint32_t warp, uint32_t slot, struct weft_path *path)
{
    uint32_t at = WEFT_PATHS + warp * WEFT_PATHS_WARP + slot * WEFT_PATHS_SLOT, state;
    if (!(get(core, WEFT_SHAPE) & WEFT_SHAPE_PATHS_MASK) || warp >= core->warps || slot > 1)
        return WEFT_NO_PATHS;
    if (is_busy(get(core, WEFT_STATUS)))
        return WEFT_BUSY;
    state = get(core, at + WEFT_PATH_STATE);
    path->valid = (state & WEFT_PATH_STATE_VALID_MASK) != 0;
    path->parked = (state & WEFT_PATH_STATE_PARKED_MASK) != 0;
    path->pc = get(core, at + WEFT_PATH_PC);
    path->mask = (uint64_t)get(core, at + WEFT_PATH_MASK_HIGH) << 32 | get(core, at + WEFT_PATH_MASK);
    return WEFT_OK;
}

void weft_interrupt(struct weft *core, int enable)
{
    set(core, WEFT_INTERRUPT, WEFT_INTERRUPT_PENDING_MASK | (enable ? WEFT_INTERRUPT_ENABLE_MASK : 0));
}

uint32_t weft_console(struct weft *core, char *text, uint32_t bytes)
{
    uint32_t count = 0, found;
    while (count < bytes && (found = get(core, WEFT_CONSOLE)) & WEFT_CONSOLE_VALID_MASK)
        text[count++] = (char)(found & WEFT_CONSOLE_DATA_MASK);
    return count;
}

const char *weft_error_text(int error)
{
    static const char *const texts[] = {
        "no error",
        "there is no Weft core with a control port at this address",
        "the registers of the core are of another version than weft_registers.h",
        "not a whole 32-bit little-endian ELF executable, or without this symbol",
        "an executable of another machine than RISC-V",
        "an address outside the RAM of the core",
        "the entry of the executable is no multiple of 4 in RAM",
        "the core is running or stopping: wait for it or stop it first",
        "no program is loaded",
        "a write to .bss, which the program clears when it starts: declare the buffer WEFT_HOST",
        "the core has not stopped",
        "the core refused the start",
        "memory could not be read or written",
        "the core reads a reconvergence table, and the executable has none: weft image --format elf adds it",
        "the core has no such warp or slot, or does not show its paths: control.paths",
        "no device of an interrupt is open, or it fails: weft_linux_interrupt",
    };
    return error >= 0 && error < (int)(sizeof texts / sizeof *texts) ? texts[error] : "an unknown error";
}
