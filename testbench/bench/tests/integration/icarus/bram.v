// `memory.kind` = "bram": the core holds its memory.
module system (
    input  wire       clk,
    input  wire       rst,
    output wire       console_valid,
    output wire [7:0] console_data,
    output wire       done,
    output wire       error_valid,
    output wire       unknown
);
    weft_core dut (
        .clk           (clk),
        .rst           (rst),
        .console_valid (console_valid),
        .console_ready (1'b1),
        .console_data  (console_data),
        .done          (done),
        .error_valid   (error_valid)
    );
    assign unknown = 1'b0;

    // The banks of memory: one for each thread.
`include "dump.v"
endmodule
