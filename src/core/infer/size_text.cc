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

// PyTorch's and NumPy's names. Tables have short names, which are taken, too: `i64`.
constexpr std::pair<std::string_view, DType> kTypes[] = {
    {"float32", DType::F32},   {"float64", DType::F64}, {"float16", DType::F16},
    {"bfloat16", DType::BF16}, {"int64", DType::I64},   {"int32", DType::I32},
    {"int16", DType::I16},     {"int8", DType::I8},     {"uint8", DType::U8},
    {"bool", DType::Bool},
};

std::optional<DType> type_from_name(std::string_view name) {
  for (const auto& [own, type] : kTypes)
    if (name == own || name == name_of(type)) return type;
  return std::nullopt;
}

std::string type_names() {
  std::string out;
  for (const auto& [name, type] : kTypes) out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
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

Result<InputShape> parse_input_shape(std::string_view text) {
  const auto wrong = [text](std::string_view why) {
    return failure(fmt::format("{}: {}", text, why), ErrorKind::Usage);
  };
  const std::size_t equals = text.rfind('=');
  if (equals == 0) return wrong("write it as NAME=1x3x224x224");
  // Without a name it is the shape of the only input.
  const bool has_name = equals != text.npos;
  InputShape out{has_name ? std::string(text.substr(0, equals)) : std::string(), {}};
  const std::string_view rest = has_name ? text.substr(equals + 1) : text;
  const std::size_t colon = std::min(rest.find(':'), rest.size());
  if (colon < rest.size()) {
    const std::string_view name = rest.substr(colon + 1);
    out.type = type_from_name(name);
    if (!out.type)
      return wrong(fmt::format("there is no type \"{}\"; there are {}", name, type_names()));
  }
  auto dims = parse_dims(rest.substr(0, colon));
  if (!dims) return wrong(dims.error().message);
  out.dims = std::move(*dims);
  return out;
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

Result<std::vector<InputShape>> parse_input_shapes(const std::vector<std::string>& texts) {
  std::vector<InputShape> shapes;
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
