mod allocations;
mod memory_divergence;
mod model;
