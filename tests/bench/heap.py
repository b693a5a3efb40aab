# SPDX-License-Identifier: Apache-2.0
"""What lives in a process: `spprofctl snapshot --types`, beside what users have for the question.
memray attaches and tells of what is allocated from then on; pympler's muppy looks from inside.
"""
import json
import os
import subprocess
import tempfile
import time

import peer
import targets
from client import Client
from daemon import Daemon
from measure import IS_LONG, spread

HEAP_BYTES = (256 if IS_LONG else 64) << 20
STRETCH_S = 4.0
ROUNDS = 5 if IS_LONG else 3
MEMRAY, PYMPLER = "1.20.0", "1.1"
FOLDER = os.path.join(peer.CACHE, f"heap-memray-{MEMRAY}-pympler-{PYMPLER}")
PYTHON = f"{FOLDER}/bin/python"
MEMRAY_S = 1  # that it records
MEMRAY_LIMIT_S = 60


def status_mib(pid, field):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith(field)) / 1024


class Peak:
    """How much more memory than before a process had, at most, while in here."""

    def __init__(self, pid):
        self.pid = pid

    def __enter__(self):
        with open(f"/proc/{self.pid}/clear_refs", "w") as f:
            f.write("5")  # resets VmHWM
        self.before = status_mib(self.pid, "VmRSS")
        return self

    def __exit__(self, *_):
        self.mib = status_mib(self.pid, "VmHWM") - self.before


class Bench:
    """What a tool says is {"ms": time of its answer, "gap": the target's longest, in ms,
    "own": MiB of the tool, "found": text}; None if it has no answer."""

    def __init__(self, daemon, target):
        self.daemon, self.target = daemon, target
        self.client = Client(daemon.socket)

    def beside(self, act):
        """What @act() returns, and the longest gap meanwhile."""
        self.target.tell(str(STRETCH_S))
        row = act()
        row["gap"] = self.target.read()[2] / 1e6
        return row

    def nothing(self):
        return self.beside(lambda: {})

    def ours(self):
        def ask():
            with Peak(self.daemon.process.pid) as peak:
                began = time.monotonic()
                heap = json.loads(self.client.succeed(
                    "snapshot", "--pid", self.target.pid, "--types", "--json"))
                taken = time.monotonic() - began
            nodes = next(row["objects"] for row in heap["types"] if row["name"] == "Node")
            return {"ms": taken * 1e3, "own": peak.mib, "nodes": nodes,
                    "found": f"{len(heap['types'])} types"}

        return self.beside(ask)

    def memray(self):
        with tempfile.TemporaryDirectory(prefix="spprof-bench-") as folder:
            def attach():
                began = time.monotonic()
                done = subprocess.run(
                    [PYTHON, "-m", "memray", "attach", "-o", f"{folder}/profile", "--duration",
                     str(MEMRAY_S), str(self.target.pid)], stdin=subprocess.DEVNULL, text=True,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=MEMRAY_LIMIT_S)
                assert done.returncode == 0, done.stdout
                return {"ms": (time.monotonic() - began) * 1e3,
                        "found": "no types, nothing from before it attached"}

            return self.beside(attach)

    def muppy(self):
        self.target.tell("muppy")
        _, _, gap, seconds, kinds, nodes = self.target.read()
        return {"ms": seconds * 1e3, "gap": gap / 1e6, "nodes": nodes, "found": f"{kinds} types"}


def of(rows, key):
    return [row[key] for row in rows if key in row]


def print_tool(name, rows, truth):
    parts = [f"target's longest gap {spread(of(rows, 'gap'), 1)} ms",
             f"its memory +{spread(of(rows, 'target'), 1)} MiB"]
    if of(rows, "ms"):
        parts.insert(0, f"answer after {spread(of(rows, 'ms'), 0)} ms")
    if of(rows, "own"):
        parts.append(f"the daemon's +{spread(of(rows, 'own'), 1)} MiB")
    parts += of(rows, "found")[-1:]
    if of(rows, "nodes"):
        parts.append(f"{of(rows, 'nodes')[-1]} of {truth} nodes")
    print(f"  {name:22} {'; '.join(parts)}", flush=True)


def measure(bench, tools):
    """{name of the tool: rows}, and why one of them gave up."""
    found, problems = {name: [] for name in tools}, {}
    for _ in range(ROUNDS):
        for name, look in tools.items():
            if name in problems:
                continue
            try:
                with Peak(bench.target.pid) as peak:
                    row = look()
                found[name].append({**row, "target": peak.mib})
            except (AssertionError, subprocess.SubprocessError) as err:
                problems[name] = " ".join(str(err).split())[-300:]
                bench.target.read()  # the end of the stretch
    return found, problems


def print_heap():
    problem = peer.install_into(FOLDER, f"memray=={MEMRAY}", f"pympler=={PYMPLER}")
    python = "/usr/bin/python3" if problem else PYTHON
    print(f"\nWhat lives in a heap of {HEAP_BYTES >> 20} MiB, by type; the tools take turns")
    daemon = Daemon(config="sample_hz = 0\n")
    target = targets.Target([python, "-B", targets.program("heap_big.py"), str(HEAP_BYTES)],
                            stderr=subprocess.DEVNULL)  # memray speaks there
    try:
        bench = Bench(daemon, target)
        tools = {"nothing": bench.nothing, "spprofctl": bench.ours}
        if problem:
            print(f"  no memray, no muppy: {problem}")
        else:
            tools.update({f"memray {MEMRAY} attach": bench.memray,
                          f"muppy (pympler {PYMPLER})": bench.muppy})
        found, problems = measure(bench, tools)
        for name in tools:
            if found[name]:
                print_tool(name, found[name], target.ready["Node"])
            if name in problems:
                print(f"  {name:22} gave up: {problems[name]}")
    finally:
        target.stop()
        daemon.stop()
