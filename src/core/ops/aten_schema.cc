#include "ops/aten_schema.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <mutex>
#include <utility>

#include "base/embedded.h"

namespace strata {

namespace {

using Kind = AtenArgument::Kind;

constexpr std::pair<std::string_view, Kind> kKinds[] = {
    {"Tensor", Kind::Tensor},    {"Tensor?", Kind::OptionalTensor},
    {"Tensor[]", Kind::Tensors}, {"Tensor?[]", Kind::OptionalTensors},
    {"int", Kind::Int},          {"float", Kind::Float},
    {"bool", Kind::Bool},        {"str", Kind::Text},
    {"Scalar", Kind::Scalar},    {"int[]", Kind::Ints},
    {"float[]", Kind::Floats},   {"other", Kind::Other},
};

// Takes the part of `text` before `end` off, and `end`; all of it if there is no `end`.
std::string_view take_until(std::string_view& text, std::string_view end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + end.size(), text.size()));
  return part;
}

template <class Number>
Number number_of(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Integers have no point, exponent, `inf` or `nan`.
bool is_integer(std::string_view text) { return text.find_first_of(".enf") == text.npos; }

// Arguments or results. Commas in brackets separate the items of a default.
std::vector<AtenArgument> arguments_of(std::string_view list) {
  std::vector<AtenArgument> arguments;
  while (!list.empty()) {
    std::size_t end = 0;
    for (int depth = 0; end < list.size() && (depth > 0 || list[end] != ','); ++end)
      depth += list[end] == '[' ? 1 : list[end] == ']' ? -1 : 0;
    arguments.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 2, list.size()));
  }
  return arguments;
}

// The lines of the list, each of which is read when its operator is first asked for.
class Schemas {
 public:
  Schemas() {
    std::string_view text = embedded_file("data/aten_schemas.txt").value_or("");
    while (!text.empty()) {
      const std::string_view line = take_until(text, "\n");
      if (!line.starts_with("#")) entries_.push_back({.line = line, .schema = nullptr});
    }
  }

  const AtenSchema* find(std::string_view op) {
    const auto found = std::lower_bound(
        entries_.begin(), entries_.end(), op,
        [](const Entry& entry, std::string_view other) { return entry.name() < other; });
    return found != entries_.end() && found->name() == op ? &read(*found) : nullptr;
  }

  std::vector<const AtenSchema*> all() {
    std::vector<const AtenSchema*> schemas;
    for (Entry& entry : entries_) schemas.push_back(&read(entry));
    return schemas;
  }

 private:
  struct Entry {
    std::string_view line;
    std::unique_ptr<const AtenSchema> schema;
    std::string_view name() const { return line.substr(0, line.find('(')); }
  };

  const AtenSchema& read(Entry& entry) {
    const std::lock_guard lock(mutex_);
    if (!entry.schema) entry.schema = std::make_unique<const AtenSchema>(entry.line);
    return *entry.schema;
  }

  std::vector<Entry> entries_;
  std::mutex mutex_;
};

Schemas& schemas() {
  static Schemas& all = *new Schemas;  // graphs point into it to the end of the process
  return all;
}

}  // namespace

AtenArgument::AtenArgument(std::string_view text) {
  const std::string_view kind_name = take_until(text, " ");
  for (const auto& [name, known] : kKinds)
    if (name == kind_name) kind = known;
  const std::size_t equals = text.find('=');
  attribute_.name = text.substr(0, equals);
  if (equals != text.npos) read_default(text.substr(equals + 1));
}

void AtenArgument::read_default(std::string_view text) {
  if (text == "None") {
    otherwise = Default::Nothing;
  } else if (text.starts_with("'")) {
    otherwise = Default::Text;
    attribute_.value = text.substr(1, text.size() - 2);
  } else if (text.starts_with("[")) {
    read_list(text.substr(1, text.size() - 2));
  } else {
    read_number(text);
  }
}

void AtenArgument::read_number(std::string_view text) {
  if (is_integer(text)) {
    otherwise = Default::Int;
    attribute_.value = number_of<std::int64_t>(text);
  } else {
    otherwise = Default::Float;
    attribute_.value = number_of<float>(text);
  }
}

void AtenArgument::read_list(std::string_view items) {
  const bool real = kind == Kind::Floats;
  while (!items.empty()) {
    const std::string_view item = take_until(items, ", ");
    if (real) {
      floats_.push_back(number_of<float>(item));
    } else {
      ints_.push_back(number_of<std::int64_t>(item));
    }
  }
  otherwise = real ? Default::Floats : Default::Ints;
  if (real) {
    attribute_.value = std::span<const float>(floats_);
  } else {
    attribute_.value = std::span<const std::int64_t>(ints_);
  }
}

AtenSchema::AtenSchema(std::string_view line) {
  name_ = take_until(line, "(");
  arguments_ = arguments_of(take_until(line, ") -> ("));
  results_ = arguments_of(take_until(line, ")"));
}

std::vector<const AtenSchema*> aten_schemas() { return schemas().all(); }

const AtenSchema* find_aten_schema(std::string_view op) { return schemas().find(op); }

}  // namespace strata
