#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds of the fuzz targets into corpus/: small files, each with one thing that real traces do.

The seeds are committed, so that a broken one found later can simply be added; this file says what they are.
"""
import gzip
import json
import math
import os
import pickle
import struct
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import snapshots  # noqa: E402
from snapshots import Allocator, in_forward, snapshot, training  # noqa: E402
from support import span, training_steps  # noqa: E402


def trace(events, **more):
    return json.dumps({"schemaVersion": 1, **more, "traceEvents": events}).encode()


def flow(kind, ph, ident, ts, **where):
    return {"ph": ph, "cat": kind, "name": kind, "id": ident, "ts": ts, **{"pid": 1, "tid": 1, **where}}


STEP = training_steps(1, 1)
NCCL = {"Collective name": "allreduce", "In msg nelems": 1024, "Out msg nelems": 1024, "Group size": 8, "dtype": "Float",
        "Process Group Name": "0", "Process Group Ranks": "[0, 1, 2, 3, 4, 5, 6, 7]", "Seq": 3,
        "device": 0, "stream": 20, "correlation": 9}

TRACES = {
    "steps": trace(training_steps(2, 2), distributedInfo={"backend": "nccl", "rank": 1, "world_size": 2},
                   deviceProperties=[{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 42505273344, "numSms": 108}]),
    "array": json.dumps(STEP).encode(),
    "array_unclosed": json.dumps(STEP).encode()[:-1],
    "trailing_comma": b"[" + b",".join(json.dumps(e).encode() for e in STEP) + b",]",
    "begin_end": json.dumps([{"ph": "B", "name": "a", "pid": 1, "tid": "main", "ts": 1.5},
                             {"ph": "B", "name": "b", "pid": 1, "tid": "main", "ts": 2},
                             {"ph": "E", "pid": 1, "tid": "main", "ts": 3},
                             {"ph": "E", "pid": 1, "tid": "main", "ts": 4}]).encode(),
    "metadata": trace(STEP + [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}},
                              {"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": "stream 7 "}},
                              {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler",
                               "ts": 0, "dur": 1000}]),
    "flows": trace(STEP + [flow("ac2g", "s", 1, 20), flow("ac2g", "f", 1, 70, pid=0, tid=7, bp="e"),
                           flow("fwdbwd", "s", 5, 11), flow("fwdbwd", "f", 5, 500, tid=2)]),
    "old_categories": json.dumps([{**span("aten::add", 1, 5, cat="Operator")},
                                  span("cudaLaunchKernel", 2, 1, cat="Runtime", correlation=1),
                                  span("add_kernel", 9, 4, cat="Kernel", pid=0, tid=7, correlation=1, device=0, stream=7)]).encode(),
    "no_categories": json.dumps([{"name": "aten::add", "ph": "X", "ts": 1.001, "dur": 2.5, "tid": 1, "pid": "CPU functions", "args": {}},
                                 {"name": "k", "ph": "X", "ts": 2, "dur": 2, "tid": 7, "pid": "CUDA functions", "args": {}}]).encode(),
    "nanoseconds": trace(STEP, baseTimeNanoseconds=1700000000000000000, displayTimeUnit="ns"),
    "copies": trace([span("Memcpy HtoD (Pageable -> Device)", 1, 2, cat="gpu_memcpy", pid=0, tid=7, bytes=4096, device=0, stream=7,
                          correlation=4, **{"memory bandwidth (GB/s)": 2.0}),
                     span("Memset (Device)", 4, 1, cat="gpu_memset", pid=0, tid=7, bytes=64, device=0, stream=7, correlation=5),
                     span("cudaMemcpyAsync", 0, 1, cat="cuda_runtime", correlation=4)]),
    "nccl": trace([span("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", 1, 2, cat="kernel", pid=0, tid=20, **NCCL)]),
    "sync": trace([span("Stream Sync", 3, 4, cat="cuda_sync", pid=0, tid=7, cuda_sync_kind="Stream Sync", stream=7, correlation=2, device=0),
                   span("cudaStreamSynchronize", 3, 5, cat="cuda_runtime", correlation=2)]),
    "python": trace([span("train.py(10): step", 0, 100, cat="python_function", **{"Python id": 1, "Python parent id": None}),
                     span("nn.Module: Linear_0", 10, 50, cat="python_function",
                          **{"Python id": 2, "Python parent id": 1, "Python module id": 0})]),
    "graph": trace([span("cudaGraphLaunch", 1, 2, cat="cuda_runtime", correlation=3),
                    span("k", 5, 1, cat="kernel", pid=0, tid=7, correlation=3, device=0, stream=7, **{"graph id": 1, "graph node id": 7}),
                    span("k", 7, 1, cat="kernel", pid=0, tid=7, correlation=3, device=0, stream=7, **{"graph id": 1, "graph node id": 8})]),
    "hip": trace([span("hipLaunchKernel", 1, 2, cat="cuda_runtime", correlation=3),
                  span("Cijk_Ailk_Bljk", 5, 1, cat="kernel", pid=2, tid=0, correlation=3, device=2, stream=0)]),
    "memory": trace(STEP + [{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": 12,
                             "args": {"Total Allocated": 99, "Bytes": -4, "Addr": 140, "Device Type": 1, "Device Id": 0}}]),
    "shapes": trace([span("aten::conv2d", 1, 5, **{"Input Dims": [[8, 3, 224, 224], [64, 3, 7, 7], [], [[2, 2], [1]]],
                                                   "Input type": ["float", "c10::Half", "", "Scalar"],
                                                   "Concrete Inputs": ["", "", "[2, 2]", "1"], "Fwd thread id": 0, "Sequence number": 4})]),
    "quotes": b'{"traceEvents": [{"ph":"X","name":"operator "new"","cat":"cpu_op","pid":1,"tid":1,"ts":1,"dur":1},'
              b'{"ph":"X","name":"bad \\x escape \\u12","cat":"cpu_op","pid":1,"tid":1,"ts":3,"dur":1}]}',
    "not_a_number": b'[{"ph":"X","name":"a","cat":"kernel","pid":0,"tid":7,"ts":1,"dur":1,"args":{"est. achieved occupancy %":NaN,'
                    b'"stream": N/A, "grid": [1, 1, inf]}}]',
    "not_utf8": b'[{"ph":"X","name":"\xff\xfe\x01caf\xe9","cat":"cpu_op","pid":1,"tid":1,"ts":1,"dur":1}]',
    "surrogates": b'[{"ph":"X","name":"\\ud83d\\ude00 \\ud800 \\u0000","cat":"cpu_op","pid":1,"tid":1,"ts":1,"dur":1}]',
    "lines": b"\n".join(json.dumps(e).encode() for e in STEP),
    "gzip": gzip.compress(trace(STEP), mtime=0),
    "deep": b'{"traceEvents":' + b"[" * 300 + b"]" * 300 + b"}",
    "numbers": b'[{"ph":"X","name":"a","pid":-1,"tid":1e3,"ts":9223372036854775807,"dur":1E-3},'
               b'{"ph":"X","name":"a","pid":1,"tid":2,"ts":-0.0009,"dur":00012.5e2}]',
}

TEXT = b"the quick brown fox jumps over the lazy dog. " * 20
PACKED = {
    "plain": TEXT,
    "gzip": gzip.compress(TEXT, mtime=0),
    "gzip_stored": gzip.compress(TEXT, 0, mtime=0),
    "gzip_members": gzip.compress(TEXT[:50], mtime=0) + gzip.compress(b"", mtime=0) + gzip.compress(TEXT[50:], mtime=0),
    "gzip_padded": gzip.compress(TEXT, mtime=0) + bytes(100),
    "gzip_named": b"\x1f\x8b\x08\x1c" + bytes(6) + b"\x03\x00abctrace.json\0a comment\0" + gzip.compress(TEXT, mtime=0)[10:],
    "zlib": zlib.compress(TEXT),
    # A frame of stored blocks, written by hand: magic, single segment, one raw block.
    "zstd_raw": b"\x28\xb5\x2f\xfd\x20" + bytes([len(TEXT[:200])]) + (1 | 200 << 3).to_bytes(3, "little") + TEXT[:200],
    "zstd_skippable": b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd" + b"\x28\xb5\x2f\xfd\x20\x03\x19\x00\x00abc",
}

PYTHON = {
    "statements": b"""import a.b as c, d
