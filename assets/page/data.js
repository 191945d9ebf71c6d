// The document that the program wrote into the page (src/core/document/page_data.h).

/**
 * @typedef {{name: string, title: string, unit: string, additive: boolean, usual: boolean}} Column
 * @typedef {null | number | string | boolean | {v: ?number, t: string, x?: string}} Cell
 */

/** A table: columns, and rows as lists of cells. */
class DataTable {
  constructor(raw) {
    this.name = raw.name;
    this.isTree = raw.tree;
    /** @type {Column[]} */
    this.columns = raw.columns;
    /** @type {Cell[][]} */
    this.rows = raw.rows;
    this.depths = raw.depths;
    this.totals = raw.totals;
    this.lists = raw.lists || {};
    /** Rows whose outputs each row reads (src/core/document/page_data.h); null: not known. */
    this.edges = raw.edges || null;
    this.byName = new Map();
    // A column for people may have the name of one with its number; charts want the number.
    this.columns.forEach((column, index) => {
      const other = this.byName.get(column.name);
      if (other === undefined || column.unit !== "text") this.byName.set(column.name, index);
    });
    this.maxima = new Map();
  }

  /** Where a column is, or -1. */
  index(name) {
    const found = this.byName.get(name);
    return found === undefined ? -1 : found;
  }

  has(name) {
    return this.byName.has(name);
  }

  /** Adds a column of another table; `cells` has one for each row. */
  addColumn(column, cells) {
    this.byName.set(column.name, this.columns.length);
    this.columns.push(column);
    this.rows.forEach((row, i) => row.push(cells[i]));
    if (this.totals !== null) this.totals.push(null);
  }

  cell(row, name) {
    const at = this.index(name);
    return at < 0 ? null : this.rows[row][at];
  }

  /** A number, or null. */
  number(row, name) {
    return numberOf(this.cell(row, name));
  }

  /** Numbers that belong to a row, such as the times of single runs. */
  list(row, name) {
    return (this.lists[name] && this.lists[name][row]) || [];
  }

  text(row, name) {
    const at = this.index(name);
    return at < 0 ? "" : cellText(this.rows[row][at], this.columns[at].unit, false);
  }

  unit(name) {
    const at = this.index(name);
    return at < 0 ? "text" : this.columns[at].unit;
  }

  title(name) {
    const at = this.index(name);
    return at < 0 ? name : this.columns[at].title;
  }

  total(name) {
    const at = this.index(name);
    return at < 0 || this.totals === null ? null : numberOf(this.totals[at]);
  }

  /** Numbers of every row; null where there is none. */
  numbers(name) {
    return this.rows.map((row, index) => this.number(index, name));
  }

  /** The largest number of a column among rows that hold no others, for bars. */
  most(at) {
    if (!this.maxima.has(at))
      this.maxima.set(at, leavesOf(this).reduce((most, row) =>
        Math.max(most, numberOf(this.rows[row][at]) || 0), 0));
    return this.maxima.get(at);
  }

  /** What a row is called: its layer, else the first text in which rows differ. */
  nameOf(row) {
    const at = this.nameColumnIndex();
    return cellText(this.rows[row][at], this.columns[at].unit, false);
  }

  nameColumnIndex() {
    if (this.nameColumn === undefined) {
      const differ = (at) => this.rows.length > 0 && this.rows.some((cells) => cells[at] !== this.rows[0][at]);
      const layer = this.index("layer");
      this.nameColumn = layer >= 0 && (this.rows.length < 2 || differ(layer)) ? layer
        : this.columns.findIndex((column, at) => column.unit === "text" && differ(at));
      if (this.nameColumn < 0) this.nameColumn = 0;
    }
    return this.nameColumn;
  }
}

/** @returns {{kind: string, facts: any, tables: DataTable[], sections: any[]}} */
function documentOf(raw) {
  raw.tables = raw.tables.map((table) => new DataTable(table));
  raw.table = (name) => raw.tables.find((table) => table.name === name);
  return raw;
}

/** Profiles show what quantizing each layer loses, if a sensitivity of the same layers shares their page. */
function joinSensitivities(docs) {
  for (const {tables: [table]} of docs.filter((doc) => doc.kind === "profile" && doc.tables.length > 0)) {
    const names = new Set(table.rows.map((cells, row) => table.nameOf(row)));
    for (const doc of docs.filter((one) => one.kind === "sensitivity" && one.table("layers"))) {
      const layers = doc.table("layers"), drops = new Map(layers.rows.map((cells, row) => [layers.nameOf(row), layers.number(row, "drop")]));
      if (table.has("sensitivity") || ![...drops.keys()].some((name) => names.has(name))) continue;
      table.addColumn({name: "sensitivity", title: "Lost in int8", unit: layers.unit("drop"), additive: false, usual: true},
                      table.rows.map((cells, row) => drops.get(table.nameOf(row)) ?? {v: null, t: "–"}));
    }
  }
  return docs;
}

/** One document, or several that share a page. */
function readDocuments() {
  const raw = JSON.parse(document.getElementById("data").textContent);
  return joinSensitivities((raw.documents || [raw]).map(documentOf));
}
