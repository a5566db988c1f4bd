# SPDX-License-Identifier: Apache-2.0
"""How long a call takes the device where the host is ahead of it: many calls in a queue, behind work that holds the device up.

What a lone call takes is the host's launch as long as the kernels are short. In a queue nothing of the launch is left, if the host
had launched all calls before the first began. That is looked at, and what fails it has no time.
"""
import time

MOST_CALLS, FEWEST_CALLS = 20, 2
ENOUGH_US = 3000   # of host time for all calls
SPARE = 3          # the device is held up for so many times what launching took the host before
LEAST_HOLD_US = 300
TRIES = 3


def host_us(watch, call):
    """What launching the call takes the host; for a call that waits for the device, all of it."""
    watch.wait()
    begin = time.perf_counter()
    call()
    spent = 1e6 * (time.perf_counter() - begin)
    watch.wait()
    return spent


def queued_us(watch, call):
    """Time of a call in a queue; None where the device was ever ahead of the host, as with calls that wait for it."""
    launch_us = max(1.0, host_us(watch, call))
    calls = max(FEWEST_CALLS, min(MOST_CALLS, int(ENOUGH_US / launch_us)))
    for attempt in range(TRIES):
        hold_us = max(LEAST_HOLD_US, SPARE ** (attempt + 1) * calls * launch_us)
        taken = watch.behind_us(hold_us, call, calls)
        if taken is not None:
            return taken / calls
        calls = max(FEWEST_CALLS, calls // 2)  # the queue of the device may have been full
    return None
