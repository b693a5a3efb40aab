# SPDX-License-Identifier: Apache-2.0
"""odd_comm.py HEX: gives its main thread, so the process, the name of those bytes, and spins."""
import ctypes
import json
import signal
import sys

PR_SET_NAME = 15  # linux/prctl.h
LIMIT_S = 300


def spin():
    while True:
        pass


signal.alarm(LIMIT_S)
ctypes.CDLL(None).prctl(PR_SET_NAME, bytes.fromhex(sys.argv[1]))
print(json.dumps("ready"), flush=True)
spin()
