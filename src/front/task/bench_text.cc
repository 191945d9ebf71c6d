#include "strata/task/bench_text.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strata/machine/machine.h"

namespace strata {

namespace {

constexpr std::string_view kRunPrecisions[] = {"fp64", "fp32", "tf32", "bf16", "fp16", "int8"};

tl::unexpected<Error> usage(std::string message) {
  return failure(std::move(message), ErrorKind::Usage);
}

// The parts of all lists.
Result<std::vector<std::string>> split_list(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts) {
    std::string_view rest = text;
    while (true) {
      const std::size_t comma = rest.find(',');
      const std::string_view part = rest.substr(0, comma);
      if (part.empty()) return usage(fmt::format("{}: an item of the list is empty", text));
      parts.emplace_back(part);
      if (comma == rest.npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return parts;
}

// `left=right`, neither of them empty; `equals` is where.
bool is_pair(const std::string& text, std::size_t equals) {
  return equals != text.npos && equals != 0 && equals + 1 != text.size();
}

template <class Number>
void add_once(std::vector<Number>& list, Number number) {
  if (std::find(list.begin(), list.end(), number) == list.end()) list.push_back(number);
}

}  // namespace

Result<std::vector<EngineStyle>> parse_engine_list(const std::vector<std::string>& texts) {
  auto parts = split_list(texts);
  if (!parts) return failure(parts);
  std::vector<std::string> engines;
  for (std::string& part : *parts) {
    const std::size_t equals = part.find('='), colon = part.find(':');
    const bool more = equals != part.npos && (colon == part.npos || colon > equals);
    if (more && (engines.empty() || engines.back().find(':') == std::string::npos))
      return usage(fmt::format("{}: an option without its engine; write ENGINE:{}", part, part));
    if (more)
      engines.back() += "," + part;
    else
      engines.push_back(std::move(part));
  }
  std::vector<EngineStyle> styles;
  for (const std::string& text : engines) {
    auto style = parse_engine_style(text);
    if (!style) return failure(style);
    if (!style->precisions.empty())
      if (const auto known = parse_precision_list(style->precisions); !known)
        return usage(fmt::format("{}: precision {}", text, known.error().message));
    styles.push_back(std::move(*style));
  }
  return styles;
}

std::vector<std::string> precision_names() {
  return {std::begin(kRunPrecisions), std::end(kRunPrecisions)};
}

Result<std::vector<std::string>> parse_precision_list(const std::vector<std::string>& texts) {
  auto precisions = split_list(texts);
  if (!precisions) return failure(precisions);
  for (const std::string& precision : *precisions)
    if (std::find(std::begin(kRunPrecisions), std::end(kRunPrecisions), precision) ==
        std::end(kRunPrecisions))
      return usage(fmt::format("{}: there is {}", precision, fmt::join(kRunPrecisions, ", ")));
  return precisions;
}

Result<std::vector<std::int64_t>> parse_batch_list(const std::vector<std::string>& texts) {
  constexpr std::int64_t kMost = 1 << 20;
  const auto parts = split_list(texts);
  if (!parts) return failure(parts);
  std::vector<std::int64_t> batches;
  for (const std::string& part : *parts) {
    std::int64_t number = 0;
    const auto [end, status] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (status != std::errc() || end != part.data() + part.size() || number < 1 || number > kMost)
      return usage(
          fmt::format("{}: write whole numbers from 1 to {}, with commas between", part, kMost));
    add_once(batches, number);
  }
  return batches;
}

Result<int> parse_threads(const std::string& text) {
  if (text == "all") return std::max(read_machine().cores, 1);
  constexpr int kMost = 1024;
  int number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size() || number < 1 || number > kMost)
    return usage(fmt::format("{}: write a number from 1 to {}, or all", text, kMost));
  return number;
}

Result<std::vector<int>> parse_thread_list(const std::vector<std::string>& texts) {
  const auto parts = split_list(texts);
  if (!parts) return failure(parts);
  std::vector<int> threads;
  for (const std::string& part : *parts) {
    const auto number = parse_threads(part);
    if (!number) return failure(number);
    add_once(threads, *number);
  }
  return threads;
}

Result<BenchModel> parse_model_files(const std::string& text) {
  const auto parts = split_list({text});
  if (!parts) return failure(parts);
  BenchModel model;
  for (const std::string& part : *parts) {
    const std::size_t equals = part.find('=');
    if (!is_pair(part, equals))
      return usage(fmt::format("{}: write it as torch=model.pt,onnxruntime=model.onnx", text));
    const std::string engine = part.substr(0, equals);
    if (!model.file_for(engine).empty())
      return usage(fmt::format("{}: {} has two files", text, engine));
    model.files.emplace_back(engine, part.substr(equals + 1));
  }
  return model;
}

Status set_int8_file(std::vector<BenchModel>& models, const std::string& text) {
  // Names of the zoo may have `=` in them; files hardly do.
  const std::size_t equals = text.rfind('=');
  if (!is_pair(text, equals)) return usage(fmt::format("{}: write it as MODEL=FILE", text));
  const std::string name = text.substr(0, equals);
  const auto model = std::find_if(models.begin(), models.end(), [&](const BenchModel& own) {
    return own.name == name || (!own.source.empty() && own.source == name);
  });
  std::vector<std::string> names;
  names.reserve(models.size());
  for (const BenchModel& own : models) names.push_back(own.name);
  if (model == models.end())
    return usage(fmt::format("{}: there is no model \"{}\" here; there {} {}", text, name,
                             names.size() == 1 ? "is" : "are", fmt::join(names, ", ")));
  model->int8 = text.substr(equals + 1);
  return {};
}

}  // namespace strata
