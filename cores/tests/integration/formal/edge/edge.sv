// The core between memories that answer arbitrarily, within the contract of its ports, with checks of an arbitrary
// thread. Outputs `bad_…` must never be 1. Outputs `seen_…` must be able to become 1.
module edge (
    input wire clk,
    // behaviour of memories and console
    input wire fetch_is_taken,
    input wire [31:0] fetched,
    input wire [31:0] reconvergence,
    input wire request_is_taken,
    input wire answers,
    input wire [`TAG_BITS-1:0] answered_tag,
    input wire [32*`THREADS-1:0] answer,
    input wire console_is_ready,
    // values read from registers that are not watched
    input wire [32*`THREADS-1:0] other_rs1,
    input wire [32*`THREADS-1:0] other_rs2,

    output wire bad_upper,
    output wire bad_arithmetic,
    output wire bad_jump,
    output wire bad_branch,
    output wire bad_load,
    output wire bad_store,
    output wire bad_system,
    output wire bad_trap,
    output wire bad_buffered,
    output wire bad_mark,
    output wire bad_leader,
    output wire bad_split,
    output wire bad_pc,
    output wire bad_order,
    output wire bad_end,
    output wire bad_register,
    output wire bad_late,
    output wire bad_value,
    output wire bad_request,
    output wire bad_fetch,
    output wire bad_stuck,
    output wire seen_upper,
    output wire seen_arithmetic,
    output wire seen_jump,
    output wire seen_branch,
    output wire seen_load,
    output wire seen_store,
    output wire seen_system,
    output wire seen_trap,
    output wire seen_end,
    output wire seen_release,
    output wire seen_part,
    output wire seen_late_in_order,
    output wire seen_late_out_of_order,
    output wire seen_divergence,
    output wire seen_dependence,
    output wire seen_reconvergence
);
    localparam LINE = 2 + `LANE_BITS;

    // The reset is in the first cycle.
    reg first = 1'b1;
    always @(posedge clk) first <= 1'b0;
    wire rst = first;

    wire on = !rst;

    // Free constants: thread, register, address of a word and the word, number of a commit of the core.
    (* anyconst *) wire [`LANE_BITS-1:0] lane;
    (* anyconst *) wire [4:0] register;
    (* anyconst *) wire [29:0] place;
    (* anyconst *) wire [31:0] word;
    (* anyconst *) wire [31:0] watched_order;
`ifdef WARP_BITS
    (* anyconst *) wire [`WARP_BITS-1:0] warp;
    wire [`WARP_BITS-1:0] rvfi_warp = warp;
    wire [4+`WARP_BITS:0] row_kept = {warp, register};
    wire [31:0] hart = warp * `THREADS + lane;
    wire of_warp = trace_commit_warp == warp;
    wire released = trace_release[warp];
`else
    wire [4:0] row_kept = register;
    wire [31:0] hart = lane;
    wire of_warp = 1'b1;
    wire released = trace_release;
