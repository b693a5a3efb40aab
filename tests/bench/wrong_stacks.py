# SPDX-License-Identifier: Apache-2.0
"""Wrong and lost samples, and what 1,000 of them cost: spprof, py-spy and CPython's own
profiling.sampling take turns on tests/targets/grammar.py, in which each function has one caller.
"""
import os
import re
import subprocess
import tempfile
import time

import interpreters
import peer
import targets
from measure import IS_LONG, cpu_ms, running, spread

HZ = 1000
SPAN_S = 10 if IS_LONG else 3
ROUNDS = 5 if IS_LONG else 3
FIRST_OWN_PROFILER = 15  # the minor version that brings profiling.sampling
ROOT = ["<module>", "main", "run"]


def is_right(names):
    rest = names[len(ROOT):]
    return (names[:len(ROOT)] == ROOT[:len(names)] and rest[:1] in ([], ["f"]) and
            all(re.fullmatch(f"{caller}_[01]", callee) for caller, callee in zip(rest, rest[1:])))


def judge(rows, due, cpu_s):
    """(wrong in percent of those taken, lost in percent of those due, CPU ms for 1,000), or None
    where it took none. Due is one a period: of the target's time on a processor for us, of all
    time for who samples by the wall clock.
    """
    taken = sum(count for _, count in rows)
    if not taken:
        return None
    wrong = sum(count for names, count in rows if not is_right(names))
    return (100 * wrong / taken, 100 * max(0, 1 - taken / due), cpu_s * 1e6 / taken)


def ours(daemon, _, pid):
    before, used = daemon.status()["counters"], cpu_ms(daemon.process.pid)
    charged = targets.cpu_ns(pid)
    profile = daemon.record(pid, hz=HZ, seconds=SPAN_S).finish()
    charged = targets.cpu_ns(pid) - charged
    used, after = cpu_ms(daemon.process.pid) - used, daemon.status()["counters"]
    kernel_s = (after["bpf_ns"] - before["bpf_ns"]) / 1e9
    rows = [([frame.function for frame in reversed(sample.frames)], sample.count)
            for sample in profile.samples]
    return judge(rows, charged / 1e9 * HZ, used / 1e3 + kernel_s)


def spys(_, __, pid):
    spy = peer.PySpy(pid, HZ)
    began = time.monotonic()
    time.sleep(SPAN_S)
    due = (time.monotonic() - began + peer.ATTACH_S) * HZ
    spy.finish()
    rows = [([re.sub(r" \(.*\)$", "", name) for name in stack.split(";")], int(count))
            for stack, count in (line.rsplit(" ", 1) for line in spy.lines)]
    return judge(rows, due, spy.cpu_s)


def pythons(_, interpreter, pid):
    with tempfile.TemporaryDirectory(prefix="spprof-bench-") as folder:
        file = os.path.join(folder, "collapsed")
        process = subprocess.Popen(
            [interpreter.path, "-m", "profiling.sampling", "attach", "-r", str(HZ), "-d",
             str(SPAN_S), "--collapsed", "-o", file, str(pid)], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        with open(file) as f:
            lines = [line.rsplit(" ", 1) for line in f]
    rows = [([frame.split(":")[1] for frame in stack.split(";")[1:]], int(count))
            for stack, count in lines]
    return judge(rows, SPAN_S * HZ, usage.ru_utime + usage.ru_stime)


def profilers(interpreter):
    found = [("spprof", ours)]
    if not peer.install():
        found.append((f"py-spy {peer.VERSION}", spys))
    if interpreter.minor >= FIRST_OWN_PROFILER:
        found.append(("profiling.sampling", pythons))
    return found


def print_wrong_stacks(daemon):
    print(f"\ngrammar.py at {HZ} Hz: stacks that were never there, samples that are missing, "
          "processor time of 1,000")
    for interpreter in interpreters.supported():
        rows = profilers(interpreter)
        found = {name: [] for name, _ in rows}
        with running(interpreter, "grammar.py") as target:
            for _ in range(ROUNDS):
                for name, record in rows:
                    found[name].append(record(daemon, interpreter, target.pid))
        for name, _ in rows:
            if not all(found[name]):
                print(f"  {interpreter!r:9} {name:19} took no sample")
                continue
            wrong, lost, cost = zip(*found[name])
            print(f"  {interpreter!r:9} {name:19} wrong {spread(wrong)} %, lost {spread(lost)} %, "
                  f"{spread(cost, 1)} ms", flush=True)
