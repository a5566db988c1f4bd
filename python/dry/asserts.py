# SPDX-License-Identifier: Apache-2.0
"""For values.py: a script that goes on passes its checks, so of a tensor without data that an `assert` asks the answer is the one
that passes.

It lies as steptime_dry_asserts.py beside the sitecustomize.py that run.py is. Which answer that is stands in the bytecode: where the
script decides by it, one of the two ways goes to the AssertionError at once.
"""
import dis
import functools
import sys

from steptime_dry_plan import is_ours, is_torch

IF = {"IF_TRUE": True, "IF_FALSE": False}


def fails(instruction):
    return instruction.opname == "LOAD_ASSERTION_ERROR" or (instruction.opname == "LOAD_COMMON_CONSTANT" and "Assertion" in instruction.argrepr)


def decisions(instructions):
    """Each jump that depends on a truth, with what would follow it, either way."""
    at = {one.offset: number for number, one in enumerate(instructions)}
    for number, one in enumerate(instructions[:-1]):
        jumps = next((truth for end, truth in IF.items() if one.opname.endswith(end)), None)
        if jumps is not None and one.argval in at:
            beyond = instructions[number + 1:number + 3]
            yield number, jumps, next(item for item in beyond if item.opname != "NOT_TAKEN"), instructions[at[one.argval]]


@functools.lru_cache(None)
def answers(code):
    """Of each instruction that decides, or asks before it does: the truth that an assert needs there."""
    instructions = list(dis.get_instructions(code))
    found = {}
    for number, jumps, falls_to, jumps_to in decisions(instructions):
        if fails(falls_to) or fails(jumps_to):
            needed = jumps if fails(falls_to) else not jumps
            found[instructions[number].offset] = needed
            if number and instructions[number - 1].opname == "TO_BOOL":
                found[instructions[number - 1].offset] = needed
    return found


def needed():
    """None: no assert asks."""
    frame = sys._getframe(1)
    while frame and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None or is_torch(frame.f_code.co_filename):
        return None
    return answers(frame.f_code).get(frame.f_lasti)
