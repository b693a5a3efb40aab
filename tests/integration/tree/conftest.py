# SPDX-License-Identifier: Apache-2.0
"""`spprofctl tree` of a file needs no daemon: its socket is one that nobody serves."""
import json

import pytest

from client import FileVerb


class Tree(FileVerb):
    """`spprofctl tree --input`, of a text that is written to a file first."""

    def run(self, content, *args, **options):
        return self.client.run("tree", "--input", self.file(content), *args, **options)

    def text(self, content, *args):
        done = self.run(content, *args)
        assert done.returncode == 0 and done.stderr == "", done
        return done.stdout

    def json(self, content, *args):
        return json.loads(self.text(content, "--json", *args))


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)
