# SPDX-License-Identifier: Apache-2.0
"""What the daemon may do: little, and no more than that from before its first look."""
import os
import re
import shutil
import subprocess
import time

import targets
from daemon import Daemon

CAP_SYS_ADMIN = 21
DAEMON_MAY = {19: "SYS_PTRACE", 2: "DAC_READ_SEARCH", 34: "SYSLOG", 38: "PERFMON", 39: "BPF",
              40: "CHECKPOINT_RESTORE"}
ENDS_S = 5


def status_of(pid, tid=None):
    with open(f"/proc/{pid}/task/{tid or pid}/status") as f:
        return dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)


def capabilities(fields, name):
    bits = int(fields[name], 16)
    return {bit for bit in range(64) if bits >> bit & 1}


def opener_of(daemon):
    openers = [pid for pid in targets.children(daemon.process.pid)
               if status_of(pid)["Name"] == "spprof-perf"]
    assert len(openers) == 1
    return openers[0]


def wait_until_gone(pid):
    """A zombie that nobody waits for has ended too."""
    end = time.monotonic() + ENDS_S
    while time.monotonic() < end:
        try:
            if status_of(pid)["State"].startswith("Z"):
                return
        except (FileNotFoundError, ProcessLookupError):
            return
        time.sleep(0.01)
    raise AssertionError(f"process {pid} has not ended after {ENDS_S} s")


def test_every_thread_of_the_daemon_has_what_it_needs(daemon):
    tids = os.listdir(f"/proc/{daemon.process.pid}/task")
    assert len(tids) >= 2
    for tid in tids:
        fields = status_of(daemon.process.pid, tid)
        for name in ("CapEff", "CapPrm", "CapBnd"):
            assert capabilities(fields, name) <= set(DAEMON_MAY), (tid, name, fields[name])
        assert not capabilities(fields, "CapInh") and not capabilities(fields, "CapAmb")
        assert fields["NoNewPrivs"] == "1"
        assert fields["Seccomp"] == "2" and int(fields["Seccomp_filters"]) >= 1


def test_the_opener_has_sys_admin_only(daemon):
    fields = status_of(opener_of(daemon))
    for name in ("CapEff", "CapPrm"):
        assert capabilities(fields, name) == {CAP_SYS_ADMIN}, name
    for name in ("CapBnd", "CapInh", "CapAmb"):
        assert capabilities(fields, name) <= {CAP_SYS_ADMIN}, name
    assert fields["NoNewPrivs"] == "1"


def test_the_opener_ends_with_the_daemon(new_daemon):
    daemon = new_daemon()
    opener = opener_of(daemon)
    daemon.process.terminate()
    daemon.process.wait()
    wait_until_gone(opener)


def test_the_opener_ends_with_a_killed_daemon():
    daemon = Daemon()
    opener = opener_of(daemon)
    daemon.process.kill()
    daemon.process.wait()
    daemon.reader.join()
    daemon.process.stderr.close()
    shutil.rmtree(daemon.folder)
    wait_until_gone(opener)


# x86-64 numbers and arguments of calls that would change nothing, filtered away or not.
NOBODY = 0x7fffffff
PTRACE_PEEKDATA = 2
CALLS = {
    "ptrace": (101, PTRACE_PEEKDATA, NOBODY, 0, 0),
    "process_vm_writev": (311, NOBODY, 0, 0, 0, 0, 0),
    "pidfd_getfd": (438, -1, 0, 0),
    "process_vm_readv": (310, NOBODY, 0, 0, 0, 0, 0),
}
REFUSED = {"ptrace", "process_vm_writev", "pidfd_getfd"}
EPERM_ANSWER = (-1, 1)


def answers_inside(pid):
    """{call: (result, errno)}, where a debugger makes the process itself call."""
    argv = ["gdb", "-nx", "-batch", "-p", str(pid)]
    for name, numbers in CALLS.items():
        args = ", ".join(f"{number}L" for number in numbers)
        argv += ["-ex", f"set var $result = ((long (*)(long, ...)) syscall)({args})", "-ex",
                 f'printf "{name} %ld %d\\n", $result, *((int *(*)(void)) __errno_location)()']
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, timeout=60)
    found = re.findall(r"^(\w+) (-?\d+) (\d+)$", done.stdout, re.M)
    assert {name for name, _, _ in found} == set(CALLS), done.stdout
    return {name: (int(result), int(errno)) for name, result, errno in found}


def test_calls_that_could_change_a_target_are_refused(new_daemon, start, debian):
    refused = {name for name, answer in answers_inside(new_daemon().process.pid).items()
               if answer == EPERM_ANSWER}
    assert refused == REFUSED
    elsewhere = answers_inside(start(debian, "deep.py", 10).pid)
    assert EPERM_ANSWER not in elsewhere.values(), "the check can fail"


def calls_of(trace):
    """[(pid, call, arguments)] in the order of their beginnings, of strace -f -o."""
    with open(trace) as f:
        return [found.groups() for found in
                (re.match(r"(\d+) +(\w+)\((.*)", line) for line in f) if found]


def is_look(who, call, args):
    """It reads another process's memory or files."""
    other = re.search(r'"/proc/(\d+)/', args)
    return call == "process_vm_readv" or bool(other and other[1] != who)


def test_privileges_are_given_up_before_the_first_look(new_daemon, start, debian, tmp_path):
    """By then each process that reads has only what it needs: the last capset comes first."""
    start(debian, "deep.py", 10)
    trace = tmp_path / "trace"
    daemon = new_daemon("strace", "-D", "-f", "-o", trace, "-e",
                        "trace=capset,process_vm_readv,openat,openat2,open")
    pid = daemon.process.pid
    assert daemon.status()["processes"]["ready"] >= 1
    daemon.process.terminate()
    daemon.process.wait()
    calls = calls_of(trace)
    looks = [i for i, call in enumerate(calls) if is_look(*call)]
    drops = [i for i, (who, call, _) in enumerate(calls) if call == "capset" and int(who) == pid]
    assert looks and drops
    assert any(calls[i][1] == "process_vm_readv" for i in looks)
    assert any("/maps" in calls[i][2] for i in looks)
    assert drops[-1] < looks[0]


def test_it_starts_with_little_locked_memory_and_no_way_to_more(new_daemon, start, debian):
    """As kernels from 5.11 on do not charge maps to RLIMIT_MEMLOCK."""
    daemon = new_daemon("prlimit", "--memlock=65536:65536", "setpriv",
                        "--bounding-set=-sys_resource", "--inh-caps=-sys_resource")
    with open(f"/proc/{daemon.process.pid}/limits") as f:
        limit = re.search(r"^Max locked memory +(\d+) +(\d+)", f.read(), re.M)
    assert limit.groups() == ("65536", "65536")
    target = start(debian, "deep.py", 10)
    assert daemon.record(target.pid, hz=499, seconds=0.5).finish().count() > 0
