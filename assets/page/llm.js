// Charts of a language model as it is served, which follow what the reader chooses: memory over the
// context, tokens/s of each user over those of all, and a roofline. llm_model.js has the formulas.

const kMemoryParts = ["engine", "weights", "states", "activations", "cache"];
const kServingLeft = 74, kLabelHeight = 16;

const tokensText = (tokens) => tokens >= kEndless ? "any" : grouped(tokens);
const rateText = (rate) => rate >= 1000 ? grouped(Number(rate.toPrecision(3)))
  : String(Number(rate.toPrecision(rate >= 100 ? 3 : 2)));
const bytesText = (bytes) => numberText(Math.abs(bytes), "bytes", false);

/** What the reader has chosen, and the charts that show it. */
class ServingSetup {
  constructor(data) {
    this.data = data;
    this.chosen = {device: data.device, weights: data.weight_type, cache: data.cache_type,
                   context: data.context, batch: data.batch};
    this.charts = [];
  }

  set(key, value) {
    this.chosen[key] = value;
    for (const chart of this.charts) chart.refresh();
  }
}

/** A drawing that is made again when its width or the setup changes. */
class ServingChart {
  constructor(setup, title, about, ...tools) {
    this.setup = setup;
    setup.charts.push(this);
    this.picture = draw("svg", {role: "img", class: "chart", "aria-label": title});
    this.sentence = make("p", {class: "verdict", "aria-live": "polite"});
    this.element = part(title, make("figure", {}, tools, this.sentence, this.picture,
                                    make("figcaption", {}, about)));
    this.width = 0;
    new ResizeObserver(() => {
      const width = Math.floor(this.element.clientWidth);
      if (width > 0 && width !== this.width) {
        this.width = width;
        this.refresh();
      }
    }).observe(this.element);
  }

  refresh() {
    if (this.width <= 0) return;
    this.picture.replaceChildren();
    this.picture.setAttribute("width", this.width);
    const {data, chosen} = this.setup;
    this.sentence.textContent = this.said(data, chosen);
    this.picture.setAttribute("height", this.paint(data, chosen, kServingLeft, this.width - 14));
  }

  add(...elements) {
    this.picture.append(...elements);
  }

  text(x, y, words, given) {
    this.add(draw("text", {x, y, ...given}, words));
  }

  /** Lines and labels at powers of ten. */
  paintGrid(xs, ys, x, y, units) {
    const [left, right] = [x(xs[0]), x(xs[xs.length - 1])], [bottom, top] = [y(ys[0]), y(ys[ys.length - 1])];
    for (const tick of ys) {
      this.add(draw("line", {x1: left, x2: right, y1: y(tick), y2: y(tick), class: "tick"}));
      this.text(left - 6, y(tick) + 4, tickText(tick, units[1]), {"text-anchor": "end", class: "soft"});
    }
    for (const tick of xs) {
      this.add(draw("line", {x1: x(tick), x2: x(tick), y1: top, y2: bottom, class: "tick"}));
      this.text(x(tick), bottom + 16, tickText(tick, units[0]), {"text-anchor": "middle", class: "soft"});
    }
  }
}

/** Devices whose memory ends within a chart, at least `gap` bytes from each other, smallest first. */
function otherLimits(data, own, least, most, gap) {
  const out = [];
  const limits = data.devices.map((device) => ({name: device.name, usable: device.usable}))
    .sort((a, b) => a.usable - b.usable);
  for (const limit of limits) {
    const isFree = [own, ...out.map((one) => one.usable)].every((other) => Math.abs(other - limit.usable) > gap);
    if (limit.usable > least && limit.usable < most && isFree) out.push(limit);
  }
  return out;
}

/** Memory over context, stacked, with the limits of devices and where they are crossed. */
class ServedMemoryChart extends ServingChart {
  constructor(setup) {
    const {data, chosen} = setup;
    const names = (list) => list.map((one) => [one.name, one.title || one.name]);
    const pick = (label, key, list) => choice(label, names(list), chosen[key], (value) => setup.set(key, value));
    const number = (label, key) => {
      const box = make("input", {type: "number", min: 1, step: 1, value: chosen[key], oninput: () => {
        const value = Math.floor(Number(box.value));
        if (value >= 1 && value <= kEndless) setup.set(key, value);
      }});
      return make("label", {class: "choice"}, label + " ", box);
    };
    super(setup, "Memory over context", "Memory of the device that holds the most; all charts of this page follow the choice.",
          make("div", {class: "tools"}, pick("Device", "device", data.devices), number("Context", "context"),
               number("Batch", "batch"), pick("Weights", "weights", data.weights), pick("Cache", "cache", data.caches)),
          make("div", {class: "legend"}, kindLegend(kMemoryParts)));
  }

