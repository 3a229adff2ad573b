#!/usr/bin/env bash
# Tries `weft compare --profile` on a real SLURM with one node, this machine. The controller, the node daemon and munge run as
# the present user and end with the script. The comparison is small: it uses the golden model, and only counts areas.
#
#   ./scripts/try-slurm.sh
#
# Installs Debian's slurm-wlm and munge if they are missing, as root. It does not touch an existing SLURM. Ends with status 1
# if the comparison fails, or if any of its steps did not run as a job of this SLURM.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
no_arguments "$@"

./scripts/setup.sh --comparison
export PATH=$PATH:/usr/sbin
if ! command -v slurmctld >/dev/null || ! command -v slurmd >/dev/null || ! command -v munged >/dev/null; then
    [[ $(id -u) -eq 0 ]] || fail "missing: slurm-wlm munge. Not root; ask an administrator for: apt-get install slurm-wlm munge"
    apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    if ! { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends slurm-wlm munge; } >&2; then
        fail "apt-get install slurm-wlm munge failed"
    fi
fi
build_weft
weft=$(realpath "$weft")

work=$(mktemp -d)
daemons=()
stop() {
    if [[ ${#daemons[@]} -ne 0 ]]; then
        kill "${daemons[@]}" 2>/dev/null || true
        wait "${daemons[@]}" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap stop EXIT
# munge refuses folders with write permission for others, parent folders included, unless they are sticky.
chmod 755 "$work"
mkdir -m 755 "$work/munge"
mkdir "$work/state" "$work/spool" "$work/profile"

# Waits for $1; the other arguments are a command that succeeds when it is there.
wait_for() {
    local what=$1
    shift
    for _ in $(seq 150); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.2
    done
    tail -n 20 "$work"/*.log >&2
    fail "$what did not start"
}

head -c 1024 /dev/urandom >"$work/munge/key"
chmod 400 "$work/munge/key"
munged --foreground --num-threads=2 --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --seed-file="$work/munge/seed" --log-file="$work/munge/log" >"$work/munged.log" 2>&1 &
daemons+=($!)
wait_for munged test -S "$work/munge/socket"

host=$(hostname -s)
memory=$(awk '/^MemTotal/ { print int($2 / 1024 * 0.9) }' /proc/meminfo)
# Ports that differ from those of another SLURM here.
port=$((20000 + $$ % 20000))
cat >"$work/slurm.conf" <<END
ClusterName=weft
SlurmctldHost=$host(localhost)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
ReturnToService=2
MinJobAge=600
JobCompType=jobcomp/filetxt
JobCompLoc=$work/jobs
NodeName=$host NodeAddr=localhost CPUs=$(nproc) RealMemory=$memory State=UNKNOWN
PartitionName=weft Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$work/slurm.conf
slurmctld -D -f "$SLURM_CONF" >"$work/slurmctld.out.log" 2>&1 &
daemons+=($!)
wait_for slurmctld scontrol ping
slurmd -D -f "$SLURM_CONF" -N "$host" >"$work/slurmd.out.log" 2>&1 &
daemons+=($!)
node_is_idle() {
    [[ $(sinfo --noheader --format=%T) == idle ]]
}
wait_for "the node" node_is_idle
sinfo --version

# The plugin removes SLURM's variables before it calls srun inside a job. Other machines have their configuration in /etc,
# which this script does not touch.
mkdir "$work/bin"
printf '#!/bin/sh\nSLURM_CONF=%q exec %q "$@"\n' "$SLURM_CONF" "$(command -v srun)" >"$work/bin/srun"
chmod +x "$work/bin/srun"
export PATH=$work/bin:$PATH

cat >"$work/profile/config.yaml" <<END
executor: slurm
jobs: $(nproc)
slurm-no-account: true
slurm-status-command: squeue
slurm-init-seconds-before-status-checks: 2
latency-wait: 20
group-components: runs=$(nproc)
default-resources:
  slurm_partition: weft
  runtime: 30
END
compare=("$weft" compare --quick --engine model --seeds 0 --units "pdom-stack,sorted-table" --threads 2 --kernels "gcd,recursion"
    --profile "$work/profile" --out "$work/comparison")
if ! "${compare[@]}"; then
    find "$work/comparison/logs" "$work/comparison/.snakemake/slurm_logs" -name '*.log' -exec tail -n 30 {} + >&2 || true
    fail "the comparison failed"
fi

# Each step except the report runs in a job.
jobs=$(grep -c 'JobState=COMPLETED' "$work/jobs" || true)
results=$(find "$work/comparison/results" -name '*.json' | wc -l)
echo "$results results by $jobs completed jobs of SLURM"
grep -v 'JobState=COMPLETED' "$work/jobs" >&2 && fail "some jobs did not complete"
# There are two units with five steps each, in two jobs for their runs, and the build of the kernels.
((jobs >= 4 && results == 9)) || fail "expected nine results, by at least four jobs"
"${compare[@]}" --json | python3 -c '
import json, sys
again = json.load(sys.stdin)
assert again["done"] == again["steps"] and not again["failed"], again'
[[ $(grep -c 'JobState=COMPLETED' "$work/jobs") -eq $jobs ]] || fail "the same command repeated steps"