from ..e import (f as g, h)
@i
class j(k, l=m):
    'n'
    o: p = q
    async def r(s, /, t: u = 1, *v, w, **x) -> y:
        global z; del a, b
        return
assert c, d
raise e from f
""",
    "blocks": b"""if a:
\tb
elif c: d
else:
\te
for f, in g, h:
  while i: break
  else: pass
with (j as k, l): m
try:
  n
except (o, p) as q: r
else: s
finally: t
match u, v:
  case [w] if x: y
  case _: z
""",
    "expressions": b"""a, *b = c[1:, ::d, ...], -e ** ~f @ g // h, not i or j and k is not l < m not in n
o = lambda p, *q, r=1, **s: (yield t) if u else await v
(w := [x for y, z in a if b if c for d in e])
f(*g.h(), **i, j=k)(l for m in n)[{o: p, **q}, {r, *s}, {t: u for v in w}, ()]
type(x).y = *z.a(b)[c], (d), 1_0, 0x1F, 1.5e3j
""",
    "strings": rb"""f'{a!r:>{b}} {{c}} {d=} {e["#"]}' "f" rb'\'#' '''g
# h''' # i
f'''{j:{k}}'''
f'\N{DASH} {l:=9}'
""",
    "python2": b"print 'a' % b, c\nprint >>d, e,\nexec 'f' in g\nraise h, 'i'\ntry: j\nexcept k, l: `m` <> 0777L\n",
    "errors": b"a = (1,\nb = = c\ndef d(\n  e f:\n    if g\n        h\n  i ]\nclass j: pass\n'k\n",
    "line_ends": b"\xef\xbb\xbfif a:\r\n    b\r\nelse:\r\n  \tc \\\r\n + d  # e\r\nf\rg = [ # h\r  i]\r\x0cj",
    "not_utf8": b"# -*- coding: latin-1 -*-\n\xe9 = '\xff' # \xfe\n",
    "deep": b"a = " + b"(" * 200 + b"b" + b")" * 200 + b"\n" + b"".join(b" " * i + b"if c:\n" for i in range(60)) + b" " * 60 + b"d\n",
}



def nodes(*rows, schema="1.0.1", **more):
    return json.dumps({"schema": schema, "pid": 1, "start_ts": 5, "nodes": rows, "finish_ts": 9, **more}).encode()


def flat(ident, name, parent, tid=1, scope=0, inputs=(), outputs=(), types=(), **more):
    """A node until schema 1.0.1. Tensors are numbers, of their storage: 4 floats each."""
    def value(given):
        return [given, given + 1000, 0, 4, 4, "cuda:0"]
    return {"name": name, "id": ident, "rf_id": ident, "parent": parent, "scope": scope, "tid": tid, "op_schema": more.pop("schema", ""),
            "inputs": [value(i) for i in inputs], "input_shapes": [[4]] * len(inputs), "input_types": ["Tensor(float)"] * len(inputs),
            "outputs": [value(i) for i in outputs], "output_shapes": [[4]] * len(outputs),
            "output_types": ["Tensor(float)"] * len(outputs), **more}


def late(ident, name, parent, inputs=None, **attrs):
    """A node of Chakra's schemas."""
    empty = {"values": [], "shapes": [], "types": [], "strides": []}
    return {"id": ident, "name": name, "ctrl_deps": parent, "inputs": inputs or empty, "outputs": empty,
            "attrs": [{"name": key, "type": "int64", "value": value} for key, value in attrs.items()]}


