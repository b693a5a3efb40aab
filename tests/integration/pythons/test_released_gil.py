# SPDX-License-Identifier: Apache-2.0
"""A thread that has let go of the GIL keeps its whole Python stack."""
LEAST_SAMPLES = 50  # of each thread that works


def entry_of(interpreter):
    """What every thread of `threading` begins with."""
    return "Thread._bootstrap" if interpreter.minor >= 11 else "_bootstrap"


def test_each_sample_is_whole_down_to_the_threads_entry(daemon, start, interpreter, is_long):
    target = start(interpreter, "released.py")
    profile = daemon.record(target.pid, hz=999, seconds=10 if is_long else 1.5).finish()
    tids = {tid: name for name, tid in target.ready.items()}
    met = dict.fromkeys(tids.values(), 0)
    for sample in profile.samples:
        name = tids.get(sample.labels["tid"])
        if not name:
            continue
        functions = [frame.function for frame in sample.frames]
        assert functions[-1] == entry_of(interpreter), functions
        assert name in functions and functions[functions.index(name) + 1] == "run", functions
        assert {frame.kind for frame in sample.frames} == {"[python]"}, sample.frames
        met[name] += sample.count
    print(met)
    met.pop("in_sleep")
    assert all(count >= LEAST_SAMPLES for count in met.values()), met
