# SPDX-License-Identifier: Apache-2.0
"""Where the time goes, in right proportions, and that it adds up to what the kernel charged."""
import platform
import re
import time

from measured import Measured

SAMPLE_HZ = 99  # of the daemon, always


def test_two_thirds_and_one_third(daemon, start, interpreter, is_long):
    """C-19, C-21 (weights are the time that passed), C-22: shares within 3 points, and the sum
    within 2 % or 4 standard deviations of what the kernel charged."""
    target = start(interpreter, "two_thirds.py")
    measured = Measured(daemon, target.pid, *((20,) if is_long else (3, 999)))
    measured.check_share("a", 2 / 3, 0.03)
    measured.check_share("b", 1 / 3, 0.03)
    measured.check_sum()


def test_weights_are_right_at_any_rate(daemon, start, debian):
    """C-10, C-21: the shortest interval is 0.1 ms, and the sum stays right. Where the original
    lost 65 % at 1 ms, a weight is the time that passed. A rate is a floor: what really ran,
    for whomever, is what the profile says."""
    target = start(debian, "two_thirds.py")
    for asked_hz, ran_hz in ((19, SAMPLE_HZ), (999, 999), (10000, 10000)):
        measured = Measured(daemon, target.pid, 2, asked_hz)
        assert measured.profile.about["rates_hz"] == str(ran_hz)
        assert measured.profile.interval_ns == 10**9 // ran_hz
        measured.check_sum()


def test_four_equal_threads(daemon, start, interpreter, theft, is_long):
    """C-20: of four threads with equal work, two started before the recording and two during
    it, each has what it used within 20 %, and all together within 10 %."""
    seconds = 5 if is_long else 0.5
    used_ns = seconds * 1e9
    target = start(interpreter, "equal_threads.py", seconds)
    recording = daemon.record(target.pid, hz=999)
    target.tell()
    tids = target.read()
    profile = recording.stop()
    weights = {tid: profile.weight(lambda s, tid=tid: s.labels["tid"] == tid) for tid in tids}
    assert len(weights) == 4
    theft.check(profile.weight_in("burn"), 4 * used_ns, 0.1 * 4 * used_ns)
    for weight in weights.values():
        theft.check(weight, used_ns, 0.2 * used_ns)


def test_recordings_at_different_rates_run_side_by_side(daemon, start, debian):
    """C-21: the clock runs at the highest rate asked for; each recording's sum is right."""
    target = start(debian, "two_thirds.py")
    fast = daemon.record(target.pid, hz=999)
    slow = Measured(daemon, target.pid, 2, 19)
    assert daemon.status()["clock"]["hz"] == 999
    fast = fast.stop()
    assert daemon.status()["clock"]["hz"] == SAMPLE_HZ, "nobody asks for more any more"
    slow.check_sum()
    assert slow.profile.about["rates_hz"] == "999"
    assert slow.profile.count() > 0.5 * 999 * slow.charged_ns / 1e9, "it gets every sample"
    more_ns = fast.duration_ns - slow.profile.duration_ns
    assert 0 < fast.weight() - slow.profile.weight() < more_ns + 0.1e9


def test_a_profile_says_what_it_is_of(daemon, start, interpreter):
    """C-09, C-08 (Unix time, get_ident() and kernel tid), C-C4, C-C13, C-C14: start, length,
    interval, taken and lost, Python version, platform."""
    target = start(interpreter, "half_asleep.py")
    before_ns = time.time_ns()
    profile = daemon.record(target.pid, hz=999, seconds=0.5, order=1).finish()
    after_ns = time.time_ns()
    end_ns = profile.start_ns + profile.duration_ns
    assert before_ns <= profile.start_ns < end_ns <= after_ns
    assert 0.49e9 < profile.duration_ns < 1.5e9
    assert profile.interval_ns == 10**9 // 999
    assert profile.about["python"] == interpreter.reported
    assert profile.about["platform"] == "-".join((platform.system(), platform.release(),
                                                  platform.machine()))
    assert int(profile.about["taken"]) == profile.count() + int(profile.about["lost"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", profile.about["version"])
    times = [sample.labels["timestamp_ns"] for sample in profile.samples]
    assert times == sorted(times) and profile.start_ns <= times[0] <= times[-1] <= end_ns
    assert {sample.labels["tid"] for sample in profile.samples} == {target.ready["runs"]}
    assert {sample.labels["thread_ident"] for sample in profile.samples} == {target.ready["ident"]}
