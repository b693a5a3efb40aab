# SPDX-License-Identifier: Apache-2.0
"""Hierarchies of perf's files against what the text of `perf script` gives by the definitions."""
import json
import re
import subprocess

import pytest

import oracle
from client import check_error
from perf_files import DATA, data, read
from oracle import Truth
from report import Report

EXACT = 1e-6  # points: what the digits of JSON may cost
NAMES = ["main", "work", "leaf_a", "leaf_b", "fib", "ping"]
LISTS = {
    "rec": NAMES,
    "tmpl": ["main", "mapwork", "Matrix::operator()", "Matrix::operator<", "with_inlines"],
    "adv": ["thr", "main", "loop", "Iter::operator--", "Iter::operator|", "Iter::operator%",
            "odd--12.00%--name", "---dashes with spaces", "|pipe start", "99.00% looks like entry"],
    "multi": ["main", "Matrix::operator()", "mapwork"],
}
EVENTS = {"rec": ["cpu-clock"], "tmpl": ["cpu-clock"], "adv": ["cpu-clock"],
          "multi": ["cpu-clock", "task-clock"]}
PRUNED = ["rec.children.caller", "rec.children.limit5", "rec.children.nsamples",
          "rec.children.header", "rec.children.period", "rec.nochildren.caller",
          "tmpl.children.caller", "adv.children.caller", "multi.children.caller"]
REFUSED = ["rec.children.fractal", "rec.children.callee", "rec.children.sortsym", "rec.hierarchy",
           "rec.address", "rec.nochildren.callee", "rec.nochildren.flat", "rec.nochildren.folded",
           "multi.group"]


def samples_of(program, event=None, has_addresses=False):
    samples = list(oracle.read_script(read(data(f"{program}.script.txt")), has_addresses))
    return oracle.of_event(samples, event) if event else samples


def check_form(answer, is_mean=False):
    """What must hold of any answer, whatever it is of: V1 to V7, order, sums, both shares. A
    mean of ratios is not the ratio of means.
    """
    entries = {entry["symbol"]: entry for entry in answer["entries"]}
    assert len(entries) == len(answer["entries"])
    keys = [(-e["original_children_pct"], e["symbol"].encode()) for e in answer["entries"]]
    assert keys == sorted(keys)
    into = dict.fromkeys(entries, 0)
    for entry in answer["entries"]:
        assert 0 <= entry["adjusted_children_pct"] <= entry["original_children_pct"] + EXACT
        assert entry["original_children_pct"] <= 100 + EXACT
        assert entry["is_caller"] == bool(entry["callees"])
        keys = [(-c["absolute_pct"], c["callee"].encode()) for c in entry["callees"]]
        assert keys == sorted(keys)
        assert len({c["callee"] for c in entry["callees"]}) == len(keys)
        for relation in entry["callees"]:
            assert relation["caller"] == entry["symbol"] != relation["callee"]
            assert 0 < relation["relative_pct"] <= 100 + EXACT
            assert is_mean or abs(entry["original_children_pct"] * relation["relative_pct"] / 100
                                  - relation["absolute_pct"]) < EXACT
            into[relation["callee"]] += relation["absolute_pct"]
    if answer["exact"]:
        assert answer["error_pct"] == 0
        for symbol, entry in entries.items():
            assert abs(entry["adjusted_children_pct"] + into[symbol]
                       - entry["original_children_pct"]) < EXACT
    check_tree(answer["tree"], is_mean)


def check_tree(nodes, is_mean, above=(), share=100):
    keys = [(-node["absolute_pct"], node["symbol"].encode()) for node in nodes]
    assert keys == sorted(keys)
    assert len({node["symbol"] for node in nodes}) == len(nodes)
    for node in nodes:
        assert node["symbol"] not in above
        assert is_mean or abs(share * node["relative_pct"] / 100 - node["absolute_pct"]) < EXACT
        check_tree(node["callees"], is_mean, (*above, node["symbol"]), node["absolute_pct"])


def check_exact(answer, samples, is_target=lambda symbol: True):
    truth = Truth(samples, is_target)
    check_form(answer)
    assert oracle.differences(oracle.shares_of(answer), truth.shares(), EXACT) == []
    assert answer["exact"] is True and answer["error_pct"] == 0
    assert answer["total"] == truth.total


def check_pruned(answer, samples, text, is_target=lambda symbol: True):
    """Within its own bound, which is no larger than what the report has really lost."""
    truth = Truth(samples, is_target)
    check_form(answer)
    bound = answer["error_pct"]
    assert oracle.differences(oracle.shares_of(answer), truth.shares(), bound + EXACT) == []
    assert answer["exact"] is False
    column = {"samples": "Samples", "period": "Period", "percent": None}[answer["unit"]]
    shown = Report(text, answer["event"], column, truth.total).shown_pct()
    assert bound <= 100 - shown + 1.5


