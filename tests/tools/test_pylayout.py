# SPDX-License-Identifier: Apache-2.0
"""python/'s layouts against every CPython here: its headers, where installed, and its memory."""
import functools
import json
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SAID = subprocess.run([ROOT / "tests/pythons"], check=True, capture_output=True, text=True).stdout
PYTHONS = dict(line.split(" ", 1) for line in SAID.splitlines())
MINORS = {v: int(v.split(".")[1]) for v in PYTHONS}
KNOWN = [v for v in PYTHONS if 8 <= MINORS[v] <= 15]
TABLES = [v for v in KNOWN if MINORS[v] >= 13]  # of debug offsets; before, our rows
TOO_OLD = [v for v in PYTHONS if MINORS[v] == 7]  # 3.6 has no _PyRuntime

NO_FIELD = 0xFFFF
NO_OFFSETS = {"version", "owner_shim", "frame_instr_kind", "unicode_kind", "is_free_threaded"}


def headers_of(version):
    """The folder of that Python's own headers, the internal ones too; None if not installed."""
    script = "import sysconfig; print(sysconfig.get_path('include'))"
    said = subprocess.run([PYTHONS[version], "-c", script], check=True, capture_output=True,
                          text=True)
    folder = pathlib.Path(said.stdout.strip())
    return folder if (folder / "internal/pycore_pystate.h").exists() else None


HEADERS = {v: folder for v in KNOWN if (folder := headers_of(v))}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("pylayout") / "python.so"
    sources = [*(ROOT / "userspace/python").glob("*.c"), ROOT / "userspace/base/buffer.c",
               ROOT / "userspace/base/utf8.c"]
    subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-shared", "-fPIC",
                    f"-I{ROOT}/include", f"-I{ROOT}/userspace", *sources, "-o", path], check=True)
    return path


@functools.cache
def ask(version, library):
    said = subprocess.run([PYTHONS[version], HERE / "pylayout_inside.py", library,
                           ROOT / "include/spprof_pylayout.h"],
                          check=True, capture_output=True, text=True, timeout=60)
    return json.loads(said.stdout)


def offsets_of_headers(version, tmp_path):
    """The fields of struct sp_pylayout that CPython's own headers tell."""
    probe, folder = tmp_path / "offsets", HEADERS[version]
    source = "pylayout_offsets_objects.c" if MINORS[version] < 11 else "pylayout_offsets.c"
    subprocess.run(["gcc", "-w", f"-I{folder}", f"-I{folder}/internal", f"-I{ROOT}/include",
                    f"-I{ROOT}/userspace", HERE / source, "-o", probe], check=True)
    said = subprocess.run([probe], check=True, capture_output=True, text=True).stdout
    return {name: int(value) for name, value in map(str.split, said.splitlines())}


@pytest.mark.parametrize("version", KNOWN)
def test_a_layout_is_what_memory_says(version, library):
    said = ask(version, library)
    assert (said["err"], said["why"], said["wrong"]) == (0, None, [])


@pytest.mark.parametrize("version", HEADERS)
def test_a_layout_is_what_the_headers_say(version, library, tmp_path):
    layout = ask(version, library)["layout"]
    headers = offsets_of_headers(version, tmp_path)
    assert {name: layout[name] for name in headers} == headers
    untold = {name for name in layout if name not in headers and layout[name] != NO_FIELD}
    assert untold - NO_OFFSETS == ({"runtime_autotsskey"} if version in TABLES else set())


def test_there_are_headers_of_a_version_that_has_a_row():
    """Its numbers are ours, not the interpreter's: nothing else would notice a slip."""
    assert set(HEADERS) - set(TABLES), "install libpython3.11-dev (tests/install-deps)"


@pytest.mark.parametrize("version", TOO_OLD)
def test_an_older_python_is_refused(version, library):
    said = ask(version, library)
    assert said["err"] < 0 and "Python before 3.8" in said["why"]


def first_bytes_of_runtime(version):
    script = ("import ctypes, sys; runtime = ctypes.c_char.in_dll(ctypes.pythonapi, '_PyRuntime');"
              "sys.stdout.buffer.write(ctypes.string_at(ctypes.addressof(runtime), 1024))")
    return subprocess.run([PYTHONS[version], "-c", script], check=True, capture_output=True).stdout


@pytest.mark.parametrize("version", HEADERS)
def test_the_way_to_the_names_of_threads_is_what_the_headers_say(version, tmp_path):
    probe, folder, runtime = tmp_path / "offsets", HEADERS[version], tmp_path / "runtime"
    runtime.write_bytes(first_bytes_of_runtime(version))
    subprocess.run(["gcc", "-w", "-D_GNU_SOURCE", f"-I{folder}", f"-I{folder}/internal",
                    f"-I{ROOT}/include", f"-I{ROOT}/userspace", HERE / "pynames_offsets.c",
                    ROOT / "userspace/python/pynames_layout.c", "-o", probe], check=True)
    said = subprocess.run([probe, runtime], capture_output=True, text=True)
    assert (said.returncode, said.stdout) == (0, "")


@pytest.mark.parametrize("version", [v for v in HEADERS if v in TABLES])
def test_the_books_of_mimalloc_are_what_the_headers_say(version, tmp_path):
    probe, folder = tmp_path / "offsets", HEADERS[version]
    subprocess.run(["gcc", "-w", "-D_GNU_SOURCE", f"-I{folder}", f"-I{folder}/internal",
                    f"-I{ROOT}/userspace", HERE / "mimalloc_offsets.c",
                    ROOT / "userspace/python/mimalloc_page.c",
                    ROOT / "userspace/python/mimalloc_segment.c", "-o", probe], check=True)
    said = subprocess.run([probe], capture_output=True, text=True)
    assert (said.returncode, said.stdout) == (0, "")
