# SPDX-License-Identifier: Apache-2.0
"""The one page on a process: what it is, does, costs and holds."""
import json
import os
import pwd
import signal
import threading
import time

import pytest

import targets
from measured import four_deviations, tolerance_ns
from users import NOBODY, SOMEBODY, check_refused, get

SAMPLE_HZ = 99
NO_PID = 4194304  # above any that a kernel gives out
PAGE = {"pid", "name", "python", "build", "user", "uid", "uptime_s", "ended", "threads", "cpu",
        "memory", "lost", "unknown_share"}
ENDS_S = 5
TRIES = 20


def snapshot(daemon, pid, uid=0, **query):
    more = "".join(f"&{key}={value}" for key, value in query.items())
    status, kind, body = get(daemon, f"/v1/snapshot?pid={pid}{more}", uid)
    assert status == 200, body
    assert kind == "application/json"
    page = json.loads(body)
    assert set(page) == PAGE and page["pid"] == pid
    return page


def check_thirds(cpu, theft):
    """Of main(), a() has two thirds, b() one: within 4 standard deviations of the samples.
    The rest is what the program did until it was ready."""
    main_ns = cpu["share"] * cpu["window_s"] * 1e9
    rows = {row["function"]: row for row in cpu["functions"]
            if row["file"] == targets.program("two_thirds.py")}
    main = rows["main"]["total_share"]
    off = four_deviations(1 / 3, cpu["samples"])
    if off + theft.ns() / main_ns < 1 / 6:  # else b() may have more
        assert cpu["functions"][0] is rows["a"], "the top function"
    for name, share in (("a", 2 / 3), ("b", 1 / 3)):
        part_ns = rows[name]["self_share"] / main * main_ns
        theft.check_share(part_ns, main_ns, share, off)
    assert rows["a"]["total_share"] == rows["a"]["self_share"]
    assert main > 0.7
    assert cpu["functions_omitted"] == cpu["lines_omitted"] == 0
    shares = [row["self_share"] for row in cpu["functions"]]  # all of them: none is omitted
    assert shares == sorted(shares, reverse=True)
    assert abs(sum(shares) - 1) < 1e-9


def test_the_top_function_and_its_share(daemon, start, interpreter, theft, is_long):
    target = start(interpreter, "two_thirds.py")
    started_ns = targets.cpu_ns(target.pid)
    time.sleep(8 if is_long else 2)
    page = snapshot(daemon, target.pid)
    charged_ns = targets.cpu_ns(target.pid)
    cpu = page["cpu"]
    check_thirds(cpu, theft)
    assert page["python"] == interpreter.reported
    assert page["user"] == "root" and page["uid"] == 0 and not page["ended"]
    unknown = (row["self_share"] for row in cpu["functions"] if row["kind"] == "unknown")
    assert abs(page["unknown_share"] - sum(unknown)) < 1e-9
    assert set(page["lost"]) >= {"ring_full", "malformed"}
    # The window is the process's life; until it was found it was not sampled.
    assert abs(cpu["window_s"] - page["uptime_s"]) < 0.05 + theft.seconds()
    weight_ns, length_ns = cpu["share"] * cpu["window_s"] * 1e9, cpu["window_s"] * 1e9
    tolerance = tolerance_ns(charged_ns, length_ns, SAMPLE_HZ)
    print(f"share {cpu['share']:.4f}, weight / charged {weight_ns / charged_ns:.4f}")
    assert -tolerance - started_ns < weight_ns - charged_ns < tolerance + theft.ns()


def test_lines_are_those_that_run(daemon, start, debian):
    target = start(debian, "two_thirds.py")
    time.sleep(2)
    with open(targets.program("two_thirds.py")) as f:
        source = f.read().splitlines()
    lines = snapshot(daemon, target.pid)["cpu"]["lines"]
    assert lines[0]["file"] == targets.program("two_thirds.py")
    assert source[lines[0]["line"] - 1].strip() == "while thread_time_ns() < end:"
    assert sum(line["self_share"] for line in lines) > 0.95


