# SPDX-License-Identifier: Apache-2.0
"""What the program says of a planted job, against the truth.

check() is the one place that knows what is to be said where. Bound, proof and doubt are read from `summary`'s section `verdict`
(doc/numbers/verdict.md). The other ids of SAYS are proposals until doc/numbers defines them; where the program has no such id,
what it says today is read instead.
"""
from dataclasses import dataclass

SILENT = "-"
TOLERANCE = 0.05
POINTS = 0.05  # of the run, between an experiment of the program and one of the truth

# What a summary is to have: values, and tables with a row a cause and a row a doubt.
SAYS = {
    "bound": "verdict_bound",  # and verdict_second: either may be the one
    "rank": "late_rank",
    "phase": "late_phase",  # forward backward optimizer loader
    "cause": "causes.cause",  # of the first row: the largest
    "kind": "late_kind",
    "ns": "causes.per_step_ns",  # over the recorded steps
    "when": "causes.when",  # each once warm_up periodic
    "doubts": "doubts.doubt",
    "proof": "experiments",  # resource, saved (device and host twice as fast, the rest free), removed
}
BOUNDS = {"GPU-bound": "device", "compute-bound": "device", "communication-bound": "communication", "copy-bound": "copies",
          "input-bound": "data",
          "host-bound": "host", "unknown": "none", None: "none", "stalled": "stalls", "start-up": "start_up",
          "late rank": "late_rank"}
DOUBTS = {"first": {"first_step", "one_step"}, "launches": {"kernels_missing"}, "held": {"kernels_missing"}}
RULES = {"SM101": "data_loading", "SM102": "synchronisation", "SM103": "launching", "SM104": "python", "SM105": "communication",
         "SM106": "copies", "SM109": "compilation", "SM301": "python", "SM302": "communication"}
SAME = {"pause": {"unknown"}, "garbage_collection": {"gc"}, "allocator": {"allocator_growth"},
        "data_loading_wait": {"loading_workers", "loader"}, "data_loading": {"loading_single", "loading_workers", "loader"}, "loading_single": {"loader"},
        "loading_workers": {"loader"}, "compute": {"compute_slower"}}
WARNINGS = {"no device work in the recording": "kernels_missing", "is missing": "ranks_missing", "are missing": "ranks_missing",
            "not ranks of one job": "several_models", "is already": "ranks_doubled"}
WHEN = {"first": "warm_up", "warm_up": "warm_up", "once": "once", "before_third": "once", "each": "each",
        "every_third": "periodic", "twice": "once", "from_second": "each"}


@dataclass
class Check:
    command: str
    what: str
    wanted: object
    said: object

    @property
    def right(self):
        """None: the command says nothing about it."""
        if self.said == SILENT:
            return None
        if self.what == "ns":
            return abs(self.said - self.wanted) <= TOLERANCE * self.wanted
        if self.what == "bound":
            return bool(self.said & self.wanted)
        if self.what.startswith("proof"):
            return all(abs(said - wanted) <= POINTS for said, wanted in zip(self.said, self.wanted))
        if self.what == "doubts":
            return self.wanted <= self.said
        if self.what == "cause":
            return self.said == self.wanted or self.wanted in SAME.get(self.said, ())
        if self.what == "never":
            return not self.said
        return self.said == self.wanted


def values(document):
    return {value["id"]: value["value"] for section in document["sections"] for value in section["values"]}


def rows(document, wanted):
    for section in document["sections"]:
        for table in section["tables"]:
            if table["id"] == wanted:
                ids = [column["id"] for column in table["columns"]]
                return [dict(zip(ids, row)) for row in table["rows"]]
    return []


def bounds_said(value):
    """One or two: of the verdict, or of a trace without a device."""
    first = value[SAYS["bound"]] if value.get(SAYS["bound"]) or "verdict_doubt" in value else value.get("bound")
    named = [first] + ([value["verdict_second"]] if value.get("verdict_second") else [])
    return {BOUNDS.get(name, name) for name in named}


