# SPDX-License-Identifier: Apache-2.0
"""Four threads that use the same processor time: two wait before "go" comes on standard
input, two are started after it. Says when they are done, then waits for the end of input.
"""
import json
import signal
import sys
import threading
from time import thread_time_ns

LIMIT_S = 300


def burn(go, length_ns, tids):
    tids.append(threading.get_native_id())
    go.wait()
    end = thread_time_ns() + length_ns
    while thread_time_ns() < end:
        pass


def main(length_s):
    go, tids = threading.Event(), []
    threads = [threading.Thread(target=burn, args=(go, int(length_s * 1e9), tids))
               for _ in range(4)]
    for thread in threads[:2]:
        thread.start()
    print(json.dumps("ready"), flush=True)
    sys.stdin.readline()
    go.set()
    for thread in threads[2:]:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(tids), flush=True)
    sys.stdin.read()


signal.alarm(LIMIT_S)
main(float(sys.argv[1]))
