// SPDX-License-Identifier: Apache-2.0
// A frame: pixels of all lines written at once, then names, marks and arrows over it.
"use strict";
Timeline.AXIS = 34;

// Colours of the page as numbers, for pixels: each class over the paper in 32 steps of fullness.
Timeline.palette = (root) => {
  const style = getComputedStyle(root), probe = document.createElement("canvas").getContext("2d");
  const rgb = (name) => {
    probe.fillStyle = style.getPropertyValue("--" + name).trim();
    const hex = probe.fillStyle;
    return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  };
  const pixel = (c) => (255 << 24 | Math.round(c[2]) << 16 | Math.round(c[1]) << 8 | Math.round(c[0])) >>> 0;
  const mix = (a, b, share) => a.map((x, i) => b[i] + (x - b[i]) * share);
  const card = rgb("card"), tones = new Uint32Array(Timeline.classes.length * 32), edges = new Uint32Array(Timeline.classes.length);
  Timeline.classes.forEach(([colour], k) => {
    for (let s = 0; s < 32; s++) tones[k * 32 + s] = pixel(mix(rgb(colour), card, 0.3 + 0.7 * s / 31));
    edges[k] = pixel(mix(rgb(colour), card, 0.55));
  });
  const text = Object.fromEntries(["ink", "soft", "line", "accent", "card", "wash", "error", "inside"].map((name) => [name, style.getPropertyValue("--" + name).trim()]));
  return {card: pixel(card), wash: pixel(rgb("wash")), tones, edges, text};
};

// One line of pixels: how full each is and with what. `row` is as wide as the part of the canvas behind the names.
Timeline.fillRow = (line, view, colours, row, sums) => {
  const width = row.length, per = (view.end - view.start) / width;
  let from = Timeline.firstFrom(line, view.start), seam = -1;
  for (let x = 0; x < width; x++) {
    const t0 = view.start + x * per, t1 = t0 + per;
    let to = from;
    if (to < line.count && line.start[to] < t1) to = Timeline.firstFrom(line, t1);
    let busy = line.busy[to] - line.busy[from], kind = -1;
    if (from > 0 && line.end[from - 1] > t0) {
      busy += Math.min(line.end[from - 1], t1) - t0;
      kind = line.kind[from - 1];
    }
    if (to > from) {
      if (line.end[to - 1] > t1) busy -= line.end[to - 1] - t1;
      const most = Timeline.most(line, from, to, sums);
      if (kind < 0 || busy > per * 0.5) kind = most;
      if (line.end[to - 1] - line.start[to - 1] > 4 * per) seam = x;
    }
    if (kind >= 0) row[x] = seam === x ? colours.edges[kind] : colours.tones[kind * 32 + Math.min(31, Math.max(6, Math.round(31 * busy / per)))];
    from = to;
  }
};

Timeline.pixels = (state) => {
  const {ratio, view, colours} = state, left = Math.round(state.left * ratio), top = Timeline.AXIS * ratio;
  const width = Math.max(1, state.canvas.width - left), height = Math.max(1, state.canvas.height - Math.round(top));
  if (!state.image || state.image.width !== width || state.image.height !== height) {
    state.image = new ImageData(width, height);
    state.words = new Uint32Array(state.image.data.buffer);
    state.row = new Uint32Array(width);
    state.sums = new Float64Array(Timeline.classes.length);
  }
  state.words.fill(colours.card);
  for (const at of state.layout.rows) {
    const y = Math.round((at.y - state.scroll) * ratio), end = Math.min(height, Math.round((at.y + at.height - 1 - state.scroll) * ratio));
    if (end <= 0 || y >= height) continue;
    state.row.fill(colours.wash);
    Timeline.fillRow(at.line, view, colours, state.row, state.sums);
    for (let k = Math.max(0, y); k < end; k++) state.words.set(state.row, k * width);
  }
  state.pen.putImageData(state.image, left, Math.round(top));
};

Timeline.x = (state, time) => state.left + (time - state.view.start) / (state.view.end - state.view.start) * (state.width - state.left);
Timeline.y = (state, track, i) => Timeline.AXIS + track.y - state.scroll + (track.lane.folded ? 0 : track.depth[i] * state.row_height);

// How wide the letters of the names are; those beyond ASCII count as wide ones.
Timeline.letters = (pen) => {
  pen.font = "11px system-ui, sans-serif";
  return Float32Array.from({length: 128}, (_, c) => (c < 32 ? 11 : pen.measureText(String.fromCharCode(c)).width));
};

