# SPDX-License-Identifier: Apache-2.0
"""Four threads that let go of the GIL in C: zlib, hashlib, sqlite3, and one that sleeps. Says
which thread does what, then they go on until the input ends.
"""
import hashlib
import json
import signal
import sys
import threading
import time
import zlib

try:
    import sqlite3
except ImportError:  # not every build has it
    sqlite3 = None

LIMIT_S = 300
DATA = bytes(range(256)) * 8192  # 2 MiB


def in_zlib():
    while True:
        zlib.compress(DATA, 6)


def in_hashlib():
    while True:
        hashlib.sha256(DATA).digest()


def in_sqlite3():
    database = sqlite3.connect(":memory:")
    count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) "
    while True:
        database.execute(count + "SELECT sum(i * i % 7) FROM n").fetchall()


def in_sleep():
    while True:
        time.sleep(0.001)


def run(function, tids):
    tids[function.__name__] = threading.get_native_id()
    function()


def main():
    functions = [in_zlib, in_hashlib, in_sleep] + [in_sqlite3] * bool(sqlite3)
    tids = {}
    for function in functions:
        threading.Thread(target=run, args=(function, tids), daemon=True).start()
    while len(tids) < len(functions):
        time.sleep(0.01)
    print(json.dumps(tids), flush=True)
    sys.stdin.read()


signal.alarm(LIMIT_S)
main()