  said(data, chosen) {
    const memory = servedMemory(data, chosen), spare = memory.usable - memory.needed;
    const longest = longestContext(data, chosen, chosen.batch), batch = largestBatch(data, chosen);
    const context = longest >= kEndless ? "any context" : longest < 1 ? "not one token" : `${grouped(longest)} tokens`;
    return `${spare >= 0 ? "Fits" : "Does not fit"}: ${bytesText(memory.needed)} of ${bytesText(memory.usable)}, ` +
      `${bytesText(spare)} ${spare >= 0 ? "to spare" : "too little"}. At this batch ${context} ` +
      `fit${longest >= kEndless ? "s" : ""}; at this context a batch of ${grouped(batch)}.`;
  }

  paint(data, chosen, left, right) {
    const limit = servedMemory(data, chosen).usable, top = 12, bottom = 240;
    const least = 256, most = Math.max(data.max_context || 131072, chosen.context, 2 * least);
    const x = logScale(least, most, left, right);
    const places = Array.from({length: 97}, (_, i) => Math.round(least * (most / least) ** (i / 96)));
    const stacks = places.map((context) => servedMemory(data, {...chosen, context}));
    const highest = Math.max(limit, ...stacks.map((memory) => memory.needed));
    const ticks = linearTicks(highest, "bytes", 4);
    const ceiling = Math.max(ticks[ticks.length - 1], highest), y = linearScale(0, ceiling, bottom, top);
    for (const tick of ticks) {
      this.add(draw("line", {x1: left, x2: right, y1: y(tick), y2: y(tick), class: "tick"}));
      this.text(left - 6, y(tick) + 4, tickText(tick, "bytes"), {"text-anchor": "end", class: "soft"});
    }
    let below = stacks.map(() => 0);
    kMemoryParts.forEach((name, index) => {
      const above = stacks.map((memory, i) => below[i] + memory[name]);
      const forth = places.map((context, i) => `${x(context).toFixed(1)} ${y(above[i]).toFixed(1)}`);
      const back = places.map((context, i) => `${x(context).toFixed(1)} ${y(below[i]).toFixed(1)}`).reverse();
      this.add(draw("path", {d: `M${forth.join("L")}L${back.join("L")}Z`, class: `kind${index}`}));
      below = above;
    });
    for (let at = least; at <= most; at *= 4)
      this.text(x(at), bottom + 16, at >= 1024 ? `${at / 1024} k` : String(at), {"text-anchor": "middle", class: "soft"});
    this.add(draw("path", {d: `M${left} ${y(limit)}H${right}`, class: "mark"}));
    this.text(right, y(limit) - 5, `${chosen.device}: ${bytesText(limit)}`, {"text-anchor": "end", class: "strong"});
    const crossing = longestContext(data, chosen, chosen.batch);
    if (crossing >= least && crossing < most) {
      this.add(draw("circle", {cx: x(crossing), cy: y(limit), r: 4, class: "own"}));
      this.text(x(crossing), y(limit) + 18, grouped(crossing), {"text-anchor": "middle", class: "strong"});
    }
    const gap = ceiling * kLabelHeight / (bottom - top);
    for (const other of otherLimits(data, limit, stacks[0].weights, ceiling, gap)) {
      this.add(draw("path", {d: `M${left} ${y(other.usable)}H${right}`, class: "mark", "stroke-dasharray": "2 5"}));
      const longest = longestContext(data, {...chosen, device: other.name}, chosen.batch);
      const crossed = longest >= least && longest < most ? `, ${grouped(longest)} tokens` : "";
      this.text(left + 4, y(other.usable) - 4, `${other.name}: ${bytesText(other.usable)}${crossed}`, {class: "soft"});
      if (crossed) this.add(draw("circle", {cx: x(longest), cy: y(other.usable), r: 3, class: "dot"}));
    }
    if (chosen.context >= least) this.add(draw("path", {d: `M${x(chosen.context)} ${top}V${bottom}`, class: "mark"}));
    return bottom + 24;
  }
}

/** Batches by powers of two up to the largest that fits, which is the last. */
function batchesThatFit(data, chosen) {
  const largest = largestBatch(data, chosen), out = [];
  for (let batch = 1; batch < largest; batch *= 2) out.push(batch);
  return largest >= 1 ? [...out, largest] : [];
}

/** Tokens/s of each user over tokens/s of all, a point per batch; it ends where memory does. */
class ServedSpeedChart extends ServingChart {
  constructor(setup) {
    super(setup, "Tokens per second", "A point per batch, up to the largest that fits. The line is the median, and the " +
          "band is the likely range.");
  }

  said(data, chosen) {
    const time = decodeTime(data, chosen), prompt = prefillTime(data, chosen);
    if (time === null) return `${chosen.device} states no peaks, so that speeds are unknown.`;
    const rate = (factor) => `${rateText(factor / time.high)} to ${rateText(factor / time.low)}`;
    const fits = servedMemory(data, chosen).needed <= servedMemory(data, chosen).usable;
    return `Decode: likely ${rate(chosen.batch)} tokens/s in all, at most ${rateText(chosen.batch / time.bound)}; ` +
      `limited by ${time.limit}. Each user gets ${rate(1)}. First token of a prompt of ${tokensText(chosen.context)} ` +
      `after ${numberText(prompt.low, "seconds", false)} to ${numberText(prompt.high, "seconds", false)}.` +
      (fits ? "" : " This batch does not fit.");
  }

