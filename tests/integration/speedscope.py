# SPDX-License-Identifier: Apache-2.0
"""The real speedscope (npm), in a headless Chromium."""
import base64
import json
import re
import subprocess

from interpreters import ROOT

PATIENCE_S = 90
PAGE_MS = 8000  # of the page's own clock
OPTIONS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-quic",
    "--allow-file-access-from-files", "--enable-logging=stderr", "--dump-dom",
    f"--virtual-time-budget={PAGE_MS}",
]


class Speedscope:
    """@folder is one for this test alone."""

    def __init__(self, folder):
        said = subprocess.run([f"{ROOT}/tests/fetch-speedscope"], stdout=subprocess.PIPE,
                              text=True, check=True)
        self.package = said.stdout.strip()
        self.folder = folder

    def load(self, text):
        """The page's title and what it logged after it was given that file."""
        script = self.folder / "profile.js"
        data = base64.b64encode(text.encode()).decode()
        script.write_text(f'speedscope.loadFileFromBase64("recorded", "{data}")')
        page = f"file://{self.package}/dist/release/index.html#localProfilePath={script}"
        done = subprocess.run(["chromium", *OPTIONS, f"--user-data-dir={self.folder}/chromium",
                               page], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              check=True, stderr=subprocess.PIPE, timeout=PATIENCE_S)
        title = re.search(r"<title>(.*?)</title>", done.stdout.decode(), re.S)
        return title and title[1], done.stderr.decode(errors="replace")

    def check_imported(self, text):
        """The page takes its title from the file's name once it shows it."""
        title, log = self.load(text)
        assert "Importing as speedscope json file" in log, log
        assert title == f"{json.loads(text)['name']} - speedscope", log
        assert "import: " in log and "Error" not in log, log
