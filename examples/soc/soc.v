// Two cores, each with its own memory and program, one console, and a timer: an example of manual integration.

`default_nettype none

module soc (
    input  wire        clk,
    input  wire        rst,      // synchronous, high for at least one clock edge

    output wire        tx_valid, // a console byte, transferred when tx_ready is high too
    input  wire        tx_ready,
    output wire [7:0]  tx_data,

    output wire        done,     // both cores have ended
    output wire [1:0]  error,    // which cores have halted on a fault
    output wire [31:0] cycles    // from reset until both were done or one had failed
);

    // The cores have the same Verilog and the same initial memory (weft_core_*.hex). A core waits while its console_ready is
    // low, without losing bytes.
    wire [1:0] console_valid;
    wire [1:0] console_ready;
    wire [7:0] console_data [0:1];
    wire [1:0] core_done;

    genvar n;
    generate
        for (n = 0; n < 2; n = n + 1) begin : core
            weft_core weft (
                .clk           (clk),
                .rst           (rst),
                .console_valid (console_valid[n]),
                .console_ready (console_ready[n]),
                .console_data  (console_data[n]),
                .done          (core_done[n]),
                .error_valid   (error[n]),
                .error_cause   (),
                .error_pc      (),
                .error_warp    (),
                .error_lane    (),
                .error_address (),
                .exit_valid    (),
                .exit_code     (),
                .exit_hart     ()
            );
        end
    endgenerate

    // The console switches between cores at the end of a line, or while no line has begun: lines stay whole. A core that has
    // ended or failed prints no more, so its last line ends there.
    reg        owner;
    reg        in_line;
    wire       taken = tx_valid & tx_ready;
    wire       ended = core_done[owner] | error[owner];
    wire       next_owner = console_valid[~owner];
    assign tx_valid = console_valid[owner];
    assign tx_data = console_data[owner];
    assign console_ready = {owner & tx_ready, ~owner & tx_ready};

    always @(posedge clk) begin
        if (rst) begin
            owner <= 1'b0;
            in_line <= 1'b0;
        end else if (taken) begin
            in_line <= tx_data != 8'h0a;
            if (tx_data == 8'h0a) owner <= owner ^ next_owner;
        end else if (~tx_valid & (~in_line | ended)) begin
            in_line <= 1'b0;
            owner <= owner ^ next_owner;
        end
    end

    // The timer. `done` and `error` stay high until reset.
    reg [31:0] timer;
    assign done = &core_done;
    assign cycles = timer;

    always @(posedge clk) begin
        if (rst) timer <= 32'd0;
        else if (~done & ~|error) timer <= timer + 32'd1;
    end
endmodule

`default_nettype wire
