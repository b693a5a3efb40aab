# SPDX-License-Identifier: Apache-2.0
"""Objects of known sizes, each kind made on a line of its own. Of most, every second is dropped.

Told "make", it makes them and says what lives of each line: {"line", "caller": the function that
called it, "sizes": [[bytes that one allocation asked for, how many of these]]}. Told "drop", it
drops all, told "drop few" what lines have made that made no more than FEW, and says so. Of types
for which Python keeps dropped objects there are none.
"""
import collections
import gc
import json
import signal
import sys
from array import array

LIMIT_S = 3600
BYTE, LETTER, NOTHING, QUAD = b"x", "x", (None,), array("q", [0])
SHARED = [None] * 20
MIB = 1 << 20
FEW = 500


class Slotted:
    __slots__ = ("first", "second")


class Items(list):
    __slots__ = ()


IN_TWO_PARTS = {kind: sys.getsizeof(kind()) for kind in (bytearray, Items)}
IN_TWO_PARTS[array] = sys.getsizeof(array("q"))


def fill(kept, make):
    for at in range(len(kept)):
        kept[at] = make()


def fill_backwards(kept, make):
    for at in reversed(range(len(kept))):
        kept[at] = make()


def fill_and_halve(kept, make):
    for at in range(len(kept)):
        kept[at] = make()
    for at in range(0, len(kept), 2):
        kept[at] = None


def both(kept):
    """The same line from two callers: two stacks."""
    made = lambda: bytes(207)
    fill(kept[0], made)
    fill_backwards(kept[1], made)
    return made


# How many are made, how, and on which line.
GROUPS = (
    (100000, fill, lambda: object()),
    (60000, fill_and_halve, lambda: Slotted()),
    (60000, fill_and_halve, lambda: bytes(15)),
    (20000, fill, lambda: BYTE * 63),
    (30000, fill_and_halve, lambda: LETTER * 63),
    (6000, fill, lambda: NOTHING * 31),
    (16000, fill_and_halve, lambda: Items(SHARED)),
    (10000, fill_and_halve, lambda: bytes(400 - 33)),
    (5000, fill, lambda: bytearray(303)),
    (8000, fill_and_halve, lambda: BYTE * (512 - 33)),
    (3000, fill, lambda: BYTE * (513 - 33)),
    (6000, fill_and_halve, lambda: bytes(600)),
    (500, fill, lambda: LETTER * 4000),
    (120, fill_and_halve, lambda: BYTE * (32 << 10)),
    (30, fill, lambda: QUAD * (8 << 10)),
    (40, fill_and_halve, lambda: bytearray(100000)),
    (4, fill, lambda: BYTE * MIB),
    (2, fill_and_halve, lambda: bytes(16 * MIB)),
    (1, fill, lambda: bytes(100 * MIB)),
    # Few samples at a rate of 64 KB:
    (3000, fill, lambda: BYTE * (112 - 33)),
    (24000, fill_and_halve, lambda: Slotted()),
    (800, fill, lambda: LETTER * 1000),
    (6000, fill_and_halve, lambda: bytes(208 - 33)),
    (5, fill, lambda: BYTE * (64 << 10)),
)
PIECE = bytes(300)


def make_to_grow(kept):
    for at in range(len(kept)):
        kept[at] = bytearray(100)


def grow(kept):
    for one in kept:
        one += PIECE


def line_of(function, after=0):
    return function.__code__.co_firstlineno + after


def parts(one):
    """Bytes of each allocation that it is made of."""
    first = IN_TWO_PARTS.get(type(one))
    total = sys.getsizeof(one)
    return [first, total - first] if first else [total]


def row(line, caller, sizes):
    counts = collections.Counter(sizes)
    return {"line": line, "caller": caller.__name__, "sizes": sorted(counts.items())}


def living(kept):
    return (part for one in kept if one is not None for part in parts(one))


class Known:
    def __init__(self):
        self.kept = [[None] * count for count, _, _ in GROUPS]
        self.twice = [[None] * 8000, [None] * 8000]
        self.grown = [None] * 5000

    def make(self):
        for kept, (_, filler, make) in zip(self.kept, GROUPS):
            filler(kept, make)
        made = both(self.twice)
        make_to_grow(self.grown)
        grow(self.grown)
        return made

    def truth(self, made):
        rows = [row(line_of(make), filler, living(kept))
                for kept, (_, filler, make) in zip(self.kept, GROUPS)]
        rows += [row(line_of(made), filler, living(kept))
                 for kept, filler in zip(self.twice, (fill, fill_backwards))]
        two_parts = [parts(one) for one in self.grown]
        rows.append(row(line_of(make_to_grow, 2), Known.make, [first for first, _ in two_parts]))
        rows.append(row(line_of(grow, 2), Known.make, [then for _, then in two_parts]))
        return rows

    def drop(self, most):
        for kept in (*self.kept, *self.twice, self.grown):
            for at in range(len(kept) if len(kept) <= most else 0):
                kept[at] = None


def main():
    """What lives is the same each time: it is counted once, while nobody looks."""
    gc.disable()
    known = Known()
    truth = json.dumps(known.truth(known.make()))
    known.drop(sys.maxsize)
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        if line == "make\n":
            known.make()
            print(truth, flush=True)
        else:
            known.drop(FEW if line == "drop few\n" else sys.maxsize)
            print(json.dumps("dropped"), flush=True)


signal.alarm(LIMIT_S)
main()
