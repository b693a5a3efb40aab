# SPDX-License-Identifier: Apache-2.0
"""Starts build/spprofd on a socket of its own and asks its API, as `curl --unix-socket` would."""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse

from interpreters import ROOT
from profiles import read_pprof

BUILD = os.path.join(ROOT, os.environ.get("SPPROF_BUILD", "build"))
START_S = 30
STOP_S = 20


class Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=120)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Recording:
    """One that runs: it began between the clock's readings @before_ns and @began_ns."""

    def __init__(self, daemon, query):
        self.daemon = daemon
        self.connection = Connection(daemon.socket)
        self.before_ns = time.monotonic_ns()
        self.connection.request("GET", "/v1/profile?" + urllib.parse.urlencode(query))
        self.answer = self.connection.getresponse()
        self.began_ns = time.monotonic_ns()
        self.session = self.answer.getheader("Spprof-Session")
        assert self.answer.status == 200, self.answer.read()

    def finish(self):
        """Waits for its end."""
        data = self.answer.read()
        self.connection.close()
        return read_pprof(data)

    def stop(self):
        """Ends it now."""
        self.daemon.ask("POST", f"/v1/profile/{self.session}/stop")
        return self.finish()


class Daemon:
    """A running spprofd that has said that it is ready. @config is the text of its configuration."""

    def __init__(self, *prefix, config=""):
        self.folder = tempfile.mkdtemp(prefix="spprof-live-")
        os.chmod(self.folder, 0o755)  # other users come too
        self.socket = os.path.join(self.folder, "spprofd.sock")
        self.config = os.path.join(self.folder, "spprofd.conf")
        try:
            self.configure(config)
            self.launch(*prefix)
        except BaseException:
            shutil.rmtree(self.folder)
            raise

    def configure(self, text):
        """What it reads at its start and at SIGHUP. Never the configuration of this machine."""
        with open(self.config, "w") as f:
            f.write(text)

    def launch(self, *prefix):
        self.said = []
        self.process = subprocess.Popen(
            [*prefix, f"{BUILD}/spprofd", "--foreground", "--socket", self.socket,
             "--config", self.config], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.said.extend, args=(self.process.stderr,),
                                       daemon=True)
        self.reader.start()
        try:
            self.wait_until_ready()
        except BaseException:
            self.kill()
            raise

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stderr.close()

    def wait_until_ready(self):
        end = time.monotonic() + START_S
        while not any("ready on" in line for line in self.said):
            assert self.reader.is_alive(), f"spprofd did not start: {''.join(self.said)}"
            assert time.monotonic() < end, f"spprofd is not ready after {START_S} s: {self.said}"
            time.sleep(0.002)

    def reload(self):
        """SIGHUP, and the line that says what came of it."""
        return self.says("the configuration stays as it was", "configuration read again",
                         after=lambda: self.process.send_signal(signal.SIGHUP))

    def says(self, *words, after):
        """The next line with one of @words that it says once @after() was called."""
        known = len(self.said)
        after()
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            for line in self.said[known:]:
                if any(word in line for word in words):
                    return line
            time.sleep(0.01)
        raise AssertionError(f"spprofd does not say {words}: {self.said[known:]}")

    def ask(self, method, target):
        connection = Connection(self.socket)
        connection.request(method, target)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        assert answer.status == 200, data
        return json.loads(data)

    def status(self):
        return self.ask("GET", "/v1/status")

    def stacks(self, pid):
        return self.ask("GET", f"/v1/processes/{pid}/stacks")

    def record(self, pid=None, **query):
        """Begins a recording of @pid, or of all."""
        return Recording(self, {**({"pid": pid} if pid else {"all": 1}), **query})

    def check_balance(self):
        """Each tick that was taken ended under one name."""
        samples = self.status()["samples"]
        assert samples["taken"] == samples["delivered"] + sum(samples["lost"].values()), samples
        return samples

    def stop(self):
        """SIGTERM ends it with 0, and its socket is gone."""
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_S)
        finally:
            self.kill()
            os.unlink(self.config)
            left = os.listdir(self.folder)
            shutil.rmtree(self.folder)
        assert code == 0, f"spprofd ended with {code}: {''.join(self.said)}"
        assert not left, f"spprofd left {left}"
