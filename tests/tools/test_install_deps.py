# SPDX-License-Identifier: Apache-2.0
"""tests/install-deps: only what is missing, in one call, and no apt at all if nothing is."""
import os
import pathlib
import shutil
import subprocess

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "install-deps"
DEPS = "# a list\n\nhave  it is there\nlack  it is not\nlack2=no-such-command  x\nnpm=sh  there is a command\n"


def run(root, deps, *sudo):
    shutil.copy(SCRIPT, root)
    (root / "deps").write_text(deps)
    commands = {"dpkg-query": '[ "${@: -1}" = have ] && echo installed',
                "apt-get": f'echo "$@" >>{root}/log', "fake-sudo": f'echo sudo >>{root}/log; "$@"'}
    for name, text in commands.items():
        (root / name).write_text(f"#!/bin/bash\n{text}\n")
        (root / name).chmod(0o755)
    env = dict(os.environ, PATH=f"{root}:{os.environ['PATH']}")
    subprocess.run([root / "install-deps", *sudo], check=True, env=env, stdout=subprocess.DEVNULL)
    log = root / "log"
    return log.read_text().splitlines() if log.exists() else []


def test_nothing_missing_asks_nobody(tmp_path):
    assert run(tmp_path, "have  x\nnpm=sh  x\n", "fake-sudo") == []


def test_only_what_is_missing_is_installed(tmp_path):
    update, install = run(tmp_path, DEPS)
    assert update == "-qq update"
    assert install.endswith(" lack lack2") and " install " in install


def test_root_is_asked_for_apt_only(tmp_path):
    assert [line for line in run(tmp_path, DEPS, "fake-sudo") if line == "sudo"] == ["sudo"] * 2
