# SPDX-License-Identifier: Apache-2.0
"""`dump` says of each thread what the program itself knows of it."""
import json

import pytest

import targets

MOST_FRAMES = 128


def rows_of(thread):
    return [[frame["function"], frame["file"], frame["line"], frame["first_line"]]
            for frame in thread["frames"]]


def check_parked(dump, parked):
    """@parked: what the target said of its threads."""
    threads = {str(thread["ident"]): thread for thread in dump["threads"]}
    for ident, rows in parked.items():
        assert rows_of(threads[ident]) == rows
        assert {frame["kind"] for frame in threads[ident]["frames"]} == {"python"}
    assert len(parked) == 4


def test_parked_threads_are_where_the_program_says(client, start, interpreter):
    """C-04 (qualified names), C-05 (the executing line), C-06 (no shim frame is shown), C-08:
    methods, properties, nested functions, lambdas, comprehensions, generators, coroutines,
    class bodies, callbacks out of C, calls over several lines."""
    target = start(interpreter, "parked.py")
    dump = json.loads(client.succeed("dump", "--pid", target.pid, "--json"))
    assert dump["pid"] == target.pid
    assert dump["python"] == interpreter.reported
    check_parked(dump, target.ready)


def test_the_dump_has_the_shape_of_the_interface(client, start, debian):
    """C-04, C-C15: one frame model."""
    target = start(debian, "parked.py")
    out = client.succeed("dump", "-p", target.pid, "--json")
    dump = json.loads(out)
    assert out.endswith("}\n") and out.count("\n") == 1
    assert {"pid", "python", "threads"} <= set(dump)
    for thread in dump["threads"]:
        assert {"tid", "name", "state", "frames"} <= set(thread)
        for frame in thread["frames"]:
            assert set(frame) == {"function", "file", "line", "first_line", "kind"}
    assert [thread["tid"] for thread in dump["threads"]][0] == target.pid


def test_the_dump_as_text_names_every_frame(client, start, debian):
    target = start(debian, "parked.py")
    text = client.succeed("dump", "-p", target.pid)
    for rows in target.ready.values():
        for function, file, line, _ in rows:
            assert f"    {function} ({file}:{line})\n" in text


def dump_threads(daemon, pid):
    return {thread["tid"]: thread for thread in daemon.stacks(pid)["threads"]}


def test_a_running_thread_is_sampled_where_it_runs(daemon, start, interpreter):
    """C-22: the clock takes the running thread's stack; one that sleeps is read from outside.
    Asked for again while one waits for a processor, or is not asleep yet."""
    target = start(interpreter, "half_asleep.py")
    for _ in range(20):
        threads = dump_threads(daemon, target.pid)
        runs, sleeps = threads[target.ready["runs"]], threads[target.ready["sleeps"]]
        assert sleeps["frames"][0]["function"] == "sleep"
        assert runs["frames"][0]["function"] == "spin"
        if runs["read"] == "sampled" and sleeps["state"] == "sleeping":
            break
    assert sleeps["read"] == "outside"
    assert runs["read"] == "sampled" and runs["state"] == "running"


def test_a_target_in_a_pid_namespace_of_its_own(daemon, start, interpreter):
    """C-C5: inside, getpid() is 1 and thread ids are small; the answers' are the outer ones."""
    target = start(interpreter, "parked.py",
                   prefix=["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"])
    pid, = targets.children(target.pid)
    dump = daemon.stacks(pid)
    check_parked(dump, target.ready)
    assert dump["pid"] == pid
    with open(f"/proc/{pid}/status") as f:
        status = dict(line.split(":\t", 1) for line in f.read().splitlines() if ":\t" in line)
    assert status["NSpid"].split() == [str(pid), "1"]
    assert pid in {thread["tid"] for thread in dump["threads"]}


def test_recording_a_target_in_a_pid_namespace(daemon, start, interpreter):
    """C-C5, C-20: both threads' ids are found, the running one's samples have its stack."""
    target = start(interpreter, "half_asleep.py",
                   prefix=["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"])
    pid, = targets.children(target.pid)
    profile = daemon.record(pid, hz=499, seconds=0.4).finish()
    assert profile.weight_in("spin") > 0.99 * profile.weight() > 0
    assert {(sample.labels["pid"], sample.labels["tid"]) for sample in profile.samples} == \
        {(pid, pid)}


@pytest.mark.parametrize("depth", [MOST_FRAMES, MOST_FRAMES + 1, 400])
def test_of_a_deep_stack_the_newest_frames_are_kept(daemon, start, interpreter, depth):
    """C-03, C-C7, C-18: the cut is marked, at the root. C-01: leaf first."""
    target = start(interpreter, "deep.py", depth)
    profile = daemon.record(target.pid, hz=499, seconds=0.2).finish()
    levels = [f"level_{level}" for level in range(depth - 3, 0, -1)]
    newest = ["burn", *levels, "main", "<module>"]
    shown = newest if depth == MOST_FRAMES else newest[:MOST_FRAMES] + ["[truncated]"]
    in_burn = [sample.frames for sample in profile.samples if len(sample.frames) >= MOST_FRAMES]
    assert in_burn
    for frames in in_burn:
        assert [frame.function for frame in frames] == shown
    thread, = daemon.stacks(target.pid)["threads"]
    assert [frame["function"] for frame in thread["frames"]] == shown
    assert (thread["frames"][-1]["kind"] == "unknown") == (depth > MOST_FRAMES)
