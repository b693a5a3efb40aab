# SPDX-License-Identifier: Apache-2.0
"""A Debian with a systemd of its own, booted by systemd-nspawn, with spprof installed in it.

It is a copy of what tests/debian-root made, and is thrown away at the end. The host needs no
systemd that runs, and may have either cgroup hierarchy.
"""
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from daemon import BUILD
from interpreters import ROOT

BOOT_S = 60
HALT_S = 30
PATIENCE_S = 60
PROGRAMS = [f"{BUILD}/{name}" for name in ("spprofd", "spprofctl", "spprof-perf")]
TARGETS = "/opt/targets"
# What nspawn would take away from everything inside; CAP_SYS_ADMIN for the opener.
CAPABILITIES = ("CAP_BPF,CAP_PERFMON,CAP_SYS_PTRACE,CAP_SYSLOG,CAP_CHECKPOINT_RESTORE,"
                "CAP_DAC_READ_SEARCH,CAP_SYS_ADMIN")
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}


def wait_until(fact, what, seconds=PATIENCE_S):
    """The first true answer of fact()."""
    end = time.monotonic() + seconds
    while True:
        answer = fact()
        if answer:
            return answer
        assert time.monotonic() < end, f"not so after {seconds} s: {what}"
        time.sleep(0.02)