// As much of a text as fits, cut in the middle so that its end stays.
Timeline.cut = (state, text, width) => {
  const letters = state.letters || (state.letters = Timeline.letters(state.pen)), dots = 11;
  const wide = (i) => { const c = text.charCodeAt(i); return c < 128 ? letters[c] : 11; };
  let sum = 0;
  for (let i = 0; i < text.length && sum <= width; i++) sum += wide(i);
  if (sum <= width) return text;
  let from = 0, to = text.length, room = width - dots;
  for (let head = room * 0.66; from < to && wide(from) <= head; from++) { head -= wide(from); room -= wide(from); }
  for (; to > from && wide(to - 1) <= room; to--) room -= wide(to - 1);
  return from ? text.slice(0, from) + "\u2026" + text.slice(to) : "";
};

Timeline.names = (state) => {
  const {pen, view} = state, per = (view.end - view.start) / (state.width - state.left), least = 28 * per;
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "middle";
  pen.fillStyle = state.colours.text.inside;
  for (const at of state.layout.rows) {
    const y = Timeline.AXIS + at.y - state.scroll, line = at.line;
    if (y < Timeline.AXIS - 2 || y > state.height) continue;
    const from = Math.max(0, Timeline.firstFrom(line, view.start) - 1), to = Timeline.firstFrom(line, view.end);
    if (to - from > 20000) continue;
    for (let i = from; i < to; i++) {
      if (line.end[i] - line.start[i] < least) continue;
      const x = Math.max(state.left, Timeline.x(state, line.start[i])), end = Math.min(state.width, Timeline.x(state, line.end[i]));
      if (end - x > 28) pen.fillText(Timeline.cut(state, Timeline.nameOf(line.track, line.at[i]), end - x - 6), x + 4, y + at.height / 2);
    }
  }
};

Timeline.timeText = (ns, step = Math.abs(ns)) => {
  const [size, word] = step >= 1e9 ? [1e9, "s"] : step >= 1e6 ? [1e6, "ms"] : step >= 1e3 ? [1e3, "\u00b5s"] : [1, "ns"];
  const digits = Math.max(0, Math.min(3, 3 - Math.floor(Math.log10(Math.max(1, Math.abs(ns) / size)))));
  return Number((ns / size).toFixed(size === 1 ? 0 : digits)) + " " + word;
};

Timeline.axis = (state) => {
  const {pen, view, colours} = state, text = colours.text, span = view.end - view.start;
  const wanted = span / Math.max(2, (state.width - state.left) / 110), power = 10 ** Math.floor(Math.log10(Math.max(1, wanted)));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= wanted) || 10 * power;
  pen.fillStyle = text.card;
  pen.fillRect(0, 0, state.width, Timeline.AXIS);
  pen.font = "10.5px system-ui, sans-serif";
  pen.textBaseline = "middle";
  for (let t = Math.ceil(view.start / step) * step; t < view.end; t += step) {
    const x = Timeline.x(state, t);
    pen.fillStyle = text.line;
    pen.globalAlpha = 0.4;
    pen.fillRect(x, 13, 1, state.height);
    pen.globalAlpha = 1;
    pen.fillStyle = text.soft;
    pen.fillText(Timeline.timeText(t, Math.max(step, Math.abs(t))), x + 3, 7);
  }
  const trace = state.model.traces[0], steps = trace.steps;
  for (let i = 0; i < steps.length; i += 3) {
    const from = Math.max(state.left, Timeline.x(state, steps[i + 1] + trace.offset)), to = Math.min(state.width, Timeline.x(state, steps[i + 2] + trace.offset));
    if (to <= from) continue;
    pen.fillStyle = i / 3 % 2 ? text.wash : text.line;
    pen.fillRect(from, 15, to - from, 14);
    pen.fillStyle = text.soft;
    if (to - from > 44) pen.fillText("step " + steps[i], from + 4, 22);
  }
};

