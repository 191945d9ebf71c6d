// The cost of every layer, in running order: one panel a figure, all on one axis, so that one sees
// where a network is fat in parameters and where in memory.

const kPanels = [["params", "Parameters"], ["activation", "Activations"], ["macs", "MACs"],
                 ["mem", "Bytes moved"], ["energy", "Energy"], ["time", "Time"]];

/** A number of every layer; `total` is what all of them are together, or null. */
function panelOf(name, title, numbers, unit, total) {
  return {name, title, numbers, unit, total,
          most: numbers.reduce((most, one) => Math.max(most, one || 0), 0),
          least: numbers.reduce((least, one) => Math.min(least, one || 0), 0),
          unknown: numbers.every((number) => !number) && numbers.some((number) => number === null)};
}

class AlongChart extends Chart {
  /** `paths` are those of modules, one for each row of `order`. */
  constructor({title, about, table, order, selection, panels, paths, legend = []}) {
    super({title, about, table, order, selection});
    this.tools.append(make("div", {class: "legend"}, kindLegend(legend)));
    this.names = this.order.map((row) => table.nameOf(row));
    this.panels = panels.filter((panel) => panel.most > 0 || panel.least < 0);
    const open = panels.filter((panel) => panel.unknown).map((panel) => panel.title.toLowerCase());
    if (open.length > 0)
      this.caption.append(` Not drawn, because they are formulas or unknown: ${open.join(", ")}.`);
    if (this.panels.some((panel) => panel.numbers.includes(null)))
      this.caption.append(" A dotted line below a panel is where a number is not known.");
    this.groups = stagesOf(paths);
    this.outer = outerRuns(this.groups.stages);
    this.hovered = -1;
    this.picture.addEventListener("pointermove", (event) => this.hover(this.at(event)));
    this.picture.addEventListener("pointerleave", () => this.hover(-1));
    this.picture.addEventListener("click", (event) => this.choose(this.at(event)));
  }

  at(event) {
    const x = event.clientX - this.picture.getBoundingClientRect().left;
    const index = Math.floor((x - this.left) / this.step);
    return index >= 0 && index < this.order.length ? index : -1;
  }

  hover(index) {
    if (index === this.hovered) return;
    this.hovered = index;
    this.mark();
  }

  paint(width) {
    this.left = 74;
    this.right = width - 8;
    this.step = (this.right - this.left) / this.order.length;
    const top = this.outer.length > 0 ? 70 : 56, high = 78, gap = 20;
    this.top = top;
    this.bottom = top + this.panels.length * (high + gap) - gap;
    this.paintStages();
    this.panels.forEach((panel, index) => this.paintPanel(panel, top + index * (high + gap) + 14,
                                                          high - 14));
    this.marks = draw("g", {class: "marks"});
    this.heading = draw("text", {x: this.left, y: 12, class: "strong"});
    this.picture.append(this.marks, this.heading);
    return this.bottom + 6;
  }

  paintStages() {
    const {stages, blocks} = this.groups;
    stages.forEach((stage, index) => {
      this.picture.append(draw("rect", {
        x: this.left + stage.from * this.step, y: this.top - 34,
        width: (stage.to - stage.from) * this.step, height: this.bottom - this.top + 34,
        class: index % 2 === 0 ? "band" : "band other"}));
    });
    const inner = blocks.filter((block) => block.to - block.from > 1);
    if (inner.length * 6 < this.right - this.left)
      this.picture.append(draw("path", {class: "blocks", d: inner.map((block) =>
        `M${(this.left + block.from * this.step).toFixed(1)} ${this.top - 12}V${this.bottom}`).join("")}));
    this.paintNames(stages, this.top - 23, this.outer.length > 0 ? kNames.slice(2) : kNames);
    this.paintNames(this.outer, this.top - 37, kNames.slice(0, 1));
    // A stage of one block needs no second name.
    const beside = (block) => stages.some((stage) => stage.from <= block.from && block.to <= stage.to &&
                                                     (stage.from < block.from || block.to < stage.to) &&
                                                     this.several(stage, inner));
    this.paintNames(inner.filter(beside), this.top - 9, kNames.slice(1));
  }

  several(stage, blocks) {
    return blocks.filter((block) => stage.from <= block.from && block.to <= stage.to).length > 1;
  }

  /** The longest kind of name that fits everywhere; else the shortest, where it fits. */
  paintNames(runs, y, kinds) {
    const wide = (run) => (run.to - run.from) * this.step - 2;
    const large = runs.filter((run) => run.to - run.from > 1);
    const nameOf = kinds.find((kind) => large.every((run) => textWidth(kind(run.name)) < wide(run))) ||
                   kinds[kinds.length - 1];
    for (const run of runs) {
      const text = nameOf(run.name);
      if (textWidth(text) < wide(run))
        this.picture.append(this.label(this.left + (run.from + run.to) / 2 * this.step, y, text,
                                       {class: "soft", "text-anchor": "middle"}));
    }
  }

