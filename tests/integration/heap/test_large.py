# SPDX-License-Identifier: Apache-2.0
"""What is larger than a block: containers one by one, their storage, texts as a sum of bytes."""
import pytest

from scanned import count_of, types_of

AMONG = 10000  # objects of a builtin type that a Python itself has at most
STORAGE = {"list items": "list", "dict keys and values": "dict", "set tables": "set"}
TOLERANCE = 0.05  # of sizes: the C library rounds up
MIMALLOC_STEP = 0.15  # from one size of blocks to the next, an eighth
AROUND = 300  # bytes of an object that are not of what it holds, at most
REST = 0.08  # the C library's own, stacks


@pytest.fixture(scope="module")
def known():
    """What was found of each interpreter: it is looked at once for all tests."""
    return {}


@pytest.fixture
def look(scan, start, known):
    def once(interpreter):
        if interpreter.version not in known:
            target = start(interpreter, "heap_large.py")
            known[interpreter.version] = scan(target), target.ready
        return known[interpreter.version]

    return once


def test_large_objects_are_counted(look, interpreter):
    heap, truth = look(interpreter)
    assert count_of(heap, "Wide") == truth["count"]
    for name in ("tuple", "list", "dict", "set"):
        assert truth["count"] <= count_of(heap, name, "builtins") < truth["count"] + AMONG, name


def test_what_they_hold_is_weighed(look, interpreter):
    """An object by what it takes itself, and what it holds as storage."""
    heap, truth = look(interpreter)
    tolerance = TOLERANCE if interpreter.has_gil else MIMALLOC_STEP
    found = {"Wide": types_of(heap)["__main__.Wide"][1],
             "tuple": types_of(heap)["builtins.tuple"][1]}
    found.update({STORAGE[row["name"]]: row["bytes"] for row in heap["storage"]})
    print(found, truth["bytes"])
    for name, true in truth["bytes"].items():
        assert abs(found[name] - true) < tolerance * true + AROUND * truth["count"], name


def test_texts_are_told_as_a_sum_of_bytes(look, with_pools):
    """They are in no list of the collector: what lies outside and is of nothing else."""
    heap, truth = look(with_pools)
    known = sum(row["outside_bytes"] for row in heap["storage"]) + sum(
        truth["bytes"][name] for name in ("Wide", "tuple"))
    print(heap["outside"], known, truth["texts"])
    rest = heap["outside"]["other_bytes"] - known
    assert abs(rest - truth["texts"]) < REST * truth["texts"]
    assert heap["outside"]["other_bytes"] <= heap["outside"]["anon_bytes"] <= heap["rss_bytes"]


def test_without_pools_texts_have_their_types(look, free_threaded):
    """mimalloc has blocks of any size."""
    heap, truth = look(free_threaded)
    types = types_of(heap)
    found = types["builtins.str"][1] + types["builtins.bytes"][1]
    print(found, truth["texts"])
    assert truth["texts"] < found < (1 + MIMALLOC_STEP) * truth["texts"]
