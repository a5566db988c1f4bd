# SPDX-License-Identifier: Apache-2.0
"""What predicting costs: a table of a million kernels, in single precision and as engines serve models, and a walk."""
import json
import os
import random

from measure import median, run

MILLION = 1_000_000
DEVICES = ("V100", "A100-SXM4-40GB", "H100", "B200", "T4")


def single(draw):
    """A row of the tables that kernels of single precision are measured in."""
    sizes = [draw.randrange(1, 8193) for _ in range(3)]
    return draw.choice((f"linear,1,{','.join(map(str, sizes))},,",
                        f"bmm,{draw.randrange(1, 65)},{','.join(str(1 + size // 8) for size in sizes)},,",
                        f"add,,,,,{sizes[0]},{sizes[1]}", f"softmax,,,,,{sizes[0]},{sizes[1]}", f"ln,,,,,{sizes[0]},{sizes[1]}"))


def served(draw):
    """Products and attention in narrow types, on GPUs that have them; two in three without their library."""
    library = draw.choice(("", "", "vllm"))
    m, n, k = draw.randrange(1, 8193), 64 * draw.randrange(1, 257), 64 * draw.randrange(1, 129)
    queries, keys = draw.choice(((1, draw.randrange(1, 65536)), (1 + 8 * m % 4096,) * 2))
    return draw.choice((f"linear,linear,bf16,{library},1,{m},{n},{k},,,,,,", f"linear,linear,fp8,{library},1,{m},{n},{k},,,,,,",
                        f"attention,attention,bf16,{library},,,,,{draw.randrange(1, 65)},32,{queries},{keys},128,1"))


TABLES = {
    "single": ("op,b,m,n,k,rows,cols", single, DEVICES),
    "served": ("op,form,dtype,library,b,m,n,k,batch,heads,queries,keys,width,causal", served, ("H100", "H200", "B200")),
}


def table(work, name):
    """Every row is another kernel, so nothing that is kept of one helps the next."""
    head, row, devices = TABLES[name]
    path = os.path.join(work, f"kernels-{name}.csv")
    if not os.path.exists(path):
        draw = random.Random(1)
        os.makedirs(work, exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(f"device,{head}\n")
            out.writelines(f"{draw.choice(devices)},{row(draw)}\n" for _ in range(MILLION))
    return path


def predicting(figures, program, walker, work):
    """A million kernels in 5 s on two cores; 100,000 operators walked in 50 ms."""
    for name in TABLES:
        path = table(work, name)
        cost = median([run([program, "predict", "kernel", "--input", path, "--output", path + ".out"], cores=2)
                       for _ in range(figures.times)])
        figures.add(f"predict.million_{name}", cost.wall_s, "s", ("<=", 5), cpu_s=cost.cpu_s)
    walked = json.loads(run([walker]).out)
    figures.add("predict.walk", walked["walk_ms"], "ms", ("<=", 50), operators=walked["operators"])
