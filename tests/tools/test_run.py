# SPDX-License-Identifier: Apache-2.0
"""tests/run: what is wrong with a suite shows in its count and its exit status."""
import os
import pathlib
import subprocess

import pytest

RUN = pathlib.Path(__file__).resolve().parents[1] / "run"
TAP = "TAP version 13\n1..{plan}\n"


def run(root, *args):
    env = dict(os.environ, SPPROF_RESULTS=str(root / "results"))
    done = subprocess.run([RUN, *args], capture_output=True, text=True, env=env, cwd=root)
    lines = done.stdout.splitlines() or [""]
    return done.returncode, lines[-1]


def program(root, text, name="program"):
    path = root / name
    path.write_text("#!/bin/bash\n" + text)
    path.chmod(0o755)
    return str(path)


# A stand-in for a Criterion program: its report goes to ${1#--tap=}.
CRITERION = {
    "all passed": ("1..2\nok - a\nok - b", 0, "2 passed, 0 failed"),
    "one skipped": ("1..2\nok - a\nok - b  # SKIP no root", 0, "1 passed, 0 failed, 1 skipped"),
    "one failed": ("1..2\nok - a\nnot ok - b", 1, "1 passed, 1 failed"),
    "a failure, but a good end": ("1..2\nok - a\nnot ok - b", 0, "1 passed, 2 failed"),
    "a bad end without a failure": ("1..1\nok - a", 139, "1 passed, 1 failed"),
    "no test": ("1..0", 0, "0 passed, 1 failed"),
    "fewer tests than planned": ("1..3\nok - a\nok - b", 0, "0 passed, 1 failed"),
    "no report": ("", 0, "0 passed, 1 failed"),
}


@pytest.mark.parametrize("case", CRITERION)
def test_criterion_program(tmp_path, case):
    report, status, expected = CRITERION[case]
    path = program(tmp_path, f"printf '%s\\n' '{report}' > ${{1#--tap=}}; exit {status}")
    good = "failed" in expected and " 0 failed" in expected
    assert run(tmp_path, "unit", "--criterion", path) == (0 if good else 1, f"unit: {expected}")


@pytest.mark.parametrize("options", ["ASAN_OPTIONS", "UBSAN_OPTIONS"])
def test_sanitizer_report_is_a_failure(tmp_path, options):
    log = f"${{{options}##*log_path=}}.123"
    path = program(tmp_path, f"printf '1..1\\nok - a\\n' > ${{1#--tap=}}; echo leak > {log}")
    assert run(tmp_path, "unit", "--criterion", path) == (1, "unit: 1 passed, 1 failed")


def test_program_that_is_not_there_is_a_failure(tmp_path):
    assert run(tmp_path, "unit", "--criterion", "./none") == (1, "unit: 0 passed, 1 failed")


@pytest.mark.parametrize("status,expected", [(0, (0, "s: 1 passed, 0 failed")),
                                             (1, (1, "s: 0 passed, 1 failed")),
                                             (77, (1, "s: 0 passed, 1 failed, 1 skipped"))])
def test_script(tmp_path, status, expected):
    assert run(tmp_path, "s", "--script", program(tmp_path, f"exit {status}")) == expected


PYTEST = {
    "passed": ("def test_a(): pass", "1 passed, 0 failed"),
    "failed": ("def test_a(): assert 0\ndef test_b(): pass", "1 passed, 1 failed"),
    "skipped": ("import pytest\ndef test_a(): pytest.skip('x')\ndef test_b(): pass",
                "1 passed, 0 failed, 1 skipped"),
    "no test": ("", "0 passed, 1 failed"),
    "cannot be read": ("import nothing_of_that_name", "0 passed, 1 failed"),
    "a crash in the middle": ("import os\ndef test_a(): pass\ndef test_b(): os.abort()",
                              "0 passed, 1 failed"),
}


@pytest.mark.parametrize("case", PYTEST)
def test_pytest(tmp_path, case):
    text, expected = PYTEST[case]
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "test_it.py").write_text(text + "\n")
    status, said = run(tmp_path, "live", "--pytest", "suite")
    assert (status, said) == (0 if " 0 failed" in expected else 1, f"live: {expected}")


def test_root_keeps_what_the_tests_look_at(tmp_path, monkeypatch):
    monkeypatch.setenv("LONG", "a b")
    monkeypatch.setenv("SECRET", "x")
    sudo = program(tmp_path, 'env -i "$@"', "sudo")
    path = program(tmp_path, '[ "$LONG" = "a b" ] && [ -z "$SECRET" ] && [ "$PATH" ]')
    assert run(tmp_path, "s", "--as-root", sudo, "--script", path) == (0, "s: 1 passed, 0 failed")
    assert run(tmp_path, "s", "--as-root", "", "--script", path)[0] == 1


def test_total_adds_the_suites(tmp_path):
    good, bad = program(tmp_path, "exit 0", "good"), program(tmp_path, "exit 1", "bad")
    run(tmp_path, "one", "--script", good, "--script", good)
    assert run(tmp_path, "--total", "one") == (0, "2 passed, 0 failed")
    run(tmp_path, "two", "--script", bad)
    assert run(tmp_path, "--total", "one", "two") == (1, "2 passed, 1 failed")


def test_suite_that_did_not_run_is_a_failure(tmp_path):
    run(tmp_path, "one", "--script", program(tmp_path, "exit 0"))
    assert run(tmp_path, "--total", "one", "two") == (1, "1 passed, 1 failed")
