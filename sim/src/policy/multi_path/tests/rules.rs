//! Random runs of the unit, compared with the rules, written out with lists, and with the lanes.

use super::lanes::{Lanes, near, random};
use super::waiting::most;
use super::*;
use crate::policy::stack::RETURN;

const OTHER_WORD: u32 = 0x13;

#[derive(Clone, Copy, Debug)]
struct Thread {
    pc: u32,
    depth: u8,
    parked: bool,
}

/// Threads in one place, of which some may be served already, and the meeting that expects them.
#[derive(Clone, Debug)]
struct Group {
    lanes: u64,
    at: Thread,
    served: u64,
    meeting: Option<usize>,
}

#[derive(Clone, Debug)]
struct Point {
    entry: Reconvergence,
    depth: u8,
    first: Option<u32>,
    expected: u64,
    arrived: u64,
    outer: Option<usize>,
    row: u32,
    live: bool,
}

/// A warp after the text of the rules. Meetings are numbered in the order of their creation.
struct Rules {
    order: Order,
    fair_after: u64,
    live: u64,
    active: Option<Group>,
    /// The meeting of the threads that were active, if there is no active path.
    empty: Option<usize>,
    from_meeting: bool,
    queue: Vec<Group>,
    meetings: Vec<Point>,
    count: u64,
    over: bool,
    behind: bool,
    /// Whether a path has let go, and threads have waited ever since.
    dissolves: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    Empty,
    Arrives,
    ParkedLetsGo,
    ParkedGoesBack,
    Behind,
    Over,
    Returns,
}

impl Rules {
    fn new(start: &Start, order: Order) -> Self {
        let at = Thread { pc: start.entry, depth: 0, parked: false };
        let active = Some(Group { lanes: start.mask, at, served: 0, meeting: None });
        let (fair_after, live) = (start.fair_after, start.mask);
        Self {
            order,
            fair_after,
            live,
            active,
            empty: None,
            from_meeting: false,
            queue: Vec::new(),
            meetings: Vec::new(),
            count: 0,
            over: false,
            behind: false,
            dissolves: false,
        }
    }

    fn live_meetings(&self) -> Vec<&Point> {
        self.meetings.iter().filter(|meeting| meeting.live).collect()
    }

    fn waits(&self) -> bool {
        self.live_meetings().iter().any(|meeting| meeting.arrived != 0)
    }

    fn runnable(&self) -> bool {
        self.queue.iter().any(|group| !group.at.parked)
    }

    fn is_at(&self, group: &Group) -> bool {
        let Some(meeting) = group.meeting.map(|number| &self.meetings[number]) else { return false };
        !group.at.parked
            && group.served == 0
            && meeting.entry == Reconvergence::At(group.at.pc)
            && meeting.depth == group.at.depth
    }

