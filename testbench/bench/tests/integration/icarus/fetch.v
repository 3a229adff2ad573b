// Instruction memory, a second read port of `memory`: answers in the next cycle, as with `memory.fetch_latency` = 1.
// A word outside memory is X.
    reg         imem_rsp_valid = 1'b0;
    reg  [31:0] imem_rsp_data;
    reg  [31:0] imem_rsp_reconvergence;
    reg  [31:0] reconvergence [0:WORDS - 1];
    wire        imem_req_valid;
    wire [31:0] imem_req_addr;
    wire        in_ram = imem_req_addr[31:ADDRESS_BITS] == BASE[31:ADDRESS_BITS];

    initial begin
        $readmemh("memory.hex", memory);
        $readmemh("reconvergence.hex", reconvergence);
    end

    always @(posedge clk) begin
        imem_rsp_valid         <= imem_req_valid & ~rst;
        imem_rsp_data          <= in_ram ? memory[imem_req_addr[ADDRESS_BITS - 1:2]] : 32'bx;
        imem_rsp_reconvergence <= in_ram ? reconvergence[imem_req_addr[ADDRESS_BITS - 1:2]] : 32'bx;
    end

    task dump;
        $writememh("dump.hex", memory);
    endtask
