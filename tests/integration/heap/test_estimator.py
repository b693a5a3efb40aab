# SPDX-License-Identifier: Apache-2.0
"""Sampling and the estimator together, simulated: no bias, and intervals that hold the truth.

A group has sizes from 16 B to 1 GB, rates from 1 KB to 16 MiB, and from 3 samples on. Samples
much larger than their rate are all but certain: what of a group is left to chance decides how
near to 95 % its interval can come. With few of those it covers more, never less.
"""
import collections
import json
import math
import os
import subprocess

import pytest

from daemon import BUILD

SIMULATION = os.path.join(BUILD, "integration", "heap_simulation")
SHORT_RUNS, LONG_RUNS = 1000, 25000
SEED = 1
ERROR_MOST = 0.005  # of the truth, in a long run
MANY = 19.9  # samples that chance decides on: 20, less what tiny allocations are short of


@pytest.fixture(scope="module")
def scenarios(is_long):
    runs = LONG_RUNS if is_long else SHORT_RUNS
    told = subprocess.run([SIMULATION, str(runs), str(SEED)], stdout=subprocess.PIPE, text=True,
                          check=True)
    return [json.loads(line) for line in told.stdout.splitlines()]


def told_of(scenario, what):
    return f"{what} of {scenario['sizes']} at {scenario['rate']}: {scenario}"


def chance(scenario):
    """How far from 95 % the share of so many runs may be; a long run must do without."""
    return 3 * math.sqrt(0.95 * 0.05 / scenario["runs"]) if scenario["runs"] < LONG_RUNS else 0


def of_one_size(scenarios):
    return [one for one in scenarios if one["kinds"] == 1]


def test_scenarios_are_those_that_were_asked_for(scenarios):
    assert {one["rate"] for one in scenarios} == {1 << 10, 64 << 10, 1 << 20, 16 << 20}
    assert {"16 B", "1 GiB", "16 B to 1 GiB", "two rates"} <= {one["sizes"] for one in scenarios}
    assert sum(one["by_chance"] >= MANY for one in scenarios) > 100
    assert sum(one["samples"] < 20 for one in scenarios) > 100


@pytest.mark.parametrize("what", ["bytes", "objects"])
def test_estimate_has_no_bias(scenarios, what):
    """Within 3 standard errors for each mix of sizes at each rate; of the single groups, which
    are ten times as many, chance alone takes one in 370 beyond that, and none beyond 4.
    """
    of_mix = collections.defaultdict(list)
    for one in scenarios:
        errors = one[what]["bias"] / max(one[what]["standard_error"], 1e-9)
        assert abs(errors) <= 4, told_of(one, what)
        of_mix[one["sizes"], one["rate"]].append(errors)
    for mix, errors in of_mix.items():
        assert abs(sum(errors)) / math.sqrt(len(errors)) <= 3, (what, mix, errors)


def test_simulation_is_long_enough_to_tell(scenarios):
    for one in scenarios:
        most = ERROR_MOST * math.sqrt(LONG_RUNS / one["runs"])
        assert one["bytes"]["standard_error"] <= most, told_of(one, "bytes")


@pytest.mark.parametrize("what", ["bytes", "objects"])
def test_interval_holds_the_truth_of_any_group(scenarios, what):
    """Objects of sizes that differ may be many that no sample has shown: 89 % at 3 samples."""
    for one in scenarios if what == "bytes" else of_one_size(scenarios):
        assert one[what]["covered"] >= 0.93 - chance(one), told_of(one, what)


@pytest.mark.parametrize("what", ["bytes", "objects"])
def test_interval_is_no_wider_than_it_must_be(scenarios, what):
    for one in scenarios if what == "bytes" else of_one_size(scenarios):
        if one["by_chance"] >= MANY:
            assert one[what]["covered"] <= 0.97 + chance(one), told_of(one, what)
