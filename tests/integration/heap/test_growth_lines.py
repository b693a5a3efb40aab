# SPDX-License-Identifier: Apache-2.0
"""Which line makes a heap grow: `snapshot --heap -d`, of services that make and drop 30 MB/s.

In a long run the leak is 1 KB a second, and it has a minute. A short one has 12 s: its leak is
6 KB a second, so that it takes as many pools.
"""
import collections
import contextlib
import json

import pytest

import interpreters
import targets
from client import Client
from followed import python_frames

LONG_RUNS, NAMED_LEAST = 10, 9
Length = collections.namedtuple("Length", "seconds leak")
SHORT, LONG = Length(12, 6 << 10), Length(60, 1 << 10)
CHURN_LEAST = 10e6  # bytes a second that it must have reached, of 30, on a busy machine
UNSEEN_MOST = 1 << 16  # bytes of size classes that nobody takes new pools for
SHARED = "shared size class"
SHARED_NAME = "[shared size class of 64 bytes: cannot tell]"

Service = collections.namedtuple("Service", "target process")
Answer = collections.namedtuple("Answer", "leak growth page")


def services():
    """(name, interpreter, kind of leak); an own build is there where pyenv's Pythons are."""
    debian = interpreters.debians()
    own = interpreters.plain()[:1]
    return ([("own-debian", debian, "own"), ("shared-debian", debian, "shared")] +
            [(f"own-{one}", one, "own") for one in own])


def begin(stack, client, interpreter, kind, length):
    target = targets.Target([interpreter.path, "-B", targets.program("heap_service.py"),
                             str(length.leak), kind])
    stack.callback(target.stop)
    return Service(target, client.start("snapshot", "--pid", target.pid, "--heap",
                                        "-d", length.seconds, "--json"))


def end(client, service, length):
    """What is said of it, once it is sure that the service did what it should."""
    done = client.finish(service.process)
    service.target.tell()
    did = service.target.read()
    assert done.returncode == 0, done
    assert did["leaked"] > 0.9 * length.leak * length.seconds, did
    assert did["churned"] > CHURN_LEAST * length.seconds, did
    page = json.loads(done.stdout)
    heap = page.get("heap") or page
    return Answer((service.target.ready["function"], service.target.ready["line"]),
                  heap["growth"], heap)


@pytest.fixture(scope="module")
def answers(shared_daemon, is_long):
    """name -> what was said in each run. All services run at the same time."""
    client, length = Client(shared_daemon.socket), LONG if is_long else SHORT
    said = collections.defaultdict(list)
    for _ in range(LONG_RUNS if is_long else 1):
        with contextlib.ExitStack() as stack:
            begun = [(name, begin(stack, client, *what, length)) for name, *what in services()]
            for name, service in begun:
                said[name].append(end(client, service, length))
    for name, runs in said.items():
        for run in runs:
            print(name, run.page["coverage"], *map(brief, run.growth[:4]), sep="\n    ")
    return said


def brief(entry):
    size = entry["block_bytes"] or "larger"
    return (f"{entry['verdict']} {python_frames(entry)[:1]} {size} {entry['bytes']:.0f} "
            f"({entry['low']:.0f} to {entry['high']:.0f}) {entry['reason']}")


def names_leak_first(run):
    """Its own line, not who called it."""
    return bool(run.growth) and python_frames(run.growth[0])[:1] == [run.leak]


@pytest.mark.parametrize("name", [name for name, *_ in services() if name.startswith("own")])
def test_leak_of_a_size_class_of_its_own_is_named_first(answers, name):
    named = [names_leak_first(run) for run in answers[name]]
    print(named)
    assert sum(named) >= (NAMED_LEAST if len(named) == LONG_RUNS else 1)


@pytest.mark.parametrize("name", [name for name, *_ in services() if name.startswith("own")])
def test_what_it_grew_by_is_in_its_interval(answers, name, is_long):
    """The scans are exact; they see the first and the last seconds of a run less well."""
    length = LONG if is_long else SHORT
    for run in filter(names_leak_first, answers[name]):
        first = run.growth[0]
        assert first["verdict"] != SHARED and first["refills"] > 0
        assert 0 < first["low"] <= first["bytes"] <= first["high"]
        assert first["low"] <= length.leak * length.seconds * 1.2
        assert first["high"] >= length.leak * length.seconds * 0.6


@pytest.mark.parametrize("name", [name for name, *_ in services()])
def test_what_is_dropped_again_is_never_certain(answers, name):
    for run in answers[name]:
        certain = [entry for entry in run.growth if entry["verdict"] == "certain"]
        assert all(python_frames(entry)[0] == run.leak for entry in certain), certain


def test_of_a_shared_size_class_nobody_is_blamed(answers):
    for run in answers["shared-debian"]:
        entry, = (one for one in run.growth if one["block_bytes"] == 64)
        assert entry["verdict"] == SHARED and entry["reason"]
        assert entry["frames"][0] == {"function": SHARED_NAME, "file": "", "line": 0,
                                      "kind": "python"}
        blamed = {name for name, _ in python_frames(entry)[1:]}
        assert not blamed & {"remember", "serve"}, entry
        candidates = {one["function"].split(".")[-1] for one in entry["candidates"]}
        assert candidates and all(set(one) == {"function", "file", "line"}
                                  for one in entry["candidates"])


def test_first_is_what_surely_grew_most(answers):
    for runs in answers.values():
        for run in runs:
            coverage = run.page["coverage"]
            assert set(coverage) >= {"seen_bytes", "true_bytes", "share"}
            assert coverage["seen_bytes"] == pytest.approx(coverage["true_bytes"], rel=0.1,
                                                           abs=UNSEEN_MOST)
            order = [(one["surely"], one["bytes"]) for one in run.growth]
            assert order == sorted(order, reverse=True)
