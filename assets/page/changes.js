// Differences between two networks, layer by layer: more above the line, less below it.

const kMeasures = [["params", "Parameters"], ["macs", "MACs"], ["write", "Bytes written"],
                   ["latency", "Time"], ["quality", "Quality"]];

/** After less before; what is on one side only counts as a whole. Null where one is not known. */
function changeOf(table, row, name) {
  const change = table.text(row, "change");
  const before = table.number(row, name + "_before"), after = table.number(row, name + "_after");
  if (change === "inserted") return after;
  if (change === "removed") return before === null ? null : -before;
  return before === null || after === null ? null : after - before;
}

class ChangesChart extends AlongChart {
  /** A scale with 0 in it, at the same distance from the edges where both sides are used. */
  paintPanel(panel, top, height) {
    const bottom = top + height, most = Math.max(panel.most, -panel.least);
    const up = panel.most > 0 ? most : 0, down = panel.least < 0 ? most : 0;
    const y = linearScale(-down, up, bottom, top);
    const ticks = [up, 0, -down].filter((tick, i, all) => all.indexOf(tick) === i);
    for (const tick of ticks)
      this.picture.append(
        draw("line", {x1: this.left, x2: this.right, y1: y(tick), y2: y(tick), class: "tick"}),
        this.label(this.left - 6, y(tick) + 4, this.signed(tick, panel.unit),
                   {"text-anchor": "end", class: "soft"}));
    for (const [side, kind] of [[1, "more"], [-1, "less"]])
      this.picture.append(draw("path", {
        d: this.bars(panel.numbers.map((number) => Math.max(0, side * (number || 0))),
                     (value) => y(side * value), y(0)), class: kind}));
    this.picture.append(draw("path", {d: this.unknown(panel.numbers, bottom + 3), class: "unknown"}));
    panel.says = draw("text", {x: this.left, y: top - 5});
    panel.y = y;
    panel.bottom = bottom;
    this.picture.append(panel.says);
  }

  signed(number, unit) {
    return (number < 0 ? "-" : number > 0 ? "+" : "") + tickText(Math.abs(number), unit);
  }

  words(panel, index) {
    const number = index < 0 ? panel.total : panel.numbers[index];
    if (index < 0 && number === null) return panel.title;
    if (number === null) return `${panel.title}: ?`;
    const text = (number < 0 ? "-" : number > 0 ? "+" : "") + numberText(Math.abs(number), panel.unit, false);
    if (index < 0) return `${panel.title}, ${text} in all`;
    return `${panel.title}: ${text} (${this.table.text(this.order[index], "change")})`;
  }
}

function totalChange(totals, name, file) {
  if (!totals) return null;
  const measure = totals.columns.map((column) => column.name).lastIndexOf("measure");  // not its title
  const row = totals.rows.findIndex((cells, i) => cells[measure] === name && totals.text(i, "file") === file);
  return row < 0 ? null : totals.number(row, "change");
}

/** Panels of what differs in any row; the totals are those of the other table. */
function changePanels(table, order, totals, file) {
  const wanted = kMeasures.filter(([name]) => table.has(name + "_before"));
  return wanted.map(([name, title]) => {
    const numbers = order.map((row) => changeOf(table, row, name));
    return panelOf(name, title, numbers, table.unit(name + "_before"), totalChange(totals, name, file));
  });
}

function diffCharts(doc, selection) {
  const table = doc.table("layers"), totals = doc.table("totals");
  if (!table || table.rows.length < 2 || !table.has("layer_after")) return [];
  const files = [...new Set(table.rows.map((cells, row) => table.text(row, "file")))];
  return files.map((file) => {
    const order = table.rows.map((cells, row) => row).filter((row) => table.text(row, "file") === file);
    const name = (row) => table.text(row, "layer_after") || table.nameOf(row);
    return new ChangesChart({
      title: files.length > 1 ? `What changed: ${file}` : "What changed", table, order, selection,
      paths: order.map((row) => name(row).split(", ")[0]),
      about: "Every layer in running order, from left to right: increases are above the " +
             "line, decreases below it. Layers that were inserted or removed count as a whole. A click " +
             "shows the layer in the table.",
      panels: changePanels(table, order, totals, file)});
  }).filter((chart) => chart.panels.length > 0);
}

kCharts.diff = diffCharts;
