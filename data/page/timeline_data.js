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

// Numbers of seven bits a byte, the lowest first.
Timeline.Reader = class {
  constructor(bytes, at) { this.bytes = bytes; this.at = at; }

  next() {
    const bytes = this.bytes;
    let byte = bytes[this.at++];
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let place = 128; byte > 127; place *= 128) {
      byte = bytes[this.at++];
      value += (byte & 127) * place;
    }
    return value;
  }

  // The sign is the lowest bit.
  signed() {
    const value = this.next(), half = Math.floor(value / 2);
    return value % 2 ? -half - 1 : half;
  }

  fill(column, next) {
    for (let i = 0; i < column.length; i++) column[i] = next(i);
    return column;
  }
};

Timeline.readTrack = (from, of, offset, lane) => {
  const n = of.count, start = new Float64Array(n), dur = new Float64Array(n), name = new Uint32Array(n), row = new Uint32Array(n);
  const track = {nest: of.nest, count: n, lane, start, dur, name, row};
  let last = offset; // plain loops: these are most of the time until the page can be used
  for (let i = 0; i < n; i++) start[i] = last += from.next();
  for (let i = 0; i < n; i++) dur[i] = from.next();
  for (let i = 0; i < n; i++) name[i] = from.next();
  last = -1;
  for (let i = 0; i < n; i++) row[i] = last += from.signed() + 1;
  if (of.nest !== 4) return track;
  last = -1;
  track.cause = from.fill(new Int32Array(n), () => {
    const step = from.signed();
    return step === 0 ? -1 : (last += step);
  });
  return track;
};

Timeline.readPath = (from, count, offset, lane) => {
  const track = {nest: -1, count, lane, dur: new Float64Array(count), start: new Float64Array(count), name: new Uint32Array(count)};
  const gaps = from.fill(new Float64Array(count), () => from.signed());
  from.fill(track.dur, () => from.next());
  from.fill(track.name, () => from.next());
  let last = 0, end = offset;
  track.row = from.fill(new Int32Array(count), () => (last += from.signed()) - 1);
  for (let i = 0; i < count; i++) {
    track.start[i] = end + gaps[i];
    end = track.start[i] + track.dur[i];
  }
  return track;
};

Timeline.readFound = (from, found) => {
  let last = 0;
  return {...found, rows: from.fill(new Uint32Array(found.count), () => (last += from.signed()))};
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
    for (const track of one.tracks) lane.tracks.push(Timeline.readTrack(from, track, offset, lane));
    trace.tracks.push(...lane.tracks);
    if (lane.tracks.length) trace.lanes.push(lane);
  }
  const lane = {name: "critical path", trace, tracks: [], process: "", path: true};
  trace.path = Timeline.readPath(from, of.path, offset, lane);
  lane.tracks.push(trace.path);
  trace.pathLane = lane;
  trace.onPath = new Set(trace.path.row);
  trace.found = of.found.map((found) => Timeline.readFound(from, found));
  trace.names = of.names.map((name) => name.slice(1));
  trace.classOf = Uint8Array.from(of.names, (name) => name.charCodeAt(0) - 48);
  Timeline.indexRows(trace);
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
