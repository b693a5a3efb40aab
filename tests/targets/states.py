# SPDX-License-Identifier: Apache-2.0
"""states.py sleep|busy: goes into one state after the other. At the deepest point of each it
says which thread that is and what its own interpreter knows of the thread's stack, newest
frame first, and stays there, asleep or at work in C, until it is told to go on.
"""
import _thread
import asyncio
import collections
import concurrent.futures
import contextlib
import fcntl
import functools
import json
import multiprocessing
import os
import sys
import tempfile
import termios

IN = os.dup(0)  # multiprocessing takes 0 away
GO = b"go\n"
IS_BUSY = sys.argv[1] == "busy"


def rows(frame):
    while frame:
        code = frame.f_code
        yield [getattr(code, "co_qualname", code.co_name), code.co_filename, frame.f_lineno or 0]
        frame = frame.f_back


def tell(frame):
    line = json.dumps({"pid": os.getpid(), "tid": _thread.get_native_id(),
                       "frames": list(rows(frame))})
    os.write(1, line.encode() + b"\n")


def until_told():
    """A callable in C that returns when GO waits to be read."""
    if not IS_BUSY:
        return functools.partial(os.read, IN, len(GO))
    waiting = functools.partial(fcntl.ioctl, IN, termios.FIONREAD, bytes(4))
    ends = iter(waiting, len(GO).to_bytes(4, sys.byteorder))
    return functools.partial(collections.deque, ends, 0)


def rest():
    stay = until_told()
    tell(sys._current_frames()[_thread.get_ident()]); stay()
    if IS_BUSY:
        os.read(IN, len(GO))


def deep_recursion(depth=90):
    return deep_recursion(depth - 1) if depth else rest()


def inner_generator():
    yield 1
    rest()
    yield 2


def outer_generator():
    yield from inner_generator()


def generator_in_generator():
    return [(a, b) for a in range(1) for b in outer_generator()]


async def third():
    rest()


async def second():
    await asyncio.sleep(0)
    return await third()


async def first():
    await second()


def async_chain():
    loop = asyncio.new_event_loop()
    loop.run_until_complete(first())
    loop.close()


def decorate(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper


@decorate
def decorator():
    rest()


def comprehension():
    return {key: [rest() for _ in range(1)]
            for key in range(1)}


def lambda_():
    return (lambda: (lambda x:
                     rest())(1))()


def exception_handler():
    try:
        raise ValueError
    except ValueError:
        rest()


def finally_():
    try:
        return 1
    finally:
        rest()


def callback_of_c():
    return sorted([2, 1], key=lambda x: (x == 1 and rest()) or 0)[0]


def partial():
    functools.partial(functools.partial(lambda a, b: rest(), 1), 2)()


def class_body():
    class Outer:
        class Inner:
            rest()


def import_():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "a_module_that_rests.py"), "w") as f:
            f.write("import __main__\n\n\n__main__.rest()\n")
        sys.path.insert(0, folder)
        import a_module_that_rests
        sys.path.remove(folder)
    return a_module_that_rests


def thread_pool():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(decorator).result()


def multiprocessing_child():
    child = multiprocessing.get_context("fork").Process(target=decorator)
    child.start()
    child.join()


IN_SUBINTERPRETER = """
IS_BUSY, IN, GO = {}, {}, {}
import _thread, collections, fcntl, functools, json, os, sys, termios
{}

def in_it():
    stay = until_told()
    tell(sys._getframe()); stay()
    if IS_BUSY:
        os.read(IN, len(GO))

in_it()
"""


def source_of(*functions):
    with open(__file__) as f:
        lines = f.read().split("\n\n\n")
    return "\n\n\n".join(part for part in lines for name in functions
                         if part.startswith(f"def {name}("))


def subinterpreter():
    text = IN_SUBINTERPRETER.format(IS_BUSY, IN, GO, source_of("rows", "tell", "until_told"))
    try:
        import _interpreters as interpreters
        run = interpreters.exec
    except ImportError:
        import _xxsubinterpreters as interpreters
        run = interpreters.run_string
    run(interpreters.create(), text)


def exec_():
    exec(compile("def made():\n    rest()\n\nmade()", "<made here>", "exec"), globals())


@contextlib.contextmanager
def managed():
    yield
    rest()


def context_manager():
    with managed():
        pass


MATCH = """
def matching(x):
    match x:
        case [1, *others] if others:
            rest()

matching([1, 2])
"""


def match():
    if sys.version_info >= (3, 10):
        exec(compile(MATCH, "<match>", "exec"), globals())
    else:
        rest()


class WithProperty:
    @property
    def value(self):
        return rest()


def property_():
    return WithProperty().value


class Meta(type):
    def __call__(cls, *args):
        rest()
        return super().__call__(*args)


class Called(metaclass=Meta):
    pass


def metaclass_call():
    return Called()


STATES = [deep_recursion, generator_in_generator, async_chain, decorator, comprehension, lambda_,
          exception_handler, finally_, callback_of_c, partial, class_body, import_, thread_pool,
          multiprocessing_child, subinterpreter, exec_, context_manager, match, property_,
          metaclass_call]

if __name__ == "__main__":
    os.write(1, json.dumps([state.__name__ for state in STATES]).encode() + b"\n")
    for state in STATES:
        state()
