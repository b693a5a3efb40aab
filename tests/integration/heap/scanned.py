# SPDX-License-Identifier: Apache-2.0
"""What lives in a process, as `spprofctl snapshot --types --json` says it."""
import json

MOST_SECONDS = 20  # that a scan of a heap of these tests may take


def scan(client, pid):
    """The JSON of one process, as the command prints it."""
    text = client.succeed("snapshot", "--pid", pid, "--types", "--json")
    lines = text.split("\n")
    assert len(lines) == 2 and lines[1] == "", text[:200]
    heap = json.loads(lines[0])
    assert heap["pid"] == pid and heap["duration_ms"] < MOST_SECONDS * 1e3
    return heap


def types_of(heap):
    """module.name -> (objects, bytes). Each pair is there once."""
    found = {f"{row['module']}.{row['name']}": (row["objects"], row["bytes"])
             for row in heap["types"]}
    assert len(found) == len(heap["types"]), "a type has one row"
    return found


def count_of(heap, name, module="__main__"):
    """Objects of a class: of the program itself, if nothing else is said."""
    return types_of(heap).get(f"{module}.{name}", (0, 0))[0]
