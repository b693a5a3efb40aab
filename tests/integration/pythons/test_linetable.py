# SPDX-License-Identifier: Apache-2.0
"""Lines and columns of the standard library, of every CPython here, beside what it says itself."""
import json
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FIRST_WITH_COLUMNS = 11
LONG_UNITS, SHORT_UNITS = 500000, 10000  # bullseye's library has no tests


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("linetable") / "linetable.so"
    sources = [*(ROOT / "userspace/python").glob("linetable*.c"), HERE / "linetable_compare.c"]
    subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-shared", "-fPIC", "-O2",
                    f"-I{ROOT}/userspace", *sources, "-o", path], check=True)
    return path


def test_lines_and_columns_are_what_python_says(interpreter, library, is_long):
    """C-05, of every code unit; short, of one file in 40."""
    said = subprocess.run([interpreter.path, "-W", "ignore", HERE / "linetable_inside.py", library,
                           "1" if is_long else "40"], check=True, capture_output=True, text=True)
    told = json.loads(said.stdout)
    print(interpreter, told)
    assert told["units"] >= (LONG_UNITS if is_long else SHORT_UNITS)
    assert (told["lines_wrong"], told["positions_wrong"], told["wrong_in"]) == (0, 0, [])
    has_columns = interpreter.minor >= FIRST_WITH_COLUMNS
    assert told["positions"] == (told["units"] if has_columns else 0)
