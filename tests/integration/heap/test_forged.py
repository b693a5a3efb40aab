# SPDX-License-Identifier: Apache-2.0
"""A program that has damaged its own allocator's books: the scan ends, and counts what it met."""
import pytest

from scanned import count_of

POOLS = ["loop", "cycle", "outside", "header", "between", "neighbour", "size", "count", "offset"]
LEAST_BYTES = 400  # of an object of Victim
MOST_MS = 2000  # for a heap of 10 MB, on a busy machine


def look(scan, start, interpreter, kind):
    target = start(interpreter, "heap_forged.py", kind)
    heap = scan(target)
    print(count_of(heap, "Victim"), target.ready, heap["pools"], heap["warnings"])
    assert heap["duration_ms"] < MOST_MS
    return heap, target.ready


@pytest.mark.parametrize("kind", POOLS)
def test_a_damaged_pool_is_counted_and_left_out(scan, start, debian, kind):
    heap, truth = look(scan, start, debian, kind)
    assert heap["pools"]["damaged"] == truth["forged"]
    assert count_of(heap, "Victim") == truth["victims"] - truth["forged"] * truth["pool"]
    assert any("contradict" in text for text in heap["warnings"])


@pytest.mark.parametrize("kind", ["type", "type in itself"])
def test_an_object_without_a_type_is_not_explained(scan, start, debian, kind):
    heap, truth = look(scan, start, debian, kind)
    assert heap["pools"]["damaged"] == 0
    assert count_of(heap, "Victim") == truth["victims"] - truth["forged"]
    assert heap["coverage"]["unexplained_bytes"] >= truth["forged"] * LEAST_BYTES


def test_a_list_of_the_collector_that_loops_is_left(scan, start, debian):
    heap, truth = look(scan, start, debian, "gc list")
    assert count_of(heap, "Victim") == truth["victims"]


def test_a_pool_that_cannot_be_read_is_counted(scan, start, debian):
    heap, truth = look(scan, start, debian, "unreadable")
    assert heap["pools"]["unreadable"] == truth["forged"]
    assert count_of(heap, "Victim") == truth["victims"] - truth["forged"] * truth["pool"]
    assert any("could not be read" in text for text in heap["warnings"])


@pytest.mark.parametrize("kind", ["loop", "size", "unreadable"])
def test_on_every_interpreter_with_pools_the_scan_ends(scan, start, with_pools, kind):
    heap, truth = look(scan, start, with_pools, kind)
    pools = heap["pools"]
    assert pools["damaged"] + pools["unreadable"] == truth["forged"]
