// VexRiscv behind the ports of the yardstick: a Wishbone port for instructions and one for data. Interrupts are tied to 0.
//
// The caches read lines of 8 words in incrementing bursts: fetch_more and data_more say that another word follows.

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
    localparam INCREMENTING = 3'b010;

    wire fetch_cycle, fetch_strobe, data_cycle, data_strobe;
    wire [2:0] fetch_type, data_type;

    VexRiscv core (
        .clk(clk),
        .reset(rst),
        .externalResetVector(32'h40000000),
        .timerInterrupt(1'b0),
        .softwareInterrupt(1'b0),
        .externalInterruptArray(32'b0),
        .iBusWishbone_CYC(fetch_cycle),
        .iBusWishbone_STB(fetch_strobe),
        .iBusWishbone_ACK(fetch_ready),
        .iBusWishbone_ADR(fetch_address[31:2]),
        .iBusWishbone_DAT_MISO(fetch_word),
        .iBusWishbone_ERR(1'b0),
        .iBusWishbone_CTI(fetch_type),
        .dBusWishbone_CYC(data_cycle),
        .dBusWishbone_STB(data_strobe),
        .dBusWishbone_ACK(data_ready),
        .dBusWishbone_WE(data_write),
        .dBusWishbone_ADR(data_address[31:2]),
        .dBusWishbone_DAT_MISO(data_word),
        .dBusWishbone_DAT_MOSI(data_written),
        .dBusWishbone_SEL(data_mask),
        .dBusWishbone_ERR(1'b0),
        .dBusWishbone_CTI(data_type)
    );

    assign fetch_valid = fetch_cycle && fetch_strobe;
    assign fetch_more = fetch_type == INCREMENTING;
    assign fetch_address[1:0] = 2'b0;
    assign data_valid = data_cycle && data_strobe;
    assign data_more = data_type == INCREMENTING;
    assign data_early = 1'b0;
    assign data_is_fetch = 1'b0;
    assign data_address[1:0] = 2'b0;
endmodule
