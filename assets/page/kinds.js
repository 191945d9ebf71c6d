// One colour for each type of layer, the same in all charts of a page.

const kTypeColours = 6;  // types with a colour of their own; the others share one

/** The types that matter most, by time, work or parameters; `of` gives the number of a row's colour. */
function kindsOf(table) {
  if (table.kinds) return table.kinds;
  const typed = ["type", "class"].find((name) => table.has(name)) || "type";
  const rows = leavesOf(table);
  const by = ["time", "macs", "flops", "params"].find((name) =>
    table.has(name) && rows.some((row) => table.number(row, name) > 0));
  const sums = new Map();
  for (const row of rows) {
    const type = table.has(typed) ? table.text(row, typed) : "";
    sums.set(type, (sums.get(type) || 0) + (by ? table.number(row, by) || 0 : 0) + 1e-9);
  }
  sums.delete("");  // what is outside of layers has no type
  const isBlank = rows.some((row) => !table.has(typed) || table.text(row, typed) === "");
  const sorted = [...sums].sort((a, b) => b[1] - a[1]).map(([type]) => type);
  const own = sorted.slice(0, kTypeColours), places = new Map(own.map((type, i) => [type, i]));
  const number = (type) => places.has(type) ? places.get(type) : kTypeColours;
  table.kinds = {names: sorted.length > kTypeColours || isBlank ? [...own, "others"] : own, ofType: number,
                 of: (row) => number(table.has(typed) ? table.text(row, typed) : "")};
  return table.kinds;
}

/** A line for each colour: its square and its name. `from` is the place of a colour in `names`. */
function kindLegend(names, prefix = "kind") {
  return names.map((name, i) => make("span", {}, make("i", {class: `kind ${prefix}${name === "others" ? kTypeColours : i}`}), name));
}