def make(*args):
    """`make` in the tree, with the folder that the suite's programs are in."""
    folder = os.environ.get("SPPROF_BUILD", "build")
    subprocess.run(["make", "-C", ROOT, f"OUT={folder}", f"GEN={folder}", *args],
                   env=dict(os.environ, MAKEFLAGS="", MAKELEVEL="1"), check=True, timeout=300,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


class Cgroups:
    """A control group for all of the machine, where there are hierarchies of systemd's kind."""

    def __init__(self):
        self.folders = [os.path.join(mount + path, f"spprof-service-{os.getpid()}")
                        for mount, path in self.hierarchies()]
        for folder in self.folders:
            os.makedirs(folder, exist_ok=True)

    def hierarchies(self):
        """(mount point, our path) of cgroup v2 and of v1's name=systemd."""
        with open("/proc/self/cgroup") as f:
            paths = dict(line.rstrip("\n").split(":", 2)[1:] for line in f)
        with open("/proc/self/mountinfo") as f:
            mounts = [line.split() for line in f]
        for fields in mounts:
            kind, options = fields[-3], fields[-1].split(",")
            if kind == "cgroup2" and "" in paths:
                yield fields[4], paths[""].rstrip("/")
            elif kind == "cgroup" and "name=systemd" in options and "name=systemd" in paths:
                yield fields[4], paths["name=systemd"].rstrip("/")

    def enter(self):
        for folder in self.folders:
            with open(os.path.join(folder, "cgroup.procs"), "w") as f:
                f.write("0")

    def remove(self):
        for top in self.folders:
            for folder, _, _ in os.walk(top, topdown=False):
                wait_until(lambda folder=folder: self.is_removed(folder), f"{folder} is empty", 10)

    def is_removed(self, folder):
        try:
            os.rmdir(folder)
            return True
        except OSError:
            return False


class Machine:
    """Made when its systemd has said that it is up."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="spprof-service-")
        self.root = os.path.join(self.folder, "root")
        self.name = os.path.basename(self.folder).replace("_", "0")  # names end in no "-"
        self.cgroups = Cgroups()
        self.process = None
        try:
            self.fill()
            self.boot()
        except BaseException:
            self.stop()
            raise

    def fill(self):
        """Says what it waits for if the root must be made first: that takes a minute or two."""
        made = subprocess.run([f"{ROOT}/tests/debian-root", *PROGRAMS], check=True, text=True,
                              stdout=subprocess.PIPE)
        subprocess.run(["cp", "-a", "--reflink=auto", made.stdout.strip(), self.root], check=True)
        shutil.copytree(f"{ROOT}/tests/targets", self.root + TARGETS)
        make("install", f"DESTDIR={self.root}")

    def boot(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told, \
                open(f"{self.folder}/console", "wb") as console:
            told.bind(f"{self.folder}/notify")
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM",  # it does not outlive the tests
                 "systemd-nspawn", "-q", "-D", self.root, f"--machine={self.name}", "--boot",
                 "--register=no", "--keep-unit", "--notify-ready=yes", "--console=read-only",
                 f"--capability={CAPABILITIES}", "--system-call-filter=bpf perf_event_open"],
                stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT,
                env=dict(os.environ, NOTIFY_SOCKET=f"{self.folder}/notify"),
                preexec_fn=self.cgroups.enter)
            self.leader = self.wait_for_boot(told)

    def wait_for_boot(self, told):
        """nspawn tells who is process 1, and later that it is ready."""
        end = time.monotonic() + BOOT_S
        facts = {}
        while facts.get("READY") != "1":
            told.settimeout(max(0.01, end - time.monotonic()))
            try:
                lines = told.recv(4096).decode().splitlines()
            except socket.timeout:
                raise AssertionError(f"not up after {BOOT_S} s: {self.console()}") from None
            facts.update(line.split("=", 1) for line in lines if "=" in line)
        return facts["X_NSPAWN_LEADER_PID"]

    def console(self):
        with open(f"{self.folder}/console", errors="replace") as f:
            return f.read()

    def argv(self, user=None):
        """How a command is run inside, as root or as @user."""
        entered = ["nsenter", "-t", self.leader, "-a"]
        return entered + (["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups",
                           "--bounding-set=-all", "--inh-caps=-all"] if user else [])

    def run(self, *args, user=None, **options):
        return subprocess.run(self.argv(user) + [str(arg) for arg in args], **{
            "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
            "text": True, "timeout": PATIENCE_S, "env": ENVIRONMENT, **options})

    def start(self, *args, user=None, **options):
        return subprocess.Popen(self.argv(user) + [str(arg) for arg in args], **{
            "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
            "text": True, "env": ENVIRONMENT, **options})

    def succeed(self, *args, **options):
        """Standard output of what must go well."""
        done = self.run(*args, **options)
        assert done.returncode == 0, done
        return done.stdout

    def ask(self, *args, **options):
        """What spprofctl says with --json."""
        return json.loads(self.succeed("spprofctl", *args, "--json", **options))

    def show(self, unit, *properties):
        said = self.succeed("systemctl", "show", unit, "-p", ",".join(properties))
        return dict(line.split("=", 1) for line in said.splitlines())

    def pid_of(self, unit):
        return int(self.show(unit, "MainPID")["MainPID"])

    def status_of(self, pid):
        """/proc/PID/status inside, of each thread."""
        said = self.succeed("sh", "-c",
                            f"for t in /proc/{pid}/task/*; do cat $t/status; echo; done")
        return [dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
                for text in said.split("\n\n") if text.strip()]

    def journal(self, unit, since=None):
        """Entries, as journald has them; those after the cursor @since. (--after-cursor would
        also leave out the first one, where another unit's entry is the cursor's.)
        """
        self.succeed("journalctl", "--sync")
        said = self.succeed("journalctl", "-o", "json", "-u", unit,
                            *([f"--cursor={since}"] if since else []))
        entries = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        return [entry for entry in entries if entry["__CURSOR"] != since]

    def cursor(self):
        self.succeed("journalctl", "--sync")
        return json.loads(self.succeed("journalctl", "-o", "json", "-n", "1"))["__CURSOR"]

    def write(self, path, text):
        """A file inside; @path begins with /."""
        os.makedirs(os.path.dirname(self.root + path), exist_ok=True)
        with open(self.root + path, "w") as f:
            f.write(text)

    def stop(self):
        """Halts it, and leaves nothing behind."""
        if self.process:
            self.process.send_signal(signal.SIGTERM)  # nspawn asks process 1 to halt
            try:
                self.process.wait(HALT_S)
            except subprocess.TimeoutExpired:
                self.process.kill()  # with all that runs inside
                self.process.wait()
        self.cgroups.remove()
        with open("/proc/self/mountinfo") as f:
            assert self.folder not in f.read(), "a mount is left over"
        shutil.rmtree(self.folder)


NUMBER = itertools.count(1)


class Target:
    """A program of tests/targets in a unit of its own, which spprofd knows."""

    def __init__(self, machine, name, *args, user=None):
        self.machine = machine
        self.unit = f"target-{next(NUMBER)}.service"
        machine.succeed("systemd-run", "--quiet", "--collect", f"--unit={self.unit}",
                        *([f"--uid={user}"] if user else []),
                        "/usr/bin/python3", "-B", f"{TARGETS}/{name}", *args)
        self.pid = machine.pid_of(self.unit)
        self.wait_until("ready")

    def wait_until(self, state):
        wait_until(lambda: any(row["pid"] == self.pid and row["state"] == state
                               for row in self.machine.ask("list")), f"{self.unit} is {state}")

    def stop(self):
        self.machine.run("systemctl", "stop", self.unit)