LISTS = {"values": [[[1, 2, 0, 4, 4, "cpu"], "<None>"], [[[3, 4, 0, 1, 8, "cpu"]]], [16, 9], -1.5, True, "cpu"],
         "shapes": [[[4], []], [[[1]]], [[], []], [], [], []],
         "types": ["GenericList[Tensor(float),None]", "GenericList[GenericList[Tensor(long int)]]", "GenericList[Int,Int]", "Double",
                   "Bool", "Device"], "strides": [[[1], []], [[[1]]], [], [], [], []]}

EXECUTIONS = {
    "step": nodes(flat(1, "[pytorch|profiler|execution_trace|process]", 1, 0, 7), flat(2, "[pytorch|profiler|execution_trace|thread]", 1, 1, 7),
                  flat(3, "## forward ##", 2, 1, 7), flat(4, "aten::relu", 3, inputs=[20], outputs=[21], seq_id=8),
                  flat(5, "## backward ##", 2, 1, 7), flat(6, "autograd::engine::evaluate_function: ReluBackward0", 2, 2),
                  flat(7, "ReluBackward0", 6, 2, 1, inputs=[21], outputs=[22], seq_id=8, fw_parent=5, fw_tid=1),
                  flat(8, "Optimizer.step#SGD.step", 2, 1, 7), flat(9, "aten::add_", 8, inputs=[22, 23], outputs=[22], schema="f(Tensor(a!))")),
    "schema_1_0_0": nodes(flat(2, "aten::t", 2, inputs=[9]), flat(3, "TBackward0", 3, 2, 1, inputs=[9]), schema="1.0.0"),
    "chakra": nodes(late(1, "ProfilerStep#3", 1, scope=7, tid=1), late(2, "aten::copy_", 1, LISTS, rf_id=1, scope=0, tid=1, seq_id=-1),
                    late(3, "record_param_comms", 1, None, scope=0, tid=1, collective_name="allreduce", in_msg_nelems=1024, pg_size=8),
                    schema="1.1.1-chakra.0.0.4"),
    "copies": nodes({**flat(2, "aten::copy_", 2), "inputs": [[1, 2, 0, 4, 4, "cuda:0"], [3, 4, 0, 4, 4, "cpu"], False],
                     "input_shapes": [[4], [4], []], "input_types": ["Tensor(float)", "Tensor(float)", "Bool"]},
                    {**flat(3, "aten::_local_scalar_dense", 3), "inputs": [[1, 2, 0, 1, 4, "cuda:0"]], "input_shapes": [[]],
                     "input_types": ["Tensor(float)"]}),
    "circle": nodes(flat(2, "a", 3), flat(3, "b", 4), flat(4, "c", 2), flat(4, "twin", 2), flat(5, "self", 5), flat(6, "lost", 99)),
    "data_loading": nodes(flat(2, "enumerate(DataLoader)#_Iter.__next__", 2, 1, 7), flat(3, "aten::empty", 2)),
    "sizes": nodes({**flat(2, "aten::mm", 2), "inputs": [[1, 2, 0, 1, 4]], "input_shapes": [[4294967296, 4294967296, 4294967296]],
                    "input_types": ["Tensor(float)"]}, {**flat(3, "aten::mm", 2), "input_shapes": [[-3], "x", 7, [[]]], "inputs": {"values": 3}}),
    "no_id": nodes({"name": "a"}, {"id": "x"}, {"id": 18446744073709551615}, {"id": 2.5}, {"id": None}, {}),
    "bare_words": b'{"schema": "1.0.1", "nodes": [{"id": 2, "name": "aten::fill_", "inputs": [-inf, nan], "input_shapes": [[], []]},'
                  b' 17, }, ], {"id": 3}',
    "optimizer_steps": nodes(flat(2, "aten::a", 2), flat(3, "Optimizer.step#SGD.step", 3, 1, 7), flat(4, "aten::add_", 3),
                             flat(5, "aten::a", 5), flat(6, "Optimizer.step#SGD.step", 6, 1, 7), flat(7, "aten::add_", 6)),
}

