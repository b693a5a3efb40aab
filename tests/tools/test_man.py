# SPDX-License-Identifier: Apache-2.0
"""The manual pages are what mandoc takes them to be."""
import glob
import os
import re
import subprocess

import pytest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PAGES = sorted(glob.glob(f"{ROOT}/man/*.[0-9]"))
# Pages that this machine has not installed, ours among them.
ELSEWHERE = re.compile(r"referenced manual not found|outdated mandoc\.db")


def complaints(page):
    said = subprocess.run(["mandoc", "-T", "lint", page], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    return [line for line in (said.stdout + said.stderr).splitlines()
            if not ELSEWHERE.search(line)]


@pytest.mark.parametrize("page", PAGES, ids=os.path.basename)
def test_a_page_is_clean(page):
    assert complaints(page) == []


def test_the_check_can_fail(tmp_path):
    page = tmp_path / "page.1"
    page.write_text(".Dd November 21, 2026\n.Dt PAGE 1\n.Os\n.Sh NAME\n.Nm page\n.Foo\n")
    assert any("Foo" in line for line in complaints(str(page)))


def test_pages_name_only_pages_that_are_there():
    """Of ours; what the system has is the system's."""
    ours = {os.path.basename(page) for page in PAGES}
    for page in PAGES:
        with open(page) as f:
            for name, section in re.findall(r"^\.Xr (spprof[\w.-]*) (\d)", f.read(), re.M):
                assert f"{name}.{section}" in ours, (page, name)
