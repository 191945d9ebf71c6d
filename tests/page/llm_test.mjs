// The formulas in a page of `strata llm` against the program: memory by part, the longest context,
// the largest batch, and the time of prompts and steps, for many setups. node llm_test.mjs STRATA
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {readFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import vm from "node:vm";

const strata = process.argv[2];
const pages = join(dirname(fileURLToPath(import.meta.url)), "../../assets/page");
const run = (words) => execFileSync(strata, words, {encoding: "utf8", maxBuffer: 1 << 28});

// Nothing of a browser is needed to work something out.
const context = vm.createContext({document: {}, ResizeObserver: class {}});
vm.runInContext(["format", "data", "llm_model"].map((name) => readFileSync(join(pages, `${name}.js`), "utf8")).join("\n") +
                "\nthis.page = {servedMemory, longestContext, largestBatch, decodeTime, prefillTime, servingData, DataTable};", context);
const {servedMemory, longestContext, largestBatch, decodeTime, prefillTime, servingData, DataTable} = context.page;

/** The numbers that a page works with. */
function dataOf(words) {
  const html = run([...words, "--format", "html"]);
  const raw = JSON.parse(html.match(/<script id="data"[^>]*>(.*?)<\/script>/s)[1]);
  const tables = (Array.isArray(raw) ? raw[0] : raw).tables.map((table) => new DataTable(table));
  return servingData({table: (name) => tables.find((one) => one.name === name)});
}

const kModels = ["llama-3-8b", "gemma-3-27b", "deepseek-v3", "jamba-v0.1", "gpt-oss-120b"];
const kSetups = [["h100", "bf16", "bf16", 8192, 1], ["rtx-4090", "q4_k_m", "fp8", 3000, 7],
                 ["h200", "fp8", "q8_0", 131072, 3], ["l4", "awq", "bf16", 512, 64],
                 ["m2-ultra", "q8_0", "f16", 4096, 6], ["m2-ultra", "bf16", "f16", 700, 33],
                 ["rtx-4090", "q4_k_m", "f16", 3000, 24]];
let compared = 0;
for (const model of kModels) {
  const data = dataOf(["llm", `zoo:${model}`, "--on", "8xh200"]);
  assert.ok(data, model);
  for (const words of [["--on", "8xh200", "--context", "20000", "--batch", "33"],
                       ["--on", "8xh200", "--context", "700", "--batch", "500", "--cache", "fp8"]])
    check(data, `zoo:${model}`, words, {device: "h200", weights: data.weight_type,
                                        cache: words.includes("fp8") ? "fp8" : "bf16",
                                        context: Number(words[3]), batch: Number(words[5])});
  // Other divisions: a pipeline, and experts on their own devices.
  const apart = data.expert_layers > 0 ? ["--tp", "1", "--ep", "8"] : ["--tp", "2", "--pp", "2"];
  const division = dataOf(["llm", `zoo:${model}`, "--on", "h100", ...apart]);
  check(division, `zoo:${model}`, ["--on", "h100", ...apart, "--context", "5000", "--batch", "64"],
        {device: "h100", weights: data.weight_type, cache: "bf16", context: 5000, batch: 64});
  for (const [device, weights, cache, tokens, batch] of kSetups) {
    const words = ["--on", device, "--weights", weights, "--cache", cache, "--context", String(tokens),
                   "--batch", String(batch)];
    const own = dataOf(["llm", `zoo:${model}`, ...words]);
    check(own, `zoo:${model}`, words, {device, weights, cache, context: tokens, batch});
  }
}

function check(data, model, words, setup) {
  const told = JSON.parse(run(["llm", model, ...words, "--format", "json"]));
  const bytes = Object.fromEntries(told.tables.memory.rows.map((row) => [row.part, row.bytes]));
  const memory = servedMemory(data, setup);
  const about = JSON.stringify({model, ...setup});
  const near = (found, wanted, what) =>
    assert.ok(Math.abs(found - wanted) <= 1 + 1e-9 * Math.abs(wanted), `${what} of ${about}: ${found}, not ${wanted}`);
  near(memory.weights, bytes.weights, "weights");
  near(memory.cache, bytes["KV cache"], "cache");
  near(memory.states, bytes.states ?? 0, "states");
  near(memory.activations, bytes.activations, "activations");
  near(memory.engine, bytes.engine, "engine");
  near(memory.usable - memory.needed, told.facts.spare_bytes, "spare bytes");
  assert.equal(longestContext(data, setup, 1), told.facts.longest_context ?? 1e9, `longest context of ${about}`);
  assert.equal(largestBatch(data, setup), told.facts.largest_batch, `largest batch of ${about}`);
  compared += 8;
  for (const [found, wanted, what] of [[decodeTime(data, setup), told.facts.decode, "decode"],
                                       [prefillTime(data, setup), told.facts.prefill, "prefill"]]) {
    const same = (a, b, which) => assert.ok(Math.abs(a - b) <= 1e-9 * b, `${what} ${which} of ${about}: ${a}, not ${b}`);
    same(found.median, wanted.likely_s.median, "median");
    same(found.low, wanted.likely_s.low, "low end");
    same(found.high, wanted.likely_s.high, "high end");
    same(found.bound, wanted.bound_s, "bound");
    assert.equal(found.limit, wanted.limit, `limit of ${what} of ${about}`);
    compared += 5;
  }
}
console.log(`${compared} figures of pages are the program's`);
