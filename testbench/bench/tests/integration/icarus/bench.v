// Runs a core in a four-state simulator: one clock edge of reset, then until `done`. `system` is the core with its
// memory; there is one file for each kind of memory. Prints the core's console and, at the end, on separate lines:
//
//   #cycles N     clock edges between the one that ended reset and the one that saw `done`
//   #unknown N    edges at which an output with a meaning was X or Z
`timescale 1ns / 1ps

module bench;
    reg clk = 1'b0;
    reg rst = 1'b1;
    always #5 clk = ~clk;

    wire       console_valid;
    wire [7:0] console_data;
    wire       done;
    wire       error_valid;
    // Whether the system sees an unknown output.
    wire       unknown;
    system system (
        .clk           (clk),
        .rst           (rst),
        .console_valid (console_valid),
        .console_data  (console_data),
        .done          (done),
        .error_valid   (error_valid),
        .unknown       (unknown)
    );

    wire unknown_here = (^{console_valid, done, error_valid}) === 1'bx || (console_valid && (^console_data) === 1'bx);
    integer cycles = 0;
    integer unknowns = 0;

    always @(posedge clk) begin
        if (rst) begin
            rst <= 1'b0;
        end else begin
            cycles <= cycles + 1;
            if (unknown !== 1'b0 || unknown_here !== 1'b0) unknowns = unknowns + 1;
            if (console_valid === 1'b1) $write("%c", console_data);
            if (done === 1'b1 || error_valid === 1'b1 || unknowns > 20 || cycles > `MOST_CYCLES) begin
                if (error_valid !== 1'b0) $write("\n#error");
                $display("\n#cycles %0d\n#unknown %0d", cycles, unknowns);
                system.dump;
                $finish;
            end
        end
    end
endmodule