# Steps of traces are programs too.
for name in ("steps", "flows", "copies", "sync", "graph", "nccl", "shapes", "old_categories"):
    EXECUTIONS["trace_" + name] = TRACES[name]

JOBS = (b"job,architecture,cnodes,batch,input_bytes,flops,memory_bytes,weight_bytes,dense_weight_bytes,embedding_weight_bytes,team\n")

FLEET = {
    "jobs": JOBS + b"a,PS/Worker,16,2048,261e6,105.8e9,100.4e9,122e6,1.19e6,239.45e9,x\nb,1w1g,1,32,804e6,7.9e12,20.4e9,,,,\"y, z\"\n",
    "degrees": b"architecture,cnodes,input_bytes,flops,memory_bytes,weight_bytes,tensor_parallel,pipeline_parallel,micro_batches,"
               b"tensor_bytes,pipeline_bytes,expert_parallel,expert_bytes\nfsdp,128,0,1e12,1e9,1e9,8,4,12,1e9,1e8,2,1e7\nep,16,0,1,1,1,,,,,,,9\n",
    "bad": JOBS + b"a,ps-worker,0,1,1,1,1,1\nb,ps-worker,2,1,-1,1,1,1\nc,ps-worker,2,1,nan,1e999,1,1\nd,nothing,2\n",
    "lines": b'{"job":"a","architecture":"pearl","cnodes":8,"input_bytes":1,"flops":1e12,"memory_bytes":2e9,"weight_bytes":3e9}\n',
    "efficiency": b"Size,1 Node(NVLinkx),2Node-16GPU(NIC ),8Node-64GPU(NIC),Multi 16\n16777216,0.45,0.32,,0.86\n67108864,0.65,0.5,0.4,\n",
    "efficiency_long": b"size,servers,share\n16MiB,2,32%\n64MiB,2,0.5\n64MiB,128,0.1\n",
    "settings": b"ethernet=100Gbps\npcie=PCIe4\nnvlink=0GB/s\nmemory=1e20%\nefficiency=60%\nefficiency.network=1e-300\noverlap=ideal\n"
                b"latency.network=5us\npcie_share=server\nbucket=1B\nprecision=bf16\nmemory_size=80GiB\ngpus_per_server=4\n",
}

