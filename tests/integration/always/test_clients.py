# SPDX-License-Identifier: Apache-2.0
"""Clients that leave in the middle, that say nothing, and that are too many."""
import contextlib
import json
import os
import socket
import time

from users import NOBODY, SOMEBODY, as_user, check_refused, get

CLIENTS = 100
ROUNDS = 7  # of which the first two fill the allocator
SETTLED_S = 20
IDLE_S = 10  # without a request; then a connection is closed
GROWTH_BYTES = 4 << 20  # less than what two rounds of recordings hold; 3 MiB come and go


def connect(daemon, uid=0):
    with as_user(uid):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(30)
        client.connect(daemon.socket)
    return client


def ask(daemon, target, uid=0):
    """A connection that has asked and not read."""
    client = connect(daemon, uid)
    client.sendall(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    return client


def descriptors(daemon):
    return len(os.listdir(f"/proc/{daemon.process.pid}/fd"))


def anonymous_bytes(daemon):
    with open(f"/proc/{daemon.process.pid}/status") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith("RssAnon"))


def wait_until(is_so, why):
    end = time.monotonic() + SETTLED_S
    while not is_so():
        assert time.monotonic() < end, why()
        time.sleep(0.05)


def steady_descriptors(daemon):
    """How many are open while nobody asks: what is opened for the first question stays."""
    daemon.status()
    time.sleep(0.5)
    return descriptors(daemon)


def settle(daemon, before):
    """Sessions have ended, the clock and the descriptors are as before."""
    def state():
        clock = daemon.status()["clock"]
        return clock["sessions"], clock["hz"], descriptors(daemon) <= before

    wait_until(lambda: state() == (0, 99, True), lambda: (state(), before, descriptors(daemon)))


def come(daemon, kinds, uid=0):
    """So many clients at once, of all kinds in turn."""
    clients = []
    for number in range(CLIENTS):
        client = connect(daemon, uid)
        text = kinds[number % len(kinds)]
        if text:
            client.sendall(text.encode())
        clients.append(client)
    return clients


def check_growth(held):
    """Rounds differ by what the allocator has not given back yet; a leak grows with each."""
    assert min(held[-2:]) < max(held[:2]) + GROWTH_BYTES, held


def whole(target):
    return f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n"


def test_a_hundred_clients_that_vanish(new_daemon, start, debian):
    """In the middle of a recording, of a snapshot with a length, of what they say, and before
    they say anything."""
    daemon = new_daemon(config="window_memory = 1MiB\n")  # other Pythons come and go
    target = start(debian, "two_thirds.py")
    kinds = [whole("/v1/profile?all=1&hz=199"),
             whole(f"/v1/snapshot?pid={target.pid}&seconds=60"),
             whole(f"/v1/profile?pid={target.pid}&seconds=60&order=1"),
             "GET /v1/sta", "GET /v1/status HTTP/1.1\r\nHos", ""]
    before, held = steady_descriptors(daemon), []
    for _ in range(ROUNDS):
        clients = come(daemon, kinds)
        half = sum(kind.startswith("GET /v1/p") or "snapshot" in kind for kind in kinds)
        wait_until(lambda: daemon.status()["clock"]["sessions"] >= CLIENTS // len(kinds) * half,
                   lambda: daemon.status()["clock"])
        time.sleep(0.5)
        for client in clients:
            client.close()
        settle(daemon, before)
        held.append(anonymous_bytes(daemon))
    print(f"{before} descriptors, RssAnon after each round: {held}")
    check_growth(held)
    daemon.check_balance()


def test_clients_that_leave_at_once(new_daemon, start, debian):
    """Gone before their question is answered, a hundred one after another, three times."""
    daemon = new_daemon(config="window_memory = 1MiB\n")
    target = start(debian, "two_thirds.py")
    targets = ["/v1/status", f"/v1/snapshot?pid={target.pid}", "/v1/profile?all=1&recent=10",
               f"/v1/processes/{target.pid}/stacks", "/metrics", "/v1/profile?all=1",
               f"/v1/snapshot?pid={target.pid}&seconds=5"]
    before, held = steady_descriptors(daemon), []
    for _ in range(ROUNDS):
        for number in range(CLIENTS):
            ask(daemon, targets[number % len(targets)]).close()
        settle(daemon, before)
        held.append(anonymous_bytes(daemon))
    print(f"RssAnon after each round: {held}")
    check_growth(held)


