
// SPDX-License-Identifier: Apache-2.0
// Tables sort by a click on a heading, and long ones have a box to find rows in. Without this the page only lacks these.
"use strict";
const PREFIXES = {n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50};
const SHOWN = /^([<>]?)(-?[\d.,]+(?:e[+-]?\d+)?)(?: ?%| ([numkMGTPE]|[KMGTP]i)?(?:s|B|FLOP|B\/s|FLOP\/s))?$/;
// Figures that are wider than their frame are moved with the keys, too.
for (const plot of document.querySelectorAll(".plot")) if (plot.scrollWidth > plot.clientWidth) plot.tabIndex = 0;
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0], rows = Array.from(body.rows), heads = Array.from(table.tHead.rows[0].cells);
  const shown = Number(table.dataset.shown), later = new Set(rows.filter((row) => row.classList.contains("more")));
  let order = rows, wanted = "";

  // Rows past those shown at once are hidden, whatever the order; all that fit what is looked for are shown. Small rows are one
  // only as recorded.
  const lay = () => {
    const asRecorded = order === rows;
    let place = 0;
    if (table.tFoot) table.tFoot.hidden = !asRecorded || Boolean(wanted);
    for (const row of order) {
      const fits = !wanted || row.textContent.toLowerCase().includes(wanted);
      row.hidden = !fits;
      row.classList.toggle("more", !wanted && (asRecorded ? later.has(row) : place++ >= shown));
    }
    body.append(...order);
  };

  // The number behind a cell, else the one that it shows. "<0.01" is more than 0 and less than 0.01.
  const key = (row, i) => {
    const cell = row.cells[i], text = cell.textContent;
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    const found = cell.classList.contains("n") && SHOWN.exec(text);
    return found ? parseFloat(found[2].replace(/,/g, "")) * (PREFIXES[found[3]] || 1) / (found[1] ? 2 : 1) : text;
  };
  const compare = (a, b) =>
    typeof a === "number" ? (typeof b === "number" ? a - b : 1) : typeof b === "number" ? -1 : a.localeCompare(b, "en", {numeric: true});

  // First as recorded, then from the largest number or the first letter, then the other way around.
  const sort = (head, i) => {
    const last = head.getAttribute("aria-sort"), first = head.classList.contains("n") ? "descending" : "ascending";
    const next = last === null ? first : last === first ? (first === "ascending" ? "descending" : "ascending") : null;
    for (const other of heads) other.removeAttribute("aria-sort");
    order = rows;
    if (next) {
      head.setAttribute("aria-sort", next);
      order = rows.slice().sort((a, b) => compare(key(a, i), key(b, i)) * (next === "ascending" ? 1 : -1));
    }
    lay();
  };
  heads.forEach((head, i) => {
    head.classList.add("sorts");
    head.tabIndex = 0;
    head.addEventListener("click", () => sort(head, i));
    head.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(head, i); }
    });
  });

  if (rows.length > 20) {
    const find = document.createElement("input");
    find.type = "search";
    find.className = "find";
    find.placeholder = "find rows";
    find.setAttribute("aria-label", "find rows");
    find.addEventListener("input", () => { wanted = find.value.trim().toLowerCase(); lay(); });
    table.closest(".table").prepend(find);
  }
}
