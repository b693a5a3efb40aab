# SPDX-License-Identifier: Apache-2.0
"""What the kernel charged a target, beside what a profile says of the same time."""
import math
import os
import time

import targets

HZ = 499


def stolen_ns():
    """Time in which the host had all processors do something else: a weight, but no charge."""
    with open("/proc/stat") as f:
        return int(f.readline().split()[8]) * 10**9 // os.sysconf("SC_CLK_TCK")


def tolerance_ns(charged_ns, duration_ns, hz):
    """2 %, or 4 standard deviations: a tick meets the process as often as it runs."""
    processors = os.cpu_count()
    period_ns = 1e9 / hz
    ticks = duration_ns / period_ns * processors
    share = min(1, charged_ns / duration_ns / processors)
    return max(0.02 * charged_ns, 4 * period_ns * math.sqrt(ticks * share * (1 - share)))


class Measured:
    """Records a target that keeps on running, and reads beside it what it is charged."""

    def __init__(self, daemon, pid, seconds, hz=HZ):
        stolen = stolen_ns()
        recording = daemon.record(pid, hz=hz, seconds=seconds)
        before, from_ns = targets.cpu_ns(pid), time.monotonic_ns()
        self.profile = recording.finish()
        after, to_ns = targets.cpu_ns(pid), time.monotonic_ns()
        self.charged_ns = (after - before) * self.profile.duration_ns / (to_ns - from_ns)
        self.hz = hz
        self.stolen_ns = stolen_ns() - stolen

    def check_sum(self):
        tolerance = tolerance_ns(self.charged_ns, self.profile.duration_ns, self.hz)
        assert abs(self.profile.weight() - self.charged_ns) < tolerance + self.stolen_ns
