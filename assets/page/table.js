// A table of any length: only the rows that are in sight are elements.

const kRowHeight = 27;  // pixels, as table.css has it
const kBeside = 12;     // rows that are made above and below those in sight
const kMostPrinted = 20000;  // rows; more are hundreds of sheets of paper

class TableView {
  /** @param {DataTable} table @param {Selection} selection @param {boolean} exact */
  constructor(table, selection, exact) {
    this.table = table;
    this.selection = selection;
    this.view = newView(table);
    this.view.exact = exact;
    this.hasFitted = false;
    this.nameWidth = isNarrow() ? 26 : 52;  // characters, at most
    this.active = 0;  // the row that the keyboard is at
    this.changed = [];
    this.body = make("tbody", {onclick: (e) => this.clicked(e), onkeydown: (e) => this.key(e)});
    this.head = make("thead");
    this.foot = make("tfoot");
    this.widths = make("colgroup");
    this.grid = make("table", {class: "grid"}, this.widths, this.head, this.body, this.foot);
    this.scroller = make("div", {class: "scroller", onscroll: () => this.soon()}, this.grid);
    selection.listen((chosen, row, from) => this.follow(chosen, row, from));
    this.printed = make("p", {class: "printed"});
    new ResizeObserver(() => this.fitColumns()).observe(this.scroller);
    window.addEventListener("beforeprint", () => this.print());
    window.addEventListener("afterprint", () => this.rows());
    this.refresh();
  }

  /** After the columns, the order or the search changed. */
  refresh() {
    this.items = itemsOf(this.table, this.view);
    this.active = Math.min(this.active, Math.max(0, this.items.length - 1));
    this.grid.setAttribute("aria-rowcount", String(this.items.length + 1));
    this.grid.setAttribute("role", this.view.grouped ? "treegrid" : "grid");
    this.headRow();
    this.footRow();
    this.rows();
    for (const listener of this.changed) listener();
  }

  headRow() {
    const widths = this.view.columns.map((at) => this.width(at));
    this.grid.style.width = widths.reduce((sum, one) => sum + one, 0) + "ch";
    this.widths.replaceChildren(...widths.map((width) => {
      const col = make("col");
      col.style.width = width + "ch";
      return col;
    }));
    this.head.replaceChildren(make("tr", {"aria-rowindex": 1}, this.view.columns.map((at) => {
      const column = this.table.columns[at];
      const sorted = this.view.sortBy === at;
      const falls = (column.unit !== "text") !== this.view.turned;
      return make("th", {scope: "col", class: column.unit === "text" ? "" : "number",
                         "aria-sort": sorted ? (falls ? "descending" : "ascending") : "none"},
                  make("button", {type: "button", title: columnHint(column),
                                  onclick: () => this.sort(at)},
                       column.title + (sorted ? (falls ? " ▾" : " ▴") : "")));
    })));
  }

  /** Once, when the width is known: the columns that matter least are left for the reader to choose. */
  fitColumns() {
    const room = this.scroller.clientWidth;
    if (room === 0 || this.hasFitted) return;
    this.hasFitted = true;
    if (this.grid.offsetWidth <= room) return;
    const wide = (columns) => columns.reduce((sum, at) => sum + this.width(at), 0);
    const letters = room * wide(this.view.columns) / this.grid.offsetWidth;
    const kept = [];
    for (const at of byWeight(this.table, this.view.columns))
      if (kept.length < kNarrowColumns || wide([...kept, at]) <= letters) kept.push(at);
    this.view.columns = kept.sort((a, b) => a - b);
    const over = wide(kept) - letters;
    if (over > 0) this.nameWidth = Math.max(18, this.width(kept[0]) - 3 - Math.ceil(over));
    this.refresh();
  }

  footRow() {
    const totals = this.table.totals;
    this.foot.replaceChildren();
    if (totals === null) return;
    this.foot.append(make("tr", {}, this.view.columns.map((at, i) => {
      const column = this.table.columns[at];
      const shown = i === 0 ? "Total" : column.additive ? this.text(totals[at], at) : "";
      return make("td", {class: column.unit === "text" ? "" : "number"}, shown);
    })));
  }

  /** In characters, from some of the texts: all of them would take a while. */
  width(at) {
    const column = this.table.columns[at];
    const step = Math.max(1, Math.floor(this.items.length / 400));
    let most = column.title.length + 2;
    const see = (cells) => {
      if (cells) most = Math.max(most, this.text(cells[at], at).length);
    };
    for (let i = 0; i < this.items.length; i += step) see(this.items[i].cells);
    if (column.additive) see(this.table.totals);
    const first = at === this.view.columns[0];
    return Math.min(first ? this.nameWidth : 34, most + (first && this.view.grouped ? 8 : 0)) + 3;
  }

  text(cell, at) {
    const column = this.table.columns[at];
    const number = numberOf(cell), total = this.table.totals && numberOf(this.table.totals[at]);
    if (this.view.shares && column.additive && column.unit !== "percent" && number !== null && total)
      return shareText(number / total);
    return cellText(cell, column.unit, this.view.exact);
  }

  sort(at) {
    if (this.view.sortBy !== at) [this.view.sortBy, this.view.turned] = [at, false];
    else if (!this.view.turned) this.view.turned = true;
    else [this.view.sortBy, this.view.turned] = [-1, false];  // as the program gave them
    this.refresh();
    const button = this.head.querySelectorAll("button")[this.view.columns.indexOf(at)];
    if (button) button.focus();
  }

