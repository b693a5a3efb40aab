# SPDX-License-Identifier: Apache-2.0
"""Runs build/spprofctl as a user would."""
import os
import subprocess

from daemon import BUILD

PROGRAM = f"{BUILD}/spprofctl"
PATIENCE_S = 120


class Client:
    """spprofctl, with the socket of a daemon in its environment."""

    def __init__(self, socket, prefix=(), program=PROGRAM):
        self.environment = dict(os.environ, SPPROF_SOCKET=socket)
        self.argv = [*prefix, program]

    def start(self, *args, **options):
        given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True,
                 "stderr": subprocess.PIPE, "env": self.environment, **options}
        return subprocess.Popen(self.argv + [str(arg) for arg in args], **given)

    def finish(self, process):
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def run(self, *args, **options):
        return self.finish(self.start(*args, **options))

    def succeed(self, *args, **options):
        """Standard output of what must go well."""
        done = self.run(*args, **options)
        assert done.returncode == 0, done
        return done.stdout


class FileVerb:
    """A verb of files, which needs no daemon: its socket is one that nobody serves."""

    def __init__(self, folder):
        self.folder = folder
        self.client = Client(str(folder / "nobody.sock"))

    def file(self, content, name="input"):
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path


def check_error(done, code, *words, program="spprofctl"):
    """One line on stderr that holds @words, nothing on stdout."""
    assert done.returncode == code, done
    assert done.stdout == "", done
    lines = done.stderr.split("\n")
    assert len(lines) == 2 and lines[1] == "", done
    assert lines[0].startswith(f"{program}: "), done
    for word in words:
        assert str(word) in lines[0], (word, done)
