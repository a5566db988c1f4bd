// SPDX-License-Identifier: Apache-2.0
// Calls inside calls, added up by name: a tree whose nodes know their time on the host and that of the device work
// launched inside them. Made of the timeline's columns.
"use strict";
const Flame = {
  // What stacks are made of: word, and which Python frames count.
  stacks: {
    operators: ["operators", null],
    modules: ["modules, operators", (name) => name.startsWith("nn.Module: ")],
    python: ["Python, operators", () => true],
  },
};

Flame.node = (name, kind, parent, work = false) => ({name, kind, parent, work, children: new Map(), host: 0, device: 0, times: 0});

Flame.child = (node, name, kind, work = false) => {
  const key = work ? "\n" + name : name;
  let child = node.children.get(key);
  if (!child) node.children.set(key, (child = Flame.node(name, kind, node, work)));
  return child;
};

// Threads with the tracks of their calls and of their frames.
Flame.threads = (trace) => {
  const threads = new Map();
  for (const track of trace.tracks) {
    if (track.nest !== 0 && track.nest !== 2) continue;
    const lane = track.lane.of || track.lane;
    if (lane.device) continue;
    if (!threads.has(lane)) threads.set(lane, {lane, calls: [], frames: []});
    threads.get(lane)[track.nest === 0 ? "calls" : "frames"].push(track);
  }
  return [...threads.values()];
};

// Events of some tracks in the order of their starts, the longer first: [track number, place there].
Flame.merged = (tracks, fits) => {
  const at = tracks.map(() => 0);
  return () => {
    let best = -1;
    for (let t = 0; t < tracks.length; t++) {
      const track = tracks[t];
      while (at[t] < track.count && fits[t] && !fits[t][track.name[at[t]]]) at[t]++;
      if (at[t] >= track.count) continue;
      if (best < 0) { best = t; continue; }
      const apart = track.start[at[t]] - tracks[best].start[at[best]];
      if (apart < 0 || (apart === 0 && track.dur[at[t]] > tracks[best].dur[at[best]])) best = t;
    }
    return best < 0 ? null : [best, at[best]++];
  };
};

// The calls of a thread below `root`, as far as they lie in the range. Of each call its node is kept in nodes, by track.
Flame.addThread = (root, trace, tracks, fits, range, nodes) => {
  const next = Flame.merged(tracks, fits), ends = [], open = [];
  for (let one = next(); one; one = next()) {
    const track = tracks[one[0]], i = one[1], start = track.start[i];
    let end = start + track.dur[i];
    while (ends.length && ends[ends.length - 1] <= start) { ends.pop(); open.pop(); }
    if (end <= range[0] || start >= range[1]) continue;
    if (ends.length) end = Math.min(end, ends[ends.length - 1]);
    const name = track.name[i], node = Flame.child(open.length ? open[open.length - 1] : root, trace.names[name], trace.classOf[name]);
    const within = Math.min(end, range[1]) - Math.max(start, range[0]);
    node.host += within;
    node.times++;
    if (!open.length) root.host += within;
    nodes.get(track)[i] = node;
    ends.push(end);
    open.push(node);
  }
};

// Device work goes to the call that launched it, and to all that this lies in.
Flame.addWork = (top, trace, range, nodes) => {
  for (const track of trace.tracks) {
    if (!track.cause) continue;
    for (let i = 0; i < track.count; i++) {
      const start = track.start[i], within = Math.min(start + track.dur[i], range[1]) - Math.max(start, range[0]);
      if (within <= 0) continue;
      const cause = track.cause[i] >= 0 ? trace.find(track.cause[i]) : null, known = cause && nodes.get(cause.track);
      const node = (known && known[cause.i]) || Flame.child(top, "launched by nothing that is in sight", 9);
      const work = Flame.child(node, trace.names[track.name[i]], trace.classOf[track.name[i]], true);
      work.device += within;
      work.times++;
      for (let up = node; up; up = up.parent) up.device += within;
    }
  }
};

// Threads have nodes of their own where there are several.
Flame.tree = (traces, stacks, range) => {
  const top = Flame.node("all", 9, null), filter = Flame.stacks[stacks][1];
  for (const trace of traces) {
    const nodes = new Map(), fit = filter && Uint8Array.from(trace.names, filter), threads = Flame.threads(trace);
    for (const {lane, calls, frames} of threads) {
      const tracks = fit ? [...frames, ...calls] : calls, fits = tracks.map((track) => (track.nest === 2 ? fit : null));
      for (const track of tracks) nodes.set(track, new Array(track.count));
      const root = threads.length > 1 ? Flame.child(top, lane.name, 9) : top;
      const before = root.host;
      Flame.addThread(root, trace, tracks, fits, range, nodes);
      if (root !== top) top.host += root.host - before;
    }
    Flame.addWork(top, trace, range, nodes);
  }
  return top;
};

Flame.weight = (node, by) => node[by];

Flame.self = (node, by) => {
  let rest = node[by];
  for (const child of node.children.values()) rest -= child[by];
  return Math.max(0, rest);
};

// Boxes from a node down: depth, and left and width as shares. What is narrower than `least` is one box with its siblings alike.
Flame.boxes = (root, by, least) => {
  const boxes = [];
  const below = (node, left, width, depth) => {
    const children = [...node.children.values()].filter((child) => child[by] > 0).sort((a, b) => b[by] - a[by]);
    let at = left, folded = 0, time = 0;
    for (const child of children) {
      const share = (width * child[by]) / node[by];
      if (share < least) { folded++; time += child[by]; continue; }
      boxes.push({node: child, left: at, width: share, depth});
      below(child, at, share, depth + 1);
      at += share;
    }
    const share = (width * time) / node[by];
    if (folded && share >= least) boxes.push({folded, time, left: at, width: share, depth});
  };
  if (root[by] > 0) below(root, 0, 1, 0);
  return boxes;
};
