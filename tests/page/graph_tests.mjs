// The graph: its lines are those of the network, and it shows the same choice as everything else.
import assert from "node:assert/strict";
import {writeFileSync} from "node:fs";
import {join} from "node:path";

import {chosenRow, clean, detail, folder, mobilenet, page, settled, until} from "./pages.mjs";
import {chain} from "./small_model.mjs";

// In the page.
const edgesOf = () => JSON.parse(document.getElementById("data").textContent).tables[0];
const press = (text) => [...document.querySelectorAll(".part button")].find((one) => one.textContent === text).click();
const boxes = () => [...document.querySelectorAll(".graph [data-box]")].map((one) =>
  one.querySelector("title").textContent.split("\n")[0]);

/** The rows that each row reads, by name, from the distances that the page has. */
function readsByName({edges, columns, rows}) {
  const layer = columns.findIndex((column) => column.name === "layer");
  return rows.map((cells, row) => {
    const given = edges.reads[row] === null ? [] : [edges.reads[row]].flat();
    return [cells[layer], given.map((back) => back === 0 ? "input" : rows[row - back][layer]).sort()];
  });
}

export const graphTests = {
  // 53 convolutions and norms, 49 ReLUs, two pools and a linear layer read one value each; 16 sums read
  // two: 174 rows, 190 lines.
  async "the lines are those of ResNet-50"(browser) {
    const p = await browser.open(page("lines", "stat", "zoo:resnet50"));
    const table = await p.run(edgesOf), reads = readsByName(table);
    assert.equal(reads.length, 174);
    assert.equal(reads.reduce((sum, [, from]) => sum + from.length, 0), 190);
    const of = (name) => reads.filter(([own]) => own === name).map(([, from]) => from);
    assert.deepEqual(of("conv1"), [["input"]]);
    // The first block projects its input, the second adds it as it is.
    assert.deepEqual(of("layer1.0.Add"), [["layer1.0.bn3", "layer1.0.downsample.1"]]);
    assert.deepEqual(of("layer1.1.Add"), [["layer1.0.relu", "layer1.1.bn3"]]);
    assert.deepEqual(of("layer1.0.downsample.0"), [["maxpool"]]);
    assert.deepEqual(of("fc"), [["avgpool"]]);  // through a view, which has no row
    assert.deepEqual(table.edges.returned, [173]);
    await clean(p);
  },

  async "a click opens a module and chooses a layer everywhere"(browser) {
    const p = await browser.open(page("graph", "stat", mobilenet));
    await settled();
    await p.run(press, "Close all");
    const closed = await p.run(boxes);
    assert.ok(closed.some((name) => name.startsWith("features, ")), closed.join());
    const features = closed.findIndex((name) => name.startsWith("features, "));
    await p.click(".graph [data-box] text", features);
    await until(async () => (await p.run(boxes)).length > closed.length);
    const opened = await p.run(boxes);
    assert.ok(opened.some((name) => name.startsWith("features.0")), opened.join());
    await p.run(press, "Open all");
    const leaf = (await p.run(boxes)).findIndex((name) => name === "features.0.0");
    await p.click(".graph [data-box]", leaf);
    assert.equal(await p.run(detail), "features.0.0");
    assert.equal(await p.run(chosenRow), "features.0.0");
    assert.equal(await p.run(() => document.querySelectorAll(".graph .is-chosen").length), 1);
    // A row of the table that is inside of a closed module marks the module.
    await p.run(press, "Close all");
    await p.run(() => document.querySelector('tr[data-index="3"]').click());
    assert.equal(await p.run(() => document.querySelectorAll(".graph .holds").length), 1);
    await clean(p);
  },

  async "the graph is used with the keyboard"(browser) {
    const p = await browser.open(page("graph-keys", "stat", mobilenet));
    await settled();
    await p.run(press, "Close all");
    await p.run(() => document.querySelector(".graph").focus());
    const says = () => document.querySelector(".graph-status").textContent;
    await p.press("Home");
    assert.match(await p.run(says), /^features: module of \d+ layers, closed/);
    await p.press("ArrowRight");
    assert.match(await p.run(says), /^features: module of \d+ layers, open/);
    await p.press("ArrowRight");
    assert.match(await p.run(says), /^features\.0: module/);
    await p.press("ArrowRight", 2);
    assert.match(await p.run(says), /^features\.0\.0: 0 Conv2d, MACs 10\.84 M/);  // 27·32·112·112
    await p.press("Enter");
    assert.equal(await p.run(detail), "features.0.0");
    await p.press("ArrowLeft");
    assert.match(await p.run(says), /^features\.0: module/);
    await clean(p);
  },

  async "a search opens what is around a layer"(browser) {
    const p = await browser.open(page("graph-search", "stat", mobilenet));
    await settled();
    await p.click("input[aria-label='Find a layer']");
    await p.type("features.17.conv.2");
    await p.press("Enter");
    assert.equal(await p.run(detail), "features.17.conv.2");
    assert.ok((await p.run(boxes)).includes("features.17.conv.2"));
    await clean(p);
  },

  async "a module of 200 layers opens at once, and 5,000 stay few elements"(browser) {
    const names = Array.from({length: 5000}, (unused, i) => `stage${Math.floor(i / 200)}.layer${i % 200}`);
    const model = join(folder, "wide.onnx");
    writeFileSync(model, chain(names, true));
    const p = await browser.open(page("wide", "stat", model));
    await settled();
    await p.run(press, "Close all");
    assert.equal((await p.run(boxes)).filter((name) => name.endsWith("200 layers")).length > 3, true);
    const took = await p.run(() => {
      const graph = document.querySelector(".graph");
      graph.focus();
      graph.dispatchEvent(new KeyboardEvent("keydown", {key: "Home"}));
      const before = performance.now();
      graph.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
      return performance.now() - before;
    });
    console.log(`  a module of 200 layers opened in ${took.toFixed(1)} ms`);
    assert.ok((await p.run(boxes)).some((name) => name === "stage0.layer0"));
    const all = await p.run(() => {
      const before = performance.now();
      [...document.querySelectorAll("button")].find((one) => one.textContent === "Open all").click();
      [...document.querySelectorAll("button")].find((one) => one.textContent === "Fit").click();
      return performance.now() - before;
    });
    console.log(`  5,000 layers opened in ${all.toFixed(1)} ms`);
    // Not by the clock: only what is in sight is drawn.
    await settled();
    assert.ok(await p.run(() => document.querySelectorAll(".graph *").length) < 12000);
    await clean(p);
  },

  // A file that needs nothing of the page.
  async "the graph is saved as SVG"(browser) {
    const p = await browser.open(page("graph-svg", "stat", mobilenet));
    await settled();
    await p.run(press, "Close all");
    const text = await p.run(() => {
      const made = URL.createObjectURL, kept = [];
      URL.createObjectURL = (blob) => { kept.push(blob); return made.call(URL, blob); };
      [...document.querySelectorAll("button")].find((one) => one.textContent === "Save as SVG").click();
      return kept[0].text();
    });
    assert.match(text, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox=/);
    assert.match(text, /features/);
    assert.doesNotMatch(text, /class=|var\(/);
    assert.equal((text.match(/<text/g) || []).length >= 4, true);
    await clean(p);
  },

  // A file without modules: 1,000 nodes side by side would be one tall box.
  async "many nodes without modules are put into sections"(browser) {
    const names = Array.from({length: 1000}, (unused, i) => `node${i}`);
    const model = join(folder, "flat.onnx");
    writeFileSync(model, chain(names, true));
    const p = await browser.open(page("flat", "stat", model));
    await settled();
    await p.run(press, "Close all");
    const text = await p.run(() => document.querySelector(".graph").textContent);
    assert.match(text, /1 to 100 of 1000/);
    await clean(p);
  },
};
