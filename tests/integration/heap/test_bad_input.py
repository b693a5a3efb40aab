# SPDX-License-Identifier: Apache-2.0
"""Heaps that cannot be told, or not whole: it is said plainly, and nothing is lost in silence."""
import json
import os
import pathlib
import random
import signal
import subprocess
import threading
import types

import pytest

from client import check_error
from scanned import count_of, types_of
from users import NOBODY, check_refused, get

HERE = pathlib.Path(__file__).resolve().parent
COUNTS = [5000, 3000, 1000, 0, 2000]
NAMES = ["Plain", "Slotted", "Extended", "HalvedPlain", "HalvedSlotted", "HalvedExtended"]
BIG_BYTES = 100 << 20
ENDINGS, LONG_ENDINGS = 6, 100


def config(*args):
    return subprocess.run(["python3.11-config", *args], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.split()


def with_environment(**variables):
    return ["env", *(f"{key}={value}" for key, value in variables.items())]


def check_counts(heap, truth):
    assert {name: count_of(heap, name) for name in NAMES} == {
        name: truth["made"][name] for name in NAMES}


# --- what cannot be read ---


def test_what_is_no_python_is_6(client):
    process = subprocess.Popen(["sleep", "300"])
    try:
        check_error(client.run("snapshot", "--pid", process.pid, "--types"), 6, process.pid)
    finally:
        process.kill()
        process.wait()


def test_a_process_that_is_gone_is_3(client):
    process = subprocess.Popen(["true"])
    process.wait()
    check_error(client.run("snapshot", "--pid", process.pid, "--types"), 3, process.pid)


def test_a_process_that_nobody_waited_for_is_3(client):
    process = subprocess.Popen(["true"])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    try:
        check_error(client.run("snapshot", "--pid", process.pid, "--types"), 3, process.pid)
    finally:
        process.wait()


@pytest.mark.parametrize("kind", ["malloc", "malloc_debug"])
def test_objects_in_the_c_librarys_malloc_are_refused_with_the_reason(refusal, start, with_pools,
                                                                      kind):
    """Free-threaded builds have no such choice."""
    target = start(with_pools, "heap_types.py", *COUNTS,
                   prefix=with_environment(PYTHONMALLOC=kind))
    assert "malloc" in refusal(target.pid)


def test_an_allocator_of_the_program_itself_is_refused_with_the_reason(refusal, start, tmp_path):
    program = tmp_path / "python-inside"
    subprocess.run(["gcc", HERE / "own_allocator.c", "-o", program,
                    *config("--cflags", "--ldflags", "--embed")], check=True)
    target = start(types.SimpleNamespace(path=str(program)), "heap_types.py", *COUNTS)
    assert "allocat" in refusal(target.pid)


def test_the_page_of_such_a_process_has_all_but_its_heap(client, start, debian):
    target = start(debian, "heap_types.py", *COUNTS,
                   prefix=with_environment(PYTHONMALLOC="malloc"))
    page = json.loads(client.succeed("snapshot", "--pid", target.pid, "--json"))
    assert page["heap"] is None and "malloc" in page["heap_error"]
    assert page["memory"]["rss_bytes"] > 0 and page["threads"]
    text = client.succeed("snapshot", "--pid", target.pid)
    assert "malloc" in text and "RSS" in text


def test_a_process_of_another_user_is_refused(daemon, start, debian):
    target = start(debian, "heap_types.py", *COUNTS)
    check_refused(get(daemon, f"/v1/heap?pid={target.pid}", NOBODY), 403, 4, target.pid)
    own = start(debian, "heap_types.py", *COUNTS,
                prefix=["setpriv", f"--reuid={NOBODY}", "--clear-groups"])
    status, _, body = get(daemon, f"/v1/heap?pid={own.pid}", NOBODY)
    assert status == 200, body
    check_counts(json.loads(body), own.ready)


# --- what stands before the allocator ---


@pytest.mark.parametrize("option,word", [("dev", "debug"), ("tracemalloc", "tracemalloc")])
def test_hooks_change_no_count_and_are_named(scan, start, interpreter, option, word):
    target = start(interpreter, "heap_types.py", *COUNTS, prefix=with_environment(
        **{"PYTHONDEVMODE" if option == "dev" else "PYTHONTRACEMALLOC": 1}))
    heap = scan(target)
    print(heap["warnings"])
    check_counts(heap, target.ready)
    assert any(word in text for text in heap["warnings"])


def test_no_hooks_are_named_where_there_are_none(scan, start, interpreter):
    heap = scan(start(interpreter, "heap_types.py", *COUNTS))
    print(heap["warnings"])
    said = " ".join(heap["warnings"])
    assert "tracemalloc" not in said and "stands before" not in said
    assert ("debug hooks" in said) == interpreter.version.endswith("d")


def test_a_hook_of_a_profiler_is_named(scan, start, debian, tmp_path):
    library = tmp_path / "hook.so"
    subprocess.run(["gcc", "-shared", "-fPIC", HERE / "forwarding_allocator.c", "-o", library,
                    *config("--includes")], check=True)
    target = start(debian, "heap_hooked.py", library)
    heap = scan(target)
    print(heap["warnings"])
    assert count_of(heap, "Node") == target.ready["Node"]
    assert any("before the allocator" in text for text in heap["warnings"])


# --- interpreters with an allocator of their own ---


def test_subinterpreters_are_counted(scan, start, with_own_heaps):
    target = start(with_own_heaps, "heap_subinterpreter.py")
    heap = scan(target)
    assert {name: count_of(heap, name) for name in target.ready} == target.ready


# --- processes that end or become another ---


def ask_while(client, target, act):
    """What the command says while @act() is done to the process at a moment of the scan."""
    timer = threading.Timer(random.uniform(0, 0.3), act)
    process = client.start("snapshot", "--pid", target.pid, "--types", "--json")
    timer.start()
    done = client.finish(process)
    timer.join()
    return done


def check_whole_or_refused(done, target, after=None, code=3):
    """The heap as it was before or, of @after so many nodes, after; or a line that says why not."""
    if done.returncode == 0:
        heap = json.loads(done.stdout)
        count = count_of(heap, "Node")
        assert count in (target.ready["Node"], after) or heap["pools"]["unreadable"], done
        return "told"
    if after is not None and "is starting" in done.stderr:
        code = 6
    check_error(done, code, target.pid)
    return "refused"


def test_a_process_that_ends_while_it_is_read(client, start, debian, is_long):
    said = []
    for _ in range(LONG_ENDINGS if is_long else ENDINGS):
        target = start(debian, "heap_big.py", BIG_BYTES)
        done = ask_while(client, target, lambda: os.kill(target.pid, signal.SIGKILL))
        said.append(check_whole_or_refused(done, target))
        target.stop()
    print(said)


def test_a_process_that_becomes_another_while_it_is_read(client, start, debian, is_long):
    """Its next program is told of as what it is."""
    said = []
    for _ in range(LONG_ENDINGS if is_long else ENDINGS):
        target = start(debian, "heap_big.py", BIG_BYTES)
        done = ask_while(client, target, lambda: target.tell("exec"))
        said.append(check_whole_or_refused(done, target, after=0))
        assert target.read() == "ready"
        text = client.succeed("snapshot", "--pid", target.pid, "--types", "--json")
        assert "__main__.Node" not in types_of(json.loads(text))
        target.stop()
    print(said)
