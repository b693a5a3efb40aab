# SPDX-License-Identifier: Apache-2.0
"""The CPythons of this machine: those that spprof follows, and those that it must refuse."""
import functools
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUPPORTED = range(11, 16)  # minor versions; with the GIL


class Interpreter:
    def __init__(self, version, path):
        self.version = version
        self.path = path
        self.minor = int(version.split(".")[1].rstrip("t"))
        self.has_gil = not re.search(r"t$", version)
        self.is_supported = self.minor in SUPPORTED and self.has_gil

    def __repr__(self):
        return self.version


@functools.lru_cache(maxsize=None)
def every():
    said = subprocess.run([f"{ROOT}/tests/pythons"], stdout=subprocess.PIPE, check=True, text=True)
    return [Interpreter(*line.split(" ", 1)) for line in said.stdout.splitlines()]


def supported():
    return [one for one in every() if one.is_supported]


def too_old():
    """3.7 is the first that can be told to be a Python."""
    return [one for one in every() if 7 <= one.minor < SUPPORTED.start]


def debians():
    """The one that is always there."""
    return next(one for one in every() if one.path.startswith("/usr/bin/"))


def summary():
    minors = {one.minor for one in supported()}
    missed = [f"3.{minor}" for minor in SUPPORTED if minor not in minors]
    used = ", ".join(one.version for one in supported())
    return f"interpreters used: {used}; missed: {', '.join(missed) or 'none'}"
