// Every layer as a dot below what the machine allows: operations per second over operations per
// byte, both by powers of ten. The larger the dot, the more time.

const kMostDots = 1500;

class RooflineChart extends Chart {
  constructor(table, selection, roofline) {
    const order = leavesOf(table).filter((row) => table.number(row, "flops_per_s") > 0 &&
                                                  table.number(row, "intensity") > 0);
    super({title: "Roofline", table, order, selection,
           about: "Layers below the sloping roof wait for memory, those below the flat one compute, and " +
                  "those above the slope find their data in a cache. " +
                  "The area of a dot is the layer's time; a dot far below the roof could be faster."});
    this.roofline = roofline;
    this.tools.append(make("div", {class: "legend"}, kindLegend(kindsOf(table).names)));
    this.picture.addEventListener("click", (event) => {
      const row = event.target.getAttribute && event.target.getAttribute("data-row");
      if (row) this.choose(this.place.get(Number(row)));
    });
  }

  paint(width) {
    const xs = this.order.map((row) => this.table.number(row, "intensity"));
    const ys = this.order.map((row) => this.table.number(row, "flops_per_s"));
    const {flops_per_s: peak, bytes_per_s: speed} = this.roofline;
    const least = (list) => list.reduce((a, b) => Math.min(a, b), Infinity);
    const most = (list) => list.reduce((a, b) => Math.max(a, b), 0);
    const ridge = peak / speed;
    const left = 74, right = width - 14, top = 16, bottom = 320;
    const xTicks = logTicks(least([...xs, ridge]), most([...xs, ridge]) * 1.01);
    const yTicks = logTicks(least(ys), most([...ys, peak]) * 1.01);
    this.x = logScale(xTicks[0], xTicks[xTicks.length - 1], left, right);
    this.y = logScale(yTicks[0], yTicks[yTicks.length - 1], bottom, top);
    for (const tick of yTicks)
      this.picture.append(
        draw("line", {x1: left, x2: right, y1: this.y(tick), y2: this.y(tick), class: "tick"}),
        this.label(left - 6, this.y(tick) + 4, tickText(tick, "flops_per_second"),
                   {"text-anchor": "end", class: "soft"}));
    for (const tick of xTicks)
      this.picture.append(
        draw("line", {x1: this.x(tick), x2: this.x(tick), y1: top, y2: bottom, class: "tick"}),
        this.label(this.x(tick), bottom + 16, tickText(tick, "count"),
                   {"text-anchor": "middle", class: "soft"}));
    this.picture.append(this.label(right, bottom + 32, "FLOPs per byte moved", {"text-anchor": "end"}),
                        this.label(left, top - 5, "FLOP/s"));
    this.paintRoof(peak, speed, xTicks, yTicks);
    this.paintDots(xs, ys);
    this.marks = draw("g");
    this.picture.append(this.marks);
    return bottom + 38;
  }

  paintRoof(peak, speed, xTicks, yTicks) {
    const from = Math.max(xTicks[0], yTicks[0] / speed), to = xTicks[xTicks.length - 1];
    const ridge = peak / speed;
    const slope = this.x(Math.sqrt(from * ridge)), onLeft = slope > this.x(to) - 100;
    this.picture.append(
      draw("path", {d: `M${this.x(from)} ${this.y(from * speed)}L${this.x(ridge)} ${this.y(peak)}` +
                       `H${this.x(to)}`, class: "line"}),
      this.label(this.x(to) - 4, this.y(peak) - 6, `${numberText(peak, "count", false)}FLOP/s`,
                 {"text-anchor": "end"}),
      this.label(slope + (onLeft ? -10 : 10),
                 Math.min(this.y(yTicks[0]) - 6, this.y(Math.sqrt(from * ridge) * speed) + (onLeft ? -6 : 16)),
                 `${numberText(speed, "bytes", false)}/s`, {"text-anchor": onLeft ? "end" : "start"}));
  }

  paintDots(xs, ys) {
    const times = this.order.map((row) => this.table.number(row, "time") || 0);
    const most = times.reduce((a, b) => Math.max(a, b), 0) || 1;
    const places = times.map((time, i) => i).sort((a, b) => times[b] - times[a]).slice(0, kMostDots);
    this.radius = (i) => 3 + 9 * Math.sqrt(times[i] / most);
    this.centre = (i) => [this.x(xs[i]), this.y(ys[i])];
    for (const i of places) {
      const row = this.order[i], [cx, cy] = this.centre(i);
      this.picture.append(draw("circle", {cx, cy, r: this.radius(i), class: `dot kind${kindsOf(this.table).of(row)}`, "data-row": row},
                               draw("title", {}, `${this.table.nameOf(row)}: ` +
                                    `${this.table.text(row, "time")}, ` +
                                    `${this.table.text(row, "flops_per_s")}FLOP/s`)));
    }
  }

  mark() {
    const index = this.chosen();
    this.marks.replaceChildren();
    if (index < 0) return;
    const [cx, cy] = this.centre(index);
    this.marks.append(draw("circle", {cx, cy, r: this.radius(index) + 2, class: "own"}),
                      this.label(cx + this.radius(index) + 6, cy + 4,
                                 shortened(this.table.nameOf(this.order[index]), 260),
                                 {class: "strong"}));
  }
}
