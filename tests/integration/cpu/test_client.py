# SPDX-License-Identifier: Apache-2.0
"""What spprofctl prints and writes, to whom."""
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import time

import pytest

import targets
from client import PATIENCE_S, PROGRAM, Client, check_error
from profiles import read_collapsed, read_pprof, read_speedscope

NOBODY = 65534
FORMATS = {"speedscope": ".speedscope.json", "collapsed": ".collapsed.txt", "pprof": ".pb.gz"}


def one_json(text):
    """One JSON value and a newline."""
    assert text.endswith("\n") and text.count("\n") == 1
    return json.loads(text)


def test_status_has_the_shape_of_the_interface(client, daemon):
    """C-19: collected, lost, and what it costs, measured."""
    status = one_json(client.succeed("status", "--json"))
    assert re.fullmatch(r"\d+\.\d+\.\d+", status["version"])
    assert status["api"] == 1
    assert status["pid"] == daemon.process.pid
    assert 0 < status["uptime_s"] < 86400
    samples = status["samples"]
    assert set(samples) == {"ticks", "taken", "delivered", "lost"}
    assert samples["taken"] == samples["delivered"] + sum(samples["lost"].values())
    assert samples["ticks"] >= samples["taken"]
    assert status["counters"]["bpf_ns"] >= 0
    text = client.succeed("status")
    for name in ("version", "samples.taken", "samples.lost.ring_full"):
        assert re.search(rf"^{re.escape(name)} +\S", text, re.M), text


def test_every_status_while_ticks_are_taken_balances(daemon, start, debian):
    """C-12, C-18: in each of 50 answers at 4,999 Hz, taken = delivered + what was lost."""
    target = start(debian, "spin.py")
    before = daemon.check_balance()
    recording = daemon.record(target.pid, hz=4999)
    for _ in range(50):
        now = daemon.check_balance()
    profile = recording.stop()
    assert now["taken"] > before["taken"]
    assert int(profile.about["taken"]) == profile.count() + int(profile.about["lost"])


def test_list_shows_each_python(client, start, interpreter):
    """C-20: pid, version, state and reason."""
    target = start(interpreter, "half_asleep.py", "all")
    row, = [row for row in one_json(client.succeed("list", "--json")) if row["pid"] == target.pid]
    assert row["python"] == interpreter.reported
    assert row["state"] == "ready" and row["reason"] is None
    text = client.succeed("list")
    assert text.split()[:3] == ["PID", "PYTHON", "STATE"]
    assert re.search(rf"^{target.pid} +{re.escape(interpreter.reported)} +ready", text, re.M)


def wait_for_samples(daemon, process, count):
    """Until @process has a recording running, and so many samples more were taken."""
    while not daemon.status()["clock"]["sessions"]:
        assert process.poll() is None
    before = daemon.status()["samples"]["taken"]
    while daemon.status()["samples"]["taken"] < before + count:
        assert process.poll() is None


@pytest.mark.parametrize("format", FORMATS)
def test_ctrl_c_ends_a_recording_and_it_is_written(client, daemon, start, debian, tmp_path, format):
    """Without -d and -o: into a file of its own naming, which it names."""
    target = start(debian, "two_thirds.py")
    process = client.start("record", "--pid", target.pid, "-f", format, cwd=tmp_path)
    wait_for_samples(daemon, process, 10)
    process.send_signal(signal.SIGINT)
    done = client.finish(process)
    assert done.returncode == 0 and done.stdout == ""
    name, = os.listdir(tmp_path)
    assert name.endswith(FORMATS[format]) and str(target.pid) in name
    assert done.stderr.count("\n") == 1 and f"wrote {name} " in done.stderr
    check_content(format, (tmp_path / name).read_bytes(), has_samples=True)


def test_a_daemon_that_ends_answers_first(new_daemon, start, debian, tmp_path):
    """C-15: a recording that runs when SIGTERM comes is ended, not lost."""
    ending = new_daemon()
    target = start(debian, "two_thirds.py")
    process = Client(ending.socket).start("record", "-p", target.pid, "-f", "pprof", cwd=tmp_path)
    wait_for_samples(ending, process, 200)  # of all Pythons: we are one ourselves
    ending.process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 0
    name, = os.listdir(tmp_path)
    assert read_pprof((tmp_path / name).read_bytes()).count() >= 10


def check_content(format, data, has_samples):
    if format == "pprof":
        assert bool(read_pprof(data).samples) == has_samples
    elif format == "collapsed":
        assert bool(read_collapsed(data.decode())) == has_samples
    else:
        weights = [profile["weights"] for profile in read_speedscope(data.decode())["profiles"]]
        assert any(weights) == has_samples


@pytest.mark.parametrize("format", FORMATS)
def test_a_profile_without_samples_is_valid(client, start, debian, format):
    """C-10: in every format. -o - is standard output, and nothing else comes there."""
    target = start(debian, "half_asleep.py", "all")
    process = client.start("record", "-p", target.pid, "-d", 0.3, "-f", format, "-o", "-",
                           text=False)
    done = client.finish(process)
    assert done.returncode == 0 and done.stderr == b""
    check_content(format, done.stdout, has_samples=False)


