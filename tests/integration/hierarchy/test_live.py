# SPDX-License-Identifier: Apache-2.0
"""The hierarchy of a live Python program against what the program itself has measured."""
import json
import time

import pytest

import oracle
from client import check_error
from measured import four_deviations

NAMES = ["main", "work", "fib", "ping", "leaf_a", "leaf_b"]
HZ = 499
ENOUGH = 100  # ticks for a share to be near to normally distributed
USUAL_HZ = 99  # of the windows, and of a recording that does not say


def measured(target):
    """Processor time by path."""
    target.tell()
    return {tuple(path.split(" ")): spent for path, spent in target.read()}


def relations(spent):
    """Shares of main in each pair of caller and callee, by the program's own clock."""
    total = sum(spent.values())
    shares = {}
    for path, time_ns in spent.items():
        for pair in zip(path, path[1:]):
            shares[pair] = shares.get(pair, 0) + time_ns / total
    return shares


def ticks_of(answer, hz):
    """Those in main."""
    return answer["total"] * oracle.shares_of(answer).children["main"] / 100 / 1e9 * hz


def long_enough(target, hz, seconds, ask_for):
    """What the program has measured before and after, and the answer of ask_for(SECONDS), which
    has to be longer where the machine has little time for the program.
    """
    for factor in (1, 4, 16):
        before = measured(target)
        answer = ask_for(factor * seconds)
        if ticks_of(answer, hz) >= ENOUGH:
            break
    return before, measured(target), answer


def check_shares(answer, before, after, hz, theft):
    """Within 4 standard deviations of the ticks that there were."""
    truth = relations({path: spent - before.get(path, 0) for path, spent in after.items()})
    told = oracle.shares_of(answer)
    main = told.children["main"]
    main_ns = answer["total"] * main / 100
    ticks = ticks_of(answer, hz)
    assert ticks >= ENOUGH, answer
    assert set(told.relations) == set(truth)
    for pair, share in truth.items():
        print(pair)
        theft.check_share(told.relations[pair] / main * main_ns, main_ns, share,
                          four_deviations(share, ticks) + 1e-9)
    for path in after:
        assert abs(told.tree[path] - told.relations[path[1:]]) < 1e-6
    assert [told.adjusted[name] for name in NAMES[1:]] == [0] * 5


def ask(client, *args):
    return json.loads(client.succeed("hierarchy", "--targets", ",".join(NAMES), "--json", *args))


def recorded(client, target, out, seconds):
    client.succeed("record", "-p", target.pid, "-d", seconds, "--rate", HZ, "-f", "pprof", "-o", out)
    return ask(client, "--input", out)


def test_of_a_recording(client, start, interpreter, tmp_path, theft, is_long):
    target = start(interpreter, "calls.py")
    before, after, answer = long_enough(
        target, HZ, 10 if is_long else 1,
        lambda seconds: recorded(client, target, tmp_path / "out.pb.gz", seconds))
    check_shares(answer, before, after, HZ, theft)


def test_of_the_seconds_to_come(client, start, debian, theft, is_long):
    target = start(debian, "calls.py")
    before, after, answer = long_enough(target, USUAL_HZ, 20 if is_long else 2,
                                        lambda seconds: ask(client, "-p", target.pid, "-d", seconds))
    check_shares(answer, before, after, USUAL_HZ, theft)
    assert answer["format"] == "live" and answer["unit"] == "period"
    assert answer["exact"] is True and answer["event"] is None and answer["events"] == []


def test_of_the_last_seconds(client, start, debian, theft, is_long):
    """What the windows hold, at their own rate."""
    target = start(debian, "calls.py")
    while sum(measured(target).values()) < (15e9 if is_long else 2.5e9):
        time.sleep(0.5)
    answer = ask(client, "-p", target.pid)
    check_shares(answer, {}, measured(target), USUAL_HZ, theft)


@pytest.mark.parametrize("whom", [["--all"], ["--match", "calls\\.py"]], ids=lambda args: args[0])
def test_of_several(client, start, debian, theft, whom):
    """Those of the same names are one entity."""
    targets = [start(debian, "calls.py") for _ in range(2)]
    answer = ask(client, *whom, "-d", 2)
    both = {}
    for target in targets:
        for path, spent in measured(target).items():
            both[path] = both.get(path, 0) + spent
    told = oracle.shares_of(answer)
    truth = relations(both)
    for leaf in ("leaf_a", "leaf_b"):
        seen = told.relations["work", leaf] / told.children["work"]
        expected = truth["work", leaf] / truth["main", "work"]
        work_ns = answer["total"] * told.children["work"] / 100
        theft.check_share(seen * work_ns, work_ns, expected,
                          four_deviations(expected, work_ns / 1e9 * USUAL_HZ))


def test_of_any_format(client, start, debian, theft, tmp_path):
    target = start(debian, "calls.py")
    files = {kind: tmp_path / kind for kind in ("pprof", "speedscope", "collapsed")}
    before, after, _ = long_enough(
        target, HZ, 1, lambda seconds: recorded(client, target, files["pprof"], seconds))
    for kind in ("speedscope", "collapsed"):
        client.succeed("tree", "--input", files["pprof"], "-f", kind, "-o", files[kind])
    answers = {kind: ask(client, "--input", path) for kind, path in files.items()}
    for kind, answer in answers.items():
        assert answer["format"] == kind
        check_shares(answer, before, after, HZ, theft)
        assert answer["tree"] == answers["pprof"]["tree"]


def test_of_nobody(client):
    check_error(client.run("hierarchy", "--targets", "main", "-p", 4194304), 3, 4194304)
