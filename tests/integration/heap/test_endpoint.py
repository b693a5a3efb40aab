# SPDX-License-Identifier: Apache-2.0
"""GET /v1/heap, as `curl --unix-socket` sees it: who waits, who leaves, who may not ask."""
import contextlib
import http.client
import json
import os
import signal
import subprocess
import threading
import time

import pytest

import interpreters
import targets
from daemon import Connection
from scanned import count_of
from users import NOBODY, as_user, check_refused, get

BIG_BYTES = 400 << 20  # a scan takes long enough to come in between
SMALL = [2000, 1000, 500, 200, 1000]
CLIENTS = 20
PATIENCE_S = 20


class Question:
    """One for the heap of @pid, which waits for its answer."""

    def __init__(self, daemon, pid, uid=0):
        self.connection = Connection(daemon.socket)
        with as_user(uid):
            self.connection.connect()
        self.connection.request("GET", f"/v1/heap?pid={pid}")

    def answer(self):
        """As users.get() has it."""
        got = self.connection.getresponse()
        result = got.status, got.getheader("Content-Type"), got.read()
        self.connection.close()
        return result

    def heap(self):
        status, kind, body = self.answer()
        assert (status, kind) == (200, "application/json"), body
        return json.loads(body)

    def leave(self):
        self.connection.close()


def counts(daemon):
    return daemon.status()["heap"]


def wait_until(is_so, what):
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end, what
        time.sleep(0.005)


def wait_for_asks(daemon, number):
    wait_until(lambda: counts(daemon)["asks"] == number, f"{number} questions wait")


def command_of(pid):
    with open(f"/proc/{pid}/cmdline") as f:
        return f.read()


def worker_ticks(daemon):
    """Processor time of the thread that scans."""
    folder = f"/proc/{daemon.process.pid}/task"
    for tid in os.listdir(folder):
        with open(f"{folder}/{tid}/stat") as f:
            name, fields = f.read().split("(", 1)[1].rsplit(")", 1)
        if name == "spprof-worker":
            return int(fields.split()[11]) + int(fields.split()[12])
    raise AssertionError("no such thread")


@pytest.fixture(scope="module")
def big():
    """A process whose heap takes a while."""
    target = targets.Target([interpreters.debians().path, "-B", targets.program("heap_big.py"),
                             str(BIG_BYTES)])
    yield target
    target.stop()


def test_the_page_is_of_the_process_and_of_now(daemon, start, debian):
    target = start(debian, "heap_types.py", *SMALL)
    before = time.time_ns()
    heap = Question(daemon, target.pid).heap()
    after = time.time_ns()
    with open(f"/proc/{target.pid}/comm") as f:
        assert (heap["pid"], heap["name"]) == (target.pid, f.read().rstrip("\n"))
    assert heap["python"] == debian.version and heap["tier"] == "scan"
    assert heap["allocator"] == "pymalloc"
    assert before <= heap["time_ns"] <= after
    assert 0 < heap["duration_ms"] * 1e6 <= after - before
    with open(f"/proc/{target.pid}/status") as f:
        status = dict(line.split(":", 1) for line in f)
    assert heap["rss_bytes"] == pytest.approx(int(status["VmRSS"].split()[0]) * 1024, rel=0.1)
    anon = int(status["RssAnon"].split()[0]) * 1024
    assert heap["outside"]["anon_bytes"] == pytest.approx(anon, rel=0.1)
    assert 0 < heap["outside"]["other_bytes"] < anon
    arenas = heap["arenas"]
    assert arenas["free_bytes"] == arenas["bytes"] - arenas["live_bytes"]
    assert arenas["fragmentation"] == pytest.approx(arenas["free_bytes"] / arenas["bytes"])
    rows = [(row["bytes"], row["objects"]) for row in heap["types"]]
    assert rows == sorted(rows, reverse=True)


@pytest.mark.parametrize("query", ["", "?pid=", "?pid=0", "?pid=-1", "?pid=a", "?pid=1,2", "?all=1"])
def test_a_heap_is_of_one_process(daemon, query):
    check_refused(get(daemon, "/v1/heap" + query), 400, 2, "pid=N")


def test_other_users_heaps_are_not_told(daemon, big):
    check_refused(get(daemon, f"/v1/heap?pid={big.pid}", NOBODY), 403, 4, big.pid, "another user")


def test_what_is_counted(daemon, start, debian):
    target = start(debian, "heap_types.py", *SMALL)
    gone = subprocess.Popen(["true"])
    gone.wait()
    before = counts(daemon)
    heap = Question(daemon, target.pid).heap()
    Question(daemon, gone.pid).answer()
    after = counts(daemon)
    grown = {name: after[name] - before[name] for name in after}
    assert grown.pop("heap_scan_ns") >= heap["duration_ms"] * 1e6 * 0.99
    assert grown == {name: 0 for name in grown} | {"heap_scans": 1,
                                                   "heap_scanned_bytes": heap["scanned_bytes"]}
    text = get(daemon, "/metrics")[2].decode()
    assert f"\nspprof_heap_scans_total {after['heap_scans']}\n" in text
    assert f"\nspprof_heap_scanned_bytes_total {after['heap_scanned_bytes']}\n" in text


