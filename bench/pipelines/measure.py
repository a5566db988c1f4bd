# SPDX-License-Identifier: Apache-2.0
"""What each rewrite saves of a step of public pipelines on a CPU, predicted from a trace and measured alone.

    measure.py --steptime build/steptime --clones DIR --work DIR [--steps 40] NAME...

DIR of the clones holds a folder a pipeline, as git clone makes it; nothing in it is changed. For each pipeline its modules are
copied beside run_it.py; each rewrite is made alone in a copy of its own, and all, and all safe ones; the script as it is is
recorded, and lint says from the trace what each rewrite saves; then all versions train at once, a step each in turns (turns.py).
Prints a row of a Markdown table for each, and writes WORK/NAME/result.json with the times of all steps and the losses.
"""
import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# The folder of a pipeline's modules, where that is not the clone of its name.
MODULES = {"SR-GNN": "SR-GNN/pytorch_code", "GC-SAN": "GC-SAN/pytorch_code",
           "NARM": "Neural-Attentive-Session-Based-Recommendation-PyTorch", "GAIL": "pytorch-a2c-ppo-acktr-gail"}
# Of a large package only what the driver imports.
TAKE = {"RecBole": ("recbole/model/abstract_recommender.py", "recbole/model/layers.py", "recbole/model/loss.py",
                    "recbole/model/sequential_recommender/srgnn.py", "recbole/utils/enum_type.py")}
WARM_UP = 5
QUIET = ("-W", "ignore")


