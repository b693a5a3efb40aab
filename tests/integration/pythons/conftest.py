# SPDX-License-Identifier: Apache-2.0
"""At the end, a table: each interpreter of this machine and what each test said of it."""
import collections
import re

import interpreters

CASE = re.compile(r"::test_(\w+)\[(\d+\.\d+\.\d+[td]*)\b")
WORDS = {"passed": "ok", "failed": "FAILED", "skipped": "skipped"}

said = collections.defaultdict(dict)  # of each test, of each interpreter: the worst word


def pytest_runtest_logreport(report):
    case = CASE.search(report.nodeid)
    if not case or (report.when != "call" and not report.failed):
        return
    test, version = case.groups()
    if said[test].get(version) != "FAILED":
        said[test][version] = WORDS[report.outcome]


def pytest_terminal_summary(terminalreporter):
    tests = sorted(said)
    for number, test in enumerate(tests, 1):
        terminalreporter.write_line(f"  {number}: {test.replace('_', ' ')}")
    terminalreporter.write_line("  %-10s" % "" + "".join(f"{n + 1:>8}" for n in range(len(tests))))
    for one in interpreters.supported():
        words = "".join(f"{said[test].get(one.version, '-'):>8}" for test in tests)
        terminalreporter.write_line(f"  {one.version:10}{words}")
    for what, why in interpreters.missing():
        terminalreporter.write_line(f"  {what:10} missing: {why}")
