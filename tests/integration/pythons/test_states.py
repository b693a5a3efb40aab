# SPDX-License-Identifier: Apache-2.0
"""The live oracle: `dump` says of a thread what the program's own interpreter says of it."""
import json

import pytest

STATES = 20


def shown(client, pid, tid):
    dump = json.loads(client.succeed("dump", "--pid", pid, "--json"))
    thread, = [one for one in dump["threads"] if one["tid"] == tid]
    return [[frame["function"], frame["file"], frame["line"]] for frame in thread["frames"]]


@pytest.mark.parametrize("how", ["sleep", "busy"])
def test_every_state_is_shown_as_python_knows_it(client, start, interpreter, how):
    """Function, file and line of each frame, read from outside of a thread that sleeps, and in
    the kernel of one that works."""
    target = start(interpreter, "states.py", how)
    assert len(target.ready) == STATES
    wrong = {}
    for state in target.ready:
        told = target.read()
        frames = shown(client, told["pid"], told["tid"])
        if frames != told["frames"]:
            wrong[state] = (told["frames"][:6], frames[:6])
        target.tell()
    assert not wrong
    assert target.wait() == 0
