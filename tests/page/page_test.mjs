// Pages in a real Chromium: tables sort and search, charts draw and follow a click, nothing leaves
// the page, names of a model do not run. `node page_test.mjs STRATA MODELS`
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdtempSync, rmSync, statSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

import {Browser} from "./chromium.mjs";
import {chain} from "./small_model.mjs";

const [,, strata, models] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "strata-pages-"));
const mobilenet = join(models, "mobilenet_v2.onnx");

function run(...words) {
  return execFileSync(strata, words, {encoding: "utf8", maxBuffer: 1 << 28,
                                      stdio: ["ignore", "pipe", "inherit"]});
}

/** The path of a page that a command wrote. */
function page(name, ...words) {
  const file = join(folder, `${name}.html`);
  run(...words, "--format", "html", "-o", file);
  return file;
}

/** Rows of a table that the program wrote in another format. */
function csv(...words) {
  const [head, ...lines] = run(...words, "--format", "csv").trim().split("\n")
    .map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((m) => m[1])
      .slice(0, -1).map((field) => field.replace(/^"|"$/g, "").replace(/""/g, '"')));
  return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]])));
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 150));

// What is seen in the page.
const cellsOf = () => [...document.querySelectorAll("tbody tr[data-index]")].map((row) =>
  [...row.children].map((cell) => cell.textContent));
const chosenRow = () => document.querySelector("tr.chosen")?.firstElementChild.textContent;
const detail = () => document.querySelector(".detail").hidden ? null
  : document.querySelector(".detail strong").textContent;
const header = (p, title) => p.run((wanted) =>
  [...document.querySelectorAll("th button")].findIndex((one) => one.textContent.startsWith(wanted)),
  title);

async function clean(p) {
  await settled();
  assert.deepEqual(p.problems, []);
  assert.deepEqual(p.requests.filter((url) => url !== p.url && !url.startsWith("data:")), []);
  await p.close();
}

