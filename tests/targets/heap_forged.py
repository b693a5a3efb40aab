# SPDX-License-Identifier: Apache-2.0
"""heap_forged.py KIND: damages the books of its own heap, and does nothing from then on.

Says {"victims": objects of Victim, "forged": damaged pools or objects, "pool": blocks of a pool}.
Layouts: cpython Objects/obmalloc.c, Include/internal/pycore_obmalloc.h (struct pool_header).
"""
import collections
import ctypes
import gc
import json
import os
import signal
import sys

LIMIT_S = 300
VICTIMS = 5000
FORGED = 3
POOL_BYTES = 4096 if sys.version_info < (3, 10) else 16384
HEADER_BYTES = 48
IS_DEBUG = hasattr(sys, "gettotalrefcount")  # its blocks begin and end with bytes that it checks
OBJECT = 16 + (16 if IS_DEBUG else 0)  # in its block
PROT_NONE = 0
COUNT, FREE_BLOCK, SIZE_INDEX, NEXT_OFFSET = 0, 8, 36, 40


class Victim:
    """Of a size that little else has, in pools that are full: nobody looks at their books."""
    __slots__ = tuple("s%d" % i for i in range(50))


BLOCK_BYTES = (sys.getsizeof(Victim()) + (24 if IS_DEBUG else 0) + 15) // 16 * 16


def put(kind, address, value):
    kind.from_address(address).value = value


def block(pool, number):
    return pool + HEADER_BYTES + number * BLOCK_BYTES


def free_blocks(pool, *addresses):
    """A list of free blocks that goes through all of these."""
    for where, to in zip((pool + FREE_BLOCK,) + addresses, addresses):
        put(ctypes.c_uint64, where, to)


def protect(pool):
    mprotect = ctypes.CDLL(None, use_errno=True).mprotect
    mprotect.argtypes = [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
    assert mprotect(pool, POOL_BYTES, PROT_NONE) == 0


def loop_gc_list(pool):
    head = block(pool, 1)
    put(ctypes.c_uint64, head, head)


FORGERIES = {
    "loop": lambda pool: free_blocks(pool, block(pool, 1), block(pool, 1)),
    "cycle": lambda pool: free_blocks(pool, block(pool, 1), block(pool, 2), block(pool, 1)),
    "outside": lambda pool: put(ctypes.c_uint64, pool + FREE_BLOCK, 0x10000),
    "header": lambda pool: put(ctypes.c_uint64, pool + FREE_BLOCK, pool),
    "between": lambda pool: put(ctypes.c_uint64, pool + FREE_BLOCK, block(pool, 1) + 8),
    "neighbour": lambda pool: put(ctypes.c_uint64, pool + FREE_BLOCK, block(pool + POOL_BYTES, 1)),
    "size": lambda pool: put(ctypes.c_uint32, pool + SIZE_INDEX, 0xffffffff),
    "count": lambda pool: put(ctypes.c_uint32, pool + COUNT, 0xffffffff),
    "offset": lambda pool: put(ctypes.c_uint32, pool + NEXT_OFFSET, 0xfffffff0),
    "type": lambda pool: put(ctypes.c_uint64, block(pool, 1) + OBJECT + 8, 0x123450),
    "type in itself": lambda pool: put(ctypes.c_uint64, block(pool, 1) + OBJECT + 8,
                                       block(pool, 1) + OBJECT),
    "gc list": loop_gc_list,
    "unreadable": protect,
}


def full_pools(victims):
    """Those that hold victims alone, and whose neighbour does too."""
    per_pool = (POOL_BYTES - HEADER_BYTES) // BLOCK_BYTES
    held = collections.Counter((id(one) - OBJECT) // POOL_BYTES * POOL_BYTES
                               for one in victims)
    full = {pool for pool, count in held.items() if count == per_pool}
    return sorted(pool for pool in full if pool + POOL_BYTES in full), per_pool


def main():
    gc.disable()
    victims = [Victim() for _ in range(VICTIMS)]
    pools, per_pool = full_pools(victims)
    said = json.dumps({"victims": len(victims), "forged": FORGED, "pool": per_pool}).encode()
    forge, chosen = FORGERIES[sys.argv[1]], pools[10:10 + 2 * FORGED:2]
    assert len(chosen) == FORGED
    for pool in chosen:
        forge(pool)
    os.write(1, said + b"\n")
    signal.pause()


signal.alarm(LIMIT_S)
main()
