// One line for each row: a number with its interval, such as a latency or a speedup.

const kMostLines = 40;
const kFar = 50;  // times as long as the shortest: the axis has powers of ten

class IntervalChart extends Chart {
  /**
   * `column` has the numbers, `label` names a row, `beside` are columns that are marked, too, and
   * `lines` are values that all are compared with: [value, name]. `spread` names lists of single runs.
   * With a `whole`, numbers are shown as shares of it.
   */
  constructor({title, about, table, selection, column, label, beside = [], lines = [], sortBy = null,
               spread = "", whole = 0}) {
    let order = table.rows.map((cells, row) => row).filter((row) => table.number(row, column) !== null);
    if (sortBy) order.sort((a, b) => table.number(b, sortBy) - table.number(a, sortBy));
    const left = order.length - kMostLines;
    order = order.slice(0, kMostLines);
    super({title, table, order, selection,
           about: about + (left > 0 ? ` ${left} more rows are in the table.` : "")});
    Object.assign(this, {column, named: label, beside, lines, spread, whole, unit: table.unit(column)});
    this.picture.addEventListener("click", (event) => {
      const y = event.clientY - this.picture.getBoundingClientRect().top;
      this.choose(Math.floor((y - this.top) / this.high));
    });
  }

  key(event) {
    const keys = {ArrowDown: "ArrowRight", ArrowUp: "ArrowLeft"};
    super.key({key: keys[event.key] || event.key, preventDefault: () => event.preventDefault()});
  }

  ends(row) {
    const cell = this.table.cell(row, this.column);
    return cell !== null && typeof cell === "object" && typeof cell.l === "number" &&
           typeof cell.h === "number" ? [cell.l, cell.h] : null;
  }

  most() {
    let most = this.lines.reduce((all, [value]) => Math.max(all, value), 0);
    for (const row of this.order) {
      most = Math.max(most, this.table.number(row, this.column), (this.ends(row) || [0, 0])[1]);
      for (const [name] of this.beside) most = Math.max(most, this.table.number(row, name) || 0);
      most = Math.max(most, ...this.runs(row));
    }
    return most;
  }

  /** Of all that is drawn. */
  least() {
    return this.order.reduce((least, row) => Math.min(
      least, this.table.number(row, this.column), ...(this.ends(row) || []), ...this.runs(row),
      ...this.beside.map(([name]) => this.table.number(row, name)).filter((one) => one !== null)), Infinity);
  }

  /** Single runs that are drawn: one that took very long would leave no room for the others. */
  runs(row) {
    const most = 2 * this.table.number(row, this.column);
    return this.table.list(row, this.spread).filter((run) => run <= most);
  }

  paint(width) {
    this.high = this.spread ? 32 : 24;
    this.top = 20;
    const labels = this.order.map((row) => this.named(row));
    const narrow = width < 560;
    this.left = Math.min(width * (narrow ? 0.3 : 0.4), labels.reduce((most, one) => Math.max(most, textWidth(one)), 40) + 14);
    this.isSkewed = this.order.some((row) => this.skew(row));
    this.right = width - (narrow ? 84 : this.isSkewed ? 200 : 150);
    this.short = narrow;  // without what is after the sign of an interval, which the table has
    this.bottom = this.top + this.high * this.order.length;
    const most = this.most(), least = this.least();
    const powers = this.unit === "seconds" && least > 0 && most > kFar * least;
    const ticks = powers ? logTicks(least, most)
                         : linearTicks(most / this.part(), this.unit, this.right - this.left > 500 ? 6 : 3)
                             .map((tick) => tick * this.part());
    const end = Math.max(most, ticks[ticks.length - 1]);
    this.start = powers ? ticks[0] : 0;
    this.x = powers ? logScale(ticks[0], end, this.left, this.right)
                    : linearScale(0, end, this.left, this.right);
    const isTight = (this.right - this.left) / ticks.length < 55;  // every other one has a name
    ticks.forEach((tick, i) => this.picture.append(
      draw("line", {x1: this.x(tick), x2: this.x(tick), y1: this.top, y2: this.bottom, class: "tick"}),
      this.text(this.x(tick), this.bottom + 16, isTight && i % 2 === 1 ? "" : this.tick(tick),
                {"text-anchor": "middle", class: "soft"})));
    for (const [value, name] of this.lines)
      this.picture.append(
        draw("line", {x1: this.x(value), x2: this.x(value), y1: this.top, y2: this.bottom, class: "mark"}),
        this.text(this.x(value), this.top - 5, name, {"text-anchor": "middle", class: "soft"}));
    this.marks = draw("g");
    this.picture.append(this.marks);
    this.order.forEach((row, index) => this.paintLine(row, index, labels[index]));
    return this.bottom + 24;
  }

