# SPDX-License-Identifier: Apache-2.0
"""Where mimalloc has the objects: without a GIL, and with PYTHONMALLOC=mimalloc."""
import pytest

from scanned import count_of, types_of

EACH, LONG_EACH = 40000, 500000
COUNTS = [5000, 3000, 1000, 200000, 20000]  # many, as constants of the binary lie in no heap
OWN = ["Plain", "Slotted", "Extended", "HalvedPlain", "HalvedSlotted", "HalvedExtended"]
TOLERANCE = 0.005


@pytest.fixture(params=["mimalloc", "mimalloc_debug"])
def with_mimalloc(request):
    return ["env", f"PYTHONMALLOC={request.param}"]


def test_objects_of_ended_threads_are_counted_and_those_that_others_dropped_are_not(
        scan, start, mimalloc_python, with_mimalloc, is_long):
    target = start(mimalloc_python, "heap_threads.py", LONG_EACH if is_long else EACH,
                   prefix=with_mimalloc)
    heap, blocks = scan(target), target.ready.pop("blocks")
    assert heap["allocator"] == "mimalloc"
    assert {name: count_of(heap, name) for name in target.ready} == target.ready
    if not mimalloc_python.has_gil:  # else it counts what one thread has
        found = sum(row["blocks"] for row in heap["size_classes"])
        assert abs(found - blocks) <= TOLERANCE * blocks


def test_types_are_counted_as_with_any_allocator(scan, start, mimalloc_python, with_mimalloc):
    target = start(mimalloc_python, "heap_types.py", *COUNTS, prefix=with_mimalloc)
    heap = scan(target)
    made, types = target.ready["made"], types_of(heap)
    assert {name: count_of(heap, name) for name in OWN} == {name: made[name] for name in OWN}
    for name in ("dict", "list", "tuple", "set", "float", "int", "str", "bytes"):
        true = made[name] + target.ready["before"].get(name, 0)
        assert abs(types[f"builtins.{name}"][0] - true) <= TOLERANCE * true, name
    assert heap["pools"]["damaged"] == heap["pools"]["unreadable"] == 0
    assert heap["coverage"]["explained_bytes"] > 0.95 * heap["coverage"]["live_bytes"]
