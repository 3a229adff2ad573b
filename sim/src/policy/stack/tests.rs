//! Both stacks against threads that know nothing of paths, and in hand-worked cases.

mod program;
mod random;
