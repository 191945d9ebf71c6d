// The first screen of a profile: four figures, a sentence, and the layers that cost most with the
// reason.

const kRanked = 8;  // layers in the list
const kCosts = [["time", "Slowest layers"], ["macs", "Layers with most work"], ["flops", "Layers with most work"],
                ["params", "Layers with most parameters"]];

/** A total as people read it, also one that is a formula or a lower bound; null if it is not known. */
function totalText(table, name) {
  const at = table.index(name);
  if (at < 0 || table.totals === null || table.totals[at] === null) return null;
  return cellText(table.totals[at], table.columns[at].unit, false);
}

function figureCard(label, value, about) {
  return make("div", {class: "figure"}, make("dt", {}, label), make("dd", {class: value === "not measured" ? "absent" : ""}, value),
              make("dd", {class: "figure-about"}, about));
}

/** Weights and activations together, if both are numbers. */
function memoryCard(table, memory) {
  const peak = memory && memory.peak_bytes, weights = table.total("param_bytes");
  const text = (bytes) => numberText(bytes, "bytes", false);
  if (typeof peak !== "number")
    return figureCard("Memory", factText("peak_bytes", peak === undefined ? null : peak) || "not known", "activations at the peak");
  const least = memory.certainty === "lower_bound" ? "≥" : "";
  if (weights === null) return figureCard("Activations", least + text(peak), "at the peak; weights are not known");
  return figureCard("Memory", least + text(peak + weights), `weights ${text(weights)}, activations ${text(peak)}`);
}

function timeCard(timing) {
  if (!timing) return figureCard("Time", "not measured", "add --time");
  const spread = timing.median_interval_s;
  const text = (seconds) => numberText(seconds, "seconds", false);
  const interval = Array.isArray(spread) && spread.length === 2 ? `95 %: ${text(spread[0])} to ${text(spread[1])}, ` : "";
  const threads = timing.threads > 0 ? `, ${timing.threads} thread${timing.threads === 1 ? "" : "s"}` : "";
  return figureCard("Time", text(timing.median_s), `${interval}${timing.engine}${threads}`);
}

function figureCards(doc, table) {
  const flops = totalText(table, "flops"), weights = totalText(table, "param_bytes");
  const work = table.has("macs") ? ["MACs", totalText(table, "macs") || "not known", flops ? `${flops} FLOPs` : ""]
    : ["FLOPs", flops || "not known", ""];
  return make("dl", {class: "figures"},
    figureCard("Parameters", totalText(table, "params") || "not known", weights ? `${weights} of weights` : ""),
    figureCard(...work), memoryCard(table, doc.facts.memory), timeCard(doc.facts.timing));
}

/** The column by which layers are ranked: time if it was measured. */
function costColumn(table, rows) {
  return kCosts.find(([name]) => table.has(name) && rows.some((row) => table.number(row, name) > 0)) || null;
}

function verdict(doc, table, order, cost) {
  const found = spread(table, order, cost);
  if (!found) return null;
  const words = {time: "time", macs: "MACs", flops: "FLOPs", params: "parameters"}[cost];
  const top = order[found.largest];
  const first = cost === "time" && doc.facts.timing
    ? `One inference takes ${numberText(doc.facts.timing.median_s, "seconds", false)} on ${doc.facts.timing.engine}`
    : `${subject(doc)} has ${numberText(found.sum, table.unit(cost), false)} ${words}`;
  const verb = cost === "time" ? "take" : "have";
  return `${first}. ${found.half} of ${order.length} layers ${verb} half of ${cost === "time" ? "it" : "them"}; ` +
         `${shortName(table, top)} alone ${verb === "have" ? "has" : "takes"} ${shareText(found.share)}.`;
}

/** Why a layer costs what it does, as far as its numbers tell. `peak` is the machine's FLOP/s, or null. */
function reasonFor(table, row, peak) {
  const bound = table.has("bound") ? table.text(row, "bound") : "", roof = table.number(row, "of_roof");
  const share = roof === null ? "" : ` at ${Math.round(roof)} % of the roof`;
  // Data that comes faster than from memory comes from caches, and arithmetic is the limit.
  const speed = table.number(row, "flops_per_s");
  if (bound === "memory" && roof > 100 && speed > 0 && peak > 0)
    return `compute bound at ${Math.round(100 * speed / peak)} % of the roof; data in cache`;
  if (bound === "compute" && roof !== null && roof < 30)
    return `compute bound in a slow kernel: ${Math.round(roof)} % of the roof`;
  if (bound === "compute") return `compute bound${share}`;
  if (bound === "memory") return `bandwidth bound${share}`;
  if (bound === "launch") return "overhead: it takes longer to start than to compute";
  if (bound === "neither") return `overhead: only ${roof === null ? "little" : `${roof.toFixed(1)} %`} of the roof is reached`;
  const params = table.number(row, "params"), macs = table.number(row, "macs"), moved = table.number(row, "mem");
  if (params > 0 && macs > 0) {
    const uses = Math.round(macs / params);
    if (uses >= 100) return `large output: each weight is used ${grouped(uses)} times`;
    return `many weights (${numberText(params, "count", false)}), each used ${uses <= 1 ? "once" : `${grouped(uses)} times`}`;
  }
  if (macs === 0 && moved > 0) return `no MACs; it moves ${numberText(moved, "bytes", false)}`;
  return table.has("output") ? `output ${table.text(row, "output")}` : "";
}

/** The layers that cost most, a button each, which shows the layer everywhere. */
function rankedLayers(table, order, selection, [cost, title], peak) {
  const falling = order.filter((row) => table.number(row, cost) > 0)
    .sort((a, b) => table.number(b, cost) - table.number(a, cost)).slice(0, kRanked);
  const most = table.number(falling[0], cost), kinds = kindsOf(table);
  const sum = order.reduce((all, row) => all + (table.number(row, cost) || 0), 0);
  const rows = falling.map((row) => {
    const number = table.number(row, cost), bar = make("i", {class: `kind${kinds.of(row)}`});
    bar.style.width = (100 * number / most).toFixed(1) + "%";
    return make("li", {}, make("button", {type: "button", onclick: () => selection.choose(table, row, null)},
      make("span", {class: "rank-name"}, table.nameOf(row),
           make("span", {class: "soft"}, ` ${["type", "class"].filter((name) => table.has(name)).map((name) => table.text(row, name)).join("")}`)),
      make("span", {class: "rank-number"}, `${numberText(number, table.unit(cost), false)}, ${shareText(number / sum)}`),
      make("span", {class: "rank-bar", "aria-hidden": "true"}, bar),
      make("span", {class: "rank-why"}, reasonFor(table, row, peak))));
  });
  return make("div", {class: "ranked"}, make("h3", {}, title), make("ol", {}, rows));
}

/** Figures and a sentence, for rows that are layers; figures alone where rows are anything else. */
function firstScreen(doc, table) {
  const order = leavesOf(table), cost = costColumn(table, order);
  const isWhole = !("--top" in doc.options) && !("--filter" in doc.options);
  const said = cost && isWhole && isInOrder(doc) && order.length > 2 ? verdict(doc, table, order, cost[0]) : null;
  return [figureCards(doc, table), said ? make("p", {class: "verdict"}, said) : null];
}

/** The layers that cost most, or null. */
function costliestLayers(table, selection, roofline = null) {
  const order = leavesOf(table), cost = costColumn(table, order);
  return cost && order.length > 2 ? rankedLayers(table, order, selection, cost, roofline && roofline.flops_per_s) : null;
}
