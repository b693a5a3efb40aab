# SPDX-License-Identifier: Apache-2.0
"""What the probes of an allocator tell, of a child whose calls are known: heap_events.c."""
import os
import re
import subprocess

import pytest

from daemon import BUILD

EVENTS = os.path.join(BUILD, "integration", "heap_events")
LOSSES = ("ring_full", "busy", "no_return", "free_ring_full")


@pytest.fixture(scope="module")
def said():
    """{line's first word: {word: number}}"""
    text = subprocess.run([EVENTS], stdout=subprocess.PIPE, check=True, text=True).stdout
    print(text)
    return {line.split()[0]: {word: int(number) for word, number in re.findall(r"(\w+)=(\d+)", line)}
            for line in text.splitlines()}


@pytest.mark.parametrize("line", ["script", "threads"])
def test_each_thread_is_told_of_as_it_went(said, line):
    assert said[line]["wrong"] == 0
    assert said[line]["strange"] == 0


@pytest.mark.parametrize("line", ["script", "threads", "many"])
def test_nothing_is_lost(said, line):
    assert {loss: said[line]["lost_" + loss] for loss in LOSSES} == dict.fromkeys(LOSSES, 0)


def test_a_filter_that_is_made_again_lets_pass_what_is_kept(said):
    renewed = said["renewed"]
    assert renewed["wrong"] == renewed["strange"] == 0
    assert renewed["frees"] == 2
    assert renewed["frees_passed"] == 1


def test_what_is_asked_for_is_counted_once(said):
    script = said["script"]
    assert script["allocations"] == script["script_calls"]
    assert script["allocated_bytes"] == script["script_bytes"]
    assert script["sampled"] == script["script_calls"] - 1  # all but the one for no bytes


def test_what_was_not_given_is_counted_as_failed(said):
    assert said["script"]["failed"] == said["script"]["script_failed"] == 3


def test_frees_are_told_of_if_they_are_a_samples(said):
    many = said["many"]
    assert many["left"] == 0
    assert many["told_samples"] == many["sampled"]
    assert many["sampled"] <= many["told_frees"] <= 1.01 * many["sampled"]


def test_hits_are_counted_by_what_they_cost(said):
    many = said["many"]
    assert many["hits"] + many["stepped_hits"] == 400_000
    assert many["return_hits"] == 200_000
    assert many["bpf_ns"] > 0


@pytest.mark.parametrize("size", [16, 48, 200, 1000, 5000, 60000])
def test_estimates_are_unbiased(said, size):
    row = said[f"size_{size}"]
    assert abs(row["estimate"] - row["truth"]) <= 4 * row["sigma"] + 1


def test_the_text_is_as_it_was_when_they_are_gone(said):
    assert said["text"]["changed"] == 6  # a byte a function
    assert said["text"]["restored"] == 0
    assert said["text"]["descriptors"] == 0
