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


class Theft:
    """What the host took since this was made. Whom it met is weighed with it, and nobody is
    charged: so a weight may be higher by all of it than what it is compared with, never lower.
    """

    def __init__(self):
        self.before = stolen_ns()

    def ns(self):
        return stolen_ns() - self.before

    def seconds(self):
        return self.ns() / 1e9

    def check(self, weight_ns, used_ns, tolerance_ns):
        stolen = self.ns()
        print(f"weight {weight_ns / 1e9:.4f} s, used {used_ns / 1e9:.4f} s, stolen "
              f"{stolen / 1e9:.2f} s, tolerance {tolerance_ns / 1e9:.4f} s")
        assert -tolerance_ns < weight_ns - used_ns < tolerance_ns + stolen

    def check_share(self, part, whole, share, off, charged=None):
        """@part of the weight @whole is @share of it, give or take @off. What was stolen may have
        met this part or the others: where it is known what was @charged, no more than the rest.
        """
        stolen = min(self.ns(), whole if charged is None else max(0, whole - charged)) / whole
        print(f"{part / whole:.4f} of the weight, is {share:.4f} give or take {off:.4f}; "
              f"{stolen:.4f} of it stolen")
        assert -off - share * stolen < part / whole - share < off + (1 - share) * stolen


def four_deviations(share, samples):
    """How far off a share may be that so many samples tell of."""
    return 4 * math.sqrt(share * (1 - share) / samples)


class Measured:
    """Records a target that keeps on running, and reads beside it what it is charged."""

    def __init__(self, daemon, pid, seconds, hz=HZ):
        self.theft = Theft()
        recording = daemon.record(pid, hz=hz, seconds=seconds)
        before, from_ns = targets.cpu_ns(pid), time.monotonic_ns()
        self.profile = recording.finish()
        after, to_ns = targets.cpu_ns(pid), time.monotonic_ns()
        self.charged_ns = (after - before) * self.profile.duration_ns / (to_ns - from_ns)
        self.hz = hz

    def check_sum(self):
        tolerance = tolerance_ns(self.charged_ns, self.profile.duration_ns, self.hz)
        self.theft.check(self.profile.weight(), self.charged_ns, tolerance)

    def check_share(self, function, share, off):
        self.theft.check_share(self.profile.weight_in(function), self.profile.weight(), share, off,
                               self.charged_ns)
