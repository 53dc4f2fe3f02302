// Sorts a table by the column whose heading is pressed; pressed again, the other way round.
for (const table of document.querySelectorAll("table.sortable")) {
  const text = (row, column) => row.cells[column].textContent.trim();
  const number = (row, column) => {
    const found = parseFloat(text(row, column).replace("−", "-"));
    return Number.isNaN(found) ? -Infinity : found;
  };
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const falling = heading.getAttribute("aria-sort") === "ascending";
      const sign = falling ? -1 : 1;
      const order = heading.classList.contains("num")
        ? (one, other) => number(one, column) - number(other, column) || 0
        : (one, other) => text(one, column).localeCompare(text(other, column), undefined, { numeric: true });
      const rows = [...table.tBodies[0].rows].sort((one, other) => sign * order(one, other));
      table.tBodies[0].append(...rows);
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
    });
  });
}
