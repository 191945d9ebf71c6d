// The network as nested boxes: layers in the modules of their paths, and which boxes are linked.

const kMostBoxes = 250;    // in one module; more are put into sections, so that opening stays quick
const kSection = 100;      // boxes of a section
const kBoxHeight = 30, kTitleHeight = 24, kPad = 12;

/** A layer (`row` ≥ 0) or a module. `first` is the row that runs first in it. */
class GraphBox {
  constructor(name, path, row) {
    Object.assign(this, {name, path, row, parent: null, children: [], byName: null, first: row, layers: 0,
                         open: false, layout: null, depth: 0});
    [this.links, this.ins, this.outs, this.sums] = [new Map(), new Set(), new Set(), new Map()];
  }

  add(child) {
    child.parent = this;
    this.children.push(child);
  }

  /** From the outermost inwards, without the root and itself. */
  modules() {
    const list = [];
    for (let at = this.parent; at.parent; at = at.parent) list.unshift(at);
    return list;
  }
}

/** `features.0.1` is in modules; `/features/features.0/Conv`, as nodes are named, too. */
function wordsOfPath(path) {
  return path.startsWith("/") ? path.slice(1).split("/") : path.split(".");
}

function moduleIn(parent, name, joint) {
  if (!parent.byName) parent.byName = new Map();
  if (!parent.byName.has(name)) {
    const child = new GraphBox(name, parent.path === "" ? name : parent.path + joint + name, -1);
    parent.byName.set(name, child);
    parent.add(child);
  }
  return parent.byName.get(name);
}

/** A module that only holds another one is one box with it. */
function withoutShells(box) {
  box.children = box.children.map((child) => {
    while (child.children.length === 1 && child.children[0].row < 0) {
      const inner = child.children[0];
      inner.name = `${child.name}.${inner.name}`;
      child = inner;
    }
    child.parent = box;
    return withoutShells(child);
  });
  return box;
}

function withSections(box) {
  while (box.children.length > kMostBoxes) {
    const parts = [];
    for (let from = 0; from < box.children.length; from += kSection) {
      const inside = box.children.slice(from, from + kSection);
      const part = new GraphBox(`${from + 1} to ${from + inside.length} of ${box.children.length}`,
                                box.path, -1);
      for (const child of inside) part.add(child);
      part.isSection = true;
      parts.push(part);
    }
    box.children = parts;
    for (const part of parts) part.parent = box;
  }
  box.children.forEach(withSections);
  return box;
}

function countBox(box, depth) {
  box.depth = depth;
  box.layers = box.row >= 0 ? 1 : 0;
  for (const child of box.children) {
    countBox(child, depth + 1);
    box.layers += child.layers;
    if (box.row < 0) box.first = box.first < 0 ? child.first : Math.min(box.first, child.first);
  }
  box.children.sort((a, b) => a.first - b.first);
  box.children.forEach((child, i) => { child.index = i; });
}

/** Adds a line from box `a` to box `b` at every level at which it is seen; null is the world. */
function linkBoxes(a, b, root) {
  while (a && b && a.parent !== b.parent) {
    if (a.depth >= b.depth) a = leaveBox(a);
    else b = enterBox(b);
  }
  if (a && b && a !== b) a.parent.links.set(`${a.index} ${b.index}`, {from: a.index, to: b.index});
  while (!a && b !== root) b = enterBox(b);
  while (!b && a !== root) a = leaveBox(a);
}

function leaveBox(box) {
  box.parent.outs.add(box.index);
  return box.parent;
}

function enterBox(box) {
  box.parent.ins.add(box.index);
  return box.parent;
}

/** Rows that read something or are read. */
function linkedRows(edges) {
  const linked = new Set(edges.returned);
  edges.reads.forEach((given, row) => {
    if (given === null) return;
    linked.add(row);
    for (const back of Array.isArray(given) ? given : [given]) linked.add(row - back);
  });
  return linked;
}

