// SPDX-License-Identifier: Apache-2.0
// Ranks by steps: how long a step took, and how long kernels and collectives ran in it.
"use strict";
Timeline.MOST_RANKS = 128;
Timeline.MOST_STEPS = 60;

// What a cell may show: its word, and whether an event of that kind on that nest counts.
Timeline.amounts = {
  step: ["length of the step", null],
  kernel: ["kernels, copies and memsets", (nest, kind) => nest === 4 && kind !== 6],
  communication: ["communication on the device", (nest, kind) => nest === 4 && kind === 6],
  wait: ["waits of the host for the device", (nest, kind) => nest === 0 && kind === 2],
};

// Events count whole, in the step in which they begin.
Timeline.amountsOf = (trace, counts) => {
  const steps = trace.steps.length / 3, sums = new Float64Array(steps);
  for (let k = 0; k < steps && !counts; k++) sums[k] = trace.steps[3 * k + 2] - trace.steps[3 * k + 1];
  if (!counts) return sums;
  for (const track of trace.tracks) {
    for (let i = 0, k = 0; i < track.count && k < steps; i++) {
      const at = track.start[i] - trace.offset;
      while (k < steps && at >= trace.steps[3 * k + 2]) k++;
      if (k < steps && at >= trace.steps[3 * k + 1] && counts(track.nest, trace.classOf[track.name[i]])) sums[k] += track.dur[i];
    }
  }
  return sums;
};

Timeline.goToStep = (view, trace, k) => {
  view.show(trace.offset + trace.steps[3 * k + 1], trace.offset + trace.steps[3 * k + 2]);
  view.scroll(trace.top - view.state.scroll);
  view.root.scrollIntoView({block: "start"});
};

// Of each step its number and how often that came before in its trace: steps of one column have both in common.
Timeline.stepKeys = (trace) => {
  const times = new Map(), keys = [];
  for (let k = 0; k < trace.steps.length; k += 3) {
    const number = trace.steps[k], before = times.get(number) || 0;
    times.set(number, before + 1);
    keys.push(`${number} ${before}`);
  }
  return keys;
};

// Columns of all ranks, by number: of each its number, and by rank the place of the step there.
Timeline.stepColumns = (traces) => {
  const columns = new Map();
  traces.forEach((trace, r) => Timeline.stepKeys(trace).forEach((key, k) => {
    if (!columns.has(key)) columns.set(key, {key, number: trace.steps[3 * k], places: new Map()});
    columns.get(key).places.set(r, k);
  }));
  const before = (column) => Number(column.key.split(" ")[1]);
  return [...columns.values()].sort((a, b) => a.number - b.number || before(a) - before(b));
};

Timeline.rankTable = (view, counts) => {
  const traces = view.state.model.traces.slice(0, Timeline.MOST_RANKS), all = traces.map((trace) => Timeline.amountsOf(trace, counts));
  const columns = Timeline.stepColumns(traces).slice(0, Timeline.MOST_STEPS);
  const most = Math.max(1, ...columns.flatMap(({places}) => [...places].map(([r, k]) => all[r][k])));
  const table = document.createElement("table"), head = table.createTHead().insertRow(), body = table.createTBody();
  const cell = (row, tag, text) => { const made = document.createElement(tag); made.textContent = text; row.append(made); return made; };
  cell(head, "th", "rank").scope = "col";
  for (const {number} of columns) cell(head, "th", number).scope = "col";
  traces.forEach((trace, r) => {
    const row = body.insertRow();
    cell(row, "th", trace.rank).scope = "row";
    for (const {number, places} of columns) {
      const k = places.get(r), has = k !== undefined, made = cell(row, "td", has ? Timeline.timeText(all[r][k]) : "\u2013");
      made.style.setProperty("--full", `${has ? Math.round(45 * all[r][k] / most) : 0}%`);
      made.title = `rank ${trace.rank}, step ${number}`;
      if (has) made.addEventListener("click", () => Timeline.goToStep(view, trace, k));
    }
  });
  return table;
};

Timeline.rankMap = (view) => {
  const {traces} = view.state.model, place = view.root.querySelector("#timeline-ranks");
  if (traces.length < 2 || !traces.some((trace) => trace.steps.length)) return;
  const choose = document.createElement("select"), title = document.createElement("h3"), scroll = document.createElement("div");
  title.textContent = "Ranks by steps";
  choose.setAttribute("aria-label", "what the cells show");
  scroll.className = "scroll heat";
  scroll.tabIndex = 0;
  for (const [id, [word]] of Object.entries(Timeline.amounts)) choose.append(new Option(word, id));
  const fill = () => scroll.replaceChildren(Timeline.rankTable(view, Timeline.amounts[choose.value][1]));
  choose.value = traces.some((trace) => trace.tracks.some((track) => track.nest === 4)) ? "communication" : "step";
  choose.addEventListener("change", fill);
  place.append(title, choose, scroll);
  const steps = Timeline.stepColumns(traces.slice(0, Timeline.MOST_RANKS)).length;
  if (traces.length > Timeline.MOST_RANKS || steps > Timeline.MOST_STEPS) {
    const said = document.createElement("p");
    said.textContent = `The first ${Math.min(Timeline.MOST_RANKS, traces.length)} of ${traces.length} ranks and ${Math.min(Timeline.MOST_STEPS, steps)} of ${steps} columns.`;
    place.append(said);
  }
  fill();
};
