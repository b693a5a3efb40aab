# SPDX-License-Identifier: Apache-2.0
"""What is made and dropped at once is named by its line, with how much of it there was."""
import time

import pytest

import interpreters
from followed import UNLIMITED, Followed, python_frames

SECONDS, LONG_SECONDS = 4, 10
TOLERANCE = 0.05
RATE = 1 << 10


@pytest.fixture
def own_build():
    builds = interpreters.plain()
    return builds[0] if builds else pytest.skip("no Python here whose allocator is called")


def test_a_loop_that_makes_and_drops(daemon, start, debian, own_build, is_long):
    """Small objects where the allocator's functions are called, larger ones where they are not."""
    seconds = LONG_SECONDS if is_long else SECONDS
    programs = [(start(own_build, "heap_temporary.py", 400, 5000), 400, 5000),
                (start(debian, "heap_temporary.py", 4000, 1500), 4000, 1500)]
    sessions = [Followed(daemon, target.pid, tier="trace", rate=RATE, **UNLIMITED)
                for target, _, _ in programs]
    time.sleep(seconds)
    for session, (target, size, a_second) in zip(sessions, programs):
        heap = session.heap()
        session.forget()
        first = heap["temporary"][0]
        print(first)
        place = target.ready["function"], target.ready["line"]
        assert python_frames(first)[0] == place
        assert first["objects_per_second"] == pytest.approx(a_second, rel=TOLERANCE)
        assert first["bytes_per_second"] == pytest.approx(a_second * size, rel=TOLERANCE)
        assert first["low"] <= first["bytes_per_second"] <= first["high"]
        assert first["objects"] == pytest.approx(a_second * heap["session"]["seconds"],
                                                 rel=TOLERANCE)
        assert 0 < first["mean_lifetime_ns"] < 5e6
        live = [one["bytes"] for one in heap["stacks"] if place in python_frames(one)]
        assert sum(live) <= 10 * size, "what is gone does not live"
