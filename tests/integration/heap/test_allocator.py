# SPDX-License-Identifier: Apache-2.0
"""pymalloc's books are found by what they hold, whoever built the interpreter."""
import os
import re
import subprocess

import pytest

from daemon import BUILD
from targets import Target

READER = os.path.join(BUILD, "integration", "allocator_reader")
PROGRAM = """
import sys
kept = [str(number) for number in range({count})][::7]
sys._debugmallocstats()
sys.stderr.flush()
print("{{}}", flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("count", [1000, 300000])
@pytest.mark.parametrize("options", [[], ["-X", "dev"]], ids=["plain", "dev"])
def test_every_arena_is_found(with_pools, options, count, tmp_path):
    with open(tmp_path / "own", "w+") as own:
        target = Target([with_pools.path, *options, "-c", PROGRAM.format(count=count)], stderr=own)
        try:
            said = subprocess.run([READER, str(target.pid)], stdout=subprocess.PIPE, check=True,
                                  text=True).stdout
        finally:
            target.stop()
        own.seek(0)
        arenas = int(re.search(r"# arenas allocated current += +([\d,]+)",
                               own.read())[1].replace(",", ""))
    print(said)
    entries, used, damaged = map(int, re.search(
        r"^heap \w+ entries (\d+) used (\d+) damaged (\d+)$", said, re.M).groups())
    assert (used, damaged) == (arenas, 0)
    assert entries >= used and entries % 16 == 0 and entries & (entries - 1) == 0
    size = 4096 if with_pools.minor < 10 else 16384
    assert f"pool {size} arena {size * 64} left out 0" in said
    assert ("debug" in said) == bool(options or with_pools.version.endswith("d"))
