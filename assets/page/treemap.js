// The module tree as areas: a layer's area is its share of a column.

const kKinds = 6;    // stages with a colour of their own
const kDepths = 8;   // shades of stages, if there are more
const kDust = 150;   // square pixels of a layer, on average, below which a module is one area

function countLeaves(node) {
  return node.children.reduce((sum, child) => sum + countLeaves(child), node.children.length === 0 ? 1 : 0);
}

/** Rectangles in a rectangle, as near to squares as can be (Bruls, Huizing, van Wijk). */
function squarified(sizes, x, y, width, height) {
  const places = [];
  let left = sizes.reduce((sum, one) => sum + one, 0);
  for (let from = 0; from < sizes.length;) {
    const side = Math.min(width, height), scale = width * height / left;
    let to = from, sum = 0, worst = Infinity;
    for (; to < sizes.length; ++to) {
      const next = sum + sizes[to], thick = next * scale / side;
      const shape = [sizes[from], sizes[to]].reduce((most, one) => {
        const long = one * scale / thick;
        return Math.max(most, long / thick, thick / long);
      }, 0);
      if (to > from && shape > worst) break;
      [sum, worst] = [next, shape];
    }
    const thick = sum * scale / side;
    let along = 0;
    for (let i = from; i < to; ++i) {
      const long = sizes[i] / sum * side;
      places.push(width >= height ? {x, y: y + along, width: thick, height: long}
                                  : {x: x + along, y, width: long, height: thick});
      along += long;
    }
    if (width >= height) [x, width] = [x + thick, Math.max(0, width - thick)];
    else [y, height] = [y + thick, Math.max(0, height - thick)];
    left -= sum;
    from = to;
  }
  return places;
}

class Treemap extends Chart {
  constructor(table, selection, columns) {
    super({title: "Treemap", table, order: leavesOf(table), selection,
           about: "Areas are shares of the column, frames are modules; titles and frames take a part of a " +
                  "module's area. A click shows the layer in every chart and in the table."});
    this.column = columns[0];
    this.stages = this.stageOfRows();
    this.byStage = new Set(this.stages.values()).size > 1;
    this.isLong = new Set(this.stages.values()).size > kKinds;
    this.types = this.commonKinds();
    this.tools.append(choice("Area:", columns.map((name) => [name, table.title(name)]), this.column,
                             (name) => {
      this.column = name;
      this.recolour();
    }), choice("Colour:", [["stage", "stage"], ["type", "type of layer"]],
               this.byStage ? "stage" : "type", (by) => {
      this.byStage = by === "stage";
      this.recolour();
    }));
    this.legend = make("div", {class: "legend"});
    this.tools.append(this.legend);
    this.picture.addEventListener("click", (event) => {
      const row = event.target.getAttribute && event.target.getAttribute("data-row");
      if (row !== null && row !== undefined) this.choose(this.place.get(Number(row)));
    });
  }

  recolour() {
    this.types = this.commonKinds();
    this.redraw();
  }

  stageOfRows() {
    const stages = new Map();
    for (const stage of stagesOf(pathsOf(this.table)).stages)
      for (let i = stage.from; i < stage.to; ++i) stages.set(this.order[i], stage.name);
    const inModules = [...stages].filter(([row]) => this.table.text(row, "type") !== "").map(([, name]) => name);
    this.stagePlace = new Map([...new Set(inModules)].map((name, i) => [name, i]));
    return stages;
  }

  kindName(row) {
    return this.byStage ? this.stages.get(row) : this.table.text(row, "type");
  }

  /** The names that colours stand for, the largest first. */
  commonKinds() {
    const sums = new Map();
    for (const row of this.order) {
      const kind = this.kindName(row);
      sums.set(kind, (sums.get(kind) || 0) + (this.table.number(row, this.column) || 0));
    }
    const known = [...sums].filter(([, sum]) => sum > 0).sort((a, b) => b[1] - a[1]);
    return known.map(([kind]) => kind);
  }

  /** Many stages have shades from the first to the last; a few have colours, the largest first. */
  shade(row) {
    if (!this.byStage || !this.isLong) return `kind${this.kind(row)}`;
    if (!this.stagePlace.has(this.stages.get(row))) return `kind${kKinds}`;
    return `depth${Math.round(kDepths * this.stagePlace.get(this.stages.get(row)) / (this.stagePlace.size - 1))}`;
  }

