# SPDX-License-Identifier: Apache-2.0
"""spprofctl top: blocks of text in a pipe, a table on a terminal that is left as it was."""
import collections
import os
import re
import select
import signal
import time

import pytest

from client import PATIENCE_S, check_error
from measured import four_deviations
from terminal import Terminal

NEVER = 4194304  # PID_MAX_LIMIT: ids are below
HEAD = "    %Own   %Total  OwnTime TotalTime  Function (file)"
LAST_LINE = "? help   q quit"
WINDOW_S = 10
ENOUGH = 50
ROW = re.compile(r" *([\d.]+)% +([\d.]+)% +([\d.]+)s +([\d.]+)s  (.*)")
FACTS = re.compile(r"(\d+) samples? \(([\d.]+) a second(?:, at ([\d, ]+) Hz)?\), ([\d.]+) % lost, "
                   r"(\d+) threads?, ([\d.]+) % of a processor")

Row = collections.namedtuple("Row", "own total own_s total_s text")
Block = collections.namedtuple("Block", "title samples rows")


def row_of(line):
    found = ROW.fullmatch(line)
    assert found, line
    return Row(*map(float, found.groups()[:4]), found[5])


def block_of(text):
    lines = text.split("\n")
    facts = FACTS.fullmatch(lines[1])
    assert facts and lines[2] == HEAD, text
    rows = [row_of(line) for line in lines[3:] if line and not line.startswith("... and ")]
    return Block(lines[0], int(facts[1]), rows)


def blocks_of(text):
    return [block_of(part) for part in text.rstrip("\n").split("\n\n")]


