// SPDX-License-Identifier: Apache-2.0
// What the pointer and the keys do to the timeline. Loaded last: it starts it.
"use strict";
Timeline.View = class {
  constructor(root, model) {
    this.root = root;
    const canvas = root.querySelector("canvas");
    this.state = {
      model, canvas, pen: canvas.getContext("2d", {alpha: false}), view: {start: model.start, end: model.end},
      scroll: 0, row_height: 15, frames: [], marks: null, selected: null, range: null,
    };
    this.told = root.querySelector("#timeline-told");
    this.hits = root.querySelector("#timeline-hits");
    this.lay();
    this.size();
    this.tell();
  }

  lay() { this.state.layout = Timeline.layOut(this.state.model, this.state.row_height); }

  // As high as its lanes, but never more than most of the window.
  size() {
    const {state} = this, width = state.canvas.clientWidth;
    const height = Math.max(160, Math.min(state.layout.height + Timeline.AXIS + 4, Math.round(innerHeight * 0.72)));
    Object.assign(state, {width, height, ratio: Math.min(2, devicePixelRatio || 1), left: width < 600 ? 92 : 190});
    state.canvas.style.height = height + "px";
    state.canvas.width = Math.round(width * state.ratio);
    state.canvas.height = Math.round(height * state.ratio);
    state.colours = Timeline.palette(document.documentElement);
    this.scroll(0);
    this.draw();
  }

  draw() {
    this.stale = true;
    this.ask();
  }

  ask() { if (!this.asked) this.asked = requestAnimationFrame(() => this.tick()); }

  // A slice of a search that goes on, and what is to be drawn.
  tick() {
    const began = performance.now(), {state} = this, {frames} = state;
    this.asked = 0;
    this.lookOn(Timeline.SLICE);
    if (this.stale) Timeline.frame(state);
    this.stale = false;
    frames.push(performance.now() - began);
    if (frames.length > 2000) frames.shift();
  }

  scroll(by) {
    const {state} = this, most = Math.max(0, state.layout.height + Timeline.AXIS + 4 - state.height), before = state.scroll;
    state.scroll = Math.max(0, Math.min(most, state.scroll + by));
    if (state.scroll !== before) this.draw();
    return state.scroll !== before;
  }

  // Never narrower than 20 ns, never far beyond the traces.
  show(start, end) {
    const {model, view} = this.state, all = model.end - model.start, span = Math.max(20, Math.min(all * 1.02, end - start));
    const middle = (start + end) / 2, slack = Math.min(span / 2, all * 0.01);
    view.start = Math.max(model.start - slack, Math.min(model.end + slack - span, middle - span / 2));
    view.end = view.start + span;
    this.draw();
  }

  timeAt(x) {
    const {view, left, width} = this.state;
    return view.start + Math.max(0, x - left) / (width - left) * (view.end - view.start);
  }

  zoom(by, at = (this.state.view.start + this.state.view.end) / 2) {
    const {view} = this.state;
    this.show(at - (at - view.start) * by, at + (view.end - at) * by);
  }

  move(share) {
    const {view} = this.state, by = share * (view.end - view.start);
    this.show(view.start + by, view.end + by);
  }

  all() { this.show(this.state.model.start, this.state.model.end); }

  step() {
    const {model, view} = this.state, trace = model.traces.find((one) => one.steps.length);
    if (!trace) return;
    const steps = trace.steps, middle = (view.start + view.end) / 2, whole = view.end - view.start > (model.end - model.start) * 0.9;
    let k = 0;
    while (!whole && k + 3 < steps.length && steps[k + 1] + trace.offset <= middle) k += 3;
    const span = steps[k + 2] - steps[k + 1];
    this.show(steps[k + 1] + trace.offset - span * 0.03, steps[k + 2] + trace.offset + span * 0.03);
  }

  select(at, goes = false) {
    const {state} = this;
    state.selected = at && Timeline.select(at);
    if (state.selected && goes) this.go(state.selected);
    this.tell();
    this.draw();
  }

  // The event in the middle, with what is around it.
  go({track, i}) {
    const {state} = this, start = track.start[i], dur = track.dur[i], span = state.view.end - state.view.start;
    if (track.lane.folded && track.depth[i] > 0) { track.lane.folded = false; this.lay(); this.size(); }
    const wanted = dur * 30 < span || dur > span ? Math.max(dur * 6, 2000) : span;
    this.show(start + dur / 2 - wanted / 2, start + dur / 2 + wanted / 2);
    const y = Timeline.y(state, track, i);
    if (y < Timeline.AXIS + 10 || y > state.height - 20) this.scroll(y - state.height / 2);
  }

  zoomTo({track, i}) {
    const dur = Math.max(20, track.dur[i]);
    this.show(track.start[i] - dur * 0.1, track.start[i] + dur * 1.1);
  }

  line(tag, parts) {
    const p = document.createElement("p");
    parts.forEach((part, i) => {
      const one = document.createElement(i ? "span" : tag);
      one.textContent = part;
      p.append(one, " ");
    });
    this.told.append(p);
  }

  tell() {
    this.told.replaceChildren();
    const {selected, range} = this.state;
    if (!range && !selected) this.line("span", ["Click an event to see what it is, what it lies in, and what it launches or what launched it."]);
    if (range) {
      const [from, to] = [...range].sort((a, b) => a - b);
      this.line("b", [Timeline.timeText(to - from), "from " + Timeline.timeText(from), "to " + Timeline.timeText(to), "time of calls and device work in open lanes:"]);
      for (const [name, [ns, times]] of Timeline.sumsOf(this.state, from, to)) this.line("span", [Timeline.timeText(ns), times + " x", name]);
    } else if (selected) {
      const words = Timeline.words(selected);
      this.line("b", [words.name, ...words.facts]);
      for (const more of words.more) this.line("span", [more]);
    }
  }

  lookOn(ms) {
    const {marks} = this.state;
    if (!marks || marks.whole) return;
    Timeline.advance(marks, performance.now() + ms);
    this.tellHits();
    if (!marks.whole) return this.ask();
    this.draw();
    if (marks.due) this.next(marks.due);
  }

  tellHits() {
    const {marks} = this.state;
    this.hits.textContent = marks && marks.known ? `${marks.count} event${marks.count === 1 ? "" : "s"}` : "";
  }

  mark(marks) {
    this.state.marks = marks;
    this.tellHits();
    this.lookOn(Timeline.FIRST);
    for (const button of document.querySelectorAll("[data-finding]"))
      button.setAttribute("aria-pressed", String(Boolean(marks) && button.dataset.finding === marks.what));
    this.draw();
  }

  searchNow(words) { if (!this.state.marks || this.state.marks.what !== words) this.search(words); }

  search(words) { this.mark(words ? Timeline.search(this.state.model, words) : null); }

  // The mark before or behind the one told last, else the first in sight.
  next(by) {
    const {marks, view} = this.state;
    if (marks) marks.due = marks.whole ? 0 : by;
    if (!marks || !marks.whole || !marks.count) return;
    if (marks.at < 0) marks.at = Math.min(marks.count - 1, Timeline.markFrom(marks, view.start));
    else marks.at = (marks.at + by + marks.count) % marks.count;
    this.hits.textContent = `${marks.at + 1} of ${marks.count}`;
    this.select({track: marks.tracks[marks.track[marks.at]], i: marks.index[marks.at]}, true);
  }

  finding(id, rule) {
    this.mark(Timeline.findingMarks(this.state.model, id, rule));
    this.root.scrollIntoView({block: "start"});
    this.next(1);
    this.linkCard(id);
    this.state.canvas.focus({preventScroll: true});
  }

  // Back from the events of a finding to its card, with the line and what to write instead.
  linkCard(id) {
    const card = [...document.querySelectorAll("article.finding")].find((one) => one.dataset.id === id);
    if (!card) return;
    const link = document.createElement("a");
    link.href = "#" + card.id;
    link.textContent = "its card";
    this.hits.append(" ", link);
  }
};

