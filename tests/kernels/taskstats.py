# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kernel's netlink answer about a thread's delays, obtained without ctprof."""

import socket
import struct

GENERIC = 16  # NETLINK_GENERIC
REQUEST, ERROR = 1, 2
GET_FAMILY, FAMILY_ID, FAMILY_NAME = 3, 1, 2
GET_TASK, TASK_PID, TASK_STATS, TASK_BOTH = 1, 1, 3, 4
# Offsets of "count" in struct taskstats; each total is the next u64.  In version 15 a
# maximum and a minimum followed each of them.
OFFSETS = {"cpu": 16, "blkio": 32, "swapin": 48}
OFFSETS_15 = {"cpu": 16, "blkio": 48, "swapin": 80}


def attribute(kind, data):
    size = 4 + len(data)
    return struct.pack("=HH", size, kind) + data + bytes(-size % 4)


def attributes(data):
    """{kind: bytes}"""
    found = {}
    while len(data) >= 4:
        size, kind = struct.unpack_from("=HH", data)
        found[kind & 0x3FFF] = data[4:size]
        data = data[(size + 3) & ~3:]
    return found


def ask(connection, family, command, payload):
    head = struct.pack("=BBH", command, 1, 0)
    size = 16 + len(head) + len(payload)
    connection.send(struct.pack("=IHHII", size, family, REQUEST, 1, 0) + head + payload)
    answer = connection.recv(65536)
    kind, = struct.unpack_from("=H", answer, 4)
    if kind == ERROR:
        raise OSError(-struct.unpack_from("=i", answer, 16)[0], "the kernel refuses")
    return attributes(answer[20:])


def read_delays(tid):
    """{"cpu_delay_count": ..., "cpu_delay_total_ns": ..., ...}"""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, GENERIC) as connection:
        named = ask(connection, 16, GET_FAMILY, attribute(FAMILY_NAME, b"TASKSTATS\0"))
        family, = struct.unpack("=H", named[FAMILY_ID])
        told = ask(connection, family, GET_TASK, attribute(TASK_PID, struct.pack("=I", tid)))
    stats = attributes(told[TASK_BOTH])[TASK_STATS]
    version, = struct.unpack_from("=H", stats)
    found = {}
    for name, offset in (OFFSETS_15 if version == 15 else OFFSETS).items():
        count, total = struct.unpack_from("=QQ", stats, offset)
        found |= {f"{name}_delay_count": count, f"{name}_delay_total_ns": total}
    return found
