// The memory and the time of a language model as it is served, worked out again as the reader moves
// the context, the batch, the device and the types. src/answer/llm/memory.cc, work.cc and time.cc
// have the same formulas; tests/page/llm_test.mjs compares them.

/** The numbers of the formulas, from the tables that no section shows; null if there are none. */
function servingData(doc) {
  const objects = (name) => {
    const table = doc.table(name);
    const value = (row, {name, unit}) => unit === "text" ? table.text(row, name) : table.number(row, name);
    return table ? table.rows.map((_, row) => Object.fromEntries(
      table.columns.map((column) => [column.name, value(row, column)]))) : [];
  };
  const [serving] = objects("serving");
  return serving ? {...serving, kinds: objects("layer_kinds"), weights: objects("weight_types"),
                    caches: objects("cache_types"), devices: objects("memories"), experts: objects("expert_kinds"),
                    outputs: objects("matrix_outputs"), efficiencies: objects("efficiencies"), engines: objects("engines")} : null;
}

const named = (list, name) => list.find((one) => one.name === name);

/** Bytes by part on the device with the most. `setup`: device, weights and cache by name, context, batch. */
function servedMemory(data, setup) {
  const device = named(data.devices, setup.device);
  const tokens = Math.ceil(setup.context / device.block) * device.block;
  const element = named(data.caches, setup.cache).bytes;
  const sequences = Math.ceil(setup.batch / data.replicas);
  let cache = 0, states = 0, widest = 0;
  for (const kind of data.kinds) {
    const kept = kind.window > 0 ? Math.min(tokens, kind.window) : tokens;
    cache += kind.count * kind.cache * element * (kept + kind.cross);
    states += kind.count * kind.states;
    widest = Math.max(widest, kind.width);
  }
  const atOnce = Math.max(Math.min(device.batched, sequences * setup.context), sequences);
  const memory = {
    weights: named(data.weights, setup.weights).bytes,
    cache: cache * data.stage_share * sequences,
    states: states * data.stage_share * sequences,
    activations: device.keeps_logits > 0
      ? Math.max(atOnce * 2 * (2 * data.hidden + widest), atOnce * (Math.floor(data.logits) + data.hidden) * 4)
      : atOnce * 2 * (2 * data.hidden + widest) + sequences * data.logits * 4,
    engine: device.reserve, usable: device.usable,
  };
  memory.needed = memory.weights + memory.cache + memory.states + memory.activations + memory.engine;
  return memory;
}

