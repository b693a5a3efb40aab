# SPDX-License-Identifier: Apache-2.0
"""Sampled allocations of a program that knows what lives of each of its lines.

Sizes from 16 B to 100 MB, more than 20 lines; in long runs 200 times at each rate.
"""
import collections
import contextlib
import itertools
import math

import pytest

import interpreters
import targets
from followed import UNLIMITED, Followed, by_place

RATES = {"1 KB": 1 << 10, "64 KB": 64 << 10}
SHORT_RUNS, LONG_RUNS = {"1 KB": 1, "64 KB": 2}, 200
RUNS_A_SESSION = 20  # a draw does not remember those before it; putting probes in takes seconds
MANY = 20  # samples, of those that chance decides on
ERROR_MOST = 0.005  # of the truth, in a long run
SMALL_MOST = 512  # of the allocator of small objects
SHARE_APART = 0.02
SAMPLED_AT_LEAST = 8  # times the rate: chance decides on no such sample

Pair = collections.namedtuple("Pair", "line true seen")
Runs = collections.namedtuple("Runs", "rate pairs coverages is_long")


def block_of(size):
    return (size + 15) // 16 * 16


class Truth:
    """Bytes that live of a line, and how far their estimate may be off."""

    def __init__(self, row, rate):
        self.sizes = row["sizes"]
        self.bytes = sum(size * count for size, count in row["sizes"])
        self.blocks = sum(block_of(size) * count for size, count in row["sizes"])
        self.is_small = all(size <= SMALL_MOST for size, _ in row["sizes"])
        self.is_certain = all(size > SAMPLED_AT_LEAST * rate for size, _ in row["sizes"])
        self.variance = self.by_chance = 0
        for size, count in row["sizes"]:
            p = -math.expm1(-size / rate)
            self.variance += size * size * count * (1 - p) / p
            self.by_chance += p * (1 - p) * count


def line_and_caller(frames):
    return (frames[0][1], frames[1][0]) if len(frames) > 1 else None


@contextlib.contextmanager
def followed(daemon, target, rate):
    session = Followed(daemon, target.pid, tier="trace", rate=rate, **UNLIMITED)
    yield session
    session.forget()


def look(session, target, rate):
    """What the session says of what the program makes, and what the program says."""
    target.tell("make")
    said = target.read()
    heap = session.heap()
    target.tell("drop")
    assert target.read() == "dropped"
    seen = by_place(heap["stacks"], line_and_caller)
    return heap, [Pair(row["line"], Truth(row, rate), seen.get((row["line"], row["caller"])))
                  for row in said]


def started(interpreter):
    return targets.Target([interpreter.path, "-B", targets.program("heap_known.py")])


def print_pairs(pairs):
    for line, true, seen in pairs:
        said = f"{seen.bytes:.0f} ({seen.low:.0f} to {seen.high:.0f})" if seen else "nothing"
        print(f"line {line}: {true.bytes} bytes, seen {said}")


@pytest.fixture(scope="module", params=RATES, ids=lambda name: name.replace(" ", ""))
def runs(request, shared_daemon, is_long):
    builds = interpreters.plain()
    if not builds:
        pytest.skip("no Python here whose allocator is called")
    rate = RATES[request.param]
    target = started(builds[0])
    count, looks = LONG_RUNS if is_long else SHORT_RUNS[request.param], []
    try:
        while len(looks) < count:
            with followed(shared_daemon, target, rate) as session:
                looks += [look(session, target, rate)
                          for _ in range(min(RUNS_A_SESSION, count - len(looks)))]
    finally:
        target.stop()
    print_pairs(looks[0][1])
    return Runs(rate, [pair for _, pairs in looks for pair in pairs],
                [heap["coverage"] for heap, _ in looks], is_long)


def test_every_line_is_seen(runs):
    """Of the fewest samples there are 5 on average."""
    lines = {pair.line for pair in runs.pairs}
    missed = [pair.line for pair in runs.pairs if not pair.seen]
    assert len(lines) > 20 and len(missed) <= 1 + 0.01 * len(runs.pairs), missed


def test_what_is_larger_than_the_rate_is_exact(runs):
    certain = [pair for pair in runs.pairs if pair.true.is_certain]
    assert certain
    for line, true, seen in certain:
        assert seen.bytes == pytest.approx(true.bytes, rel=0.001), (line, true.bytes, seen)


def estimate(pair):
    return pair.seen.bytes if pair.seen else 0