    fn commit(&mut self, next: &Next) {
        let mut x = self.active.clone().expect("an active path");
        let lanes_of = |path: Option<PathRecord>| path.map_or(0, |path| path.mask);
        if next.replays {
            x.served = x.lanes & !lanes_of(next.b);
            self.active = Some(x);
            return;
        }
        let executed = x.lanes & !x.served;
        let ended = executed & !lanes_of(next.a) & !lanes_of(next.b);
        self.live &= !ended;
        let group = |path: PathRecord| {
            let at = Thread { pc: path.pc, depth: path.depth, parked: path.parked };
            Group { lanes: path.mask, at, served: 0, meeting: x.meeting }
        };
        let mut outcomes: Vec<Group> = [next.a, next.b].into_iter().flatten().map(group).collect();
        let is_one = |outcomes: &[Group]| matches!(outcomes, [a, b] if (a.at.pc, a.at.depth) == (b.at.pc, b.at.depth));
        if is_one(&outcomes) && !next.unserved {
            outcomes.truncate(1);
        }
        if let [only] = &mut *outcomes {
            only.lanes = x.lanes & !ended;
        }
        let ran: u64 = outcomes.iter().map(|group| group.lanes).sum();
        let two = outcomes.len() == 2;
        let others = self.runnable() || self.waits() || two;
        let mut due = next.yields;
        if others {
            let last = self.fair_after > 0 && self.count + 1 >= self.fair_after;
            due |= last;
            if self.fair_after > 0 && !last {
                self.count += 1;
            }
        } else {
            self.count = 0;
        }
        if two {
            outcomes.sort_by_key(|group| group.at.pc);
            let enclosing = x.meeting.map(|number| (self.meetings[number].entry, self.meetings[number].depth));
            let place = (next.reconvergence, x.at.depth);
            if next.reconvergence != Reconvergence::Unknown && Some(place) != enclosing && !self.dissolves {
                let lowest = |group: &Group| (0..64).find(|lane| group.lanes >> lane & 1 == 1).expect("a lane");
                let both = outcomes.iter().map(lowest).min();
                let row = outcomes.iter().map(lowest).find(|lane| Some(*lane) != both).expect("two sides");
                assert!(self.live_meetings().iter().all(|other| other.row != row), "two meetings have row {row}");
                self.meetings.push(Point {
                    entry: next.reconvergence,
                    depth: x.at.depth,
                    first: None,
                    expected: ran,
                    arrived: 0,
                    outer: x.meeting,
                    row,
                    live: true,
                });
                outcomes.iter_mut().for_each(|group| group.meeting = Some(self.meetings.len() - 1));
            }
        }
        // Two parts of a `jalr` may be at one place: the second does not arrive.
        let mut arriving: Vec<Group> = outcomes.iter().filter(|group| self.is_at(group)).cloned().collect();
        assert!(arriving.len() < 2 || next.unserved, "one place, two paths");
        arriving.truncate(1);
        let left = outcomes.into_iter().filter(|group| arriving.iter().all(|other| other.lanes != group.lanes));
        let left: Vec<Group> = left.collect();
        for group in &arriving {
            self.meetings[group.meeting.expect("a meeting")].arrived |= group.lanes;
        }
        self.from_meeting = false;
        match <[Group; 2]>::try_from(left) {
            Ok([near, far]) => match self.order {
                Order::DepthFirst => {
                    self.active = Some(near);
                    self.queue.insert(0, far);
                }
                Order::BreadthFirst => {
                    self.queue.push(near);
                    self.active = Some(far);
                    self.behind = true;
                }
            },
            Err(mut left) => match left.pop() {
                Some(only) => self.active = Some(only),
                None => self.next_path(x.meeting),
            },
        }
        let has_run = self.active.as_ref().is_some_and(|x| x.lanes & ran != 0);
        self.dissolves &= self.waits();
        self.over = due && (self.runnable() || self.waits()) && has_run && !self.behind;
    }

    /// Frees a meeting that is complete, and says whether it was.
    fn check(&mut self, number: Option<usize>) -> bool {
        let Some(meeting) = number.map(|number| &mut self.meetings[number]) else { return false };
        let complete = meeting.live && meeting.arrived == meeting.expected & self.live;
        if complete {
            meeting.live = false;
        }
        complete
    }

    /// The threads of a meeting, of which some have arrived.
    fn together(meeting: &Point) -> Group {
        let pc = match meeting.entry {
            Reconvergence::At(pc) => pc,
            _ => meeting.first.expect("the first arrival"),
        };
        let at = Thread { pc, depth: meeting.depth, parked: false };
        Group { lanes: meeting.arrived, at, served: 0, meeting: meeting.outer }
    }

    /// After the last thread of the active path, of this meeting, has arrived or ended.
    fn next_path(&mut self, number: Option<usize>) {
        if self.check(number) {
            let meeting = &self.meetings[number.expect("a meeting")];
            if meeting.arrived != 0 {
                self.active = Some(Self::together(meeting));
                self.from_meeting = true;
                return;
            }
            let mut outer = meeting.outer;
            if outer.is_some() && self.waits() {
                (self.active, self.empty) = (None, outer);
                return;
            }
            while self.check(outer) {
                outer = self.meetings[outer.expect("a meeting")].outer;
            }
        }
        self.take_front();
    }

    fn take_front(&mut self) {
        (self.active, self.empty) = ((!self.queue.is_empty()).then(|| self.queue.remove(0)), None);
        self.from_meeting = false;
    }

