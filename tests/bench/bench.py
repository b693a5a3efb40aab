# SPDX-License-Identifier: Apache-2.0
"""What profiling and call trees cost. What is compared takes turns in one run, so that whatever
else the machine does falls on all alike; the issue's aims stand beside what was measured.

    make bench [LONG=1]
"""
import os
import platform
import time

from measure import IS_LONG, running, spread

import always_on
import heap
import heap_map
import heap_probes
import hierarchy
import interpreters
import peer
import per_sample
import targets
import trees
import wrong_stacks
from daemon import Daemon

DEPTHS = [1, 10, 30, 100, 1000]
COST_HZ = 4999
COST_S = 2 if IS_LONG else 0.5
COST_ROUNDS = 5
CPU_S = 10 if IS_LONG else 3
CPU_ROUNDS = 3
PAIRS = 15 if IS_LONG else 7
WORK_S = 1.0
RATES_HZ = [99, 999]
PEER_HZ = 100
START_STOP_ROUNDS = 30
HEAD_BYTES, FRAME_BYTES, RING_HEAD_BYTES = 88, 16, 8  # include/spprof_event.h; the kernel's
AIMS = ("at 30 frames <= 3.5 us with the identity key, <= 1.3 us with 3.14's "
        "code_object_generation; the walk alone <= 1 us")


def print_machine():
    with open("/proc/cpuinfo") as f:
        model = next(line.split(": ")[1].strip() for line in f if line.startswith("model name"))
    print(f"{model}, {os.cpu_count()} processors, Linux {platform.release()}, "
          f"load {os.getloadavg()[0]:.1f}; medians (lowest to highest)")


def cost_us(daemon, interpreter, depth):
    """Microseconds that a taken tick spends in the program, by its own clock."""
    with running(interpreter, "deep.py", depth) as target:
        before = daemon.status()["counters"]
        daemon.record(target.pid, hz=COST_HZ, seconds=COST_S).finish()
        after = daemon.status()["counters"]
    return (after["bpf_ns"] - before["bpf_ns"]) / (after["taken"] - before["taken"]) / 1e3


def print_costs(daemon):
    print(f"\nA sample in the kernel, us (aims: {AIMS})")
    print("  %-10s" % "Python" + "".join(f"{depth:>13} frames      " for depth in DEPTHS))
    for interpreter in interpreters.supported():
        costs = {depth: [] for depth in DEPTHS}
        for _ in range(COST_ROUNDS):
            for depth in DEPTHS:
                costs[depth].append(cost_us(daemon, interpreter, depth))
        print("  %-10s" % interpreter + "".join(f"{spread(costs[depth]):>25}" for depth in DEPTHS),
              flush=True)


def print_ring_bytes():
    sizes = (f"{HEAD_BYTES + FRAME_BYTES * depth + RING_HEAD_BYTES} at {depth}" for depth in DEPTHS)
    print(f"\nBytes of a sample in the ring: {', '.join(sizes)} frames")


def daemon_cpu_ms(daemon, interpreter, hz):
    """Processor time of the daemon for 1,000 samples: with start, stop and the pprof."""
    with running(interpreter, "deep.py", 30) as target:
        delivered, used = daemon.status()["samples"]["delivered"], targets.cpu_ns(daemon.process.pid)
        daemon.record(target.pid, hz=hz, seconds=CPU_S).finish()
        used = targets.cpu_ns(daemon.process.pid) - used
        delivered = daemon.status()["samples"]["delivered"] - delivered
    return used / 1e6 / delivered * 1000


def print_daemon_cpu(daemon, interpreter):
    print("\nThe daemon's processor time for 1,000 samples of 30 frames, ms")
    for hz in RATES_HZ + [COST_HZ]:
        values = [daemon_cpu_ms(daemon, interpreter, hz) for _ in range(CPU_ROUNDS)]
        print(f"  {hz:5} Hz  {spread(values)}", flush=True)


class OurRecording:
    def __init__(self, daemon, pid, hz):
        self.recording = daemon.record(pid, hz=hz)

    def finish(self):
        self.recording.stop()


def timed_work(target):
    target.tell()
    return target.read()


def pair(target, begin, recorded_first):
    """How many times as long the work takes (wall, processor) while it is recorded."""
    times = {}
    for is_recorded in (recorded_first, not recorded_first):
        recording = begin() if is_recorded else None
        times[is_recorded] = timed_work(target)
        if recording:
            recording.finish()
    return [with_it / without for with_it, without in zip(times[True], times[False])]


def print_slow_down(label, target, begin):
    ratios = [pair(target, begin, i % 2 == 0) for i in range(PAIRS)]
    wall, used = ([(ratio[i] - 1) * 100 for ratio in ratios] for i in range(2))
    print(f"  {label:16} wall {spread(wall, 1)} %, processor time {spread(used, 1)} %", flush=True)


def print_slow_downs(daemon, interpreter):
    print(f"\nA target's slow-down, {PAIRS} pairs (its aim: <= 5 % at 100 Hz)")
    problem = peer.install()
    with running(interpreter, "fixed_work.py", WORK_S) as target:
        for hz in RATES_HZ:
            print_slow_down(f"{hz} Hz", target, lambda: OurRecording(daemon, target.pid, hz))
        if problem:
            print(f"  no py-spy: {problem}")
            return
        spies = []

        def begin():
            spies.append(peer.PySpy(target.pid, PEER_HZ))
            return spies[-1]

        print_slow_down(f"py-spy {PEER_HZ} Hz", target, begin)
    cpu = [spy.cpu_s * 1e3 / spy.samples * 1000 for spy in spies if spy.samples]
    if cpu:
        print(f"  py-spy {peer.VERSION} itself: {spread(cpu)} ms of processor time for 1,000 samples")


def print_start_stop(daemon, interpreter):
    starts, stops = [], []
    with running(interpreter, "deep.py", 30) as target:
        for _ in range(START_STOP_ROUNDS):
            before = time.monotonic()
            recording = daemon.record(target.pid, hz=99)
            starts.append((time.monotonic() - before) * 1e3)
            time.sleep(0.1)
            before = time.monotonic()
            recording.stop()
            stops.append((time.monotonic() - before) * 1e3)
    print(f"\nA recording starts in {spread(starts, 1)} ms and stops in {spread(stops, 1)} ms "
          "(aim: <= 100)")


def main():
    print_machine()
    always_on.print_always_on(interpreters.debians())
    daemon = Daemon(config=f"sample_hz = 0\nstack_depth = {DEPTHS[-1]}\n")
    try:
        per_sample.print_per_sample(daemon, interpreters.debians())
        per_sample.print_per_sample(daemon, interpreters.supported()[-1])
        print_costs(daemon)
        print_ring_bytes()
        print_daemon_cpu(daemon, interpreters.debians())
        print_slow_downs(daemon, interpreters.debians())
        print_start_stop(daemon, interpreters.debians())
        wrong_stacks.print_wrong_stacks(daemon)
    finally:
        daemon.stop()
    heap.print_heap()
    heap_probes.print_heap_probes()
    heap_map.print_heap_map()
    trees.print_trees()
    hierarchy.print_hierarchies()


main()
