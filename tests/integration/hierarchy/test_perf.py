# SPDX-License-Identifier: Apache-2.0
"""Recordings that Debian's perf makes here and now: our reading of perf.data against `perf
script`, stack by stack, and perf's own reports of them, in each mode, against the same text.
"""
import collections
import itertools
import os
import re
import subprocess

import pytest

import oracle
from client import check_error
from perf_files import read
from profiles import read_pprof
from test_file import NAMES, check_exact, check_form, check_pruned

HERE = os.path.dirname(os.path.abspath(__file__))
TURNS = 1500 if os.environ.get("LONG") == "1" else 250
HZ = 1999
WAYS = {  # of recording: options, and events
    "file": ([], ["cpu-clock"]),
    "zstd": (["-z"], ["cpu-clock"]),
    "pipe": (["-o", "-"], ["cpu-clock"]),
    "two events": ([], ["cpu-clock", "task-clock"]),
    "user space": ([], ["cpu-clock:u"]),
    "no call graphs": ([], ["cpu-clock"]),
}


def run(*argv, **options):
    options = {"stdout": subprocess.PIPE, **options}
    done = subprocess.run([*map(str, argv)], stderr=subprocess.PIPE, check=False, **options)
    assert done.returncode == 0, (argv, done.stderr)
    return done.stdout


class Recording:
    """One of perf's, in @data, and its `perf script` in @script."""

    def __init__(self, folder, program, way):
        options, self.events = WAYS[way]
        name = way.replace(" ", "-")
        self.data = folder / f"{name}.data"
        self.script = folder / f"{name}.script.txt"
        argv = ["perf", "record", "-q", "-F", HZ, *([] if way == "no call graphs" else ["-g"])]
        argv += [arg for event in self.events for arg in ("-e", event)]
        if "-o" in options:
            with open(self.data, "wb") as out:
                run(*argv, *options, program, TURNS, stdout=out)
        else:
            run(*argv, *options, "-o", self.data, program, TURNS)
        with open(self.script, "wb") as out, open(self.data, "rb") as data:
            run("perf", "script", "-i", "-" if way == "pipe" else self.data, "--no-inline",
                "-F", "comm,pid,tid,time,period,event,ip,sym,symoff,dso", stdin=data, stdout=out)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("perf")


@pytest.fixture(scope="session")
def program(folder):
    path = folder / "calls"
    run("gcc", "-O0", "-pthread", f"{HERE}/calls.c", "-o", path)  # each function has its frame
    return path


@pytest.fixture(scope="session")
def recordings(folder, program):
    made = {}

    def recording(way):
        if way not in made:
            made[way] = Recording(folder, program, way)
        return made[way]

    return recording


HEADER = re.compile(r"\s*(.*?)\s+(-?\d+)/(-?\d+)\s+\d+\.\d+:\s+(\d+)\s+\S+:\s*(.*)$")
FRAME = re.compile(r"\s*[0-9a-f]+ (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)$")


def script_stacks(text):
    """Weights by command, thread and frames, root first, each a symbol and its object."""
    stacks = collections.Counter()
    frames = header = None
    for line in [*text.split("\n"), "end 0/0 0.0: 0 end: "]:
        if line.startswith("\t"):
            frames.append(FRAME.match(line).groups())
        elif line:
            if header:
                comm, pid, tid, period, _ = header
                stacks[comm, int(pid), int(tid), tuple(reversed(frames))] += int(period)
            header = HEADER.match(line).groups()
            frames = [FRAME.match(header[4]).groups()] if header[4] else []
    return stacks


def named(frame):
    """As perf script has it."""
    name = oracle.UNKNOWN if re.fullmatch("0x[0-9a-f]+|0", frame.function) else frame.function
    return name, frame.file or oracle.UNKNOWN


def our_stacks(profile):
    stacks = collections.Counter()
    for sample in profile.samples:
        labels = sample.labels
        stack = tuple(named(frame) for frame in reversed(sample.frames))
        stacks[labels.get("thread"), labels.get("pid"), labels.get("tid"), stack] += sample.weight
    return stacks


@pytest.mark.parametrize("way", WAYS)
def test_each_stack_is_perfs(hierarchy, recordings, way, tmp_path):
    """Of the same weight; so is each name, and the object it is in."""
    recording = recordings(way)
    out = tmp_path / "out.pb.gz"
    hierarchy.client.succeed("tree", "--input", recording.data, "--by", "thread", "-f", "pprof",
                             "-o", out)
    truth = script_stacks(read(recording.script))
    told = our_stacks(read_pprof(out.read_bytes()))
    assert sum(told.values()) == sum(truth.values())
    wrong = {key: (told[key], truth[key]) for key in told.keys() | truth.keys()
             if told[key] != truth[key]}
    assert wrong == {}
    symbols = {symbol for *_, stack in truth for symbol, _ in stack}
    assert {"leaf_a", "leaf_b"} <= symbols and len(truth) > 10


