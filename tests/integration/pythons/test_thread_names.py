# SPDX-License-Identifier: Apache-2.0
"""Threads are called what Python calls them."""
import re
import time

MOST_CHARACTERS = 255
DEAR_PAUSE_S = 3  # a reading that took long, on a busy machine, is not made again so soon


def shown(name):
    """As it must come out: valid UTF-8, and not longer than what is kept of it."""
    repaired = re.sub("[\ud800-\udfff]", "\ufffd", name)
    return repaired if len(name) <= MOST_CHARACTERS else name[:MOST_CHARACTERS] + "\u2026"


def names_of(said):
    return {tid: shown(name) for name, tid in said.items()}


def dumped_names(daemon, pid):
    return {thread["tid"]: thread["name"] for thread in daemon.stacks(pid)["threads"]}


def check_names(daemon, pid, names):
    if dumped_names(daemon, pid) != names:
        time.sleep(DEAR_PAUSE_S)
        assert dumped_names(daemon, pid) == names


def recorded_names(profile):
    return {sample.labels["tid"]: sample.labels["thread"] for sample in profile.samples}


def test_threads_have_the_names_that_python_knows(daemon, start, interpreter):
    """Any characters, any class of a thread, and the newest name of one that has had two."""
    target = start(interpreter, "named_threads.py")
    recording = daemon.record(target.pid, hz=999, seconds=1)
    check_names(daemon, target.pid, names_of(target.ready))
    target.tell()
    names = names_of(target.read())
    assert "after" in names.values()
    check_names(daemon, target.pid, names)
    met = recorded_names(recording.finish())
    assert met == {tid: names[tid] for tid in met}
    assert set(names) - set(met) <= {target.pid}, "all but the main thread use the processor"


def test_a_thread_that_has_ended_keeps_its_name(daemon, start, interpreter):
    """Also when the next one has its ident."""
    target = start(interpreter, "relay.py")
    recording = daemon.record(target.pid, hz=999)
    target.tell()
    said = target.read()
    met = recorded_names(recording.finish())
    assert len({ident for _, ident in said.values()}) < len(said), "the test tests nothing"
    assert {tid: name for tid, name in met.items() if tid != target.pid} == {
        tid: name for name, (tid, _) in said.items()}
