# SPDX-License-Identifier: Apache-2.0
"""The real speedscope (npm), in a headless Chromium, imports what we write."""
import json

import pytest

from profiles import read_speedscope
from speedscope import Speedscope


@pytest.fixture
def importer(tmp_path):
    return Speedscope(tmp_path)


def record(client, target, seconds):
    return client.succeed("record", "--pid", target.pid, "-d", seconds, "-r", 499, "-o", "-")


def test_a_recording_is_imported(client, start, debian, importer):
    text = record(client, start(debian, "two_thirds.py"), 2)
    file = read_speedscope(text)
    assert sum(file["profiles"][0]["weights"]) > 0
    importer.check_imported(text)


def test_a_profile_without_samples_is_imported(client, start, debian, importer):
    text = record(client, start(debian, "half_asleep.py", "all"), 0.3)
    assert not any(profile["samples"] for profile in read_speedscope(text)["profiles"])
    importer.check_imported(text)


def test_odd_names_are_imported(client, start, debian, importer):
    target = start(debian, "odd_names.py")
    text = record(client, target, 2)
    names = {frame["name"] for frame in read_speedscope(text)["shared"]["frames"]}
    assert {"semi;colon", "new\nline", "escape \x1b[31mred\x1b[0m"} <= names
    importer.check_imported(text)


def test_a_broken_file_is_not_imported(client, start, debian, importer):
    """One weight more than samples: the check can fail."""
    file = json.loads(record(client, start(debian, "two_thirds.py"), 0.5))
    file["profiles"][0]["weights"].append(1)
    title, log = importer.load(json.dumps(file))
    assert title == "speedscope", log
