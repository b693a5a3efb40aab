# SPDX-License-Identifier: Apache-2.0
"""What spprofd is told, at its start and while it runs, and what it tells its service manager."""
import contextlib
import ctypes
import math
import os
import signal
import socket
import subprocess
import time

import pytest

import interpreters
import targets
from client import check_error
from daemon import BUILD

# What is wrong, and words of the line that says so.
WRONG = {
    "unknown key": ("sample_hz = 49\nsamplehz = 1", [":2: ", '"samplehz"', "sample_hz,"]),
    "no unit": ("window_length = 10", [":1: ", "window_length = 10 ", "unit", "min"]),
    "bad unit": ("\n\nwindow_memory = 64MB", [":3: ", "window_memory = 64MB ", "unit", "MiB"]),
    "out of range": ("# x\nsample_hz = 20000", [":2: ", "sample_hz = 20000 ", "1 to 10000"]),
    "no number": ("sample_hz = many", [":1: ", "sample_hz = many ", "1 to 10000"]),
    "section": ("[clock]\nsample_hz = 5", [":1: ", "[clock]", "section"]),
    "twice": ("connections = 5\nconnections = 5", [":2: ", "connections ", "line 1"]),
    "no path": ("socket = here", [":1: ", "socket = here ", "absolute"]),
}
wrong = pytest.mark.parametrize("text,words", WRONG.values(), ids=WRONG)
WATCHDOG_S = 0.4
PATIENCE_S = 20