def of_summary(document):
    value, causes = values(document), rows(document, SAYS["cause"].partition(".")[0])
    said = {"bound": bounds_said(value)}
    for what in ("rank", "phase", "kind"):
        said[what] = value.get(SAYS[what], SILENT)
    if causes:
        if said["phase"] == SILENT:
            said["phase"] = causes[0]["phase"] or ("loader" if causes[0]["cause"].startswith("data_loading") else SILENT)
        said.update({what: causes[0][SAYS[what].partition(".")[2]] for what in ("cause", "ns", "when")})
    else:
        largest = max((finding for finding in document["findings"] if finding["per_step_saving_ns"]),
                      key=lambda finding: finding["per_step_saving_ns"], default=None)
        said["cause"] = RULES.get(largest["rule"], largest["rule"]) if largest else SILENT
        said["ns"] = largest["per_step_saving_ns"] if largest else SILENT
    doubts = {row["doubt"] for row in rows(document, "doubts")} | {
        doubt for warning in document["warnings"] for words, doubt in WARNINGS.items() if words in warning["message"]}
    doubts |= DOUBTS.get(value.get("verdict_doubt"), set()) | ({"one_step"} if value.get("verdict_steps") == 1 else set())
    said["doubts"] = doubts or SILENT
    return said


def of_ranks(document):
    value, causes = values(document), rows(document, "causes")
    return {"rank": value.get("late_rank"), "ns": causes[0]["per_step_ns"] if causes else value.get("late_per_step_ns") or SILENT,
            "cause": value.get("late_cause", SILENT)}


def of_path(document):
    return {"bound": bounds_said(values(document)), "rank": values(document).get("late_rank", SILENT)}


def of_stragglers(document):
    """The replica or stage without whose slowness most returns, if that is half of the loss."""
    value = values(document)
    if "late_rank" in value:
        return {"rank": value["late_rank"]}
    if (value.get("slowdown") or 1) < 1.05:
        return {"rank": None}
    most = max(rows(document, "replicas"), key=lambda row: row["returned"] or 0, default=None)
    return {"rank": int(most["what"].split()[-1]) if most and most["returned"] >= 0.5 else None}


OF = {"summary": of_summary, "ranks": of_ranks, "critical-path": of_path, "stragglers": of_stragglers}


def wanted_of(truth, command):
    """What a command has to say of a job: {what: value}."""
    job = truth["ranks"] > 1 and not truth["alone"]
    want = {"summary": ("bound", "rank", "phase", "cause", "kind", "ns", "when", "doubts"), "ranks": ("rank", "cause", "ns"),
            "critical-path": ("bound", "rank"), "stragglers": ("rank",)}[command]
    known = {"bound": truth["bounds"] if truth["bound"] else None, "phase": truth["phase"],
             "cause": truth["cause"], "ns": truth["expected_ns"],
             "when": WHEN[truth["when"]] if truth["cause"] else None, "kind": truth["kind"],
             "doubts": set(truth["doubts"]) or None}
    found = {what: known[what] for what in want if known.get(what) is not None}
    if job and "rank" in want:
        found["rank"] = truth["rank"]
    return found


def check(truth, documents):
    """Every thing that is to be said of a job, by each command that was run: {command: document} -> [Check]."""
    checks = []
    for command, document in documents.items():
        if document is None:
            checks.append(Check(command, "answer", "one", "none"))
            continue
        said = OF[command](document)
        checks += [Check(command, what, value, said.get(what, SILENT)) for what, value in wanted_of(truth, command).items()]
        if command == "summary":
            checks += of_words(truth, document) + of_proof(truth, document)
    return checks


def within(wanted, least, most):
    """What is said of a share: the nearest to the truth of what it may be, where the report gives a range."""
    return least if most is None else min(max(wanted, least), most)


def of_proof(truth, document):
    checks = []
    said = {row["resource"]: row for row in rows(document, SAYS["proof"])}
    for resource, (half, none) in truth.get("proof", {}).items():
        wanted, row = (half if resource in ("device", "host") else none, none), said.get(resource)
        shares = SILENT if none >= POINTS else (0, 0)
        if row:
            shares = (within(wanted[0], row["saved"], row.get("saved_most")), within(wanted[1], row["removed"], row.get("removed_most")))
        checks.append(Check("summary", f"proof of {resource}", wanted, shares))
    return checks


def of_words(truth, document):
    """The place is to be named somewhere; what would be wrong advice nowhere."""
    advice = " ".join(finding["message"] for finding in document["findings"])
    everything = advice + " ".join(str(value) for value in values(document).values()) + " ".join(
        str(cell) for section in document["sections"] for table in section["tables"] for row in table["rows"] for cell in row
        if table["id"] == "causes")
    found = [Check("summary", "where", True, truth["where"] in everything or SILENT)] if truth["where"] else []
    return found + ([Check("summary", "never", (), [word for word in truth["never"] if word in advice])]
                    if truth["never"] else [])
