// Puts the page together: a summary, the charts of its kind, its tables.

function tableTitle(doc, table) {
  if (doc.tables.length === 1 && table.name === "rows") return "Table";
  const words = table.name.replace(/_/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const kAlong = ["params", "activation", "macs", "mem", "time"];
const kAreas = ["time", "macs", "params", "activation"];  // first in the list

/** What a profile shows above its table: what stands beside the answer, and the other charts. */
function profileCharts(doc, selection) {
  const table = doc.tables[0];
  const rows = leavesOf(table);
  const known = (name) => table.has(name) && rows.some((row) => table.number(row, name) > 0);
  if (rows.length < 2) return [];
  const charts = [];
  const sums = table.columns.filter((column) => column.additive && column.unit !== "percent")
    .map((column) => column.name);
  const areas = [...new Set([...kAreas.filter((name) => sums.includes(name)), ...sums])].filter(known);
  // Rows by type or in another order are not along anything.
  const inOrder = isInOrder(doc);
  if (inOrder && kAlong.some(known)) charts.push(profileAlong(table, selection, kAlong));
  if (table.edges && areas.length > 0) charts.push(new GraphView(table, selection, graphColumns(table, areas)));
  if (inOrder && known("alive")) charts.push(new MemoryTimeline(table, selection, doc.facts.memory));
  if (known("flops_per_s") && doc.facts.roofline)
    charts.push(new RooflineChart(table, selection, doc.facts.roofline));
  if (areas.length > 0) charts.push(new Treemap(table, selection, areas));
  return charts;
}

/** The answer of a profile: figures and a sentence above, the costliest layers for the place below. */
function profileAnswer(doc, selection, summary, below) {
  const table = doc.tables[0];
  summary.append(...firstScreen(doc, table).filter((piece) => piece !== null));
  const costliest = costliestLayers(table, selection, doc.facts.roofline), answers = profileSentences(doc, table);
  if (costliest) below.append(costliest);
  if (answers) below.append(make("details", {class: "folded"}, make("summary", {}, "Where the cost is"), answers));
}

kCharts.profile = profileCharts;

/** Two charts stand beside each other where there is room; the graph is as tall as several others. */
function besideEachOther(charts) {
  const graph = charts.find((chart) => chart instanceof GraphView);
  const others = charts.filter((chart) => chart !== graph).map((chart) => chart.element);
  if (graph && others.length > 0) return [make("div", {class: "beside"}, graph.element, make("div", {}, others))];
  if (others.length === 2) return [make("div", {class: "beside"}, others)];
  return charts.map((chart) => chart.element);
}

/** Adds a document to an element: a header, the summary, charts, tables. */
function showDocument(doc, page, header) {
  const selection = new Selection();
  const summary = part("Summary"), below = make("div", {});
  summary.firstElementChild.classList.add("unseen");
  page.append(header, summary);
  if (doc.kind === "profile") profileAnswer(doc, selection, summary, below);
  const charts = kCharts[doc.kind] ? kCharts[doc.kind](doc, selection) : [];
  const tables = [], feet = [], notes = [];  // what is said of a table comes behind what is said of all
  const said = doc.kind === "profile" ? [] : answerOf(doc);
  summary.append(...said.map((line, i) => make("p", {class: i === 0 ? "verdict strong-verdict" : "verdict"}, line.trim())));
  for (const section of doc.sections) {
    const table = section.table && doc.table(section.table);
    const lines = section.lines.filter((line) => !isSaidAbove(doc, line) && !said.includes(line));
    const text = sentences({...section, lines});
    if (text && !table) notes.push(text);
    if (!table) continue;
    if (text) feet.push(text);
    const {view, element} = tableWithTools(table, selection, doc.exact);
    view.hasFitted = "--columns" in doc.options;  // whoever named columns sees them all
    tables.push(part(tableTitle(doc, table), element));
    view.grid.setAttribute("aria-label", tableTitle(doc, table));
  }
  const kernels = doc.kind === "prediction" && doc.table("kernels"), slowest = kernels && costliestLayers(kernels, selection);
  if (slowest) below.append(slowest);
  below.append(...foldedNotes([...notes, ...feet]), foldedFacts(doc));
  const isInNotebook = location.href === "about:srcdoc";
  const first = charts[0] instanceof AlongChart && ["profile", "prediction"].includes(doc.kind) && !isInNotebook ? charts.shift() : null;
  summary.append(first ? make("div", {class: "beside"}, below, first.element) : below);
  const drawn = besideEachOther(charts);
  page.append(...(isInNotebook ? [...tables, ...drawn] : [...drawn, ...tables]), showDetail(doc, selection));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") selection.clear();
  });
}

/** One tab for each document. What is hidden is drawn when its tab is chosen. */
function showTabs(docs, page) {
  const panels = docs.map((doc, i) => make("div", {role: "tabpanel", id: `panel${i}`, "aria-labelledby": `tab${i}`}));
  const tabs = docs.map((doc, i) => make("button", {
    type: "button", role: "tab", id: `tab${i}`, "aria-controls": `panel${i}`, onclick: () => show(i),
    onkeydown: (event) => {
      const to = {ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: docs.length - 1}[event.key];
      if (to === undefined) return;
      show((to + docs.length) % docs.length);
      tabs[(to + docs.length) % docs.length].focus();
      event.preventDefault();
    }}, `${subject(doc)}: ${kindWords(doc)}`));
  const shown = new Set();
  const show = (chosen) => {
    tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", i === chosen ? "true" : "false");
      tab.setAttribute("tabindex", i === chosen ? "0" : "-1");
      panels[i].hidden = i !== chosen;
    });
    if (!shown.has(chosen)) showDocument(docs[chosen], panels[chosen], pageHeader(docs[chosen], null));
    shown.add(chosen);
  };
  page.append(make("div", {class: "tabs"}, make("div", {role: "tablist", "aria-label": "Results"}, tabs), themeButton()),
              ...panels);
  show(0);
  document.title = [...new Set(docs.map(subject))].join(", ");
}

function showPage(docs) {
  const page = document.getElementById("page");
  if (docs.length === 1) showDocument(docs[0], page, pageHeader(docs[0], themeButton()));
  else showTabs(docs, page);
}

showPage(readDocuments());
