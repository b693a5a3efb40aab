# SPDX-License-Identifier: Apache-2.0
"""A target is never stopped and never traced, through a recording and dumps."""
import os
import re
import signal
import threading
import time

STOPPED = "Tt"


class StateWatch:
    """Reads the state of every thread of @pid as fast as it can."""

    def __init__(self, pid):
        self.files = [os.open(f"/proc/{pid}/task/{tid}/status", os.O_RDONLY)
                      for tid in os.listdir(f"/proc/{pid}/task")]
        self.states = set()
        self.tracers = set()
        self.looks = 0
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.done.is_set():
            for fd in self.files:
                text = os.pread(fd, 4096, 0)
                self.states.add(re.search(rb"^State:\t(.)", text, re.M)[1].decode())
                self.tracers.add(int(re.search(rb"^TracerPid:\t(\d+)", text, re.M)[1]))
                self.looks += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()
        for fd in self.files:
            os.close(fd)


def test_no_thread_is_stopped_through_a_recording_and_dumps(daemon, start, interpreter, is_long):
    target = start(interpreter, "half_asleep.py")
    with StateWatch(target.pid) as watch:
        recording = daemon.record(target.pid, hz=999, seconds=20 if is_long else 0.7)
        for _ in range(10):
            assert len(daemon.stacks(target.pid)["threads"]) == 2
        profile = recording.finish()
    assert profile.count() > 0
    assert watch.looks > 1000
    assert not watch.states & set(STOPPED), watch.states
    assert watch.tracers == {0}


def test_a_stop_would_be_seen(start, debian):
    target = start(debian, "deep.py", 10)
    with StateWatch(target.pid) as watch:
        os.kill(target.pid, signal.SIGSTOP)
        time.sleep(0.05)
        os.kill(target.pid, signal.SIGCONT)
    assert "T" in watch.states


def test_the_daemon_traces_nobody(daemon, start, debian):
    """While it has looked at every process of the machine, nobody's tracer is it."""
    start(debian, "deep.py", 10)
    ours = {daemon.process.pid}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/status") as f:
                tracer = int(re.search(r"^TracerPid:\t(\d+)", f.read(), re.M)[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        assert tracer not in ours, pid
