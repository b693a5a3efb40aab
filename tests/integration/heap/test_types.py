# SPDX-License-Identifier: Apache-2.0
"""Live objects and bytes by type and by size, of a program that knows them and made them all
before spprofd was started."""
import pytest

from scanned import count_of, types_of

TOLERANCE = 0.005
HALVED = ["HalvedPlain", "HalvedSlotted", "HalvedExtended"]
OWN = ["Plain", "Slotted", "Extended"] + HALVED
CONTAINERS = ["dict", "list", "tuple", "set"]
ATOMS = ["float", "int", "str", "bytes"]
FEW_BLOCKS, FEW_POOLS = 64, 4  # that the program uses after its last look at itself
ISSUE_KEYS = {"pid", "python", "tier", "scanned_bytes", "rss_bytes", "consistency", "coverage",
              "types", "size_classes"}
TYPE_KEYS = {"name", "module", "objects", "bytes"}
SIZE_KEYS = {"size", "blocks", "pools", "free_blocks"}


@pytest.fixture
def looked(known_heap, interpreter):
    return known_heap(interpreter)


def made(interpreter, truth, name):
    """How many objects of a builtin type there are. Up to 3.10 a plain object has a dict."""
    count = truth["made"][name] + truth["before"].get(name, 0)
    if name == "dict" and interpreter.minor <= 10:
        count += truth["made"]["Plain"] + truth["made"]["HalvedPlain"]
    return count


def off(interpreter, looked, names):
    """{name: (found, true, share)} of those that are further off than they may be."""
    pairs = {name: (count_of(looked.heap, name, "builtins"),
                    made(interpreter, looked.truth, name)) for name in names}
    print({name: f"{found} {found - true:+d}" for name, (found, true) in pairs.items()})
    return {name: pair for name, pair in pairs.items()
            if abs(pair[0] - pair[1]) > TOLERANCE * pair[1]}


def test_the_programs_own_classes_are_counted_exactly(looked, interpreter):
    counts = {name: count_of(looked.heap, name) for name in OWN}
    assert counts == {name: looked.truth["made"][name] for name in OWN}


def test_nothing_that_was_freed_is_counted(looked, interpreter):
    """Every second one was."""
    for name in HALVED:
        assert count_of(looked.heap, name) == looked.truth["halved"] / 2


def test_containers_are_counted(looked, interpreter):
    assert not off(interpreter, looked, CONTAINERS)


def test_numbers_and_texts_are_counted(looked, interpreter):
    assert not off(interpreter, looked, ATOMS)


def test_what_the_collector_tracks_is_counted(looked, interpreter):
    """gc.get_objects(), by type: types of which it tracks each one."""
    for name in ("list", "set"):
        tracked = looked.truth["tracked"][name]
        assert abs(count_of(looked.heap, name, "builtins") - tracked) <= TOLERANCE * tracked, name


def test_bytes_are_whole_blocks(looked, interpreter):
    """Of types whose objects are a block each. Debug hooks and mimalloc have other blocks."""
    types = types_of(looked.heap)
    for name, size in looked.truth["block_bytes"].items():
        objects, total = types[f"__main__.{name}" if name in OWN else f"builtins.{name}"]
        if name in OWN and interpreter.has_gil and not interpreter.version.endswith("d"):
            assert total == objects * size, name
        assert total >= objects * (size - 16) and total / objects < 2 * size + 64, name


def test_blocks_pools_and_free_blocks_are_the_allocators_own(known_heap, with_pools):
    """sys._debugmallocstats()"""
    looked = known_heap(with_pools)
    rows = {row["size"]: row for row in looked.heap["size_classes"]}
    assert looked.truth["size_classes"] and looked.heap["allocator"] == "pymalloc"
    for size, pools, blocks, free in looked.truth["size_classes"]:
        row = rows.get(size, {"blocks": 0, "pools": 0, "free_blocks": 0})
        for key, true, few in (("blocks", blocks, FEW_BLOCKS), ("pools", pools, FEW_POOLS),
                               ("free_blocks", free, FEW_BLOCKS * 4)):
            assert abs(row[key] - true) <= max(few, TOLERANCE * true), (size, key, row, true)


def test_the_sum_of_blocks_is_the_allocators_own(looked, interpreter):
    """sys.getallocatedblocks() counts what lies outside of the pools too."""
    found = sum(row["blocks"] for row in looked.heap["size_classes"])
    true = looked.truth["allocated_blocks"]
    assert abs(found - true) <= TOLERANCE * true, (found, true)


def test_an_idle_heap_is_read_as_it_was_at_one_moment(looked, interpreter):
    heap = looked.heap
    assert heap["consistency"] == 1 and heap["pools"]["changed"] == 0
    assert heap["pools"]["damaged"] == heap["pools"]["unreadable"] == 0


def test_nearly_all_is_explained(looked, interpreter):
    coverage = looked.heap["coverage"]
    print(coverage, looked.heap["duration_ms"], looked.heap["warnings"])
    assert coverage["explained_bytes"] + coverage["unexplained_bytes"] == coverage["live_bytes"]
    assert coverage["explained_bytes"] > 0.95 * coverage["live_bytes"]


def test_sums_agree(looked, interpreter):
    heap = looked.heap
    typed = sum(row["bytes"] for row in heap["types"]) + heap["types_omitted"]["bytes"]
    stored = sum(row["bytes"] for row in heap["storage"])
    arenas = heap["arenas"]
    print(typed, stored, heap["coverage"])
    assert typed <= heap["coverage"]["explained_bytes"] <= typed + stored
    assert arenas["live_bytes"] + arenas["free_bytes"] <= arenas["bytes"]
    assert arenas["fragmentation"] == pytest.approx(arenas["free_bytes"] / arenas["bytes"])
    assert heap["scanned_bytes"] <= arenas["bytes"]
    if interpreter.has_gil:
        blocks = sum(row["size"] * row["blocks"] for row in heap["size_classes"])
        assert blocks == arenas["live_bytes"]


def test_objects_on_free_lists_do_not_count_as_live(looked, interpreter):
    """Or the page says that they are among the others."""
    unused, warnings = looked.heap["unused"], looked.heap["warnings"]
    print(unused, looked.truth["free_listed"], warnings)
    told_apart = unused["objects"] >= 0.5 * looked.truth["free_listed"]
    assert told_apart or any("free list" in text for text in warnings)


def test_the_interface_is_the_issues(looked, interpreter):
    heap = looked.heap
    assert ISSUE_KEYS <= set(heap)
    assert heap["python"] == interpreter.reported and heap["tier"] == "scan"
    assert {"live_bytes", "explained_bytes"} <= set(heap["coverage"])
    assert all(set(row) == TYPE_KEYS for row in heap["types"])
    assert all(set(row) == SIZE_KEYS for row in heap["size_classes"])
    assert 0 < heap["scanned_bytes"] < heap["rss_bytes"]
    order = [row["bytes"] for row in heap["types"]]
    assert order == sorted(order, reverse=True)
    sizes = [row["size"] for row in heap["size_classes"]]
    assert sizes == sorted(set(sizes))
