//! The pipeline: one file per stage.

pub mod context;
pub mod decoder;
pub mod resource;
pub mod s0_steer;
pub mod s1_fetch;
pub mod s2_predecode;
pub mod s3_context;
pub mod s3_pick;
pub mod s3_places;
pub mod s3_schedule;
pub mod s3_scoreboard;
pub mod s4_collect;
pub mod s4_immediate;
pub mod s5_decode;
pub mod s6_execute;
pub mod s6_leader;
pub mod s7_access;
pub mod s7_commit;
pub mod s7_faults;
pub mod s7_points;
pub mod s7_trace;
pub mod s8_barrier;
pub mod s8_context;
pub mod s9_gather;
pub mod s9_late;
pub mod s9_response;