def lists(program):
    """All symbols, and the issue's or like lists; as arguments, and whether a name is meant."""
    yield ["/./"], lambda symbol: True
    names = LISTS[program]
    yield [f"={name}" for name in names], lambda symbol: symbol in names


def arguments(targets):
    return [arg for target in targets for arg in ("--targets", target)]


@pytest.mark.parametrize("program", LISTS)
def test_a_script_is_exact(hierarchy, program):
    for event in EVENTS[program]:
        for targets, is_target in lists(program):
            answer = hierarchy.json(*arguments(targets), "--input", data(f"{program}.script.txt"),
                                    "--event", event)
            check_exact(answer, samples_of(program, event), is_target)
            assert answer["format"] == "perf-script" and answer["unit"] == "period"
            assert answer["mode"] is None and answer["order"] is None
            assert answer["event"] == event and sorted(answer["events"]) == EVENTS[program]


def test_the_fields_of_a_script_do_not_matter(hierarchy):
    check_exact(hierarchy.json("--input", data("rec.script.F.txt")), samples_of("rec"))


@pytest.mark.parametrize("program", LISTS)
def test_a_lossless_report_is_exact(hierarchy, program):
    for event in EVENTS[program]:
        for targets, is_target in lists(program):
            answer = hierarchy.json(*arguments(targets), "--input",
                                    data(f"{program}.lossless.txt"), "--event", event)
            samples = oracle.counted(samples_of(program, event, has_addresses=True))
            check_exact(answer, samples, is_target)
            assert answer["format"] == "perf-report" and answer["unit"] == "samples"
            assert answer["mode"] == "graph" and answer["order"] == "caller"
            assert answer["event"] == event and answer["events"] == EVENTS[program]


@pytest.mark.parametrize("args", [["rec.lossless.txt"], ["rec.script.txt"],
                                  ["rec.perf.data", "--symfs", DATA]], ids=lambda args: args[0])
def test_the_numbers_of_the_issue(hierarchy, args):
    """Of 435 samples; the rest of `perf script` is in the names of libc and the kernel."""
    answer = hierarchy.json("--targets", ",".join(NAMES), "--input", data(args[0]), *args[1:])
    check_form(answer)
    rows = [(e["symbol"], round(e["original_children_pct"] * 4.35, 6),
             round(e["original_children_pct"], 2), round(e["adjusted_children_pct"], 2))
            for e in answer["entries"]]
    assert rows == [("main", 348, 80.00, 80.00), ("leaf_a", 255, 58.62, 0),
                    ("work", 215, 49.43, 0), ("fib", 102, 23.45, 0), ("leaf_b", 68, 15.63, 0),
                    ("ping", 15, 3.45, 0)]
    relations = [(c["caller"], c["callee"], round(c["absolute_pct"] * 4.35, 6),
                  round(c["relative_pct"], 2)) for e in answer["entries"] for c in e["callees"]]
    assert sorted(relations) == [
        ("fib", "leaf_a", 82, 80.39), ("fib", "leaf_b", 12, 11.76), ("main", "fib", 102, 29.31),
        ("main", "ping", 15, 4.31), ("main", "work", 215, 61.78), ("ping", "leaf_a", 10, 66.67),
        ("ping", "leaf_b", 4, 26.67), ("work", "leaf_a", 163, 75.81), ("work", "leaf_b", 52, 24.19)]
    assert [node["symbol"] for node in answer["tree"]] == ["main"]
    assert answer["exact"] is True and answer["error_pct"] == 0


def in_that_machine(samples, program):
    """Names that only the machine of the recording could tell are [unknown] here."""
    known = {symbol for sample in samples for symbol in sample.symbols
             if re.search(rf"\b{re.escape(symbol)}\(", program)}
    return [sample._replace(symbols=tuple(symbol if symbol in known else oracle.UNKNOWN
                                          for symbol in sample.symbols)) for sample in samples]


def test_a_recording_is_exact(hierarchy):
    answer = hierarchy.json("--input", data("rec.perf.data"), "--symfs", DATA)
    check_form(answer)
    assert answer["format"] == "perf-data" and answer["exact"] is True
    samples = in_that_machine(samples_of("rec"), read(data("rec.c")))
    named = {entry["symbol"] for entry in answer["entries"]
             if not re.fullmatch("0x[0-9a-f]+", entry["symbol"])}
    assert named == {symbol for sample in samples for symbol in sample.symbols} - {oracle.UNKNOWN}
    answer = hierarchy.json(*arguments(f"={name}" for name in named), "--input",
                            data("rec.perf.data"), "--symfs", DATA)
    check_exact(answer, samples, lambda symbol: symbol in named)