    fn rule(&self, word: u32) -> Option<Rule> {
        if self.live == 0 {
            return None;
        }
        let Some(x) = &self.active else { return Some(Rule::Empty) };
        let meeting = x.meeting.map(|number| &self.meetings[number]);
        let is_return = |point: &Point| point.entry == Reconvergence::Return && point.depth == x.at.depth;
        let returns = !x.at.parked && x.served == 0 && word == RETURN && meeting.is_some_and(is_return);
        let applies = [
            (Rule::Arrives, self.is_at(x) && !self.from_meeting),
            (Rule::ParkedLetsGo, x.at.parked && self.waits()),
            (Rule::ParkedGoesBack, x.at.parked && self.runnable()),
            (Rule::Behind, self.behind),
            (Rule::Over, self.over),
            (Rule::Returns, returns),
        ];
        applies.iter().filter(|(_, applies)| *applies).map(|(rule, _)| *rule).min()
    }

    fn step(&mut self, rule: Rule) {
        self.change(rule);
        self.dissolves &= self.waits();
    }

    fn change(&mut self, rule: Rule) {
        let Some(x) = self.active.clone() else { return self.next_path(self.empty) };
        (self.over, self.behind) = (false, false);
        match rule {
            Rule::Arrives | Rule::Returns | Rule::Empty => {
                let meeting = &mut self.meetings[x.meeting.expect("a meeting")];
                meeting.arrived |= x.lanes;
                meeting.first = meeting.first.or(Some(x.at.pc));
                self.next_path(x.meeting);
                return;
            }
            Rule::ParkedLetsGo => self.let_go(x),
            Rule::Over if self.waits() => self.let_go(x),
            _ => {
                self.queue.push(x);
                self.take_front();
            }
        }
        if rule != Rule::Behind {
            self.count = 0;
        }
    }

    fn let_go(&mut self, mut x: Group) {
        self.dissolves = true;
        let left = x.meeting;
        if let Some(number) = left {
            self.meetings[number].expected &= !x.lanes;
            x.meeting = self.meetings[number].outer;
        }
        self.take_front();
        let front = self.active.take();
        self.queue.push(x);
        self.active = front;
        if self.check(left) {
            let together = left.map(|number| &self.meetings[number]).filter(|meeting| meeting.arrived != 0);
            if let Some(together) = together.map(Self::together) {
                if let Some(front) = self.active.replace(together) {
                    self.queue.insert(0, front);
                }
                self.from_meeting = true;
            }
        }
    }

    fn release(&mut self) {
        self.active.iter_mut().chain(&mut self.queue).for_each(|group| group.at.parked = false);
    }

    fn paths(&self) -> Vec<PathRecord> {
        let path = |lanes: u64, Thread { pc, depth, parked }: Thread| PathRecord { pc, depth, parked, mask: lanes };
        let mut paths = Vec::new();
        if let Some(x) = &self.active {
            paths.push(path(x.lanes & !x.served, x.at));
            paths.push(path(x.served, Thread { pc: x.at.pc.wrapping_add(4), ..x.at }));
        }
        paths.extend(self.queue.iter().map(|group| path(group.lanes, group.at)));
        let mut waiting = self.live_meetings();
        waiting.retain(|meeting| meeting.arrived != 0);
        waiting.sort_by_key(|meeting| meeting.row);
        paths.extend(waiting.into_iter().map(Self::together).map(|group| path(group.lanes, group.at)));
        paths.retain(|path| path.mask != 0);
        paths
    }
}

/// How often the runs reached the events that they should reach.
#[derive(Debug, Default)]
struct Seen {
    most_paths: usize,
    most_meetings: usize,
    rules: [u32; 7],
    pushes: u32,
    pops: u32,
    /// Completed meetings by a step of letting go.
    pops_by_letting_go: u32,
    inserts: u32,
    extracts: u32,
    replays: u32,
    /// Divergences that create no meeting because meetings dissolve.
    dissolved: u32,
    releases_at_a_meeting: u32,
    /// Paths from a meeting that are at the next one.
    not_examined: u32,
    ends: u32,
    /// The longest series of steps between two commits.
    steps: u32,
}

