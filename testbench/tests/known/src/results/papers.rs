//! The results of the kernels that are analogues of the papers' benchmarks. Those in fixed point are also compared with
//! floating point.

pub mod black_scholes;
pub mod breadth_first_levels;
pub mod fourier_transform;
pub mod laplace;
pub mod lattice_boltzmann;
pub mod odd_steps;
pub mod viterbi;
