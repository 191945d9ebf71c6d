// Where the parameters, the work, the memory and the time of a network are, in sentences made from
// its numbers.

const kThirds = ["first", "middle", "last"];

/** How a column is spread over the layers: shares of the thirds, and the largest layer. */
function spread(table, order, name) {
  let numbers = order.map((row) => table.number(row, name));
  // A layer without a time runs in the kernel of another, whose time has it.
  if (name === "time") numbers = numbers.map((number) => number || 0);
  if (numbers.some((number) => number === null)) return null;
  const sum = numbers.reduce((all, one) => all + one, 0);
  if (!(sum > 0)) return null;
  const thirds = [0, 0, 0];
  numbers.forEach((number, i) => { thirds[Math.floor(3 * i / numbers.length)] += number / sum; });
  const falling = numbers.map((number, i) => i).sort((a, b) => numbers[b] - numbers[a]);
  let half = 0, count = 0;
  while (half < sum / 2) half += numbers[falling[count++]];
  return {sum, thirds, largest: falling[0], share: numbers[falling[0]] / sum, half: count};
}

function shortName(table, row) {
  return shortened(table.nameOf(row), 600);
}

/** The largest parts of a column where rows are kinds of layers. */
function shareSentence(table, order, name, words) {
  const found = spread(table, order, name);
  if (!found) return null;
  const falling = order.slice().sort((a, b) => table.number(b, name) - table.number(a, name)).slice(0, 3)
    .filter((row) => table.number(row, name) > 0);
  const parts = falling.map((row) => `${shareText(table.number(row, name) / found.sum)} in ` +
                                     shortName(table, row));
  return [make("strong", {}, `${words} (${numberText(found.sum, table.unit(name), false)})`),
          `: ${parts.join(", ")}.`];
}

function percent(share) {
  return `${Math.round(100 * share)} %`;
}

function spreadSentence(table, order, name, words) {
  const found = order.length < 3 ? null : spread(table, order, name);
  if (!found) return null;
  const even = Math.max(...found.thirds) - Math.min(...found.thirds) < 0.15;
  const where = even
    ? " spread evenly over the layers"
    : `: ${kThirds.map((third, i) => `${percent(found.thirds[i])} in the ${third} third`).join(", ")} ` +
      "of the layers";
  return [make("strong", {}, `${words} (${numberText(found.sum, table.unit(name), false)})`),
          `${where}; ${found.half} of ${order.length} layers have half of it, most of all ` +
          `${shortName(table, order[found.largest])} (${shareText(found.share)}).`];
}

function memorySentence(table, memory) {
  if (typeof memory.peak_bytes !== "number") return null;
  const tensors = Array.isArray(memory.at_peak) ? memory.at_peak : [];
  const names = tensors.slice(0, 3).map((one) =>
    `${one.layer || "input " + one.tensor} (${numberText(one.bytes, "bytes", false)})`);
  const least = memory.certainty === "lower_bound" ? "≥" : "";
  return [make("strong", {}, `Memory peaks at ${least}${numberText(memory.peak_bytes, "bytes", false)}`),
          ` of activations while ${memory.peak_layer || "it begins"} runs`,
          names.length > 0 ? `: ${names.join(", ")}${tensors.length > 3 ? ", …" : ""} are alive.` : "."];
}

/** Rows that are layers in running order; a sorted table is in none. */
function isInOrder(doc) {
  return ["tape", "node", "leaves", "tree"].includes(doc.facts.report) && !("--sort" in doc.options);
}

/** A line below the program's table that repeats the page's first screen. */
function isSaidAbove(doc, line) {
  if (doc.kind !== "profile") return false;
  if (line.startsWith("Total: ") || line.startsWith("Largest: ")) return true;
  return line.startsWith("Peak activations ") &&
         memorySentence(doc.tables[0], doc.facts.memory || {}) !== null;
}

/** A list, or null where nothing can be said. */
function profileSentences(doc, table) {
  const order = leavesOf(table);
  const whole = !("--top" in doc.options) && !("--filter" in doc.options);
  const say = !whole ? () => null : isInOrder(doc) ? spreadSentence
    : doc.facts.report === "type" ? shareSentence : () => null;
  const found = [say(table, order, "params", "Parameters"), say(table, order, "macs", "Work in MACs"),
                 memorySentence(table, doc.facts.memory || {}),
                 table.has("time") ? say(table, order, "time", "Time") : null];
  const known = found.filter((one) => one !== null);
  return known.length === 0 ? null
    : make("ul", {class: "answers"}, known.map((pieces) => make("li", {}, pieces)));
}
