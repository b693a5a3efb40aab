# SPDX-License-Identifier: Apache-2.0
"""burn_and_exit.py SECONDS CODE [FUNCTION]: uses so much processor time at module level, or
in a function of that name; prints the time that the process used in all, and ends with the
exit code, or by signal -CODE.
"""
from time import process_time_ns, thread_time_ns
import json
import os
import sys

end = thread_time_ns() + int(float(sys.argv[1]) * 1e9)
if len(sys.argv) > 3:
    exec(f"def {sys.argv[3]}():\n  while thread_time_ns() < end:\n    pass\n{sys.argv[3]}()")
else:
    while thread_time_ns() < end:
        pass

print(json.dumps(process_time_ns()), flush=True)
if int(sys.argv[2]) < 0:
    os.kill(os.getpid(), -int(sys.argv[2]))
sys.exit(int(sys.argv[2]))
