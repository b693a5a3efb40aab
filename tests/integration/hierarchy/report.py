# SPDX-License-Identifier: Apache-2.0
"""How much of a perf report's total is in whole chains that it still shows. A plain reader of
its text, by the columns that perf prints in; shares nothing with what it judges.
"""
import re

FIRST, WITH_DASHES, SLOT = 12, 15, 11  # columns
NODE = re.compile(r"--(\d+\.\d\d%|\d+)-- ?")
INLINED = " (inlined)"


def share_of(text, total):
    return float(text[:-1]) if text.endswith("%") else 100 * int(text) / total


class Node:
    def __init__(self, name, value, parent):
        self.is_inlined = name.endswith(INLINED)
        self.name = name[:-len(INLINED)] if self.is_inlined else name
        self.value, self.parent, self.below = value, parent, 0
        if parent:
            parent.below += value

    def is_end_of(self, symbol):
        """Whether a chain that ends here ends in @symbol, or in one inlined into it."""
        node = self
        while node.name != symbol and node.is_inlined and node.parent:
            node = node.parent
        return node.name == symbol

    def root(self):
        return self.parent.root() if self.parent else self


class Entry:
    def __init__(self, cells):
        self.cells = cells
        self.nodes = []
        self.tails = {}  # by depth
        self.base = FIRST
        symbol = re.sub(r"^\[.\] ", "", cells["Symbol"])
        self.symbol = symbol[:-len(INLINED)] if symbol.endswith(INLINED) else symbol

    def number(self, *titles):
        for title in titles:
            if title in self.cells:
                return float(self.cells[title].rstrip("%"))
        return None

    def add(self, depth, name, value, is_next=False):
        parent = self.tails.get(depth if is_next else depth - 1)
        self.tails = {d: node for d, node in self.tails.items() if d < depth}
        self.tails[depth] = Node(name, value, parent)
        self.nodes.append(self.tails[depth])

    def whole(self, column, total):
        """What a header chain weighs, which prints no number; of a leaf's, at least."""
        if self.number(column):
            return 100 * self.number(column) / total
        return self.number("Children", "Overhead")

    def read_line(self, line, column, total):
        """A line of its graph."""
        if not line.strip(" |"):
            return
        if not self.nodes and line[FIRST:FIRST + 3] == "---":
            self.base = WITH_DASHES
            self.add(0, line[WITH_DASHES:], self.whole(column, total))
            return
        at, depth = self.base, 1
        while True:
            node = NODE.match(line, at + 1) if line[at:at + 1] in ("|", " ") else None
            if node:
                self.add(depth, line[node.end():], share_of(node[1], total))
                return
            if not re.match(r"[| ] {10}", line[at:at + SLOT]):
                break
            at, depth = at + SLOT, depth + 1
        if line[at:].strip():
            tail = self.tails[depth - 1]
            self.add(depth - 1, line[at:], tail.value, is_next=True)


class Report:
    """Of the event called @event, or of the first. @column, @total: of what its graphs print, if
    that is no percentage."""

    def __init__(self, text, event=None, column=None, total=None):
        self.column, self.total = column, total
        self.entries = []
        titles = ruler = is_wanted = None
        before = ""
        for line in text.split("\n"):
            started = re.match(r"# Samples: (\S+?)([KM]?)\s+of event '(.*)'", line)
            if started:
                event = event or started[3]
                is_wanted = started[3] == event
                ruler = None
            elif line.startswith("# ...") and is_wanted:
                ruler = [found.span() for found in re.finditer(r"\.+", line)]
                titles = self.cut(before, ruler)
            elif ruler and line.strip() and not line.startswith("#"):
                self.read_line(line, titles, ruler)
            before = line

    @staticmethod
    def cut(line, ruler):
        ends = [end for _, end in ruler[:-1]] + [None]
        return [line[start:end].strip() for (start, _), end in zip(ruler, ends)]

    def read_line(self, line, titles, ruler):
        if re.match(r" {12}", line):
            self.entries[-1].read_line(line, self.column, self.total)
        else:
            self.entries.append(Entry(dict(zip(titles, self.cut(line, ruler)))))

    def shown_pct(self):
        """In percent of the total; of reports that go from the caller."""
        return sum(map(self.shown, self.entries))

    def shown(self, entry):
        """Chains from the stacks' roots. One from the entry's own call is whole only if every
        sample of it ended there: else it was cut just there.
        """
        is_leaf = entry.number("Children", "Overhead") == entry.number("Self", "Overhead")
        return sum(max(0, node.value - node.below) for node in entry.nodes
                   if node.is_end_of(entry.symbol)
                   and (is_leaf or node.root().name != entry.symbol))
