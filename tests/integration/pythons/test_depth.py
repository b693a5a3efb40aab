# SPDX-License-Identifier: Apache-2.0
"""With stack_depth = 4096 nothing of a deep stack is missing."""
import pytest

DEEPEST = 4096


@pytest.fixture(scope="module")
def deep_daemon():
    from daemon import Daemon
    running = Daemon(config=f"stack_depth = {DEEPEST}\n")
    yield running
    running.stop()


def functions_of(depth):
    """Of deep.py, newest first."""
    return ["burn", *(f"level_{level}" for level in range(depth - 3, 0, -1)), "main", "<module>"]


@pytest.mark.parametrize("depth", [100, 1000, 3000])
def test_all_frames_are_there(deep_daemon, start, interpreter, depth):
    target = start(interpreter, "deep.py", depth)
    profile = deep_daemon.record(target.pid, hz=499, seconds=0.2).finish()
    whole = functions_of(depth)
    in_burn = [sample.frames for sample in profile.samples if sample.frames[0].function == "burn"]
    assert in_burn
    for frames in in_burn:
        assert [frame.function for frame in frames] == whole


def test_beyond_the_limit_the_newest_are_kept(deep_daemon, start, debian):
    target = start(debian, "deep.py", DEEPEST + 10)
    profile = deep_daemon.record(target.pid, hz=499, seconds=0.2).finish()
    kept = functions_of(DEEPEST + 10)[:DEEPEST] + ["[truncated]"]
    cut = [sample.frames for sample in profile.samples if sample.frames[0].function == "burn"]
    assert cut
    for frames in cut:
        assert [frame.function for frame in frames] == kept
