# SPDX-License-Identifier: Apache-2.0
"""The call tree of a file: what is shown, in which order, and what is told of mistakes."""
import json
import os
import pty

import pytest

from client import check_error

ABC = "A;B;C;D;E 1\nA;B;C;F;G 1\nA;B;H;F 1\n"  # the figure of call-tree.md


def lines(node, depth=0):
    """As the figures have it: name:running,self, two blanks a level."""
    yield f"{'  ' * depth}{node['function']}:{node['running']},{node['self']}"
    for child in node["children"]:
        yield from lines(child, depth + 1)


def shown(answer):
    return [line for tree in answer["trees"] for root in tree["roots"] for line in lines(root)]


def test_the_figure_of_self_and_running_time(tree):
    """T-01 to T-04."""
    answer = tree.json(ABC)
    assert shown(answer) == ["A:3,0", "  B:3,0", "    C:2,0", "      D:1,0", "        E:1,1",
                             "      F:1,0", "        G:1,1", "    H:1,0", "      F:1,1"]
    assert {key: answer[key] for key in answer if key != "trees"} == {
        "format": "collapsed", "unit": "samples", "total": 3, "removed": 0, "root_total": 3,
        "transforms": [], "implementation": "combined", "inverted": False}
    assert [tree["name"] for tree in answer["trees"]] == ["all"]
    node = answer["trees"][0]["roots"][0]
    assert list(node) == ["function", "file", "kind", "running", "self", "children"]
    assert node["file"] is None and node["kind"] == "native"


@pytest.mark.parametrize("transforms, expected, removed", [
    (["merge-node:A;B;C"], ["A:3,0", "  B:3,0", "    D:1,0", "      E:1,1", "    F:1,0",
                            "      G:1,1", "    H:1,0", "      F:1,1"], 0),
    (["merge-node:A;B;C;D;E"], ["A:3,0", "  B:3,0", "    C:2,0", "      D:1,1", "      F:1,0",
                                "        G:1,1", "    H:1,0", "      F:1,1"], 0),
    (["merge-subtree:A;B;C"], ["A:3,0", "  B:3,2", "    H:1,0", "      F:1,1"], 0),
    (["hide:A;B;C"], ["A:1,0", "  B:1,0", "    H:1,0", "      F:1,1"], 2),
    (["focus:A;B;C"], ["C:2,0", "  D:1,0", "    E:1,1", "  F:1,0", "    G:1,1"], 1),
    (["focus:A;B;C", "merge:F"], ["C:2,0", "  D:1,0", "    E:1,1", "  G:1,1"], 1),
    (["drop:H", "focus-function:F"], ["F:1,0", "  G:1,1"], 2),
])
def test_transforms_are_applied_left_to_right(tree, transforms, expected, removed):
    """T-11 to T-17."""
    args = [arg for text in transforms for arg in ("--transform", text)]
    answer = tree.json(ABC, *args)
    assert shown(answer) == expected
    assert answer["transforms"] == transforms
    assert answer["removed"] == removed
    assert answer["total"] == answer["root_total"] + answer["removed"]


def test_inverted(tree):
    """T-19: roots are what ran; their callers have no self time."""
    answer = tree.json(ABC, "--invert")
    assert answer["inverted"] is True
    assert [node["function"] for node in answer["trees"][0]["roots"]] == ["E", "F", "G"]
    for root in answer["trees"][0]["roots"]:
        assert root["self"] == root["running"]
        assert all(child["self"] == 0 for child in root["children"])


@pytest.mark.parametrize("implementation, expected, removed", [
    ("combined", ["main:6,0", "  a:6,1", "    memcpy:3,3", "    do_sys:2,2"], 0),
    ("python", ["main:6,0", "  a:6,6"], 0),
    ("native", ["memcpy:3,3", "do_sys:2,2"], 1),
    ("kernel", ["do_sys:2,2"], 4),
])
def test_implementations(tree, implementation, expected, removed):
    """T-08, T-09: time goes to the nearest caller that is kept."""
    text = ("main (m.py:1);a (m.py:5);memcpy 3\nmain (m.py:1);a (m.py:5);do_sys_[k] 2\n"
            "main (m.py:1);a (m.py:9) 1\n")
    answer = tree.json(text, "--implementation", implementation)
    assert shown(answer) == expected
    assert answer["removed"] == removed


def test_search_and_least_share(tree):
    answer = tree.json(ABC, "--search", "h")
    assert shown(answer) == ["A:1,0", "  B:1,0", "    H:1,0", "      F:1,1"]
    assert answer["removed"] == 2
    assert shown(tree.json(ABC, "--min", "50")) == ["A:3,0", "  B:3,0", "    C:2,0"]


def test_what_is_printed(tree):
    text = tree.text(ABC, "--transform", "hide:A;B;C")
    rows = text.splitlines()
    assert rows[0].split() == ["running", "self", "share", "function", "(file)"]
    assert [row.split() for row in rows[1:5]] == [["1", "0", "100.00%", name] for name in "ABH"] + [
        ["1", "1", "100.00%", "F"]]
    assert rows[5].startswith("removed by transforms and filters:") and "66.67 %" in rows[5]


