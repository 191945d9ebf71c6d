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
  const words = name.replace(/_per_s(econd)?$/, "").replace(/(_s|_seconds)$/, "").replace(/_/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Pairs of a label and a text, of everything that is short enough. */
function factPairs(facts) {
  const pairs = [];
  const add = (prefix, name, value) => {
    const text = value === "" ? null : factText(name, value);
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

/** Options in the form in which they are typed, so that the page can be made again. */
function commandLine(doc) {
  const given = Object.entries(doc.options).filter(([name]) => !/^--(format|output|table)$/.test(name));
  const words = given.map(([name, value]) =>
    !name.startsWith("-") ? value.replace(/,/g, " ") : value === "" || value === "true" ? name : `${name} ${value}`);
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

function pageHeader(doc) {
  const name = subject(doc), kind = doc.kind.replace(/_/g, " ");
  document.title = name === kind ? name : `${name}: ${kind}`;
  return make("header", {},
              make("div", {}, make("h1", {}, name),
                   make("p", {class: "about"}, `${kind} by ${doc.tool}`,
                        commandLine(doc) === "" ? null : make("code", {}, commandLine(doc)))),
              themeButton());
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

function foldedFacts(doc) {
  return make("div", {class: "facts"}, folded("Facts", factPairs(doc.facts)),
              folded("Machine", Object.entries(doc.machine)),
              folded("Options", Object.entries(doc.options)));
}
