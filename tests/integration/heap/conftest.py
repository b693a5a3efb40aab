# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the suite of the heap."""
import collections
import contextlib

import pytest

import interpreters
import scanned
import targets
from client import Client
from daemon import Daemon

# Tests that ask for one of these run under some of the interpreters.
CHOSEN = {
    "with_pools": lambda one: one.has_gil,  # else mimalloc has the objects
    "mimalloc_python": lambda one: one.minor >= 13,
    "free_threaded": lambda one: not one.has_gil,
    "with_own_heaps": lambda one: one.minor >= 12,  # of subinterpreters
}

Looked = collections.namedtuple("Looked", "truth heap")


def pytest_generate_tests(metafunc):
    for name, is_one in CHOSEN.items():
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, filter(is_one, interpreters.supported()), ids=repr)


@pytest.fixture
def scan(client):
    """scan(TARGET): what lives in it."""
    return lambda target: scanned.scan(client, target.pid)


@pytest.fixture
def refusal(client):
    """refusal(PID): the line that says why its heap is not told."""
    def ask(pid, code=6):
        done = client.run("snapshot", "--pid", pid, "--types", "--json")
        assert done.returncode == code and done.stdout == "", done
        lines = done.stderr.split("\n")
        assert len(lines) == 2 and lines[0].startswith("spprofctl: "), done
        return lines[0]

    return ask


def look_first(interpreter, program, *args):
    """What a program of tests/targets says of itself, and then what a daemon does that was
    started when all had been made."""
    with contextlib.ExitStack() as stack:
        target = targets.Target([interpreter.path, "-B", targets.program(program),
                                 *map(str, args)])
        stack.callback(target.stop)
        daemon = Daemon()
        stack.callback(daemon.stop)
        return Looked(target.ready, scanned.scan(Client(daemon.socket), target.pid))


@pytest.fixture(scope="session")
def known_heap(is_long):
    """known_heap(INTERPRETER): tests/targets/heap_types.py under it, looked at once for all."""
    known = {}
    counts = [1000000, 400000, 50000, 400000, 500000]
    if not is_long:
        counts = [100000, 40000, 5000, 200000, 50000]

    def look(interpreter):
        if interpreter.version not in known:
            known[interpreter.version] = None
            known[interpreter.version] = look_first(interpreter, "heap_types.py", *counts)
        assert known[interpreter.version], "the first look at it failed"
        return known[interpreter.version]

    return look
