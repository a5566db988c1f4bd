# SPDX-License-Identifier: Apache-2.0
"""Small inputs of every kind that the program reads, each the same in every run, and larger by a number of units."""
import json
import os
import pickle
import re
import subprocess
import zlib

DEVICE = {"id": 0, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 42505273344, "computeMajor": 8, "computeMinor": 0,
          "numSms": 108}
LAYERS, LOSS_US = 4, 40
TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
PROGRAM = os.path.join(TOP, "build", "src", "steptime")  # makes sketches; what is measured may be another
LAYERS_OF_RANKS = 2  # what grows with ranks shows in small ones, too


class Recording:
    """Events as PyTorch's profiler writes them, one after the other in time."""

    def __init__(self, layers):
        self.events, self.now, self.ids, self.layers = [], 0, 0, layers

    def span(self, category, name, ts, dur, tid, pid=100, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur,
                            "args": args})

    def kernel(self, name, ts, dur, stream, call, **args):
        """A call of the runtime at ts and its work on the device."""
        self.ids += 1
        category = "gpu_memcpy" if name.startswith("Memcpy") else "kernel"
        self.span("cuda_runtime", call, ts, 4, 1, correlation=self.ids)
        self.span(category, name, ts + 9, dur, stream, 0, device=0, stream=stream, correlation=self.ids, **args)

    def operator(self, name, dur, shape, work, thread=1, **args):
        """An operator, one inside it, and a launch inside that."""
        self.ids += 1
        about = {"External id": self.ids, "Input Dims": [shape, [shape[-1], 256]], "Input type": ["float", "float"]}
        self.span("cpu_op", name, self.now, dur, thread, **about, **args)
        self.span("cpu_op", f"{name}_impl", self.now + 2, dur - 4, thread, **about)
        self.kernel(work, self.now + 5, dur + 3, 7, "cudaLaunchKernel", grid=[64, 1, 1], block=[256, 1, 1])
        self.now += dur + 2

    def step(self, number):
        begin = self.now
        for layer in range(self.layers):
            self.operator("aten::linear", 20, [128, 256 + layer], f"ampere_sgemm_{64 << layer % 2}x64_tn")
            self.operator("aten::relu", 12, [128, 256], "void at::native::vectorized_elementwise_kernel<4, relu>(int)")
        for layer in range(self.layers):
            self.operator("AddmmBackward0", 22, [128, 256], "ampere_sgemm_64x64_nt", **{"Sequence number": layer})
        self.span("cpu_op", "record_param_comms", self.now, 15, 1)
        self.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", self.now + 3, 30, 20,
                    "cudaLaunchKernelExC", **{"Collective name": "allreduce", "In msg nelems": 65536, "Group size": 8,
                                              "Process Group Name": "0", "dtype": "Float"})
        self.now += 17
        self.span("user_annotation", "Optimizer.step#Adam.step", self.now, 30, 1)
        self.operator("aten::_foreach_add_", 18, [256, 256], "void at::native::multi_tensor_apply_kernel<add>(int)")
        self.span("cpu_op", "aten::item", self.now, LOSS_US, 1)
        self.kernel("Memcpy DtoH (Device -> Pageable)", self.now + 2, 3, 7, "cudaMemcpyAsync", bytes=4)
        self.span("cuda_runtime", "cudaStreamSynchronize", self.now + 8, LOSS_US - 10, 1)
        self.now += LOSS_US + 12
        self.span("user_annotation", f"ProfilerStep#{number}", begin, self.now - begin, 1)
        self.now += 3


def recording(steps, rank=0, world=1, layers=LAYERS):
    """A trace of so many steps."""
    taken = Recording(layers)
    for number in range(steps):
        taken.step(number)
    return {"schemaVersion": 1, "deviceProperties": [DEVICE],
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": world},
            "record_shapes": 1, "traceEvents": taken.events}


def folder_in(build):
    """Where the inputs lie that this file makes; those of another version are not taken for them."""
    with open(__file__, "rb") as text:
        folder = os.path.join(build, "guard-inputs", f"{zlib.crc32(text.read()):08x}")
    os.makedirs(folder, exist_ok=True)
    return folder


def save(path, data):
    """The text or bytes as a file, unless it is there already."""
    if not os.path.exists(path):
        with open(f"{path}.part", "wb") as out:
            out.write(data if isinstance(data, bytes) else data.encode("ascii"))
        os.replace(f"{path}.part", path)
    return path


def trace(folder, steps):
    return save(os.path.join(folder, f"steps{steps}.json"), json.dumps(recording(steps)))


def two(folder, steps):
    """A trace, and one of the same program with a layer more: some operators are the same, some changed, some new."""
    return [trace(folder, steps), save(os.path.join(folder, f"more{steps}.json"), json.dumps(recording(steps, layers=LAYERS + 1)))]


def allocations(folder, steps):
    """A trace with profile_memory: each operator takes something, and the step gives it back but for a little."""
    document = recording(steps)
    held, events = 1 << 20, []
    for i, event in enumerate(document["traceEvents"]):
        events.append(event)
        if event["cat"] != "cpu_op" or event["name"].endswith("_impl"):
            continue
        for later, size in ((3, 4096 + i % 7 * 512), (9, -4096 - i % 7 * 512 + (512 if i % 50 == 0 else 0))):
            held += size
            events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 100, "tid": 1,
                           "ts": event["ts"] + later, "args": {"Total Reserved": 1 << 30, "Total Allocated": held, "Bytes": size,
                                                               "Addr": 4096 * i, "Device Id": 0, "Device Type": 1}})
    document["traceEvents"] = events
    return save(os.path.join(folder, f"memory{steps}.json"), json.dumps(document))