  kind(row) {
    return this.byStage ? Math.min(kKinds, this.types.indexOf(this.kindName(row))) : kindsOf(this.table).of(row);
  }

  paint(width) {
    const height = Math.round(Math.min(460, Math.max(280, width * 0.36)));
    this.at = this.table.index(this.column);
    this.boxes = new Map();
    this.paintChildren(treeOf(this.table), 0, 0, width, height, 0);
    this.chosenBox = draw("rect", {class: "frame", width: 0, height: 0});
    this.picture.append(this.chosenBox);
    this.legend.replaceChildren(...(this.byStage && this.isLong ? this.depthLegend()
      : kindLegend(this.byStage ? this.types : kindsOf(this.table).names)));
    return height;
  }

  depthLegend() {
    const names = [...this.stagePlace.keys()];
    const shades = Array.from({length: kDepths + 1}, (unused, i) => make("i", {class: `step depth${i}`}));
    return [make("span", {}, `${names[0]} `, ...shades, ` ${names[names.length - 1]}`)];
  }

  size(node) {
    return numberOf(node.cells[this.at]) || 0;
  }

  paintChildren(node, x, y, width, height, level) {
    const children = node.children.filter((child) => this.size(child) > 0)
      .sort((a, b) => this.size(b) - this.size(a));
    // A module that only holds another one needs no frame of its own.
    if (children.length === 1 && children[0].children.length > 0)
      return this.paintChildren(children[0], x, y, width, height, level);
    const places = squarified(children.map((child) => this.size(child)), x, y, width, height);
    children.forEach((child, i) => this.paintNode(child, places[i], level));
    return undefined;
  }

  paintNode(node, {x, y, width, height}, level) {
    if (width < 1.5 || height < 1.5) return;
    if (node.children.length === 0 || width < 14 || height < 14 || this.isDust(node, width * height)) {
      const row = this.firstRow(node), shade = this.shade(row), on = `on on-${shade}`;
      const rect = draw("rect", {x, y, width: Math.max(0.5, width - 1), height: Math.max(0.5, height - 1),
                                 class: `leaf ${shade}`, "data-row": row},
                        draw("title", {}, this.words(node)));
      this.picture.append(rect);
      if (node.row >= 0) this.boxes.set(node.row, {x, y, width, height});
      if (width > 44 && height > 18)
        this.picture.append(this.label(x + 4, y + 13, shortened(this.leafName(node, level), width - 8),
                                       {class: on}));
      if (width > 60 && height > 34)
        this.picture.append(this.label(x + 4, y + 27,
                                       cellText(node.cells[this.at], this.table.columns[this.at].unit,
                                                false), {class: on}));
      return;
    }
    const titled = width > 50 && height > 40 && level < 3;
    if (titled)
      this.picture.append(this.label(x + 3, y + 12, textWidth(node.path) < width - 6 ? node.path : shortened(node.name, width - 6),
                                     {class: "soft"}));
    const top = titled ? 16 : 1;
    this.paintChildren(node, x + 1, y + top, width - 3, height - top - 2, level + 1);
  }

  leafName(node, level) {
    return level === 0 ? node.path : wordName(node.path);
  }

  /** So many layers are in it that their areas would only be dust. */
  isDust(node, area) {
    if (node.leaves === undefined) node.leaves = countLeaves(node);
    return area / node.leaves < kDust;
  }

  firstRow(node) {
    while (node.row < 0 || (node.children.length > 0 && !this.place.has(node.row)))
      node = node.children.slice().sort((a, b) => this.size(b) - this.size(a))[0];
    return node.row;
  }

  words(node) {
    const total = this.table.total(this.column), own = this.size(node);
    return `${node.path}: ${numberText(own, this.table.unit(this.column), false)}` +
           (total ? ` (${shareText(own / total)})` : "");
  }

  mark() {
    const box = this.chosen() < 0 ? null : this.boxes.get(this.selection.row);
    for (const name of ["x", "y", "width", "height"])
      this.chosenBox.setAttribute(name, box ? Math.max(0, box[name] - (name[0] === "x" || name[0] === "y" ? 0 : 1)) : 0);
  }
}
