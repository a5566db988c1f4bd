// SPDX-License-Identifier: Apache-2.0
// Events by name, by finding, by time and place; what launched what; and the words for one of them.
"use strict";
Timeline.MOST_LINKS = 200;

// Events to mark, by time: of each its track and its place there. `picked` has the places of each track, in order.
Timeline.marksOf = (tracks, picked, what) => {
  let runs = [];
  tracks.forEach((track, t) => {
    const {length} = picked[t];
    if (!length) return;
    runs.push({start: Float64Array.from(picked[t], (i) => track.start[i]), track: new Uint32Array(length).fill(t), index: picked[t]});
  });
  while (runs.length > 1) {
    runs.sort((a, b) => b.start.length - a.start.length);
    runs.push(Timeline.merge(runs.pop(), runs.pop()));
  }
  const all = runs[0] || {start: new Float64Array(0), track: new Uint32Array(0), index: new Uint32Array(0)};
  return {what, tracks, count: all.start.length, at: -1, ...all};
};

Timeline.merge = (a, b) => {
  const count = a.start.length + b.start.length;
  const to = {start: new Float64Array(count), track: new Uint32Array(count), index: new Uint32Array(count)};
  for (let k = 0, i = 0, j = 0; k < count; k++) {
    const first = j >= b.start.length || (i < a.start.length && a.start[i] <= b.start[j]), from = first ? a : b, at = first ? i++ : j++;
    to.start[k] = from.start[at];
    to.track[k] = from.track[at];
    to.index[k] = from.index[at];
  }
  return to;
};

Timeline.tracksOf = (model) => model.traces.flatMap((trace) => trace.tracks);

Timeline.search = (model, words) => {
  const wanted = words.toLowerCase(), fits = new Map(), tracks = Timeline.tracksOf(model);
  for (const trace of model.traces) fits.set(trace, Uint8Array.from(trace.names, (name) => name.toLowerCase().includes(wanted)));
  const picked = tracks.map((track) => {
    const fit = fits.get(track.lane.trace), {name, count} = track;
    let found = 0, k = 0;
    for (let i = 0; i < count; i++) found += fit[name[i]];
    const places = new Uint32Array(found);
    for (let i = 0; i < count && k < found; i++) if (fit[name[i]]) places[k++] = i;
    return places;
  });
  return Timeline.marksOf(tracks, picked, words);
};

// The events of a finding: by its own id, else those that each rank has under its rule.
Timeline.findingMarks = (model, id, rule) => {
  const own = model.traces.some((trace) => trace.found.some((found) => found.id === id));
  const tracks = Timeline.tracksOf(model), picked = tracks.map(() => []);
  for (const trace of model.traces)
    for (const found of trace.found) {
      if (own ? found.id !== id : found.rule !== rule) continue;
      for (const row of found.rows) {
        const at = trace.find(row);
        if (at) picked[tracks.indexOf(at.track)].push(at.i);
      }
    }
  return Timeline.marksOf(tracks, picked.map((places) => Uint32Array.from(places).sort()), id);
};