/// The outcome of an instruction of `path`, at random.
fn instruction(path: &PathRecord, in_parts: bool, places: u64, state: &mut u64) -> Next {
    let served = PathRecord { pc: path.pc + 4, ..*path };
    let some = random(state) & path.mask;
    if in_parts || random(state).is_multiple_of(8) {
        let rest = path.mask & !some;
        let replays = some != 0 && rest != 0;
        let b = replays.then_some(PathRecord { mask: rest, ..*path });
        let a = PathRecord { mask: if replays { some } else { path.mask }, ..served };
        return Next { replays, unserved: replays, ..Next::of(Some(a), b) };
    }
    let ended = if random(state).is_multiple_of(60) { random(state) } else { 0 };
    // All lanes often go the same way.
    let split = if random(state).is_multiple_of(3) { some } else { u64::MAX };
    let a = near(path, places, path.mask & split & !ended, state);
    let b = near(path, places, path.mask & !split & !ended, state);
    // A barrier parks the whole path.
    let unparked = |path: Option<PathRecord>| path.map(|path| PathRecord { parked: false, ..path });
    let (a, b) = if a.is_some() && b.is_some() { (unparked(a), unparked(b)) } else { (a, b) };
    let reconvergence = match random(state) % 6 {
        0 => Reconvergence::Unknown,
        1 => Reconvergence::Return,
        _ => near(path, places, 1, state).map_or(Reconvergence::Unknown, |path| Reconvergence::At(path.pc)),
    };
    Next { reconvergence, yields: random(state).is_multiple_of(16), ..Next::of(a, b) }
}

