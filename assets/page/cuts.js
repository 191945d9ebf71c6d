// Bytes that cross where a network is cut, and the best cut for a link.

/** Bytes in running order; `columns` are up to three of them. The least is marked. */
class BytesChart extends Chart {
  /** `cut` is the place in `order` behind which the best division is; -1: there is none. */
  constructor({title, about, table, order, selection, columns, cut = -1}) {
    super({title, about, table, order, selection});
    this.cut = cut;
    this.series = columns.map((name, i) => [name, `line${i}`]).filter(([name]) =>
      table.has(name) && this.order.some((row) => table.number(row, name) > 0));
    this.picture.addEventListener("click", (event) => {
      const x = event.clientX - this.picture.getBoundingClientRect().left;
      this.choose(Math.floor((x - this.left) / this.step));
    });
  }

  paint(width) {
    this.left = 74;
    this.right = width - 8;
    this.step = (this.right - this.left) / this.order.length;
    [this.top, this.bottom] = [30, 220];
    const raw = this.order.map((row) => this.table.number(row, this.series[0][0]) || 0);
    const ticks = linearTicks(Math.max(...raw), "bytes", 4);
    this.y = linearScale(0, Math.max(ticks[ticks.length - 1], ...raw), this.bottom, this.top);
    for (const tick of ticks)
      this.picture.append(
        draw("line", {x1: this.left, x2: this.right, y1: this.y(tick), y2: this.y(tick), class: "tick"}),
        this.label(this.left - 6, this.y(tick) + 4, tickText(tick, "bytes"),
                   {"text-anchor": "end", class: "soft"}));
    this.series.forEach(([name, kind], index) => {
      this.picture.append(draw("path", {d: this.stairs(name), class: `stairs ${kind}`}),
                          draw("path", {d: `M${this.left + 90 * index} 8h18`, class: `stairs ${kind}`}),
                          this.label(this.left + 90 * index + 24, 12, this.table.title(name)));
    });
    this.paintCut();
    this.paintPlace(raw);
    this.marks = draw("g");
    this.picture.append(this.marks);
    return this.bottom + (this.cut < 0 ? 6 : 40);
  }

  stairs(name) {
    let path = "";
    this.order.forEach((row, i) => {
      const y = this.y(this.table.number(row, name) || 0).toFixed(1);
      path += `${i === 0 ? `M${this.left} ${y}` : `V${y}`}H${(this.left + (i + 1) * this.step).toFixed(1)}`;
    });
    return path;
  }

  /** The network divided: what runs at the edge is to the left. */
  paintCut() {
    if (this.cut < 0) return;
    const x = this.left + (this.cut + 1) * this.step, y = this.bottom + 14;
    this.picture.append(
      draw("rect", {x: this.left, y: this.bottom + 4, width: x - this.left, height: 14, class: "kind0"}),
      draw("rect", {x, y: this.bottom + 4, width: Math.max(0, this.right - x), height: 14, class: "kind1"}),
      draw("path", {d: `M${x} ${this.top}V${this.bottom + 18}`, class: "mark"}),
      this.label(this.left, y + 18, `edge: ${this.cut + (this.table.nameOf(this.order[0]).startsWith("(") ? 0 : 1)} layers`, {}),
      this.label(this.right, y + 18, "server", {"text-anchor": "end"}));
  }

  /** Names the best cut, at the top of its line; without one, the place where the least crosses. */
  paintPlace(raw) {
    let place = this.cut;
    for (let i = 0; this.cut < 0 && i < raw.length; ++i)
      if (raw[i] > 0 && (place < 0 || raw[i] < raw[place])) place = i;
    if (place < 0) return;
    const name = this.table.nameOf(this.order[place]);
    const x = this.left + (place + (this.cut < 0 ? 0.5 : 1)) * this.step, onLeft = x > (this.left + this.right) / 2;
    const y = this.y(raw[place]);
    this.picture.append(
      draw("circle", {cx: x, cy: y, r: 4, class: "own"}),
      this.label(x + (onLeft ? -8 : 8), this.cut < 0 ? y - 8 : this.top + 12,
                 `${numberText(raw[place], "bytes", false)} ` +
                 (name ? `after ${shortened(name, 400)}` : "before the first layer"),
                 {class: "strong", "text-anchor": onLeft ? "end" : "start"}));
  }

  mark() {
    const index = this.chosen();
    this.marks.replaceChildren();
    if (index >= 0)
      this.marks.append(draw("rect", {x: this.left + index * this.step, y: this.top,
                                      width: Math.max(2, this.step), height: this.bottom - this.top,
                                      class: "chosen"}));
  }
}

/** Latency over the speed of the link, both by powers of ten. */
class LinkChart extends Chart {
  constructor(table, selection, split) {
    super({title: "Best cut by link", table, order: [], selection,
           about: "Latency over the speed of the link. Bands are where the same division is the best; the " +
                  "vertical line is the link that was asked for."});
    this.split = split;
  }

