# SPDX-License-Identifier: Apache-2.0
"""What a hierarchy of perf's files costs, beside the tool that users put behind `perf script`.
Each tool runs between two runs of ours, on a file made of real records that repeat; a tenth of
the size unless LONG=1.

    python3 -B tests/bench/hierarchy.py
"""
import multiprocessing
import os
import re
import shlex
import shutil
import statistics
import struct
import subprocess
import tempfile

from measure import IS_LONG, spread

from interpreters import ROOT
from trees import CTL, Failed, Run, Tool, inferno, take_turns

SIZE = 500_000_000 if IS_LONG else 50_000_000  # bytes of each file
VARIANTS = 100  # of each name of the script; a report has each name once
TARGETS = "main,work,leaf_a,leaf_b,fib,ping"
AIM_RATIO = 10
DATA = os.path.join(ROOT, "tests", "data", "perf")
CALLS = os.path.join(ROOT, "tests", "integration", "hierarchy", "calls.c")
PERF_HEADER, PERF_SAMPLE, PERF_ROUND = 104, 9, 68  # bytes; types of records
TIME = 1 << 2  # PERF_SAMPLE_TIME; before it come, as its lower bits and IDENTIFIER have it,
BEFORE_TIME = {1 << 16: 8, 1 << 0: 8, 1 << 1: 8}  # the id, the address and pid with tid


def text_of(name):
    with open(os.path.join(DATA, name), encoding="utf-8") as f:
        return f.read()


def repeat(path, pieces):
    """Until the file is as large as it shall be: pieces(i) is its i-th part."""
    with open(path, "w", encoding="utf-8") as f:
        i = 0
        while f.tell() < SIZE:
            f.write(pieces(i))
            i += 1
    return i


def make_script(path):
    """Its names end in a number, of which there are some."""
    parts = re.sub(r"\+0x", "\0+0x", text_of("rec.script.txt")).split("\0")
    variants = [f"_{i}".join(parts) for i in range(VARIANTS)]
    repeat(path, lambda i: variants[i % VARIANTS])


def make_report(path):
    """Lossless; its entries repeat with other names, as if as many programs had run."""
    head, entries = re.match(r"(.*?\n#\n)(    .*?\n\n)\n*#", text_of("rec.lossless.txt"), re.S).groups()
    parts = re.sub(r"([^ |\n]) *\n(?= |\n)", "\\1\0\n", entries).split("\0")
    copies = repeat(path, lambda i: ("_%07d" % i).join(parts) if i else head + "_0".join(parts))
    count = re.search(r"# Samples: (\d+) ", head)[1]
    total = f"# Samples: {int(count) * copies} "
    subprocess.run(["sed", "-i", f"s/^# Samples: {count} /{total}/", path], check=True)


def records(data, at, end):
    while at < end:
        kind, _, size = struct.unpack_from("<IHH", data, at)
        yield kind, at, size
        at += size


class Recording:
    """The bytes of a perf.data, taken apart."""

    def __init__(self, data):
        self.data = data
        attributes, self.start, self.size = *struct.unpack_from("<Q", data, 24), *struct.unpack_from(
            "<QQ", data, 40)
        kinds, = struct.unpack_from("<Q", data, attributes + 24)
        assert kinds & TIME
        self.time_at = 8 + sum(size for bit, size in BEFORE_TIME.items() if kinds & bit)
        self.features = sum(bin(byte).count("1") for byte in data[72:PERF_HEADER])

    def split(self):
        """What is said once, and what repeats: samples and ends of rounds, with where times are."""
        once, again, times = bytearray(), bytearray(), []
        for kind, at, size in records(self.data, self.start, self.start + self.size):
            record = self.data[at:at + size]
            if kind not in (PERF_SAMPLE, PERF_ROUND):
                once += record
                continue
            if kind == PERF_SAMPLE:
                times.append(len(again) + self.time_at)
            again += record
        return once, again, times

    def rest(self, moved):
        """The table of features, which is behind the records, and what it points to."""
        rest = bytearray(self.data[self.start + self.size:])
        for i in range(self.features):
            offset, = struct.unpack_from("<Q", rest, 16 * i)
            struct.pack_into("<Q", rest, 16 * i, offset + moved)
        return rest