  paintPanel(panel, top, height) {
    const bottom = top + height, ticks = linearTicks(panel.most, panel.unit, 2);
    const y = linearScale(0, Math.max(panel.most, ticks[ticks.length - 1]), bottom, top);
    for (const tick of ticks)
      this.picture.append(
        draw("line", {x1: this.left, x2: this.right, y1: y(tick), y2: y(tick), class: "tick"}),
        this.label(this.left - 6, y(tick) + 4, tickText(tick, panel.unit),
                   {"text-anchor": "end", class: "soft"}));
    this.kindNumbers(panel).forEach((numbers, kind) => {
      const bars = this.bars(numbers, y, bottom);
      if (bars !== "") this.picture.append(draw("path", {d: bars, class: `kind${kind}`}));
    });
    this.picture.append(draw("path", {d: this.unknown(panel.numbers, bottom + 3), class: "unknown"}));
    panel.says = draw("text", {x: this.left, y: top - 5});
    panel.y = y;
    panel.bottom = bottom;
    this.picture.append(panel.says);
  }

  merged() {
    return Math.max(1, Math.ceil(1.2 / this.step));
  }

  /** The numbers by the colour of their layers; of layers that share a pixel, the largest. */
  kindNumbers(panel) {
    const kinds = kindsOf(this.table), all = Array.from({length: kTypeColours + 1}, () => []), merged = this.merged();
    for (let from = 0; from < panel.numbers.length; from += merged) {
      let best = from;
      for (let i = from; i < Math.min(from + merged, panel.numbers.length); ++i)
        if ((panel.numbers[i] || 0) > (panel.numbers[best] || 0)) best = i;
      all[kinds.of(this.order[best])][from] = panel.numbers[best];
    }
    return all;
  }

  /** One path. Where a pixel stands for several layers, it shows the largest. */
  bars(numbers, y, bottom) {
    const merged = this.merged();
    const wide = Math.max(0.8, this.step * merged - (this.step > 4 ? 1 : 0));
    const pieces = [];
    for (let from = 0; from < numbers.length; from += merged) {
      let most = 0;
      for (let i = from; i < Math.min(from + merged, numbers.length); ++i)
        most = Math.max(most, numbers[i] || 0);
      if (most > 0)
        pieces.push(`M${(this.left + from * this.step).toFixed(1)} ${bottom}` +
                    `V${y(most).toFixed(1)}h${wide.toFixed(2)}V${bottom}z`);
    }
    return pieces.join("");
  }

  /** A line below those whose number is not known: no bar means 0. */
  unknown(numbers, y) {
    return numbers.map((number, i) => number === null
      ? `M${(this.left + i * this.step).toFixed(1)} ${y}h${this.step.toFixed(2)}` : "").join("");
  }

  mark() {
    const index = this.hovered >= 0 ? this.hovered : this.chosen();
    this.marks.replaceChildren();
    for (const [at, kind] of [[this.hovered, "hovered"], [this.chosen(), "chosen"]]) {
      if (at < 0) continue;
      const x = this.left + at * this.step, wide = Math.max(2, this.step);
      this.marks.append(draw("rect", {x: x - 1, y: this.top, width: wide + 2,
                                      height: this.bottom - this.top, class: kind}));
      for (const panel of this.panels) {
        const number = panel.numbers[at];
        const ends = [panel.y(number || 0), panel.y(0)];
        if (number)
          this.marks.append(draw("rect", {x, y: Math.min(...ends), width: Math.max(2, wide - 1),
                                          height: Math.abs(ends[0] - ends[1]), class: "own"}));
      }
    }
    this.heading.textContent = index < 0 ? "" : `${index + 1} of ${this.order.length}: ` +
      shortened(this.names[index] + "  " + this.table.text(this.order[index], "type"),
                this.right - this.left - 100);
    for (const panel of this.panels) panel.says.textContent = this.words(panel, index);
  }

  words(panel, index) {
    const text = (number) => numberText(number, panel.unit, false);
    if (index < 0)
      return panel.total === null ? panel.title : `${panel.title}, ${text(panel.total)} in all`;
    const number = panel.numbers[index];
    if (number === null) return `${panel.title}: ?`;
    return `${panel.title}: ${text(number)}` +
           (panel.total ? ` (${shareText(number / panel.total)})` : "");
  }
}

/** Time, work and bytes of every kernel that is predicted. */
function predictedAlong(table, selection) {
  const order = leavesOf(table);
  const panels = [["time", "Time"], ["macs", "MACs"], ["bytes", "Bytes moved"]].filter(([name]) => table.has(name));
  const sum = (numbers) => numbers.reduce((all, one) => all + (one || 0), 0);
  return new AlongChart({
    title: "Along the network", table, order, selection, paths: pathsOf(table), legend: kindsOf(table).names,
    about: "Every kernel in running order, from left to right, with the time that is predicted for it. Bands are the " +
           "stages of the module path.",
    panels: panels.map(([name, title]) => {
      const numbers = order.map((row) => table.number(row, name));
      return panelOf(name, title, numbers, table.unit(name), sum(numbers));
    })});
}

/** Of a profile: `names` are columns, of which those are shown that it has. */
function profileAlong(table, selection, names) {
  const order = leavesOf(table);
  return new AlongChart({
    title: "Along the network", table, order, selection, paths: pathsOf(table),
    about: "Every layer in running order, from left to right. Bands are the stages and lines " +
           "the blocks of the module path. Arrow keys move from layer to layer.",
    legend: kindsOf(table).names,
    panels: kPanels.filter(([name]) => names.includes(name) && table.has(name))
      .map(([name, title]) => panelOf(name, title, order.map((row) => partOf(table.cell(row, name))),
                                      table.unit(name), table.total(name)))});
}
