# SPDX-License-Identifier: Apache-2.0
"""Which processes dump, record, snapshot and top are about; and the page of a snapshot."""
import json
import os
import re
import shutil
import subprocess
import time

import pytest

import targets
from client import PATIENCE_S, PROGRAM, Client, check_error
from profiles import read_collapsed, read_pprof, read_speedscope

NOBODY = 61000 + os.getpid() % 4000  # a user with nothing else
NEVER = 4194304  # PID_MAX_LIMIT: ids are below
VERBS = {
    "dump": ["dump", "--json"],
    "record": ["record", "-d", "0.3", "-f", "pprof", "-o", "-"],
    "snapshot": ["snapshot", "--json"],
    "top": ["top", "--count", "1"],
}


class Group:
    """A control group, below our own, that processes can be put into."""

    def __init__(self, name):
        hierarchy, path = self.ours()
        self.path = os.path.join(path, name)
        self.folder = hierarchy + self.path
        os.mkdir(self.folder)

    @staticmethod
    def ours():
        """Mount point and path of a hierarchy that we may write to."""
        with open("/proc/self/cgroup") as f:
            paths = dict(line.rstrip("\n").split(":", 2)[1:] for line in f)
        with open("/proc/self/mounts") as f:
            mounts = [line.split()[1:4] for line in f]
        for folder, kind, options in mounts:
            names = [name for name in paths if name and name in options.split(",")]
            if kind == "cgroup2" and "" in paths:
                names = [""]
            if kind.startswith("cgroup") and names:
                if os.access(folder + paths[names[0]], os.W_OK):
                    return folder, paths[names[0]]
        pytest.skip("no control group here can be written to")

    def prefix(self):
        """Of a command that is to be in it from its start."""
        script = 'echo $$ > "$0"/cgroup.procs && exec "$@"'
        return ["sh", "-c", script, self.folder]

    def remove(self):
        os.rmdir(self.folder)


@pytest.fixture
def group():
    made = Group(f"spprof-test-{os.getpid()}.service")
    yield made
    made.remove()


def pids_of(client, verb, *which):
    """The processes that it spoke of."""
    argv = [*VERBS[verb], *which]
    if verb == "record":
        done = client.finish(client.start(*argv, text=False))
        assert done.returncode == 0, done
        return read_pprof(done.stdout).pids()
    said = client.succeed(*argv)
    if verb == "top":
        title = said.split("\n")[0]
        found = re.match(r"(\d+) ", title)
        return {int(found[1])} if found and "processes" not in title else title
    return {json.loads(line)["pid"] for line in said.split("\n")[:-1]}


def start_named(start, debian, token):
    """A target whose command line nobody else's is like."""
    return start(debian, "two_thirds.py", f"--token={token}")


# --- each kind ---


@pytest.mark.parametrize("verb", VERBS)
def test_several_pids(client, start, debian, verb):
    """-p may be given again, and with commas."""
    pids = [start(debian, "two_thirds.py").pid for _ in range(3)]
    which = ["-p", f"{pids[0]},{pids[1]}", "--pid", pids[2], "-p", pids[0]]
    said = pids_of(client, verb, *which)
    if verb == "top":
        assert said.startswith("3 processes, last ")
    else:
        assert said == set(pids)


@pytest.mark.parametrize("verb", VERBS)
def test_match_is_on_the_command_line(client, start, debian, verb):
    token = f"match-{os.getpid()}"
    ours = start_named(start, debian, f"{token}-1")
    start_named(start, debian, f"{token}-2")
    assert pids_of(client, verb, "--match", rf"two_thirds\.py --token={token}-1$") == {ours.pid}
    both = pids_of(client, verb, "--match", token)
    assert len(both) == 2 or both.startswith("2 processes, last ")


@pytest.mark.parametrize("verb", VERBS)
def test_cgroup_and_unit(client, group, start, debian, verb):
    """A unit is a control group's name; .service may be left out."""
    ours = start(debian, "two_thirds.py", prefix=group.prefix())
    start(debian, "two_thirds.py")
    unit = os.path.basename(group.path)
    for which in (["--cgroup", group.path], ["--unit", unit],
                  ["--unit", unit[:-len(".service")]]):
        said = pids_of(client, verb, *which)
        if verb == "top":
            assert which[1] in said
        else:
            assert said == {ours.pid}


def test_all_is_everything_that_one_may_see(client, start, debian):
    """Others may end while it looks: that is told, and 3."""
    ours = {start(debian, "two_thirds.py").pid for _ in range(2)}
    assert ours <= pids_of(client, "record", "--all")
    for verb in ("dump", "snapshot"):
        done = client.run(*VERBS[verb], "--all")
        assert done.returncode == 0 or done.returncode == 3 and done.stderr, done
        assert ours <= {json.loads(line)["pid"] for line in done.stdout.split("\n")[:-1]}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("which", [["--match", "no such command line"],
                                   ["--unit", "no-such.service"], ["--cgroup", "/no/such"]])
