// Puts the page together: a summary, the charts of its kind, its tables.

function tableTitle(doc, table) {
  if (doc.tables.length === 1 && table.name === "rows") return "Table";
  const words = table.name.replace(/_/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const kAlong = ["params", "activation", "macs", "mem", "time"];
const kAreas = ["params", "macs", "time", "activation"];  // first in the list

/** What a profile shows above its table. */
function profileCharts(doc, selection, summary) {
  const table = doc.tables[0];
  const rows = leavesOf(table);
  const known = (name) => table.has(name) && rows.some((row) => table.number(row, name) > 0);
  const answers = profileSentences(doc, table);
  if (answers) summary.append(answers);
  if (rows.length < 2) return [];
  const charts = [];
  // Rows by type or in another order are not along anything.
  if (isInOrder(doc)) {
    if (kAlong.some(known)) charts.push(profileAlong(table, selection, kAlong));
    if (known("alive")) charts.push(new MemoryTimeline(table, selection, doc.facts.memory));
  }
  if (known("flops_per_s") && doc.facts.roofline)
    charts.push(new RooflineChart(table, selection, doc.facts.roofline));
  const sums = table.columns.filter((column) => column.additive && column.unit !== "percent")
    .map((column) => column.name);
  const areas = [...new Set([...kAreas.filter((name) => sums.includes(name)), ...sums])].filter(known);
  if (areas.length > 0) charts.push(new Treemap(table, selection, areas));
  return charts;
}

const kCharts = {profile: profileCharts, bench: benchCharts, sweep: benchCharts,
                 optimization: benchCharts, sensitivity: sensitivityCharts, payload: payloadCharts, diff: diffCharts};

function showDocument(doc) {
  const page = document.getElementById("page");
  const selection = new Selection();
  const summary = part("Summary");
  page.append(pageHeader(doc), summary);
  const charts = kCharts[doc.kind] ? kCharts[doc.kind](doc, selection, summary) : [];
  const tables = [], feet = [];  // what is said of a table comes behind what is said of all
  for (const section of doc.sections) {
    const table = section.table && doc.table(section.table);
    const lines = section.lines.filter((line) => !isSaidOfMemory(doc, line));
    const text = sentences({...section, lines});
    if (text && !table) summary.append(text);
    if (!table) continue;
    if (text) feet.push(text);
    const {view, element} = tableWithTools(table, selection, doc.exact);
    tables.push(part(tableTitle(doc, table), element));
    view.grid.setAttribute("aria-label", tableTitle(doc, table));
  }
  summary.append(...feet, foldedFacts(doc));
  page.append(...charts.map((chart) => chart.element), ...tables, showDetail(doc, selection));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") selection.clear();
  });
}

showDocument(readDocument());
