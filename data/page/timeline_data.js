// SPDX-License-Identifier: Apache-2.0
// The timeline's data: unpacked and taken apart into columns. src/page/encode.c writes it.
"use strict";
const Timeline = {
  // What an event is drawn as, in the order of enum page_class: colour of the page's palette, and word.
  classes: [
    ["c3", "operator"], ["c7", "runtime call"], ["c2", "wait"], ["c9", "range"], ["c6", "Python"],
    ["c0", "kernel"], ["c1", "communication"], ["c5", "copy"], ["c8", "memset"], ["c9", "other"],
  ],
  nests: ["", "ranges", "Python", "aside", "", "waits", "ranges"],
};

// Columns of numbers, seven bits a byte: the first bytes of all, then the second ones of those that go on, and so on (src/page/column.h).
Timeline.Reader = class {
  constructor(bytes, at) { this.bytes = bytes; this.at = at; }

  // As numbers of the column's own kind.
  fill(column) {
    const {bytes} = this, count = column.length;
    let at = this.at, going = new Uint32Array(count), more = 0;
    for (let i = 0; i < count; i++) {
      const byte = bytes[at++];
      column[i] = byte & 127;
      if (byte > 127) going[more++] = i;
    }
    for (let place = 128; more; place *= 128) {
      const now = more;
      more = 0;
      for (let k = 0; k < now; k++) {
        const byte = bytes[at++], i = going[k];
        column[i] += (byte & 127) * place;
        if (byte > 127) going[more++] = i;
      }
    }
    this.at = at;
    return column;
  }

  // The sign is the lowest bit.
  signed(count) {
    const column = this.fill(new Float64Array(count));
    for (let i = 0; i < count; i++) {
      const value = column[i], half = Math.floor(value / 2);
      column[i] = value % 2 ? -half - 1 : half;
    }
    return column;
  }
};

Timeline.readTrack = (from, of, unit, offset, lane) => {
  const n = of.count, start = from.fill(new Float64Array(n)), dur = from.fill(new Float64Array(n)), name = from.fill(new Uint32Array(n)), row = new Uint32Array(n);
  const track = {nest: of.nest, count: n, lane, start, dur, name, row}, rows = from.signed(n);
  let last = offset, before = -1; // plain loops: these are most of the time until the page can be used
  for (let i = 0; i < n; i++) start[i] = last += start[i] * unit;
  for (let i = 0; unit > 1 && i < n; i++) dur[i] *= unit;
  for (let i = 0; i < n; i++) row[i] = before += rows[i] + 1;
  if (of.nest !== 4) return track;
  before = -1;
  track.cause = Int32Array.from(from.signed(n), (step) => (step === 0 ? -1 : (before += step)));
  return track;
};

// Where a stretch ends: with its event, with the start of the next one's, or so long after its own start (enum in src/page/timeline.h).
Timeline.endOf = (trace, track, told, i) => {
  if (told[i] > 1) return track.start[i] + told[i] - 2;
  const {track: of, i: at} = trace.find(track.row[i + told[i]]);
  return told[i] ? of.start[at] : of.start[at] + of.dur[at];
};

Timeline.readPath = (from, count, offset, lane) => {
  const gaps = from.signed(count), told = from.fill(new Float64Array(count)), name = from.fill(new Uint32Array(count)), rows = from.signed(count);
  const track = {nest: -1, count, lane, dur: new Float64Array(count), start: new Float64Array(count), name, row: new Int32Array(count)};
  let last = 0, end = offset;
  for (let i = 0; i < count; i++) track.row[i] = (last += rows[i]) - 1;
  for (let i = 0; i < count; i++) {
    track.start[i] = end + gaps[i];
    end = Timeline.endOf(lane.trace, track, told, i);
    track.dur[i] = end - track.start[i];
  }
  return track;
};

Timeline.readFound = (from, found) => {
  let last = 0;
  return {...found, rows: Uint32Array.from(from.signed(found.count), (step) => (last += step))};
};

// How often each name comes, and where an event of the file is: its track and place there. Ids are those of findings and of the other commands.
Timeline.indexRows = (trace) => {
  let most = 0, base = 1;
  for (const track of trace.tracks) {
    track.base = base;
    base += track.count;
    for (const row of track.row) if (row > most) most = row;
  }
  const place = new Uint32Array(most + 1), times = new Uint32Array(trace.names.length);
  for (const {base: first, count, row, name} of trace.tracks)
    for (let i = 0; i < count; i++) { place[row[i]] = first + i; times[name[i]]++; }
  trace.times = times;
  trace.find = (row) => {
    const at = row >= 0 && row <= most ? place[row] : 0;
    if (!at) return null;
    const track = trace.tracks.find((one) => at >= one.base && at < one.base + one.count);
    return {track, i: at - track.base};
  };
};

Timeline.readTrace = (from, of, offset) => {
  const trace = {rank: of.rank, offset, end: offset + of.end, steps: of.steps, tracks: [], lanes: []};
  for (const one of of.lanes) {
    const lane = {...one, trace, tracks: []};
    for (const track of one.tracks) lane.tracks.push(Timeline.readTrack(from, track, of.unit, offset, lane));
    trace.tracks.push(...lane.tracks);
    if (lane.tracks.length) trace.lanes.push(lane);
  }
  trace.names = of.names.map((name) => name.slice(1));
  trace.classOf = Uint8Array.from(of.names, (name) => name.charCodeAt(0) - 48);
  Timeline.indexRows(trace);
  const lane = {name: "critical path", trace, tracks: [], process: "", path: true};
  trace.path = Timeline.readPath(from, of.path, offset, lane);
  lane.tracks.push(trace.path);
  trace.pathLane = lane;
  trace.onPath = new Set(trace.path.row);
  trace.found = of.found.map((found) => Timeline.readFound(from, found));
  return trace;
};

Timeline.read = (bytes) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset), length = view.getUint32(4, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const from = new Timeline.Reader(bytes, 8 + length);
  const traces = head.traces.map((trace, i) => Timeline.readTrace(from, trace, head.offsets[i]));
  return {traces, ...Timeline.extent(traces)};
};

// From the first to the last event that is more than a mark of the recorder.
Timeline.extent = (traces) => {
  let start = Infinity, end = 0;
  for (const track of traces.flatMap((trace) => trace.tracks)) {
    if (track.nest === 3) continue;
    start = Math.min(start, track.start[0]);
    for (let i = 0; i < track.count; i++) end = Math.max(end, track.start[i] + track.dur[i]);
  }
  const last = Math.max(1, ...traces.map((trace) => trace.end));
  return end > start ? {start, end} : {start: 0, end: last};
};

Timeline.nameOf = (track, i) => track.lane.trace.names[track.name[i]];
