# SPDX-License-Identifier: Apache-2.0
"""Builds of one version that are not alike: in a shared library, stripped, with debug checks."""
import os
import subprocess
import types

import pytest

import interpreters

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "embedded.c")


def sections(path):
    return subprocess.run(["readelf", "-SW", path], stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def check_names(daemon, start, theft, path):
    """What spprof shows of tests/targets/spin.py under the interpreter at @path."""
    target = start(types.SimpleNamespace(path=str(path)), "two_thirds.py")
    profile = daemon.record(target.pid, hz=499, seconds=1).finish()
    print({name: profile.weight_in(name) for name in profile.functions()})
    total = profile.weight()
    assert total > 0
    assert profile.weight_in("a") + profile.weight_in("b") > 0.9 * total
    theft.check_share(profile.weight_in("a"), total, 2 / 3, 0.12)


def test_a_program_with_python_in_a_shared_library(daemon, start, theft, tmp_path):
    program = tmp_path / "no-such-name"
    flags = subprocess.run(["python3.11-config", "--cflags", "--ldflags", "--embed"], text=True,
                           stdout=subprocess.PIPE, check=True).stdout.split()
    subprocess.run(["gcc", SOURCE, "-o", program, *flags], check=True)
    needed = subprocess.run(["readelf", "-dW", program], stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    assert "libpython3.11.so" in needed
    check_names(daemon, start, theft, program)


def test_a_stripped_one(daemon, start, theft, debian):
    assert ".symtab" not in sections(debian.path)
    check_names(daemon, start, theft, debian.path)


def test_a_debug_build(daemon, start, theft):
    path = next((one.path for one in interpreters.supported() if one.version.endswith("d")), None)
    if not path:
        pytest.fail("`make pythons` fetches python3.11-dbg; there is none")
    check_names(daemon, start, theft, path)
