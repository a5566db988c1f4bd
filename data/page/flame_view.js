// SPDX-License-Identifier: Apache-2.0
// The boxes of the tree, and what the pointer and the keys do to them.
"use strict";
Flame.LEAST = 0.002; // of the width: narrower boxes share one
Flame.NARROW = 0.02; // below that a box has no room for a word
Flame.ROW = 22;

Flame.View = class {
  constructor(root, view) {
    this.root = root;
    this.timeline = view;
    this.traces = view.state.model.traces;
    this.tools = root.appendChild(document.createElement("div"));
    this.tools.className = "tools";
    this.above = root.appendChild(document.createElement("div"));
    this.above.className = "above";
    this.boxes = root.appendChild(document.createElement("div"));
    this.boxes.className = "boxes";
    this.boxes.setAttribute("role", "group");
    this.boxes.setAttribute("aria-label", "Calls inside calls: arrow keys go from box to box, Enter shows one alone, Escape goes back");
    this.told = root.appendChild(document.createElement("p"));
    this.told.className = "told";
    this.told.setAttribute("aria-live", "polite");
    this.choices();
    this.listen();
  }

  choice(label, options, chosen) {
    const select = document.createElement("select");
    select.setAttribute("aria-label", label);
    for (const [value, word] of options) select.append(new Option(word, value));
    if (chosen !== undefined) select.value = chosen;
    select.disabled = options.length < 2;
    select.addEventListener("change", () => this.make());
    this.tools.append(select);
    return select;
  }

  choices() {
    const tracks = this.traces.flatMap((trace) => trace.tracks), frames = tracks.some((track) => track.nest === 2);
    const modules = frames && this.traces.some((trace) => trace.names.some(Flame.stacks.modules[1])), work = tracks.some((track) => track.cause);
    const stacks = Object.entries(Flame.stacks).filter(([id]) => id === "operators" || (id === "modules" ? modules : frames));
    this.stacks = this.choice("what stacks are made of", stacks.map(([id, [word]]) => [id, word]), modules ? "modules" : "operators");
    this.by = this.choice("what widths are", [["host", "time on the host"], ...(work ? [["device", "time on the device"]] : [])], work ? "device" : "host");
    this.rank = this.choice("of which rank", [...this.traces.map((trace, i) => [i, `rank ${trace.rank}`]), ...(this.traces.length > 1 ? [["all", "all ranks"]] : [])]);
    this.range = this.choice("of which time", [["all", "the whole trace"], ["sight", "what the timeline shows"]]);
  }

  make() {
    const {view} = this.timeline.state, all = this.range.value === "all";
    const traces = this.rank.value === "all" ? this.traces : [this.traces[Number(this.rank.value)]];
    this.top = Flame.tree(traces, this.stacks.value, all ? [-Infinity, Infinity] : [view.start, view.end]);
    this.show(this.top);
  }

  path(node) {
    const path = [];
    for (let up = node; up; up = up.parent) path.unshift(up);
    return path;
  }

  words(node) {
    const by = this.by.value, whole = this.top[by] || 1, share = (ns) => ((100 * ns) / whole).toFixed(1) + " %";
    const words = [node.name, `${Timeline.timeText(node[by])}, ${share(node[by])} of all`];
    if (node.times) words.push(node.times === 1 ? "once" : `${node.times} times`);
    if (!node.work) words.push(`itself ${Timeline.timeText(Flame.self(node, by))}`);
    return words.join(", ");
  }

  box(text, label, kind) {
    const made = document.createElement("button");
    made.type = "button";
    made.tabIndex = -1;
    made.textContent = text;
    made.title = label;
    made.setAttribute("aria-label", label);
    made.dataset.kind = Timeline.classes[kind][0];
    return made;
  }

  show(node) {
    this.at = node;
    this.above.replaceChildren(...this.path(node).map((up) => {
      const made = this.box(up.name, this.words(up), up.kind);
      made.tabIndex = 0;
      made.addEventListener("click", () => this.show(up));
      return made;
    }));
    this.shown = Flame.boxes(node, this.by.value, Flame.LEAST);
    this.boxes.style.height = `${Flame.ROW * (1 + Math.max(0, ...this.shown.map((box) => box.depth)))}px`;
    this.boxes.replaceChildren(...this.shown.map((box, i) => this.place(box, i)));
    if (this.boxes.firstChild) this.boxes.firstChild.tabIndex = 0;
    this.tell(node);
  }

  place(box, i) {
    const text = box.node ? box.node.name : `${box.folded} more`;
    const label = box.node ? this.words(box.node) : `${box.folded} narrower ones, ${Timeline.timeText(box.time)}`;
    const made = this.box(text, label, box.node ? box.node.kind : 9);
    Object.assign(made.style, {left: `${100 * box.left}%`, width: `${100 * box.width}%`, top: `${Flame.ROW * box.depth}px`});
    made.dataset.at = i;
    if (box.width < Flame.NARROW) made.classList.add("narrow");
    if (!box.node) made.classList.add("folded");
    return made;
  }

  tell(node) {
    const mark = document.createElement("button");
    mark.type = "button";
    mark.textContent = "mark it on the timeline";
    mark.addEventListener("click", () => {
      document.getElementById("timeline-find").value = node.name;
      this.timeline.search(node.name);
      this.timeline.root.scrollIntoView({block: "start"});
    });
    this.told.replaceChildren(this.at[this.by.value] > 0 ? this.words(node) : "Nothing of this was recorded.", " ", ...(node.parent ? [mark] : []));
  }

  // The box in a direction: down to the widest inside, up to what it lies in, along its line.
  neighbour(i, key) {
    const {shown} = this, box = shown[i], middle = box.left + box.width / 2;
    const holds = (other) => other.left <= middle + 1e-9 && other.left + other.width > middle - 1e-9;
    const inside = (other) => other.left >= box.left - 1e-9 && other.left < box.left + box.width - 1e-9;
    if (key === "ArrowDown") return shown.findIndex((other) => other.depth === box.depth + 1 && inside(other));
    if (key === "ArrowUp") return shown.findIndex((other) => other.depth === box.depth - 1 && holds(other));
    const line = shown.map((other, k) => [other, k]).filter(([other]) => other.depth === box.depth).sort((a, b) => a[0].left - b[0].left);
    const at = line.findIndex(([, k]) => k === i) + (key === "ArrowRight" ? 1 : -1);
    return at >= 0 && at < line.length ? line[at][1] : -1;
  }

  press(event) {
    const i = Number(event.target.dataset.at), {key} = event;
    if (key === "Escape" && this.at.parent) { this.show(this.at.parent); this.focus(0); }
    else if (key.startsWith("Arrow") && i >= 0) this.focus(this.neighbour(i, key));
    else return;
    event.preventDefault();
  }

  focus(i) {
    const made = this.boxes.children[i];
    if (!made) return;
    for (const other of this.boxes.querySelectorAll("[tabindex='0']")) other.tabIndex = -1;
    made.tabIndex = 0;
    made.focus();
  }

  listen() {
    this.boxes.addEventListener("click", (event) => {
      const box = this.shown[Number(event.target.dataset.at)];
      if (!box || !box.node) return;
      this.show(box.node);
      this.focus(0);
    });
    const tell = (event) => {
      const box = this.shown && this.shown[Number(event.target.dataset.at)];
      if (box && box.node) this.tell(box.node);
    };
    this.boxes.addEventListener("focusin", tell);
    this.boxes.addEventListener("keydown", (event) => this.press(event));
  }
};

// Made when somebody comes near: it costs a pass over all events.
Flame.start = async () => {
  await Timeline.started;
  if (!Timeline.view) return;
  const root = document.getElementById("flame");
  const watch = new IntersectionObserver((seen) => {
    if (!seen.some((one) => one.isIntersecting)) return;
    watch.disconnect();
    const began = performance.now();
    Flame.view = new Flame.View(root, Timeline.view);
    Flame.view.make();
    Flame.ready = performance.now() - began;
  }, {rootMargin: "400px"});
  watch.observe(root);
};
Flame.start();
