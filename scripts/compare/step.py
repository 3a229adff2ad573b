"""Runs one step of plan.json and keeps its answer, completely or not at all: in results/NAME.json. If the step cannot be
done, it writes failed/NAME.json, with status 1.

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
    try:
        with part.open("w") as file:
            file.write(json.dumps(value, indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def answer(text):
    """Returns the JSON object that a command printed, or None."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def reason(status, given, log):
    """Returns why a step has no result: kind and message, as `weft --json` reports errors."""
    if given and "error" in given:
        return given["error"]
    if status < 0:
        name = signal.Signals(-status).name
        return {"kind": "killed", "message": f"ended by {name}, as when the machine is out of memory"}
    said = log.read_text(errors="replace").strip().splitlines() or ["it said nothing"]
    return {"kind": "ended", "message": f"status {status}: {said[-1]}"}


def run(command, stderr):
    """Returns the status and the answer of a command. An interruption goes to the whole group: the command then ends its
    children, and this waits for it."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, text=True)
    try:
        return process.communicate()[0], process.returncode
    except KeyboardInterrupt:
        process.wait()
        raise


def main(name):
    plan = json.loads(Path("plan.json").read_text())
    step = next(step for step in plan["steps"] if step["name"] == name)
    log = Path("logs") / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    with log.open("w") as stderr:
        said, status = run([plan["program"], *step["command"][1:]], stderr)
    given = answer(said)
    if status in (0, 1) and given and "error" not in given:
        seconds = round(time.monotonic() - begin, 1)
        write(RESULT / f"{name}.json", {"step": step, "status": status, "seconds": seconds, "answer": given})
        (FAILURE / f"{name}.json").unlink(missing_ok=True)
        return 0
    if status not in (-signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP):
        write(FAILURE / f"{name}.json", {"step": step, "error": reason(status, given, log)})
    return 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    sys.exit(main(sys.argv[1]))
