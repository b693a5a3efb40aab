# SPDX-License-Identifier: Apache-2.0
"""Burns processor time that many distinct functions deep, in that many processes: 1 is the
module alone, else it is 3 at least.

Prints the process ids; the others end with the first.
"""
import json
import os
import signal
import sys

LIMIT_S = 300
PR_SET_PDEATHSIG = 1


def burn():
    while True:
        for _ in range(1000):
            pass


def chain(depth):
    """level_1 calls level_2, and so on; the last one burns."""
    functions = {"burn": burn}
    for level in range(1, depth):
        callee = f"level_{level + 1}" if level + 1 < depth else "burn"
        exec(compile(f"def level_{level}():\n    {callee}()\n", "chain", "exec"), functions)
    return functions["level_1"]


def split(processes):
    """Ids of all, in the first; the others start to work."""
    pids = [os.getpid()]
    for _ in range(processes - 1):
        pid = os.fork()
        if not pid:
            import ctypes  # not every build has it
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            return None
        pids.append(pid)
    return pids


def main(depth, processes):
    sys.setrecursionlimit(max(sys.getrecursionlimit(), depth + 50))
    work = chain(depth - 2)  # with <module> and main
    pids = split(processes)
    if pids:
        print(json.dumps(pids), flush=True)
    signal.alarm(LIMIT_S)
    work()


if sys.argv[1] == "1":
    print(json.dumps([os.getpid()]), flush=True)
    signal.alarm(LIMIT_S)
    while True:
        pass
main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
