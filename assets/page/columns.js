// The meaning of columns, shown when the pointer rests on a heading.

const kColumnAbout = {
  layer: "module path as its author wrote it", type: "module class or operator",
  call: "which call of the module, from 1", calls: "calls that the row stands for",
  input: "shapes of the activations it reads", output: "shapes of the outputs that others read",
  dtype: "element type of the first output", params: "parameters, each counted once, in the layer that owns it",
  param_bytes: "bytes of the parameters as stored", macs: "multiply-accumulates of one inference",
  flops: "floating point operations: two for each MAC, and all other arithmetic",
  read: "bytes read: inputs and weights", write: "bytes written: outputs", mem: "bytes read and written",
  activation: "bytes of outputs that other layers read", intensity: "FLOPs for each byte moved",
  energy: "energy by a model of the machine; not measured", time: "median time of one inference, measured",
  time_per_call: "time divided by calls", flops_per_s: "FLOPs divided by time", bytes_per_s: "bytes moved divided by time",
  bound: "the limit that it meets first: compute, memory, or neither (overhead)",
  of_roof: "share of what the machine allows for its FLOPs and bytes",
  runs_in: "the layer in whose kernel it runs, or why it does not run", alive: "bytes of activations alive while it runs",
  formula: "how its work is counted", mem_alloc: "bytes that the engine took while it ran",
  mem_scratch: "bytes taken and given back before its end", mem_held: "bytes in use after it, without weights",
  backend: "the engine and its settings", precision: "element type that the model computes in",
  threads: "threads of the engine", batch: "samples in one inference", median: "half of the runs took less time",
  median_fps: "samples a second at the median", mean_fps: "samples a second at the mean",
  interval: "95 % confidence interval of the median", p90: "9 of 10 runs took less", p99: "99 of 100 runs took less",
  std: "standard deviation of single runs", mad: "median distance from the median", cv: "standard deviation divided by the mean",
  min: "the fastest run", n: "runs that count", speed_up: "times as fast as the base",
  speed_up_p99: "times as fast as the base at the 99th percentile", difference: "difference of the output from the base's",
  load: "time to load the model", first: "time of the first run", peak: "peak memory of the process",
  sensitivity: "quality lost when this layer alone is quantized, from the sensitivity in this page",
  drop: "quality lost when this layer alone is quantized", value: "quality with this layer alone quantized",
  after: "the layer after which the network is cut", tensors: "tensors that cross", raw: "bytes that cross as they are",
  fp16: "bytes that cross as 16-bit floats", int8: "bytes that cross as 8-bit integers", ships: "the tensors that cross",
  change: "what happened to the layer", bytes: "bytes that cross", direction: "into the module or out of it",
};

function columnHint(column) {
  const about = kColumnAbout[column.name];
  return (about ? `${column.title}: ${about}. ` : "") + "Click to sort.";
}
