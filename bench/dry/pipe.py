# SPDX-License-Identifier: Apache-2.0
"""Runs a pipeline of bench/pipelines/run_it.py from the folder of its modules, with the moves to a device that it asks for: pipe.py NAME."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "pipelines"))
sys.path.insert(0, ".")
import run_it  # noqa: E402

run_it.on_cpu = lambda: None
run_it.stand_ins()
run_it.seeded()
run_it.PIPELINES[sys.argv[1]]()
