#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Boots a Debian kernel in QEMU; the tests are inside.py's.

CTPROF_KERNEL is the folder that it was unpacked to (scripts/kernels); without it the
one of this machine's Debian is downloaded.  CTPROF_KERNEL_OPTIONS go on the command line of
the kernel; with --less, those with which it measures less.  --sched-ext boots the newest kernel of
Debian, which has sched_ext, for the tests with a BPF scheduler alone.
"""

import os
import sys
from pathlib import Path

import machine
import tap

CONSOLE_LINES = 20


def boot():
    machine.need_tools()
    asked = os.environ.get("CTPROF_KERNEL")
    of_sched_ext = "--sched-ext" in sys.argv
    kernel = (Path(asked) if asked
              else machine.unpack(machine.find() if of_sched_ext else machine.download(machine.own_package())))
    options = os.environ.get("CTPROF_KERNEL_OPTIONS", "")
    options = machine.LESS if "--less" in sys.argv else f"{options} ctprof.only=sched_ext" if of_sched_ext else options
    said, console = machine.boot(kernel, options)
    print(f"# {kernel.name}", said, sep="\n")
    if "\n1.." in "\n" + said and "not ok" not in said:
        return 0
    for line in console.read_text(errors="replace").splitlines()[-CONSOLE_LINES:]:
        print(f"# console: {line}")
    return 1


if __name__ == "__main__":
    try:
        sys.exit(boot())
    except tap.Skip as why:
        print(f"1..0 # SKIP {why}")
