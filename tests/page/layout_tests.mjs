// Pages on telephones, tablets and desks: nothing sticks out, everybody can use them.
import assert from "node:assert/strict";
import {existsSync, readFileSync, writeFileSync} from "node:fs";
import {join} from "node:path";

import {clean, folder, mobilenet, models, page, run, settled} from "./pages.mjs";

const kWidths = [390, 768, 1440];
const kSplit = ["payload", "zoo:alexnet", "--cuts", "--split", "--link", "50Mbps", "--edge", "100GFLOP/s,10GB/s",
                "--server", "10TFLOP/s,500GB/s"];
const kTimed = ["stat", "zoo:squeezenet1_1?resolution=32", "--time", "--roofline", "--engine", "fake", "--runs", "5"];
const kPages = {stat: ["stat", mobilenet], timed: kTimed, split: kSplit,
                diff: ["diff", "zoo:squeezenet1_1?resolution=64", "zoo:squeezenet1_0?resolution=64"],
                tree: ["stat", mobilenet, "--report", "tree"],
                open: ["stat", join(models, "mobilenet_v2_dynamic.onnx")], zoo: ["zoo"],
                bench: ["bench", "zoo:squeezenet1_1?resolution=32", "--engine", "fake,fake:spin=20000", "--threads", "1,2",
                        "--max-time", "2s", "--processes", "2"],
                sensitivity: ["sensitivity", "zoo:squeezenet1_1?resolution=64", "--engine", "fake", "--random", "--samples", "2"],
                predict: ["predict", "zoo:resnet18", "--on", "raspberry-pi-5"], llm: ["llm", "zoo:llama-3-8b", "--on", "rtx-4090"]};
const axe = process.env.STRATA_AXE && join(process.env.STRATA_AXE, "node_modules", "axe-core", "axe.min.js");

/** Texts of charts that leave the page, and how far the page is too wide. The graph is cut to its frame. */
const overflow = () => {
  const out = [...document.querySelectorAll("svg.chart:not(.graph) text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return text.textContent !== "" && (box.left < -0.5 || box.right > innerWidth + 0.5);
  }).map((text) => text.textContent);
  return {wide: document.documentElement.scrollWidth - innerWidth, out};
};

/** Pairs of texts of a chart that cover each other; names in a treemap may touch. */
const covered = () => [...document.querySelectorAll("svg.chart:not(.graph)")].flatMap((chart) => {
  const texts = [...chart.querySelectorAll("text")].map((one) => [one.textContent, one.getBoundingClientRect()])
    .filter(([words, box]) => words !== "" && box.width > 0);
  return texts.flatMap(([words, a], i) => texts.slice(i + 1).filter(([, b]) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 8 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4)
    .map(([other]) => `${words} and ${other}`));
});

/** Letters that stand one below the other: a box of text narrower than three of them. */
const squeezed = () => [...document.querySelectorAll("li, dd, p, td, th, button span")].filter((one) => {
  const box = one.getBoundingClientRect();
  return one.textContent.trim().length > 12 && box.width > 0 && box.width < 36 && box.height > 60;
}).map((one) => one.textContent);

/** On a tablet and a desk, tables that are wider than their frame; true if bars have one scale, and if no two variants look alike. */
const compared = () => {
  const frames = [...document.querySelectorAll(".scroller")].filter((one) => one.clientWidth > 0);
  const bars = [...document.querySelectorAll(".rank-bar")].map((one) => Math.round(one.getBoundingClientRect().width));
  const rows = frames.filter((one) => one.textContent.startsWith("Backend")).flatMap((one) =>
    [...one.querySelectorAll("tbody tr[data-index]")].map((row) =>
      [...row.children].map((cell) => cell.textContent).filter((text) => !/\d [mnµ]?s/.test(text)).join("|")));
  return {cut: frames.filter((one) => innerWidth > 640 && one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent.slice(0, 80)),
          bars: new Set(bars).size <= 1, rows: new Set(rows).size === rows.length};
};