def wait_for_samples(client, pid, least):
    """A block that speaks of as many, or of all that its window has on a busy machine."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        block, = blocks_of(client.succeed("top", "-p", pid, "--count", 1))
        seconds = float(re.search(r"last ([\d.]+) s", block.title)[1])
        if block.samples >= (least if seconds < WINDOW_S else ENOUGH):
            return block
    raise AssertionError(block)


def start_top(client, *args):
    """A top that has printed something, which is not read yet."""
    process = client.start("top", *args)
    assert select.select([process.stdout], [], [], PATIENCE_S)[0]
    return process


# --- plain text ---


def test_the_top_function_has_its_share(client, start, interpreter, theft):
    """Within 4 standard deviations, and 2 % for what the interpreter did at its start."""
    target = start(interpreter, "two_thirds.py")
    block = wait_for_samples(client, target.pid, 200)
    assert re.fullmatch(rf"{target.pid} \S+ \(Python {re.escape(interpreter.reported)}\), "
                        r"last [\d.]+ s", block.title)
    a, = [row for row in block.rows if re.match(r"a \(.*/two_thirds\.py\)$", row.text)]
    total_ns = 1e9 * sum(row.own_s for row in block.rows)
    off = 0.02 + four_deviations(2 / 3, block.samples)
    theft.check_share(a.own / 100 * total_ns, total_ns, 2 / 3, off)
    if off + theft.ns() / total_ns < 1 / 6:  # else b() may have more
        assert block.rows[0] is a
    module, = [row for row in block.rows if re.match(r"<module> \(.*/two_thirds\.py", row.text)]
    assert module.total > 80 and module.own < 5, "the rest is its start"
    assert module.total_s == pytest.approx(module.total / 100 * sum(r.own_s for r in block.rows),
                                           rel=0.05)


def test_rows_are_sorted_by_the_column_asked_for(client, start, debian):
    target = start(debian, "two_thirds.py")
    wait_for_samples(client, target.pid, 20)
    for order, column in [("own", "own"), ("own-time", "own"), ("total", "total"),
                          ("total-time", "total")]:
        block, = blocks_of(client.succeed("top", "-p", target.pid, "--count", 1, "--sort", order))
        values = [getattr(row, column) for row in block.rows]
        assert values == sorted(values, reverse=True)


def test_a_block_each_time_and_no_more_than_asked_for(client, start, debian):
    target = start(debian, "spin.py")
    before = time.monotonic()
    text = client.succeed("top", "-p", target.pid, "--count", 3, "--delay", 0.3)
    assert time.monotonic() - before > 0.6
    assert len(blocks_of(text)) == 3


def test_all_is_everybody(client, start, debian):
    start(debian, "spin.py")
    block, = blocks_of(client.succeed("top", "--all", "--count", 1))
    assert block.title.startswith("all Python processes, last ")


def test_several_processes_are_one_table(client, start, debian):
    ours = [start(debian, name) for name in ("two_thirds.py", "spin.py")]
    for target in ours:
        wait_for_samples(client, target.pid, 20)
    block, = blocks_of(client.succeed("top", "-p", f"{ours[0].pid},{ours[1].pid}", "--count", 1))
    assert block.title.startswith("2 processes, last ")
    text = "\n".join(row.text for row in block.rows)
    assert "two_thirds.py" in text and "spin.py" in text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_well(client, start, debian, number):
    target = start(debian, "spin.py")
    process = start_top(client, "-p", target.pid)
    process.send_signal(number)
    done = client.finish(process)
    assert (done.returncode, done.stderr) == (0, "")
    assert blocks_of(done.stdout)


def test_it_ends_well_when_nobody_reads_any_more(client, start, debian):
    target = start(debian, "spin.py")
    process = start_top(client, "-p", target.pid, "--delay", 0.1)
    process.stdout.close()
    assert process.wait(PATIENCE_S) == 0
    assert process.stderr.read() == ""
    process.stderr.close()


def test_the_end_of_the_process_ends_it(client, start, debian):
    target = start(debian, "spin.py")
    process = start_top(client, "-p", target.pid, "--delay", 0.1)
    target.stop()
    done = client.finish(process)
    assert done.returncode == 0
    assert re.fullmatch(rf"{target.pid} .*has ended\n", done.stderr)
    assert blocks_of(done.stdout)


def test_a_process_that_never_was_is_3(client):
    check_error(client.run("top", "-p", NEVER), 3, NEVER)


def test_hostile_names_are_harmless_in_a_pipe(client, start, debian):
    target = start(debian, "odd_names.py")
    wait_for_samples(client, target.pid, 50)
    text = client.succeed("top", "-p", target.pid, "--count", 1)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert blocks_of(text)


# --- a terminal ---


@pytest.fixture
def live(client):
    """Starts top on a terminal."""
    opened = []

    def start_one(*args, **options):
        argv = [*client.argv, "top", *map(str, args)]
        opened.append(Terminal(argv, client.environment, **options))
        return opened[-1]

    yield start_one
    for terminal in opened:
        terminal.close()


def rows_on(lines):
    """Of a screen that shows a table; else []."""
    found = map(ROW.match, lines[4:-1])
    return [Row(*map(float, one.groups()[:4]), one[5]) for one in found if one]


def begins_with(name, what):
    """A screen whose first row is of function @name, and whose title ends in @what."""
    def holds(lines):
        rows = rows_on(lines) if lines[-1] == LAST_LINE else []
        return rows and rows[0].text.startswith(f"{name} (") and lines[0].endswith(what)
    return holds


def test_keys_sort_toggle_explain_and_quit(live, client, start, debian):
    target = start(debian, "two_thirds.py")
    wait_for_samples(client, target.pid, 100)
    terminal = live("-p", target.pid, width=120)
    lines = terminal.wait_for(begins_with("a", "by function"))
    assert lines[0].startswith(f"{target.pid} ") and FACTS.fullmatch(lines[1])
    assert lines[3] == HEAD and lines[-1] == LAST_LINE
    assert terminal.screen.is_alternate and terminal.screen.is_cursor_hidden
    terminal.press("2")
    terminal.wait_for(begins_with("<module>", "by function"))
    terminal.press("l1")
    lines = terminal.wait_for(begins_with("a", "by line"))
    assert re.search(r"two_thirds\.py:1[78]\)$", lines[4])
    terminal.press("?")
    terminal.wait_for(lambda lines: any(line.startswith("q  quit") for line in lines))
    terminal.press("x")
    terminal.wait_for(begins_with("a", "by line"))
    terminal.press("q")
    assert terminal.finish() == (0, "")
    terminal.check_restored()


def test_reset_leaves_out_what_was_before(live, client, start, debian):
    target = start(debian, "two_thirds.py")
    wait_for_samples(client, target.pid, 300)
    terminal = live("-p", target.pid, width=120)
    terminal.wait_for(begins_with("a", "by function"))
    terminal.press("r")
    terminal.wait_for(lambda lines: float(re.search(r"last ([\d.]+) s", lines[0])[1]) < 2.5)


def test_a_new_size_is_drawn_at_once(live, client, start, debian):
    target = start(debian, "two_thirds.py")
    wait_for_samples(client, target.pid, 100)
    terminal = live("-p", target.pid, "--delay", 3600, lines=24, width=120)
    terminal.wait_for(begins_with("a", "by function"))
    terminal.resize(10, 60)
    lines = terminal.wait_for(lambda lines: lines[-1] == LAST_LINE and rows_on(lines))
    assert len(lines) == 10 and all(len(line) <= 60 for line in lines)
    assert "\u2026" in lines[1], "the facts are cut in their middle"
    assert lines[4].endswith("_thirds.py)"), "a row keeps its end"
    terminal.press("q")
    assert terminal.finish() == (0, "")
    terminal.check_restored()


@pytest.mark.parametrize("width", [79, 80, 200])
def test_wide_and_hostile_names_stay_in_their_line(live, client, start, debian, width):
    """The terminal refuses what goes beyond the line, and every control sequence of a name."""
    target = start(debian, "odd_names.py")
    wait_for_samples(client, target.pid, 200)
    wanted = ["escape \\x1b[31mred\\x", "\u6f22\u5b57", "\U0001f40d snake"]

    def is_complete(lines):
        text = "\n".join(lines)
        return (len(rows_on(lines)) >= 25 and lines[-1] == LAST_LINE and
                all(name in text for name in wanted) and
                ("\U0001f40d\u2026\U0001f40d" in text or "\U0001f40d\U0001f40d" in text))

    terminal = live("-p", target.pid, lines=60, width=width)
    lines = terminal.wait_for(is_complete)
    for row in rows_on(lines):
        for name in ("plain", "two words", "semi;colon", "caf\u00e9", "\u6f22\u5b57"):
            if row.text.startswith(f"{name} ("):
                assert row.text == f"{name} (/srv/{name}.py)", "nothing else is in its line"
    terminal.press("q")
    assert terminal.finish() == (0, "")
    terminal.check_restored()


@pytest.mark.parametrize("end", ["\x03", "\x1c", signal.SIGTERM, signal.SIGHUP, "Q"])
def test_every_end_restores_the_terminal(live, start, debian, end):
    target = start(debian, "spin.py")
    terminal = live("-p", target.pid)
    terminal.wait_for(lambda lines: lines[-1] == LAST_LINE)
    if isinstance(end, str):
        terminal.press(end)
    else:
        terminal.process.send_signal(end)
    assert terminal.finish() == (0, "")
    terminal.check_restored()


def test_the_targets_end_restores_the_terminal(live, start, debian):
    target = start(debian, "spin.py")
    terminal = live("-p", target.pid, "--delay", 0.1)
    terminal.wait_for(lambda lines: lines[-1] == LAST_LINE)
    target.stop()
    code, said = terminal.finish()
    assert code == 0 and re.fullmatch(rf"{target.pid} .*has ended\n", said)
    terminal.check_restored()


def test_the_daemons_end_restores_the_terminal(new_daemon, live, client, start, debian):
    target = start(debian, "spin.py")
    ending = new_daemon()
    terminal = live("-p", target.pid, "--delay", 0.1, "-S", ending.socket)
    terminal.wait_for(lambda lines: lines[-1] == LAST_LINE)
    ending.kill()
    code, said = terminal.finish()
    assert said.startswith("spprofctl: ") and said.count("\n") == 1
    assert code == 5 or code == 1 and "went away before it had answered" in said
    terminal.check_restored()
    os.unlink(ending.socket)
    ending.launch()


def test_a_terminal_that_cannot_be_drawn_on_is_1(client, start, debian):
    target = start(debian, "spin.py")
    terminal = Terminal(["env", "TERM=nothing", *client.argv, "top", "-p", str(target.pid)],
                        client.environment)
    try:
        code, said = terminal.finish()
        assert code == 1 and "nothing" in said and said.count("\n") == 1
        terminal.check_restored()
    finally:
        terminal.close()
