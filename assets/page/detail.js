// The layer that is chosen, with its numbers and formulas, at the bottom of the window.

const kNotInDetail = new Set(["layer", "type", "input", "output", "formula", "dtype", "call"]);

function detailNumbers(table, row) {
  const pairs = [];
  const seen = new Set();
  table.columns.forEach((column, at) => {
    if (kNotInDetail.has(column.name) || seen.has(column.name)) return;
    // The rest of a table that people see in other words says the same again.
    if (table.totals === null && !column.usual) return;
    const cell = table.rows[row][at], number = numberOf(cell);
    if (cell === null || cell === "" || number === 0) return;
    seen.add(column.name);
    const total = column.additive && table.totals ? numberOf(table.totals[at]) : null;
    const share = number !== null && total && column.unit !== "percent"
      ? ` (${shareText(number / total)})` : "";
    pairs.push([column.title, cellText(cell, column.unit, false) + share]);
  });
  return pairs;
}

function showDetail(doc, selection) {
  const panel = make("aside", {class: "detail", "aria-live": "polite", "aria-label": "The chosen row"});
  panel.hidden = true;
  selection.listen((table, row) => {
    panel.hidden = row < 0;
    if (row < 0) return;
    const shapes = ["input", "output"].filter((name) => table.has(name))
      .map((name) => table.text(row, name)).filter((text) => text !== "").join(" → ");
    const formula = table.has("formula") ? table.text(row, "formula") : "";
    panel.replaceChildren(
      make("div", {class: "detail-head"},
           make("strong", {}, table.nameOf(row)),
           make("span", {class: "soft"}, table.has("type") ? table.text(row, "type") : ""),
           make("span", {class: "soft"}, shapes),
           make("button", {type: "button", "aria-label": "Close", onclick: () => selection.clear()}, "✕")),
      definitions(detailNumbers(table, row)),
      formula === "" ? "" : make("pre", {}, formula.split("; ").join("\n")));
  });
  return panel;
}
