#include "document/slices.h"

#include <cmath>

#include "document/row_values.h"

namespace strata {

namespace {

// The beginnings of a path that end before a dot: of `a.b.c` these are `a` and `a.b`. Names of
// nodes have slashes in that place, and dots inside of words: `/a/a.0/Conv`.
std::vector<std::string_view> modules_of(std::string_view path) {
  const char between = path.starts_with('/') ? '/' : '.';
  std::vector<std::string_view> out;
  for (std::size_t at = path.find(between); at != path.npos; at = path.find(between, at + 1))
    if (at > 0 && at + 1 < path.size()) out.push_back(path.substr(0, at));
  return out;
}

class Builder {
 public:
  explicit Builder(const Table& table) { out_.table = &table; }

  void add(const TableRow& row) {
    const std::string path = text_of(*out_.table, row, "layer");
    const auto seconds = number_of(*out_.table, row, "time");
    if (!seconds || *seconds < 0) {
      out_.untimed.push_back({now(), &row, out_.all.size()});
      return;
    }
    enter(modules_of(path));
    const std::int64_t start = now();
    seconds_ += *seconds;
    out_.all.push_back({path, static_cast<std::uint32_t>(open_.size()), start, now(), &row});
  }

  Slices finish() {
    leave(0);
    out_.end_ns = now();
    return std::move(out_);
  }

 private:
  std::int64_t now() const { return std::llround(1e9 * seconds_); }

  void enter(const std::vector<std::string_view>& modules) {
    std::size_t common = 0;
    while (common < open_.size() && common < modules.size() &&
           out_.all[open_[common]].name == modules[common])
      ++common;
    leave(common);
    for (std::size_t i = common; i < modules.size(); ++i) {
      open_.push_back(out_.all.size());
      out_.all.push_back(
          {std::string(modules[i]), static_cast<std::uint32_t>(i), now(), 0, nullptr});
    }
  }

  void leave(std::size_t depth) {
    for (; open_.size() > depth; open_.pop_back()) out_.all[open_.back()].end_ns = now();
  }

  Slices out_;
  std::vector<std::size_t> open_;  // modules, the outermost first
  double seconds_ = 0;
};

}  // namespace

Result<Slices> slices_of(const Document& document) {
  if (document.tables.empty())
    return failure(Code::NothingToShow, {}, "there are no rows to show over time");
  const Table& table = document.tables.front();
  Builder builder(table);
  for (const TableRow* row : leaves_of(table)) builder.add(*row);
  Slices slices = builder.finish();
  if (slices.all.empty())
    return failure(Code::NothingToShow, {},
                   "no row has a time: the network was not run, or the column was not asked for");
  return slices;
}

}  // namespace strata
