// strata: what every layer of a neural network costs, and why.
//
// All headers in one. A function that can fail returns Result<T> (strata/base/result.h): an error
// has a code, a sentence and its fields. Nothing here prints, exits or looks at signals.
//
//   A model         open_source(word)            strata/read/source.h  what it is, opened once
//                   read_model(source)           strata/read/read.h    its network
//                   zoo::build("resnet50")       strata/zoo/zoo.h      networks without a file
//                   build::Builder               strata/build/builder.h  described in code
//                   zoo::build_folder(path)      strata/zoo/hugging_face.h  by a config.json
//   Weights alone   read_weights(path)           strata/read/weights.h  safetensors, .pth, GGUF
//   Its shapes      infer(model)                 strata/infer/infer.h  open sizes stay symbols
//   Its costs       count(model)                 strata/cost/cost.h    MACs, FLOPs, bytes per node
//                   find_layers(model, costs)    strata/cost/layers.h  with their authors' names
//                   count_as(convention, …)      strata/cost/convention.h  as other tools count
//                   explain(…)                   strata/cost/explain.h  the formula of a layer
//                   find_cuts, find_boundaries   strata/cost/cut.h, boundary.h
//                   simulate_device(…)           strata/cost/device_memory.h
//                   phase_peaks, recorded_device  strata/cost/recorded_memory.h  of a recording
//                   analyse(model, inference)    strata/profile/analysis.h  once, for many tables
//                   make_rows, make_profile      strata/profile/rows.h, profile.h
//                   find_split(…)                strata/profile/split.h  between two machines
//   Engines         load_engine(name)            strata/engine/engine.h
//   Measuring       time_model, trace_memory     strata/measure/timing.h, memory.h
//                   measure_variants(variants, …) strata/bench/bench.h  in child processes
//   Samples         Dataset                      strata/data/dataset.h  images and arrays
//
//   Documents       to_document, bench_document, …  strata/report/…   what the commands print
//                   render_table, render_json, …    strata/document/render.h
//
// Jobs do what the commands of the program do. Each takes a request and an Observer, which receives
// progress and can ask the job to stop (docs/jobs.md):
//
//   run_stat, run_timing, run_bench, run_optimize, run_sweep, run_payload   strata/task/…
//   run_calibrate, run_sensitivity, run_quantize, run_explain, run_engines
//   run_zoo_table, run_zoo_export, run_diff, run_check, run_totals
#pragma once