  paint(data, chosen, left, right) {
    const top = 16, bottom = 240, batches = batchesThatFit(data, chosen);
    const times = batches.map((batch) => decodeTime(data, {...chosen, batch}));
    if (times.length === 0 || times[0] === null) return 0;
    const point = (i, key) => [batches[i] / times[i][key], 1 / times[i][key]];
    const all = batches.flatMap((_, i) => [point(i, "low"), point(i, "high")]);
    const ticks = (axis) => logTicks(Math.min(...all.map((one) => one[axis])), Math.max(...all.map((one) => one[axis])) * 1.001);
    const xs = ticks(0), ys = ticks(1);
    const x = logScale(xs[0], xs[xs.length - 1], left, right), y = logScale(ys[0], ys[ys.length - 1], bottom, top);
    this.paintGrid(xs, ys, x, y, ["number", "number"]);
    const line = (key) => batches.map((_, i) => {
      const [whole, each] = point(i, key);
      return `${x(whole).toFixed(1)} ${y(each).toFixed(1)}`;
    });
    this.add(draw("path", {d: `M${line("low").join("L")}L${line("high").reverse().join("L")}Z`, class: "area"}),
             draw("path", {d: `M${line("median").join("L")}`, class: "line"}));
    batches.forEach((batch, i) => {
      const [whole, each] = point(i, "median"), isLast = i + 1 === batches.length;
      this.add(draw("circle", {cx: x(whole), cy: y(each), r: isLast ? 5 : 3.5, class: isLast ? "own" : "dot"},
                    draw("title", {}, `batch ${grouped(batch)}: ${rateText(whole)} tokens/s in all, ${rateText(each)} each`)));
      if (!isLast) this.text(x(whole) + 3, y(each) - 7, grouped(batch), {class: "soft"});
      else
        this.text(x(whole), y(each) + 20, `${grouped(batch)}, memory ends`,
                  {"text-anchor": x(whole) > right - 100 ? "end" : "middle", class: "strong"});
    });
    this.text(right, bottom + 32, "tokens/s in all", {"text-anchor": "end"});
    this.text(left, top - 5, "tokens/s of each user", {});
    return bottom + 40;
  }
}

/** Prefill and decode as two dots below what the device allows. */
class ServedRooflineChart extends ServingChart {
  constructor(setup) {
    super(setup, "Roofline of prefill and decode", "Operations per second over operations per byte. A step below the " +
          "slope waits for memory, one below the flat roof computes.");
  }

  said() {
    return "";
  }

  paint(data, chosen, left, right) {
    const top = 16, bottom = 240, device = named(data.devices, chosen.device);
    const bits = named(data.weights, chosen.weights).compute_bits;
    const peak = device["peak" + (bits <= 4 ? 4 : bits <= 8 ? 8 : 16)], speed = device.bandwidth;
    const prompt = stepWork(data, chosen, 1, 0, chosen.context), token = decodeWork(data, chosen);
    const times = [prefillTime(data, chosen), decodeTime(data, chosen)];
    if (times[0] === null) return 0;
    const dots = [prompt, token].map((work, i) => {
      const flops = 2 * (work.matrixMacs + work.expertMacs + work.attentionMacs);
      return {name: i === 0 ? "prefill" : "decode", x: flops / (work.matrixBytes + work.expertBytes + work.cacheBytes),
              y: flops / times[i].median};
    });
    const xs = logTicks(Math.min(peak / speed, ...dots.map((dot) => dot.x)), Math.max(peak / speed, ...dots.map((dot) => dot.x)));
    const ys = logTicks(Math.min(...dots.map((dot) => dot.y)), peak);
    const x = logScale(xs[0], xs[xs.length - 1], left, right), y = logScale(ys[0], ys[ys.length - 1], bottom, top);
    this.paintGrid(xs, ys, x, y, ["number", "flops_per_second"]);
    const from = Math.max(xs[0], ys[0] / speed);
    this.add(draw("path", {d: `M${x(from)} ${y(from * speed)}L${x(peak / speed)} ${y(peak)}H${right}`, class: "line"}));
    this.text(right - 4, y(peak) - 6, `${numberText(peak, "count", false)}FLOP/s`, {"text-anchor": "end"});
    for (const dot of dots) {
      this.add(draw("circle", {cx: x(dot.x), cy: y(dot.y), r: 5, class: "own"}));
      const isLate = x(dot.x) > right - 60;
      this.text(x(dot.x) + (isLate ? -9 : 9), y(dot.y) + 4, dot.name,
                {"text-anchor": isLate ? "end" : "start", class: "strong"});
    }
    this.text(right, bottom + 32, "FLOPs per byte moved", {"text-anchor": "end"});
    this.text(left, top - 5, "FLOP/s", {});
    return bottom + 40;
  }
}

function llmCharts(doc) {
  const data = servingData(doc);
  if (!data) return [];
  const setup = new ServingSetup(data);
  return [new ServedMemoryChart(setup), new ServedSpeedChart(setup), new ServedRooflineChart(setup)];
}

kCharts.llm = llmCharts;
