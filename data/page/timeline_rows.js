// SPDX-License-Identifier: Apache-2.0
// Events as lines that are drawn: of each line its events in order, prefix sums of their time, and a grid to find them by.
"use strict";
Timeline.BLOCK = 64;

// Which line of its track an event lies on: below those that are open when it begins.
Timeline.depths = (track) => {
  const open = [], depth = new Uint16Array(track.count);
  let deepest = 0;
  for (let i = 0; i < track.count; i++) {
    const start = track.start[i];
    while (open.length && open[open.length - 1] <= start) open.pop();
    depth[i] = open.length;
    deepest = Math.max(deepest, open.length);
    open.push(start + track.dur[i]);
  }
  track.depth = depth;
  return deepest + 1;
};

Timeline.makeLine = (track, depth, count) => ({
  track, depth, count, at: new Uint32Array(count), start: new Float64Array(count), end: new Float64Array(count),
  busy: new Float64Array(count + 1), kind: new Uint8Array(count), filled: 0,
});

// Of each 64 events the class with most time.
Timeline.blocksOf = (line) => {
  const size = Timeline.BLOCK, blocks = new Uint8Array(Math.ceil(line.count / size)), sums = new Float64Array(Timeline.classes.length);
  for (let b = 0; b < blocks.length; b++) {
    sums.fill(0);
    const end = Math.min(line.count, (b + 1) * size);
    for (let i = b * size; i < end; i++) sums[line.kind[i]] += line.end[i] - line.start[i] + 1;
    let best = 0;
    for (let k = 1; k < sums.length; k++) if (sums[k] > sums[best]) best = k;
    blocks[b] = best;
  }
  return blocks;
};

Timeline.gridOf = (line) => {
  const cells = Math.min(1 << 18, Math.max(1, line.count >> 1)), first = line.start[0];
  const step = Math.max(1, (line.start[line.count - 1] - first) / cells), grid = new Uint32Array(cells + 2);
  let i = 0;
  for (let c = 0; c < cells; c++) {
    while (i < line.count && line.start[i] < first + c * step) i++;
    grid[c] = i;
  }
  grid[cells] = grid[cells + 1] = line.count;
  return {grid, step, cells};
};

// The first event that begins at the time or after.
Timeline.firstFrom = (line, time) => {
  const cell = Math.floor((time - line.start[0]) / line.step);
  if (cell < 0) return 0;
  if (cell >= line.cells) {
    let i = line.grid[Math.max(0, line.cells - 1)];
    while (i < line.count && line.start[i] < time) i++;
    return i;
  }
  let low = line.grid[cell], high = line.grid[cell + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (line.start[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
};

Timeline.linesOf = (track) => {
  const counts = new Uint32Array(Timeline.depths(track)), classOf = track.lane.trace.classOf;
  for (const depth of track.depth) counts[depth]++;
  const lines = Array.from(counts, (count, depth) => Timeline.makeLine(track, depth, count));
  for (let i = 0; i < track.count; i++) {
    const line = lines[track.depth[i]], to = line.filled++;
    line.at[to] = i;
    line.start[to] = track.start[i];
    line.end[to] = track.start[i] + track.dur[i];
    line.busy[to + 1] = line.busy[to] + track.dur[i];
    line.kind[to] = classOf[track.name[i]];
  }
  for (const line of lines) Object.assign(line, {blocks: Timeline.blocksOf(line)}, Timeline.gridOf(line));
  track.lines = lines;
};

// The class that fills most of some events of a line.
Timeline.most = (line, from, to, sums) => {
  if (to - from === 1) return line.kind[from];
  sums.fill(0);
  const size = Timeline.BLOCK;
  if (to - from <= 2 * size) {
    for (let i = from; i < to; i++) sums[line.kind[i]] += line.end[i] - line.start[i] + 1;
  } else {
    for (let b = Math.ceil(from / size); (b + 1) * size <= to; b++)
      sums[line.blocks[b]] += line.busy[(b + 1) * size] - line.busy[b * size] + 1;
  }
  let best = 0;
  for (let k = 1; k < sums.length; k++) if (sums[k] > sums[best]) best = k;
  return best;
};

// Lanes from top to bottom, each with a line a level; of those folded only the first.
Timeline.layOut = (model, height) => {
  const rows = [];
  let y = 0;
  const lane = (one) => {
    const top = y, levels = one.tracks.reduce((sum, track) => sum + track.lines.length, 0);
    for (const track of one.tracks) {
      for (const line of one.folded ? track.lines.slice(0, track === one.tracks[0] ? 1 : 0) : track.lines) {
        rows.push({y, height, line, lane: one});
        track.y = line.depth === 0 ? y : track.y;
        y += height;
      }
      if (one.folded) track.y = top;
    }
    Object.assign(one, {top, bottom: y, levels});
    y += 5;
  };
  for (const trace of model.traces) {
    trace.top = y;
    y += model.traces.length > 1 ? 18 : 0;
    if (trace.path.count) lane(trace.pathLane);
    for (const one of trace.lanes) lane(one);
    y += 4;
  }
  return {rows, height: y};
};

// Devices and the training thread lie open, what is deep or aside folded.
Timeline.arrange = (model) => {
  for (const trace of model.traces) {
    Timeline.linesOf(trace.path);
    trace.path.count || (trace.path.lines = []);
    for (const track of trace.tracks) Timeline.linesOf(track);
    const lanes = [];
    for (const lane of trace.lanes) {
      const split = lane.tracks.filter((track) => track.nest === 2);
      const rest = lane.tracks.filter((track) => track.nest !== 2);
      if (rest.length) lanes.push(Object.assign(lane, {tracks: rest, folded: !lane.main && !lane.device && trace.lanes.length > 6}));
      if (!split.length) continue;
      const frames = {...lane, of: lane, name: lane.name + " Python", tracks: split, folded: true, main: false};
      for (const track of split) track.lane = frames;
      lanes.push(frames);
    }
    const order = (lane) => (lane.device ? 0 : lane.main ? 1 : 2);
    trace.lanes = lanes.map((lane, i) => [order(lane), i, lane]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map((one) => one[2]);
    for (const track of trace.tracks) trace.classOf && (track.trace = trace);
  }
};