def test_speedscope_has_a_profile_for_each_thread(client, start, debian, tmp_path):
    """C-16, C-17, C-C10: named, root first, a function under one index."""
    target = start(debian, "equal_threads.py", 0.3)
    process = client.start("record", "-p", target.pid, "-d", 2, "-r", 999, "-o",
                           tmp_path / "profile")
    target.tell()
    tids = target.read()
    done = client.finish(process)
    assert done.returncode == 0, done
    file = read_speedscope((tmp_path / "profile").read_text())
    frames = file["shared"]["frames"]
    for tid in tids:
        profile, = [one for one in file["profiles"] if f" {target.pid}/{tid} " in one["name"]]
        roots = {frames[stack[0]]["name"] for stack in profile["samples"] if stack}
        assert "Thread._bootstrap" in roots
        assert "burn" not in roots
    burn, = [frame for frame in frames if frame["name"] == "burn"]
    with open(burn["file"]) as source:
        assert source.readlines()[burn["line"] - 1].startswith("def burn(")


def collapsed(client, target, *flags):
    return read_collapsed(client.succeed("record", "-p", target.pid, "-d", 1, "-r", 499, "-f",
                                         "collapsed", "-o", "-", *flags))


def test_collapsed_lines_are_nanoseconds_of_functions(client, start, debian):
    """C-19, C-05: with --lines the line that runs, with --samples counts, with -t the thread."""
    target = start(debian, "two_thirds.py")
    program = targets.program("two_thirds.py")
    rows = collapsed(client, target)
    assert 0.02e9 < sum(number for _, number in rows) < 1.1e9
    assert {stack[-1] for stack, _ in rows} >= {f"a ({program}:15)", f"b ({program}:21)"}
    rows = collapsed(client, target, "--samples")
    assert 10 < sum(number for _, number in rows) < 600
    rows = collapsed(client, target, "--lines")
    lines = {found[1] for found in (re.fullmatch(rf"a \({re.escape(program)}:(\d+)\)", stack[-1])
                                    for stack, _ in rows) if found}
    assert {"17", "18"} & lines and lines <= {"15", "16", "17", "18"}
    rows = collapsed(client, target, "-t")
    for stack, _ in rows:
        assert re.fullmatch(rf"\S+-{target.pid}/{target.pid} \S+", stack[0]), stack
        assert stack[1].startswith("<module> (")


def test_progress_is_shown_on_a_terminal_only(client, start, debian, tmp_path):
    target = start(debian, "half_asleep.py")
    ours, theirs = pty.openpty()
    process = client.start("record", "-p", target.pid, "-d", 0.5, "-o", tmp_path / "profile",
                           stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while True:
            shown += os.read(ours, 4096)
    except OSError:
        pass  # the other end is closed
    os.close(ours)
    assert client.finish(process).returncode == 0
    assert b"\rrecording" in shown and b"wrote " in shown


def test_curl_speaks_the_interface(daemon):
    """HTTP over a Unix socket, as with Docker."""
    out = subprocess.run(["curl", "-sS", "--unix-socket", daemon.socket, "http://spprof/v1/status"],
                         stdout=subprocess.PIPE, check=True).stdout
    assert json.loads(out)["pid"] == daemon.process.pid


# --- another user ---


@pytest.fixture
def nobody(daemon):
    """A client that runs as one, from a place that everybody can reach."""
    program = shutil.copy(PROGRAM, daemon.folder)
    prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    yield Client(daemon.socket, prefix, program)
    os.unlink(program)


@pytest.fixture
def nobodys(start, debian):
    """A Python of that user's."""
    with open(targets.program("spin.py")) as f:
        source = f.read()
    process = subprocess.Popen([debian.path, "-c", source], user=NOBODY, group=NOBODY,
                               extra_groups=[], stdout=subprocess.PIPE, cwd="/")
    process.stdout.readline()
    yield process.pid
    process.kill()
    process.wait()
    process.stdout.close()


def test_others_see_their_own_processes_only(client, nobody, nobodys, start, debian):
    """C-22: a user needs no right over the target but that it is theirs."""
    roots = start(debian, "spin.py").pid
    pids = {row["pid"] for row in one_json(nobody.succeed("list", "--json"))}
    assert nobodys in pids and roots not in pids
    assert {nobodys, roots} <= {row["pid"] for row in one_json(client.succeed("list", "--json"))}
    assert one_json(nobody.succeed("dump", "--pid", nobodys, "--json"))["pid"] == nobodys
    assert one_json(client.succeed("dump", "--pid", nobodys, "--json"))["pid"] == nobodys


def test_another_users_process_is_4(nobody, start, debian):
    roots = start(debian, "spin.py").pid
    check_error(nobody.run("dump", "--pid", roots), 4, roots)
    check_error(nobody.run("record", "--pid", roots, "-d", 1, "-o", "-"), 4, roots)


def test_all_of_another_user_are_theirs(nobody, nobodys, start, debian):
    """--all is what the caller may see."""
    start(debian, "spin.py")
    process = nobody.start("record", "--all", "-d", 1, "-f", "pprof", "-o", "-", text=False)
    done = nobody.finish(process)
    assert done.returncode == 0, done
    assert read_pprof(done.stdout).pids() == {nobodys}


def test_nobody_stops_anothers_recording(daemon, nobody, start, debian):
    recording = daemon.record(start(debian, "spin.py").pid, hz=99)
    time.sleep(0.5)
    done = subprocess.run([*nobody.argv[:-1], "curl", "-s", "-X", "POST", "--unix-socket",
                           daemon.socket, f"http://spprof/v1/profile/{recording.session}/stop"],
                          stdout=subprocess.PIPE, check=True)
    assert json.loads(done.stdout)["error"]["exit"] == 4
    assert recording.stop().samples
