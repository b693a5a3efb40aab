# SPDX-License-Identifier: Apache-2.0
"""Objects in the main interpreter, and in one that has an allocator of its own (3.12 and later).

Says how many of each class there are, then waits.
"""
import json
import os
import signal
import sys
import threading

LIMIT_S = 300
MAIN_COUNT, OTHER_COUNT = 20000, 30000
OTHERS = """
import os
class OfOther:
    __slots__ = ("value",)
class OfBoth:
    __slots__ = ("value",)
kept = [[OfOther() for _ in range(%d)], [OfBoth() for _ in range(%d)]]
os.write(%d, b"x")
os.read(%d, 1)
"""


class OfMain:
    __slots__ = ("value",)


class OfBoth:
    __slots__ = ("value",)


def run(text):
    if sys.version_info >= (3, 13):
        import _interpreters as interpreters
        created = interpreters.create()
        failure = interpreters.exec(created, text)
        assert failure is None, failure
    else:
        import _xxsubinterpreters as interpreters
        interpreters.run_string(interpreters.create(), text)


def main():
    made_from, made_to = os.pipe()
    end_from, _ = os.pipe()
    kept = [[OfMain() for _ in range(MAIN_COUNT)], [OfBoth() for _ in range(MAIN_COUNT)]]
    text = OTHERS % (OTHER_COUNT, OTHER_COUNT, made_to, end_from)
    threading.Thread(target=run, args=(text,), daemon=True).start()
    os.read(made_from, 1)
    print(json.dumps({"OfMain": len(kept[0]), "OfOther": OTHER_COUNT,
                      "OfBoth": len(kept[1]) + OTHER_COUNT}), flush=True)
    sys.stdin.read()
    os._exit(0)


signal.alarm(LIMIT_S)
main()
