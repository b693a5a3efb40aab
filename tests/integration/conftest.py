# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the live suites: a daemon, its client, target programs, every interpreter.

A machine that cannot load BPF programs fails these tests; it does not skip them.
LONG=1 takes the lengths that issues name, else they are short.
"""
import os

import pytest

import interpreters
import targets
from client import Client
from daemon import Daemon
from measured import Theft


def pytest_generate_tests(metafunc):
    """A test that asks for an `interpreter` runs under each supported one."""
    if "interpreter" in metafunc.fixturenames:
        metafunc.parametrize("interpreter", interpreters.supported(), ids=repr)


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(interpreters.summary())


@pytest.fixture(scope="session")
def is_long():
    return os.environ.get("LONG") == "1"


@pytest.fixture(scope="session")
def shared_daemon():
    running = Daemon()
    yield running
    running.stop()


@pytest.fixture
def daemon(shared_daemon):
    """A daemon that all tests share: none is done before its samples are accounted for.
    The test that it does not survive fails; the next one finds a new daemon.
    """
    if shared_daemon.process.poll() is not None:
        shared_daemon.kill()
        shared_daemon.launch()
    yield shared_daemon
    code = shared_daemon.process.poll()
    assert code is None, f"spprofd ended with {code} during this test"
    shared_daemon.check_balance()


@pytest.fixture
def new_daemon():
    """Starts one for this test alone."""
    started = []

    def start(*prefix, **options):
        started.append(Daemon(*prefix, **options))
        return started[-1]

    yield start
    for one in started:
        one.stop()


@pytest.fixture
def client(daemon):
    return Client(daemon.socket)


@pytest.fixture
def start():
    """start(INTERPRETER, "program.py", ARGUMENT...): a program of tests/targets that is ready."""
    started = []

    def start_one(interpreter, name, *args, prefix=(), **options):
        argv = [*prefix, interpreter.path, "-B", targets.program(name), *map(str, args)]
        started.append(targets.Target(argv, **options))
        return started[-1]

    yield start_one
    for one in started:
        one.stop()


@pytest.fixture
def theft():
    """What the host takes from this machine during the test."""
    return Theft()


@pytest.fixture
def debian():
    """Debian's python3.11, where one interpreter is enough."""
    return interpreters.debians()
