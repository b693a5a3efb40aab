# SPDX-License-Identifier: Apache-2.0
"""Four threads parked at known lines in chains of every kind of call.

A fifth waits until they are parked for good, then prints what sys._current_frames() says
of each: {ident: [[name, co_filename, f_lineno, co_firstlineno], …]}, leaf first. A name is
co_qualname, which 3.11 brought, or co_name.
"""
import functools
import json
import signal
import sys
import threading
import time

LIMIT_S = 300
LOCK = threading.Lock()
LOCK.acquire()


def park():
    LOCK.acquire()
    return 0


PARKED_LINE = park.__code__.co_firstlineno + 1


class Worker:
    def __init__(self, depth):
        self.depth = depth

    def run(self):
        def nested(depth):
            if depth:
                return nested(depth - 1)
            return (lambda: self.prop)()

        return nested(
            self.depth,
        )

    @property
    def prop(self):
        with LOCK_FREE:
            return self.of_class()

    @classmethod
    def of_class(cls):
        return cls.static(
            1,
            park(),
        )

    @staticmethod
    def static(*args):
        return args


LOCK_FREE = threading.Lock()


def generator():
    yield 1
    try:
        raise ValueError
    except ValueError:
        yield park()


def comprehend():
    return {key: [value for value in generator()] for key in "k"}


def compare(left, right):
    class Body:
        value = park() if left is not right else 0

    return Body.value


def call_back():
    return sorted([3, 1, 2], key=functools.cmp_to_key(compare))


async def inner():
    return park()


async def outer():
    async def between():
        return await inner()

    return await between()


def drive():
    code = compile("\n\n\nouter_one.send(\n  None\n)\n", "<made up>", "exec")
    exec(code, {"outer_one": outer()})


def stack_of(frame):
    rows = []
    while frame:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        rows.append([name, code.co_filename, frame.f_lineno, code.co_firstlineno])
        frame = frame.f_back
    return rows


def is_parked(frame):
    return frame.f_code is park.__code__ and frame.f_lineno == PARKED_LINE


def report(idents):
    while True:
        frames = sys._current_frames()
        if all(ident in frames and is_parked(frames[ident]) for ident in idents):
            break
        time.sleep(0.001)
    print(json.dumps({ident: stack_of(frames[ident]) for ident in idents}), flush=True)


def main():
    threads = [threading.Thread(target=work, daemon=True)
               for work in (comprehend, call_back, drive)]
    for thread in threads:
        thread.start()
    idents = [threading.get_ident()] + [thread.ident for thread in threads]
    threading.Thread(target=report, args=(idents,), daemon=True).start()
    Worker(3).run()


signal.alarm(LIMIT_S)
main()
