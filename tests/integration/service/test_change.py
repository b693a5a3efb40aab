# SPDX-License-Identifier: Apache-2.0
"""A new configuration, a wrong one, and a daemon that was killed or hangs."""
import math
import os
import time

import pytest

from machine import wait_until
from profiles import read_pprof

CONFIGURATION = "/etc/spprof/spprofd.conf.d/50-test.conf"
UNIT_DROP_IN = "/etc/systemd/system/spprofd.service.d/50-test.conf"
HZ = 499


@pytest.fixture
def configure(machine):
    """configure(TEXT): the text of a drop-in of the configuration."""
    yield lambda text: machine.write(CONFIGURATION, text)
    if os.path.exists(machine.root + CONFIGURATION):
        os.remove(machine.root + CONFIGURATION)
    machine.succeed("systemctl", "reset-failed", "spprofd")
    machine.succeed("systemctl", "restart", "spprofd")


def messages(machine, cursor, text):
    return [entry["MESSAGE"] for entry in machine.journal("spprofd", cursor)
            if text in entry["MESSAGE"]]


class Charge:
    """What the kernel charges to the process from now on."""

    def __init__(self, machine, pid):
        self.machine, self.pid = machine, pid
        self.first_ns, self.from_ns = self.read_ns(), time.monotonic_ns()

    def read_ns(self):
        return int(self.machine.succeed("cat", f"/proc/{self.pid}/schedstat").split()[0])

    def during(self, length_ns):
        """Until now, brought to a time of @length_ns."""
        charged_ns = self.read_ns() - self.first_ns
        return charged_ns * length_ns / (time.monotonic_ns() - self.from_ns)


def test_a_recording_across_a_reload_loses_nothing(machine, target, configure, theft):
    """Its sum is what the kernel charged, and each tick that was taken was delivered."""
    running = target("two_thirds.py")
    before, lost = machine.pid_of("spprofd"), machine.ask("status")["samples"]["lost"]
    recording = machine.start("spprofctl", "record", "-p", running.pid, "-d", 3, "-r", HZ, "-f",
                              "pprof", "-o", "-", text=False)
    wait_until(lambda: machine.ask("status")["clock"]["hz"] == HZ, "it records")
    charge = Charge(machine, running.pid)
    cursor = machine.cursor()
    configure("sample_hz = 49\n")
    machine.succeed("systemctl", "reload", "spprofd")
    wait_until(lambda: messages(machine, cursor, "configuration read again"), "it is told")
    assert recording.poll() is None, "it still records"
    profile = read_pprof(recording.communicate(timeout=60)[0])
    charged_ns = charge.during(profile.duration_ns)
    assert profile.about["lost"] == "0" and int(profile.about["taken"]) == profile.count()
    assert machine.ask("status")["samples"]["lost"] == lost
    assert machine.pid_of("spprofd") == before
    ticks = profile.duration_ns / 1e9 * HZ
    theft.check(profile.weight(), charged_ns, max(0.02, 4 / math.sqrt(ticks)) * charged_ns)
    wait_until(lambda: machine.ask("status")["clock"]["hz"] == 49, "the new rate holds")


@pytest.mark.parametrize("line, says", [
    ("no_such_key = 1", "no_such_key"),
    ("window_length = 10 parsecs", "window_length"),
    ("sample_hz = 10001", "10000"),
])
def test_a_wrong_configuration_leaves_the_running_one(machine, configure, line, says):
    before = machine.pid_of("spprofd"), machine.ask("status")["clock"]["hz"]
    cursor = machine.cursor()
    configure(f"# a comment\n{line}\n")
    assert machine.run("systemctl", "reload", "spprofd").returncode != 0
    told = wait_until(lambda: messages(machine, cursor, f"{CONFIGURATION}:2"), "it is told")
    assert len(told) == 1 and says in told[0], told
    assert (machine.pid_of("spprofd"), machine.ask("status")["clock"]["hz"]) == before
    done = machine.run("spprofd", "--check-config")
    assert done.returncode == 2 and f"{CONFIGURATION}:2" in done.stderr, done


def test_it_does_not_start_over_and_over_with_a_wrong_configuration(machine, configure):
    configure("no_such_key = 1\n")
    assert machine.run("systemctl", "restart", "spprofd").returncode != 0
    about = machine.show("spprofd", "ActiveState", "ExecMainStatus", "NRestarts")
    assert about == {"ActiveState": "failed", "ExecMainStatus": "2", "NRestarts": "0"}


def is_back(machine, killed):
    about = machine.show("spprofd", "ActiveState", "MainPID")
    return about["ActiveState"] == "active" and int(about["MainPID"]) not in (0, killed)


def test_it_comes_back_when_it_is_killed(machine, target):
    running = target("two_thirds.py")
    killed = machine.pid_of("spprofd")
    machine.succeed("systemctl", "kill", "-s", "KILL", "spprofd")
    wait_until(lambda: is_back(machine, killed), "it is back", 20)
    said = machine.succeed("spprofctl", "record", "-p", running.pid, "-d", 1, "-f", "pprof", "-o",
                           "-", text=False)
    assert read_pprof(said).count() > 20


def test_the_watchdog_is_on(machine):
    about = machine.show("spprofd", "WatchdogUSec", "Restart", "ExecMainStartTimestampMonotonic",
                         "WatchdogTimestampMonotonic")
    assert (about["WatchdogUSec"], about["Restart"]) == ("30s", "on-failure")
    assert int(about["WatchdogTimestampMonotonic"]) > 0


@pytest.fixture
def watched(machine):
    """With a shorter time, so that it is not half a minute to wait for."""
    machine.write(UNIT_DROP_IN, "[Service]\nWatchdogSec=2\n")
    machine.succeed("systemctl", "daemon-reload")
    machine.succeed("systemctl", "restart", "spprofd")
    yield machine
    os.remove(machine.root + UNIT_DROP_IN)
    machine.succeed("systemctl", "daemon-reload")
    machine.succeed("systemctl", "restart", "spprofd")


def test_a_daemon_that_hangs_is_ended_and_started_again(watched):
    hangs = watched.pid_of("spprofd")
    cursor = watched.cursor()
    watched.succeed("systemctl", "kill", "-s", "STOP", "spprofd")
    wait_until(lambda: is_back(watched, hangs), "it is back", 20)
    assert messages(watched, cursor, "Watchdog timeout")
