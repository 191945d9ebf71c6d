// Scales, and what the charts share.

const kCharts = {};  // by kind of document: what makes its charts; scripts of a kind add theirs

/** Round steps from 0 to at least `most`; bytes in powers of two. */
function linearTicks(most, unit, count) {
  if (!(most > 0)) return [0];
  const base = unit === "bytes" ? 2 ** Math.floor(Math.log2(most / count))
                                : 10 ** Math.floor(Math.log10(most / count));
  const steps = unit === "bytes" ? [1, 2, 4] : [1, 2, 5, 10];
  const step = base * steps.find((one) => most / (base * one) <= count + 1e-9);
  const ticks = [];
  for (let at = 0; at < most + step * 0.999; at += step) ticks.push(at);
  return ticks;
}

/** Powers of ten around an interval. */
function logTicks(low, high) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
    ticks.push(10 ** power);
  return ticks;
}

/** `1.5 M`, not `1.500 M`. */
function tickText(number, unit) {
  return numberText(number, unit, false).replace(/(\.\d*?)0+(?=\s|$)/, "$1").replace(/\.(?=\s|$)/, "");
}

/** Maps [from, to] to pixels. */
function linearScale(from, to, start, end) {
  return (value) => start + (value - from) / (to - from || 1) * (end - start);
}

function logScale(from, to, start, end) {
  const inner = linearScale(Math.log10(from), Math.log10(to), start, end);
  return (value) => inner(Math.log10(value));
}

/** About how wide a text is, in pixels of charts. */
function textWidth(text) {
  return 6.3 * text.length;
}

/** The end of a name, which tells more than its beginning. */
function shortened(text, pixels) {
  const most = Math.floor(pixels / 6.3);
  if (text.length <= most) return text;
  return most < 4 ? "" : "…" + text.slice(text.length - most + 1);
}

/**
 * A drawing with a caption that fits the width of the page and is drawn again when that changes.
 * The keyboard moves the choice along `order`, a list of rows.
 */
class Chart {
  constructor({title, about, table, order, selection}) {
    Object.assign(this, {table, order, selection});
    this.place = new Map(order.map((row, index) => [row, index]));
    this.picture = draw("svg", {role: "img", "aria-label": about, tabindex: 0, class: "chart",
                                onkeydown: (event) => this.key(event)});
    this.caption = make("figcaption", {}, about);
    this.tools = make("div", {class: "tools"});
    this.element = part(title, make("figure", {}, this.tools, this.picture, this.caption));
    this.width = 0;
    new ResizeObserver(() => this.fit()).observe(this.element);
    selection.listen(() => this.width > 0 && this.mark());
  }

  fit() {
    const width = Math.floor(this.element.clientWidth);
    if (width === this.width || width === 0) return;
    this.width = width;
    this.redraw();
  }

  redraw() {
    if (this.width === 0) return;
    this.picture.replaceChildren();
    const height = this.paint(this.width);
    this.picture.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    this.picture.setAttribute("width", this.width);
    this.picture.setAttribute("height", height);
    this.mark();
  }

  /** The place of the chosen row in the order, or -1. */
  chosen() {
    if (this.selection.table !== this.table) return -1;
    const index = this.place.get(this.selection.row);
    return index === undefined ? -1 : index;
  }

  choose(index) {
    if (index >= 0 && index < this.order.length)
      this.selection.choose(this.table, this.order[index], this);
  }

  key(event) {
    const steps = {ArrowRight: 1, ArrowLeft: -1, Home: -1e9, End: 1e9};
    if (!(event.key in steps)) return;
    const from = this.chosen();
    const to = from < 0 ? (steps[event.key] > 0 ? 0 : this.order.length - 1) : from + steps[event.key];
    this.choose(Math.min(this.order.length - 1, Math.max(0, to)));
    event.preventDefault();
  }

  label(x, y, text, given) {
    return draw("text", {x, y, ...given}, text);
  }

  /** Draws everything and returns the height. */
  paint(width) { return 0; }
  /** Shows what is chosen. */
  mark() {}
}
