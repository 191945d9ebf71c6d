// Draws the part of the graph that is in sight.

const kLeastBox = 4;       // pixels: what is smaller is not opened
const kLeastText = 0.42;   // zoom below which boxes have no names

Object.assign(GraphView.prototype, {
  render() {
    if (this.width === 0) return;
    this.shown = [];
    this.isWords = this.table.unit(this.column) === "text";
    if (this.isWords) this.words = this.wordsByCount();
    this.most = this.isWords ? 0 : this.mostInSight();
    const pieces = [];
    this.paintInside(this.root, 0, 0, pieces);
    this.world.replaceChildren(...pieces);
    this.world.setAttribute("transform",
                            `translate(${this.x.toFixed(1)} ${this.y.toFixed(1)}) scale(${this.zoom.toFixed(4)})`);
    this.paintLegend();
  },

  /** The largest number of a box that is not open: shades are shares of it. */
  mostInSight() {
    let most = 0;
    const visit = (box) => {
      for (const child of box.children)
        if (child.open) visit(child);
        else most = Math.max(most, boxNumber(this.table, child, this.column) || 0);
    };
    visit(this.root);
    return most;
  },

  /** The words of the column, those of most layers first. */
  wordsByCount() {
    const counts = new Map();
    for (const box of this.boxes.filter((one) => one)) {
      const word = boxWord(this.table, box, this.column);
      if (word !== "") counts.set(word, (counts.get(word) || 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word);
  },

  /** How a closed box is filled. */
  fillOf(box) {
    if (this.isWords) {
      const place = this.words.indexOf(boxWord(this.table, box, this.column));
      return place < 0 ? "heat0" : `tint${Math.min(kTypeColours, place)}`;
    }
    const number = boxNumber(this.table, box, this.column);
    return `heat${number > 0 && this.most > 0 ? Math.min(kHeats, Math.ceil(kHeats * Math.sqrt(number / this.most))) : 0}`;
  },

  /** What a closed box says of the column: nothing if it is 0. */
  amountText(box) {
    if (this.isWords) return boxWord(this.table, box, this.column);
    const number = boxNumber(this.table, box, this.column);
    return number === null ? "?" : number === 0 ? "" : numberText(number, this.table.unit(this.column), false);
  },

  isInSight(x, y, width, height) {
    const left = this.x + x * this.zoom, top = this.y + y * this.zoom;
    return left < this.width && left + width * this.zoom > 0 && top < this.height && top + height * this.zoom > 0;
  },

  paintInside(box, x, y, pieces) {
    const {layout} = box, [left, top] = [x + layout.left, y + layout.top];
    const at = {transform: `translate(${left.toFixed(1)} ${top.toFixed(1)})`};
    if (layout.lines) pieces.push(draw("path", {d: layout.lines, class: "edge", ...at}));
    if (layout.returns) pieces.push(draw("path", {d: layout.returns, class: "edge back", ...at}));
    const tips = layout.tips.filter((tip) => !box.children[tip.box].open && this.zoom > 0.2);
    if (tips.length > 0)
      pieces.push(draw("path", {class: "tip", ...at, d: tips.map((tip) =>
        `M${(tip.x - 3.5).toFixed(1)} ${(tip.y - 6).toFixed(1)}h7l-3.5 6z`).join("")}));
    if (!box.parent) this.paintEnds(layout, left, top, pieces);
    box.children.forEach((child, i) => {
      const place = layout.places[i], size = layout.sizes[i];
      if (this.isInSight(left + place.x, top + place.y, size.width, size.height))
        this.paintBox(child, left + place.x, top + place.y, size, pieces);
    });
  },

  paintEnds(layout, left, top, pieces) {
    for (const [name, item, is] of [["input", layout.enter, this.root.ins.size > 0],
                                    ["output", layout.leave, this.root.outs.size > 0]]) {
      if (!is) continue;
      const x = left + item.x, y = top + item.y;
      pieces.push(draw("rect", {x: x - 32, y, width: 64, height: 22, rx: 11, class: "end"}),
                  draw("text", {x, y: y + 15, "text-anchor": "middle", class: "soft"}, name));
    }
  },

  paintBox(box, x, y, size, pieces) {
    const isOpen = box.open && size.height * this.zoom > kLeastBox;
    const index = this.shown.push(box) - 1;
    const isChosen = box.row >= 0 && this.selection.isChosen(this.table, box.row);
    const holds = !isChosen && !isOpen && this.selection.table === this.table && this.selection.row >= 0 &&
                  this.boxes[this.selection.row] && this.shownOf(this.boxes[this.selection.row]) === box;
    const isActive = box === this.active;
    const states = (isChosen ? " is-chosen" : "") + (holds ? " holds" : "") + (isActive ? " is-active" : "");
    const group = draw("g", {"data-box": index, class: isOpen ? "module" : "box"},
                       draw("rect", {x, y, width: size.width, height: size.height, rx: 5,
                                     class: (isOpen ? `open level${box.depth % 2}` : this.fillOf(box)) + states},
                            draw("title", {}, this.titleOf(box))));
    pieces.push(group);
    if (isOpen) {
      if (this.zoom > 0.25)
        group.append(draw("text", {x: x + 8, y: y + 16, class: "module-name"}, boxTitle(box)));
      this.paintInside(box, x, y, pieces);
    } else if (this.zoom >= kLeastText) {
      this.paintFace(box, x, y, size, group);
    }
  },

  paintFace(box, x, y, size, group) {
    if (box.row >= 0 && !this.isWords) {
      const kind = this.kinds.of(box.row);
      group.append(draw("path", {d: `M${x + 1.5} ${y + 4}h4v${size.height - 8}h-4z`, class: `kind${kind}`}));
    }
    const text = shortened(this.amountText(box), 90);
    group.append(
      draw("text", {x: x + 10, y: y + 19}, shortened(this.label(box), size.width - 20 - textWidth(text))),
      draw("text", {x: x + size.width - 8, y: y + 19, "text-anchor": "end", class: "amount-text"}, text));
  },

  titleOf(box) {
    const number = this.isWords ? null : boxNumber(this.table, box, this.column), total = this.table.total(this.column);
    const share = number !== null && total ? ` (${shareText(number / total)})` : "";
    const shape = box.row >= 0 && this.table.has("output") ? `\noutput ${this.table.text(box.row, "output")}` : "";
    return `${box.path || box.name}${box.row < 0 ? `, ${box.layers} layers` : ""}\n` +
           `${this.table.title(this.column)}: ${this.figureOf(box)}${share}${shape}`;
  },

  figureOf(box) {
    if (this.isWords) return boxWord(this.table, box, this.column) || "none";
    const number = boxNumber(this.table, box, this.column);
    return number === null ? "not known" : numberText(number, this.table.unit(this.column), false);
  },

  paintLegend() {
    if (this.isWords) return this.legend.replaceChildren(...kindLegend(this.words.slice(0, kTypeColours), "tint"),
      ...(this.words.length > kTypeColours ? kindLegend(["others"], "tint") : []));
    const shades = Array.from({length: kHeats + 1}, (unused, i) => make("i", {class: `shade heat${i}`}));
    return this.legend.replaceChildren(
      make("span", {}, "0 ", ...shades, ` ${numberText(this.most, this.table.unit(this.column), false)}`),
      ...kindLegend(this.kinds.names));
  },
});
