# SPDX-License-Identifier: Apache-2.0
"""What it costs to be told who allocates: the tiers of `spprofctl heap`, tracemalloc and memray on
one interpreter, taking turns, over programs that do little but allocate; the longest gap while
each is put in and taken out; and what a hit of a uprobe costs, by the instruction it sits on.
"""
import contextlib
import json
import os
import statistics
import subprocess
import tempfile
import threading
import time

import heap
import interpreters
import peer
import targets
from client import Client
from daemon import BUILD, Daemon
from measure import IS_LONG, spread

WORK_S = 0.1 if IS_LONG else 0.03  # a trace takes up to forty times as long
ROUNDS = 9 if IS_LONG else 3
PIECES, PIECES_S = 9, 1.5  # of each work, of which the median counts; of slow ones fewer
GAP_S = 1.0  # at least, of what is looked at
GAP_ROUNDS = 5 if IS_LONG else 3
COST_ROUNDS = 11 if IS_LONG else 5
NO_CAP_PERCENT = 100000
CAP_PERCENT = 10  # of growth, if nothing is said: see spprofctl-heap(1)
SETTLE_S = 6  # of work after which a cap that is reached has had its effect
FOR_S = 300
PLANS = ["objs", "dicts", "json", "float", "str", "tree"]
SHARES = [0.001, 0.01]  # of a processor, M-30
PROBED = "allocations.py"


def chosen():
    """Debian's, whose allocator is inlined, and own builds of these versions."""
    wanted = {11, 12} if IS_LONG else {11}
    own = {one.minor: one for one in interpreters.supported()
           if one.minor in wanted and "/.pyenv/" in one.path}
    return [interpreters.debians(), *own.values()]


class Scans:
    """A scan begins with each piece of work."""

    def __init__(self, bench):
        self.bench = bench
        self.go, self.over = threading.Semaphore(0), threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while self.go.acquire() and not self.over.is_set():
            self.bench.daemon.ask("GET", f"/v1/heap?pid={self.bench.target.pid}")

    def begin(self):
        self.go.release()

    def stop(self):
        self.over.set()
        self.go.release()
        self.thread.join()


