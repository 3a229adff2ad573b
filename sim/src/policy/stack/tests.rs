//! The stacks, compared with independent threads, and in hand-worked cases.

mod drawn;
mod dual_path;
mod dws;
mod forwarding;
mod halves;
mod minority_first;
mod multi_path;
mod pdom_stack;
mod random;
mod serial;
mod thread_by_thread;
