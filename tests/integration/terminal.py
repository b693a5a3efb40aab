# SPDX-License-Identifier: Apache-2.0
"""A small terminal (TERM=xterm) for a program that draws: its screen can be read, keys pressed.

It knows the control sequences that ncurses uses for an xterm, and no other: whatever else
reaches it fails the test.
"""
import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
import unicodedata

PATIENCE_S = 60
SEQUENCE = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z@`])|\x1b[()][0-9A-Z]|\x1b[=>78M]")
BEGUN = re.compile(r"\x1b(\[\??[0-9;]*|[()])?$")


def columns(character):
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    """What has been drawn. A character of two columns is followed by an empty cell."""

    def __init__(self, lines, width):
        self.resize(lines, width)
        self.is_alternate = self.is_cursor_hidden = self.has_keypad = False
        self.unread = self.last = ""

    def resize(self, lines, width):
        self.lines, self.width = lines, width
        self.cells = [[" "] * width for _ in range(lines)]
        self.region = 0, lines
        self.y = self.x = 0

    def text(self):
        return ["".join(cells).rstrip() for cells in self.cells]

    def feed(self, text):
        text = self.unread + text
        at = 0
        while at < len(text):
            found = SEQUENCE.match(text, at)
            if found:
                self.control(*found.groups(), whole=found[0])
                at = found.end()
                continue
            if BEGUN.match(text, at):
                break
            self.put(text[at])
            at += 1
        self.unread = text[at:]

    def put(self, character):
        if character == "\r":
            self.x = 0
        elif character == "\n":
            if self.y == self.region[1] - 1:
                self.move_lines(self.region[0], -1)
            else:
                self.y = min(self.y + 1, self.lines - 1)
        elif character == "\b":
            self.x = max(0, self.x - 1)
        else:
            assert character.isprintable() or columns(character) == 0, ascii(character)
            self.show(character)

    def show(self, character):
        width = columns(character)
        if not width:
            self.cells[self.y][max(0, self.x - 1)] += character
            return
        assert self.x + width <= self.width or not self.is_alternate, \
            f"{character!r} is beyond the line's end"
        self.last = character
        for i, cell in enumerate([character, ""][:width]):
            if self.x + i < self.width:
                self.cells[self.y][self.x + i] = cell
        self.x += width

    def control(self, private, numbers, letter, whole):
        if letter is None:
            self.has_keypad = {"\x1b=": True, "\x1b>": False}.get(whole, self.has_keypad)
            return
        values = [int(number or 0) for number in numbers.split(";")]
        first = max(1, values[0])
        if private:
            for value in values:
                self.mode(value, letter == "h")
        elif letter == "H":
            self.y, self.x = first - 1, max(1, (values + [1])[1]) - 1
        elif letter == "d":
            self.y = first - 1
        elif letter in "G`":
            self.x = first - 1
        elif letter in "ABCD":
            self.y += {"A": -first, "B": first}.get(letter, 0)
            self.x += {"C": first, "D": -first}.get(letter, 0)
        elif letter == "K":
            self.erase(self.y, 0 if values[0] else self.x, self.x + 1 if values[0] == 1 else None)
        elif letter == "J":
            self.erase_below(values[0])
        elif letter == "X":
            self.erase(self.y, self.x, self.x + first)
        elif letter == "b":
            for _ in range(first):
                self.show(self.last)
        elif letter == "P":
            row = self.cells[self.y]
            row[self.x:] = (row[self.x + first:] + [" "] * first)[:self.width - self.x]
        elif letter == "@":
            row = self.cells[self.y]
            row[self.x:] = ([" "] * first + row[self.x:])[:self.width - self.x]
        elif letter in "LM":
            self.move_lines(self.y, first if letter == "L" else -first)
        elif letter in "ST":
            self.move_lines(self.region[0], first if letter == "T" else -first)
        elif letter == "r":
            self.region = first - 1, (values + [0])[1] or self.lines
            self.y = self.x = 0
        else:
            assert letter in "mtl", f"an unknown control sequence: {whole!r}"

    def mode(self, number, is_on):
        if number == 1049:
            self.is_alternate = is_on
        elif number == 25:
            self.is_cursor_hidden = not is_on

    def erase(self, y, start, end):
        row = self.cells[y]
        end = self.width if end is None else min(end, self.width)
        row[start:end] = [" "] * (end - start)

    def erase_below(self, how):
        if how == 2:
            self.cells = [[" "] * self.width for _ in range(self.lines)]
            return
        self.erase(self.y, self.x, None)
        for y in range(self.y + 1, self.lines):
            self.erase(y, 0, None)

    def move_lines(self, top, count):
        """Those from @top to the region's end: down, or up if @count is negative."""
        end = self.region[1]
        empty = [[" "] * self.width for _ in range(abs(count))]
        below = self.cells[top:end]
        below = empty + below if count > 0 else below[-count:] + empty
        self.cells[top:end] = below[:end - top]


class Terminal:
    """@argv with a terminal of its own, that it controls."""

    def __init__(self, argv, env, lines=24, width=80):
        self.screen = Screen(lines, width)
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.ours, self.theirs = pty.openpty()
        self.set_size(lines, width)
        self.modes_before = termios.tcgetattr(self.theirs)
        self.process = subprocess.Popen(
            argv, stdin=self.theirs, stdout=self.theirs, stderr=subprocess.PIPE, text=True,
            env={**env, "TERM": "xterm", "LC_ALL": "C.UTF-8"}, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def set_size(self, lines, width):
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, width, 0, 0))

    def resize(self, lines, width):
        """The kernel sends SIGWINCH to the program."""
        self.screen.resize(lines, width)
        self.set_size(lines, width)

    def press(self, keys):
        os.write(self.ours, keys.encode())

    def read(self, timeout_s):
        """Draws what comes; False: nothing did."""
        if not select.select([self.ours], [], [], timeout_s)[0]:
            return False
        self.screen.feed(self.decoder.decode(os.read(self.ours, 65536)))
        return True

    def wait_for(self, wanted):
        """Until wanted(TEXT LINES) holds; the lines."""
        end = time.monotonic() + PATIENCE_S
        while not wanted(self.screen.text()):
            assert time.monotonic() < end, "\n".join(self.screen.text())
            assert self.read(0.2) or self.process.poll() is None, self.process.stderr.read()
        return self.screen.text()

    def finish(self):
        """Its exit status and what it said on standard error, when it has ended by itself."""
        end = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            assert time.monotonic() < end, "it does not end"
            self.read(0.1)
        while self.read(0):
            pass
        return self.process.returncode, self.process.stderr.read()

    def check_restored(self):
        assert termios.tcgetattr(self.theirs) == self.modes_before
        screen = self.screen
        assert not (screen.is_alternate or screen.is_cursor_hidden or screen.has_keypad)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()
        os.close(self.ours)
        os.close(self.theirs)
