# SPDX-License-Identifier: Apache-2.0
"""Allocators that cannot be followed, or not for long: it is said plainly, and nothing is lost in
silence."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import types

import pytest

import interpreters
import program_text
from followed import UNLIMITED, Followed, accounted_for, post, status_of, wait_until
from users import NOBODY, check_refused, get

HERE = pathlib.Path(__file__).resolve().parent
SLOW = [4000, 100]  # of heap_hungry.py: where Debian's Python calls libc's malloc
NODE_BYTES = 40  # of heap_hooked.py
DEPTH = 100  # frames; a sample of so many has some 2 KB
RING_OBJECTS = (32 << 20) // 1500
FORKS, CLONES_A_SECOND = 12, 4  # of heap_hungry.py at once; whose samples are copied
REFUSED, GONE, DENIED, FAILED, NONSENSE = 6, 3, 4, 1, 2


@pytest.fixture
def hungry(start, debian):
    return start(debian, "heap_hungry.py", *SLOW)


def objects_of(target):
    target.tell()
    return target.read()


def check_start_refused(daemon, status, code, *words, uid=0, **query):
    check_refused(post(daemon, "start", uid, **query), status, code, *words)


def wait_for_end(daemon, pid):
    """What its session says of it then, if there still is one."""
    def is_over():
        said = status_of(daemon, pid)
        return not said or said["state"] == "ended"

    wait_until(is_over, "its session is over")
    return status_of(daemon, pid)


# --- what is asked ---


@pytest.mark.parametrize("query", [
    {}, {"pid": ""}, {"pid": 0}, {"pid": -1}, {"pid": "a"}, {"pid": "1,2"}, {"tier": "all"},
    {"tier": ""}, {"rate": 0}, {"rate": -1}, {"rate": "64k"}, {"rate": 1 << 70},
    {"max_overhead": 0}, {"max_overhead": -5}, {"max_overhead": "x"}, {"seconds": 0},
    {"seconds": -1}, {"seconds": "1m"}, {"seconds": 1 << 40}], ids=str)
def test_nonsense_is_refused(daemon, hungry, query):
    asked = query if not query or "pid" in query else {"pid": hungry.pid, **query}
    check_start_refused(daemon, 400, NONSENSE, **asked)
    assert status_of(daemon, hungry.pid) is None


def test_what_is_no_python_is_refused(daemon):
    process = subprocess.Popen(["sleep", "300"])
    try:
        check_start_refused(daemon, 422, REFUSED, process.pid, pid=process.pid)
    finally:
        process.kill()
        process.wait()
    check_start_refused(daemon, 404, GONE, process.pid, pid=process.pid)


def test_a_process_of_another_user_is_denied(daemon, hungry, start, debian):
    check_start_refused(daemon, 403, DENIED, hungry.pid, uid=NOBODY, pid=hungry.pid)
    session = Followed(daemon, hungry.pid, tier="growth")
    check_refused(post(daemon, "stop", NOBODY, pid=hungry.pid), 403, DENIED, hungry.pid)
    assert json.loads(get(daemon, f"/v1/heap/status?pid={hungry.pid}", NOBODY)[2]) == {
        "sessions": []}
    assert session.forget()["pid"] == hungry.pid
    own = start(debian, "heap_hungry.py", *SLOW, prefix=["setpriv", f"--reuid={NOBODY}",
                                                         "--clear-groups"])
    for verb in ("start", "stop"):
        status, _, body = post(daemon, verb, NOBODY, pid=own.pid, discard=1)
        assert status == 200, body


def test_a_second_session_is_refused_and_the_first_goes_on(daemon, hungry):
    session = Followed(daemon, hungry.pid, tier="growth")
    check_start_refused(daemon, 500, FAILED, "growth", f"heap stop --pid {hungry.pid}",
                        pid=hungry.pid, tier="trace")
    assert session.status()["state"] == "active"
    session.forget()
    check_refused(post(daemon, "stop", pid=hungry.pid), 500, FAILED, hungry.pid)


# --- what cannot be followed ---


def refused_growth():
    """Free-threaded builds have no pools, and 3.8 no function that takes a new one."""
    return [one for one in interpreters.supported() if one.minor == 8 or not one.has_gil]


@pytest.mark.parametrize("old", refused_growth(), ids=repr)
def test_growth_is_refused_with_the_reason_where_no_function_takes_pools(daemon, start, old):
    target = start(old, "heap_hungry.py", *SLOW)
    status, _, body = post(daemon, "start", pid=target.pid, tier="growth")
    message = json.loads(body)["error"]["message"]
    print(message)
    assert status == 422 and len(message) > 40
    session = Followed(daemon, target.pid, tier="auto")
    assert session.began["tier"] == "trace"
    session.forget()


def test_an_allocator_of_the_program_itself(daemon, start, tmp_path):
    """Its objects are in malloc: they are seen there, or it is refused with the reason."""
    program = tmp_path / "python-inside"
    flags = subprocess.run(["python3.11-config", "--cflags", "--ldflags", "--embed"], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.split()
    subprocess.run(["gcc", HERE / "own_allocator.c", "-o", program, *flags], check=True)
    target = start(types.SimpleNamespace(path=str(program)), "heap_hungry.py", *SLOW)
    status, _, body = post(daemon, "start", pid=target.pid, tier="growth")
    assert status == 422 and "allocat" in json.loads(body)["error"]["message"], body
    assert program_text.changed(target.pid) == []


@pytest.fixture
def copied(tmp_path):
    """An interpreter's file that may be deleted or replaced."""
    path = tmp_path / "python3.11"
    shutil.copy(interpreters.debians().path, path)
    return types.SimpleNamespace(path=str(path))


