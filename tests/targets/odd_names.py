# SPDX-License-Identifier: Apache-2.0
"""Runs functions whose names, files and modules' lines are as odd as Python takes them.

Prints the names; each function then takes its turn of a millisecond, for ever.
"""
import json
import signal
from time import thread_time_ns

TURN_NS = 1000000
LIMIT_S = 300
NAMES = [
    "plain",
    "Class.method.<locals>.<lambda>",
    "caf\u00e9",  # one byte a character, not ASCII
    "\u0444\u0443\u043d\u043a\u0446\u0438\u044f",  # two bytes
    "\u6f22\u5b57",
    "\U0001f40d snake",  # four bytes
    "mixed \u00e9\u0444\U0001f40d",
    "long_" + "x" * 4995,
    "l\u00e5ng_" + "\u00e9" * 4995,
    "\u0434\u043b" + "\u0444" * 4998,
    "\U0001f40d" * 5000,
    "two words",
    "ends in a number 12",
    " leading and trailing ",
    "semi;colon",
    "new\nline",
    "tab\tand\rreturn",
    "escape \x1b[31mred\x1b[0m",
    "bell\x07del\x7fc1\x85",
    "separators\u2028\u2029",
    "quo\"te's",
    "back\\slash \\x3b \\n",
    "percent %s {} $HOME",
    "lone \ud800 surrogate",
    "right \u202eto left",
]


def template(end):
    while thread_time_ns() < end:
        pass


def function_of(name):
    names = {field: name for field in ("co_name", "co_qualname") if hasattr(template.__code__, field)}
    code = template.__code__.replace(**names, co_filename=f"/srv/{name}.py")
    return type(template)(code, globals())


def main():
    functions = [function_of(name) for name in NAMES]
    print(json.dumps({"names": NAMES, "line": template.__code__.co_firstlineno}), flush=True)
    while True:
        for function in functions:
            function(thread_time_ns() + TURN_NS)


signal.alarm(LIMIT_S)
main()
