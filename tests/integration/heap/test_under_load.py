# SPDX-License-Identifier: Apache-2.0
"""A heap that changes as it is read, and one that does not: both say which they are."""
import re

from scanned import count_of

KEPT = 200000
TOLERANCE = 0.005  # a few tenths of a percent
SCANS = 5


def test_counts_hold_while_the_program_churns(scan, start, debian):
    """Objects that stay, and as many that are replaced without pause where those lie."""
    target = start(debian, "heap_churn.py", KEPT)
    target.tell()
    rounds = target.read()
    heaps = [scan(target) for _ in range(SCANS)]
    target.tell()
    assert target.read() > rounds, "it went on"
    for heap in heaps:
        kept, replaced = count_of(heap, "Kept"), count_of(heap, "Replaced")
        print(kept, replaced, heap["consistency"], heap["pools"])
        assert 0 < heap["consistency"] < 1
        assert heap["pools"]["changed"] > 0 and heap["pools"]["damaged"] == 0
        assert abs(kept - KEPT) <= TOLERANCE * KEPT
        assert abs(replaced - KEPT) <= TOLERANCE * KEPT


def test_the_page_says_how_consistent_it_was(client, start, debian):
    target = start(debian, "heap_churn.py", KEPT)
    text = client.succeed("snapshot", "--pid", target.pid, "--types")
    print(text)
    assert re.search(r"changed while it was read: \d\d\.\d % of it is as of one moment", text)


def test_every_interpreter_can_be_read_while_it_works(scan, start, interpreter):
    target = start(interpreter, "heap_churn.py", KEPT // 2)
    heap = scan(target)
    kept, replaced = count_of(heap, "Kept"), count_of(heap, "Replaced")
    print(kept, replaced, heap["consistency"], heap["pools"])
    assert heap["pools"]["damaged"] == 0
    assert abs(kept - KEPT // 2) <= TOLERANCE * KEPT // 2
    assert abs(replaced - KEPT // 2) <= TOLERANCE * KEPT // 2
    assert heap["consistency"] <= 1
