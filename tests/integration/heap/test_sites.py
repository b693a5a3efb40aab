# SPDX-License-Identifier: Apache-2.0
"""Where probes go: the allocator's own functions are found in any build, and are the ones."""
import collections
import json
import os
import re
import shutil
import subprocess

import pytest

import interpreters
from daemon import BUILD
from targets import Target, program

READER = os.path.join(BUILD, "integration", "heap_sites_reader")
REFILL = "allocate_from_new_pool"
OBJECT_FUNCTIONS = {f"object {one}" for one in ("malloc", "calloc", "realloc", "free")}
MEM_FUNCTIONS = {f"mem {one}" for one in ("malloc", "calloc", "realloc", "free")}
LIBC_FUNCTIONS = {"malloc", "calloc", "realloc", "free"}
RARE_FUNCTIONS = {"posix_memalign", "aligned_alloc"}  # of the C library, too
TIMES = 50
SIZE = 217  # bytes that nothing else asks for
BLOCK = 432  # bytes: a size class that hardly anything else uses
HOOKS_BYTES = 32  # of a block that a debug build's hooks add, rounded up
POOL_OVERHEAD = 48  # bytes

Said = collections.namedtuple("Said", "sites refill why without")


def parse(text):
    sites = {}
    for line in text.splitlines():
        name, bar, rest = line.partition("|")
        if bar:
            sites[name] = dict(word.split("=", 1) for word in rest.split(" "))
    refill, why = re.search(r"^refill=(\d) why=(.*)$", text, re.M).groups()
    return Said(sites, refill == "1", why, re.search(r"^without=(.*)$", text, re.M)[1])


def read(tier, pid):
    done = subprocess.run([READER, tier, str(pid)], stdout=subprocess.PIPE, check=True, text=True)
    return parse(done.stdout)