def delete(path):
    os.unlink(path)


def replace(path):
    """As an upgrade does."""
    shutil.copy("/bin/true", path + ".new")
    os.rename(path + ".new", path)


@pytest.mark.parametrize("away", [delete, replace])
def test_a_file_that_is_deleted_or_replaced(daemon, start, copied, away):
    """While probes are in it they stay, and go; new ones are refused."""
    program = start(copied, "heap_hungry.py", *SLOW, prefix=["env", "PYTHONHOME=/usr"])
    kept = start(copied, "heap_hungry.py", *SLOW, prefix=["env", "PYTHONHOME=/usr"])
    session = Followed(daemon, kept.pid, tier="growth")
    away(copied.path)
    check_start_refused(daemon, 422, REFUSED, "deleted or replaced", pid=program.pid,
                        tier="growth")
    assert session.status()["state"] == "active"
    session.forget()
    for target in (program, kept):
        target.tell()
        assert target.read() > 0, "it runs on"


# --- what ends ---


def test_a_process_that_ends_in_the_middle(daemon, hungry):
    Followed(daemon, hungry.pid, tier="trace")
    hungry.process.kill()
    hungry.process.wait()
    wait_for_end(daemon, hungry.pid)


def test_processes_that_end_while_probes_are_put_in(daemon, start, debian, is_long):
    said = []
    for i in range(40 if is_long else 4):
        target = start(debian, "heap_hungry.py", *SLOW)
        killer = subprocess.Popen(["sh", "-c", f"sleep {0.02 * i:.3f}; kill -9 {target.pid}"])
        status, _, body = post(daemon, "start", pid=target.pid, tier="trace")
        killer.wait()
        said.append(status)
        if status != 200:
            assert json.loads(body)["error"]["exit"] in (GONE, FAILED), body
        target.process.wait()
        wait_for_end(daemon, target.pid)
    print(said)


def test_a_process_that_becomes_another(daemon, hungry):
    Followed(daemon, hungry.pid, tier="trace")
    hungry.tell("exec")
    assert hungry.read() == "ready"
    said = wait_for_end(daemon, hungry.pid)
    assert not said or "program" in said["reason"], said
    page = daemon.ask("GET", f"/v1/heap?pid={hungry.pid}")
    assert page["session"] is None, "it is of the one before"
    assert program_text.changed(hungry.pid) == []


