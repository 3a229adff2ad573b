// The instruction cache between two contexts that fetch arbitrarily and a memory that answers arbitrarily, in order.
// One bit of one word, `watched`, or of its entry of the reconvergence table, is tracked; memory may change it at any time. Outputs `bad_…` must never be 1.
// Outputs `seen_…` must be able to become 1.
module check (
    input wire clk,
    // the contexts
    input wire fetches,
    input wire context_of_fetch,
    input wire [3:0] word,
    input wire is_outside,
    input wire [1:0] resteers,
    input wire empties,
    // memory
    input wire [3:0] any_word,
    input wire stores,
    input wire is_taken,
    input wire answers,
    input wire fails,
    input wire [`BEAT-1:0] junk,
    input wire [6:0] reads,
    // from some cycle on, nothing disturbs context 0
    input wire settles,

    output wire bad_word,
    output wire bad_answer,
    output wire bad_waits,
    output wire bad_request,
    output wire bad_stuck,
    output wire seen_hit,
    output wire seen_late,
    output wire seen_both_wait,
    output wire seen_stall,
    output wire seen_dropped,
    output wire seen_both_values
);
    reg first = 1'b1;
    always @(posedge clk) first <= 1'b0;
    wire rst = first;
    reg [3:0] watched;
    always @(posedge clk) if (first) watched <= any_word;
    reg settled = 1'b0;
    always @(posedge clk) settled <= !first && (settled || settles);

    // The contexts: a fetch in flight, overtaken by a resteer, or waiting for its word.
    reg [1:0] in_flight, dead, waiting, watches, old;
    wire [1:0] resteered = settled ? 2'b00 : resteers;
    wire empty = empties && !settled;
    wire [1:0] cancelled = resteered | dead;
    wire by = settled ? 1'b0 : context_of_fetch;
    wire offers = (fetches || settled) && !in_flight[by] && !(waiting[by] && !resteered[by]);
    reg held;
    reg held_by, held_outside;
    reg [3:0] held_word;
    wire request_by = held ? held_by : by;
    wire [3:0] request_word = held ? held_word : word;
    wire request_outside = held ? held_outside : is_outside;
    wire imem_req_valid = held || offers;
    wire [31:0] imem_req_addr = {!request_outside, 25'd0, request_word, 2'b00};
    wire imem_req_context = request_by;
    wire imem_empty = empty;
    wire [1:0] imem_cancelled = cancelled;
`include "cache.vh"
    wire accepted = imem_req_valid && imem_req_ready;
    wire who = imem_rsp_context;
    wire [1:0] one = who ? 2'b10 : 2'b01;
    wire [1:0] answered = imem_rsp_valid ? one : 2'b00;
    wire [1:0] missed = imem_rsp_missed ? one : 2'b00;
    wire [1:0] begun = offers && !held ? (by ? 2'b10 : 2'b01) : 2'b00;
    wire [1:0] still = (in_flight | begun) & ~(answered | missed);
    integer i;
    always @(posedge clk)
        if (rst) begin
            in_flight <= 0; dead <= 0; waiting <= 0; old <= 0; held <= 0;
        end else begin
            in_flight <= (in_flight & ~(answered | missed)) | begun;
            dead <= ((in_flight & ~(answered | missed)) & (dead | resteered));
            waiting <= (waiting | missed) & ~cancelled & ~answered;
            held <= imem_req_valid && !imem_req_ready;
            held_by <= request_by; held_word <= request_word; held_outside <= request_outside;
            for (i = 0; i < 2; i = i + 1) begin
                if (accepted && request_by == i) begin
                    watches[i] <= request_word == watched && !request_outside;
                    old[i] <= 1'b0;
                end
                if (empty) old[i] <= 1'b1;
            end
        end

    // Memory: the bit, the values it had since the cache was emptied, and the requests without an answer.
    reg bit_now, had_0, had_1;
    reg [6:0] of_line, value;
    reg [2:0] count;
    reg beat;
    always @(posedge clk) begin
        bit_now <= bit_now ^ stores;
        had_0 <= !rst && !empty && (had_0 || !bit_now);
        had_1 <= !rst && !empty && (had_1 || bit_now);
    end
    wire next_ifill_req_ready = is_taken || settled;
    wire next_ifill_rsp_valid = count != 0 && (answers || settled);
    wire next_ifill_rsp_error = fails && !settled;
    wire [`BEAT-1:0] in_beat;
    wire taken = next_ifill_req_valid && next_ifill_req_ready;
    wire ends = next_ifill_rsp_valid && next_ifill_rsp_ready && (beat || `BEATS == 1);
    reg failed;
    wire fails_line = failed || next_ifill_rsp_error;
`ifdef ONE_BEAT
    wire here = of_line[0];
    wire [5:0] place = watched[0] ? 6'd32 : 6'd0;
`else
    wire here = of_line[0] && beat == watched[0];
    wire [5:0] place = 6'd0;
`endif
    wire [`BEAT-1:0] mask = `BEAT'd1 << place;
    wire known = here && !next_ifill_rsp_error;
    wire [`BEAT-1:0] beat_of_watched = known ? (junk & ~mask) | (value[0] ? mask : `BEAT'd0) : junk;
`ifdef OF_ENTRY
    wire [`BEAT-1:0] next_ifill_rsp_data = junk;
    wire [`BEAT-1:0] next_ifill_rsp_reconvergence = beat_of_watched;
    wire answered_bit = imem_rsp_reconvergence[0];
`else
    wire [`BEAT-1:0] next_ifill_rsp_data = beat_of_watched;
    wire answered_bit = imem_rsp_data[0];
