# SPDX-License-Identifier: Apache-2.0
"""What each line and each thread used, as the program itself measured it."""
import math

from measured import four_deviations

HZ = 999
LINES_OFF = 0.012  # of the time of all lines
THREADS_OFF = 0.015
SLEEPS_MOST = 0.001
SUM_OFF = 0.03


def weights_by(profile, key):
    weights = {}
    for sample in profile.samples:
        name = key(sample)
        weights[name] = weights.get(name, 0) + sample.weight
    return weights


def check_lines(profile, lines, theft):
    found = weights_by(profile, lambda s: s.frames[0].line
                       if s.frames[0].function == "phases" else None)
    total = sum(lines.values())
    samples = sum(s.count for s in profile.samples if s.frames[0].function == "phases")
    seen = sum(found.get(int(line), 0) for line in lines)
    for line, used in lines.items():
        share = used / total
        theft.check_share(found.get(int(line), 0), seen, share,
                          max(LINES_OFF, four_deviations(share, samples)), total)


def check_threads(profile, threads, theft):
    found = weights_by(profile, lambda s: s.labels["tid"])
    total, weight = sum(used for _, used in threads.values()), profile.weight()
    for tid, (name, used) in threads.items():
        share = used / total
        theft.check_share(found.get(int(tid), 0), weight, share,
                          max(THREADS_OFF, four_deviations(share, profile.count())), total)
        if name == "sleep":
            met = sum(s.count for s in profile.samples if s.labels["tid"] == int(tid))
            few = four_deviations(SLEEPS_MOST, profile.count())
            assert met <= max(SLEEPS_MOST, few) * profile.count()
    return total


def test_lines_and_threads_have_what_they_used(daemon, start, interpreter, theft, is_long):
    target = start(interpreter, "line_shares.py", 30 if is_long else 1.5)
    recording = daemon.record(target.pid, hz=HZ)
    target.tell()
    told = target.read()
    profile = recording.stop()
    check_lines(profile, told["lines"], theft)
    used = check_threads(profile, told["threads"], theft)
    few = 0 if is_long else 4 / math.sqrt(profile.count())
    theft.check(profile.weight(), used, (SUM_OFF + few) * used)
