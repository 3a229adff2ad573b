// Clocks the system and prints its console. It accepts console bytes in two of three cycles only, so that the cores have to
// wait.

#include "Vsoc.h"
#include "verilated.h"
#include <cstdio>

int main(int count, char** arguments) {
    Verilated::commandArgs(count, arguments);
    Vsoc soc;
    for (long cycle = 0; cycle < 1000000; ++cycle) {
        soc.rst = cycle < 2;
        soc.tx_ready = cycle % 3 != 0;
        soc.clk = 0;
        soc.eval();
        if (!soc.rst && soc.tx_valid && soc.tx_ready) std::putchar(soc.tx_data);
        if (!soc.rst && (soc.done || soc.error)) {
            std::fprintf(stderr, "%s after %u cycles\n", soc.error ? "error" : "done", static_cast<unsigned>(soc.cycles));
            return soc.error ? 1 : 0;
        }
        soc.clk = 1;
        soc.eval();
    }
    std::fprintf(stderr, "no end after a million cycles\n");
    return 1;
}
