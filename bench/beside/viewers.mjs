// Opens ONNX files in netron and as strata's page, by turns, in Debian's Chromium:
//   node bench/beside/viewers.mjs STRATA NETRON FILE...
// NETRON is a folder with netron's wheel (pip install --target). Prints the median time for which the page's
// thread was busy until the network was shown, and the memory of its scripts.
import {spawn, spawnSync} from "node:child_process";
import {mkdtempSync, rmSync, statSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

import {Browser, Page} from "../../tests/page/chromium.mjs";

const [strata, netron, ...files] = process.argv.slice(2);
const kTurns = 5, kPort = 8741;
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function blank(browser) {
  const {targetId} = await browser.send("Target.createTarget", {url: "about:blank"});
  const {sessionId} = await browser.send("Target.attachToTarget", {targetId, flatten: true});
  const page = new Page(browser, sessionId, targetId);
  await page.prepare(1280, 800, false);
  await page.send("Performance.enable");
  return page;
}

// How long the thread of a new browser's page was busy until `shown` was no longer 0, and its memory.
async function measure(url, shown) {
  const browser = await Browser.start();
  const page = await blank(browser);
  await page.load(url);
  let count = 0;
  for (let i = 0; i < 1200 && count === 0; ++i) {
    await pause(100);
    count = await page.run(shown);
  }
  await pause(500);  // the last of the drawing
  const {metrics} = await page.send("Performance.getMetrics");
  const value = (name) => metrics.find((one) => one.name === name).value;
  const out = {seconds: value("TaskDuration"), heap: value("JSHeapUsedSize") / 1e6};
  await browser.stop();
  return out;
}

const inStrata = () => document.querySelectorAll("tbody tr").length;
const inNetron = () => {
  const button = document.querySelector("#message-button");  // asks to report usage, once a profile
  if (button?.offsetParent) button.click();
  return document.querySelectorAll("#canvas .node, .graph-node").length;
};

const work = mkdtempSync(join(tmpdir(), "strata-beside-"));
for (const file of files) {
  const pageFile = join(work, "page.html");
  const code = `import sys, time; sys.path.insert(0, sys.argv[1]); import netron; ` +
    `netron.start(sys.argv[2], address=("127.0.0.1", ${kPort}), browse=False); time.sleep(10000)`;
  const server = spawn("python3", ["-c", code, netron, file], {stdio: "ignore"});
  await pause(5000);
  const found = {strata: [], netron: []};
  for (let turn = 0; turn < kTurns; ++turn) {
    spawnSync(strata, ["stat", file, "--format", "html", "-o", pageFile]);
    found.strata.push(await measure(`file://${pageFile}`, inStrata));
    found.netron.push(await measure(`http://127.0.0.1:${kPort}`, inNetron));
  }
  server.kill();
  for (const [tool, runs] of Object.entries(found))
    console.log(`${file} ${tool}: ${median(runs.map((one) => one.seconds)).toFixed(2)} s, ` +
                `${median(runs.map((one) => one.heap)).toFixed(1)} MB of scripts' memory`);
  console.log(`${file}: strata's page has ${statSync(pageFile).size} bytes`);
}
rmSync(work, {recursive: true});
