(() => {
  const table = document.getElementById("figures");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const form = document.getElementById("filters");
  const shown = document.getElementById("shown");

  function filter() {
    const paper = form.elements.paper.value;
    const mark = form.elements.mark.value;
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const fits = (!paper || row.dataset.paper === paper) && (!mark || row.dataset.mark === mark)
        && words.every((word) => text.includes(word));
      row.hidden = !fits;
      count += fits;
    }
    shown.textContent = `${count} of ${rows.length} figures`;
  }

  function key(row, column) {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  }

  function compare(a, b) {
    if (a === "" || b === "") return (a === "") - (b === "");  // what was not measured comes last
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  }

  function sort(head) {
    const column = head.cellIndex;
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const sign = down ? -1 : 1;
    body.append(...[...body.rows].sort((one, other) => {
      const a = key(one, column), b = key(other, column);
      return a === "" || b === "" ? compare(a, b) : sign * compare(a, b);
    }));
  }

  for (const head of table.tHead.rows[0].cells) {
    head.firstElementChild.addEventListener("click", () => sort(head));
  }
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();
})();
