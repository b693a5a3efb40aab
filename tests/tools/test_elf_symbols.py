# SPDX-License-Identifier: Apache-2.0
"""native/'s symbols of real binaries: against `perf script`, and against readelf."""
import functools
import pathlib
import random
import re
import shutil
import struct
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NEEDED = ["buffer", "file_read", "hash_index", "utf8"]  # of base/
BASE = 0x10000000  # where our recording has the file
PROGRAM = """
#include <map>
#include <string>
#include <vector>
#include <algorithm>
namespace a { namespace { template <class T> __attribute__((noinline)) T f(T x) { return x * 3; } }
struct S { long v; bool operator<(const S &o) const { return v < o.v; } virtual ~S() {} }; }
int main(int argc, char **argv)
{
	std::map<std::string, long> m;
	std::vector<a::S> v(argc);
	auto l = [&](long x) __attribute__((noinline)) { return a::f(x) + a::f((int)x); };
	std::sort(v.begin(), v.end());
	m[argv[0]] = l(argc);
	return m.size();
}
"""


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    path = tmp_path_factory.mktemp("elf_names") / "elf_names"
    user = ROOT / "userspace"
    sources = [*user.glob("native/*.c"), *user.glob("import/object*.c"),
               *(user / "base" / f"{name}.c" for name in NEEDED)]
    subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", f"-I{user}", HERE / "elf_names.c",
                    *sources, "-lxxhash", "-liberty", "-lcapstone", "-o", path], check=True)
    return path


@functools.cache
def compiled(folder):
    """The object: what the programs made of it differ in is for the linker."""
    source = folder / "program.cc"
    source.write_text(PROGRAM)
    subprocess.run(["g++", "-O1", "-w", "-fPIE", "-c", source, "-o", folder / "program.o"], check=True)
    return folder / "program.o"


def linked(folder, *flags):
    path = folder / "program"
    subprocess.run(["g++", *flags, compiled(folder.parent), "-o", path], check=True)
    return path


def library(name):
    said = subprocess.run(["gcc", f"-print-file-name={name}"], check=True, capture_output=True,
                          text=True)
    return pathlib.Path(said.stdout.strip()).resolve()


FILES = {
    "C++": lambda folder: linked(folder),
    "C++ at fixed addresses": lambda folder: linked(folder, "-no-pie"),
    "C++ with all libraries": lambda folder: linked(folder, "-static"),
    "C++ stripped": lambda folder: linked(folder, "-s"),
    "libc": lambda folder: library("libc.so.6"),
    "libstdc++": lambda folder: library("libstdc++.so.6"),
    "python": lambda folder: pathlib.Path("/usr/bin/python3").resolve(),
}


@pytest.fixture(scope="module", params=FILES)
def file(request, tmp_path_factory):
    return FILES[request.param](tmp_path_factory.mktemp("file"))


@functools.lru_cache(maxsize=16)
def readelf(file, *options):
    return subprocess.run(["readelf", "-W", *options, file], check=True, capture_output=True,
                          text=True, errors="replace").stdout.splitlines()


def code(file):
    """(offset, address, bytes) of the segments that hold code."""
    rows = [line.split() for line in readelf(file, "-l")]
    return [tuple(int(row[i], 16) for i in (1, 2, 4)) for row in rows
            if row[:1] == ["LOAD"] and "E" in row[6:-1]]


def functions(file):
    """(address, size, name) of each function that is defined, without its version."""
    for line in readelf(file, "-s"):
        row = re.match(r"\s*\d+: (\w+)\s+(\w+) (?:FUNC|IFUNC) +\w+ +\w+ +(\d+) (\S+)", line)
        if row:
            yield int(row[1], 16), int(row[2], 0), row[4].split("@")[0]


def with_debug(file):
    """The file, and that of its debugging symbols if it is installed."""
    said = re.search(r"Build ID: (\w\w)(\w+)", "\n".join(readelf(file, "-n")))
    debug = said and pathlib.Path(f"/usr/lib/debug/.build-id/{said[1]}/{said[2]}.debug")
    return [file, debug] if debug and debug.exists() else [file]


