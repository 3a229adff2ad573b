"""Loads a program into a core on a board over its serial line, runs it, and reads its results.

    python3 weft_serial.py PORT PROGRAM.elf [options]

PORT is the serial line, such as /dev/ttyUSB0. The core was emitted for the board with a control port:
`weft emit --preset accelerator --board ulx3s ...`. Needs Python 3.9 on a POSIX system, and no package.

examples:
  python3 host/weft_serial.py /dev/ttyUSB0 kernel.elf --registers project
  python3 host/weft_serial.py /dev/ttyUSB0 scale.elf --argument 3 --write input=numbers.bin --read output=384=scaled.bin

Prints what the program prints. Exit status: 0 the run passed, 1 it failed or did not end, 2 the request is at fault.
"""

import argparse
import contextlib
import importlib.util
import os
import pathlib
import select
import struct
import sys
import termios

from weft import Access, Weft, WeftError

CONTROL = 0x90000000
READ, WRITE, NOTHING = b"r", b"w", b"\0"
# Most words of a command, and bytes that end any command that was cut off.
WORDS = 256
LONGEST = 6 + 4 * WORDS


class Line:
    """A serial line: 8 data bits, no parity, one stop bit."""

    def __init__(self, path: str, baud: int, patience: float):
        self.patience = patience
        speed = getattr(termios, f"B{baud}", None)
        if speed is None:
            raise WeftError(f"this system has no rate of {baud} baud")
        self._file = os.open(path, os.O_RDWR | os.O_NOCTTY)
        with contextlib.suppress(termios.error):
            mode = termios.tcgetattr(self._file)
            control = termios.CS8 | termios.CREAD | termios.CLOCAL
            termios.tcsetattr(self._file, termios.TCSANOW, [0, 0, control, 0, speed, speed, mode[6]])

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._file, data) :]

    def read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            if not select.select([self._file], [], [], self.patience)[0]:
                raise WeftError(f"no answer within {self.patience} s: is the board configured, and is the rate right?")
            data += self._some(size - len(data))
        return data

    def _some(self, most):
        data = os.read(self._file, most)
        if not data:
            raise WeftError("the serial line was closed")
        return data

    def drop(self, quiet: float) -> None:
        """Drops what arrives, until nothing has for `quiet` seconds."""
        while select.select([self._file], [], [], quiet)[0]:
            self._some(LONGEST)