JOB_TABLES = {
    **{name: FLEET[name] for name in ("jobs", "degrees", "bad", "lines")},
    "quotes": b"\xef\xbb\xbf\"job\",architecture,cnodes,input_bytes,flops,memory_bytes,\"weight_bytes\",team\r\n"
              b"\"a \"\"b\"\"\",ps-worker,2,1,1,1,1,\"x,y\"\r\n\n\"open,ps-worker,2,1,1,1,1,\n\"a\"b,ps-worker,2,1,1,1,1,\n",
    "short": JOBS + b"a\n,,,,,,,,,,,,,,,,\nb,ps-worker,2,1,1,1,1,1,1,\x00\xff,t\n",
    "muri": b"job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n1,1,0,100,vgg16,50,1\n",
    "members": b'{"architecture":"1w1g","cnodes":1,"input_bytes":0,"flops":1,"memory_bytes":1,"weight_bytes":0,"team":"\\u0041"}\n'
               b'{"team":null,"flops":"2","architecture":"fsdp","x":[{}],"cnodes":8,"input_bytes":1,"memory_bytes":1,"weight_bytes":1}\n{\n',
    "gzip": gzip.compress(JOBS + b"a,PS/Worker,16,2048,261e6,105.8e9,100.4e9,122e6,1.19e6,239.45e9,x\n", mtime=0),
}


def population(exact, folded, names, rows):
    """As population_bytes.c writes one of rows: values, then weights."""
    values = len(rows[0][1]) - 3 if rows else 1
    texts = b"".join(struct.pack("<I", len(name)) + name for name in names)
    return struct.pack("<IIIIBB6x", 0x31504F50, values, len(names), len(rows), exact, folded) + texts + b"".join(
        struct.pack(f"<I{len(figures)}d", group, *figures) for group, figures in rows)


POPULATIONS = {
    "rows": population(1, 0, [b"", b"x", b"y"], [(1, (0.5, 2.0, 1, 4, 9)), (2, (0.0, math.nan, 1, 1, 0)), (0, (1e-300, 1e300, 1, 2, 3))]),
    "none": population(1, 0, [b""], []),
    "summary": population(0, 1, [b"", b"x"], []) + bytes(8 * 258),
    "one_summary": population(0, 0, [b""], []) + struct.pack("<258Q", 1, *[0] * 257) + struct.pack("<Q8d", 1, *[1.0] * 8)
                   + struct.pack("<3d768H", 0, 0, 0, *[0] * 383, 1, *[0] * 384) + struct.pack("<48d", *[0] * 45, 1, 1, 1),
}


def record(kind, value, *body, prefix=b"V1122 19:31:13.239000 28603 torch/a.py:9] ", **more):
    head = {kind: value, "frame_id": 0, "frame_compile_id": 1, "attempt": 0, **more}
    return prefix + json.dumps(head).encode() + b"\n" + b"".join(b"\t" + line + b"\n" for line in body)


