# SPDX-License-Identifier: Apache-2.0
"""For run.py: which storages would lie on the asked device. Really they lie on the host, of which PyTorch may be built alone.

It lies as steptime_dry_places.py beside the sitecustomize.py that run.py is. What is made for the device, moved to it, or
computed from what lies there, lies there. Operators on the host alone, and copies between both, leave a mark in the execution
trace: a node of that name, below the operator. Of a script that puts nothing on the device all is taken to lie there but what
STAYS says: numbers as tensors, which lie on the host beside whatever device (the steps that an optimizer counts).
"""
import weakref

from steptime_dry_plan import REAL, mark
from steptime_dry_storages import storage_of

ON_HOST, TO_DEVICE, TO_HOST = "steptime::on_host", "steptime::to_device", "steptime::to_host"
STAYS = "steptime::stays_on_host"


def is_number(tensor):
    """A single one, written down as a tensor or computed from such alone."""
    return not tensor.dim() and (getattr(tensor, "steptime_number", False) if REAL else getattr(tensor, "constant", None) is not None)


class Places:
    def __init__(self, storages, on_host):
        self.torch = storages.torch
        self.storages, self.on_host = storages, on_host  # on_host: while nothing lies on the device
        self.on_device = set()  # addresses of storages
        self.goes_to = None  # True: what is made now lies on the device; False: on the host; None: as what it is made of

    def lies_there(self, tensor):
        return self.address(tensor) in self.on_device

    @staticmethod
    def address(tensor):
        storage = storage_of(tensor)
        return None if storage is None else storage._cdata

    def put(self, tensor):
        """It lies on the device from now on."""
        storage = storage_of(tensor)
        address = storage._cdata if storage is not None else None
        if address is None or address in self.on_device:
            return
        self.on_device.add(address)
        self.storages.add(storage)
        weakref.finalize(storage, self.on_device.discard, address)

    def see(self, given, made):
        """An operator has run."""
        if REAL and all(map(is_number, given)):  # the mode knows which values it knows; here it is told by where they come from
            for tensor in made:
                tensor.steptime_number = True
        from_device = any(map(self.lies_there, given))
        there = self.goes_to if self.goes_to is not None else from_device
        if there:
            known = {self.address(tensor) for tensor in given}
            for tensor in made:
                if from_device or self.address(tensor) not in known:  # a view of the host stays there
                    self.put(tensor)
        elif not self.storages.made:
            for tensor in made:
                self.on_host.add(storage_of(tensor))
        self.mark(given, made, from_device, there)

    def mark(self, given, made, from_device, there):
        if not from_device and not there:
            name = STAYS if all(map(is_number, given)) and all(map(is_number, made)) else ON_HOST
        elif not from_device and given:
            name = TO_DEVICE
        elif from_device and not there:
            name = TO_HOST
        else:
            return
        if given or made:
            mark(self.torch, name)

    # ---- what scripts say ----

    def making(self, where, function, *arguments, **named):
        before, self.goes_to = self.goes_to, where
        try:
            return function(*arguments, **named)
        finally:
            self.goes_to = before

    def moved(self, tensor, where, to, *arguments, **named):
        """Tensor.to: another tensor where it lies elsewhere."""
        if self.lies_there(tensor) == where:
            return to(tensor, *arguments, **named)
        named["copy"] = True
        return self.making(where, to, tensor, *arguments, **named)
