# SPDX-License-Identifier: Apache-2.0
"""The files of tests/data/perf."""
import os

from interpreters import ROOT

DATA = os.path.join(ROOT, "tests", "data", "perf")


def data(name):
    return os.path.join(DATA, name)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()
