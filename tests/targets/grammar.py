# SPDX-License-Identifier: Apache-2.0
"""Calls, returns and throws as fast as it can, in a tree where a function has one caller.

f_3_1 is called by f_3 and by nobody else, so a stack in which another function stands
below f_3_1 was never there. Some functions call through C; an exception flies until a
function that catches. The tree is made from a seed, which may be given. Ready, it says which function
each line of it calls.
"""
import json
import random
import re
import signal
import sys

LIMIT_S = 300
DEPTH = 20
WIDTH = 48  # functions of one depth, at most


class Thrown(Exception):
    pass


def children_of(names, rng):
    """Each of a few has two, so that stacks differ at every depth; the others are leaves."""
    parents = rng.sample(names, min(len(names), WIDTH // 2))
    return {name: [f"{name}_{i}" for i in range(2)] for name in parents}


def body_of(name, children, rng):
    if not children:
        return ["    raise Thrown" if rng.random() < 0.3 else "    return 1"]
    calls = [f"{child}()" if rng.random() < 0.9 else f"list(map({child}, ONE))"
             for child in children]
    if rng.random() < 0.6:
        return [f"    {call}" for call in calls]
    return [line for call in calls
            for line in ("    try:", f"        {call}", "    except Thrown:", "        pass")]


def source(rng):
    names, lines = ["f"], []
    for depth in range(DEPTH):
        children = children_of(names, rng) if depth < DEPTH - 1 else {}
        for name in names:
            lines += [f"def {name}(_=None):"] + body_of(name, children.get(name), rng)
        names = [child for pair in children.values() for child in pair]
    return "\n".join(lines)


def calls_of(text):
    """Which function each line calls, by its number."""
    found = ((number, re.search(r"^ +(f\w*)\(\)|map\((f\w*),", line))
             for number, line in enumerate(text.split("\n"), 1))
    return {number: call[1] or call[2] for number, call in found if call}


def run(functions):
    f = functions["f"]
    while True:
        try:
            f()
        except Thrown:
            pass


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
    functions = {"Thrown": Thrown, "ONE": (None,)}
    text = source(rng)
    exec(compile(text, "grammar", "exec"), functions)
    print(json.dumps(calls_of(text)), flush=True)
    run(functions)


signal.alarm(LIMIT_S)
main()