`endif
    wire [`LANE_BITS-1:0] rvfi_lane = lane;
    wire [32*`THREADS-1:0] other_rs1_kept = other_rs1;
    wire [32*`THREADS-1:0] other_rs2_kept = other_rs2;

    // The physical address of a program's address. Stacks are interleaved by word between the lanes of a warp.
    localparam [31:0] STACKS = 32'h8000_0000 + `RAM_BYTES - `WARPS * `THREADS * `STACK_BYTES;
    localparam STACK_BITS = $clog2(`STACK_BYTES);
    function [31:0] held_at(input [31:0] at);
        held_at = at >= STACKS && at - 32'h8000_0000 < `RAM_BYTES ?
            {at[31:STACK_BITS+`LANE_BITS], at[STACK_BITS-1:2], at[STACK_BITS+`LANE_BITS-1:STACK_BITS], at[1:0]} : at;
    endfunction

    // Instruction memory answers in the cycle after it accepts. One word of it is watched.
    wire imem_req_ready = fetch_is_taken;
    reg fetching;
    reg [31:0] fetch_address;
    always @(posedge clk) begin
        fetching <= !rst && imem_req_valid && imem_req_ready;
        fetch_address <= imem_req_addr;
    end
    wire imem_rsp_valid = fetching;
    wire [31:0] imem_rsp_data = fetched;
    wire [31:0] imem_rsp_reconvergence = reconvergence;
    always @* assume (!fetching || fetch_address != held_at({place, 2'b00}) || fetched == word);

    // A partly served instruction is the same word when it is fetched again.
    reg unfinished;
    reg [31:0] unfinished_at;
    reg [31:0] unfinished_word;
    always @(posedge clk)
        if (rst) unfinished <= 1'b0;
        else if (trace_commit_valid && of_warp) begin
            unfinished <= trace_commit_served != trace_commit_mask;
            unfinished_at <= held_at(trace_commit_pc);
            unfinished_word <= trace_commit_instruction;
        end
    always @* assume (!fetching || !unfinished || fetch_address != unfinished_at || fetched == unfinished_word);

    // Data memory answers each accepted load once, in any order.
    wire dmem_req_ready = request_is_taken;
    wire fires = dmem_req_valid && dmem_req_ready;
    reg [`OUTSTANDING-1:0] asked;
    wire [`OUTSTANDING-1:0] asks = fires && dmem_req_op != 4'd1 ? 1'b1 << dmem_req_tag : 1'b0;
    wire [`OUTSTANDING-1:0] is_answered = dmem_rsp_valid ? 1'b1 << dmem_rsp_tag : 1'b0;
    always @(posedge clk) asked <= rst ? 1'b0 : (asked | asks) & ~is_answered;
    wire dmem_rsp_valid = answers;
    wire [`TAG_BITS-1:0] dmem_rsp_tag = answered_tag;
    wire [32*`THREADS-1:0] dmem_rsp_data = answer;
    always @* assume (!answers || (answered_tag < `OUTSTANDING && asked[answered_tag]));
    wire console_ready = console_is_ready;
    wire console_fires = console_valid && console_ready;

`include "core.vh"

    wire records = rvfi_valid && !rvfi_trap;
    wire acts = records || rvfi_waits;
    wire [`THREADS-1:0] self = 1'b1 << lane;
    wire is_upper, is_arithmetic, is_jump, is_branch, is_load, is_store, is_fence, is_csr, uses_rs1, uses_rs2;
    wire [4:0] rd;
    wire [31:0] rd_value, next_pc, address, code;
    wire rd_is_any, at_console, parks, ends, faults, may_fault;
    wire [3:0] cause;
    spec spec (
        .insn(rvfi_insn), .pc(rvfi_pc_rdata), .rs1(rvfi_rs1_rdata), .rs2(rvfi_rs2_rdata), .hart(hart),
        .path_mask({{32-`THREADS{1'b0}}, rvfi_mask}),
        .is_upper(is_upper), .is_arithmetic(is_arithmetic), .is_jump(is_jump), .is_branch(is_branch),
        .is_load(is_load), .is_store(is_store), .is_fence(is_fence), .is_csr(is_csr), .may_fault(may_fault),
        .uses_rs1(uses_rs1), .uses_rs2(uses_rs2), .rd(rd), .rd_value(rd_value), .rd_is_any(rd_is_any),
        .next_pc(next_pc), .address(address), .at_console(at_console), .parks(parks), .ends(ends),
        .exit_code(code), .faults(faults), .cause(cause)
    );

    // An instruction carries two facts: from fetch on, whether it is from outside RAM; from S6 on, the lowest lane of
    // the path. Single instructions are checked if these are right. That they are right are separate checks: the first
    // when it leaves the buffers, and behind them.
    function is_outside(input [31:0] at);
        is_outside = at < 32'h8000_0000 || at - 32'h8000_0000 >= `RAM_BYTES;
    endfunction
    wire marked = is_outside(rvfi_pc_rdata) == (rvfi_trap && rvfi_trap_cause == 4'd1);
    // The mark in S4, four cycles before the commit.
    wire buffered_well = is_outside(rvfi_buffered_pc) == rvfi_buffered_fault;
    reg [3:0] were_buffered_well;
    always @(posedge clk) were_buffered_well <= {were_buffered_well[2:0], buffered_well};
    wire elects = is_load || is_store || (is_jump && !rvfi_insn[3]);
    wire elected = !elects || rvfi_leader == (rvfi_mask & (~rvfi_mask + 1'b1));
    wire checks = records && marked && elected;
    assign bad_buffered = on && rvfi_buffered_valid && !buffered_well;
    assign bad_mark = on && rvfi_valid && were_buffered_well[3] && !marked;
    assign bad_leader = on && acts && !elected;

    // Single instructions: registers, pc, memory.
    wire writes = rd != 5'd0;
    wire is_value = rvfi_rd_addr == rd && (rd_is_any || rvfi_rd_wdata == rd_value);
    wire rd_is_right = rvfi_rd_valid == writes && (!writes || is_value);
    wire goes_on = rvfi_pc_wdata == next_pc && rvfi_goes != 3'b100 && !faults;
    wire asks_nothing = rvfi_mem_op == 4'd0;
    wire computes = rd_is_right && goes_on && asks_nothing;
    wire [31:0] held = held_at(address);
    wire in_line = rvfi_mem_addr == {held[31:LINE], {LINE{1'b0}}};
    wire [3:0] bytes = (rvfi_insn[13] ? 4'b1111 : rvfi_insn[12] ? 4'b0011 : 4'b0001) << address[1:0];
    wire [31:0] stored = rvfi_rs2_rdata << {address[1:0], 3'b000};
    wire [31:0] differs = rvfi_mem_wdata[32*held[LINE-1:2] +: 32] ^ stored;
    // If two lanes store to one word at once, the higher one wins; its word is at its own position.
    wire loses = rvfi_insn[13] && held[LINE-1:2] > lane && rvfi_served[held[LINE-1:2]];
    wire stores_it = (rvfi_mem_wmask[4*held[LINE-1:2] +: 4] & bytes) == bytes &&
        (loses || (differs & {{8{bytes[3]}}, {8{bytes[2]}}, {8{bytes[1]}}, {8{bytes[0]}}}) == 32'd0);
    wire [4*`THREADS-1:0] own_bytes = {{4*`THREADS-4{1'b0}}, bytes} << {held[LINE-1:2], 2'b00};
    wire stores_only_it = rvfi_served != self || rvfi_mem_wmask == own_bytes;
    wire loads = at_console ? rd_is_right && asks_nothing :
        !rvfi_rd_valid && rvfi_rd_addr == rd && rvfi_mem_op == 4'd1 && in_line && rvfi_mem_wmask == 0;
    wire stores = !rvfi_rd_valid && (at_console ? rvfi_mem_op == 4'd3 && rvfi_mem_wdata[7:0] == rvfi_rs2_rdata[7:0] :
        rvfi_mem_op == 4'd2 && in_line && stores_it && stores_only_it);
    wire ends_well = rvfi_goes == 3'b100 && asks_nothing && !rvfi_rd_valid && rvfi_rd_wdata == code && !faults;
    assign bad_upper = on && checks && is_upper && !computes;
    assign bad_arithmetic = on && checks && is_arithmetic && !computes;
    assign bad_jump = on && checks && is_jump && !computes;
    assign bad_branch = on && checks && is_branch && !computes;
    assign bad_load = on && checks && is_load && !(loads && goes_on);
    assign bad_store = on && checks && is_store && !(stores && goes_on);
    assign bad_system = on && checks && (is_csr || is_fence) && !(ends ? ends_well : computes && rvfi_parks == parks);
    wire is_known = is_upper || is_arithmetic || is_jump || is_branch || is_load || is_store || is_csr || is_fence;
    assign bad_trap = on && marked && ((records && !is_known) || (rvfi_trap && (!rvfi_mask[rvfi_trap_lane] || (
        rvfi_trap_lane == lane ? !(faults || may_fault) || rvfi_trap_cause != cause : lane < rvfi_trap_lane && faults))));

    // Each thread of a committing path takes one direction. An instruction that does not serve it yet leaves its pc.
    wire one_way = rvfi_goes == 3'b001 || rvfi_goes == 3'b010 || rvfi_goes == 3'b100;
    wire stays = rvfi_goes == 3'b010 && rvfi_pc_wdata == rvfi_pc_rdata;
    wire is_served = (rvfi_served & ~rvfi_mask) == 0 && rvfi_served != 0;
    wire waits_well = stays && (is_load || is_store || is_jump);
    assign bad_split = on && acts && elected && !(one_way && is_served && (records || waits_well));

    // The thread's pc follows from its preceding instruction.
    reg [31:0] pc;
    reg ended;
    reg [31:0] last_order;
    reg has_acted;
    always @(posedge clk)
        if (rst) begin
            pc <= `RESET_PC;
            ended <= 1'b0;
            has_acted <= 1'b0;
        end else begin
            if (records) pc <= rvfi_pc_wdata;
            if ((records && rvfi_goes == 3'b100) || error_valid) ended <= 1'b1;
            if (acts) last_order <= rvfi_order;
            if (acts) has_acted <= 1'b1;
        end
`ifdef RECONVERGES
    // With a stack, threads at different returns of one function execute one of them together: the word is the same.
    wire returns = rvfi_insn == 32'h0000_8067;
`else
    wire returns = 1'b0;
`endif
    assign bad_pc = on && (rvfi_valid || rvfi_waits) && rvfi_pc_rdata != pc && !returns;
    assign bad_order = on && acts && has_acted && rvfi_order <= last_order;
    assign bad_end = on && (rvfi_valid || rvfi_waits) && ended;

    // The register: each read gets the value of the last write in program order.
    reg [31:0] value;
    reg awaits;
    reg [31:0] awaited;
    wire reads = (uses_rs1 && rvfi_insn[19:15] == register && rvfi_rs1_rdata != value) ||
        (uses_rs2 && rvfi_insn[24:20] == register && rvfi_rs2_rdata != value);
    wire touches = (uses_rs1 && rvfi_insn[19:15] == register) || (uses_rs2 && rvfi_insn[24:20] == register) ||
        (writes && rd == register);
    wire is_late = is_load && !at_console;
    wire arrives = rvfi_late_valid && rvfi_late_rd_addr == register && register != 5'd0;
    always @(posedge clk)
        if (rst) begin
            value <= 32'd0;
            awaits <= 1'b0;
        end else begin
            if (arrives) value <= rvfi_late_rd_wdata;
            if (arrives) awaits <= 1'b0;
            if (records && writes && rd == register) begin
                if (is_late) awaits <= 1'b1;
                else if (!ends) value <= rvfi_rd_wdata;
                awaited <= rvfi_order;
            end
        end
    assign bad_register = on && records && ((awaits && touches && register != 5'd0) || reads);
    assign bad_late = on && arrives && !(awaits && awaited == rvfi_late_order);

    // The watched commit, if it accesses memory: its position in the queue, its request at the port, and the answer.
    reg [3:0] queued;
    wire enqueues = trace_commit_valid && trace_commit_memory_op != 4'd0;
    wire dequeues = fires || console_fires;
    always @(posedge clk) queued <= rst ? 4'd0 : queued + enqueues - dequeues;
    wire is_watched = records && rvfi_order == watched_order && rvfi_mem_op != 4'd0;
    reg waits_for_turn, asked_now, has_answer;
    reg [3:0] before;
    reg [3:0] op;
    reg [31:0] line;
    reg [4*`THREADS-1:0] wmask;
    reg [32*`THREADS-1:0] wdata;
    reg [`TAG_BITS-1:0] tag;
    reg [LINE-1:0] in_line_at;
    reg [2:0] funct3;
    reg [31:0] loaded;
    wire turn = waits_for_turn && before == 4'd0 && dequeues;
    wire comes = asked_now && answers && answered_tag == tag;
    always @(posedge clk)
        if (rst) begin
            waits_for_turn <= 1'b0;
            asked_now <= 1'b0;
            has_answer <= 1'b0;
        end else begin
            if (is_watched) begin
                waits_for_turn <= 1'b1;
                before <= queued - dequeues;
                op <= rvfi_mem_op;
                line <= rvfi_mem_addr;
                wmask <= rvfi_mem_wmask;
                wdata <= rvfi_mem_wdata;
                in_line_at <= held[LINE-1:0];
                funct3 <= rvfi_insn[14:12];
            end else begin
                if (dequeues) before <= before - 4'd1;
                if (turn) waits_for_turn <= 1'b0;
            end
            if (turn && op == 4'd1) asked_now <= 1'b1;
            if (turn) tag <= dmem_req_tag;
            if (comes) begin
                asked_now <= 1'b0;
                has_answer <= 1'b1;
                loaded <= answer[32*in_line_at[LINE-1:2] +: 32];
            end
        end
    wire same_request = op == 4'd3 ? console_fires && console_data == wdata[7:0] :
        fires && dmem_req_addr == line && (op == 4'd1 ? dmem_req_op == 4'd0 :
        dmem_req_op == 4'd1 && dmem_req_mask == wmask && dmem_req_data == wdata);
    assign bad_request = on && ((turn && !same_request) || (dequeues && queued == 4'd0));
    wire [31:0] at_offset = loaded >> {in_line_at[1:0], 3'b000};
    wire [31:0] extended = funct3 == 3'b000 ? {{24{at_offset[7]}}, at_offset[7:0]} :
        funct3 == 3'b001 ? {{16{at_offset[15]}}, at_offset[15:0]} :
        funct3 == 3'b100 ? {24'd0, at_offset[7:0]} :
        funct3 == 3'b101 ? {16'd0, at_offset[15:0]} :
        at_offset;
    wire is_watched_value = rvfi_late_valid && rvfi_late_order == watched_order;
    assign bad_value = on && is_watched_value && (!has_answer || rvfi_late_rd_wdata != extended);

    // The word in memory at an address is the one executed there.
    wire has_word = !(rvfi_trap && rvfi_trap_cause == 4'd1);
    assign bad_fetch = on && rvfi_valid && has_word && rvfi_pc_rdata == {place, 2'b00} && rvfi_insn != word;

    // While memories accept and answer at once, the warp of a thread that can run commits.
    reg [5:0] idle;
    reg slow, parked;
    wire is_slow = !fetch_is_taken || !request_is_taken || !console_is_ready || (asked != 0 && !answers);
    wire commits = trace_commit_valid && of_warp;
    always @(posedge clk)
        if (rst) begin
            idle <= 6'd0;
            slow <= 1'b0;
            parked <= 1'b0;
        end else begin
            slow <= slow || (is_slow && running);
            idle <= commits || !running || parked || ended ? 6'd0 : idle + 6'd1;
            parked <= (parked || (records && rvfi_parks)) && !released;
        end
    reg [6:0] started;
    always @(posedge clk) started <= rst ? 7'd0 : started == `START_CYCLES ? started : started + 7'd1;
    wire running = started == `START_CYCLES;
    assign bad_stuck = on && idle > `LONGEST && !slow;

    // Situations that must be reachable.
    reg [1:0] diverged;
    reg [4:0] result_register;
    reg [31:0] last_late;
    reg has_late;
    always @(posedge clk)
        if (rst) begin
            diverged <= 2'd0;
            has_late <= 1'b0;
        end else begin
            if (records && is_branch && trace_commit_divergent) diverged <= 2'd1;
            else if (records && diverged == 2'd1 && rvfi_mask == self && is_arithmetic && writes) begin
                diverged <= 2'd2;
                result_register <= rd;
            end else if (seen_dependence) diverged <= 2'd3;
            if (rvfi_late_valid) last_late <= rvfi_late_order;
            if (rvfi_late_valid) has_late <= 1'b1;
        end
    assign seen_upper = on && records && is_upper;
    assign seen_arithmetic = on && records && is_arithmetic;
    assign seen_jump = on && records && is_jump;
    assign seen_branch = on && records && is_branch;
    assign seen_load = on && records && is_load && !at_console;
    assign seen_store = on && records && is_store && !at_console;
    assign seen_system = on && records && is_csr;
    assign seen_trap = on && rvfi_trap && rvfi_trap_lane == lane;
    assign seen_end = on && records && ends;
    assign seen_release = on && released && parked;
    assign seen_part = on && rvfi_waits;
    assign seen_late_in_order = on && rvfi_late_valid && has_late && rvfi_late_order > last_late;
    assign seen_late_out_of_order = on && rvfi_late_valid && has_late && rvfi_late_order < last_late;
    assign seen_divergence = on && records && is_branch && trace_commit_divergent;
    wire depends = is_arithmetic && rvfi_insn[19:15] == result_register;
    assign seen_dependence = on && records && diverged == 2'd2 && rvfi_mask == self && depends;
    assign seen_reconvergence = on && records && diverged == 2'd3 && &rvfi_mask;
endmodule
