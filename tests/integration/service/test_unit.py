# SPDX-License-Identifier: Apache-2.0
"""`make install`, `systemctl start spprofd`, and what it then may do."""
import os
import re

from machine import make, wait_until

CAP_SYS_ADMIN = 21
# SYS_PTRACE, DAC_READ_SEARCH, SYSLOG, PERFMON, BPF, CHECKPOINT_RESTORE
DAEMON_MAY = {19, 2, 34, 38, 39, 40}


def capabilities(fields, name):
    bits = int(fields[name], 16)
    return {bit for bit in range(64) if bits >> bit & 1}


def test_start_brings_it_up(machine):
    about = machine.show("spprofd", "ActiveState", "SubState", "NRestarts", "Type", "NotifyAccess")
    assert about == {"ActiveState": "active", "SubState": "running", "NRestarts": "0",
                     "Type": "notify", "NotifyAccess": "main"}
    assert machine.run("systemctl", "is-failed", "spprofd", "spprof-perf.socket",
                       "spprof-perf").returncode != 0
    assert machine.ask("status")["pid"] == machine.pid_of("spprofd")


def test_units_are_well_formed(machine):
    """systemd finds no fault in them."""
    said = machine.run("systemd-analyze", "verify", "--man=no", "spprofd.service",
                       "spprof-perf.socket", "spprof-perf.service")
    assert said.returncode == 0 and said.stderr == "", said


def test_the_daemon_may_what_it_needs_and_no_more(machine):
    """Not a capability that is not listed, and none listed that it has not."""
    user = machine.succeed("id", "-u", "spprof").strip()
    threads = machine.status_of(machine.pid_of("spprofd"))
    assert len(threads) >= 2
    for fields in threads:
        for name in ("CapEff", "CapPrm", "CapBnd"):
            assert capabilities(fields, name) == DAEMON_MAY, (name, fields)
        assert not capabilities(fields, "CapInh") and not capabilities(fields, "CapAmb")
        assert set(fields["Uid"].split()) == {user}
        assert fields["NoNewPrivs"] == "1" and fields["Seccomp"] == "2"


def test_the_opener_may_open_and_nothing_else(machine):
    (fields,) = machine.status_of(machine.pid_of("spprof-perf"))
    for name in ("CapEff", "CapPrm", "CapBnd"):
        assert capabilities(fields, name) == {CAP_SYS_ADMIN}, (name, fields)
    assert not capabilities(fields, "CapInh") and not capabilities(fields, "CapAmb")
    assert fields["NoNewPrivs"] == "1" and fields["Seccomp"] == "2"


def test_it_runs_in_a_pid_namespace_of_its_own(machine):
    """Where the numbers that BPF programs see are not those of the daemon."""
    pid = machine.pid_of("spprofd")
    assert machine.succeed("readlink", f"/proc/{pid}/ns/pid").strip() != \
        os.readlink("/proc/self/ns/pid")


def test_folders_and_sockets_belong_to_whom_they_should(machine):
    said = machine.succeed("stat", "-c", "%n %U %a", "/run/spprof", "/run/spprof/spprofd.sock",
                           "/run/spprof-perf.sock", "/var/lib/spprof", "/etc/spprof/spprofd.conf")
    assert said.splitlines() == [
        "/run/spprof spprof 755", "/run/spprof/spprofd.sock spprof 666",
        "/run/spprof-perf.sock spprof 600", "/var/lib/spprof spprof 750",
        "/etc/spprof/spprofd.conf root 644"]


def test_the_journal_tells_how_it_began(machine):
    """Once, with fields, and without a complaint of anybody's."""
    cursor = machine.cursor()
    machine.succeed("systemctl", "restart", "spprofd")
    pid = machine.pid_of("spprofd")
    said = [entry for entry in machine.journal("spprofd", cursor) if entry["_PID"] == str(pid) and
            entry["_COMM"] == "spprofd"]
    starts = [entry for entry in said if "SPPROF_KERNEL" in entry]
    assert len(starts) == 1, said
    for field in ("SPPROF_VERSION", "SPPROF_PROCESSORS", "SPPROF_SAMPLE_HZ", "SPPROF_WINDOW_BYTES"):
        assert re.fullmatch(r"\d+(\.\d+)*", starts[0][field]), field
    assert all(int(entry["PRIORITY"]) >= 6 for entry in said), said


def test_status_text_says_what_it_does(machine):
    wait_until(lambda: machine.show("spprofd", "StatusText")["StatusText"], "there is a text")


def test_stop_ends_it_at_once_and_cleanly(machine):
    machine.succeed("systemctl", "stop", "spprofd")
    about = machine.show("spprofd", "ActiveState", "Result", "ExecMainStatus")
    assert about == {"ActiveState": "inactive", "Result": "success", "ExecMainStatus": "0"}
    done = machine.run("spprofctl", "status")
    assert done.returncode == 5, done


def test_uninstall_leaves_only_what_was_changed(tmp_path):
    def files():
        return {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")
                if path.is_file()}

    make("install", f"DESTDIR={tmp_path}", "PREFIX=/opt/spprof")
    unit = tmp_path / "opt/spprof/lib/systemd/system/spprofd.service"
    assert "\nExecStart=/opt/spprof/sbin/spprofd\n" in unit.read_text()
    assert {"opt/spprof/sbin/spprof-perf", "opt/spprof/bin/spprofctl"} <= files()
    configuration = tmp_path / "etc/spprof/spprofd.conf"
    configuration.write_text("sample_hz = 49\n")
    make("install", f"DESTDIR={tmp_path}", "PREFIX=/opt/spprof")
    assert configuration.read_text() == "sample_hz = 49\n"
    make("uninstall", f"DESTDIR={tmp_path}", "PREFIX=/opt/spprof")
    assert files() == {"etc/spprof/spprofd.conf"}
    make("install", f"DESTDIR={tmp_path}")
    configuration.unlink()
    make("install", f"DESTDIR={tmp_path}")
    make("uninstall", f"DESTDIR={tmp_path}")
    assert files() == set()
