"""Runs host/weft_serial.py on a pseudoterminal whose other side are stdin and stdout; what it prints goes to stderr.

    relay.py DRIVER ARGUMENT...
"""

import os
import pty
import subprocess
import sys
import threading
import tty

board, line = pty.openpty()
tty.setraw(line)
driver = subprocess.Popen([sys.executable, sys.argv[1], os.ttyname(line), *sys.argv[2:]], stdout=2)


def to_driver():
    while data := os.read(0, 4096):
        os.write(board, data)


def to_board():
    while data := os.read(board, 4096):
        os.write(1, data)


for relay in (to_driver, to_board):
    threading.Thread(target=relay, daemon=True).start()
os._exit(driver.wait())