#include "strata/base/arena.h"
#include "strata/base/block_list.h"
#include "strata/base/boxed.h"
#include "strata/base/certainty.h"
#include "strata/base/error.h"
#include "strata/base/expr.h"
#include "strata/base/inline_vector.h"
#include "strata/base/number_text.h"
#include "strata/base/observer.h"
#include "strata/base/result.h"
#include "strata/base/scratch_folder.h"
#include "strata/base/shared.h"
#include "strata/base/statistics.h"
#include "strata/base/text_map.h"
#include "strata/bench/bench.h"
#include "strata/bench/child.h"
#include "strata/bench/variant.h"
#include "strata/build/builder.h"
#include "strata/build/weights.h"
#include "strata/calibrate/calibrate.h"
#include "strata/calibrate/range.h"
#include "strata/calibrate/ranges_file.h"
#include "strata/calibrate/sketch.h"
#include "strata/check/budget.h"
#include "strata/check/check.h"
#include "strata/compare/diff.h"
#include "strata/compare/document.h"
#include "strata/compare/limits.h"
#include "strata/compare/side.h"
#include "strata/compare/totals.h"
#include "strata/compare/weights.h"
#include "strata/cost/amount.h"
#include "strata/cost/boundary.h"
#include "strata/cost/convention.h"
#include "strata/cost/cost.h"
#include "strata/cost/cut.h"
#include "strata/cost/device_memory.h"
#include "strata/cost/energy.h"
#include "strata/cost/explain.h"
#include "strata/cost/layers.h"
#include "strata/cost/liveness.h"
#include "strata/cost/quantized_tensors.h"
#include "strata/cost/recorded_memory.h"
#include "strata/cost/stored_precision.h"
#include "strata/cost/tflm_arena.h"
#include "strata/data/dataset.h"
#include "strata/data/inputs.h"
#include "strata/data/output_difference.h"
#include "strata/device/device.h"
#include "strata/document/cell.h"
#include "strata/document/document.h"
#include "strata/document/pages.h"
#include "strata/document/read_json.h"
#include "strata/document/render.h"
#include "strata/document/table.h"
#include "strata/edit/layers.h"
#include "strata/edit/qdq.h"
#include "strata/engine/engine.h"
#include "strata/graph/dtype.h"
#include "strata/graph/graph.h"
#include "strata/graph/layer_kind.h"
#include "strata/graph/recorded.h"
#include "strata/graph/shape.h"
#include "strata/graph/value.h"
#include "strata/infer/infer.h"
#include "strata/infer/size_text.h"
#include "strata/lint/claims.h"
#include "strata/lint/lint.h"
#include "strata/llm/answer.h"
#include "strata/llm/count.h"
#include "strata/llm/graph.h"
#include "strata/llm/matrix.h"
#include "strata/llm/network.h"
#include "strata/llm/read.h"
#include "strata/llm/speed_table.h"
#include "strata/llm/step.h"
#include "strata/llm/weights.h"
#include "strata/machine/contention.h"
#include "strata/machine/machine.h"
#include "strata/machine/pace.h"
#include "strata/machine/roofline.h"
#include "strata/measure/measured_calls.h"
#include "strata/measure/memory.h"
#include "strata/measure/runs_in.h"
#include "strata/measure/timed_pair.h"
#include "strata/measure/timing.h"
#include "strata/measure/undisturbed.h"
#include "strata/predict/efficiency.h"
#include "strata/predict/kernels.h"
#include "strata/predict/predict.h"
#include "strata/profile/analysis.h"
#include "strata/profile/columns.h"
#include "strata/profile/needs.h"
#include "strata/profile/options.h"
#include "strata/profile/profile.h"
#include "strata/profile/row.h"
#include "strata/profile/rows.h"
#include "strata/profile/split.h"
#include "strata/quantize/quantize.h"
#include "strata/read/read.h"
#include "strata/read/source.h"
#include "strata/read/weights.h"
#include "strata/report/bench.h"
#include "strata/report/calibration.h"
#include "strata/report/devices.h"
#include "strata/report/engines.h"
#include "strata/report/llm.h"
#include "strata/report/optimize.h"
#include "strata/report/payload.h"
#include "strata/report/predict.h"
#include "strata/report/quantize.h"
#include "strata/report/report.h"
#include "strata/report/results.h"
#include "strata/report/sensitivity.h"
#include "strata/report/sweep.h"
#include "strata/report/weights.h"
#include "strata/sensitivity/findings.h"
#include "strata/sensitivity/keep_float.h"
#include "strata/sensitivity/parts.h"
#include "strata/sensitivity/sensitivity.h"
#include "strata/task/bench.h"
#include "strata/task/bench_text.h"
#include "strata/task/calibrate.h"
#include "strata/task/calibrate_device.h"
#include "strata/task/caller.h"
#include "strata/task/check.h"
#include "strata/task/data.h"
#include "strata/task/diff.h"
#include "strata/task/engine.h"
#include "strata/task/engines.h"
#include "strata/task/explain.h"
#include "strata/task/lint.h"
#include "strata/task/llm.h"
#include "strata/task/model.h"
#include "strata/task/optimize.h"
#include "strata/task/payload.h"
#include "strata/task/predict.h"
#include "strata/task/quantize.h"
#include "strata/task/record.h"
#include "strata/task/sensitivity.h"
#include "strata/task/stat.h"
#include "strata/task/sweep.h"
#include "strata/task/sweep_scripts.h"
#include "strata/task/timing.h"
#include "strata/task/totals.h"
#include "strata/task/weights.h"
#include "strata/task/worker.h"
#include "strata/task/zoo_export.h"
#include "strata/task/zoo_table.h"
#include "strata/write/onnx.h"
#include "strata/zoo/hugging_face.h"
#include "strata/zoo/zoo.h"
