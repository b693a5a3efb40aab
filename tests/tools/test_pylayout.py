# SPDX-License-Identifier: Apache-2.0
"""python/'s layouts against every CPython here: its headers, where installed, and its memory."""
import json
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SAID = subprocess.run([ROOT / "tests/pythons"], check=True, capture_output=True, text=True).stdout
PYTHONS = dict(line.split(" ", 1) for line in SAID.splitlines())
KNOWN = [v for v in PYTHONS if 11 <= int(v.split(".")[1]) <= 15 and not v.endswith("t")]
TABLES = [v for v in KNOWN if int(v.split(".")[1]) >= 13]  # of debug offsets; before, our rows
UNKNOWN = [v for v in PYTHONS if 8 <= int(v.split(".")[1]) <= 10]

NO_FIELD = 0xFFFF
NO_OFFSETS = {"version", "owner_shim"}


def headers_of(version):
    """The folder of that Python's own headers, the internal ones too; None if not installed."""
    script = "import sysconfig; print(sysconfig.get_path('include'))"
    said = subprocess.run([PYTHONS[version], "-c", script], check=True, capture_output=True,
                          text=True)
    folder = pathlib.Path(said.stdout.strip())
    return folder if (folder / "internal/pycore_frame.h").exists() else None


HEADERS = {v: folder for v in KNOWN if (folder := headers_of(v))}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("pylayout") / "python.so"
    sources = [*(ROOT / "userspace/python").glob("*.c"), ROOT / "userspace/base/buffer.c",
               ROOT / "userspace/base/utf8.c"]
    subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-shared", "-fPIC", "-O1",
                    f"-I{ROOT}/include", f"-I{ROOT}/userspace", *sources, "-o", path], check=True)
    return path


def ask(version, library):
    said = subprocess.run([PYTHONS[version], HERE / "pylayout_inside.py", library,
                           ROOT / "include/spprof_pylayout.h"],
                          check=True, capture_output=True, text=True, timeout=60)
    return json.loads(said.stdout)


def offsets_of_headers(folder, tmp_path):
    """The fields of struct sp_pylayout that CPython's own headers tell."""
    probe = tmp_path / "offsets"
    subprocess.run(["gcc", "-w", f"-I{folder}", f"-I{folder}/internal",
                    f"-I{ROOT}/include", HERE / "pylayout_offsets.c",
                    "-o", probe], check=True)
    said = subprocess.run([probe], check=True, capture_output=True, text=True).stdout
    return {name: int(value) for name, value in map(str.split, said.splitlines())}


@pytest.mark.parametrize("version", KNOWN)
def test_a_layout_is_what_memory_says(version, library):
    said = ask(version, library)
    assert (said["err"], said["why"], said["wrong"]) == (0, None, [])


@pytest.mark.parametrize("version", HEADERS)
def test_a_layout_is_what_the_headers_say(version, library, tmp_path):
    layout = ask(version, library)["layout"]
    headers = offsets_of_headers(HEADERS[version], tmp_path)
    assert {name: layout[name] for name in headers} == headers
    untold = {name for name in layout if name not in headers and layout[name] != NO_FIELD}
    assert untold - NO_OFFSETS == ({"runtime_autotsskey"} if version in TABLES else set())


def test_there_are_headers_of_a_version_that_has_a_row():
    """Its numbers are ours, not the interpreter's: nothing else would notice a slip."""
    assert set(HEADERS) - set(TABLES), "install libpython3.11-dev (tests/install-deps)"


@pytest.mark.parametrize("version", UNKNOWN)
def test_an_older_python_is_refused_by_its_number(version, library):
    said = ask(version, library)
    minor = version.rsplit(".", 1)[0]
    assert said["err"] < 0 and f"Python {minor}" in said["why"]