def proc_fields(pid, name):
    with open(f"/proc/{pid}/{name}") as f:
        rows = (line.split() for line in f)
        return {row[0]: int(row[1]) * 1024 for row in rows if row[-1] == "kB"}


def test_memory_is_what_the_kernel_says(daemon, start, interpreter):
    target = start(interpreter, "parked.py")
    memory = snapshot(daemon, target.pid)["memory"]
    rollup, status = (proc_fields(target.pid, name) for name in ("smaps_rollup", "status"))
    assert memory["rss_bytes"] == rollup["Rss:"] > 1 << 20
    assert memory["swap_bytes"] == rollup["Swap:"]
    assert memory["rss_anon_bytes"] == status["RssAnon:"] > 0
    assert memory["rss_file_bytes"] == status["RssFile:"] > 0
    assert memory["rss_shmem_bytes"] == status["RssShmem:"]
    # Others map the same files and come and go.
    assert abs(memory["pss_bytes"] - rollup["Pss:"]) < 0.5 * rollup["Pss:"]


def test_a_wide_process_holds_nothing_up(daemon, start, debian):
    """The kernel would walk through all of its page tables to tell what it shares."""
    target = start(debian, "wide.py")
    assert proc_fields(target.pid, "status")["VmPTE:"] > 8 << 20
    memory = snapshot(daemon, target.pid)["memory"]
    assert memory["pss_bytes"] is None
    assert memory["rss_bytes"] == proc_fields(target.pid, "status")["VmRSS:"]


def test_threads_are_as_in_dump(daemon, start, interpreter):
    target = start(interpreter, "parked.py")
    for _ in range(TRIES):  # the thread that told of the others may still be ending
        page, dump = snapshot(daemon, target.pid), daemon.stacks(target.pid)
        if page["threads"] == dump["threads"]:
            break
        time.sleep(0.1)
    assert page["threads"] == dump["threads"]
    assert set(target.ready) <= {str(thread["ident"]) for thread in page["threads"]}


def test_what_it_is(daemon, start, interpreter):
    """Name, age, and the file that holds the interpreter."""
    target = start(interpreter, "half_asleep.py", "all")
    born = time.monotonic()
    time.sleep(0.5)
    page = snapshot(daemon, target.pid)
    with open(f"/proc/{target.pid}/comm") as f:
        assert page["name"] == f.read().rstrip("\n")
    assert abs(page["uptime_s"] - (time.monotonic() - born)) < 5
    with open(f"/proc/{target.pid}/maps") as f:
        files = {line.split(None, 5)[5].rstrip("\n") for line in f if len(line.split()) > 5}
    assert page["build"] in files and "python" in os.path.basename(page["build"])


@pytest.mark.parametrize("is_reaped", [True, False], ids=["gone", "zombie"])
def test_of_an_ended_process_its_last_seconds_are_told(daemon, start, debian, theft, is_reaped):
    """Also while its parent has not waited for it."""
    target = start(debian, "two_thirds.py")
    time.sleep(2.5)
    os.kill(target.pid, signal.SIGKILL)
    if is_reaped:
        target.wait()
    end = time.monotonic() + ENDS_S
    page = snapshot(daemon, target.pid)
    while not page["ended"] and time.monotonic() < end:
        time.sleep(0.05)
        page = snapshot(daemon, target.pid)
    assert page["ended"] and page["threads"] == [] and page["memory"] is None
    assert page["python"] == debian.reported and page["user"] == "root"
    check_thirds(page["cpu"], theft)
    share, uptime = page["cpu"]["share"], page["uptime_s"]
    time.sleep(1.5)
    later = snapshot(daemon, target.pid)
    assert later["ended"] and later["cpu"]["samples"] == page["cpu"]["samples"]
    assert abs(later["cpu"]["share"] - share) < 0.05, "the window is the time before its end"
    assert abs(later["uptime_s"] - uptime) < 0.1


def test_a_pid_that_nobody_had(daemon):
    check_refused(get(daemon, f"/v1/snapshot?pid={NO_PID}"), 404, 3, NO_PID)


