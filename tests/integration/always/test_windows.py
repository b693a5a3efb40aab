# SPDX-License-Identifier: Apache-2.0
"""The last minutes are sampled before anybody asks."""
import json
import os
import time
import urllib.parse

import pytest

import targets
from client import check_error
from daemon import Connection
from measured import four_deviations, tolerance_ns
from profiles import read_pprof

SAMPLE_HZ = 99
KEPT_S = 600


def ask(daemon, **query):
    """GETs a profile: its HTTP status, and its body."""
    connection = Connection(daemon.socket)
    connection.request("GET", "/v1/profile?" + urllib.parse.urlencode(query))
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


def recent(daemon, **query):
    status, body = ask(daemon, **query)
    assert status == 200, body
    return read_pprof(body)


def test_the_minute_before_the_question(daemon, client, start, debian, tmp_path, theft, is_long):
    """`record --last` does not wait, and a target that has ended still has its names."""
    seconds = 60 if is_long else 5
    target = start(debian, "two_thirds.py")
    before, from_ns = targets.cpu_ns(target.pid), time.monotonic_ns()
    time.sleep(seconds)
    charged, to_ns = targets.cpu_ns(target.pid) - before, time.monotonic_ns()
    target.stop()
    output = tmp_path / "last.pb.gz"
    asked_ns = time.monotonic_ns()
    client.succeed("record", "-p", target.pid, "--last", f"{seconds}s", "-f", "pprof", "-o", output)
    waited_s = (time.monotonic_ns() - asked_ns) / 1e9
    profile = read_pprof(output.read_bytes())
    print(f"{profile.count()} samples in {waited_s:.3f} s")
    assert waited_s < 1
    assert profile.pids() == {target.pid}
    assert seconds * 1e9 <= profile.duration_ns < (seconds + 1.5) * 1e9, "rounded out to slices"
    # The window may begin a little before the charge was read, and the target ended after it.
    tolerance = tolerance_ns(charged, to_ns - from_ns, SAMPLE_HZ) + theft.ns()
    assert -tolerance < profile.weight() - charged < tolerance + 1.2e9
    assert {"a", "b", "main"} <= profile.functions()
    theft.check_share(profile.weight_in("a"), profile.weight(), 2 / 3,
                      four_deviations(2 / 3, profile.count()) + 0.01)


def test_all_processes_and_only_those_asked_for(daemon, start, debian):
    first, second = (start(debian, "two_thirds.py") for _ in range(2))
    time.sleep(2.5)
    assert recent(daemon, pid=first.pid, recent=2).pids() == {first.pid}
    both = recent(daemon, pid=f"{first.pid},{second.pid}", recent=2)
    assert both.pids() == {first.pid, second.pid}
    assert {first.pid, second.pid} <= recent(daemon, all=1, recent=2).pids()


def test_more_than_is_kept_is_refused_with_what_there_is(new_daemon, start, debian):
    began = time.monotonic()
    daemon = new_daemon()
    target = start(debian, "two_thirds.py")
    time.sleep(2.5)
    status, body = ask(daemon, pid=target.pid, last=KEPT_S * 2)
    most = time.monotonic() - began + 2
    error = json.loads(body)["error"]
    assert status == 400 and error["exit"] == 2
    assert f"the last {2 * KEPT_S} s" in error["message"]
    kept = int(error["message"].split("only the last ")[1].split()[0])
    assert 2 <= kept <= most
    assert recent(daemon, pid=target.pid, last=kept).count() > 0
    assert recent(daemon, pid=target.pid, recent=KEPT_S * 2).duration_ns < 10e9


@pytest.mark.parametrize("query, words", [
    ({"last": 5, "seconds": 1}, "seconds="),
    ({"last": 5, "hz": 99}, "hz="),
    ({"last": 5, "order": 1}, "order="),
    ({"last": 5, "recent": 5}, "do not go together"),
    ({"last": 0}, "above 0"),
    ({"last": "x"}, "above 0"),
    ({"recent": "1e9"}, "above 0"),
])
def test_a_wrong_question_is_told(daemon, query, words):
    status, body = ask(daemon, pid=os.getpid(), **query)
    assert status == 400
    assert words in json.loads(body)["error"]["message"]


def test_a_pid_that_nobody_had(daemon):
    """3: neither running nor in the windows."""
    status, body = ask(daemon, pid=4194304, recent=10)
    assert status == 404 and json.loads(body)["error"]["exit"] == 3


def test_on_demand_only(new_daemon, start, debian):
    """sample_hz = 0: no clock until somebody asks, and no past."""
    daemon = new_daemon(config="sample_hz = 0\n")
    target = start(debian, "two_thirds.py")
    assert daemon.status()["clock"]["hz"] == 0
    status, body = ask(daemon, pid=target.pid, recent=10)
    assert status == 400 and "sample_hz = 0" in json.loads(body)["error"]["message"]
    profile = daemon.record(target.pid, hz=49, seconds=1).finish()
    assert profile.count() > 5 and profile.about["rates_hz"] == "49"
    assert daemon.status()["clock"]["hz"] == 0


def test_ended_processes_cost_no_more_than_the_limit(new_daemon, start, debian, is_long):
    """Many short processes: their names are the windows' now, and counted."""
    daemon = new_daemon(config="window_memory = 1MiB\n")
    for _ in range(100 if is_long else 15):
        target = start(debian, "burn_and_exit.py", 0.3, 0, "burn")
        target.wait()
    time.sleep(1.5)  # a turn of the windows
    windows = daemon.status()["windows"]
    print(windows)
    assert 0 < windows["bytes"] <= 1 << 20
    assert windows["samples"] > 0


def test_looking_back_too_far_with_the_client(daemon, client, start, debian):
    target = start(debian, "two_thirds.py")
    check_error(client.run("record", "-p", target.pid, "--last", "20h"), 2, "last")
