#include <charconv>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/mapped_file.h"
#include "base/toml_text.h"
#include "strata/read/source.h"
#include "strata/task/sweep.h"

namespace strata {

namespace {

constexpr std::size_t kMaxJobs = 1'000'000;

tl::unexpected<Error> mistake(const std::string& file, const toml::node& where,
                              const std::string& what) {
  return failure(Code::FileBroken, {.file = file, .name = "plan"},
                 fmt::format("{}:{}: {}", file, where.source().begin.line, what));
}

// A number, a text or a truth value in the form that an option takes.
Result<std::string> scalar_text(const std::string& file, const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
  if (const auto* flag = node.as_boolean()) return std::string(flag->get() ? "true" : "false");
  return mistake(file, node, "a text, a number or true was expected");
}

Result<std::vector<std::string>> texts(const std::string& file, const toml::node& node) {
  std::vector<std::string> out;
  if (const auto* list = node.as_array()) {
    for (const toml::node& item : *list) {
      auto text = scalar_text(file, item);
      if (!text) return failure(text);
      out.push_back(std::move(*text));
    }
    if (out.empty()) return mistake(file, node, "an empty list has nothing to run");
    return out;
  }
  auto text = scalar_text(file, node);
  if (!text) return failure(text);
  out.push_back(std::move(*text));
  return out;
}

// Options that a sweep sets itself.
bool is_ours(std::string_view key) {
  return key == "format" || key == "output" || key == "o" || key == "help" || key == "layout";
}

void add_option(std::vector<std::string>& arguments, std::string_view key,
                const std::string& value) {
  if (value == "false") return;
  arguments.push_back(fmt::format("--{}", key));
  if (value != "true") arguments.push_back(value);
}

struct Axis {
  std::string key;
  std::vector<std::string> values;
};

struct Settings {
  std::vector<std::string> common;  // arguments of every job
  std::vector<Axis> axes;
};

// `[bench]` and `[axes]`.
Result<Settings> read_settings(const toml::table& plan, const std::string& file) {
  Settings settings;
  std::set<std::string> seen;
  for (const char* section : {"bench", "axes"}) {
    const toml::node* node = plan.get(section);
    if (node == nullptr) continue;
    const toml::table* table = node->as_table();
    if (table == nullptr)
      return mistake(file, *node, fmt::format("\"{}\" is to be a table: [{}]", section, section));
    for (const auto& [key, value] : *table) {
      if (is_ours(key.str()))
        return mistake(file, value, fmt::format("a sweep sets \"{}\" itself", key.str()));
      auto values = texts(file, value);
      if (!values) return failure(values);
      if (!seen.insert(std::string(key.str())).second)
        return mistake(file, value,
                       fmt::format("\"{}\" is in [bench] and in [axes]; one of them", key.str()));
      if (std::string_view(section) == "axes")
        settings.axes.push_back({std::string(key.str()), std::move(*values)});
      else
        add_option(settings.common, key.str(), fmt::format("{}", fmt::join(*values, ",")));
    }
  }
  return settings;
}

std::string job_key(const std::vector<std::string>& arguments) {
  std::string key;
  for (const std::string& argument : arguments) {
    if (!key.empty()) key += ' ';
    const bool plain =
        !argument.empty() && argument.find_first_of(" \t\n\"'\\") == std::string::npos;
    if (plain) {
      key += argument;
      continue;
    }
    key += '"';
    for (char c : argument) {
      if (c == '"' || c == '\\') key += '\\';
      key += c;
    }
    key += '"';
  }
  return key;
}

}  // namespace

Result<SweepPlan> parse_sweep(std::string_view text, const std::string& file,
                              const std::string& folder) {
  const auto parsed = toml_from_text(text, file);
  if (!parsed) return failure(parsed);
  const toml::table& table = *parsed;
  SweepPlan plan;
  plan.name = std::filesystem::path(file).stem().string();
  for (const auto& [key, value] : table) {
    if (key.str() == "name" && value.is_string())
      plan.name = value.as_string()->get();
    else if (key.str() != "models" && key.str() != "bench" && key.str() != "axes")
      return mistake(file, value,
                     fmt::format("there is no \"{}\" in a sweep; it has name, models, [bench] and "
                                 "[axes]",
                                 key.str()));
  }
  const toml::node* models = table.get("models");
  if (models == nullptr)
    return failure(
        Code::FileBroken, {.file = file, .name = "plan"},
        fmt::format("{}: models are missing, such as models = [\"zoo:resnet18\"]", file));
  auto names = texts(file, *models);
  if (!names) return failure(names);
  auto settings = read_settings(table, file);
  if (!settings) return failure(settings);

  std::size_t combinations = 1;
  for (const Axis& axis : settings->axes) combinations *= std::min(axis.values.size(), kMaxJobs);
  if (combinations > kMaxJobs / names->size())
    return failure(fmt::format("{}: more than a million jobs; take an axis out", file));

  std::set<std::string> seen;
  for (const std::string& name : *names)
    for (std::size_t c = 0; c < combinations; ++c) {
      SweepJob job;
      const bool is_file = !Source(name).is_zoo();
      job.arguments.push_back(is_file ? (std::filesystem::path(folder) / name).string() : name);
      std::size_t rest = c;
      for (auto axis = settings->axes.rbegin(); axis != settings->axes.rend(); ++axis) {
        add_option(job.arguments, axis->key, axis->values[rest % axis->values.size()]);
        rest /= axis->values.size();
      }
      job.arguments.insert(job.arguments.end(), settings->common.begin(), settings->common.end());
      job.key = job_key(job.arguments);
      if (seen.insert(job.key).second) plan.jobs.push_back(std::move(job));
    }
  return plan;
}

Result<SweepPlan> read_sweep(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) return failure(file);
  return parse_sweep((*file)->bytes(), path, std::filesystem::path(path).parent_path().string());
}

Result<Shard> parse_shard(std::string_view text) {
  Shard shard;
  const std::size_t slash = text.find('/');
  const auto number = [](std::string_view digits, std::size_t& out) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
  };
  if (slash == std::string_view::npos || !number(text.substr(0, slash), shard.index) ||
      !number(text.substr(slash + 1), shard.count) || shard.index < 1 || shard.index > shard.count)
    return failure(fmt::format("\"{}\": a part such as 2/8 was expected", text), ErrorKind::Usage);
  return shard;
}

}  // namespace strata
