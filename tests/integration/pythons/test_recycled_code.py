# SPDX-License-Identifier: Apache-2.0
"""A code object that took the place of another never gets the other's name."""
import bisect
import re
import time

HZ = 4999
SLACK_NS = 50000  # what an interrupt takes, between a reading of the clock and the call beside it


def unix_minus_monotonic_ns():
    """From the pair of readings with the least between them."""
    pairs = []
    for _ in range(200):
        before, unix, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        pairs.append((after - before, unix - (before + after) // 2))
    return min(pairs)[1]


def leaf_number(sample):
    """N of the innermost frame fN, -1 where it has no name, None where there is no such frame."""
    for frame in sample.frames:
        found = re.fullmatch(r"f(\d+)", frame.function)
        if found or frame.function == "[unknown]":
            return int(found[1]) if found else -1, frame
    return None, None


class Runs:
    """Which function ran when. @log is in order of time."""

    def __init__(self, log, offset_ns):
        self.rows = log
        self.starts = [row[3] + offset_ns for row in log]
        self.offset_ns = offset_ns

    def at(self, time_ns):
        """Those that ran then, by number, give or take the slack."""
        first = bisect.bisect_right(self.starts, time_ns + SLACK_NS) - 1
        return {row[0]: row for row in self.rows[max(0, first - 3):first + 1]
                if row[4] + self.offset_ns >= time_ns - SLACK_NS}

    def surely_at(self, time_ns):
        """The number of the one that ran then and SLACK_NS before and after; or None."""
        for number, row in self.at(time_ns).items():
            if row[3] + SLACK_NS <= time_ns - self.offset_ns <= row[4] - SLACK_NS:
                return number
        return None


def check_sample(sample, runs):
    """(number that it names, number of the one that surely ran then); wrong lines fail."""
    time_ns = sample.labels["timestamp_ns"]
    number, frame = leaf_number(sample)
    ran = runs.at(time_ns)
    if number in ran:
        first_line = ran[number][2]
        assert frame.first_line == first_line
        assert frame.line - first_line in (0, 1, 2)
    elif number is not None and number >= 0:
        assert False, f"f{number} did not run at {time_ns - runs.offset_ns}, but {list(ran)}"
    return number, runs.surely_at(time_ns)


def test_a_recycled_code_object_never_gets_the_old_name(daemon, start, interpreter, is_long):
    """C-07: 0 samples name a function that did not run then, 99 % of those in one are named,
    with its own first and executing line (C-05). C-08, C-C4: timestamps are Unix."""
    target = start(interpreter, "recycled_code.py")
    offset_ns = unix_minus_monotonic_ns()
    profile = daemon.record(target.pid, hz=HZ, seconds=30 if is_long else 1, order=1).finish()
    target.tell()
    log = target.read()
    runs = Runs(log, offset_ns)
    pairs = [check_sample(sample, runs) for sample in profile.samples]
    in_one = [number for number, _ in pairs if number is not None]
    sure = [number == ran for number, ran in pairs if ran is not None]
    addresses = len({row[1] for row in log})
    print(f"{len(log)} functions at {addresses} addresses; {len(pairs)} samples, {len(in_one)} in "
          f"one, {in_one.count(-1)} of them unnamed; {sum(sure)} of {len(sure)} sure ones")
    assert addresses < len(log) / 5, "the target's code objects do not follow one another"
    assert len(sure) > 500
    assert in_one.count(-1) <= 0.01 * len(in_one)
    assert sum(sure) >= 0.99 * len(sure)
