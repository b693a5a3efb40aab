# SPDX-License-Identifier: Apache-2.0
"""The CPythons of this machine: those that spprof follows, and those that it must refuse."""
import functools
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUPPORTED = range(8, 16)  # minor versions
FREE_THREADED = range(13, 16)  # of these, without the GIL


class Interpreter:
    def __init__(self, version, path):
        self.version = version
        self.path = path
        self.reported = version.rstrip("d")  # as spprof has it
        self.minor = int(version.split(".")[1].rstrip("td"))
        self.has_gil = not re.search(r"td?$", version)
        self.is_supported = self.minor in (SUPPORTED if self.has_gil else FREE_THREADED)

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


@functools.lru_cache(maxsize=None)
def plain():
    """Builds without a profile to optimise by, as distributions use one: in these each call of
    the allocator is one. The nearest to Debian's first."""
    found = [one for one in supported() if one.has_gil and not one.version.endswith("d") and
             not re.search("--enable-optimizations|--prefix=/usr'", configured(one))]
    return sorted(found, key=lambda one: abs(one.minor - debians().minor))


def configured(one):
    """The options that it was built with."""
    asked = "import sysconfig; print(sysconfig.get_config_var('CONFIG_ARGS'))"
    return subprocess.run([one.path, "-I", "-c", asked], stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def missing():
    """[(what, why)] of those that there are, but not on this machine."""
    have = {(one.minor, one.has_gil) for one in supported()}
    gone = [(f"3.{minor}", "no build in PATH, pyenv or the Debian suites that were fetched")
            for minor in SUPPORTED if (minor, True) not in have]
    gone += [(f"3.{minor}t", "not built: `make pythons` does, where Debian's source can be had")
             for minor in FREE_THREADED if (minor, False) not in have]
    return gone


def summary():
    used = ", ".join(one.version for one in supported())
    missed = ", ".join(f"{what} ({why})" for what, why in missing())
    return f"interpreters used: {used}; missed: {missed or 'none'}"
