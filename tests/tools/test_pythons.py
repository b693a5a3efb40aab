# SPDX-License-Identifier: Apache-2.0
"""tests/pythons: each build once, whatever it is called, and only what runs as a CPython."""
import os
import pathlib
import subprocess

PYTHONS = pathlib.Path(__file__).resolve().parents[1] / "pythons"


def test_each_build_is_found_once(tmp_path):
    for name, text in {"python3.98": "exit 1", "python3.99": "echo 3.99.0", "python3-config": "exit 0",
                       "python3": 'exec /usr/bin/python3 "$@"'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "python3.97").write_text("not a program")
    env = dict(os.environ, PATH=f"{tmp_path}:/usr/bin:/bin", HOME=str(tmp_path), SPPROF_CACHE=str(tmp_path))
    said = subprocess.run([PYTHONS], env=env, check=True, capture_output=True, text=True).stdout
    found = [line.split(" ", 1) for line in said.splitlines()]
    paths = [path for _, path in found]
    assert os.path.realpath("/usr/bin/python3") in paths
    assert len(set(paths)) == len(paths) and all(path.startswith("/usr/bin/") for path in paths)
    assert all(version.startswith("3.") for version, _ in found)