  /** What numbers are divided by. */
  part() {
    return this.whole > 0 ? this.whole / 100 : 1;
  }

  tick(value) {
    return this.whole > 0 ? `${Math.round(value / this.part())} %` : tickText(value, this.unit);
  }

  text(x, y, words, given) {
    return draw("text", {x, y, ...given}, words);
  }

  paintLine(row, index, label) {
    const y = this.top + (index + 0.5) * this.high;
    const value = this.table.number(row, this.column), ends = this.ends(row);
    this.picture.append(this.text(this.left - 8, y + 4, shortened(label, this.left - 10),
                                  {"text-anchor": "end"}));
    for (const [name, title] of this.beside) {
      const other = this.table.number(row, name);
      if (other !== null)
        this.picture.append(draw("path", {d: `M${this.x(other)} ${y - 5}v10`, class: "beside"},
                                 draw("title", {}, `${title} ${numberText(other, this.unit, false)}`)));
    }
    // Each run a short line, so that where many are is dark.
    const runs = this.runs(row).map((run) => `M${this.x(run).toFixed(1)} ${y - 13}v7`);
    if (runs.length > 0) this.picture.append(draw("path", {d: runs.join(""), class: "runs"}));
    if (ends)
      this.picture.append(draw("path", {d: `M${this.x(Math.max(this.start, ends[0]))} ${y}H${this.x(ends[1])}`,
                                        class: "interval"}));
    else
      this.picture.append(draw("path", {d: `M${this.x(this.start)} ${y}H${this.x(value)}`, class: "thin"}));
    this.picture.append(draw("circle", {cx: this.x(value), cy: y, r: 5, class: "bars"}),
                        this.text(this.right + 10, y + 4,
                                  this.number(value) + (ends && !this.short ? this.spreadText(row, ends) : ""), {}));
  }

  /** True if a value is far from the middle of its interval. */
  skew(row) {
    const value = this.table.number(row, this.column), ends = this.ends(row);
    return ends !== null && Math.abs(ends[0] + ends[1] - 2 * value) > 0.2 * (ends[1] - ends[0]);
  }

  spreadText(row, [low, high]) {
    return this.isSkewed ? ` [${this.number(low)}, ${this.number(high)}]` : ` ±${this.number((high - low) / 2)}`;
  }

  /** Three digits: an interval says how many more would mean nothing. */
  number(value) {
    if (this.whole > 0) return `${general(Number((value / this.part()).toPrecision(2)))} %`;
    return this.unit === "number" ? general(Number(value.toPrecision(3)))
                                  : numberText(value, this.unit, false);
  }

  mark() {
    const index = this.chosen();
    this.marks.replaceChildren();
    if (index >= 0)
      this.marks.append(draw("rect", {x: 0, y: this.top + index * this.high, width: this.width,
                                      height: this.high, class: "chosen"}));
  }
}

