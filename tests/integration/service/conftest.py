# SPDX-License-Identifier: Apache-2.0
"""One machine for all tests, with the service started. What a test changes, it puts back."""
import pytest

from machine import Machine, Target


@pytest.fixture(scope="session")
def shared_machine():
    running = Machine()
    yield running
    running.stop()


@pytest.fixture
def machine(shared_machine):
    """With the service running."""
    shared_machine.succeed("systemctl", "reset-failed")
    shared_machine.succeed("systemctl", "start", "spprofd")
    return shared_machine


@pytest.fixture
def target(machine):
    """target("program.py", ...): one that is ready to be profiled."""
    started = []

    def start(*args, **options):
        started.append(Target(machine, *args, **options))
        return started[-1]

    yield start
    for one in started:
        one.stop()
