// Which rows of a table are seen, and in which order.

const kWords = new Intl.Collator("en", {numeric: true});

/**
 * Formulas are in the panel of the chosen row. What is alive is in every profile for the sake of its
 * chart, also where it is known of no row; rows by type have no layers.
 */
function isUsual(table, at) {
  const {name, usual} = table.columns[at];
  if (!usual || name === "formula") return false;
  if (table.has("median_s") && table.has("speed_up")) return isUsualOfBench(table, at);
  const isEmpty = (value) => table.rows.length > 0 && table.rows.every((cells) => cells[at] === value);
  return !(name === "alive" && isEmpty(null)) && !(name === "layer" && isEmpty(""));
}

const kBenchAnswers = ["backend", "precision", "median", "interval", "speed_up", "difference", "peak", "marks", "result"];
const kBenchSettings = ["model", "threads", "batch", "shape"];  // seen where rows differ

function isUsualOfBench(table, at) {
  const {name} = table.columns[at];
  const differs = () => table.rows.some((cells) => cells[at] !== table.rows[0][at]);
  return kBenchAnswers.includes(name) || (kBenchSettings.includes(name) && differs());
}

/** Of a comparison, rows without a difference are there for its chart, and seen when asked for. */
function hidesSame(table) {
  const at = table.index("change");
  return at >= 0 && table.has("layer_after") && table.rows.some((cells) => cells[at] === "same") &&
         table.rows.some((cells) => cells[at] !== "same");
}

const kNarrow = 640;       // pixels, as page.css has it
const kNarrowColumns = 2;  // a name and a number
const kMatter = ["time", "median", "speed_up", "drop", "raw", "bytes", "macs", "params", "flops"];
const kTelling = ["change", "place", "bound", "links", "result", "type"];  // words that say more than others
const kTellsApart = ["precision", "threads", "batch"];  // rows of one engine

function isNarrow() {
  return innerWidth <= kNarrow;
}

/** The name, what tells rows apart, and then the columns that matter most. */
function byWeight(table, usual) {
  const name = table.nameColumnIndex(), twin = usual.find((at) => table.columns[at].name === table.columns[name].name);
  const first = twin === undefined ? usual[0] : twin;
  const differs = (at) => table.rows.some((cells) => cells[at] !== table.rows[0][at]);
  const rank = (at) => {
    const {name: own, unit} = table.columns[at], place = kMatter.indexOf(own), words = kTelling.indexOf(own);
    if (at === first) return -2;
    if (table.has("backend") && kTellsApart.includes(own) && differs(at)) return -1;
    return place >= 0 ? place : words >= 0 ? 50 + words : unit === "text" ? 1000 : 100 + at;
  };
  return usual.slice().sort((a, b) => rank(a) - rank(b) || a - b);
}

/** On a telephone, the name and the number that matters most; the others can be chosen. */
function columnsThatFit(table, usual) {
  if (!isNarrow() || usual.length <= kNarrowColumns) return usual;
  const isApart = (at) => table.has("backend") && kTellsApart.includes(table.columns[at].name);
  const falling = byWeight(table, usual), apart = falling.slice(1).findIndex((at) => !isApart(at));
  return falling.slice(0, kNarrowColumns + Math.max(0, apart)).sort((a, b) => a - b);
}

/** What a reader has chosen of one table. */
function newView(table) {
  return {
    columns: columnsThatFit(table, table.columns.map((column, at) => at).filter((at) => isUsual(table, at))),
    sortBy: -1,
    turned: false,  // numbers rise and texts fall
    search: "",
    grouped: table.isTree,
    closed: new Set(),  // paths of groups
    shares: false,
    exact: false,
    same: !hidesSame(table),  // rows without a difference are seen, too
  };
}

