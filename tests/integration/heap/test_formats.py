# SPDX-License-Identifier: Apache-2.0
"""The heap as a profile: a type is a frame, the unit is bytes, and the sum is what is live."""
import json
import re
import shutil
import subprocess

import pytest

from profiles import PprofReader, message, one, read_collapsed, read_speedscope
from scanned import types_of
from speedscope import Speedscope

COUNTS = [20000, 10000, 5000, 2000, 10000]
OF_THEM = ["Plain", "Slotted", "HalvedSlotted"]
APART = 0.001  # of two scans of a program that waits


@pytest.fixture
def target(start, debian):
    return start(debian, "heap_types.py", *COUNTS)


@pytest.fixture
def write(client, target, tmp_path):
    """write(FORMAT): what the command writes into a file."""
    def write_one(name):
        path = tmp_path / f"heap.{name}"
        client.succeed("snapshot", "--pid", target.pid, "--heap", "-f", name, "-o", path)
        return path

    return write_one


def check_weights(heap, weights, total):
    """Bytes by name of a frame, of classes whose names are unlike all others."""
    types = types_of(heap)
    assert {name: weights[name] for name in OF_THEM} == {
        name: types[f"__main__.{name}"][1] for name in OF_THEM}
    live = heap["coverage"]["live_bytes"]
    assert abs(total - live) <= APART * live, (total, live)


def test_collapsed(scan, target, write):
    rows = read_collapsed(write("collapsed").read_text())
    weights = {re.sub(r" \(.*\)$", "", stack[-1]): number for stack, number in rows}
    check_weights(scan(target), weights, sum(number for _, number in rows))


def test_speedscope_and_its_importer(scan, target, write, tmp_path):
    text = write("speedscope").read_text()
    file = read_speedscope(text, unit="bytes")
    profile, = file["profiles"]
    weights = {file["shared"]["frames"][stack[-1]]["name"]: weight
               for stack, weight in zip(profile["samples"], profile["weights"])}
    check_weights(scan(target), weights, sum(profile["weights"]))
    Speedscope(tmp_path).check_imported(text)


def test_pprof(scan, target, write):
    reader = PprofReader(write("pprof").read_bytes())
    kinds = [message(value) for value in reader.top[1]]
    assert [reader.strings[one(kind, 2)] for kind in kinds][-1] == "bytes"
    samples = list(reader.samples())
    weights = {sample.frames[0].function: sample.weight for sample in samples}
    counts = {sample.frames[0].function: sample.count for sample in samples}
    heap = scan(target)
    check_weights(heap, weights, sum(sample.weight for sample in samples))
    assert {name: counts[name] for name in OF_THEM} == {
        name: target.ready["made"][name] for name in OF_THEM}


@pytest.mark.skipif(not shutil.which("go"), reason="no go tool pprof on this machine")
def test_pprofs_own_tool_reads_it(scan, target, write):
    said = subprocess.run(["go", "tool", "pprof", "-top", "-unit=bytes", write("pprof")],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    print(said.stdout[:1500])
    types = types_of(scan(target))
    for name in OF_THEM:
        assert re.search(rf"^ *{types[f'__main__.{name}'][1]}B? .* {name}$", said.stdout, re.M)


def test_json_in_a_file_is_what_is_printed(scan, target, write):
    written, printed = json.loads(write("json").read_text()), scan(target)
    assert set(written) == set(printed)
    assert types_of(written)["__main__.Slotted"] == types_of(printed)["__main__.Slotted"]


def test_the_page_shows_its_heap(client, target):
    text = client.succeed("snapshot", "--pid", target.pid)
    print(text)
    for word in ("RSS", "scan", "Slotted", "fragment", "Thread"):
        assert word in text, word


def test_each_part_can_be_had_alone(client, target):
    cpu, heap, types = (client.succeed("snapshot", "--pid", target.pid, option)
                        for option in ("--cpu", "--heap", "--types"))
    print(heap, types[:2000])
    assert "Thread" in cpu and "Slotted" not in cpu
    assert "Slotted" in heap and "Thread" not in heap
    assert "Slotted" in types and len(types.split("\n")) > len(heap.split("\n"))


def test_json_of_the_page_has_the_heap_in_it(client, scan, target):
    page = json.loads(client.succeed("snapshot", "--pid", target.pid, "--json"))
    assert page["memory"]["rss_bytes"] > 0
    assert types_of(page["heap"])["__main__.Slotted"] == types_of(scan(target))["__main__.Slotted"]
