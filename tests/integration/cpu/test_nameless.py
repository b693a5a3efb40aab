# SPDX-License-Identifier: Apache-2.0
"""What has no name is followed all the same: a process may give itself an empty one."""
from client import Client


def test_a_process_without_a_name_is_followed(new_daemon, start, interpreter):
    target = start(interpreter, "nameless.py")
    daemon = new_daemon()
    listed = {row["pid"]: row for row in daemon.ask("GET", "/v1/processes")["processes"]}
    assert listed[target.pid]["name"] == "" and listed[target.pid]["state"] == "ready"
    frames = daemon.stacks(target.pid)["threads"][0]["frames"]
    assert [frame["function"] for frame in frames] == ["", "<module>"]
    profile = daemon.record(target.pid, hz=499, seconds=0.3).finish()
    assert profile.weight_in("") > 0
    text = Client(daemon.socket).succeed("record", "-p", target.pid, "-d", 0.3, "-r", 499, "-f",
                                         "collapsed", "-t", "-o", "-")
    assert text.count("\n") >= 1
