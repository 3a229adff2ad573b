//! Zifencei: the fence between stores and fetches.

use super::encoding::{Class, Encoding, Format, Operation, funct3};

pub fn encodings() -> Vec<Encoding> {
    vec![funct3("fence.i", 0x0f, 1, Format::None, Operation::FenceI).class(Class::FetchFence)]
}
