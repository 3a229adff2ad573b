// The effect of one instruction on one thread: RV32I, Zicsr and Zifencei by the RISC-V manual (volume I, 20191213), and
// the machine that docs/manual/kernels.md describes. It is written from those documents alone, and shares nothing with
// the core or the golden model.
module spec (
    input  wire [31:0] insn,
    input  wire [31:0] pc,
    input  wire [31:0] rs1,
    input  wire [31:0] rs2,
    input  wire [31:0] hart,
    input  wire [31:0] path_mask,

    // kind of the instruction
    output wire        is_upper,
    output wire        is_arithmetic,
    output wire        is_jump,
    output wire        is_branch,
    output wire        is_load,
    output wire        is_store,
    output wire        is_fence,
    output wire        is_csr,
    output wire        may_fault,
    output wire        uses_rs1,
    output wire        uses_rs2,

    // effect of the instruction
    output wire [4:0]  rd,              // 0: no register
    output wire [31:0] rd_value,        // except for loads from RAM
    output wire        rd_is_any,       // a counter
    output wire [31:0] next_pc,
    output wire [31:0] address,
    output wire        at_console,
    output wire        parks,
    output wire        ends,
    output wire [31:0] exit_code,
    output wire        faults,
    output wire [3:0]  cause
);
    localparam [31:0] RAM = 32'h8000_0000;
    localparam [31:0] CONSOLE = 32'h1000_0000;

    function in_ram(input [31:0] at);
        in_ram = at >= RAM && at - RAM < `RAM_BYTES;
    endfunction

    wire [2:0] funct3 = insn[14:12];
    wire [6:0] funct7 = insn[31:25];
    wire [31:0] i_immediate = {{20{insn[31]}}, insn[31:20]};
    wire [31:0] s_immediate = {{20{insn[31]}}, insn[31:25], insn[11:7]};
    wire [31:0] b_immediate = {{19{insn[31]}}, insn[31], insn[7], insn[30:25], insn[11:8], 1'b0};
    wire [31:0] u_immediate = {insn[31:12], 12'd0};
    wire [31:0] j_immediate = {{11{insn[31]}}, insn[31], insn[19:12], insn[20], insn[30:21], 1'b0};

    wire is_lui = insn[6:0] == 7'b0110111;
    wire is_auipc = insn[6:0] == 7'b0010111;
    wire is_jal = insn[6:0] == 7'b1101111;
    wire is_jalr = insn[6:0] == 7'b1100111 && funct3 == 3'b000;
    wire is_shift = funct3 == 3'b001 || funct3 == 3'b101;
    wire is_plain = funct7 == 7'b0000000;
    wire is_other = funct7 == 7'b0100000;    // sub, sra, srai
    wire is_op =
        insn[6:0] == 7'b0110011 && (is_plain || (is_other && (funct3 == 3'b000 || funct3 == 3'b101)));
    wire is_op_imm =
        insn[6:0] == 7'b0010011 && (!is_shift || is_plain || (is_other && funct3 == 3'b101));
    wire is_ecall = insn == 32'h0000_0073;
    wire is_ebreak = insn == 32'h0010_0073;
    assign is_upper = is_lui || is_auipc;
    assign is_arithmetic = is_op || is_op_imm;
    assign is_jump = is_jal || is_jalr;
    assign is_branch = insn[6:0] == 7'b1100011 && funct3[2:1] != 2'b01;
    assign is_load = insn[6:0] == 7'b0000011 && funct3 != 3'b011 && funct3 < 3'b110;
    assign is_store = insn[6:0] == 7'b0100011 && funct3 < 3'b011;
    assign is_fence = insn[6:0] == 7'b0001111 && funct3 < 3'b010;

    // Control and status registers: an instruction writes unless it sets or clears no bits.
    wire [11:0] csr = insn[31:20];
    wire csr_writes = funct3[1:0] == 2'b01 || insn[19:15] != 5'd0;
    wire is_exit = csr == 12'h800;
    wire is_barrier = csr == 12'h801;
    wire is_counter =
        csr == 12'hb00 || csr == 12'hb80 || csr == 12'hb02 || csr == 12'hb82 ||
        csr == 12'hc00 || csr == 12'hc80 || csr == 12'hc01 || csr == 12'hc81 || csr == 12'hc02 || csr == 12'hc82 ||
        csr == 12'hcc5 || csr == 12'hcc8 || csr == 12'hcc6 || csr == 12'hcc9;
    // These belong to the warp or the path: any value is allowed.
    wire is_level = csr == 12'h802;
    wire is_of_path = csr >= 12'h802 && csr <= 12'h804;
    wire replaces = funct3[1:0] == 2'b01 && (funct3[2] || csr != 12'h803);
    wire is_readable = csr == 12'hf14 || (csr >= 12'hcc0 && csr <= 12'hcc4) || is_counter;
    wire is_allowed = is_exit || is_barrier || (is_readable && !csr_writes) || (is_of_path && (replaces || !csr_writes));
    assign is_csr = insn[6:0] == 7'b1110011 && funct3[1:0] != 2'b00 && is_allowed;
    wire [31:0] csr_value =
        csr == 12'hf14 ? hart :
        csr == 12'hcc0 ? `THREADS :
        csr == 12'hcc1 ? `WARPS :
        csr == 12'hcc2 ? path_mask :
        csr == 12'hcc3 ? RAM + `RAM_BYTES - (`WARPS * `THREADS - 1 - hart) * `STACK_BYTES :
        32'd0;
    wire [31:0] csr_operand = funct3[2] ? {27'd0, insn[19:15]} : rs1;
    assign parks = is_csr && is_barrier && csr_writes;
    assign ends = is_csr && is_exit && csr_writes;
    assign exit_code = funct3[1:0] == 2'b11 ? 32'd0 : csr_operand;
    assign rd_is_any = is_csr && (is_counter || is_of_path);
    // Illegal if a thread of the warp waits at the barrier, of which the thread knows nothing.
    assign may_fault = is_csr && is_level && csr_writes;

    // Arithmetic.
    wire [31:0] operand = is_op ? rs2 : i_immediate;
    wire [4:0] amount = operand[4:0];
    wire alternate = insn[30] && (is_op || is_shift);
    wire [31:0] shifted_in_sign = $signed(rs1) >>> amount;
    reg [31:0] result;
    always @*
        case (funct3)
            3'b000: result = alternate ? rs1 - operand : rs1 + operand;
            3'b001: result = rs1 << amount;
            3'b010: result = $signed(rs1) < $signed(operand);
            3'b011: result = rs1 < operand;
            3'b100: result = rs1 ^ operand;
            3'b101: result = alternate ? shifted_in_sign : rs1 >> amount;
            3'b110: result = rs1 | operand;
            3'b111: result = rs1 & operand;
        endcase

    // Jumps and branches.
    reg taken;
    always @*
        case (funct3)
            3'b000: taken = rs1 == rs2;
            3'b001: taken = rs1 != rs2;
            3'b100: taken = $signed(rs1) < $signed(rs2);
            3'b101: taken = $signed(rs1) >= $signed(rs2);
            3'b110: taken = rs1 < rs2;
            default: taken = rs1 >= rs2;
        endcase
    wire [31:0] jalr_target = rs1 + i_immediate;
    assign next_pc =
        is_jal ? pc + j_immediate :
        is_jalr ? {jalr_target[31:1], 1'b0} :
        is_branch && taken ? pc + b_immediate :
        pc + 32'd4;

    // Memory.
    assign address = rs1 + (is_store ? s_immediate : i_immediate);
    wire is_access = is_load || is_store;
    wire misaligned = (funct3[1:0] == 2'b01 && address[0]) || (funct3[1:0] == 2'b10 && address[1:0] != 2'b00);
    assign at_console = is_access && address == CONSOLE;
    wire unmapped = !in_ram(address) && address != CONSOLE;

    // Faults.
    wire legal = is_upper || is_arithmetic || is_jump || is_branch || is_access || is_fence || is_csr;
    wire [4:0] fault =
        !in_ram(pc) ? 5'd1 :
        is_ecall ? 5'd11 :
        is_ebreak ? 5'd3 :
        !legal ? 5'd2 :
        next_pc[1:0] != 2'b00 ? 5'd0 :
        is_access && misaligned ? (is_store ? 5'd6 : 5'd4) :
        is_access && unmapped ? (is_store ? 5'd7 : 5'd5) :
        5'd16;
    assign faults = fault != 5'd16;
    assign cause = faults ? fault[3:0] : 4'd2;

    assign uses_rs1 = is_op || is_op_imm || is_jalr || is_branch || is_access || (is_csr && !funct3[2]);
    assign uses_rs2 = is_op || is_branch || is_store;
    assign rd = is_branch || is_store || is_fence ? 5'd0 : insn[11:7];
    assign rd_value =
        is_lui ? u_immediate :
        is_auipc ? pc + u_immediate :
        is_jump ? pc + 32'd4 :
        is_csr ? csr_value :
        is_load ? 32'd0 :
        result;
endmodule