def refused(tier, pid):
    done = subprocess.run([READER, tier, str(pid)], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    return done.stderr


def watch(tier, target, functions, work):
    """What of these was hit while the target did that."""
    reader = subprocess.Popen([READER, tier, str(target.pid), *functions], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    try:
        assert reader.stdout.readline() == "ready\n"
        target.tell(json.dumps(work))
        assert target.read() == work[0]
        text = reader.communicate("\n", timeout=60)[0]
    finally:
        reader.kill()
        reader.wait()
    return parse(text)


def values(site):
    """{argument: how often}"""
    return {int(value): int(count) for value, count in re.findall(r"(\d+):(\d+),", site["values"])}


@pytest.fixture
def start():
    running = []

    def one(interpreter, *prefix):
        running.append(Target([*prefix, getattr(interpreter, "path", interpreter), "-B",
                               program("heap_sites.py")]))
        return running[-1]

    yield one
    for target in running:
        target.stop()


def by_interpreter(choose=lambda one: True, short=None):
    """Those that are chosen; at short length only these versions."""
    chosen = [one for one in interpreters.supported() if choose(one)]
    if short and os.environ.get("LONG") != "1":
        chosen = [one for one in chosen if one.version in short]
    return pytest.mark.parametrize("python", chosen, ids=repr)


# --- what is found ---


def calls_its_allocator(python):
    """Not one that was optimised by a profile, as Debian's are, but for the debug build."""
    return "pyenv" in python.path or python.version.endswith(("d", "t"))


def segments(path):
    """[(offset, address, bytes)] of what is loaded of it."""
    text = subprocess.run(["readelf", "-lW", path], stdout=subprocess.PIPE, check=True,
                          text=True).stdout
    return [[int(word, 16) for word in line]
            for line in re.findall(r"LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)", text)]


def symbol_at(path, offset):
    """The name of the function there, or None where the file has no symbols."""
    text = subprocess.run(["nm", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout
    address = next(offset - start + address for start, address, size in segments(path)
                   if start <= offset < start + size)
    below = max(((int(at, 16), name) for at, name in re.findall(r"^(\w+) [tT] (\S+)$", text, re.M)
                 if int(at, 16) <= address), default=(0, None))
    return below[1]


def check_bytes(pid, site):
    """The file has at the offset what the process has at the address."""
    with open(site["file"], "rb") as file, open(f"/proc/{pid}/mem", "rb") as memory:
        file.seek(int(site["offset"], 16))
        memory.seek(int(site["ip"], 16))
        assert file.read(16) == memory.read(16)


@by_interpreter()
def test_every_function_of_the_allocator_is_found(start, python):
    target = start(python)
    growth, trace = read("growth", target.pid), read("trace", target.pid)
    print(growth, trace)
    of_python = OBJECT_FUNCTIONS if python.has_gil else OBJECT_FUNCTIONS | MEM_FUNCTIONS
    assert {name for name, site in trace.sites.items() if site["domain"] == "0"} == of_python
    assert LIBC_FUNCTIONS | RARE_FUNCTIONS <= set(trace.sites)
    assert set(growth.sites) - {REFILL} == LIBC_FUNCTIONS
    assert bool(trace.without) == (python.has_gil and not calls_its_allocator(python))
    assert all(site["most"] == ("512" if python.has_gil and site["domain"] == "0" else "0")
               for site in trace.sites.values())
    for site in [*trace.sites.values(), *growth.sites.values()]:
        check_bytes(target.pid, site)
    has_pools = python.has_gil and python.minor >= 9  # 3.8 has it in its callers
    assert growth.refill == has_pools and bool(growth.why) == (not has_pools)
    if has_pools:
        site = growth.sites[REFILL]
        assert site["size"] == ("1" if python.minor < 12 else "2")
        name = symbol_at(site["file"], int(site["offset"], 16))
        assert name is None or name.split(".")[0] == REFILL


@by_interpreter(lambda one: not one.version.endswith("d"), short=("3.11.2",))
@pytest.mark.parametrize("hook", ["PYTHONMALLOC=debug", "PYTHONTRACEMALLOC=1"])
def test_what_stands_before_the_allocator_makes_no_difference(start, python, hook):
    def offsets(*prefix):
        said = read("trace", start(python, *prefix).pid)
        return {name: site["offset"] for name, site in said.sites.items()}

    assert offsets("env", hook) == offsets()


def test_objects_that_are_in_malloc_are_seen_there(start):
    target = start(interpreters.debians(), "env", "PYTHONMALLOC=malloc")
    trace, growth = read("trace", target.pid), read("growth", target.pid)
    assert {site["domain"] for site in trace.sites.values()} == {"1"}
    assert not growth.refill and "no pools" in growth.why


def test_mimalloc_on_demand(start):
    python = next(one for one in interpreters.supported() if one.minor >= 13 and one.has_gil)
    said = read("trace", start(python, "env", "PYTHONMALLOC=mimalloc").pid)
    sites = {name: site for name, site in said.sites.items() if site["domain"] == "0"}
    assert set(sites) == OBJECT_FUNCTIONS | MEM_FUNCTIONS
    assert {site["most"] for site in sites.values()} == {"0"}


def test_a_file_that_was_deleted_is_refused(start, tmp_path):
    path = shutil.copy(interpreters.debians().path, tmp_path / "python3.11")
    target = start(path, "env", "PYTHONHOME=/usr")
    assert read("growth", target.pid).refill
    os.unlink(path)
    assert "was deleted or replaced on disk" in refused("growth", target.pid)
    assert "was deleted or replaced on disk" in refused("trace", target.pid)


def test_a_c_library_that_was_deleted_is_left_out_and_said(start, tmp_path):
    libraries = subprocess.run(["ldd", interpreters.debians().path], stdout=subprocess.PIPE,
                               check=True, text=True).stdout
    path = shutil.copy(re.search(r"/\S+/libc\.so\.6", libraries)[0], tmp_path)
    target = start(interpreters.debians(), "env", f"LD_LIBRARY_PATH={tmp_path}")
    assert read("growth", target.pid).sites["malloc"]["file"] == path
    os.unlink(path)
    said = read("growth", target.pid)
    assert set(said.sites) == {REFILL} and said.refill
    assert "C library's file was deleted" in said.without


PRELOADED = """
#include <stddef.h>
void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void __libc_free(void *);
void *malloc(size_t size) { return __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return __libc_realloc(old, size); }
void free(void *old) { __libc_free(old); }
"""


def test_a_preloaded_allocator_is_the_one(start, tmp_path):
    source, library = tmp_path / "own.c", tmp_path / "own.so"
    source.write_text(PRELOADED)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
    target = start(interpreters.debians(), "env", f"LD_PRELOAD={library}")
    sites = read("trace", target.pid).sites
    assert {os.path.basename(sites[name]["file"])
            for name in ("malloc", "calloc", "realloc", "free")} == {"own.so"}
    assert os.path.basename(sites["posix_memalign"]["file"]).startswith("libc")
    hit = watch("growth", target, ["malloc"], ["libc", TIMES, SIZE]).sites["malloc"]
    assert values(hit)[SIZE] == TIMES


# --- that they are the ones ---


@by_interpreter(lambda one: one.has_gil and one.minor >= 9, short=("3.9.2", "3.11.2", "3.15.2"))
def test_each_new_pool_is_a_hit_with_its_size_class(start, python):
    size = 4096 if python.minor < 10 else 16384
    pools = 60
    block = BLOCK + HOOKS_BYTES * python.version.endswith("d")
    count = pools * ((size - POOL_OVERHEAD) // block)
    hits = watch("growth", start(python), [REFILL], ["objects", count, BLOCK]).sites[REFILL]
    print(hits)
    seen = values(hits)
    assert set(seen) <= set(range(32))
    assert pools - 2 <= seen[(block - 1) // 16] <= pools + 2


@by_interpreter(short=("3.11.2",))
def test_each_call_of_the_c_library_is_a_hit_and_returns(start, python):
    wanted = {"malloc": SIZE, "calloc": SIZE, "realloc": SIZE + 8, "aligned_alloc": SIZE,
              "posix_memalign": SIZE}
    sites = watch("trace", start(python), [*wanted, "free"], ["libc", TIMES, SIZE]).sites
    print(sites)
    # posix_memalign() may call aligned_alloc().
    assert {name: min(values(sites[name]).get(size), TIMES) for name, size in wanted.items()} == {
        name: TIMES for name in wanted}
    assert int(sites["free"]["hits"]) >= 4 * TIMES
    assert {name for name in wanted if sites[name]["hits"] != sites[name]["returns"]} == set()


@by_interpreter(lambda one: calls_its_allocator(one) and not one.version.endswith("d"),
                short=("3.11.7", "3.13.5t"))
def test_each_call_of_pythons_allocator_is_a_hit_and_returns(start, python):
    wanted = {"object malloc": SIZE, "object calloc": SIZE, "object realloc": SIZE * 2}
    sites = watch("trace", start(python), wanted, ["python", TIMES, SIZE]).sites
    assert {name: values(sites[name])[size] for name, size in wanted.items()} == {
        name: TIMES for name in wanted}
    assert {name for name in wanted if sites[name]["hits"] != sites[name]["returns"]} == set()
