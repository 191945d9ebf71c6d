// The network as a graph: modules are boxes that open, lines are values that layers read.

const kFirstBoxes = 36;    // that the view begins with
const kHeats = 8;          // shades of the column that colours boxes
const kTallGraph = 640;    // pixels, at most
const kNarrowGraph = 560;  // pixels, in which the buttons would cover the first box
const kGraphZoom = [0.02, 2.5];

class GraphView {
  constructor(table, selection, columns) {
    Object.assign(this, {table, selection, isWords: false, most: 0});
    Object.assign(this, graphOf(table));
    this.kinds = kindsOf(table);
    this.column = columns[0];
    this.x = this.y = this.width = 0;
    this.zoom = 1;
    this.active = this.root.children[0];
    openSome(this.root, kFirstBoxes);
    this.makeElements(columns);
    new ResizeObserver(() => this.fit()).observe(this.frame);
    selection.listen((chosen, row, from) => this.follow(chosen, row, from));
  }

  makeElements(columns) {
    this.world = draw("g");
    this.picture = draw("svg", {class: "chart graph", role: "application", tabindex: 0,
                                "aria-label": "The network as nested boxes. Up and down move from box to box, " +
                                "right and left open and close a module, Enter chooses a layer, plus and minus zoom.",
                                onkeydown: (event) => this.key(event),
                                onwheel: (event) => this.wheel(event)}, this.world);
    this.listenToPointers();
    this.status = make("p", {class: "graph-status", role: "status"});
    this.frame = make("div", {class: "graph-frame"}, this.picture, this.buttons());
    this.legend = make("div", {class: "legend"});
    const search = make("input", {type: "search", placeholder: "Find a layer", "aria-label": "Find a layer",
                                  oninput: () => this.find(search.value, false),
                                  onkeydown: (event) => event.key === "Enter" && this.find(search.value, true)});
    const open = (act) => () => { act(); this.changed(); };
    const button = (text, act) => make("button", {type: "button", onclick: open(act)}, text);
    this.element = part("Graph", make("figure", {},
      make("div", {class: "tools"}, search,
           choice("Colour:", columns.map((name) => [name, this.table.title(name)]), this.column, (name) => {
             this.column = name;
             this.render();
           }),
           button("Open a level", () => this.openLevel()), button("Open all", () => this.setAll(true)),
           button("Close all", () => this.setAll(false)),
           make("button", {type: "button", onclick: () => this.saveSvg()}, "Save as SVG")),
      this.legend, this.frame, this.status,
      make("figcaption", {}, "Boxes are modules and layers, lines are the values that layers read. The shade of a " +
           "box is the column chosen, the stripe its type. A click opens a module or chooses a layer; drag to move, Ctrl " +
           "and the wheel or two fingers to zoom.")));
  }

  buttons() {
    const button = (text, name, act) => make("button", {type: "button", "aria-label": name, title: name, onclick: act}, text);
    return make("div", {class: "graph-buttons"}, button("+", "Zoom in", () => this.zoomBy(1.4)),
                button("−", "Zoom out", () => this.zoomBy(1 / 1.4)),
                button("Fit", "Fit the whole graph into the frame", () => this.showAll()));
  }

  /** Names need room, and so does the number beside them. */
  widthOf(box) {
    return Math.min(270, Math.max(150, 30 * Math.ceil((textWidth(this.label(box)) + 82) / 30)));
  }

  label(box) {
    if (box.row < 0) return `▸ ${box.name}`;
    const type = this.table.has("type") ? this.table.text(box.row, "type") : "";
    return type === "" || type === box.name ? box.name : `${box.name} ${type}`;
  }

  fit() {
    const width = Math.floor(this.frame.clientWidth);
    if (width === 0 || width === this.width) return;
    const isFirst = this.width === 0;
    this.width = width;
    this.size = layOut(this.root, (box) => this.widthOf(box));
    this.height = Math.round(Math.min(kTallGraph, Math.max(360, innerHeight * 0.72), this.size.height + 20));
    this.picture.setAttribute("width", width);
    this.picture.setAttribute("height", this.height);
    if (isFirst) this.showTop();
    this.render();
  }

  /** As large as the width lets it be; a network is taller than wide, so it begins at its input. */
  showTop() {
    this.zoom = Math.min(1, Math.max(0.5, (this.width - 20) / this.size.width));
    this.x = (this.width - this.size.width * this.zoom) / 2;
    this.y = this.width < kNarrowGraph ? 44 : 4;
    this.soon();
  }

  showAll() {
    const zoom = Math.min((this.width - 16) / this.size.width, (this.height - 16) / this.size.height, 1);
    this.zoom = Math.max(kGraphZoom[0], zoom);
    this.x = (this.width - this.size.width * this.zoom) / 2;
    this.y = (this.height - this.size.height * this.zoom) / 2;
    this.soon();
  }

