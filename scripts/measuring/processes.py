"""Runs programs, and ends all that it started if the whole is interrupted."""

import os
import signal
import subprocess
import threading

from measuring.failure import Failure

_running = set()
_lock = threading.Lock()
_stopping = False


def run(command, accept=(0,), **options):
    """Runs a program to its end and answers it with its output as text. Other statuses than those accepted are failures."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    # Under the lock: a program that starts is either known to `stop`, or does not start.
    with _lock:
        if _stopping:
            raise Failure("interrupted")
        try:
            # A session of its own: ctrl-C reaches only this program, which then ends the others with their children.
            process = subprocess.Popen(command, text=True, stdin=subprocess.DEVNULL, start_new_session=True, **pipes)
        except OSError as error:
            raise Failure(f"{command[0]}: {error.strerror}") from error
        _running.add(process)
    try:
        output, errors = process.communicate()
    finally:
        with _lock:
            _running.discard(process)
    if _stopping:
        raise Failure("interrupted")
    if accept is not None and process.returncode not in accept:
        said = (errors or output or "").strip()
        raise Failure(f"{' '.join(map(str, command))}\nended with status {process.returncode}: {said[-2000:]}")
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def stop():
    """Ends all programs that run, with their children; none is started after this."""
    global _stopping  # pylint: disable=global-statement
    with _lock:
        _stopping = True
        for process in _running:
            try:
                os.killpg(process.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass


def allow():
    """Lets programs start again after `stop`."""
    global _stopping  # pylint: disable=global-statement
    with _lock:
        _stopping = False