def test_who_asks_nothing_is_sent_away(daemon):
    """Also who asks byte by byte. Who waits for an answer stays."""
    with contextlib.ExitStack() as stack:
        waits = stack.enter_context(ask(daemon, "/v1/profile?all=1&seconds=14"))
        silent, half, drips, idle = (stack.enter_context(connect(daemon)) for _ in range(4))
        begun = time.monotonic()
        half.sendall(b"GET /v1/status HT")
        idle.sendall(whole("/v1/status").encode())
        assert idle.recv(1 << 16).startswith(b"HTTP/1.1 200")
        left, ended = {silent: "silent", half: "half", drips: "drips", idle: "idle"}, {}
        drips.sendall(b"GET /v1/status HTTP/1.1\r\nX-Slow: ")
        for client in left:
            client.settimeout(0.05)
        while left and time.monotonic() < begun + 3 * IDLE_S:
            if drips in left:
                with contextlib.suppress(BrokenPipeError):
                    drips.sendall(b"x")
            for client in list(left):
                with contextlib.suppress(TimeoutError, ConnectionResetError):
                    if client.recv(1 << 16):
                        continue
                    ended[left.pop(client)] = time.monotonic() - begun
            time.sleep(0.2)
        print(ended)
        assert not left, left.values()
        assert all(IDLE_S - 1 < when < IDLE_S + 4 for when in ended.values()), ended
        waits.settimeout(30)
        answer = b""
        while b"\r\n0\r\n" not in answer:
            more = waits.recv(1 << 16)
            assert more, "the recording was cut off"
            answer += more
        assert answer.startswith(b"HTTP/1.1 200")


def is_served(client):
    """Whether its question is answered with 200; else it was told why not, or sent away."""
    try:
        client.sendall(whole("/v1/status").encode())
        answer = client.recv(1 << 16)
    except (BrokenPipeError, ConnectionResetError):
        return False
    if answer and not answer.startswith(b"HTTP/1.1 200"):
        assert answer.startswith(b"HTTP/1.1 503"), answer
        error = json.loads(answer.split(b"\r\n\r\n", 1)[1])["error"]
        assert error["exit"] == 1 and "spprofd" in error["message"], error
    return answer.startswith(b"HTTP/1.1 200")


def test_one_users_connections_keep_nobody_out(new_daemon):
    daemon = new_daemon(config="connections = 16\nconnections_per_user = 4\n")
    before = steady_descriptors(daemon)
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connect(daemon, NOBODY)) for _ in range(10)]
        assert [is_served(client) for client in clients] == [True] * 4 + [False] * 6
        assert get(daemon, "/v1/status", SOMEBODY)[0] == 200
        roots = [stack.enter_context(connect(daemon)) for _ in range(8)]
        assert all(is_served(client) for client in roots), "root has no such limit"
        assert get(daemon, "/v1/status")[0] == 200
        clients[0].close()
        wait_until(lambda: is_served(connect(daemon, NOBODY)), lambda: "no room again")
    wait_until(lambda: descriptors(daemon) <= before, lambda: (before, descriptors(daemon)))


def test_one_who_may_have_all_connections_leaves_some(new_daemon):
    """No limit for one user below that of all: others are served all the same."""
    daemon = new_daemon(config="connections = 8\nconnections_per_user = 4096\n")
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connect(daemon, NOBODY)) for _ in range(20)]
        assert [is_served(client) for client in clients].count(True) == 6
        assert get(daemon, "/v1/status", SOMEBODY)[0] == 200
        assert get(daemon, "/v1/status")[0] == 200


def test_limits_are_read_again(new_daemon):
    daemon = new_daemon(config="connections_per_user = 4\n")
    daemon.configure("connections_per_user = 2\n")
    daemon.reload()
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connect(daemon, NOBODY)) for _ in range(4)]
        assert [is_served(client) for client in clients] == [True, True, False, False]


def test_the_client_says_why_it_was_refused(new_daemon):
    daemon = new_daemon(config="connections = 4\nconnections_per_user = 1\n")
    with connect(daemon, NOBODY) as client:
        assert is_served(client)
        check_refused(get(daemon, "/v1/status", NOBODY), 503, 1, "as one user may have")