def write_again(recording, path):
    """The same with its samples over and over, each time a little later."""
    once, again, times = recording.split()
    stamps = [struct.unpack_from("<Q", again, at)[0] for at in times]
    again += struct.pack("<IHH", PERF_ROUND, 0, 8)
    step = max(stamps) - min(stamps) + 1
    copies = -(-SIZE // len(again))
    moved = len(once) + copies * len(again) - recording.size
    head = bytearray(recording.data[:recording.start])
    struct.pack_into("<Q", head, 48, recording.size + moved)
    with open(path, "wb") as f:
        f.write(head + once)
        for i in range(copies):
            for at, stamp in zip(times, stamps):
                struct.pack_into("<Q", again, at, stamp + i * step)
            f.write(again)
        f.write(recording.rest(moved))


def make_recording(path):
    """Of a program that is built here and now; it stays beside it, for its symbols."""
    program = path + ".program"
    recorded = path + ".recorded"
    subprocess.run(["gcc", "-O0", "-pthread", CALLS, "-o", program], check=True)
    subprocess.run(["perf", "record", "-q", "-F", "1999", "-e", "cpu-clock", "-g", "-o", recorded,
                    program, "500"], check=True)
    with open(recorded, "rb") as f:
        write_again(Recording(f.read()), path)


def behind_perf_script(tool):
    """The text goes through a pipe, as users do it."""
    if tool.problem:
        return tool
    command = f"perf script -i \"$1\" | {shlex.join(tool.command)}"
    return Tool(f"perf script | {tool.name}", ["sh", "-c", command, "sh"])


def inputs():
    """Name, who makes the file, and tools."""
    collapse = inferno("inferno-collapse-perf")
    yield "perf script", make_script, [collapse]
    yield "perf report, lossless", make_report, []
    if shutil.which("perf") and shutil.which("gcc"):
        yield "perf.data", make_recording, [behind_perf_script(collapse)]
    else:
        print("  perf.data: not here: no perf or no gcc")


class Ours:
    def __init__(self, file):
        self.file = file
        self.runs = []

    def run(self):
        self.runs.append(Run(CTL, "hierarchy", "--targets", TARGETS, "--targets", "/_0*7$/",
                             "--input", self.file))

    def seconds(self):
        return statistics.median(run.cpu_s for run in self.runs)

    def print(self, name):
        size_mb = os.path.getsize(self.file) / 1e6
        print(f"  {name}, {size_mb:.0f} MB: {spread([run.cpu_s for run in self.runs])} s, "
              f"{size_mb / self.seconds():.0f} MB/s, peak {self.runs[0].peak_mb:.0f} MB")


def print_input(name, file, tools):
    ours = Ours(file)
    runs = take_turns(ours, tools, file)
    ours.print(name)
    for tool, run in runs:
        if isinstance(run, str):
            print(f"    {tool.name}: {run}")
        else:
            print(f"    {tool.name}: {run.cpu_s:.2f} s, peak {run.peak_mb:.0f} MB: "
                  f"{run.cpu_s / ours.seconds():.1f} times ours")
    print(end="", flush=True)


def make_apart(make, file):
    """In a process of its own: what a program starts with counts for the peak of what it starts."""
    process = multiprocessing.Process(target=make, args=(file,))
    process.start()
    process.join()
    if process.exitcode:
        raise Failed("cannot make such a file")


def print_hierarchies():
    print(f"\nspprofctl hierarchy of {SIZE / 1e6:.0f} MB of perf's, seconds of processor time, ours "
          f"on one core (aim: the fastest tool takes >= {AIM_RATIO} times as long)")
    for name, make, tools in inputs():
        with tempfile.TemporaryDirectory(prefix="spprof-bench-") as folder:
            file = os.path.join(folder, "input")
            try:
                make_apart(make, file)
                print_input(name, file, tools)
            except Failed as err:
                print(f"  {name}: {err}")


if __name__ == "__main__":
    print_hierarchies()