// ---- the pointer ----

Timeline.listen = (view) => {
  const {state} = view, canvas = state.canvas, down = new Map();
  const place = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  let moved = 0, pinch = null;

  canvas.addEventListener("wheel", (event) => {
    const [x] = place(event);
    if (event.ctrlKey || event.altKey || event.metaKey) view.zoom(Math.exp(event.deltaY * 0.003), view.timeAt(x));
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) view.move((event.deltaX || event.deltaY) / 800);
    else if (!view.scroll(event.deltaY)) return;
    event.preventDefault();
  }, {passive: false});

  canvas.addEventListener("pointerdown", (event) => {
    const [x, y] = place(event);
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, [x, y]);
    moved = 0;
    state.range = event.shiftKey ? [view.timeAt(x), view.timeAt(x)] : null;
    pinch = null;
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = down.get(event.pointerId), [x, y] = place(event);
    if (!last) return;
    moved += Math.abs(x - last[0]) + Math.abs(y - last[1]);
    down.set(event.pointerId, [x, y]);
    if (down.size === 2) {
      const [a, b] = [...down.values()], apart = Math.max(8, Math.abs(a[0] - b[0]));
      if (pinch) view.zoom(pinch / apart, view.timeAt((a[0] + b[0]) / 2));
      pinch = apart;
    } else if (state.range) {
      state.range[1] = view.timeAt(x);
      view.draw();
    } else {
      view.move((last[0] - x) / (state.width - state.left));
      if (event.pointerType !== "touch") view.scroll(last[1] - y);
    }
  });
  const up = (event) => {
    const was = down.delete(event.pointerId), [x, y] = place(event);
    if (!was || event.type !== "pointerup") return;
    if (state.range) return view.tell();
    if (moved > 4) return;
    if (x < state.left) view.fold(y);
    else view.select(Timeline.eventAt(state, x, y));
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("dblclick", () => state.selected && view.zoomTo(state.selected));
};

