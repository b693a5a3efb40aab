# SPDX-License-Identifier: Apache-2.0
"""The call tree of a live process: out of the windows, and of the seconds to come."""
import json
import time

from client import check_error


def functions(node):
    yield node
    for child in node["children"]:
        yield from functions(child)


def check_thirds(answer, theft):
    nodes = [node for tree in answer["trees"] for root in tree["roots"] for node in functions(root)]
    weight = {name: sum(n["running"] for n in nodes if n["function"] == name) for name in "ab"}
    total = answer["root_total"]
    assert answer["format"] == "live" and answer["unit"] == "nanoseconds"
    theft.check_share(weight["a"], total, 2 / 3, 0.12)
    theft.check_share(weight["b"], total, 1 / 3, 0.12)
    assert all(n["kind"] == "python" for n in nodes if n["function"] in "ab")


def test_of_the_last_seconds(client, start, debian, theft):
    target = start(debian, "two_thirds.py")
    time.sleep(4)
    answer = json.loads(client.succeed("tree", "-p", target.pid, "--json"))
    check_thirds(answer, theft)
    name, = [tree["name"] for tree in answer["trees"]]
    assert name.startswith('thread "python') and name.endswith(f'" ({target.pid})')


def test_of_the_seconds_to_come(client, start, debian, theft):
    target = start(debian, "two_thirds.py")
    answer = json.loads(client.succeed("tree", "-p", target.pid, "-d", "2", "--json",
                                       "--transform", "focus-function:main"))
    check_thirds(answer, theft)
    assert answer["trees"][0]["roots"][0]["function"] == "main"


def test_by_process(client, start, debian):
    first, second = (start(debian, "two_thirds.py") for _ in range(2))
    time.sleep(2)
    answer = json.loads(client.succeed("tree", "-p", f"{first.pid},{second.pid}", "--json",
                                       "--by", "process"))
    names = [tree["name"] for tree in answer["trees"]]
    assert all(name.startswith('process "python') for name in names)
    assert sorted(int(name.split("(")[1][:-1]) for name in names) == sorted((first.pid, second.pid))


def test_of_nobody(client):
    check_error(client.run("tree", "-p", 4194304), 3, 4194304)