def test_nothing_that_matches_is_3(client, start, debian, verb, which):
    start(debian, "spin.py")
    check_error(client.run(*VERBS[verb], *which), 3)


@pytest.mark.parametrize("verb", VERBS)
def test_a_bad_expression_is_2_with_reason_and_place(client, verb):
    check_error(client.run(*VERBS[verb], "--match", "a(b"), 2, "missing closing parenthesis",
                "offset 3")


def test_an_expression_that_never_ends_is_given_up(client, start, debian):
    start_named(start, debian, "a" * 50)
    check_error(client.run("dump", "--match", "(a+)+b(?=c)$|(a*)*(a*)*(a*)*z"), 2, "too many steps")


@pytest.mark.parametrize("which", [["-p", "1", "--all"], ["--match", "x", "--unit", "y"],
                                   ["--cgroup", "/", "-p", "1"]])
@pytest.mark.parametrize("verb", VERBS)
def test_two_kinds_are_2(client, verb, which):
    check_error(client.run(*VERBS[verb], *which), 2, "only one of")


# --- nothing said ---


@pytest.mark.parametrize("verb", VERBS)
def test_several_pythons_and_no_pid_is_2_and_the_list(client, start, debian, verb):
    ours = [start(debian, "spin.py").pid for _ in range(2)]
    done = client.run(*VERBS[verb])
    assert done.returncode == 2 and done.stdout == ""
    first, *rows = done.stderr.splitlines()
    assert re.match(r"spprofctl: \d+ Python processes run; ", first)
    listed = {int(row.split()[0]): row for row in rows}
    assert set(ours) <= set(listed)
    assert re.fullmatch(rf"{ours[0]} {re.escape(debian.reported)} \S+", listed[ours[0]])


@pytest.fixture
def nobody(daemon):
    """A client of a user who has no Python."""
    program = shutil.copy(PROGRAM, daemon.folder)
    prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    yield Client(daemon.socket, prefix, program)
    os.unlink(program)


@pytest.fixture
def nobodys(debian):
    """The only Python of that user."""
    with open(targets.program("two_thirds.py")) as f:
        source = f.read()
    process = subprocess.Popen([debian.path, "-c", source, "theirs"], user=NOBODY, group=NOBODY,
                               extra_groups=[], stdout=subprocess.PIPE, cwd="/")
    process.stdout.readline()
    yield process.pid
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.mark.parametrize("verb", VERBS)
def test_the_only_python_needs_no_pid(nobody, nobodys, verb):
    """It is said which that is."""
    process = nobody.start(*VERBS[verb], text=False)
    done = nobody.finish(process)
    assert done.returncode == 0, done
    said = done.stderr.decode().splitlines()
    assert said and re.fullmatch(rf"the only Python process: {nobodys} \S+ \S+", said[0]), said
    assert str(nobodys).encode() in done.stdout or read_pprof(done.stdout).pids() == {nobodys}


@pytest.mark.parametrize("verb", VERBS)
def test_no_python_and_no_pid_is_3(nobody, verb):
    check_error(nobody.run(*VERBS[verb]), 3, "no Python process")


def test_match_takes_ones_own_processes_only(client, nobody, nobodys, start, debian):
    start_named(start, debian, "theirs")
    assert pids_of(nobody, "dump", "--match", "theirs$") == {nobodys}
    assert len(pids_of(client, "dump", "--match", "theirs$")) == 2


# --- pages of several ---


@pytest.mark.parametrize("verb", ["dump", "snapshot"])
def test_pages_are_set_apart_by_an_empty_line(client, start, debian, verb):
    pids = [start(debian, "parked.py").pid for _ in range(2)]
    text = client.succeed(verb, "-p", f"{pids[0]},{pids[1]}")
    assert text.startswith(f"Process {pids[0]}: ")
    assert f"\n\nProcess {pids[1]}: " in text


@pytest.mark.parametrize("verb", ["dump", "snapshot"])
def test_one_that_is_not_there_is_told_and_the_others_are_shown(client, start, debian, verb):
    pid = start(debian, "parked.py").pid
    done = client.run(verb, "--json", "-p", f"{NEVER},{pid}")
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1 and str(NEVER) in done.stderr
    assert [json.loads(line)["pid"] for line in done.stdout.split("\n")[:-1]] == [pid]


# --- record --last, and what a recording says of itself ---


def wait_for_window(client, pid, samples):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        page = json.loads(client.succeed("snapshot", "-p", pid, "--json"))
        if page["cpu"]["samples"] >= samples:
            return page
    raise AssertionError(page)


WROTE = re.compile(r"wrote (\S+) \((\d+) samples? at ([\d, ]+) Hz, (\d+) lost(?: \(\S+ %\))?, "
                   r"([\d.]+) s\)\n")


