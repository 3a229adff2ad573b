// Refills with entries of the reconvergence table, between a cache that asks arbitrarily and a memory that answers
// arbitrarily, in order. One refill is watched. Outputs `bad_…` must never be 1. Outputs `seen_…` must be able to become 1.
module check (
    input wire clk,
    // the registers of the table, in lines
    input wire [2:0] any_base,
    input wire [2:0] any_first,
    input wire [2:0] any_bytes,
    // the cache
    input wire asks,
    input wire [2:0] any_line,
    input wire is_watched,
    input wire takes,
    // memory
    input wire is_taken,
    input wire answers,
    input wire [31:0] junk,
    input wire errs,
    input wire fails,
    // from some cycle on, nothing waits
    input wire settles,

    output wire bad_address,
    output wire bad_answer,
    output wire bad_stuck,
    output wire seen_covered,
    output wire seen_alone,
    output wire seen_cut,
    output wire seen_several
);
    reg first = 1'b1;
    always @(posedge clk) first <= 1'b0;
    reg second_cycle = 1'b0;
    always @(posedge clk) second_cycle <= first;
    // The registers of the table hold still before the run and in it.
    reg [2:0] base, begins, bytes;
    always @(posedge clk) if (first) begin base <= any_base; begins <= any_first; bytes <= any_bytes; end
    wire starts = first || second_cycle;
    reg settled;
    always @(posedge clk) settled <= !starts && (settled || settles);
    wire restart = first;
    wire [31:0] table_base = {26'd0, base, 3'd0};
    wire [31:0] table_first = {26'd0, begins, 3'd0};
    wire [31:0] table_bytes = {26'd0, bytes, 3'd0};

    // The cache: a request stays until it is accepted, and at most seven have no answer.
    reg held;
    reg [2:0] held_line;
    reg [3:0] owed;
    wire asks_now = asks && owed < 4'd7 && !starts && !settled;
    wire ifill_req_valid = held || asks_now;
    wire [2:0] line = held ? held_line : any_line;
    wire [31:0] ifill_req_addr = {26'd0, line, 3'd0};
    wire ifill_rsp_ready = takes || settled;
    // Memory: the requests without an answer, and the beat of the next answer. After a failure it accepts none.
    reg failed, beat_below, beat_above;
    reg [4:0] pending;
    wire next_ifill_failed = failed;
    wire next_ifill_req_ready = (is_taken || settled) && !failed && !starts;
    wire next_ifill_rsp_valid = pending != 0 && (answers || settled);
    wire [31:0] next_ifill_rsp_data = junk;
    wire next_ifill_rsp_error = errs;
`include "table_refills.vh"
    wire accepted = ifill_req_valid && ifill_req_ready;
    wire answered = ifill_rsp_valid && ifill_rsp_ready;
    wire line_answered = answered && beat_above;
    wire sent = next_ifill_req_valid && next_ifill_req_ready;
    wire came = next_ifill_rsp_valid && next_ifill_rsp_ready;
    wire line_came = came && beat_below;

    // The watched refill: the answers before its own, above and below; the code and the errors that came for it.
    reg watching, asked_code, asked_entries, over, has_code;
    reg [2:0] watched;
    reg [3:0] before_above;
    reg [4:0] before_below;
    reg [1:0] code;
    reg wrong;
    wire begins_watch = asks_now && !held && is_watched && !watching && !over;
    wire covered = watched >= begins && {1'b0, watched} < {1'b0, begins} + {1'b0, bytes};
    wire of_watched_below = watching && before_below == 0;
    wire of_watched_above = watching && before_above == 0;
    wire code_comes = came && of_watched_below && !has_code;
    wire entry_comes = came && of_watched_below && has_code;
    wire code_bit = code_comes ? junk[0] : beat_above ? code[1] : code[0];
    wire wrong_now = wrong || (code_comes || entry_comes) && errs;
    always @(posedge clk)
        if (starts) begin
            held <= 0; owed <= 0; failed <= 0; beat_below <= 0; beat_above <= 0; pending <= 0;
            watching <= 0; asked_code <= 0; asked_entries <= 0; over <= 0; has_code <= 0; wrong <= 0;
        end else begin
            held <= ifill_req_valid && !ifill_req_ready;
            held_line <= line;
            owed <= owed + {3'd0, accepted} - {3'd0, line_answered};
            failed <= failed || fails && !settled;
            beat_below <= beat_below ^ came;
            beat_above <= beat_above ^ answered;
            pending <= pending + {4'd0, sent} - {4'd0, line_came};
            if (begins_watch) begin
                watching <= 1; watched <= any_line; asked_code <= sent;
                before_above <= owed - {3'd0, line_answered};
                before_below <= pending - {4'd0, line_came};
            end else if (watching) begin
                if (sent && (held || ifill_req_valid) && !asked_done) begin
                    if (asked_code) asked_entries <= 1;
                    asked_code <= 1;
                end
                if (line_answered && before_above != 0) before_above <= before_above - 4'd1;
                if (line_came && before_below != 0) before_below <= before_below - 5'd1;
                if (code_comes) begin
                    if (beat_below) code[1] <= junk[0]; else code[0] <= junk[0];
                    has_code <= beat_below;
                end
                wrong <= wrong_now;
                if (line_answered && of_watched_above) begin watching <= 0; over <= 1; end
            end
        end
    // The watched request is at the port until the cache sees it accepted.
    reg asked_done;
    always @(posedge clk) asked_done <= !starts && (watching || begins_watch) && (asked_done || accepted);
    wire live = !starts;
    wire at_port = watching && !asked_done;
    wire [28:0] of_entries = {26'd0, base} + {26'd0, watched} - {26'd0, begins};
    wire [28:0] expected_line = begins_watch ? {26'd0, any_line} : asked_code ? of_entries : {26'd0, watched};
    assign bad_address = live && ((begins_watch || at_port) && next_ifill_req_valid
        && next_ifill_req_addr != {expected_line, 3'd0}
        || at_port && accepted && next_ifill_req_ready && asked_code != covered);
    wire cut = failed && covered && asked_done && !asked_entries;
    wire compares = answered && of_watched_above;
    wire wrong_entry = covered && !cut ? ifill_rsp_reconvergence[0] != junk[0] || !entry_comes
        : !covered && ifill_rsp_reconvergence != 0;
    assign bad_answer = live && (answered && owed == 0 || compares && ifill_rsp_data[0] != code_bit
        || compares && wrong_entry || compares && beat_above && wrong_any != (wrong_now || cut));
    reg wrong_below;
    always @(posedge clk) wrong_below <= compares && !beat_above ? ifill_rsp_error : wrong_below && !starts;
    wire wrong_any = wrong_below || ifill_rsp_error;
    reg [3:0] pause;
    always @(posedge clk) pause <= settled && (owed != 0 || ifill_req_valid && !failed) && !answered ? pause + 4'd1 : 4'd0;
    assign bad_stuck = live && pause == 4'd8;
    assign seen_covered = live && compares && beat_above && covered && !wrong_now && !cut;
    assign seen_alone = live && compares && beat_above && !covered;
    assign seen_cut = live && compares && beat_above && cut;
    assign seen_several = live && owed > 4'd2;
endmodule
