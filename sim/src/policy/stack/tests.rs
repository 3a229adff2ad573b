//! Both stacks, compared with independent threads, and in hand-worked cases.

mod drawn;
mod dual_path;
mod forwarding;
mod pdom_stack;
mod random;
