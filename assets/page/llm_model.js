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
                    efficiencies: objects("efficiencies"), engines: objects("engines")} : null;
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

/** Bytes and multiply-accumulates of a step on one device: `batch` sequences with `past` tokens add `tokens` each. */
function stepWork(data, setup, batch, past, tokens) {
  const weights = named(data.weights, setup.weights), element = named(data.caches, setup.cache).bytes;
  const sequences = Math.ceil(batch / data.replicas), own = sequences * tokens;
  const row = own * data.hidden * 2, apart = data.expert_ranks > 1;
  const work = {
    matrixBytes: weights.matrices + weights.head + own * weights.embedding_row + own * 2 * data.widths,
    matrixMacs: data.matrix_macs * own + data.head_macs * sequences,
    expertBytes: 0, expertMacs: 0, cacheBytes: 0, attentionMacs: 0, sequences: batch,
    reduces: data.reduces, reducedBytes: row,
    exchanges: (apart ? 2 * data.expert_layers : 0) + data.stages - 1,
    exchangedBytes: row * data.exchanged + (data.stages - 1) * batch * tokens * data.hidden * 2,
    leastExperts: batch * tokens > 1 ? data.correlated : 1,
  };
  for (const one of data.experts) {
    if (one.weights !== setup.weights) continue;
    const together = apart ? batch * tokens : own;
    work.expertBytes += one.bytes * (1 - (1 - one.chosen / one.experts) ** together);
    work.expertMacs += one.macs * together;
  }
  for (const kind of data.kinds) {
    const length = past + tokens, kept = kind.window > 0 ? Math.min(length, kind.window) : length;
    const read = kind.index_top > 0
      ? kind.index_cache * kept + (kind.cache - kind.index_cache) * Math.min(kept, kind.index_top * tokens)
      : kind.cache * (kept + kind.cross);
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
  const shares = ["matrix_bytes", "cache_bytes", "matrix_flops", "attention_flops"]
    .map((kernel) => efficiencyOf(data, device, kernel, weights.format));
  const parts = (share, ends, expertShare, free) => {
    const [matrix, cache, flops, attention] = share, [layer, expert, reduce, sequence] = ends;
    const link = free ? Infinity : device.link, ranks = data.tensor;
    const bytes = (amount) => amount / (matrix * device.bandwidth), macs = (count) => 2 * count / (flops * peak);
    const out = {
      matrices: [bytes(work.matrixBytes), macs(work.matrixMacs)],
      experts: data.expert_layers > 0 ? [bytes(work.expertBytes * expertShare), macs(work.expertMacs)] : [0, 0],
      attention: [work.cacheBytes / (cache * device.bandwidth), 2 * work.attentionMacs / (attention * attentionPeak)],
      overhead: data.layers * layer + data.expert_layers * expert + work.sequences * sequence,
      traffic: work.reduces * (reduce + 2 * (ranks - 1) / ranks * work.reducedBytes / link) +
               work.exchanges * reduce + work.exchangedBytes / link,
    };
    out.all = Math.max(...out.matrices) + Math.max(...out.experts) + Math.max(...out.attention) +
              out.overhead + out.traffic;
    return out;
  };
  const level = (fast, slow, expertShare) =>
    parts(shares.map((row) => row[fast]), ["layer", "expert", "reduce", "sequence"].map((name) => engine[name + slow]),
          expertShare, false);
  const least = work.leastExperts, usual = level("median", "50", (1 + least) / 2);
  let moved = 0, computed = 0;
  for (const [bytes, macs] of [usual.matrices, usual.experts, usual.attention]) {
    if (bytes >= macs) moved += bytes;
    else computed += macs;
  }
  const limits = [["bandwidth", moved], ["arithmetic", computed], ["overhead", usual.overhead], ["traffic", usual.traffic]];
  return {median: usual.all, low: level("p90", "10", least).all, high: level("p10", "90", 1).all,
          bound: parts([1, 1, 1, 1], [0, 0, 0, 0], least, true).all,
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