/** Unknown is last either way. */
function compareCells(a, b, turned) {
  const x = numberOf(a), y = numberOf(b);
  if (x !== null && y !== null) return turned ? x - y : y - x;
  if (x !== null || y !== null) return x !== null ? -1 : 1;
  const left = a === null ? "" : cellText(a, "text", false);
  const right = b === null ? "" : cellText(b, "text", false);
  if (left === "" || right === "") return (left === "") - (right === "");
  return turned ? kWords.compare(right, left) : kWords.compare(left, right);
}

/** A column for people is sorted by the numbers behind it. */
function sortColumn(table, at) {
  return table.index(table.columns[at].name);
}

function searchText(table, row) {
  if (!table.searchTexts) table.searchTexts = [];
  if (table.searchTexts[row] === undefined)
    table.searchTexts[row] =
      table.rows[row].filter((cell) => typeof cell === "string").join("\n").toLowerCase();
  return table.searchTexts[row];
}

/** Every word of the search is in some text of the row. */
function matches(table, row, words) {
  const text = searchText(table, row);
  return words.every((word) => text.includes(word));
}

function wordsOf(search) {
  return search.toLowerCase().split(/\s+/).filter((word) => word !== "");
}

function flatItems(table, view, words) {
  const items = [], change = table.index("change");
  for (let row = 0; row < table.rows.length; ++row)
    if (matches(table, row, words) && (view.same || table.rows[row][change] !== "same"))
      items.push({row, cells: table.rows[row], depth: 0, name: null, group: false});
  if (view.sortBy < 0) return items;
  const at = sortColumn(table, view.sortBy);
  return items.sort((a, b) => compareCells(a.cells[at], b.cells[at], view.turned) || a.row - b.row);
}

function groupedItems(table, view, words) {
  const at = view.sortBy < 0 ? -1 : sortColumn(table, view.sortBy);
  const items = [];
  // Adds the node and what is below it; false if nothing of it matches.
  const add = (node, depth) => {
    const from = items.length;
    const group = node.children.length > 0;
    const own = node.row >= 0 && matches(table, node.row, words);
    items.push({row: node.row, cells: node.cells, depth, name: node.name, path: node.path, group});
    const open = !view.closed.has(node.path) || words.length > 0;
    if (group && open) {
      let children = node.children;
      if (at >= 0)
        children = children.slice().sort((a, b) => compareCells(a.cells[at], b.cells[at],
                                                                view.turned));
      for (const child of children) add(child, depth + 1);
    }
    if (words.length > 0 && !own && items.length === from + 1) items.pop();
  };
  let roots = treeOf(table).children;
  if (at >= 0)
    roots = roots.slice().sort((a, b) => compareCells(a.cells[at], b.cells[at], view.turned));
  for (const node of roots) add(node, 0);
  return items;
}

/** @returns {{row: number, cells: Cell[], depth: number, name: ?string, group: boolean}[]} */
function itemsOf(table, view) {
  const words = wordsOf(view.search);
  return view.grouped ? groupedItems(table, view, words) : flatItems(table, view, words);
}

/** Paths of all groups; `keep` of them stay open from the top. */
function groupPaths(table, keep) {
  const paths = [];
  const visit = (node, depth) => {
    if (node.children.length > 0 && depth >= keep) paths.push(node.path);
    for (const child of node.children) visit(child, depth + 1);
  };
  for (const node of treeOf(table).children) visit(node, 0);
  return paths;
}

/** A spreadsheet takes texts that begin like this for formulas. */
function csvField(cell, unit) {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return String(cell);
  let text = cellText(cell, unit, true);
  if (/^[=+\-@]/.test(text)) text = "'" + text;
  return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}

/** What is seen, with every digit. */
function csvOf(table, view, items) {
  const columns = view.columns.map((at) => table.columns[at]);
  const lines = [columns.map((column) => csvField(column.name, "text")).join(",")];
  for (const item of items)
    lines.push(view.columns.map((at, i) => csvField(item.cells[at], columns[i].unit)).join(","));
  return lines.join("\n") + "\n";
}
