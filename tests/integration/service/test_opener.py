# SPDX-License-Identifier: Apache-2.0
"""The opener, asked by others than spprofd: whoever asks, and whatever they say."""
import json

import pytest

from machine import wait_until

SOCKET = "/run/spprof-perf.sock"
EINVAL = 22
NOBODY = 65534

# Run inside. Says what each request in argv[1] was answered: {"err": N, "descriptors": N}, or
# null where the connection was closed; for argv[2] == "vanish", leaves before it is answered.
CLIENT = """
import array, json, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.settimeout(20)
try:
    s.connect("/run/spprof-perf.sock")
except PermissionError:
    print(json.dumps("refused"))
    sys.exit()
said = []
for request in json.loads(sys.argv[1]):
    try:
        s.send(bytes.fromhex(request))
        if sys.argv[2] == "vanish":
            continue
        data, control, flags, _ = s.recvmsg(64, 1024)
    except (BrokenPipeError, ConnectionResetError):
        data = b""
    if not data:
        said.append(None)
        break
    count = sum(len(array.array("i", part[:len(part) // 4 * 4])) for _, _, part in control)
    said.append({"err": -int.from_bytes(data, "little", signed=True), "descriptors": count})
print(json.dumps(said))
"""


def request(kind=1, cpu=0, period_ns=10_000_000):
    return (kind.to_bytes(4, "little") + cpu.to_bytes(4, "little", signed=True) +
            period_ns.to_bytes(8, "little")).hex()


GOOD = request()
BAD = {
    "another kind": request(kind=2),
    "no kind": request(kind=0),
    "no processor": request(cpu=-1),
    "a processor that cannot be": request(cpu=1 << 30),
    "no period": request(period_ns=0),
    "faster than any clock": request(period_ns=89_999),
    "slower than any clock": request(period_ns=10_000_000_001),
    "an endless period": request(period_ns=2**64 - 1),
    "a byte less": GOOD[:-2],
    "a byte more": GOOD + "00",
    "one byte": "00",
    "far too long": GOOD + "ff" * 60000,
}


@pytest.fixture
def opener(machine):
    """The service without spprofd, which has it for itself while it runs."""
    machine.succeed("systemctl", "stop", "spprofd")
    return Opener(machine)


@pytest.fixture
def unlocked(opener):
    """With a socket that anybody may connect to."""
    opener.machine.succeed("chmod", "666", SOCKET)
    yield opener
    opener.machine.succeed("systemctl", "stop", "spprof-perf.socket", "spprof-perf.service")


class Opener:
    def __init__(self, machine):
        self.machine = machine

    def ask(self, *requests, user=None, way="stay"):
        return json.loads(self.machine.succeed("python3", "-c", CLIENT, json.dumps(requests), way,
                                               user=user))

    def pid(self):
        return self.machine.pid_of("spprof-perf")

    def descriptors(self):
        return len(self.machine.succeed("ls", f"/proc/{self.pid()}/fd").split())


def test_what_is_no_request_gets_an_error_and_no_descriptor(opener):
    """And the next request is answered as if nothing had been."""
    requests = [text for bad in BAD.values() for text in (bad, GOOD)]
    said = dict(zip(BAD, zip(*[iter(opener.ask(*requests))] * 2)))
    for name, (bad, good) in said.items():
        assert bad == {"err": EINVAL, "descriptors": 0}, name
        assert good == {"err": 0, "descriptors": 1}, name
    assert len(said) == len(BAD)


def test_clients_that_vanish_leave_nothing(opener):
    assert opener.ask(GOOD) == [{"err": 0, "descriptors": 1}]
    pid, before = opener.pid(), opener.descriptors()
    for _ in range(5):
        opener.ask(*[GOOD] * 20, way="vanish")
    assert opener.ask(*[GOOD] * 100)[-1] == {"err": 0, "descriptors": 1}
    assert opener.pid() == pid
    wait_until(lambda: opener.descriptors() == before, "no descriptor is left open", 5)


def test_another_user_cannot_connect(opener):
    assert opener.ask(GOOD, user=NOBODY) == "refused"


def test_another_user_who_can_connect_is_turned_away(unlocked):
    """The socket's mode is one lock, the caller's uid the other."""
    cursor = unlocked.machine.cursor()
    assert unlocked.ask(GOOD, user=NOBODY) == [None]
    lines = wait_until(lambda: [entry["MESSAGE"] for entry in
                                unlocked.machine.journal("spprof-perf", cursor)
                                if entry["_COMM"] == "spprof-perf"], "it is told", 10)
    assert len(lines) == 1 and f"uid {NOBODY}" in lines[0], lines
    assert unlocked.ask(GOOD) == [{"err": 0, "descriptors": 1}], "root may"


def test_it_ends_when_nobody_needs_it_and_comes_back(opener):
    assert opener.ask(GOOD) == [{"err": 0, "descriptors": 1}]
    wait_until(lambda: opener.pid() == 0, "the opener has ended", 20)
    about = opener.machine.show("spprof-perf", "Result", "NRestarts")
    assert about == {"Result": "success", "NRestarts": "0"}
    opener.machine.succeed("systemctl", "start", "spprofd")
    assert opener.pid() != 0


def test_the_daemon_goes_on_without_it(machine, target):
    """It has its events; stopping the opener takes none away."""
    running = target("two_thirds.py")
    daemon = machine.pid_of("spprofd")
    machine.succeed("systemctl", "stop", "spprof-perf.service")
    assert machine.show("spprof-perf", "Result") == {"Result": "success"}
    said = machine.succeed("spprofctl", "record", "-p", running.pid, "-d", "1", "-f", "collapsed",
                           "--samples", "-o", "-")
    assert sum(int(line.rsplit(" ", 1)[1]) for line in said.splitlines()) > 20
    assert machine.pid_of("spprofd") == daemon
    machine.succeed("systemctl", "restart", "spprofd")
