# SPDX-License-Identifier: Apache-2.0
"""Names are right, whatever characters they hold, in every format."""
import json

import pytest

from client import Client
from profiles import read_collapsed, read_pprof, read_speedscope, unescape

MOST_CHARACTERS = 1024
FORMATS = ("collapsed", "speedscope", "pprof")


def repaired(name):
    """As it must come out: UTF-8 has no lone surrogates."""
    return "".join("\ufffd" if 0xd800 <= ord(c) < 0xe000 else c for c in name)


def is_named(name, seen):
    """Whether one of @seen is @name: a long one is cut and marked."""
    if len(name) <= 200:
        return repaired(name) in seen
    return any(one.endswith("\u2026") and len(one) <= MOST_CHARACTERS and len(one) > 200 and
               name.startswith(one[:-1]) for one in seen)


def missing(names, seen):
    return [name[:30] for name in names if not is_named(name, seen)]


@pytest.fixture
def recorded(client, start, interpreter, tmp_path):
    """The target, and its profile in each format, recorded side by side."""
    target = start(interpreter, "odd_names.py")
    running = [client.start("record", "-p", target.pid, "-d", 1.2, "-r", 999, "-f", name,
                            "-o", tmp_path / name) for name in FORMATS]
    for process in running:
        done = client.finish(process)
        assert done.returncode == 0, done
    return target, tmp_path


def test_odd_names_in_every_format(recorded):
    """C-04, C-07, C-16, C-17, C-19: Latin-1, two and four bytes a character, 5,000 characters,
    blanks, semicolons, newlines, escapes, quotes, a lone surrogate."""
    target, folder = recorded
    names = target.ready["names"]
    check_collapsed(names, target.ready["line"], (folder / "collapsed").read_bytes().decode())
    check_speedscope(names, (folder / "speedscope").read_bytes().decode())
    check_pprof(names, (folder / "pprof").read_bytes())


def check_collapsed(names, first_line, text):
    """Each line stays a stack of three, whatever is in its names."""
    rows = [stack for stack, _ in read_collapsed(text)]
    leaves = set()
    for stack in rows:
        assert stack[0].startswith("<module> (")
        assert len(stack) <= 3, stack
        if len(stack) == 3:
            leaves.add(unescape(stack[2]))
    assert "\\x3b" in text and "\\x0a" in text and "\ufffd" in text
    seen = set()
    for leaf in leaves:
        name = leaf[:leaf.index(" (/srv/")]
        file = leaf[len(name) + 2:]
        assert file.startswith(f"/srv/{name[:200]}"), leaf
        assert file.endswith(f":{first_line})"), leaf
        seen.add(name)
    assert not missing(names, seen)


def check_speedscope(names, text):
    file = read_speedscope(text)
    seen = {frame["name"] for frame in file["shared"]["frames"]}
    assert not missing(names, seen)
    for frame in file["shared"]["frames"]:
        if frame["file"].startswith("/srv/"):
            assert frame["file"].startswith("/srv/" + frame["name"][:200])
    assert file == json.loads(json.dumps(file)), "no lone surrogate is left"


def check_pprof(names, data):
    profile = read_pprof(data)
    assert not missing(names, profile.functions())
    assert all(len(sample.frames) <= 3 for sample in profile.samples)


def test_odd_names_in_a_dump(daemon, client, start, interpreter):
    """A dump's JSON holds them as they are; its text keeps a frame on its line and the
    terminal unharmed."""
    target = start(interpreter, "odd_names.py")
    shown = {repaired(name)[:200] for name in target.ready["names"]} | {"main", "<module>"}
    for _ in range(20):
        for thread in daemon.stacks(target.pid)["threads"]:
            assert {frame["function"][:200] for frame in thread["frames"]} <= shown
    text = client.succeed("dump", "-p", target.pid)
    assert not any(ord(c) < 0x20 and c != "\n" or 0x7f <= ord(c) < 0xa0 for c in text)


COMMS = [b"", b"two words;\n", b") R 1 (x", b"\xff" * 15, b"\x1b[31m", "\U0001f40d\u00e9".encode()]


def test_a_process_may_call_itself_anything(new_daemon, start, debian):
    """C-02: what a target says of itself is not trusted: 15 bytes of any kind, or none."""
    pids = {start(debian, "odd_comm.py", comm.hex()).pid: comm.decode(errors="replace")
            for comm in COMMS}
    daemon = new_daemon()
    client = Client(daemon.socket)
    rows = {row["pid"]: row["name"] for row in json.loads(client.succeed("list", "--json"))}
    for pid, name in pids.items():
        thread, = daemon.stacks(pid)["threads"]
        assert thread["name"] == name
        assert rows[pid] == name
    table = client.succeed("list")
    assert "\x1b" not in table and len(table.splitlines()) >= len(pids) + 1
    out = client.succeed("record", "--all", "-d", 1, "-r", 999, "-f", "collapsed", "-t", "-o", "-")
    stacks = [stack for stack, _ in read_collapsed(out)]
    for pid in pids:
        assert {len(stack) for stack in stacks if f"{pid}/{pid}" in stack[0]} == {3}
