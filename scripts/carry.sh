#!/usr/bin/env bash
# Takes the results of `weft compare` from one machine to another, where the comparison can continue.
#
#   ./scripts/carry.sh pack DIR FILE
#   ./scripts/carry.sh unpack FILE DIR
#
# DIR is the folder of a comparison that is not running, and FILE an archive (tar, xz). The archive holds the results of DIR.
# It also holds the results of place and route in the build cache, and the runs that timed out, by content. So a new
# comparison finds every placed core in the cache, even if weft has another build there and refuses DIR, or if DIR is lost.
# `unpack` needs a new DIR; existing entries of the cache stay as they are.

set -euo pipefail
# Relative paths count from the caller's folder, but the script works in the root of the repository.
words=()
for word in "$@"; do
    case $word in
        "" | -* | pack | unpack) words+=("$word") ;;
        *) words+=("$(realpath -m "$word")") ;;
    esac
done
set -- "${words[@]}"
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[[ ${1-} =~ ^(pack|unpack)$ ]] || options "" "${@:---help}"
[[ $# -eq 3 ]] || refuse "expected two paths after '$1'"

# This is the rule of `weft cache path`.
cache="${WEFT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/weft}"

# Prints the paths of all results in folder $1, for tar.
results_in() {
    (cd "$1" && { find compare.json results kernels -type f -print0 2>/dev/null || true; })
}

pack() {
    local folder="$1" file="$2" work
    [[ -f $folder/compare.json ]] || fail "$folder has no compare.json: expected the folder of a comparison"
    flock --nonblock "$folder/.lock" true || fail "$folder: a comparison is running there"
    work=$(mktemp -d -p "$(dirname "$file")")
    # shellcheck disable=SC2064 # the folder as it is now
    trap "rm -rf '$work'" EXIT
    mkdir "$work/comparison" "$work/placing" "$work/given-up"
    results_in "$folder" | tar -C "$folder" --null -T - -cf - | tar -C "$work/comparison" -xf -
    if [[ -d $cache/placing ]]; then
        # Unfinished entries have another name. A placing for a board needs its tiles, and is not part of a comparison.
        (cd "$cache/placing" && find . -path './*.partial' -prune -o -execdir test -e tiles.config \; -prune -o \
            \( -name report.json -o -name refusal.txt \) -print0) |
            tar -C "$cache/placing" --null -T - -cf - | tar -C "$work/placing" -xf -
    fi
    if [[ -d $cache/given-up ]]; then
        (cd "$cache/given-up" && find . -path './*.partial' -prune -o -name given-up.json -print0) |
            tar -C "$cache/given-up" --null -T - -cf - | tar -C "$work/given-up" -xf -
    fi
    tar -C "$work" --owner=0 --group=0 --sort=name -cJf "$work/archive" comparison placing given-up
    mv "$work/archive" "$file"
    echo "$file: $(find "$work/comparison" -path '*/results/*' -name '*.json' | wc -l) results, $(find "$work/placing" -type f | wc -l) placings"
}

unpack() {
    local file="$1" folder="$2" work
    [[ -f $file ]] || fail "$file: no such file"
    [[ ! -e $folder ]] || fail "$folder exists: expected a new folder"
    mkdir -p "$(dirname "$folder")" "$cache/placing"
    work=$(mktemp -d -p "$(dirname "$folder")")
    # shellcheck disable=SC2064 # the folder as it is now
    trap "rm -rf '$work'" EXIT
    if ! tar -C "$work" -xJf "$file" || [[ ! -f $work/comparison/compare.json ]]; then
        fail "$file: not an archive that pack wrote"
    fi
    cp -r --no-clobber "$work/placing/." "$cache/placing/"
    # Older archives do not contain timed-out runs.
    if [[ -d $work/given-up ]]; then
        mkdir -p "$cache/given-up"
        cp -r --no-clobber "$work/given-up/." "$cache/given-up/"
    fi
    mv "$work/comparison" "$folder"
    echo "$folder: continue with the command that began it; its request:"
    python3 -c 'import json, sys; print(json.dumps(json.load(open(sys.argv[1]))["request"]))' "$folder/compare.json"
}

"$@"
