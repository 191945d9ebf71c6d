// Tables: cells, sorting, searching, choosing, the keyboard.
import assert from "node:assert/strict";
import {statSync, writeFileSync} from "node:fs";
import {join} from "node:path";

import {cellsOf, clean, csv, detail, folder, header, mobilenet, models,
        page, run, settled, until} from "./pages.mjs";
import {chain} from "./small_model.mjs";

export const tableTests = {
  async "cells are what the program prints"(browser) {
    const columns = "layer,type,output,params,params%,macs,flops,read,write,activation,intensity,energy";
    for (const model of [mobilenet, "zoo:swin_t", join(models, "mobilenet_v2_dynamic.onnx")])
      for (const more of [[], ["--exact"]]) {
        const words = ["stat", model, "--columns", columns, ...more];
        const printed = run(...words, "--format", "md").split("\n").filter((line) => line.startsWith("| "))
          .map((line) => line.split(/(?<!\\)\|/).slice(1, -1)
            .map((cell) => cell.trim().replace(/\\(.)/g, "$1"))).slice(1, -1);
        const p = await browser.open(page("cells", ...words), {height: 300 + 40 * printed.length});
        await p.run(() => {
          document.querySelector(".scroller").style.maxHeight = "none";
          document.querySelector(".scroller").dispatchEvent(new Event("scroll"));
        });
        await until(async () => (await p.run(cellsOf)).length === printed.length);
        const seen = await p.run(cellsOf);
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
    await p.click("input[aria-label='Search rows']");
    await p.type("features.1 conv2d");
    const count = () => p.run(() => document.querySelector(".count").textContent);
    await until(async () => (await count()).startsWith(`${wanted} of `));
    assert.ok((await count()).startsWith(`${wanted} of `), await count());
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
    await until(async () => await header(p, "Energy") >= 0);
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
    await until(async () => (await p.run(cellsOf)).pop()[0] === names[9999]);
    const last = (await p.run(cellsOf)).pop();
    assert.equal(last[0], names[9999]);
    await clean(p);
  },
};
