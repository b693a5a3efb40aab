# SPDX-License-Identifier: Apache-2.0
"""Any number of sessions share one clock: each has every sample of its target, and sums stay
right whatever the others do."""
import bisect
import contextlib
import time

import pytest

import targets
from daemon import Connection
from measured import stolen_ns, tolerance_ns

SAMPLE_HZ = 99
RATES_HZ = [49, 499, 4999]


class Marks:
    """What the kernel charged some targets, at moments that cut a recording into phases."""

    def __init__(self, pids):
        self.pids = pids
        self.marks = []

    def set(self):
        self.marks.append((time.time_ns(), {pid: targets.cpu_ns(pid) for pid in self.pids},
                           stolen_ns()))

    def check(self, pid, profile, clock_hz):
        """@clock_hz: of each phase. Weights of a profile that keeps the order, by phase."""
        starts = [mark[0] for mark in self.marks]
        weights = [0] * (len(starts) + 1)
        for sample in profile.samples:
            weights[bisect.bisect(starts, sample.labels["timestamp_ns"])] += sample.weight
        for i, hz in enumerate(clock_hz):
            (from_ns, before, stolen), (to_ns, after, stolen_then) = self.marks[i:i + 2]
            charged = after[pid] - before[pid]
            stolen = stolen_then - stolen
            tolerance = tolerance_ns(charged, to_ns - from_ns, hz)
            tolerance += 2e9 / hz  # a tick weighs time of before the mark, at either end
            print(f"phase {i} at {hz} Hz: weights {weights[i + 1] / 1e9:.4f} s, charged "
                  f"{charged / 1e9:.4f} s (tolerance {tolerance / 1e9:.4f}, stolen {stolen / 1e9})")
            assert -tolerance < weights[i + 1] - charged < tolerance + stolen, (i, pid)


def test_three_rates_on_three_processes(daemon, start, debian, is_long):
    """Sums are right before, during and after the others; the rates that ran are told."""
    seconds = 10 if is_long else 1.5
    running = [start(debian, "two_thirds.py") for _ in RATES_HZ]
    marks = Marks([target.pid for target in running])
    recordings = {}
    marks.set()
    for target, hz in zip(running, RATES_HZ):  # one after another: 49, then 499, then 4,999 Hz
        recordings[hz] = daemon.record(target.pid, hz=hz, order=1)
        marks.set()
        time.sleep(seconds)
        marks.set()
    assert daemon.status()["clock"]["hz"] == 4999
    profiles = {}
    for hz in reversed(RATES_HZ):  # and back
        marks.set()
        profiles[hz] = recordings[hz].stop()
        marks.set()
        time.sleep(0.1 if hz == RATES_HZ[0] else seconds)
    assert daemon.status()["clock"]["hz"] == SAMPLE_HZ
    # Marks: one, then two a beginning, then two an end. Between them, the clock's lowest rate.
    clock = [99, 99, 99, 499, 499, 4999, 4999, 499, 499, 99, 99]
    whole = {49: (1, 11), 499: (3, 9), 4999: (5, 7)}  # first and last mark inside of each
    for target, hz in zip(running, RATES_HZ):
        first, last = whole[hz]
        part = Marks(marks.pids)
        part.marks = marks.marks[first:last + 1]
        part.check(target.pid, profiles[hz], clock[first:last])
    assert profiles[49].about["rates_hz"] == "99,499,4999"
    assert profiles[499].about["rates_hz"] == "499,4999"
    assert profiles[4999].about["rates_hz"] == "4999"
    assert {pid for p in profiles.values() for pid in p.pids()} == {t.pid for t in running}


def test_two_sessions_on_one_target_are_two(daemon, start, debian):
    """C-14: each has its own begin, end and sum; both have all samples of their time."""
    target = start(debian, "two_thirds.py")
    first = daemon.record(target.pid, hz=499, order=1)
    time.sleep(0.5)
    second = daemon.record(target.pid, hz=499, order=1)
    assert first.session != second.session
    time.sleep(1)
    first = first.stop()
    time.sleep(0.5)
    second = second.stop()

    def times(profile, begin, end):
        return [s.labels["timestamp_ns"] for s in profile.samples
                if begin <= s.labels["timestamp_ns"] <= end]

    begin, end = second.start_ns, first.start_ns + first.duration_ns
    slack = 2 * 10**6  # each session's own pair of clock readings
    assert len(times(first, begin + slack, end - slack)) > 20
    assert (abs(len(times(first, begin + slack, end - slack))
                - len(times(second, begin + slack, end - slack))) <= 3)


def test_a_session_that_ended_cannot_be_stopped_again(daemon, start, debian):
    """C-14, C-18: IDLE is left once; there is no way to start or stop a session twice."""
    target = start(debian, "two_thirds.py")
    recording = daemon.record(target.pid, hz=99)
    recording.stop()
    connection = Connection(daemon.socket)
    with contextlib.closing(connection):
        connection.request("POST", f"/v1/profile/{recording.session}/stop")
        answer = connection.getresponse()
        assert answer.status == 404
        assert b"no recording" in answer.read()


@pytest.mark.parametrize("hz", [1, 99, 1000])
def test_a_stop_loses_nothing(daemon, start, debian, theft, hz):
    """C-15: what was taken until the stop is in the profile, whatever waited in the ring."""
    target = start(debian, "two_thirds.py")
    recording = daemon.record(target.pid, hz=hz, order=1)
    time.sleep(1.1)
    asked_ns = time.time_ns()
    profile = recording.stop()
    newest = max(sample.labels["timestamp_ns"] for sample in profile.samples)
    gap_ns = max(1e9 / max(hz, SAMPLE_HZ), 10**7)
    assert asked_ns - newest < 20 * gap_ns + theft.ns()
    assert int(profile.about["taken"]) == profile.count() + int(profile.about["lost"])
