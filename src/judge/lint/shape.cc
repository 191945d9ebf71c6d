#include "lint/shape.h"

#include <charconv>

#include "lint/number.h"

namespace strata::lint {

namespace {

constexpr std::size_t kMaxAxes = 16;
constexpr std::string_view kTimes = "×";

std::string_view without_brackets(std::string_view text) {
  static constexpr std::string_view kTorch = "torch.Size(";
  if (text.starts_with(kTorch)) text.remove_prefix(kTorch.size() - 1);
  while (text.size() >= 2 && ((text.front() == '(' && text.back() == ')') ||
                              (text.front() == '[' && text.back() == ']')))
    text = trimmed(text.substr(1, text.size() - 2));
  return text;
}

}  // namespace

std::optional<ClaimShape> parse_shape(std::string_view text) {
  text = without_brackets(trimmed(text));
  ClaimShape shape;
  while (!text.empty()) {
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 0 || shape.size() == kMaxAxes) return std::nullopt;
    shape.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) break;
    if (text.starts_with(kTimes)) {
      text.remove_prefix(kTimes.size());
    } else if (text.front() == 'x' || text.front() == ',' || text.front() == ' ') {
      text = trimmed(text.substr(1));
    } else {
      return std::nullopt;
    }
  }
  if (shape.empty()) return std::nullopt;
  return shape;
}

std::vector<ClaimShape> parse_shapes(std::string_view text) {
  text = trimmed(text);
  if (text.find(kTimes) == text.npos) {
    const auto one = parse_shape(text);
    return one ? std::vector<ClaimShape>{*one} : std::vector<ClaimShape>();
  }
  std::vector<ClaimShape> shapes;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto shape = parse_shape(text.substr(0, comma));
    if (!shape) return {};
    shapes.push_back(*shape);
    text = trimmed(text.substr(std::min(comma + 1, text.size())));
  }
  return shapes;
}

std::string shape_text(const ClaimShape& shape) {
  std::string out;
  for (std::int64_t size : shape) {
    if (!out.empty()) out += kTimes;
    out += std::to_string(size);
  }
  return out;
}

double elements_of(const ClaimShape& shape) {
  double elements = 1;
  for (std::int64_t size : shape) elements *= static_cast<double>(size);
  return elements;
}

}  // namespace strata::lint