@pytest.mark.parametrize("way", WAYS)
def test_a_recording_is_its_script(hierarchy, recordings, way):
    recording = recordings(way)
    samples = list(oracle.read_script(read(recording.script)))
    for event in recording.events:
        for path in (recording.script, recording.data):
            answer = hierarchy.json("--input", path, "--event", event, "--targets",
                                    ",".join(NAMES))
            check_exact(answer, oracle.of_event(samples, event), lambda name: name in NAMES)
            assert answer["event"] == event and sorted(answer["events"]) == recording.events
            assert answer["unit"] == "period"
            assert any("call graph" in line for line in answer["warnings"]) == (
                way == "no call graphs"), answer["warnings"]


COLUMNS = {
    "perf's": [],
    "samples": ["-n"],
    "periods": ["--show-total-period"],
    "lossless": ["-F", "overhead_children,overhead,sample,period,comm,dso,sym"],
}
LOSSLESS = {"count": ("samples", "lossless"), "period": ("periods", "lossless")}
SHORT = [  # children, order, value, threshold, columns
    ("--children", "caller", "percent", "0.5", "perf's"),
    ("--children", "caller", "percent", "0", "perf's"),
    ("--children", "caller", "percent", "5", "samples"),
    ("--children", "caller", "count", "0", "lossless"),
    ("--children", "caller", "count", "0.5", "samples"),
    ("--children", "caller", "count", "0", "perf's"),
    ("--children", "caller", "period", "0", "lossless"),
    ("--children", "caller", "period", "0.5", "perf's"),
    ("--children", "callee", "count", "0", "lossless"),
    ("--no-children", "caller", "percent", "0.5", "perf's"),
    ("--no-children", "caller", "count", "0", "samples"),
    ("--no-children", "caller", "period", "5", "periods"),
    ("--no-children", "callee", "percent", "0.5", "perf's"),
    ("--no-children", "callee", "count", "0", "samples"),
]
LONG = list(itertools.product(("--children", "--no-children"), ("caller", "callee"),
                              ("percent", "count", "period"), ("0", "0.5", "5"), COLUMNS))
MODES = LONG if os.environ.get("LONG") == "1" else SHORT


def report_of(recording, mode):
    children, order, value, threshold, columns = mode
    fields = COLUMNS[columns]
    if children == "--no-children":
        fields = [field.replace("overhead_children,", "") for field in fields]
    return run("perf", "report", "--stdio", "--no-inline", children,
               "-g", f"graph,{threshold},{order},function,{value}", "--percent-limit", threshold,
               *fields, "-i", recording.data).decode()


def may_be_refused(mode):
    """Callee order, in which a cut chain looks whole; and counts of which the sum is not told."""
    _, order, value, _, columns = mode
    return order == "callee" or (value == "count" and columns not in LOSSLESS["count"])


def must_be_exact(mode):
    _, order, value, threshold, columns = mode
    return order == "caller" and threshold == "0" and columns in LOSSLESS.get(value, ())


def check_report(hierarchy, recording, mode):
    text = report_of(recording, mode)
    path = hierarchy.file(text, "report.txt")
    samples = list(oracle.read_script(read(recording.script), has_addresses=True))
    for event in recording.events:
        done = hierarchy.run("--targets", ",".join(NAMES), "--json", "--input", path, "--event",
                             event, "--order", mode[1])
        if done.returncode and may_be_refused(mode):
            check_error(done, 1, "perf report", "-g graph,0,caller,function,count")
            continue
        assert done.returncode == 0, (mode, done)
        answer = hierarchy.json("--targets", ",".join(NAMES), "--input", path, "--event", event,
                                "--order", mode[1])
        mine = oracle.of_event(samples, event)
        if mode[2] == "count":
            mine = oracle.counted(mine)
        check_form(answer)
        assert answer["order"] == mode[1] and answer["mode"] == "graph"
        if answer["exact"]:
            check_exact(answer, mine, lambda name: name in NAMES)
        else:
            assert not must_be_exact(mode)
            check_pruned(answer, mine, text, lambda name: name in NAMES)


@pytest.mark.parametrize("mode", MODES, ids=" ".join)
def test_each_report_is_right_or_refused(hierarchy, recordings, mode):
    check_report(hierarchy, recordings("file"), mode)


@pytest.mark.parametrize("mode", MODES[:4], ids=" ".join)
def test_reports_of_two_events(hierarchy, recordings, mode):
    check_report(hierarchy, recordings("two events"), mode)