START = record("str", ["/x/train.py", 4]) + record(
    "dynamo_start", {"stack": [{"line": 12, "name": "score", "filename": 4}, {"line": "x", "filename": None}]}, rank=2)
GRAPH = record("dynamo_output_graph", {}, b"    # File: /x/train.py:14 in score, code: y = x * 2", b'    y: "f32[8]" = x * 2;  x = None')
CODE = record("inductor_output_code", {}, b"# Topologically Sorted Source Nodes: [y, z], Original ATen: [aten.mul]",
              b"triton_poi_fused_mul_0 = async_compile.triton('a', '''", b"cpp_fused_1 = async_compile.cpp_pybinding([], r'''",
              b"    # Source Nodes: [y]", b"    cpp_fused_1(x)", b"async_compile.wait(globals())")
STACK = {"triton_poi_fused_mul_0:2": ['  File "/x/train.py", line 20, in score\n    c = d\n    ^^^\n', "none", 7]}
COMPILE_LOGS = {
    "start": START,
    "figures": record("compilation_metrics", {"co_name": "f", "co_filename": "a.py", "co_firstlineno": 3, "start_time_us": 17, "duration_us": 9,
                                              "start_time": 1.5e9, "entire_frame_compile_time_s": 1e300, "restart_reasons": ["a", {}],
                                              "recompile_reason": "0/0: tensor 'x' size mismatch at index 0. expected 16, actual 17",
                                              "fail_reason": "b\nc"}) + record("bwd_compilation_metrics", {"duration_us": -1}),
    "reasons": record("artifact", {"name": "recompile_reasons"}, b"[", b"\"0/1: tensor 'L['x']' size mismatch at index 1. expected 2, actual 3\"", b"]"),
    "break": record("artifact", {"name": "dynamo_graph_break_reason"}, b"Graph break in user code at /x/t.py:24", b"Graph Break Reason: one:", b"",
                    b"two", b"  Explanation: e", b"  Hint: h", b"User code traceback:", b'  File "/x/t.py", line 24, in f', b"    y.item()"),
    "kernels": START + GRAPH + CODE + record("artifact", {"name": "inductor_provenance_tracking_kernel_stack_traces"}, json.dumps(STACK).encode()),
    "version": record("artifact", {"name": "torch_version"}, b'{"pytorch_version": "2.13.0"}'),
    "broken": START[:-9] + b"\n" + record("dynamo_start", 7) + record("dynamo_start", [], prefix=b"V0412 1 99999999999999 a] ")
              + b"\xff\xfe] {\n\tlost\n" + record("str", [b"\xc3".decode("latin-1"), -9223372036854775808], frame_id=None),
    "gzip": gzip.compress(START + CODE, mtime=0),
}

def varint(value):
    out = b""
    while value > 0x7F:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def signed(value):
    return varint((value << 1 ^ value >> 63) & (1 << 64) - 1)


def cuda_row(kind, *fields):
    """Numbers, pairs (signed), texts."""
    body = b"".join(field if isinstance(field, bytes) else signed(field[0]) if isinstance(field, tuple) else varint(field)
                    for field in fields)
    return varint(1 + len(body)) + bytes([kind]) + body


CUDA_TEXTS = cuda_row(2, 2, b"4711") + b"".join(
    cuda_row(1, number, text) for number, text in enumerate([b"cudaMemcpyAsync", b"/x/train.py", b"step", b"_Z3addPf", b"A100"], 1))
