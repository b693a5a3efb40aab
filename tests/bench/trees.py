# SPDX-License-Identifier: Apache-2.0
"""What a call tree costs, and what reading a profile costs beside the tools that users have
for its format. Each tool runs between two runs of ours; a tenth of the size unless LONG=1.

    python3 -B tests/bench/trees.py
"""
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time

from measure import IS_LONG, spread

from daemon import BUILD
from interpreters import ROOT
from peer import CACHE

STACKS = 1_000_000 if IS_LONG else 100_000
SAMPLES = 10 * STACKS
FUNCTIONS, DEPTH = 50_000, 40
PATIENCE_S = 900 if IS_LONG else 120
AIM_NODE_BYTES, AIM_RATIO = 200, 10
CTL = os.path.join(BUILD, "spprofctl")
MAKER = READER = os.path.join(BUILD, "bench", "import")
INFERNO = os.path.join(CACHE, "inferno")
HOW_INFERNO = f"cargo install --root {INFERNO} inferno"


class Failed(Exception):
    pass


class Run:
    """A finished program: its output, processor time with its children's, peak memory."""

    def __init__(self, *command):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=err)
            usage = wait(process)
            if process.returncode:
                raise Failed(f"ended with {process.returncode}: {last_line(err)}")
            out.seek(0)
            self.first_line = out.readline().decode(errors="replace").strip()
        self.cpu_s = usage.ru_utime + usage.ru_stime
        self.peak_mb = usage.ru_maxrss * 1024 / 1e6


def wait(process):
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage
        time.sleep(0.02)
    process.kill()
    process.wait()
    raise Failed(f"not done in {PATIENCE_S} s")


def last_line(file):
    file.seek(0)
    lines = [line for line in file.read().decode(errors="replace").splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it says nothing"


class Tool:
    """One of those that users have, as a command before the file; or why there is none."""

    def __init__(self, name, command, problem=None):
        self.name, self.command, self.problem = name, command, problem


def said(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise Failed((done.stderr.strip().splitlines() or ["it says nothing"])[-1])
    return done.stdout.strip()


def go_pprof():
    """Not through `go tool`, which costs processor time of its own and may build it first."""
    name = "go tool pprof -top"
    if not shutil.which("go"):
        return Tool(name, None, "no go")
    try:
        said("go", "tool", "pprof", "-help")
        return Tool(name, [said("go", "tool", "-n", "pprof"), "-top"])
    except Failed as err:
        return Tool(name, None, str(err))


def inferno(program, remark=""):
    path = shutil.which(program, path=f"{INFERNO}/bin:{os.environ['PATH']}")
    return Tool(program + remark, [path], None if path else f"try `{HOW_INFERNO}`")


def speedscope():
    name = "speedscope's importer in node"
    try:
        if not shutil.which("node"):
            raise Failed("no node")
        package = said(f"{ROOT}/tests/fetch-speedscope")
        return Tool(name, ["node", f"{ROOT}/tests/bench/speedscope.js", package])
    except Failed as err:
        return Tool(name, None, str(err))


def formats():
    """Name, file and tools of each."""
    page = speedscope()
    yield "collapsed", "bench.collapsed.txt", [inferno("inferno-flamegraph", " (draws it, too)"), page]
    yield "pprof (gzip)", "bench.pb.gz", [go_pprof(), page]
    yield "perf script", "bench.perf.txt", [inferno("inferno-collapse-perf"), page]


class Ours:
    """Reading alone, and the whole of `spprofctl tree`, each time it is our turn."""

    def __init__(self, file):
        self.file = file
        self.reads, self.trees = [], []

    def run(self):
        self.reads.append(Run(READER, "read", self.file))
        self.trees.append(Run(CTL, "tree", "--input", self.file, "--min", 1))

    def read_s(self):
        return statistics.median(run.cpu_s for run in self.reads)

    def tree_s(self):
        return statistics.median(run.cpu_s for run in self.trees)

    def print(self, name):
        size_mb = os.path.getsize(self.file) / 1e6
        print(f"  {name}, {size_mb:.0f} MB: read in {spread([run.cpu_s for run in self.reads])} s, "
              f"{size_mb / self.read_s():.0f} MB/s, peak {self.reads[0].peak_mb:.0f} MB; "
              f"spprofctl tree {spread([run.cpu_s for run in self.trees])} s, "
              f"peak {self.trees[0].peak_mb:.0f} MB")


def try_tool(tool, file):
    """Its Run, or why there is none."""
    if tool.problem:
        return f"not here: {tool.problem}"
    try:
        return Run(*tool.command, file)
    except Failed as err:
        return f"failed: {err}"


def print_tool(tool, run, ours):
    if isinstance(run, str):
        print(f"    {tool.name}: {run}")
    else:
        print(f"    {tool.name}: {run.cpu_s:.2f} s, peak {run.peak_mb:.0f} MB: "
              f"{run.cpu_s / ours.read_s():.1f} times our reading, "
              f"{run.cpu_s / ours.tree_s():.1f} times spprofctl tree")


def take_turns(ours, tools, file):
    """A run of ours before and after each of the tools'. [(tool, its Run or why there is none)]"""
    runs = []
    for tool in tools:
        ours.run()
        runs.append((tool, try_tool(tool, file)))
    ours.run()
    return runs


def print_format(name, file, tools):
    ours = Ours(file)
    runs = take_turns(ours, tools, file)
    ours.print(name)
    for tool, run in runs:
        print_tool(tool, run, ours)
    print(end="", flush=True)


def print_build():
    made = json.loads(Run(f"{BUILD}/bench/calltree", STACKS, SAMPLES, FUNCTIONS, DEPTH).first_line)
    print(f"  tree of {made['nodes']:,} nodes in {made['tree_s']:.2f} s, after "
          f"{made['samples_s']:.2f} s in which the profile summed up the samples; "
          f"{made['tree_bytes'] / made['nodes']:.0f} bytes a node (aim: <= {AIM_NODE_BYTES}); "
          f"peak {made['peak_bytes'] / 1e6:.0f} MB, of which the profile is "
          f"{made['profile_bytes'] / 1e6:.0f} MB", flush=True)


def print_trees():
    print(f"\nA call tree of {SAMPLES:,} samples in {STACKS:,} distinct stacks, depth {DEPTH}, "
          f"{FUNCTIONS:,} functions; seconds of processor time, ours on one core")
    print_build()
    print(f" and reading it (aim: the fastest tool takes >= {AIM_RATIO} times as long)")
    with tempfile.TemporaryDirectory(prefix="spprof-bench-") as folder:
        Run(MAKER, "make", folder, STACKS, FUNCTIONS, DEPTH)
        for name, file, tools in formats():
            print_format(name, os.path.join(folder, file), tools)


if __name__ == "__main__":
    print_trees()
