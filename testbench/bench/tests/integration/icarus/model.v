// `memory.kind` = "model": memory next to the core that accepts a request in every cycle and answers in the next
// cycle. Words never written are X.
module system (
    input  wire       clk,
    input  wire       rst,
    output wire       console_valid,
    output wire [7:0] console_data,
    output wire       done,
    output wire       error_valid,
    output wire       unknown
);
    localparam [31:0] BASE = 32'h80000000;
    localparam        ADDRESS_BITS = 16;
    localparam        WORDS = 1 << (ADDRESS_BITS - 2);
    localparam [3:0]  LOAD = 0, STORE = 1, LR = 2, SC = 3, SWAP = 4, ADD = 5, XOR = 6, AND = 7, OR = 8, MIN = 9, MAX = 10,
                      MINU = 11, MAXU = 12;

    reg  [31:0] memory [0:WORDS - 1];
`include "fetch.v"

    wire                        dmem_req_valid;
    wire [3:0]                  dmem_req_op;
    wire [31:0]                 dmem_req_addr;
    wire [`TAG_BITS - 1:0]      dmem_req_tag;
    wire [`HART_BITS - 1:0]     dmem_req_hart;
    wire [32 * `THREADS - 1:0]  dmem_req_data;
    wire [4 * `THREADS - 1:0]   dmem_req_mask;
    reg                         dmem_rsp_valid = 1'b0;
    reg  [`TAG_BITS - 1:0]      dmem_rsp_tag;
    reg  [32 * `THREADS - 1:0]  dmem_rsp_data;
    weft_core dut (
        .clk                    (clk),
        .rst                    (rst),
        .imem_req_valid         (imem_req_valid),
        .imem_req_ready         (1'b1),
        .imem_req_addr          (imem_req_addr),
        .imem_rsp_valid         (imem_rsp_valid),
        .imem_rsp_data          (imem_rsp_data),
`ifdef RECONVERGES
        .imem_rsp_reconvergence (imem_rsp_reconvergence),
`endif
        .dmem_req_valid         (dmem_req_valid),
        .dmem_req_ready         (1'b1),
        .dmem_req_op            (dmem_req_op),
        .dmem_req_addr          (dmem_req_addr),
        .dmem_req_tag           (dmem_req_tag),
        .dmem_req_hart          (dmem_req_hart),
        .dmem_req_data          (dmem_req_data),
        .dmem_req_mask          (dmem_req_mask),
        .dmem_rsp_valid         (dmem_rsp_valid),
        .dmem_rsp_tag           (dmem_rsp_tag),
        .dmem_rsp_data          (dmem_rsp_data),
        .console_valid          (console_valid),
        .console_ready          (1'b1),
        .console_data           (console_data),
        .done                   (done),
        .error_valid            (error_valid)
    );

    // The address of each reservation, by hart.
    reg  [31:0] reserved [0:`HARTS - 1];
    reg  [31:0] word;
    reg  [31:0] operand;
    reg  [31:0] address;
    integer     lane, bit_number, hart;

    // The result of an atomic operation in its word.
    function [31:0] replaced(input [3:0] op, input [31:0] old, input [31:0] by);
        case (op)
            SWAP, SC: replaced = by;
            ADD: replaced = old + by;
            XOR: replaced = old ^ by;
            AND: replaced = old & by;
            OR: replaced = old | by;
            MIN: replaced = $signed(old) < $signed(by) ? old : by;
            MAX: replaced = $signed(old) < $signed(by) ? by : old;
            MINU: replaced = old < by ? old : by;
            MAXU: replaced = old < by ? by : old;
            default: replaced = 32'bx;
        endcase
    endfunction

    task end_reservations;
        for (hart = 0; hart < `HARTS; hart = hart + 1) if (reserved[hart] === address) reserved[hart] = 32'd0;
    endtask

    initial for (hart = 0; hart < `HARTS; hart = hart + 1) reserved[hart] = 32'd0;

    always @(posedge clk) begin
        dmem_rsp_valid <= dmem_req_valid & dmem_req_op != STORE & ~rst;
        dmem_rsp_tag   <= dmem_req_tag;
        if (dmem_req_valid === 1'b1 && !rst) begin
            for (lane = 0; lane < `THREADS; lane = lane + 1) begin
                address = dmem_req_addr + 4 * lane;
                word    = memory[address[ADDRESS_BITS - 1:2]];
                operand = dmem_req_data[32 * lane +: 32];
                dmem_rsp_data[32 * lane +: 32] <= word;
                if (dmem_req_op == STORE) begin
                    if (dmem_req_mask[4 * lane +: 4] != 4'd0) end_reservations;
                    for (bit_number = 0; bit_number < 32; bit_number = bit_number + 1)
                        if (dmem_req_mask[4 * lane + bit_number / 8]) word[bit_number] = operand[bit_number];
                    memory[address[ADDRESS_BITS - 1:2]] = word;
                end else if (dmem_req_op != LOAD && dmem_req_mask[4 * lane]) begin
                    if (dmem_req_op == LR) begin
                        reserved[dmem_req_hart] = address;
                    end else if (dmem_req_op == SC && reserved[dmem_req_hart] !== address) begin
                        dmem_rsp_data[32 * lane +: 32] <= 32'd1;
                        reserved[dmem_req_hart] = 32'd0;
                    end else begin
                        if (dmem_req_op == SC) dmem_rsp_data[32 * lane +: 32] <= 32'd0;
                        end_reservations;
                        memory[address[ADDRESS_BITS - 1:2]] = replaced(dmem_req_op, word, operand);
                    end
                end
            end
        end
    end

    // The written bytes of a store, or the operand of an atomic operation.
    reg [32 * `THREADS - 1:0] written;
    integer                   byte_number;
    always @* begin
        for (byte_number = 0; byte_number < 4 * `THREADS; byte_number = byte_number + 1)
            written[8 * byte_number +: 8] = dmem_req_data[8 * byte_number +: 8] & {8{dmem_req_mask[byte_number]}};
        if (dmem_req_op == LOAD || dmem_req_op == LR) written = 0;
    end
    assign unknown =
        (^{imem_req_valid, dmem_req_valid}) === 1'bx || (imem_req_valid && (^imem_req_addr) === 1'bx) ||
        (dmem_req_valid && (^{dmem_req_op, dmem_req_addr, dmem_req_mask, written}) === 1'bx) ||
        (dmem_req_valid && dmem_req_op != STORE && (^dmem_req_tag) === 1'bx);
endmodule
