# SPDX-License-Identifier: Apache-2.0
"""`record -- PROGRAM`, and processes that come and go while a recording runs."""
import itertools
import json
import math
import os
import signal
import subprocess

import pytest

import interpreters
import targets
from client import check_error
from profiles import read_pprof

HZ = 999
SHORT_LIVED = 20


def record(client, tmp_path, interpreter, seconds, code=0, *args):
    """The finished client, what the program said, and the profile."""
    file = tmp_path / "profile"
    done = client.run("record", "-r", HZ, "-f", "pprof", "-o", file, "--", interpreter.path, "-B",
                      targets.program("burn_and_exit.py"), seconds, code, *args)
    assert file.exists(), done
    return done, json.loads(done.stdout), read_pprof(file.read_bytes())


def module_level(sample):
    return any(frame.function == "<module>" and frame.file.endswith("/burn_and_exit.py")
               for frame in sample.frames)


def test_a_program_is_recorded_from_its_first_instruction_to_its_end(client, tmp_path, interpreter,
                                                                     theft, is_long):
    """C-20, C-21: what a module does while it is loaded is seen; the weights are the process's
    whole processor time within 3 % or 4 standard deviations."""
    seconds = 5 if is_long else 1
    done, used_ns, profile = record(client, tmp_path, interpreter, seconds)
    assert done.returncode == 0, done
    total = profile.weight()
    print(f"{total / used_ns:.4f} of its time, {profile.weight(module_level) / total:.4f} in the "
          f"module, {profile.weight_in('[starting]') / 1e6:.1f} ms while it started")
    # A tick lasts 1 ms. The rest of its run, start and end, is what is random.
    deviation_ns = 1e9 / HZ * math.sqrt(profile.count())
    theft.check(total, used_ns, max(0.03 * used_ns, 4 * deviation_ns))
    assert profile.weight(module_level) > 0.97 * seconds * 1e9
    assert len(profile.pids()) == 1


def test_the_exit_code_is_passed_on(client, tmp_path, debian):
    done, _, profile = record(client, tmp_path, debian, 0.1, 7)
    assert done.returncode == 7
    assert profile.count() > 0
    assert f"wrote {tmp_path}/profile" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_a_signal_is_passed_on_as_a_shell_does(client, tmp_path, debian, number):
    done, _, profile = record(client, tmp_path, debian, 0.1, -number)
    assert done.returncode == 128 + number
    assert profile.count() > 0


def test_a_length_ends_the_recording_before_the_program(client, tmp_path, debian):
    """The program runs on to its end, and its exit code counts."""
    file = tmp_path / "profile"
    done = client.run("record", "-d", 0.3, "-r", HZ, "-f", "pprof", "-o", file, "--", debian.path,
                      "-B", targets.program("burn_and_exit.py"), 1, 7)
    assert done.returncode == 7
    assert json.loads(done.stdout) > 1e9
    profile = read_pprof(file.read_bytes())
    assert 0.25e9 < profile.duration_ns < 0.8e9
    assert profile.weight() <= profile.duration_ns + 0.02e9, "and a tick more"


@pytest.mark.parametrize("program", ["/nowhere/to/be/found", "/etc/passwd"])
def test_a_program_that_cannot_be_executed(client, tmp_path, program):
    done = client.run("record", "-o", tmp_path / "profile", "--", program)
    check_error(done, 1, program)
    assert not (tmp_path / "profile").exists()


def test_a_program_that_is_not_python_is_6(client, tmp_path):
    """It is run to its end all the same."""
    done = client.run("record", "-o", tmp_path / "profile", "--", "touch", tmp_path / "ran")
    check_error(done, 6, "touch")
    assert os.listdir(tmp_path) == ["ran"]


def test_a_recording_of_a_process_is_without_its_children(daemon, start, interpreter):
    """C-20: a fork's child is another process: recorded with --all, not with --pid."""
    target = start(interpreter, "forking.py")
    of_parent = daemon.record(target.pid, hz=HZ)
    of_all = daemon.record(hz=HZ)
    target.tell()
    child = target.read()
    await_samples_of(daemon, child)
    of_parent, of_all = of_parent.stop(), of_all.stop()
    assert of_parent.pids() == {target.pid}
    assert "in_parent" in of_parent.functions()
    assert "in_child" not in of_parent.functions()
    assert {target.pid, child} <= of_all.pids()
    assert "in_child" in of_all.functions()
    for sample in of_all.samples:
        other = "in_parent" if sample.labels["pid"] == child else "in_child"
        assert sample.labels["pid"] not in (child, target.pid) or \
            other not in {frame.function for frame in sample.frames}


def await_samples_of(daemon, pid):
    """A recording of that process alone says that it used the processor."""
    for _ in range(50):
        if daemon.record(pid, hz=HZ, seconds=0.1).finish().weight_in("in_child"):
            return
    pytest.fail(f"process {pid} is never seen in its function")


def test_pythons_that_live_200_ms_are_named(daemon):
    """C-20, C-22: 20 short-lived processes, of every interpreter in turn, under `--all`."""
    recording = daemon.record(hz=HZ)
    chosen = itertools.islice(itertools.cycle(interpreters.supported()), SHORT_LIVED)
    processes = []
    for number, interpreter in enumerate(chosen):
        process = subprocess.Popen(
            [interpreter.path, "-B", targets.program("burn_and_exit.py"), "0.2", "0",
             f"brief_{number}"], stdout=subprocess.DEVNULL, env=targets.clean_environment())
        process.wait(targets.PATIENCE_S)
        processes.append((process.pid, interpreter))
    profile = recording.stop()
    shares = {}
    for number, (pid, interpreter) in enumerate(processes):
        named = profile.weight(lambda s, n=number, p=pid: s.labels["pid"] == p and
                               s.frames[0].function == f"brief_{n}")
        shares[f"{number}: {interpreter}"] = round(named / 0.2e9, 2)
    print(shares)
    assert min(shares.values()) > 0.7
