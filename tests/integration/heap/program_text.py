# SPDX-License-Identifier: Apache-2.0
"""Compares what a process executes with the files that it is of."""
import re

MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) r-xp ([0-9a-f]+) \S+ \d+ +(/.*)")
PAGE_BYTES = 4096


def executable_mappings(pid):
    """(path, first address, bytes, offset in the file)"""
    with open(f"/proc/{pid}/maps") as f:
        for found in filter(None, map(MAPPING.match, f)):
            start, end, offset = (int(number, 16) for number in found.groups()[:3])
            yield found[4], start, end - start, offset


def differing(there, here):
    """Where bytes do."""
    if there == here:
        return []
    return [at for page in range(0, len(here), PAGE_BYTES)
            if there[page:page + PAGE_BYTES] != here[page:page + PAGE_BYTES]
            for at in range(page, min(page + PAGE_BYTES, len(here))) if there[at] != here[at]]


def changed(pid):
    """["FILE+OFFSET", …] of all bytes that differ from the file's."""
    found, compared = [], 0
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for path, start, size, offset in executable_mappings(pid):
            with open(path, "rb") as f:
                f.seek(offset)
                here = f.read(size)
            memory.seek(start)
            there = memory.read(len(here))
            compared += len(there)
            found += [f"{path}+{offset + at:#x}" for at in differing(there, here)]
    assert compared > 1 << 20, "a Python and its libraries have more"
    return found
