# SPDX-License-Identifier: Apache-2.0
"""No stack is torn: in tests/targets/grammar.py a function has one caller, so it shows.

The same check finds torn ones among what a plain reader of the process's memory gets.
"""
import re
import subprocess

import pytest

import interpreters
from daemon import BUILD
from profiles import read_collapsed

RATE_HZ = 4999
SHORT_SAMPLES, LONG_SAMPLES = 1250, 200000
RECORDINGS = 15  # at most: a busy machine leaves the target less than a processor
LINE = re.compile(r"^(f\w*) \(grammar:(\d+)\)$")
LEAST_WHOLE = 0.98
READINGS = 4000
TRIES = 50
ROOT = ["<module>", "main", "run"]
# Up to 3.10 a function that does not recurse keeps its frame object, and here its caller too.
FRAMES_REUSED = [one for one in interpreters.supported() if one.minor >= 11]
NOTHING = ["[unreadable]"]  # a tick in the few instructions in which there is no stack to see


def is_allowed(names):
    """Root first: the way in, then f and below each function one that it may call."""
    rest = names[len(ROOT):]
    if names[:len(ROOT)] != ROOT[:len(names)]:
        return False
    return rest[:1] in ([], ["f"]) and all(re.fullmatch(f"{caller}_[01]", callee)
                                           for caller, callee in zip(rest, rest[1:]))


def is_mixed(names):
    """A function stands below one that never calls it."""
    return any(caller.startswith("f") and callee.startswith("f_") and
               callee.rsplit("_", 1)[0] != caller for caller, callee in zip(names, names[1:]))


def rows_of(text):
    """[(names root first, samples)]; a frame's text is `NAME (FILE:LINE)` or `NAME`."""
    return [([re.sub(r" \(\S*:\d+\)$", "", frame) for frame in stack], samples)
            for stack, samples in read_collapsed(text)]


def split(rows):
    """Samples of allowed stacks, those that say that they saw none, and the forbidden rows."""
    allowed = sum(samples for names, samples in rows if is_allowed(names))
    nothing = sum(samples for names, samples in rows if names == NOTHING)
    return allowed, nothing, [row for row in rows if not is_allowed(row[0]) and row[0] != NOTHING]


def test_the_grammar_forbids_what_cannot_be():
    assert is_allowed(ROOT + ["f", "f_1", "f_1_0"])
    assert is_allowed(ROOT)
    assert not is_allowed(ROOT + ["f", "f_1", "f_0_0"])
    assert not is_allowed(ROOT + ["f_1"])
    assert not is_allowed(ROOT + ["f", "f_1", "[unknown]"])
    assert not is_allowed(["f", "f_1"])
    assert is_mixed(["f_1", "f_0_0"]) and not is_mixed(["f", "f_0", "f_0_0", "[unknown]"])


def wrong_lines(text, calls):
    """Pairs of a caller's frame and a callee that the caller's line does not call."""
    for stack, _ in read_collapsed(text):
        frames = [LINE.search(frame) for frame in stack]
        for caller, callee in zip(frames, frames[1:]):
            if caller and callee and calls.get(caller[2]) != callee[1]:
                yield caller[0], callee[0]


def test_no_recorded_stack_is_torn(daemon, client, start, interpreter, is_long):
    """By function, and by the line that calls."""
    target = start(interpreter, "grammar.py")
    allowed = nothing = lost = 0
    for _ in range(RECORDINGS):
        before = daemon.status()["samples"]["lost"]
        text = client.succeed("record", "--pid", target.pid, "-d", 20 if is_long else 1, "-r",
                              RATE_HZ, "-f", "collapsed", "--samples", "--lines", "-o", "-")
        lost += sum(daemon.status()["samples"]["lost"].values()) - sum(before.values())
        one = split(rows_of(text))
        allowed, nothing = allowed + one[0], nothing + one[1]
        assert one[2] == []
        assert list(wrong_lines(text, target.ready)) == []
        if allowed >= (LONG_SAMPLES if is_long else SHORT_SAMPLES):
            break
    print(f"{allowed} whole, {nothing} of nothing, {lost} lost")
    assert allowed >= (LONG_SAMPLES if is_long else SHORT_SAMPLES), "too few to say anything"
    assert allowed >= LEAST_WHOLE * (allowed + nothing + lost)


def test_a_wrong_line_is_seen():
    calls = {"7": "f_1"}
    right, wrong = "f (grammar:7);f_1 (grammar:3) 1\n", "f (grammar:8);f_1 (grammar:3) 1\n"
    assert list(wrong_lines(right, calls)) == []
    assert list(wrong_lines(wrong, calls)) == [("f (grammar:8)", "f_1 (grammar:3)")]


def read_outside(pid):
    done = subprocess.run([f"{BUILD}/integration/outside_reader", str(pid), str(READINGS)],
                          stdout=subprocess.PIPE, text=True, timeout=120, check=True)
    allowed, _, forbidden = split(rows_of(done.stdout))
    assert allowed, "it reads the right thing"
    return forbidden


@pytest.mark.parametrize("on_data_stack", FRAMES_REUSED, ids=repr)
def test_stacks_read_from_outside_are_torn(start, on_data_stack):
    """The check can fail: without the kernel's view some stacks were never there. Only while
    reader and target both have a processor: on a busy machine it takes more than one try."""
    target = start(on_data_stack, "grammar.py")
    assert any(is_mixed(names) for _ in range(TRIES) for names, _ in read_outside(target.pid))
