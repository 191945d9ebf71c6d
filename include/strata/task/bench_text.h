// The choices of a benchmark as people type them: lists with commas in them, which may come several
// times. Errors are usage errors that say how to write it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strata/task/bench.h"

namespace strata {

// `onnxruntime:opt=off,spin=0,torch`: a part that is `key=value` belongs to the engine before it.
Result<std::vector<EngineStyle>> parse_engine_list(const std::vector<std::string>& texts);
// Lists every precision that an engine may be able to compute in.
std::vector<std::string> precision_names();
// `fp32,int8`
Result<std::vector<std::string>> parse_precision_list(const std::vector<std::string>& texts);
// `1,8`; what is there twice is taken once.
Result<std::vector<std::int64_t>> parse_batch_list(const std::vector<std::string>& texts);
Result<std::vector<int>> parse_thread_list(const std::vector<std::string>& texts);
// `4`, or `all`: one for each core.
Result<int> parse_threads(const std::string& text);

// `torch=model.pt,onnxruntime=model.onnx`: one model as files of several engines.
Result<BenchModel> parse_model_files(const std::string& text);
// `MODEL=FILE`: the quantized form of one of the models, which must have their names.
Status set_int8_file(std::vector<BenchModel>& models, const std::string& text);

}  // namespace strata