/** The largest whole number up to `most` that fits; memory grows with it. */
function largestThat(most, fits) {
  if (!fits(1)) return 0;
  if (fits(most)) return most;
  let low = 1, high = most;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

const kEndless = 1e9;

function longestContext(data, setup, batch) {
  return largestThat(kEndless, (context) => {
    const memory = servedMemory(data, {...setup, context, batch});
    return memory.needed <= memory.usable;
  });
}

function largestBatch(data, setup) {
  return data.replicas * largestThat(1e7, (sequences) => {
    const memory = servedMemory(data, {...setup, batch: sequences * data.replicas});
    return memory.needed <= memory.usable;
  });
}

/** Pairs of a query and a key where `tokens` new ones follow `past`, in a window of w or chunks of w. */
function pairsOf(w, chunked, past, tokens) {
  const all = (before, n) => n * before + n * (n + 1) / 2;
  if (!(w > 0)) return all(past, tokens);
  if (chunked) {
    const begun = past - w * Math.floor(past / w), first = Math.min(tokens, w - begun);
    const left = tokens - first, whole = Math.floor(left / w);
    return all(begun, first) + whole * all(0, w) + all(0, left - whole * w);
  }
  const growing = Math.min(Math.max(w - past, 0), tokens);
  return all(past, growing) + (tokens - growing) * w;
}

function attentionMacs(kind, past, tokens) {
  const pair = kind.is_latent > 0 && tokens === 1 ? kind.absorbed : kind.pair;
  const all = pairsOf(kind.window, kind.chunked > 0, past, tokens);
  const seen = kind.index_top > 0 ? pairsOf(kind.index_top, false, past, tokens) : all;
  return kind.index_pair * all + pair * seen + kind.cross_macs * tokens;
}

/** How the engine multiplies with so many rows: "plain", "few" on the vector units, or in "tiles". */
function productOf(device, weights, rows) {
  if (rows <= 1 || rows >= device.batched || !(device.few_rows > 0) || !(weights.packed > 0 || device.also_plain > 0)) return "plain";
  return rows <= device.few_rows ? "few" : "tiles";
}

/** Rows are filled up to whole tiles, and cores without a tile wait. */
function tileMacs(device, outputs, macs, rows) {
  const columns = Math.ceil(rows / device.tile_rows);
  const busy = device.tile_outputs > 0 && isPositive(device.units)
    ? Math.min(1, Math.ceil(outputs / device.tile_outputs) * columns / (device.tiles_per_core * device.units)) : 1;
  return macs * columns * device.tile_rows / busy;
}

/** Bytes and multiply-accumulates of a step on one device: `batch` sequences with `past` tokens add `tokens` each. */
function stepWork(data, setup, batch, past, tokens) {
  const weights = named(data.weights, setup.weights), element = named(data.caches, setup.cache).bytes;
  const sequences = Math.ceil(batch / data.replicas), own = sequences * tokens;
  const row = own * data.hidden * 2, apart = data.expert_ranks > 1;
  const device = named(data.devices, setup.device);
  const inTiles = productOf(device, weights, batch * tokens) === "tiles";
  const work = {
    matrixBytes: weights.matrices + weights.head + own * weights.embedding_row + own * 2 * data.widths,
    matrixMacs: data.matrix_macs * own + data.head_macs * sequences,
    matrixTileMacs: data.outputs.reduce((sum, one) =>
      sum + tileMacs(device, one.outputs, one.macs, one.is_head > 0 ? sequences : own), 0),
    rows: own, expertBytes: 0, expertMacs: 0, expertTileMacs: 0, ownExpertBytes: 0, cacheBytes: 0, attentionMacs: 0, sequences: batch,
    reduces: data.reduces, reducedBytes: row,
    exchanges: (apart ? 2 * data.expert_layers : 0) + data.stages - 1,
    exchangedBytes: row * data.exchanged + (data.stages - 1) * batch * tokens * data.hidden * 2,
    leastExperts: batch * tokens <= 1 ? 1 : inTiles ? data.correlated_in_tiles : data.correlated,
  };
  for (const one of data.experts) {
    if (one.weights !== setup.weights) continue;
    const together = apart ? batch * tokens : own;
    const share = 1 - (1 - one.chosen / one.experts) ** together, all = one.macs * one.experts / one.chosen;
    work.expertBytes += one.bytes * share;
    work.expertMacs += one.macs * together;
    work.ownExpertBytes += one.bytes * one.chosen / one.experts * together;
    work.expertTileMacs += Math.max(one.macs * together, all * share * device.tile_rows);
  }
  for (const kind of data.kinds) {
    const length = past + tokens, kept = kind.window > 0 ? Math.min(length, kind.window) : length;
    const read = kind.index_top > 0
      ? kind.index_cache * kept + (kind.cache - kind.index_cache) * Math.min(kept, kind.index_top * tokens)
      : kind.read * (kept + kind.cross);
    work.cacheBytes += kind.count * sequences * ((read + kind.cache * tokens) * element + 2 * kind.states);
    work.attentionMacs += kind.count * sequences * attentionMacs(kind, past, tokens);
  }
  return work;
}

/** A share of a peak, from the 10th to the 90th percentile: the first row that fits. */
function efficiencyOf(data, device, kernel, format) {
  const fits = (asked, own) => asked === "" || asked === own;
  return data.efficiencies.find((row) =>
    row.kernel === kernel && fits(row.engine, device.engine) && fits(row.family, device.family) &&
    fits(row.format, format) && (row.devices === "" || row.devices.split(" ").includes(device.name)));
}

function engineOf(data, device) {
  const all = data.engines.filter((one) => one.name === device.engine);
  return all.find((one) => one.family !== "" && one.family === device.family) || all.find((one) => one.family === "");
}

const isPositive = (number) => number !== null && number > 0;

/** Seconds of a step: `low` to `high`, `bound`, and the largest part; null if the device states no peaks. */
function stepTime(data, setup, work) {
  const device = named(data.devices, setup.device), weights = named(data.weights, setup.weights);
  const width = weights.compute_bits <= 4 ? 4 : weights.compute_bits <= 8 ? 8 : 16;
  const peak = device["peak" + width], attentionPeak = device["attention" + width];
  if (!isPositive(device.bandwidth) || !isPositive(peak)) return null;
  const engine = engineOf(data, device);
  const shares = ["matrix_bytes", "cache_bytes", "matrix_flops", "attention_flops", "few_rows_flops", "tile_bytes"]
    .map((kernel) => efficiencyOf(data, device, kernel, weights.format));
  const usualProduct = productOf(device, weights, work.rows), vectorPeak = isPositive(device.vector_peak) ? device.vector_peak : peak;
  const parts = (share, ends, expertShare, product, free) => {
    const [matrix, cache, flops, attention, few, tile] = share, [layer, expert, reduce, sequence] = ends;
    const link = free ? Infinity : device.link, ranks = data.tensor;
    const bytes = (amount, of) => amount / (of * device.bandwidth), macs = (count) => 2 * count / (flops * peak);
    const atOnce = (moved, computed) => [moved, computed, Math.max(moved, computed)];
    const inPart = (moved, computed) => [moved, computed, Math.hypot(moved, computed)];
    const anew = product !== "plain" && work.rows < device.expert_rows;
    const read = anew ? work.ownExpertBytes : work.expertBytes * expertShare;
    const out = {
      matrices: product === "plain" ? atOnce(bytes(work.matrixBytes, matrix), macs(work.matrixMacs))
        : product === "few" ? inPart(bytes(work.matrixBytes, matrix), 2 * work.matrixMacs / (few * vectorPeak))
        : inPart(bytes(work.matrixBytes, tile), macs(work.matrixTileMacs)),
      experts: !(data.expert_layers > 0) ? [0, 0, 0]
        : product !== "tiles" || anew ? atOnce(bytes(read, matrix), macs(work.expertMacs))
        : inPart(bytes(read, tile), macs(Math.max(work.expertMacs, work.expertTileMacs * expertShare))),
      attention: atOnce(bytes(work.cacheBytes, cache), 2 * work.attentionMacs / (attention * attentionPeak)),
      overhead: data.layers * layer + data.expert_layers * expert + work.sequences * sequence,
      traffic: work.reduces * (reduce + 2 * (ranks - 1) / ranks * work.reducedBytes / link) +
               work.exchanges * reduce + work.exchangedBytes / link,
    };
    out.all = out.matrices[2] + out.experts[2] + out.attention[2] + out.overhead + out.traffic;
    return out;
  };
  const level = (fast, slow, expertShare) =>
    parts(shares.map((row) => row ? row[fast] : 1), ["layer", "expert", "reduce", "sequence"].map((name) => engine[name + slow]),
          expertShare, usualProduct, false);
  const least = work.leastExperts, usual = level("median", "50", (1 + least) / 2);
  let moved = 0, computed = 0;
  for (const [bytes, macs, both] of [usual.matrices, usual.experts, usual.attention]) {
    if (bytes >= macs) moved += both;
    else computed += both;
  }
  const limits = [["bandwidth", moved], ["arithmetic", computed], ["overhead", usual.overhead], ["traffic", usual.traffic]];
  return {median: usual.all, low: level("p90", "10", least).all, high: level("p10", "90", 1).all,
          bound: parts([1, 1, 1, 1, 1, 1], [0, 0, 0, 0], least, "plain", true).all,
          limit: limits.reduce((best, one) => one[1] > best[1] ? one : best)[0]};
}

/** One more token for each of the batch, the last of the context. */
function decodeWork(data, setup) {
  const part = Math.max(Math.ceil(setup.batch / data.stages), 1);
  return stepWork(data, setup, part, Math.max(setup.context - 1, 0), 1);
}
function decodeTime(data, setup) {
  return stepTime(data, setup, decodeWork(data, setup));
}
function prefillTime(data, setup) {
  return stepTime(data, setup, stepWork(data, setup, 1, 0, setup.context));
}
