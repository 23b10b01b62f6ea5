#!/usr/bin/env python3
"""Kills one side of a served command at its Nth system call, or any command at its Nth step.

    kill_at.py --report FILE [--at N] COMMAND [ARG ...]     the side of the command, from its connection on
    kill_at.py --report FILE [--at N] --server PID          the side of the server, once it has taken a connection
    kill_at.py --report FILE [--at N] --steps COMMAND …     a command of its own: only calls count that others can notice, which
                                                            are datagrams, and what makes, renames, removes or syncs files

The calls of all threads count together. The one with the number N is not made any more: the process gets SIGKILL first.
Without N, the side lives on, and the report says how many calls there are. With --server, a line on stdout says that the
server is traced. The report is a line of JSON: `calls`, their number up to the end; `killed`; `call`, the one that was not
made; `phase`, how far both sides were (PHASES). The exit code is the command's own.
"""
import argparse
import ctypes
import json
import os
import platform
import signal
import sys

# How far a command is, by what the side that is killed has heard or told: nothing, that the server takes it, the command itself,
# and what came of it.
PHASES = ["open", "accepted", "handed", "told"]

# Numbers of system calls that matter (<asm/unistd.h>).
NUMBERS = {
    "x86_64": {0: "read", 1: "write", 3: "close", 20: "writev", 42: "connect", 44: "sendto", 45: "recvfrom",
               46: "sendmsg", 47: "recvmsg", 43: "accept", 288: "accept4", 307: "sendmmsg", 74: "fsync",
               75: "fdatasync", 82: "rename", 264: "renameat", 316: "renameat2", 87: "unlink", 263: "unlinkat",
               86: "link", 265: "linkat", 83: "mkdir", 258: "mkdirat", 84: "rmdir"},
    "aarch64": {63: "read", 64: "write", 57: "close", 66: "writev", 203: "connect", 206: "sendto", 207: "recvfrom",
                211: "sendmsg", 212: "recvmsg", 202: "accept", 242: "accept4", 269: "sendmmsg", 82: "fsync",
                83: "fdatasync", 38: "renameat", 276: "renameat2", 35: "unlinkat", 37: "linkat", 34: "mkdirat"},
}[platform.machine()]
RECEIVING, SENDING = ("read", "recvfrom"), ("write", "sendto")
FILES = ("fsync", "fdatasync", "rename", "renameat", "renameat2", "unlink", "unlinkat", "link", "linkat", "mkdir", "mkdirat",
         "rmdir")

# <linux/ptrace.h>
SEIZE, INTERRUPT, SYSCALL, GET_SYSCALL_INFO = 0x4206, 0x4207, 24, 0x420E
TRACE_SYSGOOD, TRACE_CLONE, TRACE_EXEC = 0x1, 0x8, 0x10
EVENT_STOP = 128
ENTRY, EXIT = 1, 2
ALL_THREADS = 0x40000000

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


class Info(ctypes.Structure):
    """struct ptrace_syscall_info; an exit has its result in the place of `number`."""

    _fields_ = [("what", ctypes.c_uint8), ("pad", ctypes.c_uint8 * 3), ("machine", ctypes.c_uint32),
                ("instruction", ctypes.c_uint64), ("stack", ctypes.c_uint64),
                ("number", ctypes.c_int64), ("arguments", ctypes.c_uint64 * 6)]


def ptrace(request, thread, address=0, data=0):
    result = libc.ptrace(request, thread, address, data)
    if result < 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request:#x} of {thread}")
    return result


