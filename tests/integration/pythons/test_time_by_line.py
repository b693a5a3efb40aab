# SPDX-License-Identifier: Apache-2.0
"""What each line and each thread used, as the program itself measured it."""
import math

import measured

HZ = 999
LINES_OFF = 0.012  # of the time of all lines
THREADS_OFF = 0.015
SLEEPS_MOST = 0.001
SUM_OFF = 0.03


def allowed(share, samples, bound):
    """@bound, or 4 standard deviations of so few samples."""
    return max(bound, 4 * math.sqrt(share * (1 - share) / samples))


def weights_by(profile, key):
    weights = {}
    for sample in profile.samples:
        name = key(sample)
        weights[name] = weights.get(name, 0) + sample.weight
    return weights


def check_lines(profile, lines):
    found = weights_by(profile, lambda s: s.frames[0].line
                       if s.frames[0].function == "phases" else None)
    total = sum(lines.values())
    samples = sum(s.count for s in profile.samples if s.frames[0].function == "phases")
    seen = sum(found.get(int(line), 0) for line in lines)
    for line, used in lines.items():
        share, is_share = used / total, found.get(int(line), 0) / seen
        print(f"line {line}: {share:.4f} of the time, {is_share:.4f} of the weight")
        assert abs(share - is_share) <= allowed(share, samples, LINES_OFF)


def check_threads(profile, threads):
    found = weights_by(profile, lambda s: s.labels["tid"])
    total, weight = sum(used for _, used in threads.values()), profile.weight()
    for tid, (name, used) in threads.items():
        share, is_share = used / total, found.get(int(tid), 0) / weight
        print(f"{name}: {share:.4f} of the time, {is_share:.4f} of the weight")
        assert abs(share - is_share) <= allowed(share, profile.count(), THREADS_OFF)
        if name == "sleep":
            assert is_share <= allowed(SLEEPS_MOST, profile.count(), SLEEPS_MOST)
    return total


def test_lines_and_threads_have_what_they_used(daemon, start, interpreter, is_long):
    target = start(interpreter, "line_shares.py", 30 if is_long else 2.5)
    stolen_ns = measured.stolen_ns()
    recording = daemon.record(target.pid, hz=HZ)
    target.tell()
    told = target.read()
    profile = recording.stop()
    check_lines(profile, told["lines"])
    used = check_threads(profile, told["threads"])
    stolen = (measured.stolen_ns() - stolen_ns) / used  # a weight, but no charge
    print(f"sum of weights / used {profile.weight() / used:.4f}, the host took {stolen:.4f}")
    few = 0 if is_long else 4 / math.sqrt(profile.count())
    assert abs(profile.weight() / used - 1) <= SUM_OFF + stolen + few