@pytest.mark.parametrize("name", PRUNED)
def test_a_pruned_report_says_how_far_off_it_is(hierarchy, name):
    program = name.split(".")[0]
    text = read(data(f"{name}.txt"))
    for event in EVENTS[program]:
        samples = samples_of(program, event, has_addresses=True)
        for targets, is_target in lists(program):
            answer = hierarchy.json(*arguments(targets), "--input", data(f"{name}.txt"),
                                    "--event", event)
            check_pruned(answer, samples, text, is_target)
            assert answer["unit"] == ("period" if "period" in name else "percent")


def test_mangled_names_are_names(hierarchy):
    """perf report --no-demangle: the same shares, by the names that the linker knows."""
    name = "tmpl.nodemangle"
    answer = hierarchy.json("--input", data(f"{name}.txt"))
    symbols = sorted(entry["symbol"] for entry in answer["entries"])
    done = subprocess.run(["c++filt", "-p"], input="\n".join(symbols), stdout=subprocess.PIPE,
                          text=True, check=True)
    demangled = dict(zip(symbols, done.stdout.split("\n")))
    truth = Truth(samples_of("tmpl", has_addresses=True)).shares()
    told = oracle.shares_of(answer).children
    told = {demangled[symbol]: share for symbol, share in told.items()}
    assert "_Z7mapworki" in symbols
    for symbol, share in told.items():
        assert abs(share - truth.children.get(symbol, 0)) <= answer["error_pct"], symbol


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_right_is_refused_with_the_way_out(hierarchy, name):
    done = hierarchy.run("--targets", "main", "--input", data(f"{name}.txt"))
    check_error(done, 1, f"{name}.txt", "perf report", "-g graph,0,caller,function,count")


def test_a_report_without_call_graphs(hierarchy):
    args = ["--targets", ",".join(NAMES), "--input", data("rec.gnone.txt")]
    answer = hierarchy.json(*args)
    truth = Truth(samples_of("rec"), lambda symbol: symbol in NAMES).shares()
    for entry in answer["entries"]:
        assert entry["callees"] == [] and entry["is_caller"] is False
        assert entry["adjusted_children_pct"] == entry["original_children_pct"]
        assert abs(entry["original_children_pct"] - truth.children[entry["symbol"]]) <= 0.01
        assert abs(entry["original_self_pct"] - truth.own.get(entry["symbol"], 0)) <= 0.01
    assert len(answer["entries"]) == len(NAMES)
    assert any("call" in line for line in answer["warnings"]) and answer["mode"] == "none"
    done = hierarchy.run(*args)
    assert done.returncode == 0 and "call" in done.stderr and "main" in done.stdout


ADDRESSES = """\
# Samples: 10  of event 'page-faults'
# Event count (approx.): 1000
#
# Children      Self  Command  Shared Object  Symbol
# ........  ........  .......  .............  ......................
#
    60.00%    60.00%  python3  libc.so.6      [.] memset
            |
            ---0x7f04f8a57ce0
               memset

    60.00%     0.00%  python3  [unknown]      [.] 0x00007f04f8a57ce0
            |
            ---0x7f04f8a57ce0
               memset

"""


def test_an_address_is_one_symbol(hierarchy):
    """perf writes it in one way as an entry and in another in a graph."""
    answer = hierarchy.json("--input", hierarchy.file(ADDRESSES))
    told = oracle.shares_of(answer)
    assert told.children == {"0x7f04f8a57ce0": 60, "memset": 60}
    assert told.relations == {("0x7f04f8a57ce0", "memset"): 60}
    assert answer["error_pct"] <= 41.5


def test_a_script_without_call_chains(hierarchy):
    text = ("c 5 [001] 1.5: 10 cpu-clock:  7ffe f+0x1 (/a)\n"
            "c 5 [001] 1.6: 30 cpu-clock:  7ffe g+0x1 (/a)\n")
    answer = hierarchy.json("--input", hierarchy.file(text))
    assert [(e["symbol"], e["original_children_pct"], e["adjusted_children_pct"], e["callees"])
            for e in answer["entries"]] == [("g", 75, 75, []), ("f", 25, 25, [])]
    assert any("call" in line for line in answer["warnings"])


