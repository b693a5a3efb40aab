# SPDX-License-Identifier: Apache-2.0
"""Reads and writes JSON and searches texts by regular expressions until it is killed.

The JSON library's own Python runs too, as an indented dump does not use its C code.
"""
import json
import re
import signal

LIMIT_S = 300
WORD = re.compile(r"(?P<key>[a-z]+)=(?P<value>\d+|\"[^\"]*\")")
LINE = 'time=123 level="info" path="/api/items" size=4711 user="nobody" '


def parse(line):
    return {match["key"]: match["value"] for match in WORD.finditer(line)}


def shorten(row):
    return {key: re.sub(r"^\"|\"$", "", value) for key, value in row.items()}


def convert(lines):
    rows = [shorten(parse(line)) for line in lines]
    return json.loads(json.dumps({"rows": rows, "count": len(rows)}, indent=1))


def main():
    lines = [LINE * 4] * 50
    print(json.dumps("ready"), flush=True)
    while True:
        convert(lines)


signal.alarm(LIMIT_S)
main()