def snapshot(folder, steps):
    """What PyTorch's allocator dumps: of each step some blocks that live in it, and one that stays."""
    frames = [[{"filename": f"layer{i}.py", "line": 10 + i, "name": "forward"}, {"filename": "train.py", "line": 7, "name": "step"}]
              for i in range(20)]
    history, kept, time_us = [], [], 0
    for step in range(steps):
        blocks = [{"addr": (step << 32) + (i << 20), "size": 1 << 16 + i % 4, "frames": frames[i]} for i in range(20)]
        for action, some in (("alloc", blocks), ("free_requested", blocks[1:]), ("free_completed", blocks[1:])):
            for block in some:
                time_us += 10
                history.append({"action": action, "stream": 0, "time_us": time_us, **block})
        kept.append(blocks[0])
    live = [{"address": block["addr"], "size": block["size"], "requested_size": block["size"], "state": "active_allocated",
             "frames": block["frames"]} for block in kept]
    segments = [{"device": 0, "address": block["address"], "total_size": 1 << 21, "allocated_size": block["size"],
                 "active_size": block["size"], "stream": 0, "segment_type": "large",
                 "blocks": [block, {"address": block["address"] + block["size"], "size": (1 << 21) - block["size"],
                                    "requested_size": 0, "state": "inactive", "frames": []}]} for block in live]
    return save(os.path.join(folder, f"snapshot{steps}.pickle"), pickle.dumps({"device_traces": [history], "segments": segments}, 4))


def ranks(folder, count):
    """A job of so many ranks, two steps each."""
    folder = os.path.join(folder, f"ranks{count}")
    os.makedirs(folder, exist_ok=True)
    text = json.dumps(recording(2, rank="RANK", world=count, layers=LAYERS_OF_RANKS))
    for rank in range(count):
        save(os.path.join(folder, f"rank{rank}.json"), text.replace('"RANK"', str(rank)))
    return folder


def sketch_version():
    with open(os.path.join(TOP, "src", "sketch", "file", "sketch.h"), encoding="ascii") as text:
        return re.search(r"SKETCH_VERSION = (\d+)", text.read())[1]


def sketches(folder, count):
    """What `summary --save` keeps of the same job."""
    kept = os.path.join(folder, f"sketches{count}-{sketch_version()}")
    if not os.path.exists(kept):
        making = kept + ".part"
        subprocess.run([PROGRAM, "summary", "--save", making, ranks(folder, count)], check=True,
                       stdout=subprocess.DEVNULL)
        os.replace(making, kept)
    return kept


def devices(folder, count):
    """A process that drives so many devices, each in turn."""
    taken = Recording(LAYERS)
    for i in range(2000):
        taken.ids += 1
        taken.span("cpu_op", "aten::mul", i * 10, 8, 1, **{"External id": taken.ids})
        taken.span("cuda_runtime", "cudaLaunchKernel", i * 10 + 2, 3, 1, correlation=taken.ids)
        taken.span("kernel", "k", i * 10 + 6, 9, 7, i % count, device=i % count, stream=7, correlation=taken.ids)
    taken.span("user_annotation", "ProfilerStep#1", 0, 20020, 1)
    about = [{**DEVICE, "id": i} for i in range(count)]
    return save(os.path.join(folder, f"devices{count}.json"),
                json.dumps({"schemaVersion": 1, "deviceProperties": about, "traceEvents": taken.events}))


def source(folder, functions):
    """Training loops with something to find in each."""
    text = ["import torch\n"]
    for i in range(functions):
        text.append(f"""
def train_{i}(model, loader, optimizer):
    total = 0.0
    for batch, target in loader:
        batch = batch.to("cuda")
        loss = torch.nn.functional.cross_entropy(model(batch), target.cuda())
        loss.backward()
        optimizer.step()
        total += loss.item()
        if {i} in (1, 2):
            print(total, loss.cpu())
    return total
""")
    return save(os.path.join(folder, f"loops{functions}.py"), "".join(text))


def jobs(folder, rows):
    """A table of jobs, as `fleet` reads it."""
    lines = ["job,architecture,cnodes,batch,input_bytes,flops,memory_bytes,weight_bytes,duration_s\n"]
    kinds = ("1w1g", "1wng", "ps-worker", "allreduce-local")
    for i in range(rows):
        kind = kinds[i % 4]
        lines.append(f"j{i},{kind},{1 if i % 4 == 0 else 2 + i % 7},{32 << i % 4},{1e6 + i * 17.25:.6g},{1e12 + i * 1e9:.5g},"
                     f"{2e10 + i * 3.5e6:.7g},{1e8 + i % 97 * 1e6:.6g},{100 + i % 1000}\n")
    return save(os.path.join(folder, f"jobs{rows}.csv"), "".join(lines))


def tables(folder, count):
    """Embedding tables, as `shard` reads them."""
    lines = ["name,rows,width,lookups\n"]
    lines += [f"t{i},{1000 + i * 7919 % 1000003},{(16, 32, 64, 128)[i % 4]},{1 + i % 20}\n" for i in range(count)]
    return save(os.path.join(folder, f"tables{count}.csv"), "".join(lines))


def kernels(folder, rows):
    """Measured kernels, as `model eval` reads them."""
    lines = ["op,device,b,m,n,k,latency_us\n"]
    lines += [f"bmm,A100-SXM4-40GB,{1 + i % 8},{64 + i % 512},{64 + i * 3 % 512},{64 + i * 7 % 512},{10 + i % 50}\n"
              for i in range(rows)]
    return save(os.path.join(folder, f"kernels{rows}.csv"), "".join(lines))
