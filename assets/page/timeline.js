// How many bytes of activations are alive while each layer runs, and which tensors make the peak.

class MemoryTimeline extends Chart {
  constructor(table, selection, memory) {
    super({title: "Memory", table, order: leavesOf(table), selection,
           about: "Bytes of activations that are alive while each layer runs, if every tensor is freed " +
                  "after its last reader. Real allocators round up."});
    this.memory = memory;
    this.numbers = this.order.map((row) => table.number(row, "alive"));
    this.peak = this.numbers.reduce((best, one, i) => (one || 0) > (this.numbers[best] || 0) ? i : best, 0);
    this.picture.addEventListener("click", (event) => {
      const x = event.clientX - this.picture.getBoundingClientRect().left;
      this.choose(Math.floor((x - this.left) / this.step));
    });
    const tensors = Array.isArray(memory.at_peak) ? memory.at_peak : [];
    if (tensors.length > 0) this.element.append(this.tensorList(tensors));
  }

  tensorList(tensors) {
    const sum = tensors.reduce((all, one) => all + (typeof one.bytes === "number" ? one.bytes : 0), 0);
    const shown = tensors.slice(0, 12);
    return make("div", {class: "peak"},
                make("h3", {}, `At the peak, while ${this.memory.peak_layer || "it begins"} runs`),
                make("ul", {}, shown.map((tensor) => {
                  const number = typeof tensor.bytes === "number" ? tensor.bytes : null;
                  const bar = make("span", {class: "part-bar"});
                  if (number !== null && sum > 0) bar.style.width = 100 * number / sum + "%";
                  return make("li", {}, make("span", {class: "amount"},
                                             number === null ? factText("bytes", tensor.bytes)
                                                             : numberText(number, "bytes", false)),
                              make("span", {class: "track"}, bar),
                              make("span", {}, tensor.layer ? `output of ${tensor.layer}`
                                                            : `input ${tensor.tensor}`));
                })),
                tensors.length > shown.length
                  ? make("p", {class: "soft"}, `and ${tensors.length - shown.length} more`) : null);
  }

  paint(width) {
    this.left = 74;
    this.right = width - 8;
    this.step = (this.right - this.left) / this.order.length;
    const top = 18, bottom = 168, most = this.numbers[this.peak] || 0;
    const ticks = linearTicks(most, "bytes", 3);
    this.y = linearScale(0, Math.max(most, ticks[ticks.length - 1]), bottom, top);
    [this.top, this.bottom] = [top, bottom];
    for (const tick of ticks)
      this.picture.append(
        draw("line", {x1: this.left, x2: this.right, y1: this.y(tick), y2: this.y(tick), class: "tick"}),
        this.label(this.left - 6, this.y(tick) + 4, tickText(tick, "bytes"),
                   {"text-anchor": "end", class: "soft"}));
    this.picture.append(draw("path", {d: this.outline(), class: "area"}));
    this.paintPeak(most);
    this.marks = draw("g");
    this.picture.append(this.marks);
    return bottom + 6;
  }

  outline() {
    let path = "", open = false;  // a gap is where the number is not known
    this.numbers.forEach((number, i) => {
      const x = (this.left + i * this.step).toFixed(1), next = (this.left + (i + 1) * this.step).toFixed(1);
      if (number !== null) path += `${open ? "" : `M${x} ${this.bottom}`}V${this.y(number).toFixed(1)}H${next}`;
      else if (open) path += `V${this.bottom}z`;
      open = number !== null;
    });
    return path + (open ? `V${this.bottom}z` : "");
  }

  paintPeak(most) {
    const x = this.left + (this.peak + 0.5) * this.step, onLeft = x > (this.left + this.right) / 2;
    const room = (onLeft ? x - this.left : this.right - x) - 175;
    const name = shortened(this.table.nameOf(this.order[this.peak]), Math.min(300, room));
    this.picture.append(
      draw("circle", {cx: x, cy: this.y(most), r: 4, class: "own"}),
      this.label(x + (onLeft ? -9 : 9), this.y(most) - 6,
                 `peak ${numberText(most, "bytes", false)}${name === "" ? "" : ` at ${name}`}`,
                 {"text-anchor": onLeft ? "end" : "start", class: "strong"}));
  }

  mark() {
    const index = this.chosen();
    this.marks.replaceChildren();
    if (index < 0) return;
    const x = this.left + index * this.step, number = this.numbers[index];
    this.marks.append(draw("rect", {x, y: this.top, width: Math.max(2, this.step),
                                    height: this.bottom - this.top, class: "chosen"}));
    if (number === null) return;
    const onLeft = x > (this.left + this.right) / 2;
    this.marks.append(
      draw("circle", {cx: x + this.step / 2, cy: this.y(number), r: 4, class: "own"}),
      this.label(x + (onLeft ? -6 : 12), this.bottom - 6, numberText(number, "bytes", false),
                 {"text-anchor": onLeft ? "end" : "start", class: "strong"}));
  }
}
