// The profile that ONNX Runtime writes: a JSON array of events, one on each line.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace strata::ort {

// One kernel, or one whole run. Views into the profile's text.
struct ProfileEvent {
  bool is_run = false;  // `model_run`, which comes after the kernels of the run
  std::string_view name, op, provider;
  std::int64_t start_us = 0, duration_us = 0;  // after the start of profiling; rounded down
  std::vector<std::vector<std::int64_t>> output_dims;
};

// Names are written unescaped, including quotes and backslashes, so a JSON parser rejects the file.
// Lines that make no sense, such as a truncated one, are skipped.
void read_profile(std::string_view text, const std::function<void(const ProfileEvent&)>& each);

}  // namespace strata::ort
