# SPDX-License-Identifier: Apache-2.0
"""Little memory in very many places: one page in each 2 MiB of 4 GiB, 8 MiB of page tables."""
import json
import mmap
import signal

LIMIT_S = 300
LENGTH, STEP = 4 << 30, 2 << 20


def main():
    room = mmap.mmap(-1, LENGTH, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
    room.madvise(mmap.MADV_NOHUGEPAGE)
    print(json.dumps(sum(room[at] for at in range(0, LENGTH, STEP))), flush=True)
    signal.pause()


signal.alarm(LIMIT_S)
main()