/** The root of all boxes, and the box of each row; null: what is outside of layers has no place. */
function graphOf(table) {
  const root = new GraphBox("", "", -1), linked = linkedRows(table.edges);
  const boxes = table.rows.map((cells, row) => {
    if (!linked.has(row) && table.text(row, "output") === "") return null;
    const path = table.nameOf(row), words = wordsOfPath(path), joint = path.startsWith("/") ? "/" : ".";
    let at = root;
    for (const word of words.slice(0, Math.min(words.length - 1, 12))) at = moduleIn(at, word, joint);
    const box = new GraphBox(words[words.length - 1], path, row);
    at.add(box);
    return box;
  });
  withSections(withoutShells(root));
  countBox(root, 0);
  table.edges.reads.forEach((given, row) => {
    if (given === null) return;
    for (const back of Array.isArray(given) ? given : [given])
      linkBoxes(back === 0 ? null : boxes[row - back], boxes[row], root);
  });
  for (const row of table.edges.returned) linkBoxes(boxes[row], null, root);
  root.open = true;
  return {root, boxes};
}

/**
 * The sum of a column over the layers of a box, null if one of them is not known; of a column that does not
 * add up, the most that is known.
 */
function boxNumber(table, box, name) {
  if (box.row >= 0) return partOf(table.cell(box.row, name));
  if (!box.sums.has(name)) {
    const numbers = box.children.map((child) => boxNumber(table, child, name));
    const known = numbers.filter((number) => number !== null);
    const adds = table.columns[table.index(name)].additive;
    box.sums.set(name, adds ? (known.length < numbers.length ? null : known.reduce((sum, one) => sum + one, 0))
                            : known.length === 0 ? null : Math.max(...known));
  }
  return box.sums.get(name);
}

/** The word that all layers of a box have in a column; "mixed" if they differ, "" if there is none. */
function boxWord(table, box, name) {
  if (box.row >= 0) return table.text(box.row, name);
  if (!box.sums.has(name)) {
    const words = new Set(box.children.map((child) => boxWord(table, child, name)).filter((word) => word !== ""));
    box.sums.set(name, words.size > 1 ? "mixed" : [...words].join());
  }
  return box.sums.get(name);
}

const kNumbersOfGraph = ["alive", "sensitivity"];           // do not add up, and still are shades
const kWordsOfGraph = ["dtype", "runs_in", "precision", "bound"];  // are colours

/** What may colour the boxes: `sums`, other numbers, and words that differ between layers. */
function graphColumns(table, sums) {
  const words = (name) => new Set(table.rows.map((cells, row) => table.text(row, name)).filter((word) => word !== ""));
  return [...sums, ...kNumbersOfGraph.filter((name) => table.has(name) && table.numbers(name).some((one) => one > 0)),
          ...kWordsOfGraph.filter((name) => table.has(name) && words(name).size > 1 && words(name).size <= 12)];
}

/** Sizes of a box and of all that is open in it; what did not change keeps its layout. */
function layOut(box, widthOf) {
  if (!box.open) return {width: widthOf(box), height: kBoxHeight, in: 0, out: 0};
  if (!box.layout) {
    const isRoot = box.parent === null;
    const end = isRoot ? {width: 64, height: 22, in: 0, out: 0} : {width: 2, height: 0, in: 0, out: 0};
    const sizes = box.children.map((child) => layOut(child, widthOf));
    box.layout = {...layered(sizes, [...box.links.values()], [...box.ins], [...box.outs], [end, end]), sizes};
    const {width, height, enter, leave} = box.layout;
    const own = Math.max(width, isRoot ? 0 : textWidth(boxTitle(box)) + 10), shift = (own - width) / 2;
    box.layout.left = kPad + shift;
    box.layout.top = isRoot ? kPad : box.ins.size > 0 ? 0 : kTitleHeight + 6;
    box.size = {width: own + 2 * kPad, height: box.layout.top + height + (box.outs.size > 0 && !isRoot ? 0 : kPad),
                in: box.ins.size > 0 ? kPad + shift + enter.x - own / 2 - kPad : 0,
                out: box.outs.size > 0 ? kPad + shift + leave.x - own / 2 - kPad : 0};
  }
  return box.size;
}

function boxTitle(box) {
  return `▾ ${box.name}`;
}

/** A box has been opened or closed: what is around it moves. */
function forgetLayout(box) {
  for (let at = box; at; at = at.parent) at.layout = null;
}

/** Opens level after level while few enough boxes are in sight; `most` is their number. */
function openSome(root, most) {
  let level = [root], count = root.children.length;
  root.open = true;
  while (level.length > 0) {
    const next = level.flatMap((box) => box.children.filter((child) => child.children.length > 0));
    const more = next.reduce((sum, box) => sum + box.children.length, 0);
    if (next.length === 0 || count + more > most) return;
    for (const box of next) box.open = true;
    count += more;
    level = next;
  }
}
