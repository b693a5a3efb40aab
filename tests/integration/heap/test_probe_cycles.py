# SPDX-License-Identifier: Apache-2.0
"""Probes come and go, and a daemon dies while they are there: the program runs on, as it was."""
import os
import signal
import time

import pytest

import program_text
from followed import PATIENCE_S, Followed, status_of, wait_until
from targets import children

SHORT_CYCLES, LONG_CYCLES, WARM_UP = 4, 1000, 2
LEAK, TIERS = 4096, ("growth", "trace")
KIB_MOST = 6144  # that the daemon grows by, whose pools fill at first


def requests_of(target):
    target.tell()
    return target.read()["requests"]


def check_runs_on(target):
    before = requests_of(target)
    wait_until(lambda: requests_of(target) > before + 5, "it runs on")


def wait_for_own_text(pid):
    """The kernel takes out what a dead process had put in as it closes its files."""
    wait_until(lambda: not program_text.changed(pid), "its text is the file's")


def resident_kib(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))


def descriptors(pid):
    """Of the daemon, and of the opener that works for it."""
    return [len(os.listdir(f"/proc/{one}/fd")) for one in (pid, *children(pid))]


@pytest.fixture
def service(start, debian):
    return start(debian, "heap_service.py", LEAK, "own")


def test_probes_come_and_go(new_daemon, service, is_long):
    daemon = new_daemon(config="sample_hz = 0\n")  # windows would fill meanwhile
    cycles = LONG_CYCLES if is_long else SHORT_CYCLES
    known, fds = 0, []
    for cycle in range(cycles + WARM_UP):
        if cycle == WARM_UP:
            fds, known = descriptors(daemon.process.pid), resident_kib(daemon.process.pid)
        session = Followed(daemon, service.pid, tier=TIERS[cycle % 2])
        assert session.began["state"] == "active" and session.began["probes"]
        assert program_text.changed(service.pid), "the probes are there"
        session.forget()
        assert status_of(daemon, service.pid) is None
        assert program_text.changed(service.pid) == []
    check_runs_on(service)
    wait_until(lambda: descriptors(daemon.process.pid) == fds, "its descriptors are closed")
    grown = resident_kib(daemon.process.pid) - known
    print(f"{cycles} cycles, the daemon grew by {grown} KiB from {known}")
    assert grown <= KIB_MOST


def wait_for_end(pids):
    wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids),
               "nobody that worked for it is left")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["KILL", "TERM"])
def test_daemon_ends_while_probes_are_on(new_daemon, service, number):
    """The next one finds nothing in its way."""
    daemon = new_daemon()
    openers = children(daemon.process.pid)
    Followed(daemon, service.pid, tier="trace")
    assert program_text.changed(service.pid)
    began = time.monotonic()
    daemon.process.send_signal(number)
    daemon.process.wait(PATIENCE_S)
    print(f"it ended within {time.monotonic() - began:.2f} s")
    daemon.kill()
    wait_for_own_text(service.pid)
    check_runs_on(service)
    wait_for_end(openers)
    daemon.launch()
    session = Followed(daemon, service.pid, tier="trace")
    check_runs_on(service)
    heap = session.heap()
    assert heap["stacks"] and heap["session"]["samples"] > 0
    session.forget()
    assert program_text.changed(service.pid) == []
