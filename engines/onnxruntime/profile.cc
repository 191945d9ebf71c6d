#include "profile.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace strata::ort {

namespace {

constexpr std::string_view kNameKey = "\"name\" :\"";
constexpr std::string_view kArgsKey = "\",\"args\" : {";
constexpr std::string_view kKernelSuffix = "_kernel_time";

// The text after `key`, to the end.
std::optional<std::string_view> after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == text.npos) return std::nullopt;
  return text.substr(at + key.size());
}

std::optional<std::int64_t> number_after(std::string_view text, std::string_view key) {
  const auto rest = after(text, key);
  if (!rest) return std::nullopt;
  std::int64_t number = 0;
  const auto result = std::from_chars(rest->data(), rest->data() + rest->size(), number);
  if (result.ec != std::errc()) return std::nullopt;
  return number;
}

std::string_view text_after(std::string_view text, std::string_view key) {
  const auto rest = after(text, key);
  return rest ? rest->substr(0, rest->find('"')) : std::string_view();
}

// `[{"float":[1,32,112,112]},{"int64":[]}]`
std::vector<std::vector<std::int64_t>> shapes_after(std::string_view text, std::string_view key) {
  std::vector<std::vector<std::int64_t>> shapes;
  auto rest = after(text, key);
  if (!rest || rest->empty() || rest->front() != '[') return shapes;
  rest->remove_prefix(1);
  while (rest->starts_with('{') || rest->starts_with(",{")) {
    auto list = after(*rest, ":[");
    if (!list) break;
    std::vector<std::int64_t> dims;
    while (!list->empty() && list->front() != ']') {
      std::int64_t dim = 0;
      const auto result = std::from_chars(list->data(), list->data() + list->size(), dim);
      if (result.ec != std::errc()) return shapes;
      dims.push_back(dim);
      list->remove_prefix(static_cast<std::size_t>(result.ptr - list->data()));
      if (list->starts_with(',')) list->remove_prefix(1);
    }
    if (!list->starts_with("]}")) break;
    shapes.push_back(std::move(dims));
    rest = list->substr(2);
  }
  return shapes;
}

std::optional<ProfileEvent> read_line(std::string_view line) {
  const std::size_t name_at = line.find(kNameKey);
  const std::size_t args_at = line.rfind(kArgsKey);
  if (name_at == line.npos || args_at == line.npos) return std::nullopt;
  const std::size_t name_start = name_at + kNameKey.size();
  if (args_at < name_start || !line.ends_with("}}")) return std::nullopt;
  const std::string_view head = line.substr(0, name_at);
  const std::string_view args = line.substr(args_at + kArgsKey.size());

  ProfileEvent event;
  event.name = line.substr(name_start, args_at - name_start);
  const auto start = number_after(head, "\"ts\" :");
  const auto duration = number_after(head, "\"dur\" :");
  if (!start || !duration) return std::nullopt;
  event.start_us = *start;
  event.duration_us = *duration;
  if (head.find("\"cat\" : \"Session\"") != head.npos) {
    event.is_run = event.name == "model_run";
    return event.is_run ? std::optional(event) : std::nullopt;
  }
  if (head.find("\"cat\" : \"Node\"") == head.npos || !event.name.ends_with(kKernelSuffix))
    return std::nullopt;
  event.name.remove_suffix(kKernelSuffix.size());
  event.op = text_after(args, "\"op_name\" : \"");
  event.provider = text_after(args, "\"provider\" : \"");
  event.output_dims = shapes_after(args, "\"output_type_shape\" : ");
  return event;
}

}  // namespace

void read_profile(std::string_view text, const std::function<void(const ProfileEvent&)>& each) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (line.ends_with(',') || line.ends_with('\r')) line.remove_suffix(1);
    if (const auto event = read_line(line)) each(*event);
  }
}

}  // namespace strata::ort