class Tracer:
    """Goes with a process from call to call."""

    def __init__(self, process, at, is_server, steps=False):
        self.process, self.at, self.is_server, self.steps = process, at, is_server, steps
        self.calls, self.phase, self.killed, self.call = 0, 0, False, None
        # The connection; the calls that threads are in.
        self.descriptor, self.inside = None, {}
        self.is_over = False

    def memory(self, address, length):
        try:
            with open(f"/proc/{self.process}/mem", "rb", buffering=0) as file:
                return os.pread(file.fileno(), length, address)
        except OSError:
            return b""

    def is_step(self, name, arguments):
        """Whether others can notice a call. A datagram has an address; what goes over a connection, such as the bus, has none."""
        if name == "sendto":
            return arguments[4] != 0
        if name in ("sendmsg", "sendmmsg"):
            return any(self.memory(arguments[1], 8))
        return name in FILES

    def entered(self, thread, number, arguments):
        name = NUMBERS.get(number, str(number))
        if self.steps:
            if self.is_step(name, arguments):
                self.count(name)
            return
        self.inside[thread] = name, arguments
        if not self.is_server and self.descriptor is None and name == "connect":
            if b"/shell-" in self.memory(arguments[1], arguments[2]):
                self.descriptor = arguments[0]
        if self.descriptor is None or self.is_over:
            return
        self.count(name)

    def count(self, name):
        self.calls += 1
        if self.calls == self.at:
            self.killed, self.call = True, name
            os.kill(self.process, signal.SIGKILL)

    def left(self, thread, result):
        name, arguments = self.inside.pop(thread, (None, None))
        if name is None or result < 0:
            return
        if self.is_server and self.descriptor is None and name in ("accept", "accept4"):
            self.descriptor = result
        elif self.descriptor is None or arguments[0] != self.descriptor:
            return
        elif name in RECEIVING:
            self.passed(self.memory(arguments[1], min(result, 64)), is_received=True)
        elif name in SENDING:
            self.passed(self.memory(arguments[1], min(result, 64)), is_received=False)
        elif name == "close" and self.is_server:
            # What comes later has nothing to do with the command; without N, this is the end.
            self.is_over = not self.at

    def passed(self, octets, is_received):
        """Notes what has come or gone."""
        from_server = is_received != self.is_server
        if from_server:
            phase = {b"a": "accepted", b"o": "told", b"x": "told"}.get(octets[:1])
        else:
            phase = "handed" if octets.startswith(b'{"run"') else None
        if phase:
            self.phase = max(self.phase, PHASES.index(phase))

    def follow(self):
        """Until the process has ended: its status. `None` once the server, which lives on, has ended the connection."""
        while not (self.is_server and self.is_over):
            thread, status = os.waitpid(-1, ALL_THREADS)
            if not os.WIFSTOPPED(status):
                self.inside.pop(thread, None)
                if thread == self.process:
                    return status
                continue
            number, event = os.WSTOPSIG(status), status >> 16
            passed_on = 0
            try:
                if number == signal.SIGTRAP | 0x80:
                    self.at_call(thread)
                elif event == 0:
                    passed_on = number
                ptrace(SYSCALL, thread, 0, passed_on)
            except ProcessLookupError:
                # It was killed meanwhile.
                pass
        return None

    def at_call(self, thread):
        info = Info()
        ptrace(GET_SYSCALL_INFO, thread, ctypes.sizeof(info), ctypes.addressof(info))
        if info.what == ENTRY:
            self.entered(thread, info.number, list(info.arguments))
        elif info.what == EXIT:
            self.left(thread, info.number)


def attach(process):
    """Traces all threads of a process that runs."""
    for thread in os.listdir(f"/proc/{process}/task"):
        ptrace(SEIZE, int(thread), 0, TRACE_SYSGOOD | TRACE_CLONE)
        ptrace(INTERRUPT, int(thread))


def start(command):
    """Starts a command, which is traced from its first instruction on."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        # It waits until it is traced.
        os.close(theirs)
        os.read(ours, 1)
        os.execvp(command[0], command)
    os.close(ours)
    ptrace(SEIZE, child, 0, TRACE_SYSGOOD | TRACE_CLONE | TRACE_EXEC)
    os.close(theirs)
    return child


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--report", required=True)
    p.add_argument("--at", type=int, default=0)
    p.add_argument("--server", type=int)
    p.add_argument("--steps", action="store_true")
    p.add_argument("command", nargs=argparse.REMAINDER)
    options = p.parse_args()
    if options.server:
        process = options.server
        attach(process)
        print("traced", flush=True)
    else:
        process = start(options.command)
    tracer = Tracer(process, options.at, bool(options.server), options.steps)
    status = tracer.follow()
    with open(options.report, "w") as file:
        json.dump({"calls": tracer.calls, "killed": tracer.killed, "call": tracer.call,
                   "phase": PHASES[tracer.phase]}, file)
    if options.server or status is None:
        return 0
    if os.WIFSIGNALED(status):
        # The same end as the command's.
        os.kill(os.getpid(), os.WTERMSIG(status))
    return os.WEXITSTATUS(status)


if __name__ == "__main__":
    sys.exit(main())