const tests = {
  async "cells are what the program prints"(browser) {
    const columns = "layer,type,output,params,params%,macs,flops,read,write,activation,intensity,energy";
    for (const model of [mobilenet, "zoo:swin_t", join(models, "mobilenet_v2_dynamic.onnx")])
      for (const more of [[], ["--exact"]]) {
        const words = ["stat", model, "--columns", columns, ...more];
        const printed = run(...words, "--format", "md").split("\n").filter((line) => line.startsWith("| "))
          .map((line) => line.split(/(?<!\\)\|/).slice(1, -1)
            .map((cell) => cell.trim().replace(/\\(.)/g, "$1"))).slice(1, -1);
        const p = await browser.open(page("cells", ...words), {height: 300 + 40 * printed.length});
        const seen = await p.run(() => {
          document.querySelector(".scroller").style.maxHeight = "none";
          document.querySelector(".scroller").dispatchEvent(new Event("scroll"));
          return new Promise((resolve) => setTimeout(resolve, 200));
        }).then(() => p.run(cellsOf));
        assert.equal(seen.length, printed.length);
        assert.deepEqual(seen, printed);
        await clean(p);
      }
  },

  async "rows sort by their numbers"(browser) {
    const rows = csv("stat", mobilenet);
    const falling = rows.map((row) => Number(row.macs)).sort((a, b) => b - a);
    const p = await browser.open(page("sort", "stat", mobilenet));
    const macs = await header(p, "MACs");
    const first = async () => (await p.run(cellsOf))[0][macs];
    const before = await first();
    await p.click("th button", macs);
    assert.equal(await first(), (falling[0] / 1e6).toFixed(2) + " M");
    assert.equal(await p.run((at) => document.querySelectorAll("th")[at].getAttribute("aria-sort"), macs),
                 "descending");
    await p.click("th button", macs);
    assert.equal(await first(), "0");
    await p.click("th button", macs);
    assert.equal(await first(), before);
    await p.click("th button", 0);
    const names = (await p.run(cellsOf)).map((cells) => cells[0]);
    assert.equal(names[0], "classifier.1");
    await clean(p);
  },

  async "a search leaves rows that have every word"(browser) {
    const wanted = csv("stat", mobilenet).filter((row) => row.layer.includes("features.1") &&
                                                          row.type === "Conv2d").length;
    const p = await browser.open(page("search", "stat", mobilenet));
    await p.click("input[type=search]");
    await p.type("features.1 conv2d");
    await settled();
    assert.ok((await p.run(() => document.querySelector(".count").textContent)).startsWith(`${wanted} of `));
    assert.ok((await p.run(cellsOf)).every((cells) => cells[0].includes("features.1")));
    await clean(p);
  },

  async "columns are chosen and the rest is copied as CSV"(browser) {
    const p = await browser.open(page("columns", "stat", mobilenet));
    await p.browser.send("Browser.grantPermissions",
                         {permissions: ["clipboardReadWrite", "clipboardSanitizedWrite"]});
    await p.click(".drop summary");
    const energy = await p.run(() => [...document.querySelectorAll(".menu label")].findIndex((one) =>
      one.textContent === "Energy"));
    await p.click(".menu input", energy);
    assert.ok(await header(p, "Energy") >= 0);
    await p.run(() => [...document.querySelectorAll("button")].find((one) =>
      one.textContent === "Copy as CSV").click());
    await settled();
    const lines = (await p.run(() => navigator.clipboard.readText())).trim().split("\n");
    const rows = csv("stat", mobilenet);
    assert.equal(lines.length, rows.length + 1);
    const head = lines[0].split(",");
    const last = lines[lines.length - 1].split(",");
    for (const name of ["params", "macs", "energy"])
      assert.equal(Number(last[head.indexOf(name)]), Number(rows[rows.length - 1][name]));
    await clean(p);
  },

  async "the module tree adds up"(browser) {
    const sum = csv("stat", mobilenet).filter((row) => row.layer.startsWith("features."))
      .reduce((all, row) => all + Number(row.params), 0);
    const p = await browser.open(page("tree", "stat", mobilenet));
    await p.run(() => [...document.querySelectorAll("label.tick")].find((one) =>
      one.textContent === "Module tree").click());
    await p.run(() => [...document.querySelectorAll("label.tick")].find((one) =>
      one.textContent === "Every digit").click());
    const params = await header(p, "Params");
    const group = (await p.run(cellsOf)).find((cells) => cells[0].endsWith("features"));
    assert.equal(group[params], sum.toLocaleString("en-US"));
    // Arrow keys open and close a group.
    await p.run(() => document.querySelector("tr.group").focus());
    const opened = async () => (await p.run(cellsOf)).length;
    const before = await opened();
    await p.press("ArrowLeft");
    assert.ok(await opened() < before);
    await p.press("ArrowRight");
    assert.equal(await opened(), before);
    await clean(p);
  },

  async "a click shows the layer everywhere"(browser) {
    const p = await browser.open(page("click", "stat", mobilenet));
    await settled();
    const charts = await p.run(() => [...document.querySelectorAll("svg.chart")].map((one) =>
      one.querySelectorAll("rect, path, circle, line").length));
    assert.equal(charts.length, 3);  // along the network, memory, treemap
    assert.ok(charts.every((shapes) => shapes > 5));
    await p.click("tbody tr[data-index]", 3);
    const name = await p.run(chosenRow);
    assert.equal(await p.run(detail), name);
    const shown = () => [...document.querySelectorAll("svg.chart")].map((one) =>
      one.querySelector(".chosen") !== null || Number(one.querySelector(".frame")?.getAttribute("width")) > 0);
    assert.deepEqual((await p.run(shown)).slice(0, 2), [true, true]);
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

  async "a table is used with the keyboard"(browser) {
    const p = await browser.open(page("keys", "stat", mobilenet));
    await p.run(() => document.querySelector('tr[tabindex="0"]').focus());
    await p.press("ArrowDown", 2);
    await p.press("Enter");
    const rows = csv("stat", mobilenet);
    assert.equal(await p.run(detail), rows[2].layer);
    await p.press("End");
    await p.press("Enter");
    assert.equal(await p.run(detail), rows[rows.length - 1].layer);
    await clean(p);
  },

  async "everything has a name for screen readers"(browser) {
    const roles = ["button", "searchbox", "combobox", "checkbox", "image", "grid", "treegrid"];
    const p = await browser.open(page("names", "stat", mobilenet));
    await settled();
    const {nodes} = await p.send("Accessibility.getFullAXTree");
    const found = nodes.filter((node) => !node.ignored && roles.includes(node.role?.value));
    assert.ok(found.length > 20);
    assert.deepEqual(found.filter((node) => !node.name?.value).map((node) => node.role.value), []);
    // Only the rows in sight are there, so the table says how many there are.
    assert.equal(await p.run(() => document.querySelector("table").getAttribute("aria-rowcount")),
                 String(csv("stat", mobilenet).length + 1));
    await clean(p);
  },

  // WCAG 2.1, 1.4.3: 4.5 to 1 for text.
  async "text can be read on its ground"(browser) {
    const ratio = (text, ground) => {
      const probe = document.createElement("span");
      document.body.append(probe);
      const light = (name) => {
        probe.style.color = `var(--${name})`;
        const parts = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map((one) => one / 255)
          .map((one) => one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
      };
      const [low, high] = [light(text), light(ground)].sort((a, b) => a - b);
      probe.remove();
      return (high + 0.05) / (low + 0.05);
    };
    const p = await browser.open(page("contrast", "stat", mobilenet));
    for (const dark of [false, true]) {
      await p.colours(dark);
      for (const text of ["ink", "soft"])
        for (const ground of ["paper", "card", "band", "chosen-soft"]) {
          const found = await p.run(ratio, text, ground);
          assert.ok(found >= 4.5, `${text} on ${ground}: ${found.toFixed(2)}`);
        }
    }
    await clean(p);
  },

  async "light and dark"(browser) {
    const background = () => getComputedStyle(document.body).backgroundColor;
    const p = await browser.open(page("dark", "stat", mobilenet), {dark: true});
    assert.equal(await p.run(background), "rgb(20, 23, 27)");
    await p.colours(false);
    assert.equal(await p.run(background), "rgb(255, 255, 255)");
    await p.click(".theme");
    await p.click(".theme");  // auto, light, dark
    assert.equal(await p.run(background), "rgb(20, 23, 27)");
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
    assert.deepEqual(await sorted.run(titles), ["Summary", "Treemap", "Layers"]);
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

  async "names are shown and do not run"(browser) {
    const hostile = ["</script><script>window.ran = 1</script>", "<img src=x onerror='window.ran = 2'>",
                     "</style><style>body{display:none}</style>", "</script x", "<!-- <script ", "a\u2028b",
                     "${window.ran = 3}",
                     "\"><svg onload=alert(1)>", "javascript:alert(1)", "=cmd|'/c calc'!A1"];
    const file = join(folder, "hostile.onnx");
    writeFileSync(file, chain(hostile, false));
    const p = await browser.open(page("hostile", "stat", file, "--report", "node"));
    await settled();
    assert.equal(await p.run(() => window.ran), undefined);
    assert.equal(await p.run(() => getComputedStyle(document.body).display), "block");
    const names = (await p.run(cellsOf)).map((cells) => cells[0]);
    assert.deepEqual(names, hostile.map((name) => name.replace("\u2028", "\\u2028")));
    for (let i = 0; i < hostile.length; ++i) await p.run((at) =>
      document.querySelector(`tr[data-index="${at}"]`).click(), i);
    assert.equal(await p.run(() => window.ran), undefined);
    await clean(p);
  },

  async "nothing can be sent"(browser) {
    const p = await browser.open(page("policy", "stat", mobilenet));
    assert.equal(await p.run(() => fetch("https://strata.invalid/").then(() => "sent", () => "refused")),
                 "refused");
    assert.equal(await p.run(() => {
      const script = document.createElement("script");
      script.textContent = "window.ran = 1";
      document.body.append(script);
      return window.ran;
    }), undefined);
    await p.close();
  },

  async "ten thousand rows"(browser) {
    const names = Array.from({length: 10000}, (unused, i) =>
      `backbone.stages.${Math.floor(i / 2500)}.blocks.${Math.floor(i / 20)}.layer${i % 20}`);
    const model = join(folder, "long.onnx");
    writeFileSync(model, chain(names, true));
    const file = page("long", "stat", model);
    assert.ok(statSync(file).size < 3e6, `${statSync(file).size} bytes`);
    const p = await browser.open(file);
    const took = await p.run(() => performance.getEntriesByType("navigation")[0].loadEventEnd);
    console.log(`  10,000 rows: ${statSync(file).size} bytes, loaded after ${Math.round(took)} ms`);
    // Not by the clock, which depends on the machine: what makes a page slow is many elements.
    const elements = await p.run(() => document.querySelectorAll("*").length);
    assert.ok(elements < 3000, `${elements} elements`);
    assert.ok((await p.run(() => document.querySelector(".count").textContent)).startsWith("10000 rows"));
    await p.run(() => { document.querySelector(".scroller").scrollTop = 1e9; });
    await settled();
    const last = (await p.run(cellsOf)).pop();
    assert.equal(last[0], names[9999]);
    await clean(p);
  },

  async "every command writes a page"(browser) {
    const commands = [["zoo"], ["ops"], ["engines"], ["stat", mobilenet, "--report", "tree"],
                      ["stat", mobilenet, "--report", "type"], ["stat", mobilenet, "--report", "none"],
                      ["stat", mobilenet, "--layout", "torchstat"], ["stat", mobilenet, "--count", "thop"],
                      ["stat", join(models, "mobilenet_v2_dynamic.onnx")],
                      ["payload", mobilenet], ["payload", mobilenet, "--cuts", "--split", "--link", "50Mbps",
                       "--edge", "100GFLOP/s,10GB/s", "--server", "10TFLOP/s,500GB/s"],
                      ["zoo", "table"]];
    for (const [index, words] of commands.entries()) {
      const p = await browser.open(page(`command${index}`, ...words));
      const body = await p.run(() => document.getElementById("page").textContent.length);
      assert.ok(body > 100, words.join(" "));
      await clean(p);
    }
  },

  async "layers below the roof"(browser) {
    const words = ["stat", "zoo:squeezenet1_1?resolution=32", "--time", "--roofline", "--engine", "fake",
                   "--runs", "5"];
    const p = await browser.open(page("roofline", ...words));
    await settled();
    const dots = await p.run(() => document.querySelectorAll("svg.chart .dot").length);
    // Every layer that computes something: 26 convolutions, 26 activations, 4 pools.
    assert.equal(dots, 56);
    await p.run(() => document.querySelectorAll("svg.chart .dot")[3].dispatchEvent(
      new MouseEvent("click", {bubbles: true})));
    const chosen = await p.run(detail);
    assert.equal(await p.run(chosenRow), chosen);
    assert.ok((await p.run(() => document.querySelectorAll("svg.chart")[0].querySelector(".strong")
      .textContent)).includes(chosen));
    await clean(p);
  },

  async "latencies and speed-ups"(browser) {
    const p = await browser.open(page("bench", "bench", "zoo:squeezenet1_1?resolution=32", "--engine",
                                      "fake,fake:spin=20000", "--max-time", "2s", "--processes", "2"));
    await settled();
    assert.ok(statSync(join(folder, "bench.html")).size < 400e3);  // without its samples
    const titles = await p.run(() => [...document.querySelectorAll("h2")].map((one) => one.textContent));
    assert.ok(titles.includes("Latency"), titles.join());
    assert.ok(await p.run(() => document.querySelectorAll("svg.chart circle").length) >= 2);
    await p.click("tbody td:first-child", 1);
    assert.ok(await p.run(() => document.querySelector("svg.chart .chosen") !== null));
    assert.equal(await p.run(detail), "fake:spin=20000");
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
    // 256 channels of 6×6 leave the last pool, 4,096 numbers the first linear layer.
    assert.ok(texts.includes("16.00 KiB after classifier.1"), texts.join());
    assert.ok(texts.includes("after features.12"), texts.join());
    await clean(p);
  },

  async "a page can be printed"(browser) {
    const p = await browser.open(page("print", "stat", mobilenet));
    const {data} = await p.send("Page.printToPDF", {});
    assert.ok(Buffer.from(data, "base64").subarray(0, 5).toString() === "%PDF-");
    await clean(p);
  },

  async "MobileNetV2 is small"() {
    const bytes = statSync(page("small", "stat", mobilenet)).size;
    console.log(`  MobileNetV2: ${bytes} bytes`);
    assert.ok(bytes < 400e3, `${bytes} bytes`);
  },
};

const browser = await Browser.start();
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  if (process.argv[4] && !name.includes(process.argv[4])) continue;
  try {
    await test(browser);
    console.log(`ok      ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}
await browser.stop();
rmSync(folder, {recursive: true});
process.exit(failed === 0 ? 0 : 1);
