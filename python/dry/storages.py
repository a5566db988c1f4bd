# SPDX-License-Identifier: Apache-2.0
"""For run.py: storages while they live, and the events of their lives; memory.py has their form.

It lies as steptime_dry_storages.py beside the sitecustomize.py that run.py is.
"""
import weakref

from steptime_dry_plan import place


def storage_of(tensor):
    """Of a tensor that is spread over ranks, what this one has."""
    try:
        return getattr(tensor, "_local_tensor", tensor).untyped_storage()
    except (NotImplementedError, RuntimeError):  # sparse ones have several
        return None


class Storages:
    """Each with a number of its own."""

    def __init__(self, torch):
        self.torch = torch
        self.numbers = {}  # by address
        self.kinds = set()  # numbers of those whose kind is told
        self.sent = set()  # and of those that were sent or received
        self.events = []
        self.made = 0
        self.phase = "forward"

    def add(self, storage):
        if storage is None or storage._cdata in self.numbers:
            return
        self.made += 1
        self.numbers[storage._cdata] = self.made
        self.events.append(f"+\t{self.made}\t{storage.nbytes()}\t{self.phase}\t{place()}")
        weakref.finalize(storage, self.drop, storage._cdata, self.made)

    def drop(self, address, number):
        if self.numbers.get(address) == number:
            del self.numbers[address]
            self.events.append(f"-\t{number}")

    def tell_kind(self, tensor, kind):
        storage = storage_of(tensor)
        number = self.numbers.get(storage._cdata) if storage is not None else None
        if number and number not in self.kinds:
            self.kinds.add(number)
            self.events.append(f"k\t{number}\t{kind}")

    def tell_communication(self, tensor):
        storage = storage_of(tensor)
        number = self.numbers.get(storage._cdata) if storage is not None else None
        if number and number not in self.kinds and number not in self.sent:
            self.sent.add(number)
            self.events.append(f"k\t{number}\tcommunication")

    def resized(self, storage):
        """Another one in its place."""
        number = self.numbers.pop(storage._cdata, None)
        if number is None:
            return
        self.events.append(f"-\t{number}")
        self.add(storage)
        if number in self.sent:
            self.sent.add(self.made)
            self.events.append(f"k\t{self.made}\tcommunication")

    def forget_steps(self):
        self.events = [event for event in self.events if not event.startswith("s\t")]

    def end_step(self, step):
        self.events.append(f"s\t{step}")
        self.phase = "forward"
