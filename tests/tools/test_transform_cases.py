# SPDX-License-Identifier: Apache-2.0
"""build/tests/transform-cases: what it says and how it exits."""
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SPPROF_BUILD", ROOT / "build"))
CASES = ROOT / "tests/data/transforms.json"


@pytest.fixture(scope="module")
def program():
    return BUILD / "tests/transform-cases"  # of `make`


def run(program, *files):
    said = subprocess.run([program, *files], capture_output=True, text=True)
    return said.returncode, said.stdout.splitlines()


def a_case(**changes):
    frame = {"func": "A", "impl": "js"}
    return {"name": "one", "samples": [{"stack": [frame], "weight": 1}], "transforms": [],
            "expected": ["A:1,1"]} | changes


def write(folder, content):
    path = folder / "cases.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_all_cases_pass(program):
    assert run(program, CASES) == (0, ["36 passed, 0 failed"])


def test_files_add_up(program):
    assert run(program, CASES, CASES) == (0, ["72 passed, 0 failed"])


def test_a_failure_is_a_line_with_what_was_expected_and_what_came(program, tmp_path):
    path = write(tmp_path, {"cases": [a_case(), a_case(expected=["A:2,2"])]})
    assert run(program, path) == (1, [f"{path}: one: expected A:2,2, got A:1,1",
                                      "1 passed, 1 failed"])


def test_a_path_that_differs_is_a_failure(program, tmp_path):
    path = write(tmp_path, {"cases": [a_case(path=["A"], expected_path=["B"])]})
    assert run(program, path) == (1, [f"{path}: one: path: expected B, got A",
                                      "0 passed, 1 failed"])


NO_CASES = ["", "{", "[]", "{}", "null", '{"cases": []}', '{"cases": {}}']
BAD_CASES = [3, {}, a_case(name=None), a_case(samples=None), a_case(samples=[{}]),
             a_case(samples=[{"stack": [{"func": "A"}], "weight": 1}]),
             a_case(samples=[{"stack": [{"func": "A", "impl": "perl"}], "weight": 1}]),
             a_case(samples=[{"stack": [], "weight": "1"}]), a_case(transforms=None),
             a_case(transforms=[{"type": "nosuch", "func": "A"}]),
             a_case(transforms=[{"type": "merge-function"}]),
             a_case(transforms=[{"type": "merge-function", "func": 1}]),
             a_case(transforms=[{"type": "focus-self", "func": "A", "implementation": "perl"}]),
             a_case(implementationFilter="perl"), a_case(expected=None), a_case(expected=[1]),
             a_case(path=["B"], expected_path=[]), a_case(path=["A"], expected_path="A")]


@pytest.mark.parametrize("content", NO_CASES + [{"cases": [case]} for case in BAD_CASES], ids=str)
def test_what_is_not_of_the_schema_is_a_failure(program, tmp_path, content):
    status, lines = run(program, write(tmp_path, content))
    assert status == 1 and lines[-1] == "0 passed, 1 failed" and len(lines) == 2


def test_no_file_is_a_failure(program, tmp_path):
    assert run(program, tmp_path / "nosuch")[0] == 1
    assert run(program, tmp_path)[0] == 1
    assert run(program) == (2, [])