def test_the_name_of_an_event_may_be_any_bytes(hierarchy):
    text = b"c 5 [001] 1.5: 10 cpu-\xffclock: \n\t1 f (/b)\n\n"
    answer = hierarchy.json("--input", hierarchy.file(text))
    assert answer["events"] == ["cpu-\ufffdclock"] == [answer["event"]]


def test_the_mean_over_inputs(hierarchy):
    """0 where a symbol is absent: one does not call leaf_a, nor has it fib."""
    first = "main;work;leaf_a 60\nmain;fib;leaf_a 40\n"
    second = "main;work 50\nmain 50\n"
    inputs = [arg for i, text in enumerate([first, second])
              for arg in ("--input", hierarchy.file(text, f"input{i}"))]
    answer = hierarchy.json(*inputs, "--targets", "main,work,fib,leaf_a")
    told = oracle.shares_of(answer)
    assert told.children == {"main": 100, "work": 55, "leaf_a": 50, "fib": 20}
    assert told.own == {"main": 25, "work": 25, "leaf_a": 50, "fib": 0}
    assert told.relations == {("main", "work"): 55, ("work", "leaf_a"): 30, ("main", "fib"): 20,
                              ("fib", "leaf_a"): 20}
    assert told.tree[("main", "work", "leaf_a")] == 30
    assert answer["entries"][1]["callees"][0]["relative_pct"] == 50  # of 100 and of nothing
    check_form(answer, is_mean=True)


def test_the_mean_of_perfs_inputs(hierarchy):
    files = ["rec.script.txt", "rec.children.caller.txt"]
    answers = [hierarchy.json("--input", data(name), "--targets", ",".join(NAMES))
               for name in files]
    both = hierarchy.json(*(arg for name in files for arg in ("--input", data(name))),
                          "--targets", ",".join(NAMES))
    check_form(both, is_mean=True)
    first, second = map(oracle.shares_of, answers)
    mean = oracle.Shares(*({key: (a.get(key, 0) + b.get(key, 0)) / 2 for key in {**a, **b}}
                           for a, b in zip(first, second)))
    assert oracle.differences(oracle.shares_of(both), mean, EXACT) == []
    assert both["exact"] is False and both["error_pct"] <= answers[1]["error_pct"]


def test_standard_input(hierarchy):
    for name in ("rec.script.txt", "rec.lossless.txt", "rec.perf.data"):
        with open(data(name), "rb") as file:
            answer = hierarchy.json("--input", "-", "--targets", ",".join(NAMES), "--symfs", DATA,
                                    stdin=file)
        assert oracle.shares_of(answer).relations[("work", "leaf_b")] * 4.35 == pytest.approx(52)


def test_targets_of_a_file(hierarchy):
    names = hierarchy.file("main\n\nwork\nleaf_a\n", "names")
    args = ["--input", data("rec.script.txt")]
    from_file = hierarchy.json("--targets-file", names, "--targets", "fib", *args)
    assert from_file == hierarchy.json("--targets", "main,work", "--targets", "leaf_a,fib", *args)
    commas = hierarchy.file("=f(int, int)\n", "commas")
    text = hierarchy.file("f(int, int);g 1\n", "text")
    assert [e["symbol"] for e in hierarchy.json("--targets-file", commas, "--input",
                                                text)["entries"]] == ["f(int, int)"]


@pytest.mark.parametrize("targets, expected", [
    ("work", ["Worker.work", "work", "work(int)"]),
    ("net", []),
    ("Worker.work", ["Worker.work"]),
    ("~net", ["__network"]),
    ("=work", ["work"]),
    ("=work(int)", ["work(int)"]),
    ("/^w.*k$/", ["work"]),
    ("/work(?=\\()/", ["work(int)"]),
    ("f", ["a::f<int>(char)"]),
    ("a::f", ["a::f<int>(char)"]),
    ("~<int>", ["a::f<int>(char)"]),
])
def test_what_a_target_means(hierarchy, targets, expected):
    text = "work;Worker.work;__network;work(int);a::f<int>(char) 1\n"
    done = hierarchy.run("--targets", targets, "--input", hierarchy.file(text), "--json")
    if not expected:
        check_error(done, 3, targets)
        return
    assert sorted(e["symbol"] for e in json.loads(done.stdout)["entries"]) == expected


def test_events(hierarchy):
    path = data("multi.lossless.txt")
    first = hierarchy.json("--input", path, "--targets", "main")
    assert first["event"] == "cpu-clock" and first["events"] == ["cpu-clock", "task-clock"]
    assert any("task-clock" in line for line in first["warnings"])
    second = hierarchy.json("--input", path, "--targets", "main", "--event", "task-clock")
    assert second["event"] == "task-clock" and second["warnings"] == []
    check_error(hierarchy.run("--input", path, "--targets", "main", "--event", "cycles"), 2,
                "cycles", "cpu-clock", "task-clock")


