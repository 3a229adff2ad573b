//! S6, leader: the lowest thread of the active path, before S7 decides whether the instruction belongs to that path.
//!
//! A table in LUT RAM holds the threads of each context's path. They are known at the end of S8, or later by the delay
//! of the divergence unit, and written a cycle after that. The table is read in S5, which elects the leader of what it
//! read, or of what is written in that cycle. S6 elects only among the threads that S8 finds while the instruction is in
//! S5. So S6 has most of its cycle for the selection of the leader's address, and an instruction that needs a leader must
//! issue one cycle later after its predecessor than others ([`Shape::election_spacing`]). For other instructions the
//! elected lane does not matter.
//!
//! Above eight threads, each group of eight elects its lowest lane. S6 selects a sum in each group, and then selects
//! the group. A leader number over all lanes would select every bit of every lane's sum, with wires across the core.
//!
//! Storage: W rows of slots · T bits; in registers one more, the number of a warp, and the bits of an election.

use rtl::{
    Builder, Bundle, ElaborationError, Expr, MemoryStyle, Module, encode, join, lit, lowest_one, ones, select, zeros,
};

use crate::shape::Shape;

const GROUP: usize = 8;

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("s6_leader", "S6, leader: the lowest thread of the path that the instruction must belong to.");
    let spacing = shape.election_spacing();
    m.timing(&format!(
        "the table is read in S5, with what S8 knows in that cycle; the elected lane is combinational in S6. S3 \
         issues an instruction that needs a leader {spacing} cycles or more after the one before it of its warp."
    ));
    m.port_group("start: all threads of a warp");
    let start_valid = m.input("start_warp_valid", 1);
    let start_warp = m.input("start_warp", shape.warp_bits());
    m.port_group("the threads of each slot's path after S8");
    let valid = m.input("valid_stand_s8", 1);
    let warp = m.input("warp_stand_s8", shape.warp_bits());
    let masks = m.input("masks_s8", shape.slots * shape.threads);
    m.port_group("instruction in S5, and its slot in S6");
    let warp_s5 = m.input("warp_s5", shape.warp_bits());
    let [slot_s5, slot_s6] = ["slot_s5", "slot_s6"].map(|name| m.input(name, shape.slot_bits()));

    let table = m.memory("masks", shape.warps, masks.width(), MemoryStyle::Distributed);
    let (all, later) = (ones(masks.width()), m.delay_reset("valid_later", &valid));
    let (warp_later, masks_later) = (m.delay("warp_later", &warp), m.delay("masks_later", &masks));
    let write = start_valid.mux(&start_warp, &warp_later);
    table.write(&(&start_valid | &later), &write, &start_valid.mux(&all, &masks_later));
    let is_written = m.fault("masks_are_not_forwarded", &(&later & warp_later.eq(&warp_s5)), &zeros(1));
    let before = m.wire("masks_before", &is_written.mux(&masks_later, &table.read("masks_s5", &warp_s5)));
    let elected = |slot: &Expr, masks: &Expr| Election::of(&m, shape, &select(slot, masks.lanes(shape.threads)));
    let before = elected(&slot_s5, &before).delay(&m, shape, "before");
    let is_known = m.delay("is_known", &(&valid & warp.eq(&warp_s5)));
    let election = elected(&slot_s6, &masks_later).when_else(shape, &is_known, &before);
    let one_group = election.group.width() == 0;
    m.port_group(if one_group { "its bit" } else { "each group's lowest thread, and the lowest group that has one" });
    election.outputs(&m, "s6");
    m.finish()
}

rtl::bundle! {
    /// The elected lanes. Up to eight threads are one group, and its lowest one is the leader.
    pub struct Election(shape: &Shape) {
        leader: shape.threads,
        /// The lowest group that has a thread; no bits with one group.
        group: if shape.threads > GROUP { shape.threads / GROUP } else { 0 },
    }
}

pub struct Leader {
    /// The leader, one-hot.
    pub one: Expr,
    pub number: Expr,
    pub sum: Expr,
}

impl Election {
    fn of(m: &Builder, shape: &Shape, mask: &Expr) -> Self {
        if shape.threads <= GROUP {
            return Self { leader: lowest_one(mask), group: zeros(0) };
        }
        let groups = mask.lanes(GROUP);
        let first = |(number, group): (usize, &Expr)| {
            let (first, second) = (lowest_one(group), group & lit(GROUP, 2));
            m.fault(&format!("group_{number}_elects_its_second_lane_as_well"), &first, &(&first | second))
        };
        let firsts = join(groups.iter().enumerate().map(first));
        let reversed = |bits: &Expr| join(bits.lanes(1).iter().rev());
        let highest = |bits: &Expr| reversed(&lowest_one(&reversed(bits)));
        let any = join(groups.iter().map(Expr::any));
        Self { leader: firsts, group: m.fault("elects_the_highest_group", &lowest_one(&any), &highest(&any)) }
    }

    /// Selects the leader, and its word of `sums`, the sums of all lanes.
    pub fn choose(&self, m: &Builder, sums: &Expr) -> Leader {
        if self.group.width() == 0 {
            let number = m.wire("leader_number", &encode(&self.leader));
            let sum = m.wire("leader_sum", &select(&number, sums.lanes(32)));
            return Leader { one: self.leader.clone(), number, sum };
        }
        let firsts = self.leader.lanes(GROUP);
        let number = |(group, first): (usize, &Expr)| m.wire(&format!("number_{group}"), &encode(first));
        let numbers: Vec<Expr> = firsts.iter().enumerate().map(number).collect();
        let sums = sums.lanes(32 * GROUP);
        let firsts_sums = numbers.iter().zip(&sums).map(|(number, sums)| select(number, sums.lanes(32)));
        let elected =
            |group| m.fault(&format!("group_{group}_leads_without_election"), &self.group.bit(group), &ones(1));
        let leaders = join(firsts.iter().enumerate().map(|(group, first)| first.when(&elected(group))));
        let group = m.wire("group_number", &encode(&self.group));
        let of_number = m.fault("leader_number_is_of_another_group", &group, &!&group);
        let in_group = m.wire("number_in_group", &select(&of_number, &numbers));
        let of_sum = m.fault("leader_sum_is_of_another_group", &group, &!&group);
        let sum = m.wire("leader_sum", &select(&of_sum, firsts_sums));
        let group = m.fault("leader_number_lacks_its_group", &group, &zeros(group.width()));
        Leader { one: leaders, number: join([&in_group, &group]), sum }
    }
}
