# SPDX-License-Identifier: Apache-2.0
"""What the daemon costs that samples 20 Pythons from its start, and how soon it does."""
import time

import peer
from daemon import Daemon
from measure import IS_LONG, cpu_ms, memory_mib, spread, twenty

HZ = 99
PEER_HZ = 100
CONFIG = f"sample_hz = {HZ}\n"
SETTLE_S = 2.0
SPAN_S = 10 if IS_LONG else 3
ROUNDS = 5 if IS_LONG else 3
BUSY = 2
STARTS = 10 if IS_LONG else 5
POLL_S = 0.002


def used_ms_a_second(pid):
    used = cpu_ms(pid)
    time.sleep(SPAN_S)
    return (cpu_ms(pid) - used) / SPAN_S


def rest(daemon):
    """Milliseconds a second: (the daemon's, the kernel's for it)."""
    before = daemon.status()["counters"]["bpf_ns"]
    used = used_ms_a_second(daemon.process.pid)
    return used, (daemon.status()["counters"]["bpf_ns"] - before) / 1e6 / SPAN_S


def spied(pid):
    """py-spy's milliseconds a second, and its memory."""
    spy = peer.PySpy(pid, PEER_HZ)
    used, memory = used_ms_a_second(spy.process.pid), memory_mib(spy.process.pid)
    spy.finish()
    return used, memory


def print_rest(interpreter, busy):
    ours, kernel, spy, memory = [], [], [], (0, 0)
    problem = peer.install()
    with twenty(interpreter, busy) as programs:
        daemon = Daemon(config=CONFIG)
        try:
            time.sleep(SETTLE_S)
            for _ in range(ROUNDS):
                for values, value in zip((ours, kernel), rest(daemon)):
                    values.append(value)
                if not problem:
                    used, memory = spied(programs[0].pid)
                    spy.append(used)
            anon, file = memory_mib(daemon.process.pid)
        finally:
            daemon.stop()
    print(f"  {busy:2} busy: {spread(ours)} ms a second and {spread(kernel)} in the kernel; "
          f"RssAnon {anon:.1f} + RssFile {file:.1f} = {anon + file:.1f} MiB", flush=True)
    if problem:
        print(f"           no py-spy: {problem}")
    else:
        print(f"           py-spy on one of them at {PEER_HZ} Hz: {spread(spy)} ms a second; "
              f"RssAnon {memory[0]:.1f} + RssFile {memory[1]:.1f} = {sum(memory):.1f} MiB",
              flush=True)


def first_sample():
    """(ms, ms of processor time) from the daemon's start to its first sample."""
    began = time.monotonic()
    daemon = Daemon(config=CONFIG)
    try:
        while not daemon.status()["samples"]["delivered"]:
            time.sleep(POLL_S)
        return (time.monotonic() - began) * 1e3, cpu_ms(daemon.process.pid)
    finally:
        daemon.stop()


def print_first_samples(interpreter, busy):
    with twenty(interpreter, busy):
        starts = [first_sample() for _ in range(STARTS)]
    after, used = zip(*starts)
    print(f"  {busy:2} busy: after {spread(after, 0)} ms, for {spread(used, 0)} ms of "
          "processor time", flush=True)


def print_always_on(interpreter):
    print(f"\nAlways on: {HZ} Hz on every processor, 20 programs of Python {interpreter} "
          "(aim: <= 40 MiB beside the ring)")
    for busy in (0, BUSY):
        print_rest(interpreter, busy)
    print("\nThe first sample after the daemon's start, among 20 programs "
          "(aims: after <= 300 ms, for <= 200 ms)")
    for busy in (1, BUSY):
        print_first_samples(interpreter, busy)
