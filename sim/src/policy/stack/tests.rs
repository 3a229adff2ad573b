//! Both stacks against threads that know nothing of paths, and in hand-worked cases.

mod drawn;
mod dual_path;
mod forwarding;
mod pdom_stack;
mod program;
mod random;
