// Makes the pictures of README.md, docs/page.md and docs/diff.md:
//   node tests/page/screenshots.mjs build/test/strata docs/images
// The first picture shows measured times, so the engine for ONNX must be there (make engines).
import {execFileSync} from "node:child_process";
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

import {Browser} from "./chromium.mjs";

const [,, strata, out] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "strata-pictures-"));
mkdirSync(out, {recursive: true});

function page(name, ...words) {
  const file = join(folder, `${name}.html`);
  execFileSync(strata, [...words, "--format", "html", "-o", file], {stdio: "inherit"});
  return file;
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 400));

/** The part of the page from the first to the second heading. */
async function save(p, name, from, to) {
  const clip = await p.run((first, last) => {
    const parts = [...document.querySelectorAll("header, section.part")];
    const find = (title) => parts.findIndex((one) => (one.querySelector("h1, h2").textContent === title));
    const top = first === "" ? 0 : parts[find(first)].getBoundingClientRect().top + scrollY;
    const bottom = parts[find(last)].getBoundingClientRect().bottom + scrollY;
    return {x: 0, y: top - 8, width: innerWidth, height: bottom - top + 16};
  }, from, to);
  writeFileSync(join(out, `${name}.png`), await p.picture({clip}));
}

const browser = await Browser.start();

// The first screen: the answer, and below it the graph.
const timed = page("timed", "stat", "zoo:resnet50", "--time", "--roofline");
const first = await browser.open(timed, {width: 1280, height: 1600});
await settled();
await first.run(() => {
  [...document.querySelectorAll(".graph-frame, .tools button")].find((one) => one.textContent === "Close all").click();
  const search = document.querySelector("input[aria-label='Find a layer']");
  search.value = "layer1.0.downsample.0";
  search.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"}));
  document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
  search.value = "";
});
await settled();
writeFileSync(join(out, "page-first.png"), await first.picture());

const network = page("swiftnet", "stat", "zoo:swiftnet_rn18");
const light = await browser.open(network, {width: 1000});
await settled();
await save(light, "page-memory", "Memory", "Treemap");
const blocks = await browser.open(page("resnet", "stat", "zoo:resnet50"), {width: 1000});
await settled();
await blocks.run(() => {
  const press = (text) => [...document.querySelectorAll(".graph-frame, .tools button")].find((one) => one.textContent === text);
  press("Close all").click();
  const search = document.querySelector("input[aria-label='Find a layer']");
  search.value = "layer1.0.downsample.0";
  search.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"}));
});
await settled();
await save(blocks, "page-graph", "Graph", "Graph");

const dark = await browser.open(network, {width: 1000, height: 700, dark: true});
await settled();
await dark.run(() => {
  document.querySelector(".scroller").closest("section").scrollIntoView();
  document.querySelector('tr[data-index="5"]').click();
});
await settled();
writeFileSync(join(out, "page-table.png"), await dark.picture());

const cuts = await browser.open(page("payload", "payload", "zoo:alexnet", "--cuts", "--split", "--link",
                                     "50Mbps", "--rtt", "5ms", "--edge", "100GFLOP/s,10GB/s", "--server",
                                     "10TFLOP/s,500GB/s"), {width: 1000});
await settled();
await save(cuts, "page-cuts", "Places to cut", "Best cut by link");

const changes = await browser.open(page("diff", "diff", "zoo:squeezenet1_1", "zoo:squeezenet1_0"), {width: 1000});
await settled();
await save(changes, "page-diff", "", "What changed");

// The command's own picture of a network.
execFileSync(strata, ["stat", "zoo:squeezenet1_1", "--chart", "graph", "-o", join(out, "graph.svg")], {stdio: "inherit"});

await browser.stop();
rmSync(folder, {recursive: true});