def stubs(file):
    """The offsets of .plt."""
    for line in readelf(file, "-S"):
        row = re.search(r" \.plt +PROGBITS +(\w+) (\w+) (\w+)", line)
        if row:
            return range(int(row[2], 16), int(row[2], 16) + int(row[3], 16))
    return range(0)


def offsets(file):
    """First, second, last byte of functions, those around them, and some anywhere."""
    points = set()
    anywhere = random.Random(1)
    known = sorted(set(functions(file)))
    for start, size, _name in anywhere.sample(known, min(len(known), 1000)):
        near = {start - 1, start, start + 1, start + size // 2, start + size - 1, start + size}
        points |= {at - address + offset for offset, address, length in code(file)
                   for at in near if address <= at < address + length}
    for offset, _address, length in code(file):
        points |= {offset + anywhere.randrange(length) for _ in range(1000)}
    return sorted(points)


def names(driver, file, points):
    said = subprocess.run([driver, file], input="\n".join(f"{p:x}" for p in points), check=True,
                          capture_output=True, text=True)
    rows = (line.split(" ", 2) for line in said.stdout.splitlines())
    return {int(offset, 16): (int(address, 16), name) for offset, address, name in rows}


def record(kind, body):
    return struct.pack("<IHH", kind, 2, 8 + len(body)) + body  # 2: of user space


def recording(file, points):
    """A perf.data of one process that maps the code of @file and has a sample at each point."""
    path = bytes(file) + b"\0"
    path += bytes(-len(path) % 8)
    data = record(3, struct.pack("<II16s", 1, 1, b"x"))
    for offset, _address, length in code(file):
        start = offset & ~0xFFF
        data += record(1, struct.pack("<IIQQQ", 1, 1, BASE + start,
                                      (offset + length + 0xFFF & ~0xFFF) - start, start) + path)
    data += b"".join(record(9, struct.pack("<QII", BASE + p, 1, 1)) for p in points)
    attr = struct.pack("<IIQQQQ24x", 1, 64, 0, 1000, 3, 0)  # cpu-clock; ip, pid and tid
    head = struct.pack("<8s8Q32x", b"PERFILE2", 104, 80, 104, 80, 184, len(data), 0, 0)
    return head + attr + bytes(16) + data


def names_of_perf(folder, file, points):
    path = folder / "perf.data"
    path.write_bytes(recording(file, points))
    said = subprocess.run(["perf", "script", "-f", "-i", path, "-F", "ip,sym"], check=True,
                          capture_output=True, text=True)
    rows = (line.split(maxsplit=1) for line in said.stdout.splitlines())
    return {int(ip, 16) - BASE: name for ip, name in rows}


@pytest.mark.skipif(not shutil.which("perf"), reason="install linux-perf (tests/install-deps)")
def test_names_are_what_perf_prints(driver, file, tmp_path):
    """
    But for .plt: there, perf finds _init or a stub's name, depending on how its tree of
    symbols happens to be balanced.
    """
    plt = stubs(file)
    points = [p for p in offsets(file) if p not in plt]
    ours = names(driver, file, points)
    perfs = names_of_perf(tmp_path, file, points)
    assert len(perfs) == len(points) > 100
    assert {p: (n, perfs[p]) for p, (_a, n) in ours.items() if n != perfs[p]} == {}


def test_each_function_has_a_name_of_its_own(driver, file):
    """Those of C, whose names the file has as they are printed."""
    called = {}
    for start, _size, name in (row for each in with_debug(file) for row in functions(each)):
        called.setdefault(start, set()).add(name)
    at = {start - address + offset: start for start in called for offset, address, length
          in code(file) if address <= start < address + length}
    wrong = {}
    for point, (address, name) in names(driver, file, sorted(at)).items():
        assert address == at[point]
        if name == "[unknown]" or not (name.split("@")[0] in called[address] or
                                       any(n.startswith(("_Z", "_R")) for n in called[address])):
            wrong[hex(address)] = name
    assert wrong == {}
