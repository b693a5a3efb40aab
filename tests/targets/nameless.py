# SPDX-License-Identifier: Apache-2.0
"""A process and a thread without a name, in a function whose name and file are empty."""
import ctypes
import json
import signal

LIMIT_S = 300
PR_SET_NAME = 15


def burn():
    while True:
        pass


signal.alarm(LIMIT_S)
ctypes.CDLL(None).prctl(PR_SET_NAME, b"", 0, 0, 0)
nothing = {name: "" for name in ("co_name", "co_qualname", "co_filename")
           if hasattr(burn.__code__, name)}
nameless = type(burn)(burn.__code__.replace(**nothing), globals())
print(json.dumps("ready"), flush=True)
nameless()