CUDA_COPY = cuda_row(5, 1, 1, 77, (9,), (1700000000000000000,), 5000, 0) + cuda_row(7, 0, 1, 7, (0,), (2000,), 1000, 4096, 1, 1, 3, 0, 0, 0)
CUDA_ROWS = {
    "copy": CUDA_TEXTS + cuda_row(3, 5, 6, 7) + CUDA_COPY + cuda_row(15, 2),
    "line": CUDA_TEXTS + CUDA_COPY + cuda_row(12, 1, 2, 3, 10) + cuda_row(13, (0,), 77, 2, 1, 12, 1, 30),
    "kernel": CUDA_TEXTS + cuda_row(4, 0, 5, 1 << 35, 108, 8, 0) + cuda_row(6, 0, 1, 7, (3,), (10,), 5, 4, 8, 1, 1, 256, 1, 1, 32, 0, 4096, 0, 0),
    "wait": CUDA_TEXTS + cuda_row(9, (4,), (100,), 50, 3, 1, 7, 0) + cuda_row(9, (1,), (100,), 50, 4, 1, (1 << 32) - 1, 0),
    "range": CUDA_TEXTS + cuda_row(10, (100,), 1, 2, 77, 3, 0) + cuda_row(10, (50,), 1, 4, 77, 0, 0) + cuda_row(10, (1,), 2, 2, 77, 3, 0)
             + cuda_row(10, (1,), 3, 1, 77, 3, 0),
    "memset": CUDA_TEXTS + cuda_row(8, 1, 1, 7, (2,), (9,), 1, 64, 0, 3) + cuda_row(11, (4,), 2, 2 << 16, 77),
    "losses": CUDA_TEXTS + CUDA_COPY + cuda_row(14, 5, 6, 7, 8, 9, 10, (1 << 64) - 1) + cuda_row(99, 1, 2),
    "short": CUDA_TEXTS + cuda_row(6, 0, 1) + cuda_row(5, 1) + b"\x7f\x01",
}

OUT = Allocator(segment=snapshots.MIB)
for ADDR in [OUT.alloc(snapshots.MIB // 4, in_forward(3)) for _ in range(6)][::2]:
    OUT.free(ADDR, in_forward(4))
OUT.out_of_memory(snapshots.MIB, in_forward(5))
HISTORY = {"device": 0, "address": 64, "total_size": 2048, "stream": 3, "segment_type": "small", "segment_pool_id": (0, 1),
           "is_expandable": True, "blocks": [{"size": 1024, "state": "active_allocated",
                                              "history": [{"addr": 1, "real_size": 1000, "frames": in_forward(7)}]},
                                             {"size": 1024, "state": "active_awaiting_free"}]}
SNAPSHOTS = {
    "steps": pickle.dumps(snapshot(training(6, leak=512)), 4),
    "protocol2": pickle.dumps(snapshot(training(2), last=20), 2),
    "in_c": snapshots.as_in_c(snapshot(training(2), last=20)),
    "unmarked": pickle.dumps(snapshot(training(3, marked=False), last=40), 5),
    "out": pickle.dumps(snapshot(OUT), 4),
    "history": pickle.dumps([HISTORY], 3),
    "devices": pickle.dumps(snapshot(Allocator(), training(1, allocator=Allocator(device=1))), 4),
    "map": pickle.dumps({"segments": [HISTORY], "device_traces": [[
        {"action": action, "addr": 64 + 8 * k, "size": 512, "time_us": k, "frames": []}
        for k, action in enumerate(["segment_map", "alloc", "segment_unmap", "free_requested", "snapshot", "alloc", "oom"])]]}, 4),
    "owners": pickle.dumps({"segments": [{**HISTORY, "blocks": [{"address": 64, "size": 512, "state": "active_allocated", "frames": []}]}],
                            "steptime_owners": [{"addr": 64, "role": role, "name": "Linear.weight"}
                                                for role in ("optimizer", "gradient", "parameter", "?")][:3]}, 4),
    "itself": b"\x80\x04]\x94h\x00a.",
    "call": b"\x80\x04\x8c\x02os\x94\x8c\x06system\x94\x93\x94\x8c\x02ls\x85R.",
    "gzip": gzip.compress(pickle.dumps(snapshot(training(1)), 4), mtime=0),
}

for target, seeds in {"snapshot": SNAPSHOTS, "cuda_recorder": CUDA_ROWS, "compilelog": COMPILE_LOGS, "trace": TRACES, "source": PACKED, "python": PYTHON, "execution": EXECUTIONS, "fleet": FLEET, "job_table": JOB_TABLES,
                      "population": POPULATIONS}.items():
    folder = os.path.join(HERE, "corpus", target)
    os.makedirs(folder, exist_ok=True)
    for name, data in seeds.items():
        with open(os.path.join(folder, name), "wb") as out:
            out.write(data)
