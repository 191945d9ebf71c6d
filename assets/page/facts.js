// The top of the page: what the document is about, who made it and how.

/** `file_bytes` is shown as bytes, `median_s` as seconds; null if there is nothing to show. */
function factText(name, value) {
  if (value === null) return null;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "object") {
    if (value.formula !== undefined) return value.formula;
    if (value.at_least !== undefined) return "≥" + factText(name, value.at_least);
    if (Array.isArray(value) && value.every((one) => typeof one !== "object"))
      return value.slice(0, 8).map((one) => factText(name, one) || "?").join(", ") +
             (value.length > 8 ? ", …" : "");
    return null;
  }
  if (typeof value !== "number") return value;
  if (/bytes_per_s(econd)?$/.test(name)) return numberText(value, "bytes", false) + "/s";
  if (/_per_s(econd)?$/.test(name)) return numberText(value, "count", false) + "/s";
  if (/(^|_)bytes$/.test(name)) return numberText(value, "bytes", false);
  if (/(_s|seconds)$/.test(name)) return numberText(value, "seconds", false);
  return Number.isInteger(value) ? grouped(value) : numberText(value, "number", false);
}

function factLabel(name) {
  if (name === "report") return "Rows";
  const words = name.replace(/_per_s(econd)?$/, "").replace(/(_s|_seconds)$/, "").replace(/_/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// Facts that the page states in other words, or that only programs use.
const kNoFacts = new Set(["graph_hash", "schema", "complete", "path"]);
const kRowWords = {tape: "each call of a layer", node: "each operator", leaves: "each layer", tree: "modules and layers",
                   type: "each type of layer", root: "the whole network", none: "totals only"};

/** Pairs of a label and a text, of everything that is short enough. */
function factPairs(facts) {
  const pairs = [];
  const add = (prefix, name, value) => {
    if (kNoFacts.has(name) || (name === "file_bytes" && value === 0) || (name === "hidden_rows" && value === 0)) return;
    const text = value === "" ? null : name === "report" && kRowWords[value] ? kRowWords[value] : factText(name, value);
    if (text === null || text === "" || String(text).length > 300) return;
    pairs.push([prefix === "" ? factLabel(name) : `${prefix}: ${factLabel(name).toLowerCase()}`,
                String(text)]);
  };
  for (const [name, value] of Object.entries(facts)) {
    const plain = value === null || typeof value !== "object" || Array.isArray(value) ||
                  value.formula !== undefined || value.at_least !== undefined;
    if (plain) add("", name, value);
    else for (const [inner, one] of Object.entries(value)) add(factLabel(name), inner, one);
  }
  return pairs;
}

function definitions(pairs) {
  return make("dl", {}, pairs.map(([name, text]) =>
    make("div", {}, make("dt", {}, name), make("dd", {}, text))));
}

function folded(title, pairs) {
  if (pairs.length === 0) return null;
  return make("details", {class: "folded"}, make("summary", {}, title), definitions(pairs));
}

function shortFile(path) {
  return String(path).replace(/^.*\//, "").replace(/\.onnx$/, "").replace(/^zoo:/, "");
}

/** The network or the run that the document is of. */
function subject(doc) {
  const facts = doc.facts;
  if (doc.kind === "diff" && Array.isArray(facts.sides))
    return facts.sides.map((side) => shortFile(side.file)).join(" → ");
  const path = facts.model && (typeof facts.model === "string" ? facts.model : facts.model.path);
  if (path) return shortFile(path);
  const models = Array.isArray(facts.models) ? facts.models.map((one) => one.model) : [];
  if (models.length > 0) return [...new Set(models)].join(", ");
  return doc.kind.replace(/_/g, " ");
}

/** Options as they are typed, so that the page can be made again. */
function commandLine(doc) {
  const given = Object.entries(doc.options).filter(([name]) => !/^--(format|output|table)$/.test(name));
  const pairs = given.flatMap(([name, values]) => [].concat(values).map((value) => [name, value]));
  const words = pairs.map(([name, value]) =>
    !name.startsWith("-") ? value : value === "" || value === "true" ? name : `${name} ${value}`);
  return words.join(" ");
}

function themeButton() {
  const names = ["auto", "light", "dark"];
  let theme = 0;
  const button = make("button", {type: "button", class: "theme", onclick: () => {
    theme = (theme + 1) % names.length;
    if (theme === 0) document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", names[theme]);
    button.textContent = "Colours: " + names[theme];
  }}, "Colours: auto");
  return button;
}

/** ` · input f32 1×3×224×224`, of a model whose inputs are known. */
function inputsText(doc) {
  const inputs = doc.facts.model && Array.isArray(doc.facts.model.inputs) ? doc.facts.model.inputs : [];
  if (inputs.length === 0) return "";
  const texts = inputs.slice(0, 3).map(({name, dtype, shape}) => {
    const sizes = Array.isArray(shape) ? shape.map((size) => factText("size", size) || "?").join("×").replace(/,/g, "") : "?";
    return `${name} ${dtype} ${sizes}`;
  });
  return ` · ${inputs.length === 1 ? "input" : "inputs"} ${texts.join(", ").replace(/^input /, "")}${inputs.length > 3 ? ", …" : ""}`;
}

function kindWords(doc) {
  return doc.kind === "llm" ? "language model" : doc.kind.replace(/_/g, " ");
}

function pageHeader(doc, button) {
  const name = subject(doc), kind = kindWords(doc);
  document.title = name === kind ? name : `${name}: ${kind}`;
  return make("header", {},
              make("div", {}, make("h1", {}, name),
                   make("p", {class: "about"}, `${kind.charAt(0).toUpperCase()}${kind.slice(1)}${inputsText(doc)} · ${doc.tool}`)),
              button);
}

/** Sentences of the report; lines that are set in belong to the one above and stand below it. */
function sentences(section) {
  if (section.lines.length === 0) return null;
  if (section.verbatim) return make("pre", {tabindex: 0}, section.lines.join("\n"));
  const list = make("ul", {class: "sentences"});
  for (const line of section.lines) {
    const last = list.lastElementChild;
    if (line.trim() === "") continue;
    if (!/^\s/.test(line) || !last) {
      list.append(make("li", {}, line.trim()));
      continue;
    }
    if (!last.querySelector("ul")) last.append(make("ul", {class: "sentences"}));
    last.lastElementChild.append(make("li", {}, line.trim()));
  }
  return list;
}

/** The sentences that a document begins with: its answer, else its first line. */
function answerOf(doc) {
  const answers = doc.sections.filter((section) => section.answer).flatMap((section) => section.lines);
  if (answers.length > 0) return answers.filter((line) => line.trim() !== "");
  const lines = doc.sections.filter((section) => !section.table).flatMap((section) => section.lines);
  const first = lines.find((line) => line.trim() !== "" && !/^\s/.test(line) && !/^\S+ {2,}/.test(line));
  return first === undefined ? [] : [first];
}

/** One note is shown; several are counted. */
function foldedNotes(notes) {
  const count = notes.reduce((sum, note) => sum + (note.tagName === "PRE" ? 1 : note.children.length), 0);
  if (notes.length === 0 || count === 0) return [];
  if (count === 1 && notes[0].tagName !== "PRE") return notes;
  return [make("details", {class: "folded"}, make("summary", {}, `Notes (${count})`), notes)];
}

function foldedFacts(doc) {
  const command = commandLine(doc);
  return make("div", {class: "facts"}, folded("Facts", factPairs(doc.facts)),
              folded("Machine", Object.entries(doc.machine)),
              folded("How this was made", [...(command === "" ? [] : [["Options as typed", command]]),
                                           ["Made by", doc.tool]]));
}
