#!/usr/bin/env bash
# Writes three tables from the results of `weft compare`: area and frequency in docs/notebook/measurements.md (between the
# markers <!-- area: begin --> and <!-- area: end -->), the rows of the reference unit in README.md (rows), and the units over
# that unit in docs/manual/compare.md (beside).
#
#   ./scripts/readme-area.sh DIR
#
# DIR is the folder of a comparison, complete or not. The first table leaves out cores without a result, and names those that
# do not fit or need more memory than the tools have.

set -euo pipefail
# DIR counts from the caller's folder, but the script works in the root of the repository.
case ${1-} in
    "" | -*) ;;
    *) set -- "$(realpath "$1")" "${@:2}" ;;
esac
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[[ $# -gt 0 && $1 != -* ]] || options "" "${@:---help}"
[[ $# -eq 1 ]] || refuse "expected one folder"
[[ -f $1/results.json ]] || fail "$1 has no results.json: expected the folder of a finished 'weft compare'"

table=$(python3 scripts/area_readme_table.py "$1/results.json")
beside=$(python3 scripts/beside_table.py "$1/results.json")
write_between docs/notebook/measurements.md area <<<"$table"
write_between README.md rows <<<"$(python3 scripts/area_readme_table.py --rows "$1/results.json")"
write_between docs/manual/compare.md beside <<<"$beside"
