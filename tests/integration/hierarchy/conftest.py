# SPDX-License-Identifier: Apache-2.0
"""`spprofctl hierarchy` of files needs no daemon: its socket is one that nobody serves."""
import json

import pytest

from client import FileVerb


class Hierarchy(FileVerb):
    """`spprofctl hierarchy`, mostly of files with --input."""

    def run(self, *args, **options):
        return self.client.run("hierarchy", *args, **options)

    def text(self, *args, **options):
        done = self.run(*args, **options)
        assert done.returncode == 0, done
        return done.stdout

    def json(self, *args, **options):
        """With all symbols as targets if none are given."""
        if not any("--targets" in str(arg) for arg in args):
            args = ("--targets", "/./", *args)
        return json.loads(self.text(*args, "--json", **options))


@pytest.fixture
def hierarchy(tmp_path):
    return Hierarchy(tmp_path)
