# SPDX-License-Identifier: Apache-2.0
"""Leaves out of a log of TORCH_TRACE what fills it: events of its own timeline, cached graphs, settings of compilers."""
import json
import re
import sys

LEFT_OUT = ("chromium_event", "describe_storage", "describe_tensor", "describe_source", "guard_added_fast", "create_symbol")
ARTIFACTS_LEFT_OUT = re.compile(r"fx_graph_cache_miss|aotautograd_cache_miss|fx_graph_runnable|config|fw_metadata|BYTECODE|_grad_graph|joint_graph|orchestration")
SETTINGS = ("dynamo_config", "inductor_config", "functorch_config", "compiler_config")
BODY = re.compile(r"\tdef benchmark_compiled_module")


def main():
    keep = True
    for line in sys.stdin:
        if line.startswith("\t"):
            if keep and "_config\": \"" not in line:
                sys.stdout.write(line)
            continue
        head, _, rest = line.partition("] ")
        record = json.loads(rest)
        kind = next(iter(record))
        keep = kind not in LEFT_OUT and not (kind == "artifact" and ARTIFACTS_LEFT_OUT.search(record["artifact"]["name"]))
        if kind == "compilation_metrics":
            for setting in SETTINGS:
                record[kind].pop(setting, None)
            line = f"{head}] {json.dumps(record)}\n"
        if keep:
            sys.stdout.write(line)


main()
