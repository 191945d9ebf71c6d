// Charts: what they draw, and that a click shows a layer in all of them.
import assert from "node:assert/strict";
import {statSync} from "node:fs";
import {join} from "node:path";

import {chosenRow, clean, csv, detail, folder, mobilenet, models, page, run, settled, until} from "./pages.mjs";

export const chartTests = {
  async "a click shows the layer everywhere"(browser) {
    const p = await browser.open(page("click", "stat", mobilenet));
    await settled();
    const charts = await p.run(() => [...document.querySelectorAll("svg.chart")].map((one) =>
      one.querySelectorAll("rect, path, circle, line").length));
    assert.equal(charts.length, 4);  // along the network, graph, memory, treemap
    assert.ok(charts.every((shapes) => shapes > 5));
    await p.click("tbody tr[data-index]", 3);
    const name = await p.run(chosenRow);
    assert.equal(await p.run(detail), name);
    const shown = () => [...document.querySelectorAll("svg.chart")].map((one) =>
      one.querySelector(".chosen, .is-chosen, .holds") !== null || Number(one.querySelector(".frame")?.getAttribute("width")) > 0);
    assert.deepEqual((await p.run(shown)).slice(0, 3), [true, true, true]);
    // The formula is what `explain` prints.
    const rows = csv("stat", mobilenet);
    const conv = rows.findIndex((row) => row.layer === "features.2.conv.0.0");
    await p.run((at) => document.querySelector(`tr[data-index="${at}"]`).click(), conv);
    const formula = await p.run(() => document.querySelector(".detail pre").textContent);
    // 96 channels of 112×112 from 16: 1,204,224 outputs of 16 products each.
    assert.match(formula, /1,204,224.*16.*= 19,267,584/);
    // A click in the chart chooses the layer at that place, also in the table.
    const place = await p.run((count) => {
      const svg = document.querySelector("svg.chart");
      svg.scrollIntoView({block: "center"});
      const box = svg.getBoundingClientRect(), band = svg.querySelector(".tick").getBoundingClientRect();
      return {x: band.left + (100.5 / count) * band.width, y: box.top + box.height / 2};
    }, rows.length);
    await p.clickAt(place.x, place.y);
    assert.equal(await p.run(detail), rows[100].layer);
    assert.equal(await p.run(chosenRow), rows[100].layer);
    await p.run(() => document.querySelector("svg.chart").focus());
    await p.press("ArrowRight");
    assert.equal(await p.run(detail), rows[101].layer);
    await p.press("Escape");
    assert.equal(await p.run(detail), null);
    await clean(p);
  },

  async "where SwiftNet is fat"(browser) {
    const p = await browser.open(page("swiftnet", "stat", "zoo:swiftnet_rn18"));
    await settled();
    const rows = csv("stat", "zoo:swiftnet_rn18");
    const all = rows.reduce((sum, row) => sum + Number(row.params), 0);
    const middle = rows.filter((row, i) => Math.floor(3 * i / rows.length) === 1)
      .reduce((sum, row) => sum + Number(row.params), 0);
    const said = await p.run(() => document.querySelector(".answers").textContent);
    assert.ok(said.includes(`${Math.round(100 * middle / all)} % in the middle third`), said);
    const stages = await p.run(() => [...document.querySelectorAll("svg.chart")[0].querySelectorAll("text")]
      .map((one) => one.textContent));
    for (const stage of ["encoder", "decoder", "layer1", "layer4"]) assert.ok(stages.includes(stage), stage);
    await clean(p);
  },

  async "rows in another order are not along the network"(browser) {
    const titles = () => [...document.querySelectorAll("h2")].map((one) => one.textContent);
    const sorted = await browser.open(page("sorted", "stat", mobilenet, "--sort", "macs"));
    assert.deepEqual(await sorted.run(titles), ["Summary", "Graph", "Treemap", "Layers"]);
    await clean(sorted);
    const types = csv("stat", mobilenet, "--report", "type");
    const sum = types.reduce((all, row) => all + Number(row.params), 0);
    const linear = types.find((row) => row.type === "Linear");
    const p = await browser.open(page("types", "stat", mobilenet, "--report", "type"));
    assert.deepEqual(await p.run(titles), ["Summary", "Treemap", "Layers"]);
    const said = await p.run(() => document.querySelector(".answers").textContent);
    assert.ok(said.includes(`${(100 * Number(linear.params) / sum).toFixed(1)} % in Linear`), said);
    await clean(p);
  },

  async "what is not known is not drawn as 0"(browser) {
    const model = "zoo:fasterrcnn_resnet50_fpn";
    const unknown = csv("stat", model).filter((row) => !/^\d+$/.test(row.activation)).length;
    assert.ok(unknown > 10);
    const dotted = () => [...document.querySelectorAll("svg.chart .unknown")].map((one) =>
      (one.getAttribute("d").match(/M/g) || []).length);
    const p = await browser.open(page("unknown", "stat", model));
    await settled();
    assert.equal((await p.run(dotted))[1], unknown);  // the panel of activations
    await clean(p);
    const known = await browser.open(page("known", "stat", mobilenet));
    await settled();
    assert.deepEqual(await known.run(dotted), [0, 0, 0, 0]);
    await clean(known);
    // Formulas have no height, and the caption says so.
    const open = await browser.open(page("open", "stat", join(models, "mobilenet_v2_dynamic.onnx")));
    await settled();
    assert.match(await open.run(() => document.querySelector("figcaption").textContent),
                 /Not drawn, because they are formulas or unknown: activations, macs, bytes moved\./);
    await clean(open);
  },

  async "layers below the roof"(browser) {
    const words = ["stat", "zoo:squeezenet1_1?resolution=32", "--time", "--roofline", "--engine", "fake",
                   "--runs", "5"];
    const p = await browser.open(page("roofline", ...words));
    await settled();
    const dots = await p.run(() => document.querySelectorAll("svg.chart .dot").length);
    // Every layer with a time: 26 convolutions, whose kernels also do the 26 activations, and 4 pools.
    assert.equal(dots, 30);
    await p.run(() => document.querySelectorAll("svg.chart .dot")[3].dispatchEvent(
      new MouseEvent("click", {bubbles: true})));
    const chosen = await p.run(detail);
    assert.equal(await p.run(chosenRow), chosen);
    assert.ok((await p.run(() => document.querySelectorAll("svg.chart")[0].querySelector(".strong")
      .textContent)).includes(chosen));
    await clean(p);
  },

  async "latencies and speedups"(browser) {
    const p = await browser.open(page("bench", "bench", "zoo:squeezenet1_1?resolution=32", "--engine",
                                      "fake,fake:spin=20000", "--max-time", "2s", "--processes", "2"));
    await settled();
    assert.ok(statSync(join(folder, "bench.html")).size < 400e3);  // without its samples
    const titles = await p.run(() => [...document.querySelectorAll("h2")].map((one) => one.textContent));
    assert.ok(titles.includes("Latency"), titles.join());
    assert.ok(await p.run(() => document.querySelectorAll("svg.chart circle").length) >= 2);
    // Up to a hundred single runs a row, each a line.
    const runs = await p.run(() => [...document.querySelectorAll("svg.chart path.runs")].map((one) =>
      (one.getAttribute("d").match(/M/g) || []).length));
    assert.equal(runs.length, 2);
    assert.ok(runs.every((count) => count > 1 && count <= 100), runs.join());
    await p.click("tbody td:first-child", 1);
    assert.ok(await p.run(() => document.querySelector("svg.chart .chosen") !== null));
    assert.equal(await p.run(detail), "fake:spin=20000");
    await clean(p);
  },

  // Bars are those layers whose MACs differ in the table for programs.
  async "what changed along the network"(browser) {
    const words = ["diff", "zoo:squeezenet1_1?resolution=64", "zoo:squeezenet1_0?resolution=64"];
    const rows = csv(...words, "--all");
    const change = (row) => row.change === "inserted" ? Number(row.macs_after)
      : row.change === "removed" ? -Number(row.macs_before) : row.macs_after - row.macs_before;
    const p = await browser.open(page("changes", ...words));
    await settled();
    const bars = (kind) => [...document.querySelectorAll(`svg.chart path.${kind}`)].map((one) =>
      (one.getAttribute("d").match(/M/g) || []).length);
    assert.equal((await p.run(bars, "more"))[1], rows.filter((row) => change(row) > 0).length);
    assert.equal((await p.run(bars, "less"))[1], rows.filter((row) => change(row) < 0).length);
    // 64 filters of 3×3×3 at 31×31 places become 96 of 7×7×3 at 29×29.
    const first = 96 * 7 * 7 * 3 * 29 * 29 - 64 * 3 * 3 * 3 * 31 * 31;
    assert.equal(change(rows.find((row) => row.layer === "features.0")), first);
    await p.run(() => document.querySelector("svg.chart").focus());
    await p.press("ArrowRight");
    const texts = await p.run(() => [...document.querySelectorAll("svg.chart text")].map((one) =>
      one.textContent));
    assert.ok(texts.includes(`MACs: +${(first / 1e6).toFixed(2)} M (changed)`), texts.join());
    // Rows without a difference are seen when they are asked for.
    const counts = () => [...document.querySelectorAll(".count")].map((one) => one.textContent);
    const same = rows.filter((row) => row.change === "same").length;
    assert.ok((await p.run(counts)).includes(`${rows.length - same} of ${rows.length} rows`));
    await p.run(() => [...document.querySelectorAll("label.tick")].find((one) =>
      one.textContent === "Rows without a difference").querySelector("input").click());
    assert.ok((await p.run(counts)).includes(`${rows.length} rows`));
    assert.equal(await p.run(() => document.querySelector("h1").textContent),
                 "squeezenet1_1?resolution=64 → squeezenet1_0?resolution=64");
    await clean(p);
  },

  async "the ranking of layers"(browser) {
    const digits = join(models, "digits", "digits_planted.onnx");
    const p = await browser.open(page("sensitivity", "sensitivity", digits, "--data",
                                      join(models, "digits", "images.npz"), "--samples", "16"));
    await settled();
    // tests/models/digits/train_digits.py plants outliers in this layer.
    const first = await p.run(() => document.querySelector("svg.chart text[text-anchor=end]").textContent);
    assert.equal(first, "features.3.project.0");
    await clean(p);
  },

  async "cuts and links"(browser) {
    const p = await browser.open(page("cuts", "payload", "zoo:alexnet", "--cuts", "--split", "--link", "50Mbps",
                                      "--edge", "100GFLOP/s,10GB/s", "--server", "10TFLOP/s,500GB/s"));
    await settled();
    const texts = await p.run(() => [...document.querySelectorAll("svg.chart text")].map((one) =>
      one.textContent));
    // 256 channels of 6×6 leave the last pool, which is the best cut; without a link, it is the least that is
    // marked: 4,096 numbers leave the first linear layer.
    assert.ok(texts.includes("36.00 KiB after features.12"), texts.join());
    assert.ok(texts.includes("after features.12"), texts.join());
    await clean(p);
    const alone = await browser.open(page("cuts-alone", "payload", "zoo:alexnet", "--cuts"));
    await settled();
    const marked = await alone.run(() => [...document.querySelectorAll("svg.chart text")].map((one) => one.textContent));
    assert.ok(marked.includes("16.00 KiB after classifier.1"), marked.join());
    await clean(alone);
  },

  async "charts of a language model follow the batch"(browser) {
    const words = ["llm", "zoo:llama-3-8b", "--on", "h100", "--context", "8192"];
    const p = await browser.open(page("serving", ...words));
    const charts = () => [...document.querySelectorAll("section svg.chart")].map((one) => one.getAttribute("aria-label"));
    await until(async () => (await p.run(() => document.querySelectorAll("svg.chart circle").length)) > 3);
    assert.deepEqual(await p.run(charts), ["Memory over context", "Tokens per second", "Roofline of prefill and decode"]);
    const said = () => [...document.querySelectorAll("figure .verdict")].map((one) => one.textContent).join(" ");
    const before = await p.run(said);
    await p.run(() => {
      const box = [...document.querySelectorAll("label.choice")].find((one) => one.textContent.startsWith("Batch"))
        .querySelector("input");
      box.value = "32";
      box.dispatchEvent(new Event("input"));
    });
    const after = await p.run(said);
    assert.notEqual(after, before);
    // The program's own sentence for that batch.
    const told = run(...words, "--batch", "32", "--width", "0");
    const [, low, high] = told.match(/likely ([\d,]+) to ([\d,]+) tokens\/s in all/);
    assert.ok(after.includes(`likely ${low} to ${high} tokens/s in all`), `${after}\n${told}`);
    await clean(p);
  },
};