class Bench:
    """A target and all that may look at it, and its twin, at whom nobody looks. Each way is a
    context: on entry it is there."""

    def __init__(self, daemon, target, twin, client):
        self.daemon, self.target, self.twin, self.client = daemon, target, twin, client
        self.counts, self.costs, self.scans = {}, {}, None
        self.kept = set()  # functions whose probes the cap has left in

    @contextlib.contextmanager
    def nothing(self):
        yield

    @contextlib.contextmanager
    def scan(self):
        self.scans = Scans(self)
        try:
            yield
        finally:
            self.scans.stop()
            self.scans = None

    def status(self):
        said = json.loads(self.client.succeed("heap", "status", "--pid", self.target.pid, "--json"))
        return said.get("sessions", [said])[0]

    @contextlib.contextmanager
    def tier(self, name, cap=NO_CAP_PERCENT):
        who = ["--pid", self.target.pid]
        self.client.succeed("heap", "start", *who, "--tier", name, "--max-overhead", cap,
                            "--for", FOR_S)
        try:
            yield
            said = self.status()
            assert said["state"] == "active", (said["state"], said["reason"])
            self.counts[name, cap], self.costs = said["counts"], said["probe_cost_ns"]
        finally:
            for _ in range(2):  # the second one also ends the tracking of frees
                self.client.run("heap", "stop", *who)

    @contextlib.contextmanager
    def growth_within_cap(self):
        """As it is if nobody says more, once it has seen for a while what it costs."""
        with self.tier("growth", CAP_PERCENT):
            end = time.monotonic() + SETTLE_S
            while time.monotonic() < end:
                self.work()
            yield
            self.kept |= {probe["function"] for probe in self.status()["probes"]}

    @contextlib.contextmanager
    def tracemalloc(self):
        self.target.tell("tracemalloc")
        self.target.read()
        try:
            yield
        finally:
            self.target.tell("none")
            self.target.read()

    def memray_do(self, verb, *args):
        done = subprocess.run([heap.PYTHON, "-m", "memray", verb, *args, str(self.target.pid)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, timeout=heap.MEMRAY_LIMIT_S)
        assert done.returncode == 0, done.stdout

    @contextlib.contextmanager
    def memray(self, *args):
        with tempfile.TemporaryDirectory(prefix="spprof-bench-") as folder:
            self.memray_do("attach", "-o", f"{folder}/profile", *args)
            try:
                yield
            finally:
                self.memray_do("detach")

    def ways(self, has_memray):
        every = {"growth": self.growth_within_cap, "growth, no cap": lambda: self.tier("growth"),
                 "trace": lambda: self.tier("trace")}
        if has_memray:
            every["memray"] = self.memray
            every["memray, Python's too"] = lambda: self.memray("--trace-python-allocators")
        return every

    def piece(self, name):
        if self.scans:
            self.scans.begin()
        self.target.tell(name)
        return self.target.read()

    def beside_twin(self, name):
        """[wall, processor time] of a piece of work, over those of the twin's right after it: how
        fast the machine is changes from second to second."""
        ratios, end = [], time.monotonic() + PIECES_S
        while not ratios or (len(ratios) < PIECES and time.monotonic() < end):
            own = self.piece(name)
            self.twin.tell(name)
            ratios.append([one / other for one, other in zip(own, self.twin.read())])
        return [statistics.median(row) for row in zip(*ratios)]

    def work(self):
        return {name: self.beside_twin(name) for name in PLANS}


@contextlib.contextmanager
def probed(daemon, interpreter, program, *args):
    """A bench of a program that can import what memray puts into it."""
    site = os.path.join(heap.FOLDER, "lib", f"python3.{interpreter.minor}", "site-packages")
    argv = ["env", f"PYTHONPATH={site}", interpreter.path, "-B", targets.program(program)]
    with contextlib.ExitStack() as stack:
        two = []
        for _ in range(2):
            two.append(targets.Target([*argv, *map(str, args)], stderr=subprocess.DEVNULL))
            stack.callback(two[-1].stop)
        yield Bench(daemon, *two, Client(daemon.socket)), os.path.isdir(site)


def told(err):
    return " ".join(str(err).split())[-300:]


def slow_downs(bench, ways):
    """{way: {work: [how many times as long (wall, processor) as without, before and after]}}, and
    who gave up and why."""
    ratios, problems = {way: {name: [] for name in PLANS} for way in ways}, {}
    bench.work()
    for _ in range(ROUNDS):
        for way, enter in ways.items():
            if way in problems:
                continue
            before = bench.work()
            try:
                with enter():
                    took = bench.work()
            except (AssertionError, subprocess.SubprocessError, KeyError) as err:
                problems[way] = told(err)
                continue
            after = bench.work()
            for name in PLANS:
                ratios[way][name].append([2 * took[name][i] / (before[name][i] + after[name][i])
                                          for i in range(2)])
    return ratios, problems


def print_way(way, ratios):
    used = statistics.median(row[1] for rows in ratios.values() for row in rows)
    walls = (spread([row[0] for row in ratios[name]]) for name in PLANS)
    print(f"  {way:20}" + "".join(f"{wall:>22}" for wall in walls) + f"{used:>11.2f}", flush=True)


def print_slow_downs(daemon, interpreter):
    print(f"\n  Python {interpreter}: times as long as with nothing, {ROUNDS} rounds of the median of "
          f"{PIECES} pieces\n  beside those of a twin (aims: scan <= 1.01, growth <= 1.1)")
    print(" " * 22 + "".join(f"{name:>22}" for name in PLANS) + "  processor")
    with probed(daemon, interpreter, PROBED, WORK_S) as (bench, has_memray):
        ways = {"nothing": bench.nothing, "scan": bench.scan, **bench.ways(has_memray),
                "tracemalloc": bench.tracemalloc}
        ratios, problems = slow_downs(bench, ways)
        for way in ways:
            if all(ratios[way].values()):
                print_way(way, ratios[way])
            if way in problems:
                print(f"  {way:20} gave up: {problems[way]}", flush=True)
        print(f"    growth's cap of {CAP_PERCENT} % leaves in: {', '.join(sorted(bench.kept))}")
        for (tier, cap), counts in bench.counts.items():
            print(f"    {tier}, cap {cap} %: {json.dumps(counts)}")
        if bench.costs:
            print(f"    a hit with the program that it runs, as the daemon measured: "
                  f"{json.dumps(bench.costs)}")
        if not has_memray:
            print("    no memray for this interpreter")


@contextlib.contextmanager
def longest_gap(bench, found):
    """Adds the target's to @found, ms, of what goes on meanwhile and GAP_S around it."""
    bench.target.tell("gaps")
    time.sleep(GAP_S / 2)
    try:
        yield
    finally:
        time.sleep(GAP_S / 2)
        bench.target.tell("end")
        found.append(bench.target.read() / 1e6)


def take_gaps(bench, enter, found):
    """Of putting in, of being there, and of taking out."""
    with contextlib.ExitStack() as stack:
        with longest_gap(bench, found["in"]):
            stack.enter_context(enter())
        with longest_gap(bench, found["there"]):
            pass
        with longest_gap(bench, found["out"]):
            stack.close()


def print_gaps_of(way, found, nothing):
    print(f"  {way:22}" + ";".join(
        f"{name:>6} {spread(rows)}, "
        f"{statistics.median(rows) - statistics.median(nothing[name]):+.2f}"
        for name, rows in found.items()), flush=True)


def print_gaps(daemon, interpreter):
    print(f"\n  Python {interpreter}: a target's longest gap while that is put in, while it is "
          "there, and while it is\n  taken out, ms (aim: <= 1 above nothing)")
    with probed(daemon, interpreter, PROBED, WORK_S) as (bench, has_memray):
        ways = {"nothing": bench.nothing, **bench.ways(has_memray)}
        ways.pop("growth")  # it takes its time before it is there
        found = {way: {"in": [], "there": [], "out": []} for way in ways}
        problems = {}
        for _ in range(GAP_ROUNDS):
            for way, enter in ways.items():
                if way in problems:
                    continue
                try:
                    take_gaps(bench, enter, found[way])
                except (AssertionError, subprocess.SubprocessError, KeyError) as err:
                    problems[way] = told(err)
        for way in ways:
            if all(found[way].values()):
                print_gaps_of(way, found[way], found["nothing"])
            if way in problems:
                print(f"  {way:22} gave up: {problems[way]}", flush=True)


def print_costs():
    """M-30. What the original promised of a uprobe on malloc is stated as it is."""
    print("\n  A hit of a uprobe, ns on top of the call, without a BPF program; and the hits a "
          "second that\n  cost " + " or ".join(f"{share:.1%}" for share in SHARES) +
          " of a processor")
    done = subprocess.run([f"{BUILD}/bench/uprobe_cost", str(COST_ROUNDS)], text=True,
                          stdout=subprocess.PIPE, check=True)
    for line in done.stdout.splitlines():
        name, *numbers = line.split()
        if numbers[0] == "error":
            print(f"  {line}")
            continue
        middle, low, high = map(float, numbers)
        hits = ", ".join(f"{share * 1e9 / max(middle, 1):,.0f}" for share in SHARES)
        print(f"  {name:16} {middle:8.0f} ({low:.0f} to {high:.0f}): {hits}")
    print("  A program that allocates makes 20 to 50 million objects a second: no probe on each of "
          "them\n  keeps to such a share. Growth keeps to it where new pools are as rare as that.")


def print_heap_probes():
    print("\nWho allocates: what it costs to be told")
    print_costs()
    problem = peer.install_into(heap.FOLDER, f"memray=={heap.MEMRAY}", f"pympler=={heap.PYMPLER}")
    if problem:
        print(f"  no memray: {problem}")
    daemon = Daemon(config="sample_hz = 0\n")
    try:
        for interpreter in chosen():
            print_slow_downs(daemon, interpreter)
        print_gaps(daemon, interpreters.debians())
    finally:
        daemon.stop()