def test_many_who_ask_at_once_share_a_scan_that_is_none_of_before(daemon, big):
    before = counts(daemon)
    asked_ns = time.time_ns()
    questions = [Question(daemon, big.pid) for _ in range(CLIENTS)]
    heaps = [question.heap() for question in questions]
    after = counts(daemon)
    assert all(heap["time_ns"] >= asked_ns for heap in heaps)
    assert all(count_of(heap, "Node") == big.ready["Node"] for heap in heaps)
    scans = after["heap_scans"] - before["heap_scans"]
    shared = after["heap_scans_shared"] - before["heap_scans_shared"]
    assert scans + shared == CLIENTS and scans == len({heap["time_ns"] for heap in heaps})
    assert scans < CLIENTS / 2


def test_others_are_answered_while_a_heap_is_scanned(daemon, big):
    question = Question(daemon, big.pid)
    wait_for_asks(daemon, 1)
    answers = 0
    while counts(daemon)["asks"]:
        assert get(daemon, f"/v1/snapshot?pid={big.pid}")[0] == 200
        answers += 1
    question.heap()
    assert answers >= 3, "they have waited for the scan"


def test_a_client_that_leaves_ends_its_scan(daemon, big):
    Question(daemon, big.pid).heap()
    before = counts(daemon)
    question = Question(daemon, big.pid)
    time.sleep(0.05)
    question.leave()
    wait_for_asks(daemon, 0)
    ticks = worker_ticks(daemon)
    after = counts(daemon)
    assert after["heap_scans_cancelled"] == before["heap_scans_cancelled"] + 1
    assert after["heap_scans"] == before["heap_scans"]
    time.sleep(0.2)
    assert worker_ticks(daemon) - ticks <= 1, "it reads on for nobody"


def test_a_client_that_leaves_takes_nobodys_answer_away(daemon, big):
    first, second = Question(daemon, big.pid), Question(daemon, big.pid)
    third, fourth = Question(daemon, big.pid), Question(daemon, big.pid)
    wait_for_asks(daemon, 4)
    first.leave()
    third.leave()
    assert count_of(second.heap(), "Node") == big.ready["Node"]
    assert count_of(fourth.heap(), "Node") == big.ready["Node"]
    wait_for_asks(daemon, 0)


def test_what_ends_or_becomes_another_while_it_waits_is_not_told(daemon, big, start, debian):
    """Behind a large heap, so that it happens for certain."""
    ends = start(debian, "heap_big.py", 1)
    becomes = start(debian, "heap_big.py", 1)
    questions = [Question(daemon, one.pid) for one in (big, ends, becomes)]
    wait_for_asks(daemon, 3)
    os.kill(ends.pid, signal.SIGKILL)
    ends.process.wait()
    becomes.tell("exec")
    wait_until(lambda: "idle.py" in command_of(becomes.pid), "it becomes another")
    assert counts(daemon)["asks"] == 3, "the large heap is still being read"
    questions[0].heap()
    check_refused(questions[1].answer(), 404, 3, ends.pid, "ended")
    check_refused(questions[2].answer(), 404, 3, becomes.pid, "another program")
    assert becomes.read() == "ready"
    assert count_of(Question(daemon, becomes.pid).heap(), "Node") == 0


def test_a_user_may_wait_for_so_many_and_not_for_more(new_daemon, start, debian):
    daemon = new_daemon(config="recordings_per_user = 2\n")
    target = start(debian, "heap_big.py", BIG_BYTES, user=NOBODY)
    allowed = [Question(daemon, target.pid, NOBODY) for _ in range(2)]
    wait_for_asks(daemon, 2)
    check_refused(Question(daemon, target.pid, NOBODY).answer(), 403, 4, "2 heaps already")
    others = Question(daemon, target.pid)  # root's are not limited
    for question in (*allowed, others):
        assert count_of(question.heap(), "Node") == target.ready["Node"]
    assert Question(daemon, target.pid, NOBODY).answer()[0] == 200
    assert counts(daemon)["heap_scans_refused"] == 1


def test_when_the_daemon_ends_who_waits_is_told_so(new_daemon, big, start, debian):
    daemon = new_daemon()
    small = start(debian, "heap_big.py", 1)
    questions = [Question(daemon, one.pid) for one in (big, small, big)]
    wait_for_asks(daemon, 3)
    begin = time.monotonic()
    daemon.process.send_signal(signal.SIGTERM)
    for question in questions:
        check_refused(question.answer(), 500, 1, "spprofd is ending")
    daemon.process.wait(PATIENCE_S)
    assert time.monotonic() - begin < 2, "no scan is waited for"


def test_clients_that_come_and_go_leave_nothing_behind(daemon, big, start, debian):
    """Some wait, some leave at any moment, some ask for what is refused."""
    small = start(debian, "heap_types.py", *SMALL)
    asleep = subprocess.Popen(["sleep", "300"])
    errors = []

    def come(number):
        try:
            for i in range(6):
                question = Question(daemon, (big, small, asleep)[(number + i) % 3].pid)
                time.sleep(0.03 * ((number + i) % 4))
                if (number + i) % 2:
                    question.leave()
                elif question.answer()[0] not in (200, 422):
                    errors.append(number)
        except (OSError, http.client.HTTPException) as error:
            errors.append(error)

    daemon.status()
    before = len(os.listdir(f"/proc/{daemon.process.pid}/fd"))
    threads = [threading.Thread(target=come, args=(i,)) for i in range(8)]
    with contextlib.ExitStack() as stack:
        stack.callback(asleep.wait)
        stack.callback(asleep.kill)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not errors
    wait_for_asks(daemon, 0)
    wait_until(lambda: len(os.listdir(f"/proc/{daemon.process.pid}/fd")) <= before + 1,
               "descriptors are closed")