def test_no_python(daemon):
    check_refused(get(daemon, "/v1/snapshot?pid=2"), 422, 6)


def test_other_users_see_their_own(daemon, start, debian):
    """A process of another user is not told of, alive or ended; one's own is."""
    roots = start(debian, "two_thirds.py")
    own = start(debian, "two_thirds.py", prefix=["setpriv", f"--reuid={NOBODY}", "--clear-groups"])
    someones = start(debian, "two_thirds.py",
                     prefix=["setpriv", f"--reuid={SOMEBODY}", "--clear-groups"])
    time.sleep(1.5)
    check_refused(get(daemon, f"/v1/snapshot?pid={roots.pid}", NOBODY), 403, 4, roots.pid)
    check_refused(get(daemon, f"/v1/snapshot?pid={someones.pid}", NOBODY), 403, 4)
    page = snapshot(daemon, own.pid, NOBODY)
    assert page["user"] == pwd.getpwuid(NOBODY).pw_name and page["uid"] == NOBODY
    assert page["memory"]["rss_bytes"] > 0 and page["cpu"]["samples"] > 0
    assert snapshot(daemon, someones.pid)["user"] == str(SOMEBODY), "no name: the number"
    for target in (roots, own):
        target.stop()
    check_refused(get(daemon, f"/v1/snapshot?pid={roots.pid}", NOBODY), 403, 4, roots.pid)
    assert snapshot(daemon, own.pid, NOBODY)["ended"]


def test_of_two_processes_each_has_its_own(daemon, start, debian, theft):
    busy, idle = start(debian, "two_thirds.py"), start(debian, "parked.py")
    time.sleep(2)
    of_busy, of_idle = snapshot(daemon, busy.pid), snapshot(daemon, idle.pid)
    check_thirds(of_busy["cpu"], theft)
    assert of_busy["cpu"]["share"] > 2 * of_idle["cpu"]["share"]
    assert "a" not in {row["function"] for row in of_idle["cpu"]["functions"]}


def test_looking_first_for_some_seconds(daemon, start, debian, theft):
    """seconds=N: the page speaks of the recording, which begins with the question."""
    target = start(debian, "two_thirds.py")
    time.sleep(1.2)
    page = snapshot(daemon, target.pid, seconds=2)
    assert 1.9 < page["cpu"]["window_s"] < 3
    assert page["threads"] and page["memory"]
    check_thirds(page["cpu"], theft)


def test_one_that_ends_while_it_is_looked_at(new_daemon, start, debian, theft):
    """Also where nothing but the recording sampled it, and nobody has waited for it."""
    daemon = new_daemon(config="sample_hz = 0\n")
    target = start(debian, "two_thirds.py")
    killer = threading.Timer(1.5, os.kill, (target.pid, signal.SIGKILL))
    killer.start()
    page = snapshot(daemon, target.pid, seconds=30)
    killer.join()
    assert page["ended"] and page["threads"] == [] and page["memory"] is None
    assert page["cpu"]["samples"] > 10 and page["cpu"]["window_s"] < 15
    check_thirds(page["cpu"], theft)


def test_on_demand_only_there_is_no_cpu_to_tell_of(new_daemon, start, debian):
    daemon = new_daemon(config="sample_hz = 0\n")
    target = start(debian, "two_thirds.py")
    page = snapshot(daemon, target.pid)
    assert page["cpu"] == {"window_s": 0, "share": None, "samples": 0, "functions": [],
                           "functions_omitted": 0, "lines": [], "lines_omitted": 0}
    assert page["unknown_share"] is None
    assert page["threads"] and page["memory"]


def test_a_daemon_that_stops_answers_first(new_daemon, start, debian, theft):
    """With what was recorded until then."""
    daemon = new_daemon()
    target = start(debian, "two_thirds.py")
    killer = threading.Timer(1.5, daemon.process.send_signal, (signal.SIGTERM,))
    killer.start()
    page = snapshot(daemon, target.pid, seconds=60)
    killer.join()
    assert page["threads"] and 1 < page["cpu"]["window_s"] < 10
    check_thirds(page["cpu"], theft)