  paint(width) {
    const {curve, by_link: pieces, link_bytes_per_second: link} = this.split;
    const xs = curve.map((point) => 8 * point.link_bytes_per_second);  // bits
    const kinds = [["best_seconds", "line0", "best"], ["all_edge_seconds", "line1", "all on the edge"],
                   ["all_server_seconds", "line2", "all on the server"]];
    const ys = kinds.flatMap(([name]) => curve.map((point) => point[name]));
    const stacked = width < 520;  // the legend, one line below the other
    const left = 74, right = width - 14, top = stacked ? 72 : 44, bottom = top + 236;
    const legendX = (i) => stacked ? left : left + 150 * i, legendY = (i) => stacked ? 8 + 14 * i : 8;
    const yTicks = logTicks(Math.min(...ys), Math.max(...ys)), xTicks = logTicks(xs[0], xs[xs.length - 1]);
    const x = logScale(xs[0], xs[xs.length - 1], left, right);
    const y = logScale(yTicks[0], yTicks[yTicks.length - 1], bottom, top);
    pieces.forEach((piece, index) => {
      const from = Math.max(left, x(8 * piece.from_bytes_per_second));
      const to = piece.to_bytes_per_second > 0 ? Math.min(right, x(8 * piece.to_bytes_per_second))
                                               : right;
      if (!(to > from)) return;
      this.picture.append(
        draw("rect", {x: from, y: top - 22, width: to - from, height: bottom - top + 22,
                      class: index % 2 === 0 ? "band" : "band other"},
             draw("title", {}, piece.choice)),
        this.label((from + to) / 2, top - 8, shortened(piece.choice, to - from - 6),
                   {"text-anchor": "middle", class: "soft"}));
    });
    for (const tick of yTicks)
      this.picture.append(
        draw("line", {x1: left, x2: right, y1: y(tick), y2: y(tick), class: "tick"}),
        this.label(left - 6, y(tick) + 4, tickText(tick, "seconds"), {"text-anchor": "end", class: "soft"}));
    const speeds = xTicks.filter((one) => one >= xs[0] && one <= xs[xs.length - 1]);
    const isTight = (right - left) / speeds.length < 75;  // every other one has a name
    for (const tick of speeds.filter((one, i) => !isTight || i % 2 === 0))
      this.picture.append(this.label(x(tick), bottom + 16, tickText(tick, "count") + "bps",
                                     {"text-anchor": x(tick) > right - 30 ? "end" : "middle", class: "soft"}));
    kinds.forEach(([name, kind, title], index) => {
      const points = curve.map((point, i) => `${x(xs[i]).toFixed(1)} ${y(point[name]).toFixed(1)}`);
      this.picture.append(draw("path", {d: "M" + points.join("L"), class: `stairs ${kind}`}),
                          draw("path", {d: `M${legendX(index)} ${legendY(index)}h18`, class: `stairs ${kind}`}),
                          this.label(legendX(index) + 24, legendY(index) + 4, title));
    });
    let [level, end] = [0, 0];
    for (const {crossing, link_bytes_per_second: speed} of curve) {
      if (!crossing) continue;
      const at = x(8 * speed), text = numberText(8 * speed, "count", false) + "bps";
      const wide = 7 * text.length, onLeft = at + 4 + wide > right;
      level = at - (onLeft ? wide + 4 : 0) < end ? level + 14 : 0;
      this.picture.append(
        draw("path", {d: `M${at} ${top}V${bottom}`, class: "tick"}),
        this.label(at + (onLeft ? -4 : 4), bottom - 5 - level, text,
                   {"text-anchor": onLeft ? "end" : "start"}));
      end = Math.max(end, at + (onLeft ? 0 : wide + 8));
    }
    if (8 * link >= xs[0] && 8 * link <= xs[xs.length - 1])
      this.picture.append(draw("path", {d: `M${x(8 * link)} ${top}V${bottom}`, class: "mark"}));
    return bottom + 24;
  }
}

/** What leaves each module that holds no other. */
function innermost(table) {
  const paths = new Set();
  for (let row = 0; row < table.rows.length; ++row) {
    const words = table.nameOf(row).split(".");
    for (let i = 1; i < words.length; ++i) paths.add(words.slice(0, i).join("."));
  }
  return table.rows.map((cells, row) => row).filter((row) => table.text(row, "direction") === "out" &&
    table.nameOf(row) !== "(network)" && !paths.has(table.nameOf(row)));
}

/** The row of the best division, if that is one cut: the last layer that runs at the edge. */
function bestCut(cuts, split) {
  const match = split && split.best && /^after (.*)$/.exec(split.best.choice);
  return match ? cuts.rows.findIndex((cells, row) => cells.length > 0 && cuts.text(row, "after") === match[1]) : -1;
}

function payloadCharts(doc, selection) {
  const cuts = doc.table("cuts"), boundaries = doc.table("boundaries"), split = doc.facts.split;
  const charts = [];
  if (boundaries)
    charts.push(new BytesChart({
      title: "Along the network", table: boundaries, order: innermost(boundaries), selection,
      columns: ["bytes"],
      about: "Bytes that leave each layer, from left to right. The mark is at the layer with the fewest."}));
  if (cuts)
    charts.push(new BytesChart({
      title: "Places to cut", table: cuts, order: cuts.rows.map((cells, row) => row), selection,
      columns: ["raw", "fp16", "int8"], cut: bestCut(cuts, split),
      about: "Bytes that cross if the network is cut after each layer, from left to right. The mark is at the " +
             (bestCut(cuts, split) >= 0 ? "best cut for the link, with the parts that run on each machine below."
                                        : "place at which the fewest bytes cross.")}));
  const drawn = charts.filter((chart) => chart.order.length > 1 && chart.series.length > 0);
  if (split && split.curve.length > 1)
    drawn.push(new LinkChart(cuts || doc.tables[0] || null, selection, split));
  return drawn;
}

kCharts.payload = payloadCharts;