// The first mark that begins at the time or after.
Timeline.markFrom = (marks, time) => {
  let low = 0, high = marks.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks.start[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
};

// The event of a line at a time, or one as near as the pointer can be.
Timeline.eventAt = (state, x, y) => {
  const down = y - Timeline.AXIS + state.scroll;
  const at = state.layout.rows.find((row) => down >= row.y && down < row.y + row.height);
  if (!at || x < state.left || y < Timeline.AXIS) return null;
  const per = (state.view.end - state.view.start) / (state.width - state.left), time = state.view.start + (x - state.left) * per;
  const line = at.line, next = Timeline.firstFrom(line, time);
  let best = null, least = 4 * per;
  for (const i of [next - 1, next]) {
    if (i < 0 || i >= line.count) continue;
    const away = Math.max(line.start[i] - time, time - line.end[i], 0);
    if (away < least || (away === least && best === null)) { least = away; best = i; }
  }
  return best === null ? null : {track: line.track, i: line.at[best]};
};

// Device work of a call, or of all calls inside an operator; or the call that launched this work.
Timeline.linksOf = (at) => {
  const trace = at.track.lane.trace, {track, i} = at;
  if (track.cause) {
    const cause = track.cause[i] >= 0 ? trace.find(track.cause[i]) : null;
    return {links: cause ? [[cause, at]] : [], launched: 0, cause};
  }
  const links = [], start = track.start[i], end = start + track.dur[i];
  let launched = 0;
  if (track.nest !== 0) return {links, launched, cause: null};
  for (const other of trace.tracks) {
    if (!other.cause) continue;
    for (let k = 0; k < other.count; k++) {
      const cause = other.cause[k] >= 0 ? trace.find(other.cause[k]) : null;
      if (!cause || cause.track !== track || cause.track.start[cause.i] < start || cause.track.start[cause.i] >= end) continue;
      if (launched++ < Timeline.MOST_LINKS) links.push([cause, {track: other, i: k}]);
    }
  }
  return {links, launched, cause: null};
};

Timeline.select = (at) => {
  if (at.track.nest === -1) {
    const row = at.track.row[at.i];
    at = (row >= 0 && at.track.lane.trace.find(row)) || at;
  }
  return {...at, ...Timeline.linksOf(at)};
};

Timeline.stepAt = (trace, time) => {
  for (let k = 0; k < trace.steps.length; k += 3)
    if (time >= trace.steps[k + 1] + trace.offset && time < trace.steps[k + 2] + trace.offset) return trace.steps[k];
  return null;
};

// What is open around an event, from the outside.
Timeline.around = ({track, i}) => {
  const names = [];
  let depth = track.depth[i];
  for (let k = i - 1; k >= 0 && depth > 0 && i - k < 200000; k--)
    if (track.depth[k] === depth - 1 && track.start[k] + track.dur[k] > track.start[i]) { names.unshift(Timeline.nameOf(track, k)); depth--; }
  return names;
};

Timeline.words = (at) => {
  const {track, i} = at, trace = track.lane.trace, step = Timeline.stepAt(trace, track.start[i]);
  const [, kind] = Timeline.classes[trace.classOf[track.name[i]]];
  const facts = [
    kind, Timeline.timeText(track.dur[i]), "at " + Timeline.timeText(track.start[i]),
    track.lane.process ? `${track.lane.process}, ${track.lane.name}` : track.lane.name,
  ];
  if (step !== null) facts.push("step " + step);
  if (track.row[i] >= 0) facts.push("event " + track.row[i]);
  if (track.row[i] >= 0 && trace.onPath.has(track.row[i])) facts.push("on the critical path");
  const more = [], around = Timeline.around(at);
  if (around.length) more.push("in " + around.join(" \u203a "));
  if (at.cause) {
    const late = track.start[i] - at.cause.track.start[at.cause.i];
    const inside = Timeline.around(at.cause);
    more.push(`launched by ${Timeline.nameOf(at.cause.track, at.cause.i)} ${Timeline.timeText(late)} before${inside.length ? ", in " + inside.join(" \u203a ") : ""}`);
  }
  if (at.launched) more.push(`launches ${at.launched} on the device${at.launched > Timeline.MOST_LINKS ? `; arrows lead to the first ${Timeline.MOST_LINKS}` : ""}`);
  return {name: Timeline.nameOf(track, i), facts, more};
};

// Busy time by name between two times, over all lines in sight.
Timeline.sumsOf = (state, from, to) => {
  const sums = new Map();
  for (const {line} of state.layout.rows) {
    if (line.track.nest === -1) continue;
    for (let i = Math.max(0, Timeline.firstFrom(line, from) - 1); i < line.count && line.start[i] < to; i++) {
      const inside = Math.min(line.end[i], to) - Math.max(line.start[i], from);
      if (inside <= 0 || (line.track.nest !== 4 && line.track.nest !== 0)) continue;
      const name = Timeline.nameOf(line.track, line.at[i]), sum = sums.get(name) || [0, 0];
      sums.set(name, [sum[0] + inside, sum[1] + 1]);
    }
  }
  return [...sums].sort((a, b) => b[1][0] - a[1][0]).slice(0, 6);
};
