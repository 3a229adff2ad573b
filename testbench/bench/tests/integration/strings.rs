//! Copies and fills of the runtime, with every alignment and length up to some words.

use std::fs;

use sim::{Outcome, Program};
use weft_config::{Coalescer, Config};

/// Threads have different alignments. Returns the number of wrong bytes.
const PROGRAM: &str = r#"#include "weft.h"
#include <stddef.h>
void *memcpy(void *restrict, const void *restrict, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
enum { SIZE = 40 };
static unsigned char from[64][SIZE], to[64][SIZE];
static void fill(unsigned char *from, unsigned char *to, unsigned seed)
{
    for (unsigned i = 0; i < SIZE; i++)
        from[i] = seed + 7 * i, to[i] = seed + 100 + 3 * i;
}
int main(unsigned hart)
{
    unsigned char *a = from[hart], *b = to[hart];
    unsigned wrong = 0;
    for (unsigned shift = 0; shift < 4; shift++)
        for (unsigned offset = hart % 4; offset < 8; offset += 3)
            for (unsigned count = 0; count < 20; count++) {
                fill(a, b, count);
                wrong += memcpy(b + shift, a + offset, count) != b + shift;
                for (unsigned i = 0; i < SIZE; i++)
                    wrong += b[i] != (unsigned char)(i - shift < count ? count + 7 * (i - shift + offset) : count + 100 + 3 * i);
                fill(a, b, count);
                memset(b + shift, -3 - (int)count, count);
                for (unsigned i = 0; i < SIZE; i++)
                    wrong += b[i] != (unsigned char)(i - shift < count ? -3 - count : count + 100 + 3 * i);
                fill(a, b, count);
                memmove(a + shift, a + offset, count);
                for (unsigned i = 0; i < SIZE; i++)
                    wrong += a[i] != (unsigned char)(i - shift < count ? count + 7 * (i - shift + offset) : count + 7 * i);
            }
    return wrong;
}
"#;

#[test]
fn copies_and_fills_change_their_bytes_and_no_others() {
    let out = tempfile::tempdir().unwrap();
    let elf = fs::read(kernels::compile("strings.c", PROGRAM, out.path()).unwrap()).unwrap();
    for coalescer in Coalescer::ALL {
        let mut config = Config { warps: 2, threads: 8, ..Config::default() };
        config.memory.coalescer = *coalescer;
        let program = Program::load("strings", &elf, &config).unwrap();
        let finished = sim::run(&config, &program, 50_000_000, &mut |_| {}).unwrap();
        assert_eq!(finished.outcome, Outcome::Exited, "{coalescer:?}");
        for (warp, lane) in (0..2).flat_map(|warp| (0..8).map(move |lane| (warp, lane))) {
            assert_eq!(finished.machine.exit_code(warp, lane), Some(0), "warp {warp}, lane {lane}, {coalescer:?}");
        }
    }
}
