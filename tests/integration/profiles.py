# SPDX-License-Identifier: Apache-2.0
"""Reads the three formats that spprof writes: a second opinion, sharing nothing with them."""
import collections
import gzip
import json
import re

Frame = collections.namedtuple("Frame", "function file line first_line kind")
Sample = collections.namedtuple("Sample", "frames count weight labels")  # frames leaf first


class Profile:
    def __init__(self, samples, about, start_ns, duration_ns, interval_ns):
        self.samples = samples
        self.about = about  # of the comments `spprof: KEY=VALUE`
        self.start_ns = start_ns  # Unix
        self.duration_ns = duration_ns
        self.interval_ns = interval_ns

    def weight(self, accept=lambda sample: True):
        return sum(sample.weight for sample in self.samples if accept(sample))

    def count(self):
        return sum(sample.count for sample in self.samples)

    def weight_in(self, function):
        return self.weight(lambda s: any(frame.function == function for frame in s.frames))

    def functions(self):
        return {frame.function for sample in self.samples for frame in sample.frames}

    def pids(self):
        return {sample.labels["pid"] for sample in self.samples}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def message(data):
    """Fields of a protobuf message: number -> list of values."""
    fields = collections.defaultdict(list)
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            assert key & 7 == 2, f"wire type {key & 7}"
            length, at = varint(data, at)
            value = data[at:at + length]
            assert len(value) == length, "cut"
            at += length
        fields[key >> 3].append(value)
    return fields


def one(fields, number):
    return fields[number][-1] if fields[number] else 0


def numbers(values):
    """A repeated number: packed, or not."""
    for value in values:
        if isinstance(value, int):
            yield value
            continue
        at = 0
        while at < len(value):
            number, at = varint(value, at)
            yield number


def signed(number):
    return number - (1 << 64) if number >> 63 else number


class PprofReader:
    """Field numbers: github.com/google/pprof/proto/profile.proto"""

    def __init__(self, data):
        self.top = message(gzip.decompress(data))
        self.strings = [text.decode() for text in self.top[6]]  # strict: it must be UTF-8
        self.mappings = self.by_id(3)
        self.locations = self.by_id(4)
        self.functions = self.by_id(5)
        self.frames = {}

    def by_id(self, number):
        messages = map(message, self.top[number])
        return {one(fields, 1): fields for fields in messages}

    def frame(self, location):
        if location not in self.frames:
            fields = self.locations[location]
            line = message(one(fields, 4))
            function = self.functions[one(line, 1)]
            self.frames[location] = Frame(
                self.strings[one(function, 2)], self.strings[one(function, 4)], one(line, 2),
                one(function, 5), self.strings[one(self.mappings[one(fields, 2)], 5)])
        return self.frames[location]

    def labels(self, values):
        labels = {}
        for fields in map(message, values):
            number = one(fields, 3)
            text = self.strings[one(fields, 2)]
            labels[self.strings[one(fields, 1)]] = text if text else number
        return labels

    def samples(self):
        for fields in map(message, self.top[2]):
            count, weight = map(signed, numbers(fields[2]))
            yield Sample([self.frame(id) for id in numbers(fields[1])], count, weight,
                         self.labels(fields[3]))

    def about(self):
        comments = (self.strings[id] for id in numbers(self.top[13]))
        return dict(re.match(r"spprof: ([^=]*)=(.*)", text, re.S).groups() for text in comments)


def read_pprof(data):
    reader = PprofReader(data)
    types = [message(value) for value in reader.top[1]]
    assert [reader.strings[one(fields, 2)] for fields in types] == ["count", "nanoseconds"]
    return Profile(list(reader.samples()), reader.about(), one(reader.top, 9),
                   one(reader.top, 10), one(reader.top, 12))


def read_collapsed(text):
    """[(texts root first, number)] of each line."""
    lines = text.split("\n")
    assert lines.pop() == "", "the last line ends"
    rows = []
    for line in lines:
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", line), ascii(line)
        stack, number = line.rsplit(" ", 1)
        rows.append((stack.split(";"), int(number)))
    return rows


def unescape(text):
    """The name that stands in a collapsed line."""
    return re.sub(r"\\x([0-9a-f]{2})|\\u(202[89])",
                  lambda found: chr(int(found[1] or found[2], 16)), text)


def read_speedscope(text, unit="nanoseconds"):
    """The file, when it is as www.speedscope.app/file-format-schema.json says."""
    file = json.loads(text)
    frames = file["shared"]["frames"]
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert re.fullmatch(r"spprof@\d+\.\d+\.\d+", file["exporter"])
    assert isinstance(file["name"], str) and file["profiles"]
    assert len({json.dumps(frame) for frame in frames}) == len(frames), "a function is one frame"
    for frame in frames:
        assert frame["name"] and set(frame) <= {"name", "file", "line"}
    for profile in file["profiles"]:
        assert profile["type"] == "sampled" and profile["name"]
        assert profile["unit"] == unit
        assert profile["endValue"] - profile["startValue"] == sum(profile["weights"])
        assert len(profile["samples"]) == len(profile["weights"])
        assert all(0 <= at < len(frames) for stack in profile["samples"] for at in stack)
    return file
