# SPDX-License-Identifier: Apache-2.0
"""Processor time of a sample at 1 kHz, kernel and daemon together, beside py-spy's."""
import time

import peer
import targets
from measure import IS_LONG, cpu_ms, running, spread

HZ = 1000
SETTLE_S = 1.0
SPAN_S = 10 if IS_LONG else 3
ROUNDS = 5 if IS_LONG else 3
PROGRAMS = [
    ("one busy loop", "spin.py", []),
    ("4 threads", "equal_threads.py", [200]),
    ("json and regex", "json_regex.py", []),
]


def ours(daemon, pid):
    """Microseconds of a sample: (in the kernel, in the daemon), while a recording runs."""
    recording = daemon.record(pid, hz=HZ)
    time.sleep(SETTLE_S)
    before, used = daemon.status(), cpu_ms(daemon.process.pid)
    time.sleep(SPAN_S)
    used, after = cpu_ms(daemon.process.pid) - used, daemon.status()
    recording.stop()
    taken = after["counters"]["taken"] - before["counters"]["taken"]
    kernel = (after["counters"]["bpf_ns"] - before["counters"]["bpf_ns"]) / taken / 1e3
    return kernel, used * 1e3 / (after["samples"]["delivered"] - before["samples"]["delivered"])


def spys(pid):
    """Microseconds of one of py-spy's samples, without its start; None if it took none."""
    began = time.monotonic()
    spy = peer.PySpy(pid, HZ)
    used = cpu_ms(spy.process.pid)
    time.sleep(SPAN_S)
    used = cpu_ms(spy.process.pid) - used
    length_s = time.monotonic() - began
    spy.finish()
    return used / SPAN_S / (spy.samples / length_s) * 1e3 if spy.samples else None


def print_per_sample(daemon, interpreter):
    problem = peer.install()
    print(f"\nProcessor time of a sample at {HZ} Hz under Python {interpreter}, us "
          "(aim: kernel and daemon together <= 5)")
    for label, name, args in PROGRAMS:
        kernel, user, spy = [], [], []
        with running(interpreter, name, *args) as target:
            target.tell()
            for _ in range(ROUNDS):
                one = ours(daemon, target.pid)
                kernel.append(one[0])
                user.append(one[1])
                if not problem:
                    spy.append(spys(target.pid))
        both = [k + u for k, u in zip(kernel, user)]
        spy = [one for one in spy if one]
        beside = f"py-spy {spread(spy, 0)}" if spy else f"no py-spy: {problem or 'no sample'}"
        print(f"  {label:16} {spread(both)} = kernel {spread(kernel)} + daemon {spread(user)}; "
              f"{beside}", flush=True)
