# SPDX-License-Identifier: Apache-2.0
"""Pools that are taken faster than each of them is worth a record: some stand for the others."""
import os

import pytest

from followed import Followed, UNLIMITED, accounted_for, python_frames

BLOCK, BLOCKS_A_POOL = 48, 340
KEPT = 2_000_000  # 5,882 pools, within a second or two
GROUP = 16  # of which one is recorded; a last one that is not full is told wrong


@pytest.fixture
def session(shared_daemon, start, debian):
    target = start(debian, "heap_sites.py")
    session = Followed(shared_daemon, target.pid, tier="growth", **UNLIMITED)
    target.tell(f'["objects", {KEPT}, {BLOCK}]')
    target.read()
    return session


def test_those_that_are_told_stand_for_all(session):
    grown, = (one for one in session.heap()["growth"] if one["block_bytes"] == BLOCK)
    status = session.stop()
    counts, pools = status["counts"], KEPT / BLOCKS_A_POOL
    print({name: counts[name] for name in ("refills", "refills_skipped")}, grown["refills"])
    assert pools - 2 <= counts["refills"] < 1.02 * pools
    assert counts["refills_skipped"] > pools / 4
    assert abs(grown["refills"] - pools) <= GROUP * os.cpu_count() + 2
    assert "objects" in [function for function, _ in python_frames(grown)]
    assert accounted_for(status) and status["samples"] < counts["refills"]
    session.forget()
