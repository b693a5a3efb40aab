# SPDX-License-Identifier: Apache-2.0
"""tests/layers: a good tree passes, and each sort of bad include is found where it is."""
import pathlib
import subprocess

import pytest

LAYERS = pathlib.Path(__file__).resolve().parents[1] / "layers"
TABLE = """# Map

| folder | may include |
|---|---|
| include | nothing |
| base | include |
| python, native | include, base (pure: no I/O) |
| collect | include, base, libbpf |
| resolve | python, base, `bpf/py_walk.bpf.h` (one walk) |
| daemon | all of the above |
| spprofd.c | daemon, base |
| spprof-perf.c | collect/perf_open.h, base |
| bpf | include, libbpf |

After the table.
"""
GOOD = {
    "include/spprof_event.h": "#include <linux/types.h>",
    "bpf/py_walk.bpf.h": '#include "spprof_event.h"',
    "bpf/cpu.bpf.c": '#include "vmlinux.h"\n#include <bpf/bpf_helpers.h>\n#include "py_walk.bpf.h"',
    "userspace/base/log.h": "#include <stdio.h>",
    "userspace/base/log.c": '#include "base/log.h"\n#include "spprof_event.h"',
    "userspace/python/lines.h": "",
    "userspace/native/elf.h": "",
    "userspace/native/elf.c": '# include "base/log.h"',
    "userspace/native/wire.proto": 'syntax = "proto3";',
    "userspace/native/wire.c": '#include "wire.pb-c.h"',
    "userspace/collect/perf_open.h": "",
    "userspace/collect/rings.c": '#include "cpu.skel.h"\n#include <bpf/libbpf.h>',
    "userspace/resolve/walk.c": '#include "bpf/py_walk.bpf.h"\n#include "python/lines.h"',
    "userspace/daemon/sampler.h": "",
    "userspace/daemon/sampler.c": '#include "native/elf.h"\n#include "collect/perf_open.h"',
    "userspace/spprofd.c": '#include "daemon/sampler.h"\n#include "base/log.h"',
    "userspace/spprof-perf.c": '#include "collect/perf_open.h"',
}
BAD = {
    "sideways": ("userspace/python/lines.c", '\n#include "native/elf.h"',
                 'python may not include native (native/elf.h)'),
    "upwards": ("userspace/base/up.c", '\n#include "daemon/sampler.h"',
                'base may not include daemon (daemon/sampler.h)'),
    "upwards, by a relative path": ("userspace/base/up.c", '\n#include "../daemon/sampler.h"',
                                    'base may not include daemon (../daemon/sampler.h)'),
    "upwards, in angle brackets": ("userspace/base/up.c", "\n#include <daemon/sampler.h>",
                                   'base may not include daemon (daemon/sampler.h)'),
    "over a layer": ("userspace/spprofd.c", '\n#include "native/elf.h"',
                     'spprofd.c may not include native (native/elf.h)'),
    "from include": ("include/bad.h", '\n#include "base/log.h"',
                     'include may not include base (base/log.h)'),
    "libbpf elsewhere": ("userspace/daemon/bpf.c", "\n#include <bpf/libbpf.h>",
                         'daemon may not use libbpf (<bpf/libbpf.h>)'),
    "a skeleton elsewhere": ("userspace/daemon/bpf.c", '\n#include "cpu.skel.h"',
                             'daemon may not use libbpf (cpu.skel.h)'),
    "another file of bpf": ("userspace/resolve/bad.c", '\n#include "bpf/cpu.bpf.h"',
                            'resolve may not include bpf (bpf/cpu.bpf.h)'),
    "another file of a folder": ("userspace/spprof-perf.c", '\n#include "collect/other.h"',
                                 'spprof-perf.c may not include collect (collect/other.h)'),
    "generated from elsewhere": ("userspace/python/bad.c", '\n#include "wire.pb-c.h"',
                                 'python may not include native (wire.pb-c.h)'),
    "nowhere": ("userspace/base/bad.c", '\n#include "base/missing.h"',
                '"base/missing.h" is not in the tree'),
    "computed": ("userspace/base/bad.c", "\n#include WHICH", 'cannot tell what WHICH is'),
    "an unknown folder": ("userspace/util/util.h", '\n#include "base/log.h"',
                          'util has no row in the layer table'),
}


def run(root, files, table=TABLE):
    (root / "ARCHITECTURE.md").write_text(table)
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text + "\n")
    done = subprocess.run([LAYERS, root], capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_good_tree_passes(tmp_path):
    assert run(tmp_path, GOOD) == (0, "")


@pytest.mark.parametrize("sort", BAD)
def test_bad_include_is_named(tmp_path, sort):
    path, text, reason = BAD[sort]
    more = {"bpf/cpu.bpf.h": "", "userspace/collect/other.h": "", path: text}
    assert run(tmp_path, GOOD | more) == (1, f"{path}:2: {reason}\n")


def test_each_offence_has_its_line(tmp_path):
    text = '#include "native/elf.h"\n#include <stdio.h>\n#include "daemon/sampler.h"'
    status, said = run(tmp_path, GOOD | {"userspace/python/lines.c": text})
    assert status == 1
    assert [line.split(": ")[0] for line in said.splitlines()] == \
        ["userspace/python/lines.c:1", "userspace/python/lines.c:3"]


def test_row_without_meaning_is_named(tmp_path):
    status, said = run(tmp_path, GOOD, TABLE.replace("| spprofd.c | daemon,", "| spprofd.c | demon,"))
    assert status == 1 and "names demon, which has no row" in said


@pytest.mark.parametrize("table", ["# Map\n", ""])
def test_missing_table_is_an_offence(tmp_path, table):
    assert run(tmp_path, GOOD, table) == (1, "ARCHITECTURE.md:1: no layer table\n")


def test_empty_tree_is_an_offence(tmp_path):
    assert run(tmp_path, {})[0] == 1
