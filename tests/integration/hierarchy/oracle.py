# SPDX-License-Identifier: Apache-2.0
"""The truth about a hierarchy, from the text of `perf script` and the definitions alone: the
caller of C is the nearest target above the outermost C. Shares nothing with what it judges.
"""
import collections
import re

Sample = collections.namedtuple("Sample", "symbols weight event")  # symbols root first

HEADER = re.compile(r"^(.*)\s(-?\d+/)?(-?\d+)\s+(\[\d+\]\s+)?\d+\.\d+:\s+((?P<period>\d+)\s+)?"
                    r"(?P<event>\S+):\s*(?P<rest>.*)$")
FRAME = re.compile(r"^\s*([0-9a-f]+) (?:(.*?)(?:\+0x[0-9a-f]+)? \(inlined\)"
                   r"|(.*)\+0x[0-9a-f]+ \(.*\)|(\[unknown\]) \(.*\))$")
UNKNOWN = "[unknown]"


def frame(line, has_addresses):
    """The symbol of a frame; one that is not known is its address where a report prints that."""
    found = FRAME.match(line)
    assert found, line
    address, *names = found.groups()
    name = next(name for name in names if name is not None)
    if name == UNKNOWN and has_addresses:
        return hex(int(address, 16)) if int(address, 16) else "0"
    return name


def read_script(text, has_addresses=False):
    """Samples of a `perf script`, blocks of lines or a line each."""
    for block in re.split(r"\n[ \t]*(?:\n|$)", text):
        lines = [line for line in block.split("\n") if line.strip() and not line.startswith("#")]
        while lines:
            header = HEADER.match(lines.pop(0))
            frames = []
            while lines and lines[0].startswith("\t"):
                frames.append(lines.pop(0))
            if not frames and header["rest"]:
                frames = [header["rest"]]
            yield Sample(tuple(frame(line, has_addresses) for line in reversed(frames)),
                         int(header["period"] or 1), header["event"])


def of_event(samples, event):
    return [sample for sample in samples if sample.event == event]


def counted(samples):
    """Each of them weighs 1, as in a report of counts."""
    return [sample._replace(weight=1) for sample in samples]


class Truth:
    """Weights by symbol, by pair and by path of symbols."""

    def __init__(self, samples, is_target=lambda symbol: True):
        self.total = 0
        self.children, self.own, self.adjusted, self.relations, self.tree = (
            collections.Counter() for _ in range(5))
        self.targets = {}
        stacks = collections.Counter()
        for sample in samples:
            stacks[sample.symbols] += sample.weight
            self.total += sample.weight
        for symbols, weight in stacks.items():
            self.add(symbols, weight, is_target)

    def is_target(self, symbol, says):
        if symbol not in self.targets:
            self.targets[symbol] = says(symbol)
        return self.targets[symbol]

    def add(self, symbols, weight, says):
        paths = {}
        nearest = None
        for symbol in symbols:
            if not self.is_target(symbol, says):
                continue
            if symbol not in paths:
                paths[symbol] = (*paths[nearest], symbol) if nearest else (symbol,)
                self.children[symbol] += weight
                self.tree[paths[symbol]] += weight
                if nearest:
                    self.relations[nearest, symbol] += weight
                else:
                    self.adjusted[symbol] += weight
            nearest = symbol
        if symbols and self.is_target(symbols[-1], says):
            self.own[symbols[-1]] += weight

    def shares(self):
        """The same in percent of the total, as the answers have them."""
        return Shares(*({key: 100 * weight / self.total for key, weight in table.items()}
                        for table in (self.children, self.own, self.adjusted, self.relations,
                                      self.tree)))


Shares = collections.namedtuple("Shares", "children own adjusted relations tree")


def paths(nodes, above=()):
    for node in nodes:
        path = (*above, node["symbol"])
        yield path, node
        yield from paths(node["callees"], path)


def shares_of(answer):
    """Of the JSON that spprofctl printed."""
    entries = answer["entries"]
    return Shares({e["symbol"]: e["original_children_pct"] for e in entries},
                  {e["symbol"]: e["original_self_pct"] for e in entries},
                  {e["symbol"]: e["adjusted_children_pct"] for e in entries},
                  {(c["caller"], c["callee"]): c["absolute_pct"] for e in entries
                   for c in e["callees"]},
                  {path: node["absolute_pct"] for path, node in paths(answer["tree"])})


def differences(told, truth, tolerance):
    """Each figure that is farther from the truth than @tolerance; what one lacks is 0 there."""
    return [(name, key, mine.get(key, 0), true.get(key, 0))
            for name, mine, true in zip(Shares._fields, told, truth)
            for key in sorted(set(mine) | set(true), key=str)
            if abs(mine.get(key, 0) - true.get(key, 0)) > tolerance]
