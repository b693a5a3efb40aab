# SPDX-License-Identifier: Apache-2.0
"""What the benches share: programs to look at, and what a process used."""
import contextlib
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "integration"))

import targets

IS_LONG = os.environ.get("LONG") == "1"
RING = "anon_inode:bpf-map"


@contextlib.contextmanager
def running(interpreter, name, *args):
    target = targets.Target([interpreter.path, "-B", targets.program(name), *map(str, args)])
    try:
        yield target
    finally:
        target.stop()


@contextlib.contextmanager
def twenty(interpreter, busy):
    """20 programs, of which the first @busy use the processor."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(running(interpreter, "spin.py" if i < busy else "idle.py"))
               for i in range(20)]


def spread(values, digits=2):
    """Median, lowest and highest."""
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def cpu_ms(pid):
    """Processor time of a process and its children: the daemon's opener is one."""
    return sum(targets.cpu_ns(one) for one in [pid, *targets.children(pid)]) / 1e6


def memory_mib(pid):
    """(RssAnon, RssFile without the ring's mapping), from smaps."""
    anon = file = 0
    name = ""
    with open(f"/proc/{pid}/smaps") as f:
        for line in f:
            words = line.split()
            if "-" in words[0]:
                name = words[5] if len(words) > 5 else ""
            elif words[0] == "Rss:" and name != RING:
                file += int(words[1])
            elif words[0] == "Anonymous:" and name != RING:
                anon += int(words[1])
    return anon / 1024, (file - anon) / 1024
