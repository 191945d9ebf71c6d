#include "strata/infer/size_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <optional>

#include <fmt/format.h>

namespace strata {

namespace {

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return number;
}

bool is_file(const std::string& input) {
  return input.ends_with(".npy") || input.ends_with(".npz") || input.ends_with(".pb");
}

}  // namespace

Result<Dims> parse_dims(std::string_view sizes) {
  Dims dims;
  if (sizes.empty() || sizes == "scalar") return dims;
  while (true) {
    const std::size_t end = std::min({sizes.find('x'), sizes.find(','), sizes.size()});
    const std::string_view word = sizes.substr(0, end);
    if (const auto number = parse_number(word)) {
      if (*number < 0 || *number > Expr::kMaxNumber)
        return failure(fmt::format("a size cannot be {}", word), ErrorKind::Usage);
      dims.push_back(*number);
    } else if (!word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) != 0) {
      dims.push_back(Expr::symbol(word));
    } else {
      return failure(fmt::format("\"{}\" is neither a size nor the name of one", word),
                     ErrorKind::Usage);
    }
    if (end == sizes.size()) return dims;
    sizes.remove_prefix(end + 1);
  }
}

Result<std::pair<std::string, Dims>> parse_input_shape(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  if (equals == text.npos || equals == 0)
    return failure(fmt::format("{}: write it as NAME=1x3x224x224", text), ErrorKind::Usage);
  auto dims = parse_dims(text.substr(equals + 1));
  if (!dims) return failure(fmt::format("{}: {}", text, dims.error().message), ErrorKind::Usage);
  return std::pair(std::string(text.substr(0, equals)), std::move(*dims));
}

Result<std::pair<std::string, std::int64_t>> parse_size(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  const auto number = equals == text.npos ? std::nullopt : parse_number(text.substr(equals + 1));
  if (!number || equals == 0 || *number > Expr::kMaxNumber)
    return failure(fmt::format("{}: write it as NAME=SIZE", text), ErrorKind::Usage);
  if (*number < 0)
    return failure(fmt::format("{}: a size cannot be negative", text), ErrorKind::Usage);
  return std::pair(std::string(text.substr(0, equals)), *number);
}

Result<std::vector<std::pair<std::string, Dims>>> parse_input_shapes(
    const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, Dims>> shapes;
  for (const std::string& text : texts) {
    auto shape = parse_input_shape(text);
    if (!shape) return failure(shape);
    shapes.push_back(std::move(*shape));
  }
  return shapes;
}

Result<std::vector<std::pair<std::string, std::int64_t>>> parse_size_list(
    const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  for (const std::string& text : texts) {
    auto size = parse_size(text);
    if (!size) return failure(size);
    for (const auto& [name, number] : sizes)
      if (name == size->first)
        return failure(fmt::format("gives \"{}\" two sizes: {} and {}", name, number, size->second),
                       ErrorKind::Usage);
    sizes.push_back(std::move(*size));
  }
  return sizes;
}

std::vector<std::string> input_files(const std::vector<std::string>& inputs) {
  std::vector<std::string> files;
  std::copy_if(inputs.begin(), inputs.end(), std::back_inserter(files), is_file);
  return files;
}

std::vector<std::string> input_shapes(const std::vector<std::string>& inputs) {
  std::vector<std::string> shapes;
  std::remove_copy_if(inputs.begin(), inputs.end(), std::back_inserter(shapes), is_file);
  return shapes;
}

}  // namespace strata
