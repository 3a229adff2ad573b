mod allocations;
mod model;
