# SPDX-License-Identifier: Apache-2.0
"""Uprobes through the opener: each call is counted, and the text is as it was when they are gone."""
import os
import re
import subprocess

import pytest

from daemon import BUILD

HITS = os.path.join(BUILD, "integration", "uprobe_hits")


@pytest.fixture(scope="module")
def said():
    """{function: {word: number}}"""
    text = subprocess.run([HITS], stdout=subprocess.PIPE, check=True, text=True).stdout
    print(text)
    return {line.split()[0]: {word: int(number) for word, number in re.findall(r"(\w+)=(\d+)", line)}
            for line in text.splitlines()}


@pytest.mark.parametrize("function, is_emulated", [("push", 1), ("stepped", 0), ("endbr", 1)])
def test_every_call_is_counted_and_the_text_is_restored(said, function, is_emulated):
    assert said[function] == {"calls": 1000, "hits": 1000, "changed": 1, "restored": 0,
                              "emulated": is_emulated}
