# SPDX-License-Identifier: Apache-2.0
"""heap_types.py PLAIN SLOTTED EXTENDED EACH HALVED: a heap whose content is known.

So many objects of three classes, EACH of eight builtin types (twice that of str, of which a
Python has thousands that it cannot see), and of three more classes HALVED each, of which every
second one was dropped. Says its own truth, of builtin types where EACH is not 0, then waits.
"""
import bisect
import collections
import gc
import json
import os
import re
import signal
import sys
import types

LIMIT_S = 900
ONE_BLOCK = ("Slotted", "HalvedSlotted", "float", "int", "tuple", "set")
DROPPED = 60  # of each type, last: they go to free lists, where there are such
REAL_FIELDS = ("co_consts", "co_names", "co_filename", "co_name")
ONCE_REAL_FIELDS = ("co_code", "co_varnames", "co_freevars", "co_cellvars",
                    "co_linetable" if sys.version_info >= (3, 10) else "co_lnotab")
NEW_FIELDS = ("co_linetable", "co_exceptiontable", "co_qualname")
ROW = re.compile(r" *\d+ +(\d+) +(\d+) +(\d+) +(\d+)\n")
FREE_LIST = re.compile(r"(\d+) free .*\* \d+ bytes each")


class Plain:
    def __init__(self):
        self.first = self.second = None


class Slotted:
    __slots__ = ("first", "second")


class Extended(list):
    pass


class HalvedPlain(Plain):
    pass


class HalvedSlotted(Slotted):
    __slots__ = ()


class HalvedExtended(Extended):
    pass


BUILTIN = {
    "dict": lambda i: {"key": i & 7},
    "list": lambda i: [None, None],
    "tuple": lambda i: (i & 7, None, None),
    "set": lambda i: {i & 7},
    "float": lambda i: i + 0.5,
    "int": lambda i: (1 << 40) + i,
    "str": lambda i: "text %08d" % i,
    "bytes": lambda i: b"bytes %08d" % i,
}


def code_referents(code):
    """The collector does not go through code. What it makes when asked is kept from 3.12 on."""
    if sys.version_info < (3, 11):
        return [getattr(code, name) for name in REAL_FIELDS + ONCE_REAL_FIELDS]
    names = [code.co_varnames, code.co_cellvars, code.co_freevars]
    return ([getattr(code, name) for name in REAL_FIELDS + NEW_FIELDS] +
            (names if sys.version_info >= (3, 12) else list(code.co_varnames)))


def type_referents(kind):
    """Nor through types that are compiled in."""
    return [kind.__dict__, kind.__mro__, kind.__bases__]


def referents(chunk):
    found = gc.get_referents(*chunk)
    for one in chunk:
        found.append(type(one))
        if isinstance(one, types.CodeType):
            found += code_referents(one)
        elif isinstance(one, type):
            found += type_referents(one)
        elif isinstance(one, dict):
            found += list(one)  # keys that are texts are not gone through, either
    return found


def hidden(codes):
    """What nothing leads to: from 3.11 on the names of a code object's variables, and their kinds,
    of which those of one variable are shared by all."""
    counts = collections.Counter()
    for code in codes if sys.version_info >= (3, 11) else ():
        variables = len(code.co_varnames + code.co_cellvars + code.co_freevars)
        counts.update({"tuple": variables > 0, "bytes": variables > 1})
    return counts


def file_ranges():
    """Where objects lie that were compiled in: nobody allocated those."""
    with open("/proc/self/maps") as f:
        rows = [line.split(None, 5) for line in f]
    return [[0, 0]] + [[int(end, 16) for end in row[0].split("-")]
                       for row in rows if row[4] != "0"]


def known_before():
    """type -> how many there are, as far as can be told from inside. Frames hold what looks."""
    chunk = gc.get_objects()
    ranges = file_ranges()
    starts = [start for start, _ in ranges]
    seen = {}
    while chunk:
        new = {}
        for one in chunk:
            if id(one) not in seen and not isinstance(one, types.FrameType):
                new[id(one)] = one
        seen.update(new)
        chunk = referents(list(new.values()))
    made = [one for at, one in seen.items()
            if at >= ranges[bisect.bisect(starts, at) - 1][1]]
    return (collections.Counter(type(one).__qualname__ for one in made) +
            hidden(one for one in made if isinstance(one, types.CodeType)))


def make(counts, each, halved):
    heap = {kind.__name__: [kind() for _ in range(count)]
            for kind, count in zip((Plain, Slotted, Extended), counts)}
    heap.update((name, [build(i) for i in range(each)]) for name, build in BUILTIN.items())
    heap["str"] += map(BUILTIN["str"], range(each))
    for kind in (HalvedPlain, HalvedSlotted, HalvedExtended):
        heap[kind.__name__] = [kind() for _ in range(halved)]
    for kind in (HalvedPlain, HalvedSlotted, HalvedExtended):
        del heap[kind.__name__][::2]
    return heap


def allocator_stats():
    """What sys._debugmallocstats() writes."""
    file, kept = os.memfd_create("stats"), os.dup(2)
    os.dup2(file, 2)
    sys._debugmallocstats()
    os.dup2(kept, 2)
    os.close(kept)
    with open(file, closefd=True) as f:
        f.seek(0)
        return f.read()


def block_bytes(one):
    """Of an object that is one block."""
    return (sys.getsizeof(one) + 15) // 16 * 16


def main():
    *counts, each, halved = map(int, sys.argv[1:])
    gc.collect()
    gc.disable()
    before = known_before() if each else {}
    gc.collect()
    heap = make(counts, each, halved)
    gc.collect()
    for build in BUILTIN.values():
        list(map(build, range(DROPPED)))
    truth = {
        "made": {name: len(objects) for name, objects in heap.items()},
        "halved": halved,
        "before": before,
        "tracked": collections.Counter(type(one).__qualname__ for one in gc.get_objects()),
        "block_bytes": {name: block_bytes(heap[name][0]) for name in ONE_BLOCK if heap[name]},
    }
    stats = allocator_stats()
    truth["size_classes"] = [list(map(int, row)) for row in ROW.findall(stats)]
    truth["free_listed"] = sum(map(int, FREE_LIST.findall(stats)))
    truth["allocated_blocks"] = sys.getallocatedblocks()
    print(json.dumps(truth), flush=True)
    sys.stdin.read()


signal.alarm(LIMIT_S)
main()
