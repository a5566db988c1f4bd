# SPDX-License-Identifier: Apache-2.0
"""Interval arithmetic on lists of (start, end)."""


def union(rows):
    """Disjoint sorted intervals; touching ones join."""
    merged = []
    for start, end in sorted(rows, key=lambda r: r[0]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def intersect(left, right):
    both, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        start, end = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if start < end:
            both.append((start, end))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return both


def subtract(left, right):
    rest, j = [], 0
    for start, end in left:
        while j < len(right) and right[j][1] <= start:
            j += 1
        k = j
        while k < len(right) and right[k][0] < end and start < end:
            if right[k][0] > start:
                rest.append((start, right[k][0]))
            start = max(start, right[k][1])
            k += 1
        if start < end:
            rest.append((start, end))
    return rest


def length(intervals):
    return sum(end - start for start, end in intervals)