fn compare(threads: u32, fair_after: u64, order: Order, seed: u64, seen: &mut Seen) {
    let start = start(threads, fair_after);
    let (mut unit, mut rules) = (MultiPath::new(&start, order), Rules::new(&start, order));
    let mut lanes = Lanes(vec![Some((start.entry, 0, false)); threads as usize]);
    let mut state = seed;
    let places = 3 + random(&mut state) % 20;
    let (mut steps, mut waits, most) = (0, vec![0; threads as usize], most(threads, fair_after));
    for number in 0..300 {
        let place = format!("{threads} threads, fair_after {fair_after}, {order:?}, seed {seed}, step {number}");
        if rules.live == 0 {
            assert_eq!((unit.path(0), unit.must_rotate(0, None)), (None, false), "{place}");
            seen.ends += 1;
            break;
        }
        let word = if random(&mut state).is_multiple_of(4) { RETURN } else { OTHER_WORD };
        let rule = rules.rule(word);
        assert_eq!(unit.must_rotate(0, Some(word)), rule.is_some(), "{place}: {rule:?}");
        let (queued, meetings) = (rules.queue.len(), rules.live_meetings().len());
        let moves = if let Some(rule) = rule {
            let moves = unit.rotate(0);
            if rule == Rule::Returns {
                let x = rules.active.as_ref().expect("a path");
                let point = &rules.meetings[x.meeting.expect("a meeting")];
                // The first `ret` represents the others.
                let first = point.first.unwrap_or(x.at.pc);
                let mine = |(lane, _): &(usize, _)| x.lanes >> lane & 1 == 1;
                for (_, state) in lanes.0.iter_mut().enumerate().filter(mine) {
                    *state = state.map(|(_, depth, parked)| (first, depth, parked));
                }
            }
            let lets_go = rule == Rule::ParkedLetsGo || rule == Rule::Over && rules.waits();
            rules.step(rule);
            assert_eq!(moves.yields, rule == Rule::Over, "{place}");
            seen.rules[rule as usize] += 1;
            seen.pops_by_letting_go += u32::from(moves.pops && lets_go);
            steps += 1;
            assert!(steps <= 4 * threads, "{place}: the steps between two commits end");
            moves
        } else {
            let path = unit.path(0).expect("a path");
            if path.parked {
                seen.releases_at_a_meeting += u32::from(rules.active.as_ref().is_some_and(|x| x.meeting.is_some()));
                unit.release();
                rules.release();
                lanes.release();
                NOTHING
            } else {
                let x = rules.active.as_ref().expect("a path");
                seen.not_examined += u32::from(rules.is_at(x));
                let in_parts = x.served != 0;
                let next = instruction(&path, in_parts, places, &mut state);
                let moves = unit.resolve(0, &next);
                assert!(!moves.yields, "{place}: a time slice ends with a step");
                rules.commit(&next);
                let unserved = next.b.filter(|_| next.replays).map_or(0, |rest| rest.mask);
                lanes.commit(path.mask & !unserved, &next);
                let diverges = next.a.zip(next.b).is_some_and(|(a, b)| (a.pc, a.depth) != (b.pc, b.depth));
                seen.dissolved +=
                    u32::from(rules.dissolves && diverges && next.reconvergence != Reconvergence::Unknown);
                for (lane, commits) in waits.iter_mut().enumerate() {
                    let can_run = lanes.0[lane].is_some_and(|(_, _, parked)| !parked);
                    let ran = (path.mask & !unserved) >> lane & 1 == 1;
                    *commits = if ran || !can_run { 0 } else { *commits + 1 };
                    assert!(fair_after == 0 || *commits <= most, "{place}: lane {lane} waits for {commits} commits");
                }
                seen.replays += u32::from(next.replays);
                seen.steps = seen.steps.max(steps);
                steps = 0;
                moves
            }
        };
        let list = unit.list();
        assert_eq!(list, rules.paths(), "{place}");
        lanes.check(&list, &place);
        let front = rules.queue.first().map(|group| group.lanes);
        assert_eq!(unit.second().map(|path| path.mask), front, "{place}");
        let live = rules.live_meetings().len();
        // With the last thread of a meeting, the outer ones may end too.
        let then = meetings + usize::from(moves.pushes) - usize::from(moves.pops);
        assert!(live == then || moves.pops && live < then, "{place}: {live} meetings, not {then}");
        // The rows behind the front change by exactly those that enter and leave.
        let ring = |queued: usize| queued.saturating_sub(1);
        let expected = ring(queued) + usize::from(moves.inserts) - usize::from(moves.extracts);
        assert_eq!(ring(rules.queue.len()), expected, "{place}: {moves:?}");
        let served = usize::from(rules.active.as_ref().is_some_and(|x| x.served != 0));
        assert_eq!(unit.held() as usize + served, list.len(), "{place}");
        assert!(list.len() <= threads as usize && live < threads as usize, "{place}: {live} meetings");
        seen.most_paths = seen.most_paths.max(list.len());
        seen.most_meetings = seen.most_meetings.max(live);
        seen.pushes += u32::from(moves.pushes);
        seen.pops += u32::from(moves.pops);
        seen.inserts += u32::from(moves.inserts);
        seen.extracts += u32::from(moves.extracts);
    }
}

#[test]
fn random_runs_follow_the_rules_and_lose_no_lane() {
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        for fair_after in [0, 1, 2, 3, 5, 8, 20] {
            let mut seen = Seen::default();
            for (threads, seeds) in [(1, 10), (2, 200), (3, 200), (4, 200), (8, 200), (32, 100), (64, 20)] {
                (0..seeds).for_each(|seed| compare(threads, fair_after, order, seed, &mut seen));
            }
            let place = format!("{order:?}, fair_after {fair_after}: {seen:?}");
            let Seen { rules: [empty, arrives, parked, goes_back, behind, over, returns], .. } = seen;
            assert!(seen.most_paths >= 20 && seen.most_meetings >= 8 && seen.ends > 100, "{place}");
            assert!(arrives > 20 && parked > 1000 && goes_back > 1000 && over > 1000 && returns > 300, "{place}");
            assert!((behind > 1000) == (order == Order::BreadthFirst), "{place}");
            assert!(empty > 0 && seen.not_examined > 0 && seen.releases_at_a_meeting > 100, "{place}");
            assert!(seen.pushes > 1000 && seen.pops > 1000 && seen.pops_by_letting_go > 500, "{place}");
            assert!(seen.inserts > 1000 && seen.extracts > 1000 && seen.replays > 1000, "{place}");
            assert!(seen.dissolved > 50, "{place}");
        }
    }
}
