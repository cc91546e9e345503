"use strict";
// A click on a column's name sorts by it, another turns the order round; empty cells stay last.
const compare = new Intl.Collator("en", { numeric: true }).compare;

function sortBy(table, column, head, heads) {
  const up = head.getAttribute("aria-sort") !== "ascending";
  for (const other of heads) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const numbers = head.classList.contains("number");
  const rows = Array.from(table.tBodies[0].rows, (row) => {
    const text = row.cells[column].textContent.trim();
    return { row, key: numbers ? Number(text.replaceAll(",", "").replace("inf", "Infinity")) : text, empty: text === "" };
  });
  rows.sort((a, b) => {
    if (a.empty || b.empty) return a.empty - b.empty;
    const order = numbers ? Math.sign(a.key - b.key) || 0 : compare(a.key, b.key);
    return up ? order : -order;
  });
  table.tBodies[0].append(...rows.map((item) => item.row));
}

for (const table of document.querySelectorAll("table.sortable")) {
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => sortBy(table, column, head, heads));
  });
}