  zoomBy(factor, x = this.width / 2, y = this.height / 2) {
    const zoom = Math.min(kGraphZoom[1], Math.max(kGraphZoom[0], this.zoom * factor));
    this.x = x - (x - this.x) * zoom / this.zoom;
    this.y = y - (y - this.y) * zoom / this.zoom;
    this.zoom = zoom;
    this.soon();
  }

  soon() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.render();
    });
  }

  /** After modules opened or closed. `held`, which was at `before`, stays where it is on the screen. */
  changed(held = null, before = null) {
    this.size = layOut(this.root, (box) => this.widthOf(box));
    if (before) {
      const after = this.placeOf(held);
      this.x += (before.x - after.x) * this.zoom;
      this.y += (before.y - after.y) * this.zoom;
    }
    this.render();
  }

  /** The upper left corner in the picture, of a box all of whose modules are open. */
  placeOf(box) {
    let [x, y] = [0, 0];
    for (let at = box; at.parent; at = at.parent) {
      const {places, left, top} = at.parent.layout;
      x += places[at.index].x + left;
      y += places[at.index].y + top;
    }
    return {x, y};
  }

  /** The box in which a box is seen: itself, or the outermost module around it that is closed. */
  shownOf(box) {
    let shown = box;
    for (let at = box; at.parent; at = at.parent) if (!at.parent.open) shown = at.parent;
    return shown;
  }

  toggle(box) {
    const before = this.placeOf(box);
    box.open = !box.open;
    forgetLayout(box);
    this.active = box;
    this.changed(box, before);
    this.say(box);
  }

  setAll(open) {
    const visit = (box) => {
      if (box.children.length > 0 && box.parent) box.open = open;
      box.layout = null;
      box.children.forEach(visit);
    };
    visit(this.root);
    if (!open) this.active = this.shownOf(this.active);
  }

  openLevel() {
    const closed = [];
    const visit = (box) => {
      if (!box.open && box.children.length > 0) closed.push(box);
      else box.children.forEach(visit);
    };
    visit(this.root);
    for (const box of closed) {
      box.open = true;
      forgetLayout(box);
    }
  }

  /** Opens what is around a box and moves it into the middle. */
  reveal(box) {
    let opened = false;
    for (let at = box.parent; at; at = at.parent) {
      if (at.open) continue;
      at.open = opened = true;
      forgetLayout(at);
    }
    this.size = layOut(this.root, (one) => this.widthOf(one));
    this.centre(box, opened);
  }

  centre(box, always = false) {
    if (this.width === 0) return;
    const {x, y} = this.placeOf(box), size = box.open ? {width: 200, height: 60} : {width: this.widthOf(box), height: kBoxHeight};
    const middle = [this.x + (x + size.width / 2) * this.zoom, this.y + (y + size.height / 2) * this.zoom];
    const inSight = middle[0] > 40 && middle[0] < this.width - 40 && middle[1] > 30 && middle[1] < this.height - 30;
    if (inSight && this.zoom > 0.4 && !always) return this.render();
    this.zoom = Math.max(0.8, this.zoom);
    this.x = this.width / 2 - (x + size.width / 2) * this.zoom;
    this.y = this.height / 2 - (y + size.height / 2) * this.zoom;
    return this.render();
  }

  follow(table, row, from) {
    if (this.width === 0) return;
    if (table === this.table && row >= 0 && from !== this && this.boxes[row]) {
      this.active = this.shownOf(this.boxes[row]);
      this.centre(this.active);
    } else {
      this.render();
    }
  }

  act(box) {
    this.active = box;
    if (box.row < 0) return this.toggle(box);
    if (this.selection.isChosen(this.table, box.row)) this.selection.clear();
    else this.selection.choose(this.table, box.row, this);
    return this.say(box);
  }

  say(box, before = "") {
    this.status.textContent = `${before}${box.path || box.name}: ` +
      (box.row < 0 ? `module of ${box.layers} layers, ${box.open ? "open" : "closed"}` : this.label(box)) +
      `, ${this.table.title(this.column)} ${this.figureOf(box)}`;
  }

  find(search, next) {
    const words = wordsOf(search);
    if (words.length === 0) {
      this.status.textContent = "";
      return;
    }
    if (!next || this.sought !== search) {
      this.found = this.boxes.filter((box) => box && matches(this.table, box.row, words));
      [this.sought, this.foundAt] = [search, -1];
    }
    if (this.found.length === 0 || !next) {
      this.status.textContent = `${this.found.length} layers match` + (this.found.length > 0 ? "; Enter shows the first" : "");
      return;
    }
    this.foundAt = (this.foundAt + 1) % this.found.length;
    const box = this.found[this.foundAt];
    this.active = box;
    this.reveal(box);
    this.selection.choose(this.table, box.row, this);
    this.say(box, `${this.foundAt + 1} of ${this.found.length}: `);
  }
}
