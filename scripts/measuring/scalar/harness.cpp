// Runs a program on a scalar core behind the memory of the yardstick, and prints its cycles and its exit code as JSON.
//
//   harness IMAGE FETCH_LATENCY DATA_LATENCY MOST_CYCLES
//
// A read is answered L cycles after the request, the further words of a burst in the cycles after it. A store is accepted at
// once, as by the memory of `weft cosim`. Cycles count from the release of reset to the store that ends the program.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "Vscalar.h"

namespace {

constexpr uint32_t RAM = 0x40000000, RAM_BYTES = 16 << 20, END = 0xf0000000;
constexpr int RESET_CYCLES = 4;

std::vector<uint32_t> ram(RAM_BYTES / 4);

uint32_t read(uint32_t address) {
    return address - RAM < RAM_BYTES ? ram[(address - RAM) / 4] : 0;
}

void write(uint32_t address, uint32_t mask, uint32_t value) {
    if (address - RAM >= RAM_BYTES) return;
    uint32_t bits = 0;
    for (int byte = 0; byte < 4; byte++)
        if (mask >> byte & 1) bits |= 0xffu << 8 * byte;
    uint32_t &word = ram[(address - RAM) / 4];
    word = (word & ~bits) | (value & bits);
}

// A port of the core, with one request at a time.
class Port {
public:
    // Whether the request of this cycle is answered in it. Call it once per cycle.
    bool answers(bool valid, bool more, bool write, bool early, unsigned latency) {
        if (!valid) {
            age = 0;
            return false;
        }
        if (!write && !in_burst && age + early < latency) {
            age++;
            return false;
        }
        age = 0;
        in_burst = more;
        return true;
    }

private:
    unsigned age = 0;
    bool in_burst = false;
};

}  // namespace

int main(int count, char **words) {
    if (count != 5) return 2;
    std::ifstream image(words[1], std::ios::binary);
    if (!image) return 2;
    image.read(reinterpret_cast<char *>(ram.data()), RAM_BYTES);
    const unsigned fetch_latency = std::atoi(words[2]), data_latency = std::atoi(words[3]);
    const long most = std::atol(words[4]);

    Vscalar core;
    Port fetch, data;
    core.rst = 1;
    for (long cycle = -RESET_CYCLES; cycle < most; cycle++) {
        core.rst = cycle < 0;
        core.clk = 0;
        core.eval();
        core.fetch_ready = !core.rst && fetch.answers(core.fetch_valid, core.fetch_more, false, false, fetch_latency);
        core.fetch_word = read(core.fetch_address);
        core.data_ready = !core.rst && data.answers(core.data_valid, core.data_more, core.data_write, core.data_early,
                                                    core.data_is_fetch ? fetch_latency : data_latency);
        core.data_word = read(core.data_address);
        if (core.data_ready && core.data_write) {
            if (core.data_address == END) {
                std::printf("{\"cycles\": %ld, \"code\": %u}\n", cycle + 1, core.data_written);
                return 0;
            }
            write(core.data_address, core.data_mask, core.data_written);
        }
        core.eval();
        core.clk = 1;
        core.eval();
    }
    std::printf("{\"cycles\": %ld, \"code\": null}\n", most);
}
