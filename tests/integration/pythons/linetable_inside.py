# SPDX-License-Identifier: Apache-2.0
"""Run by one CPython with the library: our lines and columns of each code unit of its standard
library, of one file in EVERY, beside its own. Prints JSON: counts of units and of differences.
"""
import ctypes
import dis
import json
import os
import random
import sys
import sysconfig
import types

CODE_UNIT = 2
SINCE_POSITIONS = (3, 11)


def sources(every):
    """The library's own files, in an order of no meaning."""
    found = []
    for folder, folders, files in os.walk(sysconfig.get_path("stdlib")):
        folders[:] = sorted(set(folders) - {"__pycache__", "site-packages", "dist-packages"})
        paths = [os.path.join(folder, name) for name in sorted(files) if name.endswith(".py")]
        found += filter(os.path.exists, paths)  # a link may lead out of an unpacked package
    random.Random(7).shuffle(found)
    return found[::every]


def code_objects(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from code_objects(constant)


def spread(rows, units):
    """Of (start, end, line), in bytes, the line of each unit."""
    lines = [0] * units
    for start, end, line in rows:
        for unit in range(start // CODE_UNIT, min(end // CODE_UNIT, units)):
            lines[unit] = line or 0
    return lines


def lines_of(code):
    """As the interpreter tells them: where co_lines() is not, each start holds to the next."""
    units = len(code.co_code) // CODE_UNIT
    if hasattr(code, "co_lines"):
        return spread(code.co_lines(), units)
    starts = [(0, code.co_firstlineno), *dis.findlinestarts(code), (units * CODE_UNIT, None)]
    return spread([(at, end, line) for (at, line), (end, _) in zip(starts, starts[1:])], units)


def positions_of(code):
    """[line, end line, column, end column, …] as linetable_position() has them."""
    flat = []
    for line, end_line, column, end_column in code.co_positions():
        flat += [line or 0, end_line or 0, -1 if column is None else column,
                 -1 if end_column is None else end_column]
    return flat


def table_of(code):
    return code.co_linetable if sys.version_info >= (3, 10) else code.co_lnotab


class Comparison:
    def __init__(self, library):
        self.library = library
        self.said = {"files": 0, "units": 0, "lines_wrong": 0, "positions": 0, "positions_wrong": 0,
                     "wrong_in": []}

    def look_at(self, code):
        table, lines = table_of(code), lines_of(code)
        wrong = self.library.compare_lines(
            sys.hexversion, table, ctypes.c_size_t(len(table)), code.co_firstlineno,
            (ctypes.c_int * len(lines))(*lines), len(lines))
        self.said["units"] += len(lines)
        self.said["lines_wrong"] += wrong
        if sys.version_info >= SINCE_POSITIONS:
            wrong += self.look_at_positions(code, table, len(lines))
        if wrong:
            self.said["wrong_in"].append("%s:%d" % (code.co_filename, code.co_firstlineno))

    def look_at_positions(self, code, table, units):
        flat = positions_of(code)
        assert len(flat) == 4 * units, code
        wrong = self.library.compare_positions(
            table, ctypes.c_size_t(len(table)), code.co_firstlineno,
            (ctypes.c_int * len(flat))(*flat), units)
        self.said["positions"] += units
        self.said["positions_wrong"] += wrong
        return wrong

    def look_into(self, path):
        with open(path, "rb") as f:
            source = f.read()
        try:
            code = compile(source, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return  # what lib2to3 and test have to show that it is none
        self.said["files"] += 1
        for one in code_objects(code):
            self.look_at(one)


def main(library, every):
    comparison = Comparison(ctypes.CDLL(library))
    for path in sources(int(every)):
        comparison.look_into(path)
    comparison.said["wrong_in"] = comparison.said["wrong_in"][:5]
    print(json.dumps(comparison.said))


main(*sys.argv[1:])