class Board:
    """The words that a computer reads and writes through a line with `write(bytes)` and `read(size)`."""

    def __init__(self, line):
        self.line = line
        line.write(NOTHING * LONGEST)
        line.drop(0.2)

    def _command(self, letter, address, words, data=b""):
        self.line.write(letter + struct.pack("<BI", words - 1, address) + data)
        answer = self.line.read((4 * words if letter == READ else 0) + 1)
        if answer[-1]:
            raise WeftError(f"the board refused {words} words at {address:#010x}: its RAM is smaller")
        return answer[:-1]

    def read_words(self, address: int, count: int) -> bytes:
        parts = [(address + 4 * at, min(WORDS, count - at)) for at in range(0, count, WORDS)]
        return b"".join(self._command(READ, *part) for part in parts)

    def write_words(self, address: int, data: bytes) -> None:
        for at in range(0, len(data), 4 * WORDS):
            part = data[at : at + 4 * WORDS]
            self._command(WRITE, address + at, len(part) // 4, part)

    def access(self) -> Access:
        return Access(
            read_register=lambda offset: struct.unpack("<I", self.read_words(CONTROL + offset, 1))[0],
            write_register=lambda offset, value: self.write_words(CONTROL + offset, struct.pack("<I", value)),
            read_memory=self._read, write_memory=self._write,
        )

    def _read(self, address, size):
        first = address & -4
        return self.read_words(first, (address + size + 3 - first) // 4)[address - first :][:size]

    def _write(self, address, data):
        """Words at both ends keep the bytes beside the data."""
        first, end = address & -4, address + len(data)
        before = self.read_words(first, 1)[: address - first] if address % 4 else b""
        after = self.read_words(end & -4, 1)[end % 4 :] if end % 4 else b""
        self.write_words(first, before + data + after)


def registers(folder: pathlib.Path):
    """The module weft_registers that `weft emit` has written."""
    path = folder / "weft_registers.py"
    if not path.is_file():
        raise WeftError(f"no {path}: --registers names the folder that `weft emit` has written")
    spec = importlib.util.spec_from_file_location("weft_registers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pair(count):
    def parts(text):
        found = text.split("=", count - 1)
        if len(found) != count:
            raise argparse.ArgumentTypeError(f"expected {count} parts with `=` between them, not {text!r}")
        return found

    return parts


def arguments(words):
    description, _, examples = __doc__.partition("examples:")
    parser = argparse.ArgumentParser(
        description=description.split("\n")[0], epilog="examples:" + examples, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("port", help="the serial line, such as /dev/ttyUSB0")
    parser.add_argument("program", type=pathlib.Path, help="an ELF executable")
    parser.add_argument("--registers", type=pathlib.Path, default=".", metavar="DIR", help="folder with weft_registers.py [.]")
    parser.add_argument("--baud", type=int, default=115200, metavar="N", help="rate that the core was emitted with [115200]")
    parser.add_argument("--argument", type=lambda text: int(text, 0), default=0, metavar="N", help="what weft_argument() returns [0]")
    parser.add_argument("--write", type=pair(2), action="append", default=[], metavar="SYMBOL=FILE",
                        help="write a file into a buffer of the program before the run")
    parser.add_argument("--read", type=pair(3), action="append", default=[], metavar="SYMBOL=BYTES=FILE",
                        help="write bytes of the program to a file after the run")
    parser.add_argument("--ram-base", type=lambda text: int(text, 0), default=0x80000000, metavar="N",
                        help="memory.base of the core [0x80000000]")
    parser.add_argument("--ram-bytes", type=lambda text: int(text, 0), default=1 << 17, metavar="N",
                        help="memory.ram_bytes of the core [131072]")
    parser.add_argument("--polls", type=int, default=10_000, metavar="N", help="how often to ask whether the run has ended [10000]")
    parser.add_argument("--patience", type=float, default=2, metavar="S", help="longest time without an answer, in seconds [2]")
    return parser.parse_args(words)


def run(asked) -> bool:
    line = Line(asked.port, asked.baud, asked.patience)
    core = Weft(Board(line).access(), registers(asked.registers), range(asked.ram_base, asked.ram_base + asked.ram_bytes))
    core.stop()
    program = core.load(asked.program.read_bytes())
    for symbol, file in asked.write:
        core.write(program.symbol(symbol), pathlib.Path(file).read_bytes())
    core.start(asked.argument)
    result = core.wait(asked.polls)
    sys.stdout.buffer.write(result.console)
    sys.stdout.flush()
    for symbol, size, file in asked.read:
        pathlib.Path(file).write_bytes(core.read(program.symbol(symbol), int(size, 0)))
    if not result.ended:
        core.stop()
        if core.shows_paths:
            print(*core.paths(), sep="\n", file=sys.stderr)
        print(f"still running after {asked.polls} polls: stopped; --polls waits longer", file=sys.stderr)
    for what in (result.fault, result.bus_error):
        if what:
            print(what, file=sys.stderr)
    if result.exit_code:
        print(f"hart {result.exit_hart} ended with exit code {result.exit_code}", file=sys.stderr)
    print(f"{result.cycles} cycles, {result.thread_instructions} thread instructions", file=sys.stderr)
    return result.passed


def main() -> int:
    asked = arguments(sys.argv[1:])
    try:
        return 0 if run(asked) else 1
    except (WeftError, OSError, ValueError) as error:
        print(f"weft_serial: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
