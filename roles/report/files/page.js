"use strict";
(() => {
  const FEW_ROWS = 3;
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const textOf = (row, column) => {
    const cell = row.cells[column];
    const picture = cell.querySelector("[role=img]");
    return (picture ? picture.getAttribute("aria-label") : cell.textContent).trim();
  };
  const numberOf = (text) => Number.parseFloat(text.replaceAll(",", ""));

  // What is not known comes last, whichever way the rows are sorted.
  const compare = (a, b, numbers, direction) => {
    const unknown = (a === "–") - (b === "–");
    if (unknown) return unknown;
    if (numbers) {
      const [first, second] = [numberOf(a), numberOf(b)];
      const words = Number.isNaN(first) - Number.isNaN(second);
      if (words) return direction * words;
      if (first !== second && !Number.isNaN(first)) return direction * (first - second);
    }
    return direction * collator.compare(a, b);
  };

  const sortBy = (table, heading) => {
    const ascending = heading.getAttribute("aria-sort") !== "ascending";
    for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const numbers = heading.classList.contains("n");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => [textOf(row, heading.cellIndex), row]);
    rows.sort((a, b) => compare(a[0], b[0], numbers, ascending ? 1 : -1));
    body.append(...rows.map(([, row]) => row));
  };

  const addFilter = (table) => {
    const tools = document.createElement("div");
    const label = document.createElement("label");
    const input = document.createElement("input");
    const count = document.createElement("output");
    const rows = Array.from(table.tBodies[0].rows, (row) => [row, row.textContent.toLowerCase()]);
    tools.className = "tools";
    input.type = "search";
    label.append("Filter: ", input);
    input.setAttribute("aria-label", `Filter: ${table.caption.textContent}`);
    const show = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const [row, text] of rows) {
        row.hidden = !words.every((word) => text.includes(word));
        shown += !row.hidden;
      }
      count.value = `${shown} of ${rows.length} rows`;
    };
    input.addEventListener("input", show);
    show();
    tools.append(label, count);
    table.parentElement.before(tools);
  };

  for (const table of document.querySelectorAll("table")) {
    if (table.tBodies[0].rows.length < FEW_ROWS) continue;
    for (const heading of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = heading.textContent;
      heading.replaceChildren(button);
      button.addEventListener("click", () => sortBy(table, heading));
    }
    addFilter(table);
  }

  // Paper has nothing to click on. What is folded has a column for each time, and is too wide for it.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = Array.from(document.querySelectorAll("details:not([open], .fold)"));
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
})();