@pytest.mark.parametrize("args, code, words", [
    (["--transform", "merge:Z"], 3, ["merge", '"Z"', "closest"]),
    (["--transform", "merge-node:A;Z"], 3, ["merge-node", "Z"]),
    (["--transform", "frobnicate:A"], 2, ["frobnicate"]),
    (["--transform", "merge@php:A"], 2, ["php"]),
    (["--transform", "merge:"], 2, ["merge"]),
    (["--transform", "merge"], 2, ["merge"]),
    (["--implementation", "php"], 2, ["php"]),
    (["--by", "age"], 2, ["age"]),
    (["--min", "101"], 2, ["101"]),
    (["--min", "-1"], 2, ["-1"]),
    (["--search", ""], 2, ["search"]),
    (["-p", "1"], 2, ["--input"]),
    (["-d", "1"], 2, ["--input"]),
])
def test_mistakes(tree, args, code, words):
    check_error(tree.run(ABC, *args), code, *words)


def test_an_ambiguous_name_is_2_with_the_candidates(tree):
    done = tree.run("f (a.py:1);g 1\nf (b.py:1);g 1\n", "--transform", "merge:f")
    assert done.returncode == 2 and done.stdout == ""
    first, *candidates = done.stderr.splitlines()
    assert "merge" in first and '"f"' in first
    assert len(candidates) == 2 and "a.py" in candidates[0] and "b.py" in candidates[1]


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02", b"{", b"a;b", b"\x1f\x8b\x08\x00"],
                         ids=["empty", "binary", "cut JSON", "no weight", "cut gzip"])
def test_what_is_no_profile_is_1(tree, content):
    check_error(tree.run(content), 1, "input")


def test_a_folder_or_nothing_is_1(tree, tmp_path):
    for path in (tmp_path, tmp_path / "nowhere"):
        check_error(tree.client.run("tree", "--input", path), 1, path)


def test_it_never_chooses_a_process(tree):
    check_error(tree.client.run("tree"), 2, "--input", "--pid")


def test_standard_input(tree):
    with open(tree.file(ABC)) as text:
        done = tree.client.run("tree", "--input", "-", "--json", stdin=text)
    assert shown(json.loads(done.stdout))[0] == "A:3,0"


def test_a_stack_of_20000_frames(tree):
    names = [f"f{i}" for i in range(20000)]
    answer = tree.text(";".join(names) + " 1\n", "--json")
    assert answer.count('"function"') == 20000
    text = tree.text(";".join(names) + " 1\n")
    assert text.count("\n") == 20001 and "f19999" in text
    assert len(text) < 20000 * 250, "the indentation is bounded"


def test_hostile_names_do_no_harm(tree):
    bad = "esc\x1b[2J;c1\u009b31m;bidi\u202ex;del\x7f 1\n"
    text = tree.text(bad)
    assert not any(ord(c) < 32 and c != "\n" or 0x7f <= ord(c) < 0xa0 or c in "\u202e\u2066"
                   for c in text)
    assert tree.json(bad)["trees"][0]["roots"][0]["function"] == "esc\x1b[2J"
    assert "\ufffd" in json.dumps(tree.json(b"a;\xff\xfe;b 1\n"), ensure_ascii=False)


def test_an_empty_tree_is_an_answer(tree):
    answer = tree.json(ABC, "--implementation", "python")
    assert answer["trees"] == [{"name": "all", "roots": []}]
    assert answer["removed"] == 3 and answer["root_total"] == 0


def on_terminal(argv, environment, columns=60):
    """What a program writes to a terminal of so many columns."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(environment)
        os.execvp("sh", ["sh", "-c", f'stty cols {columns} rows 24; exec "$@"', "sh", *argv])
    out = b""
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        out += more
    os.close(fd)
    assert os.waitpid(pid, 0)[1] == 0
    return out.decode()


def test_a_terminal_gets_colours_and_names_that_fit(tree):
    name = "x" * 100 + "END"
    path = str(tree.file(f"{name};memcpy 1\n"))
    argv = [*tree.client.argv, "tree", "--input", path]
    text = on_terminal(argv, {"LC_ALL": "C.UTF-8"})
    assert "\x1b[34m" in text and name not in text and "END" in text
    plain = on_terminal(argv, {"LC_ALL": "C.UTF-8", "NO_COLOR": "1"})
    assert "\x1b" not in plain
    assert all(len(line) <= 60 for line in plain.splitlines())


def test_what_is_shown_can_be_written(tree, tmp_path):
    """-f: the transformed tree as a profile of any format."""
    out = tmp_path / "out.txt"
    done = tree.run(ABC, "--transform", "merge:B", "-f", "collapsed", "-o", out)
    assert done.returncode == 0, done
    assert sorted(out.read_text().splitlines()) == ["A;C;D;E 1", "A;C;F;G 1", "A;H;F 1"]


def test_what_is_written_keeps_its_samples(tree, tmp_path):
    out = tmp_path / "out.txt"
    done = tree.run("A;B 5\nA 2\n", "--transform", "merge:B", "-f", "collapsed", "--samples",
                    "-o", out)
    assert done.returncode == 0 and "(7 samples" in done.stderr, done
    assert out.read_text() == "A 7\n"
