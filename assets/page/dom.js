// Elements are made here and nowhere else. Text becomes a text node and never markup, because it
// may be the name that somebody gave a layer.

const kSvg = "http://www.w3.org/2000/svg";

/** @param {Element} element @param {Object<string, any>} given @param {any[]} children */
function filled(element, given, children) {
  for (const [name, value] of Object.entries(given || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat())
    if (child !== null && child !== undefined) element.append(child);
  return element;
}

/** An HTML element: `make("button", {type: "button", onclick: f}, "Text")`. */
function make(tag, given, ...children) {
  return filled(document.createElement(tag), given, children);
}

/** The same for a drawing. */
function draw(tag, given, ...children) {
  return filled(document.createElementNS(kSvg, tag), given, children);
}

let lastPart = 0;

/** A part of the page with a heading, which the list of contents names. */
function part(title, ...children) {
  const id = `part${++lastPart}-` + title.toLowerCase().replace(/[^a-z]+/g, "-");
  return make("section", {class: "part", "aria-labelledby": id},
              make("h2", {id}, title), children);
}

/** A box to tick. */
function tick(label, checked, changed) {
  const box = make("input", {type: "checkbox", onchange: () => changed(box.checked)});
  box.checked = checked;
  return make("label", {class: "tick"}, box, label);
}

/** A list to choose from: pairs of a value and a label. */
function choice(label, pairs, chosen, changed) {
  const list = make("select", {onchange: () => changed(list.value)},
                    pairs.map(([value, text]) => make("option", {value}, text)));
  list.value = chosen;
  return make("label", {class: "choice"}, label + " ", list);
}
