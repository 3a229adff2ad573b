"""Runs one step of plan.json and keeps what it answers, whole or not at all: in results/NAME.json, or, where it could not be
done, in failed/NAME.json, with status 1.

    step.py NAME

A kernel that does not pass and a core that does not fit are results: `weft` then ends with status 1.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

RESULT, FAILURE = Path("results"), Path("failed")


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_text(json.dumps(value, indent=1) + "\n")
    part.replace(path)


def answer(text):
    """The JSON object that a command printed, or None."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def reason(ended, given, log):
    """Why a step has no result: kind and message, as `weft --json` reports errors."""
    if given and "error" in given:
        return given["error"]
    if ended.returncode < 0:
        name = signal.Signals(-ended.returncode).name
        return {"kind": "killed", "message": f"ended by {name}, as when the machine is out of memory"}
    said = log.read_text(errors="replace").strip().splitlines() or ["it said nothing"]
    return {"kind": "ended", "message": f"status {ended.returncode}: {said[-1]}"}


def main(name):
    plan = json.loads(Path("plan.json").read_text())
    step = next(step for step in plan["steps"] if step["name"] == name)
    log = Path("logs") / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    with log.open("w") as stderr:
        command = [plan["program"], *step["command"][1:]]
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, text=True)
    given = answer(ended.stdout)
    if ended.returncode in (0, 1) and given and "error" not in given:
        seconds = round(time.monotonic() - begin, 1)
        write(RESULT / f"{name}.json", {"step": step, "status": ended.returncode, "seconds": seconds, "answer": given})
        (FAILURE / f"{name}.json").unlink(missing_ok=True)
        return 0
    if ended.returncode not in (-signal.SIGINT, -signal.SIGTERM):
        write(FAILURE / f"{name}.json", {"step": step, "error": reason(ended, given, log)})
    return 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    sys.exit(main(sys.argv[1]))
