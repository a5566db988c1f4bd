# SPDX-License-Identifier: Apache-2.0
"""Load one trace in HolisticTraceAnalysis, compute its temporal breakdown, print it as JSON.

The least that answers the question in that tool; `make bench` times this process against `steptime`.
"""

import json
import logging
import sys
import warnings


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: hta_run.py TRACE.json[.gz]")
    from hta.trace_analysis import TraceAnalysis

    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    table = TraceAnalysis(trace_files={0: sys.argv[1]}).get_temporal_breakdown(visualize=False)
    print(json.dumps({name: float(value) for name, value in table.iloc[0].items()}))


if __name__ == "__main__":
    main()
