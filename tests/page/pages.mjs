// Shared by the tests: pages and tables that the program writes, and the visible parts of a page.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdtempSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

export const [,, strata, models] = process.argv;
export const folder = mkdtempSync(join(tmpdir(), "strata-pages-"));
export const mobilenet = join(models, "mobilenet_v2.onnx");

export function run(...words) {
  return execFileSync(strata, words, {encoding: "utf8", maxBuffer: 1 << 28,
                                      stdio: ["ignore", "pipe", "inherit"]});
}

/** The path of a page that a command wrote. */
export function page(name, ...words) {
  const file = join(folder, `${name}.html`);
  run(...words, "--format", "html", "-o", file);
  return file;
}

/** Rows of a table that the program wrote in another format. */
export function csv(...words) {
  const [head, ...lines] = run(...words, "--format", "csv").trim().split("\n")
    .map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((m) => m[1])
      .slice(0, -1).map((field) => field.replace(/^"|"$/g, "").replace(/""/g, '"')));
  return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]])));
}

export const settled = () => new Promise((resolve) => setTimeout(resolve, 150));

/** A browser on a busy machine draws late: waits, 10 s at most, for what the test then asserts. */
export async function until(isSo) {
  for (let i = 0; i < 100 && !(await isSo()); ++i)
    await new Promise((resolve) => setTimeout(resolve, 100));
}

// The visible parts of the page.
export const cellsOf = () => [...document.querySelectorAll("tbody tr[data-index]")].map((row) =>
  [...row.children].map((cell) => cell.textContent));
export const chosenRow = () => document.querySelector("tr.chosen")?.firstElementChild.textContent;
export const detail = () => document.querySelector(".detail").hidden ? null
  : document.querySelector(".detail strong").textContent;
export const header = (p, title) => p.run((wanted) =>
  [...document.querySelectorAll("th button")].findIndex((one) => one.textContent.startsWith(wanted)),
  title);

export async function clean(p) {
  await settled();
  assert.deepEqual(p.problems, []);
  assert.deepEqual(p.requests.filter((url) => url !== p.url && !url.startsWith("data:")), []);
  await p.close();
}
