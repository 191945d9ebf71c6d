// Lines of a .param file, one per layer, with its settings by number.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "read/torch/broken.h"

namespace strata::ncnn {

using torch::Broken;

// `0=32`, `1=1.5e-1`, `-23310=2,0.5,1`, which is a list of two with number 10.
struct Setting {
  std::int64_t number = 0;
  std::string_view text;  // of a list: its elements, without their count
  bool is_list = false;
};

struct Line {
  std::string_view type, name;
  std::vector<std::string_view> inputs, outputs;  // names of blobs
  std::vector<Setting> settings;

  const Setting* setting(std::int64_t number) const;
  bool has(std::int64_t number) const { return setting(number) != nullptr; }
  // A setting that is another kind of number, or none, is `otherwise`.
  std::int64_t whole(std::int64_t number, std::int64_t otherwise) const;
  float real(std::int64_t number, float otherwise) const;
  std::vector<std::int64_t> wholes(std::int64_t number) const;
  std::vector<float> reals(std::int64_t number) const;
};

class Text {
 public:
  explicit Text(std::string_view bytes);  // reads the two lines at its start
  // The next layer; false at the end, where the number of layers has to be the stated one.
  bool next(Line& line);

 private:
  std::string_view next_line();

  std::string_view rest_;
  std::int64_t number_ = 0;  // of the line, from 1
  std::int64_t stated_ = 0, seen_ = 0;
};

}  // namespace strata::ncnn
