// `memory.kind` = "axi4": a slave that accepts an address in every cycle, answers reads in order in the next cycle,
// and writes in the cycle after their data. Words never written are X. Fetches are answered from the same memory.
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
    localparam        LINE = 32 * `THREADS;
    localparam        PLACES = 64;

    reg  [31:0] memory [0:WORDS - 1];
`include "fetch.v"

    wire                   awvalid, awready, wvalid, wlast, arvalid, arready, bready, rready;
    wire [`TAG_BITS - 1:0] awid, arid;
    wire [31:0]            awaddr, araddr;
    wire [7:0]             awlen, arlen;
    wire [2:0]             awsize, arsize, awprot, arprot;
    wire [1:0]             awburst, arburst;
    wire [3:0]             awcache, arcache;
    wire                   awlock, arlock;
    wire [LINE - 1:0]      wdata;
    wire [LINE / 8 - 1:0]  wstrb;
    wire                   bus_error_valid;

    // Queues: addresses of writes, their data, responses, and reads with their lines. Each is a ring.
    reg  [31:0]            write_address [0:PLACES - 1];
    reg  [LINE - 1:0]      write_data [0:PLACES - 1];
    reg  [LINE / 8 - 1:0]  write_strobes [0:PLACES - 1];
    reg  [`TAG_BITS - 1:0] read_id [0:PLACES - 1];
    reg  [LINE - 1:0]      read_data [0:PLACES - 1];
    integer                addresses = 0, data = 0, written = 0, answered = 0, reads = 0, served = 0;
    // A read and a write offered in the same cycle are accepted alternately.
    reg                    turn_of_writes = 1'b0;
    integer                number;
    // Outputs of the slave.
    reg                    bvalid = 1'b0, rvalid = 1'b0;
    reg  [`TAG_BITS - 1:0] rid;
    reg  [LINE - 1:0]      rdata;

    assign awready = !(awvalid && arvalid) || turn_of_writes;
    assign arready = !(awvalid && arvalid) || !turn_of_writes;

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
        .m_axi_awvalid          (awvalid),
        .m_axi_awid             (awid),
        .m_axi_awaddr           (awaddr),
        .m_axi_awlen            (awlen),
        .m_axi_awsize           (awsize),
        .m_axi_awburst          (awburst),
        .m_axi_awlock           (awlock),
        .m_axi_awcache          (awcache),
        .m_axi_awprot           (awprot),
        .m_axi_awready          (awready),
        .m_axi_wvalid           (wvalid),
        .m_axi_wready           (1'b1),
        .m_axi_wdata            (wdata),
        .m_axi_wstrb            (wstrb),
        .m_axi_wlast            (wlast),
        .m_axi_bvalid           (bvalid),
        .m_axi_bready           (bready),
        .m_axi_bid              ({`TAG_BITS{1'b0}}),
        .m_axi_bresp            (2'd0),
        .m_axi_arvalid          (arvalid),
        .m_axi_arid             (arid),
        .m_axi_araddr           (araddr),
        .m_axi_arlen            (arlen),
        .m_axi_arsize           (arsize),
        .m_axi_arburst          (arburst),
        .m_axi_arlock           (arlock),
        .m_axi_arcache          (arcache),
        .m_axi_arprot           (arprot),
        .m_axi_arready          (arready),
        .m_axi_rvalid           (rvalid),
        .m_axi_rready           (rready),
        .m_axi_rid              (rid),
        .m_axi_rdata            (rdata),
        .m_axi_rresp            (2'd0),
        .m_axi_rlast            (1'b1),
        .console_valid          (console_valid),
        .console_ready          (1'b1),
        .console_data           (console_data),
        .done                   (done),
        .error_valid            (error_valid),
        .bus_error_valid        (bus_error_valid)
    );

    always @(posedge clk) begin
        if (!rst) begin
            if (bvalid && bready) answered = answered + 1;
            if (rvalid && rready) served = served + 1;
            if (arvalid && arready) begin
                read_id[reads % PLACES] = arid;
                for (number = 0; number < `THREADS; number = number + 1)
                    read_data[reads % PLACES][32 * number +: 32] = memory[araddr[ADDRESS_BITS - 1:2] + number];
                reads = reads + 1;
                turn_of_writes <= 1'b1;
            end
            if (awvalid && awready) begin
                write_address[addresses % PLACES] = awaddr;
                addresses = addresses + 1;
                turn_of_writes <= 1'b0;
            end
            if (wvalid) begin
                write_data[data % PLACES] = wdata;
                write_strobes[data % PLACES] = wstrb;
                data = data + 1;
            end
            while (written < addresses && written < data) begin
                for (number = 0; number < 4 * `THREADS; number = number + 1)
                    if (write_strobes[written % PLACES][number])
                        memory[write_address[written % PLACES][ADDRESS_BITS - 1:2] + number / 4][8 * (number % 4) +: 8] =
                            write_data[written % PLACES][8 * number +: 8];
                written = written + 1;
            end
            bvalid <= answered != written;
            rvalid <= served != reads;
            rid    <= read_id[served % PLACES];
            rdata  <= read_data[served % PLACES];
        end
    end

    // The data of a write under its strobes.
    reg [LINE - 1:0] strobed;
    integer          byte_number;
    always @* for (byte_number = 0; byte_number < LINE / 8; byte_number = byte_number + 1)
        strobed[8 * byte_number +: 8] = wdata[8 * byte_number +: 8] & {8{wstrb[byte_number]}};
    assign unknown =
        (^{imem_req_valid, awvalid, wvalid, arvalid, bready, rready, bus_error_valid}) === 1'bx ||
        (imem_req_valid && (^imem_req_addr) === 1'bx) ||
        (awvalid && (^{awid, awaddr, awlen, awsize, awburst, awlock, awcache, awprot}) === 1'bx) ||
        (arvalid && (^{arid, araddr, arlen, arsize, arburst, arlock, arcache, arprot}) === 1'bx) ||
        (wvalid && (^{strobed, wstrb, wlast}) === 1'bx);
endmodule