export const layoutTests = {
  async "nothing sticks out at any width"(browser) {
    for (const [name, words] of Object.entries(kPages)) {
      const file = page(`layout-${name}`, ...words);
      for (const width of kWidths) {
        const p = await browser.open(file, {width});
        await settled();
        const found = await p.run(overflow);
        assert.ok(found.wide <= 0, `${name} at ${width}: ${found.wide} pixels too wide`);
        assert.deepEqual(found.out, [], `${name} at ${width}`);
        assert.deepEqual(await p.run(squeezed), [], `${name} at ${width}`);
        assert.deepEqual(await p.run(covered), [], `${name} at ${width}`);
        assert.deepEqual(await p.run(compared), {cut: [], bars: true, rows: true}, `${name} at ${width}`);
        await clean(p);
      }
    }
  },

  async "axe-core finds nothing"(browser) {
    if (!axe || !existsSync(axe)) {
      console.log("  not checked: tests/page/install.sh FOLDER, then STRATA_AXE=FOLDER/axe");
      return;
    }
    const script = readFileSync(axe, "utf8");
    const judge = async (p, name) => {
      await settled();
      await p.send("Runtime.evaluate", {expression: script});
      const violations = await p.run(async () => (await window.axe.run(document)).violations.map((one) =>
        `${one.id}: ${one.nodes.length}, ${one.nodes[0].html.slice(0, 120)}`));
      assert.deepEqual(violations, [], name);
      await clean(p);
    };
    for (const [name, words] of Object.entries(kPages)) {
      const file = page(`axe-${name}`, ...words);
      for (const [width, dark] of [[390, false], [1440, true]])
        await judge(await browser.open(file, {width, dark}), `${name} at ${width}`);
    }
  },

  // WCAG 2.1, 1.4.3, for what axe-core does not look at: names on the shades and colours of the graph.
  async "names in the graph can be read"(browser) {
    const worst = () => {
      const light = (color) => {
        const canvas = document.createElement("canvas").getContext("2d");
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((one) => one / 255)
          .map((one) => one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
      };
      const ink = light(getComputedStyle(document.querySelector(".graph .box text")).fill);
      return Math.min(...[...document.querySelectorAll(".shade")].map((one) => {
        const [low, high] = [light(getComputedStyle(one).backgroundColor), ink].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
      }));
    };
    for (const dark of [false, true]) {
      const p = await browser.open(page("shades", "stat", mobilenet), {dark});
      await settled();
      const found = await p.run(worst);
      assert.ok(found >= 4.5, `${dark ? "dark" : "light"}: ${found.toFixed(2)}`);
      await clean(p);
    }
  },

  async "names in the treemap can be read"(browser) {
    const worst = () => {
      const light = (color) => {
        const canvas = document.createElement("canvas").getContext("2d");
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((one) => one / 255)
          .map((one) => one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
      };
      return Math.min(...[...document.querySelectorAll(".chart .on")].map((text) => {
        let leaf = text.previousElementSibling;
        while (!leaf.classList.contains("leaf")) leaf = leaf.previousElementSibling;
        const [low, high] = [text, leaf].map((one) => light(getComputedStyle(one).fill)).sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
      }));
    };
    for (const name of ["mobilenet_v2", "swiftnet_rn18"])  // shades of 21 stages, and colours of four
      for (const dark of [false, true]) {
        const p = await browser.open(page(`areas-${name}`, "stat", `zoo:${name}`), {dark});
        await settled();
        const found = await p.run(worst);
        assert.ok(found >= 4.5, `${name}, ${dark ? "dark" : "light"}: ${found.toFixed(2)}`);
        await clean(p);
      }
  },

  async "the first screen answers"(browser) {
    const p = await browser.open(page("first", "stat", mobilenet), {width: 1440, height: 900});
    await settled();
    const seen = await p.run(() => ({
      figures: [...document.querySelectorAll(".figure")].map((one) => [...one.children].map((part) => part.textContent)),
      verdict: document.querySelector(".verdict").textContent,
      ranked: [...document.querySelectorAll(".ranked li")].map((one) => one.textContent),
      bottom: document.querySelector(".ranked").getBoundingClientRect().bottom,
      along: document.querySelector("svg.chart").getBoundingClientRect().bottom,
      body: document.body.innerText,
    }));
    // torchvision documents 3,504,872 parameters; 300.77 M MACs are counted by fvcore.
    assert.deepEqual(seen.figures[0].slice(0, 2), ["Parameters", "3.505 M"]);
    assert.deepEqual(seen.figures[1].slice(0, 2), ["MACs", "300.8 M"]);
    assert.deepEqual(seen.figures[3].slice(0, 2), ["Time", "not measured"]);
    assert.equal(seen.ranked.length, 8);
    assert.ok(seen.bottom < 900);
    assert.ok(seen.along < 900);
    assert.doesNotMatch(seen.body, /\btape\b|file bytes/i);
    await p.click(".ranked button");
    assert.ok(await p.run(() => !document.querySelector(".detail").hidden));
    await clean(p);
  },

  async "a table on a telephone has the name and the number"(browser) {
    const p = await browser.open(page("phone", "stat", mobilenet), {width: 390});
    await settled();
    const heads = await p.run(() => [...document.querySelectorAll("th button")].map((one) => one.textContent));
    assert.deepEqual(heads, ["Layer", "MACs"]);
    const fits = await p.run(() => document.querySelector(".scroller").scrollWidth <= document.querySelector(".scroller").clientWidth);
    assert.ok(fits);
    await clean(p);
  },

  // A layer that runs in the kernel of another has no time of its own: the sum of a module is that of the others.
  async "modules have the time of their layers"(browser) {
    const p = await browser.open(page("module-times", ...kTimed));
    await settled();
    const {columns, rows} = await p.run(() => JSON.parse(document.getElementById("data").textContent).tables[0]);
    const [layer, time] = ["layer", "time"].map((name) => columns.findIndex((column) => column.name === name));
    const inside = rows.filter((cells) => cells[layer].startsWith("features."));
    assert.ok(inside.some((cells) => typeof cells[time] !== "number"));
    const sum = inside.reduce((all, cells) => all + (typeof cells[time] === "number" ? cells[time] : 0), 0);
    const title = await p.run(() => {
      [...document.querySelectorAll("button")].find((one) => one.textContent === "Close all").click();
      return [...document.querySelectorAll(".graph title")].map((one) => one.textContent).find((one) => one.startsWith("features"));
    });
    const shown = /Time: ([\d.]+) (ms|µs|ns)/.exec(title);
    assert.ok(shown, title);
    assert.ok(Math.abs(Number(shown[1]) * {ms: 1e-3, µs: 1e-6, ns: 1e-9}[shown[2]] / sum - 1) < 1e-3, `${title}, not ${sum}`);
    // The treemap has an area for most layers that have a time.
    assert.ok(await p.run(() => document.querySelectorAll(".leaf").length) > 20);
    await clean(p);
  },

  async "a bench page shows the columns that answer"(browser) {
    const p = await browser.open(page("bench-columns", ...kPages.bench));
    await settled();
    const heads = await p.run(() => [...document.querySelectorAll("th button")].map((one) => one.textContent));
    assert.deepEqual(heads.slice(0, 5), ["Backend", "Precision", "Threads", "Median", "95 % interval"]);
    await clean(p);
  },

  async "a saved profile keeps its graph, which a sensitivity colours"(browser) {
    const model = "zoo:squeezenet1_1?resolution=64";
    const [profile, lost, file] = ["kept.json", "lost.json", "kept.html"].map((name) => join(folder, name));
    run("stat", model, "-o", profile);
    const saved = JSON.parse(readFileSync(profile, "utf8"));
    // Half of the rows are said to be integers, so that the type of elements may be a colour.
    saved.tables.layers.rows.forEach((row, i) => { row.dtype = i % 2 === 0 ? "f32" : "i8"; });
    writeFileSync(profile, JSON.stringify(saved));
    run("sensitivity", model, "--engine", "fake", "--random", "--samples", "2", "-o", lost);
    run("page", profile, lost, "-o", file);
    const direct = await browser.open(page("direct", "stat", model)), p = await browser.open(file);
    await settled();
    const edges = () => {
      const data = JSON.parse(document.getElementById("data").textContent);
      return (data.documents || [data])[0].tables[0].edges;
    };
    assert.deepEqual(await p.run(edges), await direct.run(edges));
    await clean(direct);
    const colours = await p.run(() => [...document.querySelectorAll("label.choice select")].map((list) =>
      [...list.options].map((one) => one.value)).find((values) => values.includes("sensitivity")));
    assert.ok(colours && colours.includes("dtype"), colours);
    const titles = (colour) => {
      const list = [...document.querySelectorAll("label.choice select")].find((one) => [...one.options].some((option) => option.value === "dtype"));
      list.value = colour;
      list.dispatchEvent(new Event("change"));
      [...document.querySelectorAll("button")].find((one) => one.textContent === "Open all").click();
      [...document.querySelectorAll("button")].find((one) => one.textContent === "Fit").click();
      return new Promise((resolve) => setTimeout(() => resolve([...document.querySelectorAll(".graph .box")].map((one) =>
        [one.querySelector("title").textContent, one.querySelector("rect").getAttribute("class")])), 300));
    };
    const shades = await p.run(titles, "sensitivity");
    const worst = JSON.parse(readFileSync(lost, "utf8")).tables.layers.rows.reduce((a, b) => (b.drop > a.drop ? b : a));
    const [, shade] = shades.find(([title]) => title.startsWith(worst.layer + "\n"));
    assert.equal(shade, "heat8");  // the darkest
    const words = await p.run(titles, "dtype");
    assert.deepEqual(new Set(words.map(([, own]) => own)), new Set(["tint0", "tint1"]));
    await clean(p);
  },

  async "several results share a page"(browser) {
    const [profile, diff] = ["tab-profile.json", "tab-diff.json"].map((name) => join(folder, name));
    run("stat", "zoo:squeezenet1_1?resolution=64", "-o", profile);
    run("diff", "zoo:squeezenet1_1?resolution=64", "zoo:squeezenet1_0?resolution=64", "--format", "json", "-o", diff);
    const file = join(folder, "tabs.html");
    run("page", profile, diff, "-o", file);
    const p = await browser.open(file);
    await settled();
    const tabs = await p.run(() => [...document.querySelectorAll("[role=tab]")].map((one) => one.textContent));
    assert.equal(tabs.length, 2);
    assert.match(tabs[0], /squeezenet1_1\?resolution=64: profile/);
    const visible = () => [...document.querySelectorAll("h2")].filter((one) => one.getBoundingClientRect().width > 0)
      .map((one) => one.textContent);
    assert.ok((await p.run(visible)).includes("Along the network"));
    await p.run(() => document.querySelector("[role=tab]").focus());
    await p.press("ArrowRight");
    await settled();
    assert.ok((await p.run(visible)).includes("What changed"));
    assert.ok(!(await p.run(visible)).includes("Along the network"));
    await clean(p);
  },
};
