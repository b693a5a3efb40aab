# SPDX-License-Identifier: Apache-2.0
"""Operations of the heap map a second, beside two tables behind a mutex.

    python3 -B tests/bench/heap_map.py
"""
import os
import subprocess

from measure import IS_LONG

from daemon import BUILD

ROUNDS = 15 if IS_LONG else 5


def print_heap_map():
    print("\nA heap map of 1,048,576 entries: millions of operations a second of processor time, "
          "beside tables behind a mutex", flush=True)
    subprocess.run([os.path.join(BUILD, "bench", "heap_map"), str(ROUNDS)], check=True)


if __name__ == "__main__":
    print_heap_map()
