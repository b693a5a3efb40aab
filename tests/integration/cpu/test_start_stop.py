# SPDX-License-Identifier: Apache-2.0
"""A recording starts and stops at once, and leaves the daemon small."""
import re
import statistics
import time

ROUNDS = 9
LIMIT_S = 0.1
MEMORY_LIMIT_KB = 40 * 1024  # of the daemon's own; the ring and the maps are the kernel's


def anonymous_kb(pid):
    with open(f"/proc/{pid}/status") as f:
        return int(re.search(r"^RssAnon:\s*(\d+) kB", f.read(), re.M)[1])


def test_start_and_stop_take_less_than_100_ms(daemon, start, interpreter):
    target = start(interpreter, "deep.py", 30)
    starts, stops = [], []
    for _ in range(ROUNDS):
        before = time.monotonic()
        recording = daemon.record(target.pid, hz=99)
        began = time.monotonic()
        time.sleep(0.05)
        stopping = time.monotonic()
        recording.stop()
        starts.append(began - before)
        stops.append(time.monotonic() - stopping)
    assert statistics.median(starts) <= LIMIT_S, starts
    assert statistics.median(stops) <= LIMIT_S, stops


def test_the_client_starts_and_stops_as_fast(daemon, client, start, debian):
    """What is beside the recording's own second: two times the limit, and a program's start."""
    target = start(debian, "deep.py", 30)
    extra = []
    for _ in range(5):
        before = time.monotonic()
        client.succeed("record", "-p", target.pid, "-d", 0.2, "-f", "collapsed", "-o", "-")
        extra.append(time.monotonic() - before - 0.2)
    assert statistics.median(extra) <= 2 * LIMIT_S, extra


def test_the_daemon_stays_small(new_daemon, start, interpreter, is_long):
    """Also with 128 frames a sample, many different stacks, and all samples kept in order."""
    daemon = new_daemon()
    deep = start(interpreter, "deep.py", 200)
    wild = start(interpreter, "grammar.py")
    for order in (0, 1):
        recording = daemon.record(f"{deep.pid},{wild.pid}", hz=999, order=order,
                                  seconds=20 if is_long else 1)
        assert recording.finish().pids() == {deep.pid, wild.pid}
        assert anonymous_kb(daemon.process.pid) <= MEMORY_LIMIT_KB