Timeline.labels = (state) => {
  const {pen, colours} = state, text = colours.text;
  pen.save();
  pen.beginPath();
  pen.rect(0, Timeline.AXIS, state.width, state.height);
  pen.clip();
  pen.fillStyle = text.card;
  pen.fillRect(0, Timeline.AXIS, state.left, state.height);
  pen.textBaseline = "middle";
  for (const trace of state.model.traces) {
    if (state.model.traces.length > 1) {
      pen.font = "600 11px system-ui, sans-serif";
      pen.fillStyle = text.ink;
      pen.fillText("rank " + trace.rank, 6, Timeline.AXIS + trace.top - state.scroll + 10);
    }
    for (const lane of trace.path.count ? [trace.pathLane, ...trace.lanes] : trace.lanes) {
      const y = Timeline.AXIS + lane.top - state.scroll;
      if (y > state.height || y + lane.bottom - lane.top < 0) continue;
      pen.font = "11px system-ui, sans-serif";
      pen.fillStyle = lane.device || lane.path ? text.ink : text.soft;
      const sign = lane.levels > 1 ? (lane.folded ? "\u25b8 " : "\u25be ") : "   ";
      pen.fillText(sign + Timeline.cut(state, lane.name, state.left - 24), 4, y + state.row_height / 2);
      if (lane.process && !lane.folded && lane.bottom - lane.top > 2 * state.row_height)
        pen.fillText("   " + Timeline.cut(state, lane.process, state.left - 24), 4, y + state.row_height * 1.5);
    }
  }
  pen.restore();
};

// Events that were looked for or that a finding is about: ticks over the lanes, and a frame around those in sight.
Timeline.marks = (state) => {
  const {pen, colours, marks} = state;
  if (!marks || !marks.whole) return;
  pen.fillStyle = pen.strokeStyle = colours.text.error;
  const from = Timeline.markFrom(marks, state.view.start), to = Timeline.markFrom(marks, state.view.end);
  const per = (state.view.end - state.view.start) / (state.width - state.left);
  for (let k = from; k < to; ) {
    pen.fillRect(Timeline.x(state, marks.start[k]), 29, 2, 4);
    k = Math.max(k + 1, Timeline.markFrom(marks, marks.start[k] + per));
  }
  for (let k = Math.max(0, from - 1); k < to && to - from < 4000; k++) Timeline.frameMark(state, marks, k);
};

Timeline.frameMark = (state, marks, k) => {
  const track = marks.tracks[marks.track[k]], i = marks.index[k], y = Timeline.y(state, track, i);
  const x = Math.max(state.left, Timeline.x(state, marks.start[k])), end = Math.min(state.width, Timeline.x(state, marks.start[k] + track.dur[i]));
  if (y < Timeline.AXIS || y > state.height || end - x < 3) return;
  state.pen.lineWidth = 1.5;
  state.pen.strokeRect(x, y, end - x, state.row_height - 2);
};

Timeline.arrows = (state) => {
  const {pen, colours, selected} = state;
  if (!selected) return;
  const place = ({track, i}) => [Timeline.x(state, track.start[i]), Timeline.y(state, track, i) + state.row_height / 2];
  pen.save();
  pen.beginPath();
  pen.rect(state.left, Timeline.AXIS, state.width - state.left, state.height);
  pen.clip();
  pen.strokeStyle = pen.fillStyle = colours.text.ink;
  pen.lineWidth = 1.3;
  for (const [a, b] of selected.links) {
    const [x0, y0] = place(a), [x1, y1] = place(b), bend = Math.max(12, Math.abs(x1 - x0) / 3);
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 5, y1);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x1 - 6, y1 - 3.5);
    pen.lineTo(x1 - 6, y1 + 3.5);
    pen.fill();
  }
  const [x, y] = place(selected), width = Math.max(3, Timeline.x(state, selected.track.start[selected.i] + selected.track.dur[selected.i]) - x);
  pen.lineWidth = 2;
  pen.strokeRect(x, y - state.row_height / 2, width, state.row_height - 1);
  pen.restore();
};

Timeline.measure = (state) => {
  const {pen, colours, range} = state;
  if (!range) return;
  const [a, b] = range.map((t) => Timeline.x(state, t));
  pen.globalAlpha = 0.18;
  pen.fillStyle = colours.text.accent;
  pen.fillRect(Math.min(a, b), Timeline.AXIS, Math.abs(b - a), state.height);
  pen.globalAlpha = 1;
};

Timeline.frame = (state) => {
  const {pen} = state;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.fillStyle = state.colours.text.card; // what rounding leaves between the parts
  pen.fillRect(0, 0, state.canvas.width, state.canvas.height);
  Timeline.pixels(state);
  pen.setTransform(state.ratio, 0, 0, state.ratio, 0, 0);
  pen.direction = "ltr";
  Timeline.names(state);
  Timeline.axis(state);
  Timeline.measure(state);
  Timeline.marks(state);
  Timeline.arrows(state);
  Timeline.labels(state);
};
