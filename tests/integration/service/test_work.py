# SPDX-License-Identifier: Apache-2.0
"""spprofctl inside the machine: a Python program there is seen as it is."""
import re
import subprocess

import pytest

from machine import Target, wait_until
from measured import Theft, four_deviations
from profiles import read_collapsed, read_pprof

SHARE = 2 / 3  # of a() in two_thirds.py
NOBODY = 65534


@pytest.fixture(scope="module")
def two_thirds(shared_machine):
    """One for all: the windows fill while the other tests are at work."""
    shared_machine.succeed("systemctl", "start", "spprofd")
    theft = Theft()
    running = Target(shared_machine, "two_thirds.py")
    running.theft = theft
    yield running
    running.stop()


def test_record_has_the_right_shares(machine, two_thirds, theft):
    data = machine.succeed("spprofctl", "record", "--pid", two_thirds.pid, "-d", 2, "-r", 499, "-f",
                           "pprof", "-o", "-", text=False)
    profile = read_pprof(data)
    assert profile.count() > 300 and profile.pids() == {two_thirds.pid}
    theft.check_share(profile.weight_in("a"), profile.weight(), SHARE,
                      four_deviations(SHARE, profile.count()))


def test_record_by_unit_is_of_that_unit(machine, target):
    one, other = target("two_thirds.py"), target("spin.py")
    said = machine.succeed("spprofctl", "record", "--unit", one.unit, "-d", 1, "-f", "pprof", "-o",
                           "-", text=False)
    assert read_pprof(said).pids() == {one.pid}
    assert other.pid not in read_pprof(said).pids()


def test_top_in_a_pipe_prints_blocks_of_text(machine, two_thirds):
    said = machine.succeed("spprofctl", "top", "--pid", two_thirds.pid, "--count", 2)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", said), ascii(said)
    assert len(re.findall(r"\ba\b.*two_thirds\.py", said)) == 2, said


def test_another_user_sees_their_own_processes(machine, target):
    own, other = target("two_thirds.py", user=NOBODY), target("two_thirds.py")
    assert {row["pid"] for row in machine.ask("list", user=NOBODY)} == {own.pid}
    assert {own.pid, other.pid} <= {row["pid"] for row in machine.ask("list")}
    assert machine.ask("snapshot", "--pid", own.pid, user=NOBODY)["pid"] == own.pid
    done = machine.run("spprofctl", "snapshot", "--pid", other.pid, user=NOBODY)
    assert (done.returncode, done.stdout) == (4, ""), done


def test_a_member_of_the_group_sees_all(machine, two_thirds):
    group = machine.succeed("getent", "group", "spprof").split(":")[2]
    said = machine.succeed("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", f"--groups={group}",
                           "spprofctl", "list")
    assert str(two_thirds.pid) in said.split()


def test_who_is_refused_is_told_once_with_the_reason(machine):
    """A program that has a Python's symbol and nothing of it."""
    cursor = machine.cursor()
    subprocess.run(["gcc", "-x", "c", "-rdynamic", "-", "-o", f"{machine.root}/usr/bin/no-python"],
                   input="#include <unistd.h>\nchar _PyRuntime[65536];\nint main(void)\n"
                   "{\n\treturn pause();\n}\n", text=True, check=True)
    machine.succeed("systemd-run", "-q", "--unit=no-python", "/usr/bin/no-python")
    try:
        pid = str(machine.pid_of("no-python"))
        entries = wait_until(lambda: [entry for entry in machine.journal("spprofd", cursor)
                                      if entry.get("SPPROF_PID") == pid], "it is told", 20)
        assert entries[0]["SPPROF_COMM"] == "no-python"
        assert "older than Python 3.8" in entries[0]["SPPROF_REASON"]
        machine.succeed("spprofctl", "list")
        assert len([entry for entry in machine.journal("spprofd", cursor)
                    if entry.get("SPPROF_PID") == pid]) == 1
    finally:
        machine.run("systemctl", "stop", "no-python")


def test_a_recording_is_read_by_the_text_format_too(machine, two_thirds):
    said = machine.succeed("spprofctl", "record", "--all", "-d", 1, "-f", "collapsed", "-o", "-")
    assert any(re.search(r"\ba \(", text) for stack, _ in read_collapsed(said) for text in stack)


def test_snapshot_names_the_top_function_with_its_share(machine, two_thirds):
    """At once, from what was sampled before it was asked; here, when its start is long ago."""
    def a_full_window():
        page = machine.ask("snapshot", "--pid", two_thirds.pid)
        return page if page["uptime_s"] > 12 and page["cpu"]["samples"] >= 100 else None

    page = wait_until(a_full_window, "there are 100 samples", 30)
    cpu, top = page["cpu"], page["cpu"]["functions"][0]
    assert top["function"] == "a" and top["file"].endswith("two_thirds.py")
    weight_ns = cpu["share"] * cpu["window_s"] * 1e9
    two_thirds.theft.check_share(top["self_share"] * weight_ns, weight_ns, SHARE,
                                 four_deviations(SHARE, cpu["samples"]))
    assert page["pid"] == two_thirds.pid and page["name"] == "python3"
    assert page["user"] == "root" and page["memory"]["rss_bytes"] > 1 << 20


def test_heaps_are_told_to_whom_they_belong_by_a_thread_that_gives_way(machine, target):
    own, other = target("two_thirds.py", user=NOBODY), target("two_thirds.py")
    heap = machine.ask("snapshot", "--pid", own.pid, "--types", user=NOBODY)
    assert heap["pid"] == own.pid and heap["types"] and heap["consistency"] > 0.9
    done = machine.run("spprofctl", "snapshot", "--pid", other.pid, "--types", user=NOBODY)
    assert (done.returncode, done.stdout) == (4, ""), done
    said = machine.succeed("sh", "-c", f"cat /proc/{machine.pid_of('spprofd')}/task/*/stat")
    lines = [re.fullmatch(r"\d+ \((.+)\) (.+)", line).groups() for line in said.splitlines()]
    assert {name: int(fields.split()[16]) for name, fields in lines} == {
        "spprofd": 0, "spprof-sampler": 0, "spprof-worker": 10}
