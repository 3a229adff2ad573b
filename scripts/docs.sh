#!/usr/bin/env bash
# Builds the documentation site into out/site, or checks the documentation.
#
#   ./scripts/docs.sh [--check]
#
#   --check  only checks: links and anchors, style, length of pages, and that every figure is up to date and used. Needs
#            Python 3 and nothing else, not even a network.
#
# Without it, the figures in docs/figures are made anew from docs/figures/src, then MkDocs builds the site; a figure that does
# not build, a broken link or a page without a place in the navigation is an error. What that needs (docs-requirements.txt) is
# installed from PyPI into .venv the first time. To read the site, open out/site/index.html.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ ${1-} == --check ]]; then
    shift
    no_arguments "$@"
    exec python3 scripts/docs_check.py
fi
no_arguments "$@"

mapfile -t packages < <(grep -v '^#' scripts/docs-requirements.txt)
install_into_venv docs mkdocs "${packages[@]}"
.venv/bin/python scripts/figures.py || fail "not all figures build"
log=$(NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict --clean --site-dir out/site 2>&1) || fail "the site does not build:"$'\n'"$log"
echo "out/site/index.html"
