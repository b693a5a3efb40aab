# SPDX-License-Identifier: Apache-2.0
"""Each mistake has its exit code and one line that says what was wanted and why it failed."""
import json
import os
import socket
import subprocess
import time

import pytest

import interpreters
from client import Client, check_error
from daemon import BUILD

LONG_PATH = "/tmp/" + "x" * 120
WHOLE_S = 2


@pytest.fixture
def sleeping():
    """A process that is not Python."""
    process = subprocess.Popen(["sleep", "300"])
    yield process.pid
    process.kill()
    process.wait()


@pytest.fixture
def ended():
    """The id of a process that is no more."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


@pytest.mark.parametrize("args", [
    [],
    ["frobnicate"],
    ["--frobnicate"],
    ["status", "--frobnicate"],
    ["status", "-x"],
    ["status", "more"],
    ["dump", "--pid"],
    ["dump", "--pid", "0"],
    ["dump", "--pid", "-1"],
    ["dump", "--pid", "12x"],
    ["dump", "--pid", "99999999999999999999"],
    ["dump", "--pid", "1", "--rate", "99"],
    ["record", "--pid", "1", "--all"],
    ["record", "--all", "--", "true"],
    ["record", "--all", "true"],
    ["record", "--all", "-r", "0"],
    ["record", "--all", "-r", "20000"],
    ["record", "--all", "-r", "10001"],
    ["record", "--all", "-r", "99.5"],
    ["record", "--all", "-r", "many"],
    ["record", "--all", "-r", ""],
    ["record", "--all", "-d", "0"],
    ["record", "--all", "-d", "-1"],
    ["record", "--all", "-d", "nan"],
    ["record", "--all", "-d", "1e400"],
    ["record", "--all", "-d", "86401"],
    ["record", "--all", "-f", "flamegraph"],
    ["record", "--all", "-o", ""],
    ["record", "--all", "--json"],
    ["record", "--all", "--last", "1d"],
    ["record", "--all", "--last", "60s", "-d", "1"],
    ["record", "--last", "60s", "--", "true"],
    ["snapshot", "--all", "--json", "-f", "pprof"],
    ["top", "--all", "--count", "0"],
    ["top", "--all", "--sort", "name"],
    ["status", "--socket", LONG_PATH],
    ["status", "-S", ""],
], ids=lambda args: " ".join(args)[:40] or "nothing")
def test_a_wrong_call_is_2(client, args, tmp_path):
    """C-10, C-18: found before anything is started."""
    check_error(client.run(*args, cwd=tmp_path), 2)
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("flag,name", [("-n", "native"), ("-g", "gil"), ("-i", "idle"),
                                       ("-s", "subprocesses")])
@pytest.mark.parametrize("verb", ["record", "dump"])
def test_a_reserved_letter_is_refused_with_a_word(client, verb, flag, name):
    check_error(client.run(verb, "--pid", os.getpid(), flag), 2, name)
    check_error(client.run(verb, "--pid", os.getpid(), f"--{name}"), 2, name)


@pytest.mark.parametrize("args", [["dump"], ["record", "-d", "1", "-o", "-"]])
def test_no_such_process_is_3(client, args, ended):
    check_error(client.run(*args, "--pid", ended), 3, ended)


@pytest.mark.parametrize("args", [["dump"], ["record", "-d", "1", "-o", "-"]])
def test_not_a_python_is_6(client, args, sleeping):
    """What to do: `list` shows those that are."""
    check_error(client.run(*args, "--pid", sleeping), 6, sleeping, "spprofctl list")


@pytest.mark.parametrize("old", interpreters.too_old(), ids=repr)
def test_an_older_python_is_6_with_the_reason_that_list_shows(client, start, old):
    target = start(old, "spin.py")
    row, = [row for row in json.loads(client.succeed("list", "--json")) if row["pid"] == target.pid]
    assert row["state"] == "refused" and row["reason"]
    check_error(client.run("dump", "--pid", target.pid), 6, row["reason"])
    check_error(client.run("record", "-d", "1", "-o", "-", "--pid", target.pid), 6, row["reason"])


@pytest.mark.parametrize("args", [
    ["status"], ["list", "--json"], ["dump", "--pid", "1"], ["record", "--all", "-o", "-"],
    ["record", "-o", "-", "--", "touch", "started"]])
def test_no_daemon_is_5_and_says_how_to_start_one(tmp_path, args):
    """Neither is a program started."""
    socket = str(tmp_path / "nobody.sock")
    check_error(Client(socket).run(*args, cwd=tmp_path), 5, socket, "spprofd")
    assert not os.listdir(tmp_path)


def test_a_socket_that_nobody_serves_is_5(tmp_path):
    path = str(tmp_path / "left.sock")
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(path)
    check_error(Client(path).run("status"), 5, path)


@pytest.mark.parametrize("output", ["/nowhere/file", "/", "/proc/file", "/dev/full"])
def test_an_output_that_cannot_be_written_is_1(client, start, debian, output):
    """Found before the recording is started; a full disk when it is written."""
    target = start(debian, "half_asleep.py")
    began_ns = time.monotonic_ns()
    done = client.run("record", "--pid", target.pid, "-d", str(WHOLE_S), "-o", output)
    check_error(done, 1, output)
    was_recorded = time.monotonic_ns() - began_ns > WHOLE_S * 1e9
    assert was_recorded == (output == "/dev/full")


def test_standard_output_that_is_full_is_1(client, start, debian):
    target = start(debian, "half_asleep.py")
    with open("/dev/full", "w") as full:
        for args in (["status"], ["list"], ["dump", "--pid", target.pid],
                     ["record", "--pid", target.pid, "-d", "0.1", "-o", "-"]):
            done = client.run(*args, stdout=full)
            assert done.returncode == 1, done
            assert done.stderr.startswith("spprofctl: ") and done.stderr.count("\n") == 1, done


# --- spprofd ---


def run_daemon(*args):
    return subprocess.run([f"{BUILD}/spprofd", *args], stdin=subprocess.DEVNULL, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_second_daemon_on_a_live_socket_is_1(daemon):
    """The first one goes on."""
    done = run_daemon("--foreground", "--socket", daemon.socket)
    check_error(done, 1, daemon.socket, program="spprofd")
    assert daemon.status()["pid"] == daemon.process.pid


@pytest.mark.parametrize("args", [
    ["--foreground", "--socket", LONG_PATH],
    ["--foreground", "--socket"],
    ["--foreground", "--frobnicate"],
    ["--foreground", "more"],
    ["--opener"],
    ["--config", "/nowhere/spprofd.conf"],
])
def test_a_wrong_call_of_the_daemon_is_2(args):
    check_error(run_daemon(*args), 2, program="spprofd")


def test_a_service_without_its_opener_is_1():
    check_error(run_daemon("--opener", "/nowhere/opener.sock"), 1, "/nowhere/opener.sock",
                program="spprofd")


def test_a_socket_in_a_folder_that_is_not_there_is_1():
    check_error(run_daemon("--foreground", "--socket", "/nowhere/spprofd.sock"), 1,
                "/nowhere/spprofd.sock", program="spprofd")


def test_a_socket_that_a_dead_daemon_left_is_taken(new_daemon):
    killed = new_daemon()
    killed.kill()
    assert os.path.exists(killed.socket)
    killed.launch()
    assert killed.status()["pid"] == killed.process.pid


@pytest.mark.parametrize("args,word", [(["--version"], "0."), (["--help"], "usage")])
def test_help_and_version_are_on_standard_output(client, args, word):
    for done in (client.run(*args), run_daemon(*args)):
        assert done.returncode == 0 and word in done.stdout and done.stderr == ""
