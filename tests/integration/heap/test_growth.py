# SPDX-License-Identifier: Apache-2.0
"""What grows is told from what comes and goes: snapshot --types --diff."""
import json
import re

EVERY_S, COUNT = 1.5, 8  # the same in little
LONG_EVERY_S, LONG_COUNT = 5, 12
LEAK_A_SECOND = 100


def earlier(client, pid, folder):
    """A file of now."""
    path = folder / "earlier.json"
    path.write_text(client.succeed("snapshot", "--pid", pid, "--types", "--json"))
    return path


def rows_of(text):
    """The lines of the last table that name a class of the program."""
    last = text[text.rindex("Type"):] if "Type" in text else text
    return [line for line in last.split("\n") if re.search(r"\b__main__\b|Forgotten|Request", line)]


def test_a_leak_is_first_within_a_minute(client, start, debian, is_long, tmp_path):
    """100 objects a second, in a churn of 30 MB/s of the same size."""
    every, count = (LONG_EVERY_S, LONG_COUNT) if is_long else (EVERY_S, COUNT)
    target = start(debian, "heap_leak.py")
    assert target.ready == 64
    before = earlier(client, target.pid, tmp_path)
    text = client.succeed("snapshot", "--pid", target.pid, "--types", "--diff", before,
                          "--every", f"{every}s", "--count", count)
    target.tell()
    assert target.read() > LEAK_A_SECOND * every * (count - 1)
    print(text)
    assert "Forgotten" in rows_of(text)[0]


def test_what_is_gone_has_shrunk(client, start, debian, tmp_path):
    """And what is as it was is not named."""
    target = start(debian, "heap_types.py", 20000, 10000, 0, 1000, 2)
    heap = json.loads(earlier(client, target.pid, tmp_path).read_text())
    for row in heap["types"]:
        if row["name"] == "Slotted":
            row["objects"] += 5000
            row["bytes"] += 5000 * 32
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(heap) + "\n")
    text = client.succeed("snapshot", "--pid", target.pid, "--types", "--diff", changed)
    print(text)
    assert "Slotted" in rows_of(text)[0] and "-" in rows_of(text)[0]
    assert "Plain" not in "".join(rows_of(text))
