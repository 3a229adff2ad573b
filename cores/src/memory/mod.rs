//! The memory side: which lanes one transaction serves, and the requests on their way out.

pub mod coalescer;
pub mod map;
pub mod request_queue;
