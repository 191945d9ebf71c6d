// The whole page: names that would run, requests, colours, screen readers, printing, size.
import assert from "node:assert/strict";
import {statSync, writeFileSync} from "node:fs";
import {join} from "node:path";

import {cellsOf, clean, csv, folder, mobilenet, models, page, settled} from "./pages.mjs";
import {chain} from "./small_model.mjs";

export const wholeTests = {
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

  // The zoo has the dropout that the exporter left out; everything else is the same.
  async "a comparison shows its verdict, its totals and its rows"(browser) {
    const p = await browser.open(page("diff", "diff", "zoo:mobilenet_v2", mobilenet));
    await settled();
    const seen = await p.run(() => ({
      summary: document.querySelector("main").textContent,
      grids: [...document.querySelectorAll("table")].map((one) => one.getAttribute("aria-label")),
    }));
    assert.match(seen.summary, /the same network, except that 1 layer without cost was removed; the same totals/);
    assert.match(seen.summary, /1 removed, 151 the same/);
    assert.deepEqual(seen.grids, ["Totals", "Layers"]);
    const cells = await p.run(cellsOf);
    assert.ok(cells.some((row) => row.includes("classifier.0") && row.includes("removed")), cells);
    assert.ok(cells.some((row) => row.includes("MACs") && row.includes("same")), cells);
    await clean(p);
  },

  async "the peak is said once"(browser) {
    const p = await browser.open(page("peak", "stat", mobilenet));
    const summary = await p.run(() => [...document.querySelectorAll(".answers, .sentences")].map((one) =>
      one.textContent).join());
    assert.equal(summary.match(/peak/gi).length, 1, summary);
    // 96 and 96 channels of 112×112 floats are alive at once.
    assert.match(summary, /Memory peaks at 9\.188 MiB/);
    await clean(p);
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
    const other = await browser.open(page("hostile-diff", "diff", file, mobilenet));
    await settled();
    assert.ok(await other.run(() => document.querySelectorAll("svg.chart path.more").length) > 0);
    assert.equal(await other.run(() => window.ran), undefined);
    await clean(other);
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

  async "a page can be printed"(browser) {
    const p = await browser.open(page("print", "stat", mobilenet));
    const rows = csv("stat", mobilenet).length;
    assert.ok((await p.run(cellsOf)).length < rows);  // those in sight
    await p.run(() => { window.dispatchEvent(new Event("beforeprint")); });
    assert.equal((await p.run(cellsOf)).length, rows);
    assert.equal(await p.run(() => document.querySelector(".printed").textContent), "");
    await p.run(() => { window.dispatchEvent(new Event("afterprint")); });
    const {data} = await p.send("Page.printToPDF", {});
    assert.ok(Buffer.from(data, "base64").subarray(0, 5).toString() === "%PDF-");
    await clean(p);
  },

  async "MobileNetV2 is small"() {
    const bytes = statSync(page("small", "stat", mobilenet)).size;
    console.log(`  MobileNetV2: ${bytes} bytes`);
    assert.ok(bytes <= 350e3, `${bytes} bytes`);
  },
};
