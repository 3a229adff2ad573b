#!/usr/bin/env bash
# Installs what is missing and runs all tests: format, lints, the tests of every crate, those in
# the documentation, and those of scripts/measure. Every step runs, also after a failed one, and is timed.
#
#   ./scripts/test.sh
#
# Ends with status 1 if anything fails.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
no_arguments "$@"
exec </dev/null

failed=()
timings=()

step() {
    local name=$1 start=$SECONDS verdict=ok
    shift
    printf '\n== %s\n' "$name"
    "$@" || {
        verdict=FAILED
        failed+=("$name")
    }
    timings+=("$(printf '%-14s %4d s  %s' "$name" $((SECONDS - start)) "$verdict")")
}

# In CI the build is not repeated, so incremental compilation gains nothing.
[[ -z ${CI-} ]] || export CARGO_INCREMENTAL=0
./scripts/setup.sh --comparison
step format cargo fmt --all --check
# A macro declares these modules, so cargo fmt does not find them.
step format rustfmt --edition 2024 --check cores/src/isa/*.rs sim/src/decode/computed/*.rs
step lints cargo clippy --workspace --all-targets --locked -- -D warnings
if cargo nextest --version >/dev/null 2>&1; then
    step tests cargo nextest run --workspace --locked --no-fail-fast
    step documentation cargo test --workspace --locked --no-fail-fast --doc
else
    step tests cargo test --workspace --locked --no-fail-fast
fi
if command -v shellcheck >/dev/null; then
    step scripts shellcheck -x .ci/run scripts/*.sh examples/*/*.sh
fi
step docs ./scripts/docs.sh --check
step docs python3 -B scripts/docs_check_test.py
step measuring python3 -B -m unittest discover -q -s scripts/measuring -t scripts

printf '\n'
profile=${CARGO_TARGET_DIR:-target}/nextest/default/junit.xml
[[ ! -f $profile ]] || python3 scripts/test_profile.py "$profile"
printf '\n'
printf '%s\n' "${timings[@]}" "total $(printf '%13d s' "$SECONDS")"
if [[ ${#failed[@]} -ne 0 ]]; then
    fail "failed: ${failed[*]}"
fi
