# SPDX-License-Identifier: Apache-2.0
"""spprofctl heap start, stop and status, and what becomes of a session when nobody asks for it."""
import json
import re

import pytest

import interpreters
import program_text
from client import check_error
from followed import UNLIMITED, Followed, by_place, status_of, wait_until
from profiles import read_collapsed

LARGE_LEAST = 1 << 20
RATE = 1 << 10
MANY_RATE = 192  # so many samples that the filter of frees is made again on the way
FEW = 500  # objects of a line that are dropped at once


@pytest.fixture
def known(start, debian):
    """Where each call of the allocator is one, if there is such a Python: all frees are seen."""
    return start((interpreters.plain() or [debian])[0], "heap_known.py")


def line_of(frames):
    return frames[0][1]


def test_a_session_outlives_who_started_it(client, daemon, known):
    text = client.succeed("heap", "start", "--pid", known.pid, "--tier", "trace", "--rate", RATE,
                          "--max-overhead", UNLIMITED["max_overhead"], "--for", 60)
    print(text)
    known.tell("make")
    rows = known.read()
    one, = json.loads(client.succeed("heap", "status", "--pid", known.pid, "--json"))["sessions"]
    assert (one["pid"], one["tier"], one["state"]) == (known.pid, "trace", "active")
    assert (one["rate_bytes"], one["for_seconds"]) == (RATE, 60)
    assert str(known.pid) in client.succeed("heap", "status")
    check_error(client.run("heap", "start", "--pid", known.pid), 1, "heap stop --pid")
    heap = json.loads(client.succeed("snapshot", "--pid", known.pid, "--heap", "--json"))
    found = by_place(heap["stacks"], line_of)
    for row in rows:
        size, count = row["sizes"][-1]
        if size > LARGE_LEAST:
            assert found[row["line"]].bytes == pytest.approx(size * count, rel=0.01)
    client.succeed("heap", "stop", "--pid", known.pid)
    client.run("heap", "stop", "--pid", known.pid)
    assert status_of(daemon, known.pid) is None
    check_error(client.run("heap", "stop", "--pid", known.pid), 1, known.pid)


def test_what_is_freed_after_the_stop_is_no_leak(daemon, known):
    session = Followed(daemon, known.pid, tier="trace", rate=MANY_RATE, **UNLIMITED)
    known.tell("make")
    few = {row["line"] for row in known.read() if sum(count for _, count in row["sizes"]) <= FEW}
    stopped = session.stop()
    assert stopped["state"] == "stopped", stopped["reason"]
    live = by_place(session.heap()["stacks"], line_of)
    assert few <= set(live)
    known.tell("drop few")
    assert known.read() == "dropped"
    left = by_place(session.heap()["stacks"], line_of)
    assert not few & set(left), "they are gone"
    assert {line: live[line].bytes for line in left} == {line: left[line].bytes for line in left}
    known.tell("make")
    known.read()
    assert session.status()["counts"]["sampled"] == stopped["counts"]["sampled"], "it is over"
    session.forget()
    assert program_text.changed(known.pid) == []
    later = Followed(daemon, known.pid, tier="growth")
    assert not any(later.began["counts"].values()), "what it did before is not counted again"
    later.forget()


def test_a_session_ends_when_its_time_is_over(daemon, known):
    session = Followed(daemon, known.pid, tier="trace", seconds=1)
    assert session.began["for_seconds"] == 1
    wait_until(lambda: session.status() is None or session.status()["state"] == "stopped",
               "its time is over")
    if session.status():
        assert session.status()["seconds"] == pytest.approx(1, abs=0.5)
    again = Followed(daemon, known.pid, tier="growth")  # what is left of the first gives way
    assert (again.began["state"], again.began["reason"]) == ("active", None)
    again.forget()
    assert program_text.changed(known.pid) == []


def test_growth_is_written_in_every_format(client, daemon, start, debian, tmp_path):
    target = start(debian, "heap_service.py", 1 << 20, "own")
    path = tmp_path / "heap.collapsed"
    client.succeed("snapshot", "--pid", target.pid, "--heap", "-d", 3, "-f", "collapsed",
                   "-o", path)
    rows = read_collapsed(path.read_text())
    print(rows)
    stack, number = max(rows, key=lambda row: row[1])
    assert number > 1 << 20
    assert any(re.match(rf"{target.ready['function']} \(", frame) for frame in stack)
    assert status_of(daemon, target.pid) is None and program_text.changed(target.pid) == []
