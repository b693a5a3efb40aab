# SPDX-License-Identifier: Apache-2.0
"""The real speedscope (npm), in a headless Chromium, imports what we write."""
import base64
import json
import os
import re
import subprocess

import pytest

from interpreters import ROOT
from profiles import read_speedscope

PATIENCE_S = 90
PAGE_MS = 8000  # of the page's own clock
OPTIONS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-quic",
    "--allow-file-access-from-files", "--enable-logging=stderr", "--dump-dom",
    f"--virtual-time-budget={PAGE_MS}",
]


@pytest.fixture(scope="session")
def speedscope():
    """Where the package is."""
    said = subprocess.run([f"{ROOT}/tests/fetch-speedscope"], stdout=subprocess.PIPE, text=True,
                          check=True)
    return said.stdout.strip()


@pytest.fixture
def load(speedscope, tmp_path):
    """load(TEXT): the page's title and what it logged after it was given that file."""
    def load_one(text):
        script = tmp_path / "profile.js"
        data = base64.b64encode(text.encode()).decode()
        script.write_text(f'speedscope.loadFileFromBase64("recorded", "{data}")')
        page = f"file://{speedscope}/dist/release/index.html#localProfilePath={script}"
        done = subprocess.run(["chromium", *OPTIONS, f"--user-data-dir={tmp_path}/chromium", page],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True,
                              stderr=subprocess.PIPE, timeout=PATIENCE_S)
        title = re.search(r"<title>(.*?)</title>", done.stdout.decode(), re.S)
        return title and title[1], done.stderr.decode(errors="replace")

    return load_one


def check_imported(load, text):
    """The page takes its title from the file's name once it shows it."""
    title, log = load(text)
    assert "Importing as speedscope json file" in log, log
    assert title == f"{json.loads(text)['name']} - speedscope", log
    assert "import: " in log and "Error" not in log, log


def record(client, target, seconds):
    return client.succeed("record", "--pid", target.pid, "-d", seconds, "-r", 499, "-o", "-")


def test_a_recording_is_imported(client, start, debian, load):
    text = record(client, start(debian, "two_thirds.py"), 2)
    file = read_speedscope(text)
    assert sum(file["profiles"][0]["weights"]) > 0
    check_imported(load, text)


def test_a_profile_without_samples_is_imported(client, start, debian, load):
    text = record(client, start(debian, "half_asleep.py", "all"), 0.3)
    assert not any(profile["samples"] for profile in read_speedscope(text)["profiles"])
    check_imported(load, text)


def test_odd_names_are_imported(client, start, debian, load):
    target = start(debian, "odd_names.py")
    text = record(client, target, 2)
    names = {frame["name"] for frame in read_speedscope(text)["shared"]["frames"]}
    assert {"semi;colon", "new\nline", "escape \x1b[31mred\x1b[0m"} <= names
    check_imported(load, text)


def test_a_broken_file_is_not_imported(client, start, debian, load):
    """One weight more than samples: the check can fail."""
    file = json.loads(record(client, start(debian, "two_thirds.py"), 0.5))
    file["profiles"][0]["weights"].append(1)
    title, log = load(json.dumps(file))
    assert title == "speedscope", log
