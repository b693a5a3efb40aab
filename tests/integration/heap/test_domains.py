# SPDX-License-Identifier: Apache-2.0
"""Every function that gives memory, called by the process, by a thread of it and by a child.

Who is followed has its own bytes and those of its threads; a child is another process, which has
what it inherited: as of the fork, as its frees are not seen.
"""
import math

import pytest

import interpreters
import program_text
from followed import UNLIMITED, Followed, by_place, wait_until

RATE = 1 << 10
PLACES = ("in_main", "in_thread", "in_child")
OF_LIBC = ("malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign")
SMALL = 400  # bytes; of larger ones chance decides on none
WITHIN = 5  # standard errors, of 120 rows


def place_of(frames):
    """(line that asks, "large" or "small", where it was called), of the program's own."""
    names = [name for name, _ in frames]
    places = [name for name in names if name in PLACES]
    if not places or names[1] not in ("large", "small"):
        return None
    return frames[0][1], names[1], places[0]


class Looked:
    """A program that asks in main, in a thread, and then in a child."""

    def __init__(self, daemon, target):
        session = Followed(daemon, target.pid, tier="trace", rate=RATE, **UNLIMITED)
        self.truth = {}
        for word in ("main", "thread"):
            self.ask(target, word)
        self.child = self.ask(target, "fork")
        self.inherited = wait_until(lambda: self.page(daemon, self.child), "the child is known")
        self.of_child = by_place(self.inherited["stacks"], place_of)
        self.of_parent = by_place(session.heap()["stacks"], place_of)
        self.text_of_child = program_text.changed(self.child)
        session.forget()
        self.text_after = {pid: program_text.changed(pid) for pid in (target.pid, self.child)}

    def ask(self, target, word):
        target.tell(word)
        pid, self.lines, self.truth = target.read()
        return pid

    def page(self, daemon, pid):
        page = daemon.ask("GET", f"/v1/heap?pid={pid}")
        return page if page["session"] else None

    def seen(self, rows, name, kind, place):
        row = rows.get((self.lines[name], kind, place))
        return row.bytes if row else 0

    def check(self, rows, places, names, kind):
        """Those of @names that are wrong: name, place, what is seen, what is true."""
        true = self.truth[kind]
        p = -math.expm1(-SMALL / RATE)
        off = WITHIN * math.sqrt((1 - p) / p * true / SMALL) * SMALL if kind == "small" else 1
        wrong = []
        for name in names:
            for place in PLACES:
                right = true if place in places else 0
                found = self.seen(rows, name, kind, place)
                if abs(found - right) > (off if right else 0):
                    wrong.append(f"{name} {place}: {found:.0f} of {right}")
        return wrong

    def print_table(self):
        print(f"{'seen/true':28}" + "".join(f"{place + ' ' + kind:>20}" for place in PLACES
                                            for kind in ("large", "small")))
        for name in self.lines:
            print(f"{name:28}" + "".join(
                f"{self.seen(self.of_parent, name, kind, place) / self.truth[kind]:20.3f}"
                for place in PLACES for kind in ("large", "small")))


def builds():
    """Debian's has the small objects' functions inlined."""
    return [interpreters.debians(), *interpreters.plain()[:1]]


@pytest.fixture(scope="module")
def known():
    return {}


@pytest.fixture(params=builds(), ids=repr)
def build(request):
    return request.param


@pytest.fixture
def looked(build, known, daemon, start):
    """Looked at once for all tests."""
    if build.version not in known:
        known[build.version] = None
        known[build.version] = Looked(daemon, start(build, "heap_domains.py"))
        known[build.version].print_table()
    assert known[build.version], "the first look at it failed"
    return known[build.version]


def test_large_ones_are_exact_in_every_domain(looked):
    assert not looked.check(looked.of_parent, ("in_main", "in_thread"), looked.lines, "large")


def test_small_ones_are_right_where_their_functions_are_called(looked, build):
    names = [name for name in looked.lines
             if build in interpreters.plain() or name.split()[0] in OF_LIBC or "Raw" in name]
    assert not looked.check(looked.of_parent, ("in_main", "in_thread"), names, "small")


def test_child_has_what_it_inherited_and_none_of_its_own(looked):
    session = looked.inherited["session"]
    assert (session["state"], session["pid"]) == ("inherited", looked.child)
    assert session["reason"] and session["probes"] == []
    assert not looked.check(looked.of_child, ("in_main", "in_thread"), looked.lines, "large")


def test_text_is_as_the_files(looked, build):
    """In the child once it has hit every probe, and everywhere when they are gone. What is inlined
    is not hit."""
    left = [one for one in looked.text_of_child
            if build in interpreters.plain() or "/libc" in one]
    assert left == []
    assert not any(looked.text_after.values())
