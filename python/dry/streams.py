# SPDX-License-Identifier: Apache-2.0
"""For run.py: streams and events of a device that is not here. What is put on which, and what waits for what, is left as marks
in the execution trace.

It lies as steptime_dry_streams.py beside the sitecustomize.py that run.py is. Marks are nodes, words apart by blanks:

    steptime::stream <stream>           what follows goes on it; 0: the usual one
    steptime::record <event> <stream>   the event stands for all that was put on the stream so far
    steptime::await <event> <stream>    what is put on the stream from now on waits for the event
"""
from steptime_dry_plan import count, mark

POOL = 32  # PyTorch hands out so many streams in turn


class State:
    def __init__(self):
        self.torch = None
        self.current = None
        self.streams = self.events = 0


state = State()


def leave(words):
    if state.torch is not None:
        mark(state.torch, f"steptime::{words}")


class Stream:
    device_index, priority, device_type = 0, 0, 1

    def __init__(self, *_, **__):
        state.streams += 1
        self.stream_id = (state.streams - 1) % POOL + 1
        self.before = []

    @property
    def cuda_stream(self):
        return self.stream_id

    @property
    def device(self):
        return state.torch.device("cuda", 0)

    def __eq__(self, other):
        return isinstance(other, Stream) and other.stream_id == self.stream_id

    def __hash__(self):
        return self.stream_id

    def __enter__(self):
        self.before.append(state.current)
        go_on(self)
        return self

    def __exit__(self, *_):
        go_on(self.before.pop())

    def query(self):
        return True

    def is_capturing(self):
        return False

    def record_event(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        event.wait(self)

    def wait_stream(self, other):
        self.wait_event(other.record_event())

    def synchronize(self, *_):
        pass


usual = Stream()
usual.stream_id, state.streams, state.current = 0, 0, usual


def go_on(stream):
    if stream is not None and stream != state.current:
        leave(f"stream {stream.stream_id}")
        state.current = stream


def tell_current():
    """For who begins to observe."""
    if state.current != usual:
        leave(f"stream {state.current.stream_id}")


def entered(stream=None):
    return state.current if stream is None else stream


class Event:
    def __init__(self, *_, **__):
        self.number = 0

    def query(self):
        return True

    def record(self, stream=None):
        if self.number == 0:
            state.events += 1
            self.number = state.events
        leave(f"record {self.number} {(stream or state.current).stream_id}")

    def wait(self, stream=None):
        if self.number:
            leave(f"await {self.number} {(stream or state.current).stream_id}")

    def synchronize(self, *_):
        pass

    def elapsed_time(self, _):
        """Milliseconds that nobody measured."""
        count("value", "Event.elapsed_time()")
        return 1.0
