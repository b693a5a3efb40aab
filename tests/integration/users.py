# SPDX-License-Identifier: Apache-2.0
"""Asks a daemon as another user: who connects is who asks."""
import contextlib
import json
import os

from daemon import Connection

NOBODY = 65534
SOMEBODY = 65533  # without an entry in the user database


@contextlib.contextmanager
def as_user(uid):
    """What is connected in here belongs to @uid. Only root can do this."""
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)


def ask(daemon, method, target, uid=0):
    """What is answered: status, content type and body."""
    connection = Connection(daemon.socket)
    with as_user(uid):
        connection.connect()
    connection.request(method, target)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.getheader("Content-Type"), body


def get(daemon, target, uid=0):
    return ask(daemon, "GET", target, uid)


def check_refused(answer, status, code, *words):
    """An error as the control API words it."""
    assert answer[0] == status, answer
    error = json.loads(answer[2])["error"]
    assert error["exit"] == code, error
    for word in words:
        assert str(word) in error["message"], error
