// Budgets in a TOML file.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/mapped_file.h"
#include "base/toml_text.h"
#include "check/parse_entry.h"
#include "strata/read/source.h"

namespace strata::budget {

namespace {

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) { out_.file = path; }

  Result<Budgets> read(const toml::table& file) {
    for (const auto& [key, node] : file) {
      const std::string_view name = key.str();
      if (name == "no" || name == "allow_unknown")
        read_list(name, node);
      else if (name == "scope")
        read_scopes(node);
      else if (name == "growth")
        read_growth(node);
      else
        add(name, node, "");
    }
    if (problem_) return failure(*problem_);
    if (out_.list.empty()) return failure(fmt::format("{}: it has no budget", path_), kUsage);
    for (Budget& budget : out_.list) budget.unknown_is_fine = is_allowed(budget);
    std::stable_sort(out_.list.begin(), out_.list.end(),
                     [](const Budget& a, const Budget& b) { return a.line < b.line; });
    return std::move(out_);
  }

 private:
  static constexpr ErrorKind kUsage = ErrorKind::Usage;

  void wrong(const toml::node& where, std::string_view what) {
    if (problem_) return;
    problem_ = Error{fmt::format("{}:{}: {}", path_, where.source().begin.line, what), kUsage};
  }

  // `"320M"` or `320000000`.
  std::optional<std::string> amount(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
    if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
    wrong(node, "an amount was expected, such as \"320M\"");
    return std::nullopt;
  }

  void keep(Result<Budget> budget, const toml::node& node, std::string_view scope) {
    if (!budget) return wrong(node, budget.error().message);
    budget->scope = scope;
    if (!scope.empty()) budget->text = fmt::format("{}: {}", scope, budget->text);
    budget->line = static_cast<std::uint32_t>(node.source().begin.line);
    out_.list.push_back(std::move(*budget));
  }

  void add(std::string_view key, const toml::node& node, std::string_view scope) {
    if (const auto text = amount(node)) keep(parse_entry(key, *text), node, scope);
  }

  void read_list(std::string_view name, const toml::node& node) {
    const auto add_one = [&](const toml::node& item) {
      const auto* text = item.as_string();
      if (text == nullptr) return wrong(item, fmt::format("\"{}\" is a list of names", name));
      if (name == "no")
        keep(ban_of(text->get()), item, "");
      else
        allowed_.push_back(text->get());
    };
    if (const auto* list = node.as_array())
      for (const toml::node& item : *list) add_one(item);
    else
      add_one(node);
  }

  void read_scopes(const toml::node& node) {
    const auto* scopes = node.as_table();
    if (scopes == nullptr) return wrong(node, "scopes are tables: [scope.\"features.*\"]");
    for (const auto& [scope, budgets] : *scopes) {
      const auto* table = budgets.as_table();
      if (table == nullptr) {
        wrong(budgets, "a scope is a table: [scope.\"features.*\"]");
        continue;
      }
      for (const auto& [key, value] : *table) add(key.str(), value, scope.str());
    }
  }

  void read_growth(const toml::node& node) {
    const auto* growth = node.as_table();
    if (growth == nullptr) return wrong(node, "[growth] is a table");
    for (const auto& [key, value] : *growth) {
      if (key.str() != "baseline") {
        if (const auto text = amount(value)) keep(parse_growth(key.str(), *text), value, "");
        continue;
      }
      const auto* path = value.as_string();
      if (path == nullptr) return wrong(value, "the baseline is a path");
      const bool is_network = Source(path->get()).is_zoo();
      const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
      out_.baseline = is_network ? path->get() : (folder / path->get()).string();
    }
  }

  bool is_allowed(const Budget& budget) const {
    const std::string_view name = compare::facts_of(budget.measure).name;
    return std::find(allowed_.begin(), allowed_.end(), name) != allowed_.end();
  }

  const std::string& path_;
  Budgets out_;
  std::vector<std::string> allowed_;  // measures that need not be known
  std::optional<Error> problem_;
};

}  // namespace

Result<Budgets> parse_budget_file(std::string_view text, const std::string& path) {
  const auto parsed = toml_from_text(text, path);
  if (!parsed) return failure(parsed.error().message, ErrorKind::Usage);
  return Reader(path).read(*parsed);
}

Result<Budgets> read_budget_file(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) return failure(file);
  return parse_budget_file((*file)->bytes(), path);
}

}  // namespace strata::budget
