# SPDX-License-Identifier: Apache-2.0
"""A recording taken apart (doc/recorder-format.md), by a reader that shares nothing with the one that is tested."""
import struct

TEXT, INFO, CALL, CODE, LINE, LOSS = 1, 2, 5, 12, 13, 14
LINES_OFF, CALLS = 8, 9  # infos


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def numbers(data):
    at, found = 0, []
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


def unzigzag(value):
    return (value >> 1) ^ -(value & 1)


def sections(path):
    with open(path, "rb") as whole:
        data = whole.read()
    at = 16
    while at + 16 <= len(data):
        _, size, _, _ = struct.unpack_from("<4I", data, at)
        yield data[at + 16:at + 16 + size]
        at += 16 + size


def rows(section):
    at = 0
    while at < len(section):
        size, at = varint(section, at)
        yield section[at], section[at + 1:at + size]
        at += size


class Recording:
    """stacks: thread -> stacks in order of correlation, each of [file, name, first line, line]; losses; infos; calls by name."""

    def __init__(self, path):
        self.texts, self.functions, self.infos, self.losses, self.calls, found = {0: ""}, {}, {}, [], {}, []
        for section in sections(path):
            correlation = 0
            for kind, body in rows(section):
                if kind == TEXT:
                    number, at = varint(body, 0)
                    self.texts[number] = body[at:].decode()
                elif kind == INFO:
                    self.infos[body[0]] = body[1:].decode()
                elif kind == LOSS:
                    self.losses = numbers(body)
                elif kind == CALL:
                    name = self.texts[numbers(body)[1]]
                    self.calls[name] = self.calls.get(name, 0) + 1
                elif kind == CODE:
                    number, file, name, line = numbers(body)
                    self.functions[number] = [self.texts[file], self.texts[name], line]
                elif kind == LINE:
                    fields = numbers(body)
                    correlation += unzigzag(fields[0])
                    found.append((correlation, fields[1], fields[3:]))
        self.stacks = {}
        for _, thread, frames in sorted(found):
            self.stacks.setdefault(thread, []).append(
                [[*self.functions.get(code, ["", "", 0]), line] for code, line in zip(frames[0::2], frames[1::2])])
