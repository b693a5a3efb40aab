# SPDX-License-Identifier: Apache-2.0
"""A process whose allocator has probes: POST /v1/heap/start and stop, and what is told of it."""
import collections
import json
import time
import urllib.parse

from users import ask

PATIENCE_S = 20
UNLIMITED = {"max_overhead": 100000, "seconds": 300}  # however busy the machine is
LOST_ELSEWHERE = ("free_ring_full", "children_not_cloned")  # these are no samples

Row = collections.namedtuple("Row", "bytes low high objects samples")


def wait_until(is_so, what, patience_s=PATIENCE_S):
    """What @is_so() says at last, which is true."""
    end = time.monotonic() + patience_s
    while not (said := is_so()):
        assert time.monotonic() < end, what
        time.sleep(0.02)
    return said


def post(daemon, verb, uid=0, **query):
    """As users.ask() has it."""
    return ask(daemon, "POST", f"/v1/heap/{verb}?" + urllib.parse.urlencode(query), uid)


class Followed:
    """The session of @pid, which is there when this is made."""

    def __init__(self, daemon, pid, **query):
        self.daemon, self.pid = daemon, pid
        self.began = self.post("start", **query)

    def post(self, verb, **query):
        status, kind, body = post(self.daemon, verb, pid=self.pid, **query)
        assert (status, kind) == (200, "application/json"), body
        return json.loads(body)

    def status(self):
        return status_of(self.daemon, self.pid)

    def heap(self):
        return self.daemon.ask("GET", f"/v1/heap?pid={self.pid}")

    def stop(self):
        """What it says once all that was sampled has arrived."""
        self.post("stop")
        return wait_until(lambda: accounted_for(self.status()), "each sample has one end")

    def forget(self):
        return self.post("stop", discard=1)


def status_of(daemon, pid):
    """Of the session of @pid, or None."""
    sessions = daemon.ask("GET", f"/v1/heap/status?pid={pid}")["sessions"]
    assert len(sessions) < 2 and all(one["pid"] == pid for one in sessions), sessions
    return sessions[0] if sessions else None


def accounted_for(status):
    """@status, if each sample has arrived, was given no memory, or is lost under one name."""
    counts, lost = status["counts"], status["lost"]
    sampled = counts["sampled"] + counts["refills"]
    gone = sum(number for name, number in lost.items() if name not in LOST_ELSEWHERE)
    told = status["samples"] + counts["failed"] + counts["refills_skipped"]
    return status if sampled == told + gone else None


def python_frames(entry):
    """(function's own name, line) of those that are Python's, leaf first."""
    return [(frame["function"].split(".")[-1], frame["line"]) for frame in entry["frames"]
            if frame["kind"] == "python"]


def sum_up(entries):
    """One row of several, whose variances add up."""
    def wide(side):
        return sum((one[side] - one["bytes"]) ** 2 for one in entries) ** 0.5

    total = sum(one["bytes"] for one in entries)
    return Row(total, total - wide("low"), total + wide("high"),
               sum(one["objects"] for one in entries), sum(one["samples"] for one in entries))


def by_place(entries, key):
    """key(Python's frames) -> row; what it says None of is left out."""
    found = collections.defaultdict(list)
    for entry in entries:
        frames = python_frames(entry)
        place = key(frames) if frames else None
        if place is not None:
            found[place].append(entry)
    return {place: sum_up(of_place) for place, of_place in found.items()}
