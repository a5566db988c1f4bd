# SPDX-License-Identifier: Apache-2.0
"""What is the same in the questions that DuckDB and Polars are asked about tables of jobs."""
TASK_COLUMNS = "job task instances status begin finish cpu memory gpu type".split()

# Bytes and FLOPs a second: the split of a step, simpler than ours, which goes by each architecture's links.
INPUT, FLOPS, MEMORY, WEIGHTS = 7e9, 7.7e12, 7e11, 2e9

VALUES = ("step", "input", "compute", "memory", "weight")
BY = ("job", "gpu", "gpu_time")
QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