def spprofd(*args):
    return subprocess.run([f"{BUILD}/spprofd", *map(str, args)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=PATIENCE_S)


@pytest.fixture
def config(tmp_path):
    return tmp_path / "spprofd.conf"


@contextlib.contextmanager
def running(config):
    """spprofd without --socket, which would win, and its next line that has a word."""
    process = subprocess.Popen([f"{BUILD}/spprofd", "--foreground", "--config", config],
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        yield process, lambda word: next(line for line in process.stderr if word in line)
    finally:
        process.terminate()
        process.communicate()
    assert process.returncode == 0


# --- at the start ---

@wrong
def test_a_wrong_configuration_is_2(config, text, words):
    """It names file and line and says what is allowed; nothing is started."""
    config.write_text(text)
    for how in (["--foreground"], ["--check-config"]):
        done = spprofd(*how, "--config", config, "--socket", config.parent / "s")
        check_error(done, 2, f"{config}{words[0]}", *words, program="spprofd")
    assert os.listdir(config.parent) == [config.name]


def test_a_drop_in_counts_and_is_named(config):
    config.write_text("sample_hz = 49\n")
    folder = config.parent / f"{config.name}.d"
    folder.mkdir()
    (folder / "b.conf").write_text("window_length = 30min\n")
    (folder / "a.conf").write_text("window_length = 20min\nsample_hz = 199\n")
    done = spprofd("--check-config", "--config", config)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{config}: fine: 199 Hz, 128 frames, windows of 30min in 64MiB, ")
    (folder / "a.conf").write_text("window_length = 20\n")
    check_error(spprofd("--check-config", "--config", config), 2, f"{folder}/a.conf:1: ",
                program="spprofd")


def test_a_file_that_is_named_must_be_there(config):
    check_error(spprofd("--check-config", "--config", config), 2, config, "No such file",
                program="spprofd")


@pytest.mark.parametrize("args,words", [
    (["--frobnicate"], ["'--frobnicate'", "--help"]),
    (["--config"], ["'--config'", "value"]),
    (["--foreground", "now"], ["'now'"]),
    (["--foreground", "--socket", "/" + "x" * 107], ["107 bytes"]),
    (["--foreground", "--opener", "/x"], ["--opener"]),
], ids=lambda args: " ".join(args)[:30])
def test_a_wrong_call_is_2(args, words):
    check_error(spprofd(*args), 2, *words, program="spprofd")


def test_without_an_opener_it_is_1_and_says_what_to_do(tmp_path):
    missing = tmp_path / "opener"
    done = spprofd("--opener", missing, "--socket", tmp_path / "s")
    check_error(done, 1, missing, "--foreground", program="spprofd")


def test_the_configuration_names_the_socket_unless_the_call_does(config):
    listens = config.parent / "s"
    config.write_text(f"socket = {listens}")
    with running(config) as (process, hear):
        assert hear("ready on") == f"spprofd: ready on {listens}\n"
        assert listens.is_socket()


def test_the_start_is_one_line_on_where_and_with_what(new_daemon):
    daemon = new_daemon(config="sample_hz = 19\nwindow_length = 1min\n")
    lines = [line for line in daemon.said if " on Linux " in line]
    assert len(lines) == 1
    for word in (os.uname().release, f"{os.cpu_count()} processor", "19 Hz", "1min in 64MiB"):
        assert word in lines[0]


@pytest.mark.parametrize("old", interpreters.too_old()[:1], ids=repr)
def test_a_process_that_is_refused_is_named_once_with_the_reason(new_daemon, start, old):
    target = start(old, "odd_comm.py", b"a\nb\x1b[2J".hex())
    daemon = new_daemon()
    named = f"process {target.pid} "
    line = daemon.says(named, after=lambda: None)
    assert f"{named}(a\\x0ab\\x1b[2J) is not followed: " in line
    (reason,) = [row["reason"] for row in daemon.ask("GET", "/v1/processes")["processes"]
                 if row["pid"] == target.pid]
    assert line.endswith(f": {reason}\n")
    daemon.configure("sample_hz = 1\n")
    daemon.reload()
    assert len([line for line in daemon.said if named in line]) == 1


# --- at SIGHUP ---

def test_a_reload_changes_the_rate_and_loses_nothing(new_daemon, start, debian, theft, is_long):
    """A recording that runs across it has all of its target's time, at both rates."""
    daemon = new_daemon(config="sample_hz = 49\n")
    target = start(debian, "spin.py")
    recording = daemon.record(target.pid, hz=19)
    before, from_ns = targets.cpu_ns(target.pid), time.monotonic_ns()
    for hz in (499, 49, 499):
        time.sleep(4 if is_long else 1)
        daemon.configure(f"sample_hz = {hz}\n")
        assert f"read again: {hz} Hz" in daemon.reload()
        assert daemon.status()["clock"]["hz"] == hz
    time.sleep(1)
    profile = recording.stop()
    after, to_ns = targets.cpu_ns(target.pid), time.monotonic_ns()
    charged_ns = (after - before) * profile.duration_ns / (to_ns - from_ns)
    period_ns = 1e9 / 49
    ticks = profile.duration_ns / period_ns
    deviation_ns = period_ns * math.sqrt(ticks * 0.5 * 0.5)  # at most, for any share
    theft.check(profile.weight(), charged_ns, max(0.02 * charged_ns, 4 * deviation_ns))
    assert profile.about["rates_hz"] == "49,499"
    samples = daemon.check_balance()
    assert not any(samples["lost"].values()), samples


@wrong
def test_a_wrong_reload_is_said_and_changes_nothing(new_daemon, text, words):
    daemon = new_daemon(config="sample_hz = 33\n")
    daemon.configure(text)
    said = daemon.reload()
    for word in (f"{daemon.config}{words[0]}", *words, "stays as it was"):
        assert word in said
    assert daemon.status()["clock"]["hz"] == 33
    daemon.configure("sample_hz = 34\n")
    assert "34 Hz" in daemon.reload(), "it is not stuck"


def test_a_socket_waits_for_the_next_start(config):
    config.write_text(f"socket = {config.parent}/s\n")
    with running(config) as (process, hear):
        hear("ready on")
        config.write_text(f"socket = {config.parent}/t\n")
        process.send_signal(signal.SIGHUP)
        assert f"{config.parent}/t" in hear("takes effect at the next start")
        assert (config.parent / "s").is_socket() and not (config.parent / "t").exists()


# --- what a service manager hears ---

class Manager:
    """The end of NOTIFY_SOCKET where systemd listens."""

    def __init__(self, path):
        self.path = str(path)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)

    def hear(self, patience_s=PATIENCE_S):
        """The next message as a dict; None if there is none."""
        self.socket.settimeout(patience_s)
        try:
            text = self.socket.recv(4096).decode()
        except socket.timeout:
            return None
        return dict(line.split("=", 1) for line in text.splitlines())

    def await_key(self, key):
        """The next message that has it."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            message = self.hear()
            if message and key in message:
                return message
        raise AssertionError(f"no {key}=")

    def hear_all(self, seconds):
        heard, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            message = self.hear(max(0.001, end - time.monotonic()))
            heard += [message] if message else []
        return heard


@pytest.fixture
def manager(tmp_path):
    listening = Manager(tmp_path / "notify")
    yield listening
    listening.socket.close()


def managed(manager, *more):
    return ["env", f"NOTIFY_SOCKET={manager.path}", *more]


def test_a_manager_hears_of_readiness_state_reload_and_end(new_daemon, manager, start, debian):
    start(debian, "spin.py")
    daemon = new_daemon(*managed(manager), config="sample_hz = 33\n")
    assert manager.hear() == {"READY": "1"}
    assert daemon.status()["processes"]["ready"] >= 1, "it has looked before it says so"
    status = manager.hear()["STATUS"]
    assert status.startswith("sampling ") and status.endswith(" samples lost"), status
    assert " at 33 Hz; " in status and "; 0 recordings; " in status

    for text in ("sample_hz = 34\n", "wrong\n"):
        daemon.configure(text)
        before_us = time.monotonic_ns() // 1000
        daemon.reload()
        reloading = manager.await_key("RELOADING")
        assert reloading["RELOADING"] == "1"
        assert before_us <= int(reloading["MONOTONIC_USEC"]) <= time.monotonic_ns() // 1000
        assert manager.await_key("READY") == {"READY": "1"}

    recording = daemon.record(hz=10)
    while "; 1 recording; " not in manager.await_key("STATUS")["STATUS"]:
        pass
    recording.stop()
    daemon.process.terminate()
    assert manager.await_key("STOPPING") == {"STOPPING": "1"}


def test_no_manager_waits_for_a_watchdog_that_is_not_asked_for(new_daemon, manager):
    new_daemon(*managed(manager))
    assert not any("WATCHDOG" in message for message in manager.hear_all(2))


SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000  # also wait for what is only a thread


def sampler_thread(pid):
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/comm") as f:
            if f.read() == "spprof-sampler\n":
                return int(tid)
    raise AssertionError("no such thread")


class Stopped:
    """One thread of a process, and only that one, stands still."""

    def __init__(self, tid):
        self.tid = tid

    def ptrace(self, request):
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.ptrace(request, self.tid, None, None) == 0, os.strerror(ctypes.get_errno())

    def __enter__(self):
        self.ptrace(SEIZE)
        self.ptrace(INTERRUPT)
        os.waitpid(self.tid, WALL)

    def __exit__(self, *error):
        self.ptrace(DETACH)


def test_the_watchdog_hears_of_both_threads(new_daemon, manager):
    """While the sampler's hangs there is no sign of life, although the main thread works."""
    daemon = new_daemon(*managed(manager, f"WATCHDOG_USEC={int(WATCHDOG_S * 1e6)}"))
    signs = [m for m in manager.hear_all(5 * WATCHDOG_S) if "WATCHDOG" in m]
    assert len(signs) >= 5, signs

    with Stopped(sampler_thread(daemon.process.pid)):
        manager.hear_all(WATCHDOG_S)  # what was under way
        daemon.process.send_signal(signal.SIGHUP)
        assert manager.await_key("RELOADING"), "the main thread works"
        heard = manager.hear_all(4 * WATCHDOG_S)
        assert not heard, heard
    assert manager.await_key("WATCHDOG") == {"WATCHDOG": "1"}
    assert manager.await_key("READY") == {"READY": "1"}, "the reload is done at last"


def wait_until_taken(pid, number):
    """The process waits for this signal, and has it."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        with open(f"/proc/{pid}/status") as f:
            pending = next(line for line in f if line.startswith("ShdPnd:"))
        if not int(pending.split()[1], 16) >> (number - 1) & 1:
            return
        time.sleep(0.01)
    raise AssertionError(f"signal {number} is still pending")


def test_a_reload_during_a_reload_follows_it(new_daemon, manager):
    daemon = new_daemon(*managed(manager), config="sample_hz = 33\n")

    def reload_twice():
        with Stopped(sampler_thread(daemon.process.pid)):
            for hz in (34, 35):
                daemon.configure(f"sample_hz = {hz}\n")
                daemon.process.send_signal(signal.SIGHUP)
                if hz == 34:
                    manager.await_key("RELOADING")
                wait_until_taken(daemon.process.pid, signal.SIGHUP)

    daemon.says("read again: 35 Hz", after=reload_twice)
    assert daemon.status()["clock"]["hz"] == 35


def test_it_ends_in_the_middle_of_a_reload(new_daemon, manager):
    """With a letter under way to a thread that will not take it before the end."""
    daemon = new_daemon(*managed(manager))
    with Stopped(sampler_thread(daemon.process.pid)):
        daemon.process.send_signal(signal.SIGHUP)
        manager.await_key("RELOADING")
        daemon.process.terminate()
        manager.await_key("STOPPING")
    assert daemon.process.wait(PATIENCE_S) == 0