def run(*words, cwd=None, check=True):
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if check and done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(words)}: {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def table_of(document, name):
    return [dict(zip([column["id"] for column in table["columns"]], row)) for section in document["sections"]
            for table in section["tables"] if table["id"] == name for row in table["rows"]]


# ---- versions ----

def take_modules(clones, name, to):
    clone = os.path.join(clones, MODULES.get(name, name))
    for file in TAKE.get(name, ()):
        os.makedirs(os.path.join(to, os.path.dirname(file)), exist_ok=True)
        shutil.copy(os.path.join(clone, file), os.path.join(to, file))
    if name not in TAKE:
        shutil.copytree(clone, to, ignore=shutil.ignore_patterns(".git", "*.csv", "*.txt", "*.png", "datasets", "data", "*.pkl", "*.pdf"))
    for script in ("run_it.py", "sessions.py"):
        shutil.copy(os.path.join(HERE, script), to)


def leave_out(folder, row):
    """So that it is not rewritten."""
    path = os.path.join(folder, row["file"])
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    lines[row["line"] - 1] += f"  # steptime: ignore[{row['rule']}]"
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def make_alone(program, base, to, row, rows):
    """The base with this rewrite and no other."""
    shutil.copytree(base, to)
    for other in rows:
        if other["rule"] == row["rule"] and other is not row:
            leave_out(to, other)
    run(program, "fix", "--unsafe", "--write", "--select", row["rule"], ".", cwd=to)


def rewrites_of(program, base):
    """Each rule by itself, for where two would change the same lines one waits for the other."""
    findings = json.loads(run(program, "lint", "--format", "json", ".", cwd=base))["findings"]
    rows = []
    for rule in sorted({finding["rule"] for finding in findings}):
        said = json.loads(run(program, "fix", "--unsafe", "--select", rule, "--format", "json", ".", cwd=base))
        rows += [row for row in table_of(said, "rewrites") if row["round"] == 1]
    return rows


def make_versions(program, base, work):
    rows = rewrites_of(program, base)
    versions = {"base": base, "again": base}
    for at, row in enumerate(rows):
        row["version"] = f"{at}-{row['rule']}"
        versions[row["version"]] = os.path.join(work, row["version"])
        make_alone(program, base, versions[row["version"]], row, rows)
    for name, unsafe in (("safe", []), ("all", ["--unsafe"])):
        versions[name] = os.path.join(work, name)
        shutil.copytree(base, versions[name])
        run(program, "fix", "--write", *unsafe, ".", cwd=versions[name])
    return rows, versions


# ---- predicted ----

def record(program, folder, to, name):
    run(program, "record", "-o", to, "--wait", "10", "--steps", "10", "--window", "0:0", "--", sys.executable, *QUIET, "run_it.py", name, cwd=folder,
        check=False)
    return [os.path.join(to, file) for file in os.listdir(to) if file.endswith(".json.gz")][0]


def predict(program, base, trace):
    """By file and line and rule: the saving in ns; and the step of the trace."""
    document = json.loads(run(program, "lint", "--trace", trace, "--format", "json", ".", cwd=base))
    savings = {(finding["rule"], finding["file"], finding["line"]): finding for finding in document["findings"]}
    hosts = table_of(document, "hosts")
    return savings, hosts[0]["step_ns"] if hosts else None


# ---- measured ----

def ratio(before, after):
    """Part of the step that is saved, with its 95 % interval: the median over steps of 1 - after / before."""
    logs = sorted(math.log(b / a) for b, a in list(zip(before, after))[WARM_UP:])
    quarters = statistics.quantiles(logs, n=4)
    middle = statistics.median(logs)
    half = 1.96 * 1.2533 * (quarters[2] - quarters[0]) / 1.349 / math.sqrt(len(logs))
    return tuple(1 - math.exp(-value) for value in (middle, middle - half, middle + half))


def agree(before, after):
    """How far losses are apart: 0 where all are equal to the last bit; None where their numbers differ."""
    if len(before) != len(after):
        return None
    pairs = [(float.fromhex(b), float.fromhex(a)) for b, a in zip(before, after)]
    return max((abs(b - a) / max(abs(b), 1e-300) for b, a in pairs), default=0.0)


def measure(versions, name, steps):
    words = [f"{version}={folder}" for version, folder in versions.items()]
    said = run(sys.executable, *QUIET, os.path.join(HERE, "turns.py"), "--steps", str(steps), *words, "--", "run_it.py", name)
    return json.loads(said)


def pipeline(options, name):
    work = os.path.join(options.work, name)
    base = os.path.join(work, "base")
    shutil.rmtree(work, ignore_errors=True)
    take_modules(options.clones, name, base)
    rows, versions = make_versions(options.steptime, base, work)
    trace = record(options.steptime, base, os.path.join(work, "recorded"), name)
    savings, trace_step_ns = predict(options.steptime, base, trace)
    times = measure(versions, name, options.steps)
    before = times["base"]
    result = {"pipeline": name, "trace_step_ns": trace_step_ns, "rows": [],
              "step_ns": statistics.median(before["steps_ns"][WARM_UP:])}
    for row in rows + [{"version": version} for version in ("again", "safe", "all")]:
        after = times[row["version"]]
        if len(after["steps_ns"]) <= WARM_UP + 2:
            result["rows"].append({**row, "fails": True})
            continue
        finding = savings.get((row.get("rule"), row.get("file"), row.get("line")), {})
        part, low, high = ratio(before["steps_ns"], after["steps_ns"])
        result["rows"].append({**row, "measured": part, "low": low, "high": high, "off": agree(before["losses"], after["losses"]),
                               "finding": {key: finding.get(key) for key in finding if "saving" in key or "host" in key}})
    with open(os.path.join(work, "result.json"), "w", encoding="utf-8") as out:
        json.dump({**result, "times": times}, out)
    return result


# ---- shown ----

def percent(part):
    return "none" if part is None else f"{100 * part:.1f} %"


def show(result):
    """Rows of a table: what it is, predicted, measured with its interval, how far losses are off."""
    for row in result["rows"]:
        what = f"{row['rule']} `{row['file']}:{row['line']}` {row['fix']}" if "rule" in row else row["version"]
        if row.get("fails"):
            print(f"| {result['pipeline']} | {what} | | fails | |")
            continue
        saving = row["finding"].get("per_step_saving_ns")
        predicted = saving / result["trace_step_ns"] if saving is not None and result["trace_step_ns"] else None
        print(f"| {result['pipeline']} | {what} | {percent(predicted) if 'rule' in row else ''} | {percent(row['measured'])} "
              f"({100 * row['low']:.1f} to {100 * row['high']:.1f}) | {row['off']} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steptime", required=True, type=os.path.abspath)
    parser.add_argument("--clones", required=True, type=os.path.abspath)
    parser.add_argument("--work", required=True, type=os.path.abspath)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    for name in options.names:
        show(pipeline(options, name))


if __name__ == "__main__":
    main()