def test_an_allocator_that_gets_another_before_it(daemon, start, debian, tmp_path):
    """In the middle of a session: what comes through it is still seen, and it is named."""
    library = tmp_path / "hook.so"
    includes = subprocess.run(["python3.11-config", "--includes"], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.split()
    subprocess.run(["gcc", "-shared", "-fPIC", HERE / "forwarding_allocator.c", "-o", library,
                    *includes], check=True)
    target = start(debian, "heap_hooked.py", library, "late")
    session = Followed(daemon, target.pid, tier="trace", rate=1024, **UNLIMITED)
    target.tell()
    truth = target.read()
    heap = session.heap()
    print(heap["warnings"], heap["session"]["warnings"])
    assert any("before the allocator" in text for text in
               heap["warnings"] + heap["session"]["warnings"])
    assert sum(one["bytes"] for one in heap["stacks"]) >= 0.9 * truth["Node"] * NODE_BYTES
    session.forget()


# --- what is too much ---


def test_overhead_cap_ends_it_and_says_so(daemon, hungry):
    session = Followed(daemon, hungry.pid, tier="trace", max_overhead=5)
    ended = wait_for_end(daemon, hungry.pid)
    print(ended["reason"], ended["overhead_percent"])
    assert ended["overhead_percent"] > 5 and "more than 5 %" in ended["reason"]
    assert 0 < ended["seconds"] < 10
    wait_until(lambda: not program_text.changed(hungry.pid), "its probes are gone")
    wait_until(lambda: accounted_for(session.status()), "each sample has one end")
    session.post("stop", discard=1)


def test_growth_over_its_cap_first_leaves_out_large_blocks(daemon, hungry):
    session = Followed(daemon, hungry.pid, tier="growth", max_overhead=5)
    said = wait_until(lambda: session.status()["warnings"] and session.status(), "it says so")
    print(said["warnings"], said["state"], said["probes"])
    assert said["state"] == "active" and "more than 5 %" in said["warnings"][-1]
    wait_until(lambda: [one["kind"] for one in session.status()["probes"]] == ["refill"],
               "they are gone")
    session.forget()


def test_what_the_ring_has_no_room_for_is_counted(client, daemon, start, debian):
    """Every allocation is a sample with a deep stack, and nobody takes them out for a while."""
    target = start(debian, "heap_hungry.py", *SLOW, DEPTH)
    session = Followed(daemon, target.pid, tier="trace", rate=1, **UNLIMITED)
    os.kill(daemon.process.pid, signal.SIGSTOP)
    try:
        before = objects_of(target)
        wait_until(lambda: objects_of(target) > before + RING_OBJECTS, "it makes objects")
    finally:
        os.kill(daemon.process.pid, signal.SIGCONT)
    said = session.stop()
    print(said["counts"], said["lost"])
    assert said["lost"]["ring_full"] > 0 and said["samples"] > 1000
    assert said["lost"]["free_ring_full"] > 0
    page = client.succeed("heap", "status", "--pid", target.pid)
    assert "ring_full" in page
    session.forget()


def test_children_that_come_too_fast_have_no_copy_and_are_counted(daemon, hungry):
    session = Followed(daemon, hungry.pid, tier="growth", rate=1024, **UNLIMITED)
    wait_until(lambda: session.status()["live_samples"], "something lives")
    hungry.tell("fork")
    assert hungry.read() == FORKS
    assert session.status()["lost"]["children_not_cloned"] >= FORKS - 2 * CLONES_A_SECOND
    assert not [one for one in daemon.ask("GET", "/v1/heap/status")["sessions"]
                if f"process {hungry.pid} " in (one["reason"] or "")], "they have ended"
    session.forget()


def test_a_user_has_so_many_sessions_and_no_more(new_daemon, start, debian):
    daemon = new_daemon(config="recordings_per_user = 1\n")
    first, second = (start(debian, "idle.py", user=NOBODY) for _ in range(2))
    status, _, body = post(daemon, "start", NOBODY, pid=first.pid, tier="growth")
    assert status == 200, body
    check_start_refused(daemon, 403, DENIED, "1 heaps already", uid=NOBODY, pid=second.pid)


def test_there_are_so_many_sessions_and_no_more(daemon, start, debian, is_long):
    """Short: as many as take a second."""
    targets = [start(debian, "idle.py") for _ in range(65 if is_long else 3)]
    answers = [post(daemon, "start", pid=one.pid, tier="growth") for one in targets]
    good = [answer for answer in answers if answer[0] == 200]
    assert len(good) == min(len(targets), 64)
    for answer in answers[64:]:
        assert "sessions" in json.loads(answer[2])["error"]["message"], answer
    for target in targets[:len(good)]:
        assert post(daemon, "stop", pid=target.pid, discard=1)[0] == 200
