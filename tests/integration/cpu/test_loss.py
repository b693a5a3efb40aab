# SPDX-License-Identifier: Apache-2.0
"""Each tick that was taken ends once: in every status answer, at any time.

C-11: the ring is made beforehand and holds 65,536 samples. C-12: nothing unread is written
over; a full ring drops and counts. C-13 is the kernel's promise of its ring buffer; that no
record is torn or missed shows in that the counts agree.
"""
import collections
import json
import os
import signal
import subprocess
import threading
import time

import pytest

HEADER_BYTES = 8  # the ring buffer's, in front of each record
STOP_S = 3
RATE_HZ = 4999
POLLERS = 3
DEEP = 200  # more frames than a sample keeps: each record has its full size


def check(samples):
    assert samples["taken"] == samples["delivered"] + sum(samples["lost"].values()), samples
    assert samples["ticks"] >= samples["taken"], samples


def lost_in(before, after):
    return {name: after["lost"][name] - before["lost"][name] for name in after["lost"]}


class Pollers:
    """Asks for the status from several sides, as fast as it is answered."""

    def __init__(self, daemon, client):
        self.answers = collections.deque()
        self.failed = []
        self.done = threading.Event()
        ways = [lambda: daemon.status()] * (POLLERS - 1)
        ways.append(lambda: json.loads(client.succeed("status", "--json")))
        self.threads = [threading.Thread(target=self.poll, args=(way,)) for way in ways]

    def poll(self, ask):
        try:
            while not self.done.is_set():
                self.answers.append(ask()["samples"])
        except Exception as err:  # told where the test can fail
            self.failed.append(err)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        for thread in self.threads:
            thread.join()

    def check(self):
        assert not self.failed
        for samples in self.answers:
            check(samples)
        assert len(self.answers) >= 10
        return self.answers


@pytest.fixture
def daemon(new_daemon):
    """One whose clock stands when nobody records: only then everything is accounted for."""
    return new_daemon(config="sample_hz = 0\n")


def stop_for(daemon, seconds):
    """The daemon takes nothing out of its ring meanwhile."""
    os.kill(daemon.process.pid, signal.SIGSTOP)
    try:
        time.sleep(seconds)
    finally:
        os.kill(daemon.process.pid, signal.SIGCONT)


def check_settled(daemon):
    """The clock stands: what the programs counted is all accounted for."""
    status = daemon.status()
    assert status["clock"]["hz"] == 0
    check(status["samples"])
    assert status["counters"]["taken"] == status["samples"]["taken"]
    return status["samples"]


def check_profile(profile):
    """A recording accounts for its own samples."""
    assert int(profile.about["taken"]) == profile.count() + int(profile.about["lost"])
    named = sum(int(value) for key, value in profile.about.items() if key.startswith("lost."))
    assert named == int(profile.about["lost"])


def test_every_answer_balances_while_recording(daemon, client, start, debian, is_long):
    target = start(debian, "deep.py", 20, os.cpu_count())
    recording = daemon.record(hz=RATE_HZ, seconds=20 if is_long else 4)
    with Pollers(daemon, client) as pollers:
        profile = recording.finish()
    answers = pollers.check()
    assert answers[-1]["taken"] > answers[0]["taken"]
    assert set(target.ready) <= profile.pids()
    check_profile(profile)
    check_settled(daemon)


def test_nothing_is_lost_while_the_daemon_is_stopped(daemon, client, start, debian, is_long):
    target = start(debian, "deep.py", 20, os.cpu_count())
    before = daemon.status()["samples"]
    recording = daemon.record(hz=RATE_HZ)
    with Pollers(daemon, client) as pollers:
        for _ in range(5 if is_long else 1):
            time.sleep(0.3)
            stop_for(daemon, STOP_S)
            time.sleep(0.3)
    profile = recording.stop()
    pollers.check()
    after = check_settled(daemon)
    assert not any(lost_in(before, after).values()), "the ring holds more than that"
    check_profile(profile)
    assert profile.about["lost"] == "0"
    in_targets = sum(s.count for s in profile.samples if s.labels["pid"] in target.ready)
    assert in_targets > STOP_S * RATE_HZ / 4, "the time when it was stopped is there"


def test_an_overflow_is_counted(daemon, client, start, debian, is_long):
    start(debian, "deep.py", DEEP, os.cpu_count())
    before = daemon.status()["samples"]
    recording = daemon.record(hz=10000)
    with Pollers(daemon, client) as pollers:
        for _ in range(5 if is_long else 1):
            time.sleep(0.3)
            stop_for(daemon, STOP_S)
            time.sleep(0.3)
    profile = recording.stop()
    pollers.check()
    after = check_settled(daemon)
    lost = lost_in(before, after)
    assert lost["ring_full"] > 0 and lost["malformed"] == 0
    check_profile(profile)
    assert int(profile.about["lost.ring_full"]) == lost["ring_full"]
    assert profile.count() <= after["delivered"] - before["delivered"]
    assert any(frame.function == "burn" for s in profile.samples for frame in s.frames)


def maps_of(pid):
    """Ids of the BPF maps that the process holds."""
    ids = set()
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            with open(f"/proc/{pid}/fdinfo/{fd}") as f:
                ids |= {line.split()[1] for line in f if line.startswith("map_id:")}
        except FileNotFoundError:  # closed meanwhile
            continue
    return ids


def bpftool():
    return next(path for path in ("/usr/sbin/bpftool", "/usr/local/sbin/bpftool")
                if os.path.exists(path))


def test_the_ring_holds_65536_samples_of_256_bytes(daemon):
    rings = []
    for number in maps_of(daemon.process.pid):
        said = subprocess.run([bpftool(), "--json", "map", "show", "id", number],
                              stdout=subprocess.PIPE, check=True)
        shown = json.loads(said.stdout)
        if shown["type"] == "ringbuf":
            rings.append(shown["max_entries"])
    assert len(rings) == 1
    assert rings[0] // (256 + HEADER_BYTES) >= 65536
