// Which row is looked at. Every table and chart shows it and can change it.

class Selection {
  constructor() {
    this.table = null;
    this.row = -1;
    /** @type {((table: DataTable, row: number, from: any) => void)[]} */
    this.listeners = [];
  }

  /** Called after every change; `from` is what the reader touched. */
  listen(listener) {
    this.listeners.push(listener);
  }

  choose(table, row, from) {
    if (this.table === table && this.row === row) return;
    this.table = row < 0 ? null : table;
    this.row = row;
    for (const listener of this.listeners) listener(this.table, this.row, from);
  }

  clear() {
    this.choose(null, -1, null);
  }

  isChosen(table, row) {
    return row >= 0 && this.row === row && this.table === table;
  }
}
