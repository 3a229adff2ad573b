// PicoRV32 behind the ports of the yardstick. One port serves instructions and data.
//
// The memory reads the address from the look-ahead interface, a cycle before mem_valid: data_early. Counters are left out,
// because the kernels do not read them; all other parameters keep their defaults, unless WITH_M is defined.

module scalar (
    input         clk,
    input         rst,

    output        fetch_valid,
    output        fetch_more,
    output [31:0] fetch_address,
    input         fetch_ready,
    input  [31:0] fetch_word,

    output        data_valid,
    output        data_more,
    output        data_early,
    output        data_is_fetch,
    output        data_write,
    output [31:0] data_address,
    output  [3:0] data_mask,
    output [31:0] data_written,
    input         data_ready,
    input  [31:0] data_word
);
    wire [3:0] strobe;

    picorv32 #(
        .ENABLE_COUNTERS(0),
        .ENABLE_COUNTERS64(0),
`ifdef WITH_M
        .ENABLE_FAST_MUL(1),
        .ENABLE_DIV(1),
`endif
        .PROGADDR_RESET(32'h40000000)
    ) core (
        .clk(clk),
        .resetn(!rst),
        .mem_valid(data_valid),
        .mem_instr(data_is_fetch),
        .mem_ready(data_ready),
        .mem_addr(data_address),
        .mem_wdata(data_written),
        .mem_wstrb(strobe),
        .mem_rdata(data_word),
        .pcpi_wr(1'b0),
        .pcpi_rd(32'b0),
        .pcpi_wait(1'b0),
        .pcpi_ready(1'b0),
        .irq(32'b0)
    );

    assign fetch_valid = 1'b0;
    assign fetch_more = 1'b0;
    assign fetch_address = 32'b0;
    assign data_more = 1'b0;
    assign data_early = 1'b1;
    assign data_write = |strobe;
    assign data_mask = strobe;
endmodule