Timeline.View.prototype.fold = function (y) {
  const {state} = this, at = y - Timeline.AXIS + state.scroll;
  for (const trace of state.model.traces)
    for (const lane of [trace.pathLane, ...trace.lanes])
      if (at >= lane.top && at < lane.bottom) lane.folded = !lane.folded;
  this.lay();
  this.size();
};

// ---- keys, buttons, links ----

Timeline.actions = {
  in: (view) => view.zoom(0.6), out: (view) => view.zoom(1 / 0.6), all: (view) => view.all(), step: (view) => view.step(),
  next: (view) => view.next(1), previous: (view) => view.next(-1),
};
Timeline.keys = {
  w: "in", "+": "in", "=": "in", s: "out", "-": "out", 0: "all", t: "step", n: "next", N: "previous",
};

Timeline.press = (view, event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const {key} = event, {state} = view, action = Timeline.keys[key];
  if (action) Timeline.actions[action](view);
  else if (key === "ArrowLeft" || key === "a") view.move(-0.2);
  else if (key === "ArrowRight" || key === "d") view.move(0.2);
  else if (key === "ArrowUp") view.scroll(-45);
  else if (key === "ArrowDown") view.scroll(45);
  else if (key === "/") view.root.querySelector("#timeline-find").focus();
  else if (key === "Enter" && state.selected) view.zoomTo(state.selected);
  else if (key === "Enter") view.select(Timeline.eventAt(state, (state.left + state.width) / 2, Timeline.AXIS + state.row_height * 1.5));
  else if (key === "Escape") { state.range = null; view.select(null); view.mark(null); }
  else return;
  event.preventDefault();
};

// A button for each finding that has events, at its place in the list of things to do, at its card, and over the lanes.
Timeline.buttons = (view) => {
  const bar = view.root.querySelector("#timeline-findings"), seen = new Set();
  for (const place of document.querySelectorAll(".things li, article.finding")) {
    const {id, rule} = place.dataset;
    if (!id || !Timeline.findingMarks(view.state.model, id, rule).count) continue;
    const button = (word, to) => {
      const made = document.createElement("button");
      Object.assign(made, {type: "button", textContent: word, className: "go"});
      made.dataset.finding = id;
      made.setAttribute("aria-pressed", "false");
      made.addEventListener("click", () => view.finding(id, rule));
      to.append(made);
      return made;
    };
    button("show its events", place);
    if (seen.has(id)) continue;
    seen.add(id);
    button(`${seen.size}: ${rule}`, bar).title = place.textContent.trim().slice(0, 300);
  }
};

Timeline.key = (view) => {
  const list = view.root.querySelector("#timeline-key"), used = new Set();
  for (const trace of view.state.model.traces) for (const kind of trace.classOf) used.add(kind);
  Timeline.classes.forEach(([colour, word], k) => {
    if (!used.has(k)) return;
    const item = document.createElement("li"), mark = document.createElement("i");
    mark.style.background = `var(--${colour})`;
    item.append(mark, word);
    list.append(item);
  });
};

Timeline.start = () => {
  const root = document.getElementById("timeline");
  try {
    const model = Timeline.read(Packed.data);
    Timeline.arrange(model);
    const view = (Timeline.view = new Timeline.View(root, model));
    Timeline.listen(view);
    root.addEventListener("click", (event) => { const action = event.target.dataset && event.target.dataset.do; if (action) Timeline.actions[action](view); });
    view.state.canvas.addEventListener("keydown", (event) => Timeline.press(view, event));
    const find = root.querySelector("#timeline-find");
    find.addEventListener("input", () => view.search(find.value.trim()));
    find.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); view.searchNow(find.value.trim()); view.next(event.shiftKey ? -1 : 1); } });
    new ResizeObserver(() => { if (view.state.canvas.clientWidth !== view.state.width) view.size(); }).observe(root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => view.size());
    Timeline.buttons(view);
    Timeline.key(view);
    Timeline.rankMap(view);
    Timeline.ready = performance.now() - Packed.began;
  } catch (error) {
    root.querySelector("#timeline-told").textContent = "The timeline could not be read: " + error.message;
    throw error;
  }
};
Timeline.started = Timeline.start();
