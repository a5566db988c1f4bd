# SPDX-License-Identifier: Apache-2.0
"""What `fleet breakdown` answers of a table, asked of DuckDB: fleet_duckdb.py QUESTION FILE.

tasks: PAI's rows to jobs, jobs to architectures; of each the number and its share of jobs, GPUs and GPU-time.
jobs: of a table of jobs the number, GPUs, GPU-time and median duration of each architecture.
parts: the parts of each job's step at fixed rates, and their means and quantiles by architecture, weighed in three ways.
"""
import json
import sys

import duckdb

import fleet_questions as asked

TASKS = """
WITH jobs AS (
  SELECT job, bool_or(task = 'ps') AS ps, max(finish) - min(begin) AS seconds,
         sum(instances) FILTER (gpu > 0 AND task <> 'ps') AS workers,
         sum(instances * greatest(1, gpu / 100)) FILTER (gpu > 0 AND task <> 'ps') AS gpus,
         max(gpu / 100) FILTER (gpu > 0 AND task <> 'ps') AS most
  FROM rows GROUP BY job)
SELECT CASE WHEN ps THEN 'ps-worker' WHEN workers <= 1 THEN CASE WHEN most <= 1 THEN '1w1g' ELSE '1wng' END
            WHEN gpus <= 8 THEN 'allreduce-local' ELSE 'allreduce-cluster' END AS architecture,
       count(*), sum(gpus), sum(gpus * seconds)
FROM jobs WHERE gpus > 0 GROUP BY architecture ORDER BY architecture"""

JOBS = """
SELECT architecture, count(*), sum(cnodes), sum(cnodes * duration_s), median(duration_s)
FROM rows GROUP BY architecture ORDER BY architecture"""

PARTS = f"""
CREATE TEMP TABLE split AS
  WITH times AS (
    SELECT architecture, 1.0 AS job, cnodes AS gpu, cnodes * duration_s AS gpu_time,
           coalesce(input_bytes, 0) / {asked.INPUT} AS a, coalesce(flops, 0) / {asked.FLOPS} AS b,
           coalesce(memory_bytes, 0) / {asked.MEMORY} AS c,
           coalesce(weight_bytes, dense_weight_bytes, 0) / {asked.WEIGHTS} AS d
    FROM rows)
  SELECT architecture, job, gpu, gpu_time, a + b + c + d AS step, a / step AS input, b / step AS compute,
         c / step AS memory, d / step AS weight FROM times WHERE step > 0"""


def quantiles(group, value, by):
    """The least values at or below which these shares of the weight lie."""
    over = f"PARTITION BY {group}" if group else ""
    name = group or "'all'"
    picks = ", ".join(f"min(v) FILTER (sum >= {q} * whole)" for q in asked.QUANTILES)
    return f"""
      WITH summed AS (
        SELECT {name} AS name, {value} AS v, sum({by}) OVER ({over} ORDER BY {value} ROWS UNBOUNDED PRECEDING) AS sum,
               sum({by}) OVER ({over}) AS whole, {value} * {by} AS product FROM split)
      SELECT name, '{value}', '{by}', sum(product) / any_value(whole), {picks} FROM summed GROUP BY name"""


def main(question, path):
    duckdb.sql("SET threads = 2")
    if question == "tasks":
        rows = duckdb.read_csv(path, header=False, names=asked.TASK_COLUMNS)
        print(json.dumps(duckdb.sql(TASKS).fetchall()))
        return
    rows = duckdb.read_csv(path)
    if question == "jobs":
        print(json.dumps(duckdb.sql(JOBS).fetchall()))
        return
    duckdb.sql(PARTS)
    print(json.dumps([row for value in asked.VALUES for by in asked.BY for group in ("", "architecture")
                      for row in duckdb.sql(quantiles(group, value, by)).fetchall()]))


main(*sys.argv[1:])