function benchCharts(doc, selection) {
  const table = doc.tables.find((one) => one.has("median_s"));
  if (!table) return [];
  const models = new Set(table.rows.map((cells, row) => table.text(row, "model")));
  const varying = ["backend", "precision", "threads", "batch", "shape"].filter((name) =>
    name === "backend" || new Set(table.rows.map((cells, row) => table.text(row, name))).size > 1);
  if (models.size > 1) varying.unshift("model");
  const worded = {threads: (text) => `${text} thread${text === "1" ? "" : "s"}`,
                  batch: (text) => `batch ${text}`};
  const label = (row) => varying.map((name) => [name, table.text(row, name)])
    .filter(([, text]) => text !== "?")
    .map(([name, text]) => worded[name] ? worded[name](text) : text).join(" ");
  const common = {table, selection, label};
  return [
    new IntervalChart({...common, title: "Speedup", column: "speed_up", lines: [[1, "base"]],
                       about: "How many times as fast as the base, with 95 % intervals. An interval " +
                              "that crosses the line at 1 means that there is no significant difference."}),
    new IntervalChart({...common, title: "Latency", column: "median_s", spread: "spread_s",
                       beside: [["min_s", "least"], ["p90_s", "90th percentile"],
                                ["p99_s", "99th percentile"]],
                       about: "Dots are medians, thick lines their 95 % intervals; ticks are the least, " +
                              "the 90th and, with enough runs, the 99th percentile. Thin lines above are " +
                              "single runs, a hundred at most, evenly spaced in their order; those of more " +
                              "than twice the median are not drawn."}),
  ].filter((chart) => chart.order.length > 0);
}

function predictionCharts(doc, selection) {
  const kernels = doc.table("kernels"), batches = doc.table("batches"), devices = doc.table("devices"), charts = [];
  if (kernels && kernels.rows.length > 1) charts.push(predictedAlong(kernels, selection));
  const latency = (table, title, label, about) => new IntervalChart({table, selection, title, column: "latency", label, about});
  if (devices && devices.rows.length > 1)
    charts.push(latency(devices, "Latency by device", (row) => ["device", "precision"].map((name) => devices.text(row, name)).join(" "),
                        "Dots are predicted latencies, thick lines the likely intervals."));
  if (batches && batches.rows.length > 1)
    charts.push(latency(batches, "Latency by batch", (row) => `batch ${batches.text(row, "batch")}`,
                        "Dots are predicted latencies of a whole batch, thick lines the likely intervals."));
  return charts;
}

/** [value, name] of what was measured of the whole network, where it is a number. */
function wholeLine(whole, name, title) {
  return whole && typeof whole[name] === "number" && Number.isFinite(whole[name])
    ? [[whole[name], title]] : [];
}

function sensitivityCharts(doc, selection) {
  const table = doc.table("layers"), {baseline, joint, unit} = doc.facts;
  if (!table || !table.has("drop")) return [];
  const common = {table, selection, sortBy: "drop", label: (row) => table.nameOf(row)};
  const charts = [
    new IntervalChart({...common, title: "Loss by layer", column: "drop",
                       lines: wholeLine(joint, "drop", "all at once"), whole: joint && joint.drop > 0 ? joint.drop : 0,
                       about: "How much quality is lost if one layer alone is quantized" +
                              (joint && joint.drop > 0 ? ", as a share of what all at once lose" : "") +
                              ", most first. The layers at the top are worth keeping in float."}),
    new IntervalChart({...common, title: "Quality by layer", column: "value",
                       lines: [...wholeLine(baseline, "value", "baseline"),
                               ...wholeLine(joint, "value", "all at once")],
                       about: `The quality with one layer quantized${unit ? `, in ${unit}` : ""}, with ` +
                              "95 % intervals over the samples, the worst first."}),
  ].filter((chart) => chart.order.length > 0);
  // Decibels say more than shares of an error.
  return unit === "dB" ? charts.reverse() : charts;
}

for (const kind of ["bench", "sweep", "optimization"]) kCharts[kind] = benchCharts;
kCharts.sensitivity = sensitivityCharts;
kCharts.prediction = predictionCharts;