`endif
    wire is_watched = next_ifill_req_addr[5:3] == watched[3:1];
    wire [6:0] values_now = (value & ~reads) | (reads & {7{bit_now}});
    wire [2:0] at = count - {2'b00, ends};
    always @(posedge clk)
        if (rst) begin
            count <= 0; beat <= 0; failed <= 0;
        end else begin
            if (next_ifill_rsp_valid && next_ifill_rsp_ready) begin
                beat <= `BEATS == 1 ? 1'b0 : !beat;
                failed <= !ends && fails_line;
            end
            count <= at + {2'b00, taken};
            value <= ends ? values_now >> 1 : values_now;
            if (ends) of_line <= of_line >> 1;
            if (taken) begin
                of_line[at] <= is_watched;
                value[at] <= bit_now;
            end
        end

    reg waited_request;
    reg [31:0] waited_address;
    reg [6:0] pause;
    always @(posedge clk) begin
        waited_request <= !rst && next_ifill_req_valid && !next_ifill_req_ready;
        waited_address <= next_ifill_req_addr;
        pause <= settled && !(imem_rsp_valid && !who) ? pause + (pause != 7'd127) : 7'd0;
    end
    wire live = !rst;
    wire values_allow = answered_bit ? had_1 || bit_now : had_0 || !bit_now;
    wire right = imem_rsp_valid && watches[who] && !old[who] && !imem_rsp_error && !cancelled[who];
    assign bad_word = live && right && !values_allow;
    assign bad_answer = live && (imem_rsp_valid && !(in_flight[who] || waiting[who])
        || imem_rsp_missed && !in_flight[who] || imem_rsp_valid && imem_rsp_missed
        || imem_rsp_valid && in_flight[who] && held && held_by == who);
    assign bad_waits = live && imem_waits != waiting;
    assign bad_request = live && (next_ifill_req_valid && (next_ifill_req_addr[31:6] != 26'h2000000
        || next_ifill_req_addr[2:0] != 3'd0) || taken && at == 3'd7
        || waited_request && !(next_ifill_req_valid && next_ifill_req_addr == waited_address));
    assign bad_stuck = live && pause == `LONGEST;
    assign seen_hit = live && right && in_flight[who];
    assign seen_late = live && right && waiting[who];
    assign seen_both_wait = live && waiting == 2'b11;
    assign seen_stall = live && in_flight != 0 && !held && count == 3'd4 && !imem_req_ready;
    assign seen_dropped = live && empty && count > 1;
    assign seen_both_values = live && right && had_0 && had_1 && in_flight[who];
endmodule
