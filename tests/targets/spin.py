# SPDX-License-Identifier: Apache-2.0
"""Uses the processor until it is killed. Runs under any Python 3."""
import json
import signal
import sys

LIMIT_S = 300

signal.alarm(LIMIT_S)
sys.stdout.write(json.dumps("ready") + "\n")
sys.stdout.flush()
while True:
    pass
