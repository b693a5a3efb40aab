# SPDX-License-Identifier: Apache-2.0
"""Lines are exact in every thread: a free-threaded CPython gives each its own copy of the bytecode,
and gives the copies of threads that ended to new ones."""
import collections

from measured import four_deviations

HZ = 1999


def lines_in(sample, function):
    return [frame.line for frame in sample.frames if frame.function == function]


def test_lines_are_exact_in_every_thread(daemon, start, interpreter, theft, is_long):
    target = start(interpreter, "thread_lines.py")
    lines, calls = target.ready["lines"], target.ready["calls"]
    profile = daemon.record(target.pid, hz=HZ, seconds=20 if is_long else 1.5).finish()
    by_call, counts = collections.defaultdict(collections.Counter), collections.Counter()
    roots = collections.Counter()
    for sample in profile.samples:
        for frame in sample.frames:
            if frame.function in lines:
                assert frame.line in lines[frame.function], (frame, sample.labels)
        if lines_in(sample, "spin"):
            call, = lines_in(sample, "turns")
            by_call[sample.labels["tid"]][call] += sample.weight
            counts[sample.labels["tid"]] += sample.count
        roots.update({name: sample.count for name in ("lasting", "short", "shared")
                      if lines_in(sample, name)})
    for tid in target.ready["tids"]:
        weights = by_call[tid]
        assert set(weights) == set(calls)
        off = max(0.06, four_deviations(2 / 3, counts[tid]))
        theft.check_share(weights[calls[0]], sum(weights.values()), 2 / 3, off)
    assert all(set(weights) <= set(calls) for weights in by_call.values())
    print(f"{len(by_call)} threads; samples {dict(roots)}")
    assert len(by_call) > 5 and min(roots.values()) > 30
