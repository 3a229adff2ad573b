use super::*;

#[test]
fn a_typing_error_finds_its_key() {
    for (given, meant) in [
        ("memory.latencyy", "memory.latency"),
        ("wraps", "warps"),
        ("THREADS", "threads"),
        ("latency", "memory.latency"),
        ("run.threads", "threads"),
        ("memroy.seed", "memory.seed"),
        ("divergence.units", "divergence.unit"),
        ("memory.ram", "memory.ram_bytes"),
        ("m", "isa.m"),
        ("isa.zbc", "isa.zba"),
        ("isa.zicon", "isa.zicond"),
        ("divergence.fair", "divergence.fair_after"),
        ("pipeline_stage", "arbiter.pipeline_stages"),
    ] {
        assert_eq!(hint_for_key(given), format!("did you mean `{meant}`?"), "{given}");
    }
}

#[test]
fn a_far_name_gets_the_keys_of_its_table_and_no_guess() {
    assert_eq!(hint_for_key("run.colour"), "the keys of [run] are `run.watchdog`, `run.starvation`, `run.tohost`");
    assert_eq!(hint_for_key("isa.f"), "the keys of [isa] are `isa.m`, `isa.a`, `isa.zba`, `isa.zbb`, `isa.zicond`");
    assert!(hint_for_key("colour").starts_with("the keys are `warps`, `threads`, `reset_pc`, `isa.m`"));
    assert!(hint_for_key("x").starts_with("the keys are "));
}
