# SPDX-License-Identifier: Apache-2.0
"""Something to look at: two thirds of the time in heavy(), one third in light().

The main thread works like that; `parser` does a little work of another sort now and then, and
keeps each of its requests for good: a leak; `waiter` waits. Ends after the given number of
seconds (60).
"""
import json
import sys
import threading
import time

END = time.monotonic() + float(sys.argv[1] if len(sys.argv) > 1 else 60)


def burn(seconds):
    """Use that much of this thread's processor time, however busy the machine is."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(100))


def heavy():
    burn(0.02)


def light():
    burn(0.01)


def work():
    while time.monotonic() < END:
        heavy()
        light()


class Request:
    def __init__(self, answer):
        self.answer = answer


def parse():
    text = json.dumps(list(range(1000)))
    requests = []
    while time.monotonic() < END:
        requests.append(Request(json.loads(text)[:10]))
        time.sleep(0.002)


def wait(event):
    event.wait()


if __name__ == "__main__":
    done = threading.Event()
    threads = [threading.Thread(target=parse, name="parser"),
               threading.Thread(target=wait, args=(done,), name="waiter")]
    for thread in threads:
        thread.start()
    work()
    done.set()
    for thread in threads:
        thread.join()
