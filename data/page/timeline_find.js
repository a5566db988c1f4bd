// SPDX-License-Identifier: Apache-2.0
// Events by name, by finding, by time and place; what launched what; and the words for one of them.
"use strict";
Timeline.MOST_LINKS = 200;

Timeline.SLICE = 5; // ms of a frame that a search may take
Timeline.FIRST = 2; // and those at a letter: what is short is there at once
Timeline.CHUNK = 1 << 14; // events between two looks at the clock

// Marks are events by time: of each its track and its place there. They are found in slices, a frame each: `count` is right
// once `known`, the marks are there once `whole`. `picked` has the places of each track, in order.
Timeline.noMarks = (model, what) => ({what, tracks: Timeline.tracksOf(model), count: 0, at: -1, known: false, whole: false, due: 0});

Timeline.advance = (marks, until) => {
  while (!marks.whole && performance.now() < until) marks.whole = marks.work.next().done;
};

Timeline.ordering = function* (marks, picked) {
  const runs = [];
  for (let t = 0; t < picked.length; t++) {
    const {length} = picked[t], {start} = marks.tracks[t];
    if (!length) continue;
    runs.push({start: yield* Timeline.taking(start, picked[t]), track: new Uint32Array(length).fill(t), index: picked[t]});
  }
  while (runs.length > 1) {
    runs.sort((a, b) => b.start.length - a.start.length);
    runs.push(yield* Timeline.merging(runs.pop(), runs.pop()));
  }
  Object.assign(marks, runs[0] || {start: new Float64Array(0), track: new Uint32Array(0), index: new Uint32Array(0)});
};

Timeline.taking = function* (start, places) {
  const {length} = places, taken = new Float64Array(length);
  for (let from = 0; from < length; from += Timeline.CHUNK) {
    const end = Math.min(length, from + Timeline.CHUNK);
    for (let k = from; k < end; k++) taken[k] = start[places[k]];
    yield;
  }
  return taken;
};

Timeline.merging = function* (a, b) {
  const count = a.start.length + b.start.length;
  const to = {start: new Float64Array(count), track: new Uint32Array(count), index: new Uint32Array(count)}, at = [0, 0];
  for (let k = 0; k < count; k += Timeline.CHUNK) {
    Timeline.merge(a, b, to, at, k, Math.min(count, k + Timeline.CHUNK));
    yield;
  }
  return to;
};

// Places from k to end of two runs put together, of which `at` have been taken.
Timeline.merge = (a, b, to, at, k, end) => {
  let [i, j] = at;
  for (; k < end; k++) {
    const first = j >= b.start.length || (i < a.start.length && a.start[i] <= b.start[j]), from = first ? a : b, place = first ? i++ : j++;
    to.start[k] = from.start[place];
    to.track[k] = from.track[place];
    to.index[k] = from.index[place];
  }
  at[0] = i;
  at[1] = j;
};

Timeline.tracksOf = (model) => model.traces.flatMap((trace) => trace.tracks);

Timeline.search = (model, words) => {
  const marks = Timeline.noMarks(model, words);
  marks.work = Timeline.searching(model, words.toLowerCase(), marks);
  return marks;
};

// First through the names, of which there are few: how often each comes is known. Then through the events, where any name fits.
Timeline.searching = function* (model, wanted, marks) {
  const fits = new Map();
  for (const trace of model.traces) {
    const fit = new Uint8Array(trace.names.length), lower = trace.lower || (trace.lower = []);
    for (let k = 0; k < fit.length; k++) {
      if (lower[k] === undefined) lower[k] = trace.names[k].toLowerCase();
      if (lower[k].includes(wanted)) { fit[k] = 1; marks.count += trace.times[k]; }
      if (k % 512 === 511) yield;
    }
    fits.set(trace, fit);
  }
  marks.known = true;
  const picked = [];
  for (const track of marks.tracks) picked.push(marks.count ? yield* Timeline.picking(track, fits.get(track.lane.trace)) : []);
  yield* Timeline.ordering(marks, picked);
};

Timeline.picking = function* (track, fit) {
  const {name, count} = track, chunks = [];
  let found = 0;
  for (let from = 0; from < count; from += Timeline.CHUNK) {
    const end = Math.min(count, from + Timeline.CHUNK), places = new Uint32Array(end - from);
    let k = 0;
    for (let i = from; i < end; i++) { places[k] = i; k += fit[name[i]]; }
    chunks.push(places.subarray(0, k));
    found += k;
    yield;
  }
  const all = new Uint32Array(found);
  let at = 0;
  for (const chunk of chunks) { all.set(chunk, at); at += chunk.length; }
  return all;
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
  const marks = Timeline.noMarks(model, id), places = picked.map((some) => Uint32Array.from(some).sort());
  marks.count = places.reduce((sum, some) => sum + some.length, 0);
  marks.known = true;
  marks.work = Timeline.ordering(marks, places);
  Timeline.advance(marks, Infinity);
  return marks;
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