@pytest.mark.parametrize("args, code, words", [
    ([], 2, ["--targets"]),
    (["--targets", ""], 2, ["--targets"]),
    (["--targets", ","], 2, ["target", "empty"]),
    (["--targets", "main,"], 2, ["target", "empty"]),
    (["--targets", "/(/"], 2, ["/(/"]),
    (["--targets", "//"], 2, ["//"]),
    (["--targets", "main", "--order", "sideways"], 2, ["sideways"]),
    (["--targets", "main", "--event", "nope"], 2, ["nope", "cpu-clock"]),
    (["--targets", "leaf_c"], 3, ["leaf_c", "leaf_a"]),
    (["--targets", "main", "-p", "1"], 2, ["--input"]),
])
def test_mistakes(hierarchy, args, code, words):
    check_error(hierarchy.run("--input", data("rec.script.txt"), *args), code, *words)


def test_it_never_chooses_a_process(hierarchy):
    check_error(hierarchy.run("--targets", "main"), 2, "--input")


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b"hello\n", b"# Samples: 3  of event 'x'\n",
                                     b"PERFILE2", b"PERFILE2" + bytes(96)],
                         ids=["empty", "binary", "text", "no entries", "cut", "no attributes"])
def test_what_is_no_profile_is_1(hierarchy, content):
    check_error(hierarchy.run("--targets", "main", "--input", hierarchy.file(content)), 1, "input")


def test_what_is_not_there_is_1(hierarchy, tmp_path):
    for path in (tmp_path, tmp_path / "nowhere"):
        check_error(hierarchy.run("--targets", "main", "--input", path), 1, path)


@pytest.mark.parametrize("name", ["rec.script.txt", "rec.lossless.txt", "rec.children.caller.txt",
                                  "rec.perf.data", "multi.lossless.txt"])
def test_a_file_cut_anywhere(hierarchy, name, is_long):
    """A warning, or 1; never a signal, nor numbers that claim to be exact."""
    with open(data(name), "rb") as file:
        content = file.read()
    step = len(content) // (400 if is_long else 12)
    for length in range(1, len(content), step):
        done = hierarchy.run("--targets", "/./", "--input", hierarchy.file(content[:length]),
                             "--symfs", DATA, "--json")
        assert done.returncode in (0, 1), (length, done)
        if done.returncode == 1:
            check_error(done, 1, "input")


GOLDEN = """\
Children%   Self%  Function
    80.00    0.00  main
    61.78    0.00      work
    75.81   58.62          leaf_a
    24.19   15.40          leaf_b
    29.31    1.84      fib
    80.39   58.62          leaf_a
    11.76   15.40          leaf_b
     4.31    0.00      ping
    66.67   58.62          leaf_a
    26.67   15.40          leaf_b
     0.00   58.62  leaf_a
     0.00    0.00  work
     0.00    1.84  fib
     0.00   15.40  leaf_b
     0.00    0.00  ping
"""


def test_the_text(hierarchy):
    """Byte by byte; no escape sequence in a pipe."""
    text = hierarchy.text("--targets", ",".join(NAMES), "--input", data("rec.script.txt"))
    assert text == GOLDEN


def test_sorted_by_self(hierarchy):
    args = ["--targets", ",".join(NAMES), "--input", data("rec.script.txt")]
    rows = [line.split() for line in hierarchy.text("--self", *args).splitlines()[1:]
            if not line[19:].startswith(" ")]
    assert [row[-1] for row in rows][:3] == ["leaf_a", "leaf_b", "fib"]


def test_explained(hierarchy):
    """The paths that a number is made of, and their factors."""
    args = ["--targets", "main,work,leaf_a", "--input", data("rec.script.txt")]
    text = hierarchy.text("--explain", *args)
    assert "only_child1" in text or "work" in text
    assert "61.78" in text and "75.81" in text
    assert text.startswith(hierarchy.text(*args).splitlines()[0])


def test_hostile_names_do_no_harm(hierarchy):
    path = hierarchy.file("esc\x1b[2J;c1\u009b31m;bidi\u202ex;del\x7f 1\n")
    text = hierarchy.text("--targets", "/./", "--input", path)
    assert not any(ord(c) < 32 and c != "\n" or 0x7f <= ord(c) < 0xa0 or c in "\u202e\u2066"
                   for c in text)
    assert "esc\x1b[2J" in {e["symbol"] for e in hierarchy.json("--input", path)["entries"]}
