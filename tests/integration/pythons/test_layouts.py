# SPDX-License-Identifier: Apache-2.0
"""A layout is believed only if every field of it fits the live process."""
import os
import subprocess

from daemon import BUILD

MOVED_FIELDS = os.path.join(BUILD, "integration", "moved_fields")
FIELDS_LEAST = 22  # of each version, moved both ways


def test_a_layout_with_any_one_field_moved_is_refused(start, interpreter):
    """C-06: a row with any one field moved by 8, either way, is refused on the live process."""
    target = start(interpreter, "parked.py")
    tried = subprocess.run([MOVED_FIELDS, str(target.pid)], stdout=subprocess.PIPE, text=True)
    refused = [line for line in tried.stdout.splitlines() if " refused: " in line]
    assert tried.returncode == 0, tried.stdout
    assert len(refused) >= 2 * FIELDS_LEAST, tried.stdout
