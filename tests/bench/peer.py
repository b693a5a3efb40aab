# SPDX-License-Identifier: Apache-2.0
"""py-spy beside us, from PyPI into a virtual environment in the cache folder."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

VERSION = "0.4.3"
CACHE = os.environ.get("SPPROF_CACHE") or os.path.expanduser("~/.cache/spprof")
FOLDER = os.path.join(CACHE, f"py-spy-{VERSION}")
PROGRAM = os.path.join(FOLDER, "bin", "py-spy")
ATTACH_S = 1.0
DURATION_S = 600


def install_into(folder, *packages):
    """None, or why there are none. @folder becomes a virtual environment that has them."""
    if os.path.exists(folder):
        return None
    try:
        for argv in ([sys.executable, "-m", "venv", f"{folder}.new"],
                     [f"{folder}.new/bin/pip", "install", "--quiet", *packages]):
            subprocess.run(argv, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.CalledProcessError as err:
        shutil.rmtree(f"{folder}.new", ignore_errors=True)
        return err.stderr.decode(errors="replace").strip() or str(err)
    os.rename(f"{folder}.new", folder)
    return None


def install():
    """None, or why there is no py-spy."""
    return install_into(FOLDER, f"py-spy=={VERSION}")


class PySpy:
    """One that records @pid; after finish(): @lines, a stack each, @samples in them, and
    @cpu_s, its own processor time."""

    def __init__(self, pid, hz):
        self.folder = tempfile.TemporaryDirectory(prefix="spprof-bench-")
        self.file = os.path.join(self.folder.name, "raw")
        self.process = subprocess.Popen(
            [PROGRAM, "record", "--pid", str(pid), "--rate", str(hz), "--format", "raw",
             "--duration", str(DURATION_S), "--output", self.file],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(ATTACH_S)

    def finish(self):
        os.kill(self.process.pid, signal.SIGINT)  # send_signal() might wait for it
        _, _, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = 0  # it has been waited for
        self.cpu_s = usage.ru_utime + usage.ru_stime
        self.lines = []
        if os.path.exists(self.file):
            with open(self.file) as f:
                self.lines = f.read().splitlines()
        self.samples = sum(int(line.rsplit(" ", 1)[1]) for line in self.lines)
        self.folder.cleanup()