  soon() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.rows();
    });
  }

  rows() {
    const height = this.scroller.clientHeight || 600;
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / kRowHeight) - kBeside);
    this.slice(first, Math.ceil(height / kRowHeight) + 2 * kBeside);
  }

  /** Every row is an element while a printer looks. */
  print() {
    this.slice(0, kMostPrinted);
    const left = this.items.length - kMostPrinted;
    this.printed.textContent = left > 0
      ? `${grouped(left)} of ${grouped(this.items.length)} rows are not printed. Search for some, or copy ` +
        "them as CSV."
      : "";
  }

  slice(first, count) {
    const last = Math.min(this.items.length, first + count);
    const focused = this.body.contains(document.activeElement);
    const rows = [this.space(first)];
    for (let i = first; i < last; ++i) rows.push(this.row(i));
    rows.push(this.space(this.items.length - last));
    this.body.replaceChildren(...rows.filter((row) => row !== null));
    if (focused) this.focusActive();
  }

  space(rows) {
    if (rows <= 0) return null;
    const cell = make("td", {colspan: this.view.columns.length});
    cell.style.height = rows * kRowHeight + "px";
    return make("tr", {class: "space", "aria-hidden": "true"}, cell);
  }

  row(index) {
    const item = this.items[index];
    const chosen = item.row >= 0 && this.selection.isChosen(this.table, item.row);
    const given = {"data-index": index, "aria-rowindex": index + 2,
                   tabindex: index === this.active ? 0 : -1,
                   class: (chosen ? "chosen " : "") + (item.group ? "group" : ""),
                   "aria-selected": chosen ? "true" : "false"};
    if (this.view.grouped) given["aria-level"] = item.depth + 1;
    if (item.group) given["aria-expanded"] = this.view.closed.has(item.path) ? "false" : "true";
    return make("tr", given, this.view.columns.map((at, i) => this.cell(item, at, i === 0)));
  }

  cell(item, at, first) {
    const column = this.table.columns[at];
    const value = item.cells[at];
    if (first && item.name !== null) return this.nameCell(item);
    const isGroupText = item.group && item.row < 0 && value === "";
    const text = isGroupText ? "" : this.text(value, at);
    const cell = make("td", {class: column.unit === "text" ? "" : "number",
                             title: text.length > 20 ? text : null}, text);
    const number = numberOf(value);
    if (number === 0 || value === null) cell.classList.add("quiet");
    if (column.additive && number !== null && number > 0 && !item.group) {
      cell.classList.add("bar");
      cell.style.setProperty("--share", (100 * number / this.table.most(at)).toFixed(1) + "%");
    }
    return cell;
  }

  nameCell(item) {
    const mark = item.group ? (this.view.closed.has(item.path) ? "▸ " : "▾ ") : "";
    const cell = make("td", {title: item.path}, make("span", {class: "mark"}, mark), item.name);
    cell.style.paddingLeft = 0.6 + 1.1 * item.depth + (item.group ? 0 : 0.9) + "em";
    return cell;
  }

  clicked(event) {
    const row = event.target.closest("tr[data-index]");
    if (!row) return;
    this.active = Number(row.getAttribute("data-index"));
    this.act(event.target.closest("td") === row.firstElementChild);
    this.focusActive();
  }

  /** Opens or closes a group, chooses a layer. */
  act(onName) {
    const item = this.items[this.active];
    if (!item) return;
    if (item.group && onName) this.toggle(item);
    if (item.row < 0) return;
    if (this.selection.isChosen(this.table, item.row)) this.selection.clear();
    else this.selection.choose(this.table, item.row, this);
  }

  toggle(item) {
    if (!this.view.closed.delete(item.path)) this.view.closed.add(item.path);
    this.refresh();
  }

  key(event) {
    const item = this.items[this.active];
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / kRowHeight) - 2);
    const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page,
                   Home: -this.items.length, End: this.items.length};
    if (event.key in steps) {
      this.active += steps[event.key];
      this.active = Math.min(this.items.length - 1, Math.max(0, this.active));
      this.reveal(this.active);
      this.rows();
      this.focusActive();
    } else if (event.key === "Enter" || event.key === " ") {
      this.act(true);
    } else if (item && item.group && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      if (this.view.closed.has(item.path) === (event.key === "ArrowRight")) this.toggle(item);
    } else {
      return;
    }
    event.preventDefault();
  }

  focusActive() {
    const row = this.body.querySelector(`tr[data-index="${this.active}"]`);
    if (row) row.focus({preventScroll: true});
  }

  /** Scrolls so that the row is in sight, below the head and above the totals. */
  reveal(index) {
    const top = index * kRowHeight, room = this.scroller.clientHeight - 3 * kRowHeight;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    else if (top > this.scroller.scrollTop + room) this.scroller.scrollTop = top - room / 2;
  }

  /** Something else was chosen, maybe elsewhere. */
  follow(table, row, from) {
    if (table === this.table && from !== this) {
      const index = this.items.findIndex((item) => item.row === row);
      if (index >= 0) {
        this.active = index;
        this.reveal(index);
      }
    }
    this.rows();
  }
}
