
// SPDX-License-Identifier: Apache-2.0
// Tables sort by a click on a heading, and long ones have a box to find rows in. Without this the page only lacks these.
"use strict";
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

  const key = (row, i) => {
    const cell = row.cells[i];
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
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
