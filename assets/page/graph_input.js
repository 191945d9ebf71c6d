// Keyboard, mouse and touch in the graph.

Object.assign(GraphView.prototype, {
  /** Boxes in sight, as the keyboard goes through them. */
  walk() {
    const list = [];
    const visit = (box) => {
      for (const child of box.children) {
        list.push(child);
        if (child.open) visit(child);
      }
    };
    visit(this.root);
    return list;
  },

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const zooms = {"+": 1.25, "=": 1.25, "-": 0.8};
    const box = this.active, steps = {ArrowDown: 1, ArrowUp: -1, Home: -1e9, End: 1e9};
    if (event.key in zooms) this.zoomBy(zooms[event.key]);
    else if (event.key === "0") this.showAll();
    else if (event.key === "Enter" || event.key === " ") this.act(box);
    else if (event.key === "ArrowRight" && box.row < 0) box.open ? this.go(box.children[0]) : this.toggle(box);
    else if (event.key === "ArrowLeft" && box.open) this.toggle(box);
    else if (event.key === "ArrowLeft" && box.parent.parent) this.go(box.parent);
    else if (event.key in steps) {
      const list = this.walk(), at = list.indexOf(box);
      this.go(list[Math.min(list.length - 1, Math.max(0, at + steps[event.key]))]);
    } else return;
    event.preventDefault();
  },

  go(box) {
    this.active = box;
    this.centre(box);
    this.say(box);
  },

  /** The page scrolls as anywhere, unless a key says that the graph is meant. */
  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    const box = this.picture.getBoundingClientRect();
    this.zoomBy(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.002)), event.clientX - box.left,
                event.clientY - box.top);
    event.preventDefault();
  },

  listenToPointers() {
    const fingers = new Map();
    let moved = 0, spread = 0;
    const between = () => {
      const [a, b] = [...fingers.values()];
      return {x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, wide: Math.hypot(a.x - b.x, a.y - b.y)};
    };
    const lift = (event) => fingers.delete(event.pointerId);
    this.picture.addEventListener("pointerdown", (event) => {
      if (fingers.size === 0) moved = 0;
      fingers.set(event.pointerId, {x: event.clientX, y: event.clientY});
      if (fingers.size === 2) spread = between().wide;
    });
    this.picture.addEventListener("pointermove", (event) => {
      const last = fingers.get(event.pointerId);
      if (!last) return;
      const dx = event.clientX - last.x, dy = event.clientY - last.y;
      moved += Math.abs(dx) + Math.abs(dy);
      fingers.set(event.pointerId, {x: event.clientX, y: event.clientY});
      if (moved < 5) return;
      if (!this.picture.hasPointerCapture(event.pointerId)) this.picture.setPointerCapture(event.pointerId);
      this.x += dx / fingers.size;
      this.y += dy / fingers.size;
      if (fingers.size === 2) {
        const {x, y, wide} = between(), box = this.picture.getBoundingClientRect();
        this.zoomBy(wide / spread, x - box.left, y - box.top);
        spread = wide;
      }
      this.soon();
    });
    // Not a click, which is lost if the graph is drawn again between its two halves.
    this.picture.addEventListener("pointerup", (event) => {
      const was = lift(event);
      const on = was && event.button === 0 && moved < 5 && document.elementFromPoint(event.clientX, event.clientY);
      const at = on && on.closest("[data-box]");
      if (at && fingers.size === 0) this.act(this.shown[Number(at.getAttribute("data-box"))]);
    });
    this.picture.addEventListener("pointercancel", lift);
  },
});
