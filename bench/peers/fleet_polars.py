# SPDX-License-Identifier: Apache-2.0
"""The same questions as fleet_duckdb.py asks, of Polars: fleet_polars.py QUESTION FILE."""
import json
import os
import sys

os.environ["POLARS_MAX_THREADS"] = "2"

import polars as pl  # noqa: E402  (it reads its number of threads once)

import fleet_questions as asked  # noqa: E402

c = pl.col


def tasks(path):
    """In the streaming engine, which takes less time and memory here than the other."""
    worker = (c.gpu > 0) & (c.task != "ps")
    jobs = pl.scan_csv(path, has_header=False, new_columns=asked.TASK_COLUMNS).group_by("job").agg(
        ps=(c.task == "ps").any(), seconds=c.finish.max() - c.begin.min(),
        workers=c.instances.filter(worker).sum(),
        gpus=(c.instances * pl.max_horizontal(1.0, c.gpu / 100)).filter(worker).sum(),
        most=(c.gpu / 100).filter(worker).max()).filter(c.gpus > 0)
    one = pl.when(c.most <= 1).then(pl.lit("1w1g")).otherwise(pl.lit("1wng"))
    several = pl.when(c.gpus <= 8).then(pl.lit("allreduce-local")).otherwise(pl.lit("allreduce-cluster"))
    architecture = pl.when(c.ps).then(pl.lit("ps-worker")).when(c.workers <= 1).then(one).otherwise(several)
    return jobs.group_by(architecture=architecture).agg(
        pl.len(), all=c.gpus.sum(), gpu_time=(c.gpus * c.seconds).sum()).sort("architecture").collect(engine="streaming")


def jobs(path):
    return pl.scan_csv(path).group_by("architecture").agg(
        pl.len(), all=c.cnodes.sum(), gpu_time=(c.cnodes * c.duration_s).sum(),
        median=c.duration_s.median()).sort("architecture").collect(engine="streaming")


def split(path):
    times = [pl.coalesce(c.input_bytes, 0) / asked.INPUT, pl.coalesce(c.flops, 0) / asked.FLOPS,
             pl.coalesce(c.memory_bytes, 0) / asked.MEMORY,
             pl.coalesce(c.weight_bytes, c.dense_weight_bytes, 0) / asked.WEIGHTS]
    shares = [(time / c.step).alias(name) for time, name in zip(times, asked.VALUES[1:])]
    weights = {"job": pl.lit(1.0), "gpu": c.cnodes.cast(pl.Float64), "gpu_time": (c.cnodes * c.duration_s).cast(pl.Float64)}
    return pl.scan_csv(path).with_columns(step=sum(times)).filter(c.step > 0).select(
        "architecture", "step", *shares, **weights).collect()


def summaries(frame, name):
    """Each value is put in order once; weights in that order are summed up, and quantiles are looked up in the sums."""
    for value in asked.VALUES:
        ordered = frame.select(value, *asked.BY).sort(value)
        for by in asked.BY:
            sums = ordered[by].cum_sum()
            at = sums.search_sorted(pl.Series([q * sums[-1] for q in asked.QUANTILES]), "left")
            yield [name, value, by, (ordered[value] * ordered[by]).sum() / sums[-1], *ordered[value].gather(at)]


def parts(path):
    frame = split(path)
    rows = list(summaries(frame, "all"))
    for (name,), group in frame.group_by("architecture"):
        rows += summaries(group, name)
    return rows


def main(question, path):
    answer = {"tasks": tasks, "jobs": jobs, "parts": parts}[question](path)
    print(json.dumps(answer if isinstance(answer, list) else answer.rows()))


main(*sys.argv[1:])
