"""Teaches gdb what Swift's asynchronous functions leave on the stack. Before the program, with: gdb -ix gdb_swift.py PROGRAM CORE

    swift-backtrace    the frames of this thread, and below them the functions that await the one at the end
    swift-tasks        every task that waits: the function that it goes on with, and those that await that one

A frame of an asynchronous function has its asynchronous context below the saved frame pointer, which is marked by bit 60
where the runtime is linked in statically; without its unwinder gdb stops there. A context begins with its parent's address and the function that the parent goes
on with (the Swift ABI's AsyncContext; swift/ABI/Task.h).
"""
import pathlib
import re
import shutil
import subprocess

import gdb
from gdb.unwinder import Unwinder

MARK = 1 << 60
WORD = 8
ALL = (1 << 64) - 1
MOST = 100
# Of swift::AsyncTask: the function that goes on, and the context that it is given.
RESUME, CONTEXT = 7 * WORD, 8 * WORD
# The mangled names of functions that are asynchronous, or go on with one.
ASYNCHRONOUS = re.compile(r"Ya(K\w*)?F|T[YQ]\d+_")


def word(address):
    try:
        return int.from_bytes(gdb.selected_inferior().read_memory(address & ALL, WORD).tobytes(), "little")
    except gdb.MemoryError:
        return None


class Place:
    """Of an address in the program: function, file and line."""

    def __init__(self, pc):
        self.pc = pc
        symbol = gdb.execute(f"info symbol {pc:#x}", to_string=True)
        found = re.match(r"(.+?)(?: \+ \d+)? in section", symbol)
        self.symbol = found[1] if found else None
        line = gdb.find_pc_line(pc)
        self.line = f" at {line.symtab.filename}:{line.line}" if line.symtab and line.line else ""

    @property
    def name(self):
        return demangled(self.symbol) if self.symbol else f"{self.pc:#x}"

    def __str__(self):
        return f"{self.name}{self.line}"


def demangled(symbol, known={}):
    """Where there is a Swift toolchain; the symbol itself elsewhere."""
    if symbol not in known:
        known[symbol] = symbol
        # gdb may have done it itself.
        if symbol.startswith("$s") and shutil.which("swift-demangle"):
            done = subprocess.run(
                ["swift-demangle", "--compact", "--simplified", symbol], capture_output=True, text=True)
            known[symbol] = done.stdout.strip() or symbol
    return known[symbol]


def awaiting(context):
    """The functions that wait for the one with this context, the nearest first."""
    seen = set()
    while context and context not in seen and len(seen) < MOST:
        seen.add(context)
        resume = word(context + WORD)
        if not resume:
            return
        place = Place(resume)
        if not place.symbol:
            return
        yield place
        context = word(context)


class FrameID:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class AsynchronousFrames(Unwinder):
    """Goes on from a frame whose caller's frame pointer carries the mark."""

    def __init__(self):
        super().__init__("swift-async")

    def __call__(self, pending):
        pointer = int(pending.read_register("rbp")) & ALL
        if not pointer & MARK:
            return None
        pointer &= ~MARK
        caller, back = word(pointer), word(pointer + WORD)
        if caller is None or not back:
            return None
        unwound = pending.create_unwind_info(FrameID(gdb.Value(pointer + 2 * WORD), pending.read_register("rip")))
        type_ = pending.read_register("rip").type
        unwound.add_saved_register("rip", gdb.Value(back).cast(type_))
        unwound.add_saved_register("rsp", gdb.Value(pointer + 2 * WORD).cast(pending.read_register("rsp").type))
        unwound.add_saved_register("rbp", gdb.Value(caller).cast(pending.read_register("rbp").type))
        return unwound


class Backtrace(gdb.Command):
    """The frames of this thread, and below them the functions that await the one at the end."""

    def __init__(self):
        super().__init__("swift-backtrace", gdb.COMMAND_STACK)

    def invoke(self, _, __):
        frame, number, context = gdb.newest_frame(), 0, None
        while frame and number < MOST:
            # Where a call never returns, the next address may belong to the next function.
            place = Place(frame.pc() - 1 if number else frame.pc())
            print(f"#{number:<3} {place}")
            context = self.context(frame, place) or context
            frame, number = frame.older(), number + 1
        for place in awaiting(context):
            print(f"#{number:<3} await {place}")
            number += 1

    @staticmethod
    def context(frame, place):
        """The asynchronous context of a frame that has one."""
        pointer = int(frame.read_register("rbp")) & ALL
        slot = pointer & ~MARK
        saved = word(slot)
        is_marked = pointer & MARK or saved is not None and saved & MARK
        return word(slot - WORD) if is_marked or ASYNCHRONOUS.search(place.symbol or "") else None


class Tasks(gdb.Command):
    """Every task that waits: the function that it goes on with, and those that await that one."""

    def __init__(self):
        super().__init__("swift-tasks", gdb.COMMAND_STACK)

    def invoke(self, _, __):
        # Each task is an object whose first word points to what is common to all tasks.
        kind = word(int(gdb.parse_and_eval("(long) &'swift::taskHeapMetadataPtr'")))
        if not kind:
            raise gdb.GdbError("no table of tasks in this program")
        pattern = kind.to_bytes(WORD, "little")
        count = 0
        for start, end in writable():
            at = start
            while at < end:
                at = gdb.selected_inferior().search_memory(at, end - at, pattern)
                if at is None:
                    break
                places = list(self.chain(at)) if at % WORD == 0 else []
                if places:
                    count += 1
                    print(f"task {count} at {at:#x}")
                    for number, place in enumerate(places):
                        print(f"  #{number:<3} {place}")
                at += WORD

    @staticmethod
    def chain(task):
        resume, context = word(task + RESUME), word(task + CONTEXT)
        if not resume or not context:
            return
        place = Place(resume)
        if not place.symbol:
            return
        yield place
        yield from awaiting(context)


def writable():
    """The memory of the heap and of the program's variables: (start, end)."""
    for line in gdb.execute("maint info sections", to_string=True).splitlines():
        found = re.search(r"(0x[0-9a-f]+)->(0x[0-9a-f]+) at 0x[0-9a-f]+: load\d+\w* (.*)", line)
        if found and "READONLY" not in found[3] and "CONTENTS" in found[3]:
            yield int(found[1], 16), int(found[2], 16)


def use_installed_symbols():
    """gdb asks the system's folder only; where this file is installed, the symbols are below the same prefix."""
    folder = pathlib.Path(__file__).resolve().parents[2] / "lib/debug"
    if folder.is_dir():
        gdb.execute(f"set debug-file-directory {gdb.parameter('debug-file-directory')}:{folder}")


use_installed_symbols()
gdb.unwinder.register_unwinder(None, AsynchronousFrames(), replace=True)
Backtrace()
Tasks()
