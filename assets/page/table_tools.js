// Tools above a table: search, columns, grouping, copying.

const kManyGroups = 60;  // more rows than this begin closed where they are grouped

function columnChooser(view) {
  const ticks = view.table.columns.map((column, at) => {
    const twin = view.table.columns.some((other, i) => i < at && other.title === column.title);
    return tick(twin ? `${column.title} (${column.name})` : column.title, false, (on) => {
      const chosen = new Set(view.view.columns);
      if (on) chosen.add(at);
      else if (chosen.size > 1) chosen.delete(at);
      view.view.columns = [...chosen].sort((a, b) => a - b);
      view.refresh();
    });
  });
  const summary = make("summary", {}), {columns} = view.table;
  const show = () => {
    summary.textContent = `Columns (${view.view.columns.length} of ${columns.length})`;
    ticks.forEach((one, at) => { one.querySelector("input").checked = view.view.columns.includes(at); });
  };
  view.changed.push(show);
  show();
  return make("details", {class: "drop"}, summary, make("div", {class: "menu"}, ticks));
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (refused) {  // an old browser, or no permission
    const area = make("textarea", {});
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

function copyButton(view) {
  const button = make("button", {type: "button", onclick: async () => {
    const done = await copyText(csvOf(view.table, view.view, view.items));
    button.textContent = done ? `Copied ${view.items.length} rows` : "The browser refused to copy";
    setTimeout(() => { button.textContent = "Copy as CSV"; }, 2500);
  }}, "Copy as CSV");
  return button;
}

function searchBox(view) {
  const box = make("input", {type: "search", placeholder: "Search rows", "aria-label": "Search rows",
                             oninput: () => {
    view.view.search = box.value;
    view.scroller.scrollTop = 0;
    view.refresh();
  }});
  return box;
}

function groupTick(view) {
  const table = view.table;
  const deep = table.isTree || (table.totals !== null && table.has("layer") &&
                                table.rows.some((cells, row) => table.nameOf(row).includes(".")));
  if (!deep) return null;
  const close = (keep) => {
    view.view.closed = new Set(groupPaths(table, keep));
    view.refresh();
  };
  const level = choice("Open", [["0", "nothing"], ["1", "1 level"], ["2", "2 levels"],
                                ["3", "3 levels"], ["99", "everything"]], "99",
                       (value) => close(Number(value)));
  level.hidden = !view.view.grouped;
  const box = tick("Module tree", view.view.grouped, (on) => {
    view.view.grouped = on;
    level.hidden = !on;
    if (on && table.rows.length > kManyGroups) {
      level.querySelector("select").value = "1";
      view.view.closed = new Set(groupPaths(table, 1));
    }
    view.refresh();
  });
  return [box, level];
}

/** A table with its tools. */
function tableWithTools(table, selection, exact) {
  const view = new TableView(table, selection, exact);
  const count = make("span", {class: "count", role: "status"});
  view.changed.push(() => {
    const all = table.rows.length, seen = view.items.filter((item) => item.row >= 0).length;
    count.textContent = seen === all ? `${all} rows` : `${seen} of ${all} rows`;
  });
  const sums = table.totals !== null && table.columns.some((column) => column.additive);
  const setting = (name) => (on) => {
    view.view[name] = on;
    view.refresh();
  };
  const tools = make("div", {class: "tools"}, searchBox(view), groupTick(view),
                     view.view.same ? null : tick("Rows without a difference", false, setting("same")),
                     sums ? tick("Shares", false, setting("shares")) : null,
                     table.columns.some((column) => column.unit !== "text")
                       ? tick("Every digit", exact, setting("exact")) : null, columnChooser(view),
                     copyButton(view), count);
  view.refresh();
  return {view, element: make("div", {class: "table"}, tools, view.scroller, view.printed)};
}