def test_estimate_has_no_bias(runs):
    """Within 3 standard errors in all; of single lines chance takes one in 370 beyond that."""
    of_line = collections.defaultdict(list)
    for pair in runs.pairs:
        if not pair.true.is_certain:
            of_line[pair.line].append(pair)
    for line, pairs in of_line.items():
        off = sum(estimate(pair) - pair.true.bytes for pair in pairs)
        error = math.sqrt(sum(pair.true.variance for pair in pairs))
        assert abs(off) <= 4.5 * error + 0.001 * pairs[0].true.bytes, (line, off / error)
    chosen = [pair for pairs in of_line.values() for pair in pairs]
    true = sum(pair.true.bytes for pair in chosen)
    off = sum(estimate(pair) - pair.true.bytes for pair in chosen)
    error = math.sqrt(sum(pair.true.variance for pair in chosen))
    print(f"rate {runs.rate}: bias {off / true:+.5f}, standard error {error / true:.5f}")
    assert abs(off) <= (3 if runs.is_long else 4) * error
    assert not runs.is_long or error <= ERROR_MOST * true


def covered(pairs):
    return sum(bool(pair.seen) and pair.seen.low <= pair.true.bytes <= pair.seen.high
               for pair in pairs) / len(pairs)


def test_interval_holds_the_truth(runs):
    """Chance has its part in a short run."""
    many = [pair for pair in runs.pairs if pair.true.by_chance >= MANY]
    few = [pair for pair in runs.pairs if 1 <= pair.true.by_chance < MANY]
    chance = 0 if runs.is_long else 4 * math.sqrt(0.95 * 0.05 / len(many))
    print(f"rate {runs.rate}: covered {covered(many):.4f} of {len(many)} of many samples")
    assert 0.93 - chance <= covered(many) <= 0.97 + chance
    if few:
        chance = 0 if runs.is_long else 4 * math.sqrt(0.95 * 0.05 / len(few))
        print(f"covered {covered(few):.4f} of {len(few)} of fewer than {MANY}")
        assert covered(few) >= 0.93 - chance


def test_all_is_covered_where_each_call_is_one(runs):
    small = [pair.true for pair in runs.pairs if pair.true.is_small]
    chance = math.sqrt(sum(one.variance for one in small)) / sum(one.bytes for one in small)
    shares = [one["seen_bytes"] / one["true_bytes"] for one in runs.coverages]
    mean, untold = sum(shares) / len(shares), [one["share"] for one in runs.coverages].count(None)
    print(f"seen {mean:.4f} on average, standard error {chance:.4f}: {shares[:10]}; {untold} untold")
    assert abs(mean - 1) <= SHARE_APART + 3 * chance
    assert untold <= 1 + 0.01 * len(shares)  # 3 standard errors too much: it could not be so


def visible_part(pair, rate):
    """Each call of the program is seen each time or never: what lives of sizes that are seen."""
    parts = [Truth({"sizes": chosen}, rate) for count in range(len(pair.true.sizes) + 1)
             for chosen in itertools.combinations(pair.true.sizes, count)]
    return min(parts, key=lambda part: abs(part.bytes - estimate(pair)))


def given_again(part, later, rate):
    """Of @part's sizes, what @later lines may have got unseen that @part's line has dropped."""
    blocks = {block_of(size) for size, _ in part.sizes}
    return Truth({"sizes": [[size, count] for pair in later if not pair.seen
                            for size, count in pair.true.sizes if block_of(size) in blocks]}, rate)


def check_seen(pair, part, ghosts):
    error = 4.5 * math.sqrt(part.variance + ghosts.variance) + 0.001 * part.bytes
    told = estimate(pair)
    assert part.bytes - error <= told <= part.bytes + ghosts.bytes + error, (pair.line, told)


def test_what_is_not_seen_is_told(daemon, debian):
    """Debian's Python has the allocator's functions built into whoever calls them."""
    rate = RATES["1 KB"]
    target = started(debian)
    try:
        with followed(daemon, target, rate) as session:
            heap, pairs = look(session, target, rate)
    finally:
        target.stop()
    print_pairs(pairs)
    small = [pair for pair in pairs if pair.true.is_small]
    parts = [visible_part(pair, rate) for pair in small]
    ghosts = [given_again(part, small[at + 1:], rate) for at, part in enumerate(parts)]
    for pair, part, again in zip(small, parts, ghosts):
        check_seen(pair, part, again)
    true = sum(pair.true.blocks for pair in small)
    seen = sum(part.blocks for part in parts) / true
    again = sum(part.blocks for part in ghosts) / true
    print(f"seen {seen:.4f}, given again at most {again:.4f}, said {heap['coverage']}")
    assert seen - SHARE_APART <= heap["coverage"]["share"] <= seen + again + SHARE_APART
    assert abs(heap["coverage"]["true_bytes"] - true) <= SHARE_APART * true
    assert sum("found freed are left out" in text for text in heap["warnings"]) == 1
    large = [pair for pair in pairs if not pair.true.is_small and pair.true.blocks > 1 << 20]
    for line, truth, row in large:
        assert row, line
        assert abs(row.bytes - truth.bytes) <= 4.5 * math.sqrt(truth.variance) + 0.001 * truth.bytes
