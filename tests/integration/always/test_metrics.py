# SPDX-License-Identifier: Apache-2.0
"""GET /metrics: everything that is counted, in the text format of Prometheus."""
import os
import re
import time

import pytest

from users import NOBODY, check_refused, get

TYPE = "text/plain; version=0.0.4; charset=utf-8"
SAMPLE = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{([a-z_]+)="([^"\\\n]*)"(?:,[a-z_]+="[^"\\\n]*")*\})? '
                    r'(\d+(?:\.\d+)?)')


def metrics(daemon):
    """{(name, label's value or None): number}; the families' types were told before them."""
    status, kind, body = get(daemon, "/metrics")
    assert status == 200 and kind == TYPE
    types, numbers = {}, {}
    lines = body.decode().split("\n")
    assert lines.pop() == "", "the last line ends"
    for line in lines:
        if line.startswith("# HELP "):
            continue
        if line.startswith("# TYPE "):
            name, word = line.split(" ")[2:]
            assert word in ("counter", "gauge") and name not in types, line
            types[name] = word
            continue
        found = SAMPLE.fullmatch(line)
        assert found, line
        name, _, label, number = found.groups()
        assert name in types and (name, label) not in numbers, line
        numbers[name, label] = float(number)
    return numbers


def one(numbers, name):
    return numbers[name, None]


def test_every_counter_of_status_is_there_with_its_number(daemon):
    before, status, after = metrics(daemon), daemon.status(), metrics(daemon)
    for label, number in status["counters"].items():
        name, unit = (label[:-3] + "_seconds", 1e9) if label.endswith("_ns") else (label, 1)
        name = f"spprof_{name}_total"
        assert one(before, name) <= number / unit + 1e-6 and number <= one(after, name) * unit + 1, name
    for reason, number in status["samples"]["lost"].items():
        assert before["spprof_lost_total", reason] <= number <= after["spprof_lost_total", reason]
    for state in ("ready", "starting", "refused"):
        assert ("spprof_processes", state) in after
    assert one(after, "spprof_clock_hz") == one(after, "spprof_sample_hz") == 99
    assert one(after, "spprof_processors") == os.cpu_count()


def test_samples_are_accounted_for_in_every_answer(daemon, start, debian):
    target = start(debian, "two_thirds.py")
    recording = daemon.record(target.pid, hz=999)
    first = metrics(daemon)
    for _ in range(20):
        now = metrics(daemon)
        lost = sum(number for (name, _), number in now.items() if name == "spprof_lost_total")
        assert one(now, "spprof_taken_total") == one(now, "spprof_delivered_total") + lost
        time.sleep(0.02)
    assert one(now, "spprof_sessions") == 1 and one(now, "spprof_clock_hz") == 999
    recording.stop()
    for name in ("spprof_ticks_total", "spprof_delivered_total", "spprof_weight_seconds_total",
                 "spprof_bpf_seconds_total", "process_cpu_seconds_total",
                 "spprof_ticks_due_total"):
        assert one(now, name) > one(first, name), name
    assert one(metrics(daemon), "spprof_sessions") == 0


def test_the_daemon_tells_of_itself_what_the_kernel_does(daemon):
    pid = daemon.process.pid
    numbers = metrics(daemon)
    assert one(numbers, "process_open_fds") == pytest.approx(len(os.listdir(f"/proc/{pid}/fd")), abs=2)
    with open(f"/proc/{pid}/status") as f:
        status = dict(line.split(":", 1) for line in f)
    for part, name in (("anon", "RssAnon"), ("file", "RssFile")):
        kernel = int(status[name].split()[0]) * 1024
        assert numbers["spprof_memory_bytes", part] == pytest.approx(kernel, rel=0.1, abs=1 << 20)
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rpartition(")")[2].split()
    ticks = os.sysconf("SC_CLK_TCK")
    used = (int(fields[11]) + int(fields[12])) / ticks
    assert one(numbers, "process_cpu_seconds_total") == pytest.approx(used, abs=0.2)
    with open("/proc/uptime") as f:
        born = time.time() - float(f.read().split()[0]) + int(fields[19]) / ticks
    assert one(numbers, "process_start_time_seconds") == pytest.approx(born, abs=0.5)


def test_windows_are_bounded(new_daemon, start, debian):
    daemon = new_daemon(config="window_length = 10s\n")
    start(debian, "two_thirds.py")
    time.sleep(1.5)
    early = metrics(daemon)
    time.sleep(11)
    late = metrics(daemon)
    assert one(early, "spprof_window_span_seconds") < 9 < one(late, "spprof_window_span_seconds") < 11.5
    assert one(early, "spprof_window_samples") > 0 and one(late, "spprof_window_bytes") > 0
    assert one(late, "spprof_window_slices") <= 12
    assert one(late, "spprof_window_dropped_slices_total") == 0, "they were old, that is no loss"
    assert one(late, "spprof_window_refused_total") == 0


def test_only_who_sees_all_may_see_them(daemon):
    check_refused(get(daemon, "/metrics", NOBODY), 403, 4, "root", "group spprof")
