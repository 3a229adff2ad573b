"""weft.py with a terminal as the device of the interrupt, and a thread as the core. Usage: interrupt.py DIR, the folder of
weft_registers.py."""

import os
import struct
import sys
import threading
import time
import tty

sys.path[:0] = [sys.argv[1], os.path.join(os.path.dirname(__file__), "..")]
import weft
import weft_registers

registers = dict.fromkeys(range(0, 4096, 4), 0)
registers[weft_registers.ID] = weft_registers.ID_VALUE
registers[weft_registers.VERSION] = weft_registers.VERSION_VALUE
access = weft.Access(registers.get, registers.__setitem__, lambda address, size: bytes(size), lambda address, data: None)
core = weft.Weft(access, weft_registers)
terminal, name = os.openpty()
tty.setraw(terminal)
device = os.fdopen(name, "r+b", buffering=0)


def ends_at(times):
    """The interrupt comes as often as it is unmasked, and the run has ended at the last."""
    for count in range(1, times + 1):
        assert struct.unpack("=I", os.read(terminal, 4)) == (1,)
        assert registers[weft_registers.INTERRUPT] & weft_registers.INTERRUPT_ENABLE_MASK
        time.sleep(0.02)
        if count == times:
            registers[weft_registers.STATUS] = weft_registers.STATUS_DONE_MASK
        os.write(terminal, struct.pack("=I", count))


registers[weft_registers.STATUS] = weft_registers.STATUS_RUNNING_MASK
assert not core.wait_for_interrupt(device, 0.05).ended
assert not registers[weft_registers.INTERRUPT] & weft_registers.INTERRUPT_ENABLE_MASK
os.read(terminal, 4)
for times in 1, 2:
    registers[weft_registers.STATUS] = weft_registers.STATUS_RUNNING_MASK
    thread = threading.Thread(target=ends_at, args=[times])
    thread.start()
    assert core.wait_for_interrupt(device, 10).ended
    thread.join()
    os.read(terminal, 4)
assert core.wait_for_interrupt(device).ended
print("interrupt: right")
