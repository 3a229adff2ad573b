// A divergence unit as a user would write it. The active path has all threads at the pc of the lowest runnable lane.
//
//     weft cosim program.elf --set divergence.unit=verilog --set divergence.file=examples/unit/lowest_lane.v \
//         --set divergence.module=lowest_lane
//
// It needs at least two warps: with one there are no ports for the number of a warp. It has no time slices, so a lane that
// spins on a higher lane spins forever. It is not optimised for speed: it chooses the path twice, for S7 and for S8, in one
// cycle.

`default_nettype none

module lowest_lane #(
    parameter WARPS = 8,
    parameter THREADS = 8,
    parameter [31:0] RESET_PC = 32'h8000_0000
) (
    input  wire                     clk,

    // after reset, one warp per cycle: all its threads live at the reset pc
    input  wire                     start_valid,
    input  wire [$clog2(WARPS)-1:0] start_warp,
    // a thread waits at the barrier if it was parked in this generation of its warp
    input  wire [WARPS-1:0]         generation,

    // the warps of the instructions in S6 and S7
    input  wire [$clog2(WARPS)-1:0] warp_s6,
    input  wire [$clog2(WARPS)-1:0] warp_s7,

    // effect of the instruction in S8: threads a go to a_pc, threads b to b_pc, others of its path have ended
    input  wire                     valid_s8,
    input  wire [$clog2(WARPS)-1:0] warp_s8,
    input  wire [29:0]              a_pc_s8,
    input  wire [7:0]               a_depth_s8,
    input  wire [THREADS-1:0]       a_mask_s8,
    input  wire                     a_parked_s8,
    input  wire [29:0]              b_pc_s8,
    input  wire [7:0]               b_depth_s8,
    input  wire [THREADS-1:0]       b_mask_s8,
    input  wire [THREADS-1:0]       exit_mask_s8,

    // the active path of the warp in S7, after all instructions that have passed S8
    output wire                     valid_s7,
    output wire [29:0]              pc_s7,
    output wire [7:0]               depth_s7,
    output wire [THREADS-1:0]       mask_s7,
    output wire                     parked_s7,

    // the active path of the warp in S8, after its instruction
    output wire                     valid_x,
    output wire [29:0]              pc_x,
    output wire [7:0]               depth_x,
    output wire [THREADS-1:0]       mask_x,
    output wire                     parked_x
);

    // A thread has these fields: alive, parked, generation of parking, call depth, pc.
    localparam BITS = 1 + 1 + 1 + 8 + 30;

    // The row of a warp is read in S7 and replaced in S8. Instructions of one warp are two cycles apart.
    (* RAM_STYLE = "distributed" *)
    reg  [THREADS*BITS-1:0] rows [0:WARPS-1];
    wire [THREADS*BITS-1:0] row_s7 = rows[warp_s7];
    reg  [THREADS*BITS-1:0] row_s8;
    reg  [THREADS*BITS-1:0] updated;
    integer lane;

    // Units that read paths from a table use this port.
    wire unused = &{1'b0, warp_s6};

    always @* begin
        updated = row_s8;
        for (lane = 0; lane < THREADS; lane = lane + 1) begin
            if (a_mask_s8[lane])
                updated[lane*BITS +: BITS] = {1'b1, a_parked_s8, generation[warp_s8], a_depth_s8, a_pc_s8};
            if (b_mask_s8[lane])
                updated[lane*BITS +: BITS] = {1'b1, 1'b0, generation[warp_s8], b_depth_s8, b_pc_s8};
            if (exit_mask_s8[lane])
                updated[lane*BITS +: BITS] = {BITS{1'b0}};
        end
    end

    always @(posedge clk) begin
        row_s8 <= row_s7;
        if (start_valid)
            rows[start_warp] <= {THREADS{3'b100, 8'd0, RESET_PC[31:2]}};
        else if (valid_s8)
            rows[warp_s8] <= updated;
    end

    lowest_lane_path #(.THREADS(THREADS)) in_s7 (
        .row(row_s7), .generation(generation[warp_s7]),
        .valid(valid_s7), .pc(pc_s7), .depth(depth_s7), .mask(mask_s7), .parked(parked_s7)
    );

    lowest_lane_path #(.THREADS(THREADS)) in_s8 (
        .row(updated), .generation(generation[warp_s8]),
        .valid(valid_x), .pc(pc_x), .depth(depth_x), .mask(mask_x), .parked(parked_x)
    );

endmodule

// The path of a row: the path of the lowest thread that lives and does not wait, else of the lowest that lives.
module lowest_lane_path #(
    parameter THREADS = 8
) (
    input  wire [THREADS*41-1:0] row,
    input  wire                  generation,
    output reg                   valid,
    output reg  [29:0]           pc,
    output reg  [7:0]            depth,
    output reg  [THREADS-1:0]    mask,
    output reg                   parked
);

    reg [THREADS-1:0] lives, waits;
    integer lane;

    always @* begin
        for (lane = 0; lane < THREADS; lane = lane + 1) begin
            lives[lane] = row[lane*41 + 40];
            waits[lane] = row[lane*41 + 39] & row[lane*41 + 38] == generation;
        end
        valid = |lives;
        parked = ~|(lives & ~waits);
        {depth, pc} = 38'd0;
        for (lane = THREADS - 1; lane >= 0; lane = lane - 1)
            if (lives[lane] & waits[lane] == parked)
                {depth, pc} = row[lane*41 +: 38];
        for (lane = 0; lane < THREADS; lane = lane + 1)
            mask[lane] = lives[lane] & waits[lane] == parked & row[lane*41 +: 38] == {depth, pc};
    end

endmodule

`default_nettype wire
