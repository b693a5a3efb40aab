# SPDX-License-Identifier: Apache-2.0
"""tests/style: each habit is checked, and only where it applies."""
import pathlib
import subprocess

import pytest

STYLE = pathlib.Path(__file__).resolve().parents[1] / "style"
APACHE = "/* SPDX-License-Identifier: Apache-2.0 */\n"
KERNEL = "/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */\n"

GOOD = {
    "C": ("userspace/a/a.c", APACHE + "\tOWNS_FD int fd = -1;\n\tOWNS(x) struct x *x = x_new();\n"),
    "kernel side": ("bpf/a.bpf.c", KERNEL),
    "contract with the kernel": ("include/a.h", KERNEL),
    "contract of user space": ("include/a.h", APACHE),
    "the log": ("userspace/base/log.c", APACHE + 'fprintf(stderr, "x");\n'),
    "the client": ("userspace/cli/cli.c", APACHE + 'fprintf(stderr, "x");\n'),
    "negative": ("userspace/a/a.c", APACHE + "\treturn -EINVAL;\n\treturn END_OF_FILE;\n"),
    "script": ("tests/a", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n"),
    "generated": ("vmlinux/x86_64/vmlinux.h", "struct x;\n"),
    "expected output": ("tests/golden/a.c", "\n"),
    "data": ("tests/a.txt", "\n"),
}
BAD = {
    "no licence": ("userspace/a/a.c", "int a;\n", 1, "the SPDX line of Apache-2.0 is missing"),
    "no licence in an empty file": ("tests/a.py", "", 1, "the SPDX line"),
    "no licence in a script": ("tests/a", "#!/bin/sh\n\n", 2, "the SPDX line"),
    "no licence in the Makefile": ("Makefile", "all:\n", 1, "the SPDX line"),
    "licence too late": ("tests/a.py", "\n# SPDX-License-Identifier: Apache-2.0\n", 1, "the SPDX line"),
    "the wrong licence": ("bpf/a.bpf.c", APACHE, 1, "the SPDX line of GPL-2.0-only OR BSD-2-Clause"),
    "too long": ("userspace/a/a.c", APACHE + "\n" * 700, 701, "more than 700 lines"),
    "owner without a value": ("userspace/a/a.c", APACHE + "\tOWNS_FD int fd;\n", 2, "an owning local"),
    "descriptor 0": ("userspace/a/a.c", APACHE + "\tOWNS_FD int fd = 0;\n", 2, "an owning local"),
    "pointer without a value": ("tests/a.c", APACHE + "\tOWNS(x) struct x *x;\n", 2, "an owning local"),
    "stderr": ("userspace/a/a.c", APACHE + '\tfprintf(stderr, "x");\n', 2, "only base/log.c"),
    "perror": ("userspace/spprofd.c", APACHE + '\tperror("x");\n', 2, "only base/log.c"),
    "gt": ("tests/unit/a.c", APACHE + "\tcr_expect(gt(int, a, 0));\n", 2, "Criterion's gt()"),
    "positive": ("userspace/a/a.c", APACHE + "\treturn EINVAL;\n", 2, "a returned errno is negative"),
}


def run(root, path, text):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)
    done = subprocess.run([STYLE, root], capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.parametrize("sort", GOOD)
def test_good_file_passes(tmp_path, sort):
    assert run(tmp_path, *GOOD[sort]) == (0, "")


@pytest.mark.parametrize("sort", BAD)
def test_bad_line_is_named(tmp_path, sort):
    path, text, line, reason = BAD[sort]
    status, said = run(tmp_path, path, text)
    assert status == 1 and said.count("\n") == 1
    assert said.startswith(f"{path}:{line}: {reason}")