@pytest.mark.parametrize("when", ["1", "2s", "0.02m"])
@pytest.mark.parametrize("format", ["speedscope", "collapsed", "pprof"])
def test_the_past_in_every_format(client, start, debian, tmp_path, when, format):
    target = start(debian, "two_thirds.py")
    wait_for_window(client, target.pid, 50)
    out = tmp_path / "profile"
    done = client.run("record", "-p", target.pid, "--last", when, "-f", format, "-o", out)
    assert done.returncode == 0, done
    found = WROTE.fullmatch(done.stderr)
    assert found and int(found[2]) > 0 and 1 <= float(found[5]) < 4.5, done.stderr
    assert "99" in found[3].split(", ")
    data = out.read_bytes()
    if format == "speedscope":
        assert read_speedscope(data.decode())["profiles"]
    elif format == "collapsed":
        assert read_collapsed(data.decode())
    else:
        assert read_pprof(data).pids() == {target.pid}


def test_more_of_the_past_than_there_is_is_2(client, start, debian, tmp_path):
    """And nothing is written."""
    target = start(debian, "spin.py")
    done = client.run("record", "-p", target.pid, "--last", "23h", cwd=tmp_path)
    check_error(done, 2)
    assert re.search(r"\d", done.stderr) and not os.listdir(tmp_path)


def test_a_rate_is_a_floor_and_what_ran_is_said(client, start, debian, tmp_path):
    target = start(debian, "spin.py")
    done = client.run("record", "-p", target.pid, "-d", 1, "-r", 499, "-o", tmp_path / "profile")
    found = WROTE.fullmatch(done.stderr)
    assert found and "499" in found[3].split(", "), done


# --- the page ---


def test_the_snapshot_has_the_shape_of_the_interface(client, start, interpreter):
    target = start(interpreter, "two_thirds.py")
    page = wait_for_window(client, target.pid, 50)
    assert {"pid", "name", "python", "user", "uptime_s", "threads", "cpu", "memory", "lost",
            "ended", "unknown_share"} <= set(page)
    assert page["python"] == interpreter.reported and page["ended"] is False
    cpu = page["cpu"]
    assert 0 < cpu["window_s"] < 11.5 and 0 < cpu["share"] < 1.1
    shares = [row["self_share"] for row in cpu["functions"]]
    assert shares == sorted(shares, reverse=True) and 0.99 < sum(shares) < 1.01
    assert {"a", "b"} <= {row["function"] for row in cpu["functions"][:3]}
    assert page["memory"]["rss_bytes"] >= page["memory"]["rss_anon_bytes"] > 0
    assert page["threads"][0]["frames"][-1]["function"] == "<module>"


def test_the_page_as_text(client, start, debian):
    target = start(debian, "two_thirds.py")
    wait_for_window(client, target.pid, 50)
    text = client.succeed("snapshot", "-p", target.pid)
    assert re.match(rf"Process {target.pid}: \S+ \(Python {re.escape(debian.reported)}, /\S+\), "
                    r"user root, up \d+ s\n", text)
    for pattern in (r"^CPU +[\d.]+ % of a processor, in [\d.]+ s \(\d+ samples\)$",
                    r"^Memory +RSS [\d.]+ MiB: anonymous [\d.]+, files [\d.]+, shared [\d.]+; "
                    r"PSS [\d.]+, swap [\d.]+$",
                    r"^Lost ", r"^Unknown +[\d.]+ %", r"^ +[\d.]+ % +[\d.]+ %  a \(.*two_thirds.py\)$",
                    r"^ +[\d.]+ %  /.*two_thirds.py:1[78]$", rf'^Thread {target.pid} \(running\): "',
                    r"^    main \(.*two_thirds.py:\d+\)$"):
        assert re.search(pattern, text, re.M), (pattern, text)


def test_a_snapshot_may_look_first(client, start, debian):
    target = start(debian, "two_thirds.py")
    before = time.monotonic()
    page = json.loads(client.succeed("snapshot", "-p", target.pid, "-d", 1, "--json"))
    assert time.monotonic() - before > 0.9
    assert 0.9 < page["cpu"]["window_s"] < 2


@pytest.mark.parametrize("extra", [[], ["-d", "0.5"]], ids=["past", "looks"])
def test_a_snapshot_may_be_a_profile(client, start, debian, tmp_path, extra):
    target = start(debian, "two_thirds.py")
    wait_for_window(client, target.pid, 50)
    text = client.succeed("snapshot", "-p", target.pid, "-f", "collapsed", "-o", "-", *extra)
    assert any(stack[-1].startswith("a (") for stack, _ in read_collapsed(text))
    done = client.run("snapshot", "-p", target.pid, *extra, "-o", tmp_path / "file")
    assert done.returncode == 0 and done.stdout == "" and WROTE.fullmatch(done.stderr)
    assert read_speedscope((tmp_path / "file").read_text())["profiles"]
