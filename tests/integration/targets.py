# SPDX-License-Identifier: Apache-2.0
"""Starts the programs of tests/targets and talks with them, a line of JSON at a time."""
import json
import os
import select
import subprocess
import time

from interpreters import ROOT

FOLDER = os.path.join(ROOT, "tests", "targets")
PATIENCE_S = 60


def clean_environment():
    """Nothing of the tests' own Python, nor of pyenv's, gets into a target."""
    return {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


class Target:
    """A running program. Made when it has said that it is ready; @ready is what it said."""

    def __init__(self, argv, **options):
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=clean_environment(), **options)
        self.pid = self.process.pid
        self.unread = b""
        try:
            self.ready = self.read()
        except BaseException:
            self.stop()
            raise

    def read(self):
        """The next line, as JSON."""
        end = time.monotonic() + PATIENCE_S
        while b"\n" not in self.unread:
            readable, _, _ = select.select([self.process.stdout], [], [],
                                           max(0, end - time.monotonic()))
            assert readable, f"{self.process.args} said nothing for {PATIENCE_S} s"
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            assert more, f"{self.process.args} ended with {self.process.wait()}"
            self.unread += more
        line, self.unread = self.unread.split(b"\n", 1)
        return json.loads(line)

    def tell(self, text="go"):
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def wait(self):
        return self.process.wait(PATIENCE_S)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def program(name):
    return os.path.join(FOLDER, name)


def cpu_ns(pid):
    """What the kernel charged to the process's present threads."""
    total = 0
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/schedstat") as f:
            total += int(f.read().split()[0])
    return total


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return [int(child) for child in f.read().split()]
