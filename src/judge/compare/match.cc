// A row is taken apart at the `+` of its type into parts, since layers may be joined on one side
// and not on the other: `Conv2d+ReLU` has two. Parts are matched in passes, the surest first, and
// rows with matched parts belong together: the smallest groups that both sides have in common.
//
// Layers that a pass matches out of order (they moved) stay matched. The most pairs that are in
// the same order on both sides divide the rest into gaps; structure is compared within a gap.
#include "compare/match.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "compare/align.h"
#include "compare/folded_norms.h"
#include "compare/match_parts.h"

namespace strata::compare {

namespace {

class Matcher {
 public:
  Matcher(std::span<const SideRow> before, std::span<const SideRow> after) {
    std::tie(before_, after_) = parts_of(before, after);
    other_layout_ = is_tflite(before) != is_tflite(after);
  }

  void run() {
    by_name([](const Part& a, const Part& b) { return a.structure == b.structure; });
    // A subclass, or the class of another library: `Conv3DSimple` and `Conv3d`.
    by_name([](const Part& a, const Part& b) {
      return a.whole && b.whole && a.costs != kNone && a.costs == b.costs;
    });
    by_name([](const Part& a, const Part& b) { return a.type == b.type && !a.numbered; });
    // Shapes say nothing between two layouts of images; MACs in their order say much.
    if (other_layout_) in_gaps(&Part::macs);
    in_gaps(&Part::structure);
    by_name([](const Part& a, const Part& b) { return a.type == b.type; });
    by_name([](const Part& a, const Part& b) { return a.whole && b.whole && !a.numbered; });
    in_gaps(&Part::type);
  }

  std::span<const Part> before() const { return before_; }
  std::span<const Part> after() const { return after_; }

 private:
  void match(std::uint32_t b, std::uint32_t a) {
    before_[b].match = a;
    after_[a].match = b;
  }

  template <class Accept>
  void by_name(const Accept& accept) {
    std::unordered_map<std::uint32_t, std::uint32_t> places;
    for (std::uint32_t a = 0; a < after_.size(); ++a)
      if (after_[a].name != kNone && after_[a].match == kNone) places.emplace(after_[a].name, a);
    for (std::uint32_t b = 0; b < before_.size(); ++b) {
      if (before_[b].name == kNone || before_[b].match != kNone) continue;
      const auto found = places.find(before_[b].name);
      if (found != places.end() && accept(before_[b], after_[found->second]))
        match(b, found->second);
    }
  }

  // Matches the rest between pairs that are in the same order on both sides.
  void in_gaps(std::uint32_t Part::*key) {
    std::vector<Pair> matched;
    for (std::uint32_t b = 0; b < before_.size(); ++b)
      if (before_[b].match != kNone) matched.push_back({b, before_[b].match});
    std::vector<Pair> borders = ascending(matched);
    borders.push_back(
        {static_cast<std::uint32_t>(before_.size()), static_cast<std::uint32_t>(after_.size())});
    Pair start{0, 0};
    for (const Pair& border : borders) {
      align_gap(start, border, key);
      start = {border.before + 1, border.after + 1};
    }
  }

  void align_gap(const Pair& start, const Pair& end, std::uint32_t Part::*key) {
    std::vector<std::uint32_t> places[2], keys[2];
    const auto gather = [&](const std::vector<Part>& parts, std::uint32_t from, std::uint32_t to,
                            int side) {
      for (std::uint32_t i = from; i < to; ++i)
        if (parts[i].match == kNone && parts[i].*key != kNone) {
          places[side].push_back(i);
          keys[side].push_back(parts[i].*key);
        }
    };
    gather(before_, start.before, end.before, 0);
    if (keys[0].empty()) return;
    gather(after_, start.after, end.after, 1);
    if (key == &Part::structure && match_regrouped(start, end)) return;
    for (const Pair& pair : align(keys[0], keys[1]))
      match(places[0][pair.before], places[1][pair.after]);
  }

  // A gap in which layers were joined or taken apart and nothing else happened: the same parts in
  // the same order. Rows of the same structure could be at other places in it.
  bool match_regrouped(const Pair& start, const Pair& end) {
    std::vector<std::uint32_t> places[2];
    bool any_joined = false;
    for (std::uint32_t b = start.before; b < end.before; ++b)
      if (before_[b].match == kNone) places[0].push_back(b), any_joined |= !before_[b].whole;
    for (std::uint32_t a = start.after; a < end.after; ++a)
      if (after_[a].match == kNone) places[1].push_back(a), any_joined |= !after_[a].whole;
    const auto same = [&](std::uint32_t b, std::uint32_t a) {
      return before_[b].type == after_[a].type;
    };
    if (!any_joined ||
        !std::equal(places[0].begin(), places[0].end(), places[1].begin(), places[1].end(), same))
      return false;
    for (std::size_t i = 0; i < places[0].size(); ++i) match(places[0][i], places[1][i]);
    return true;
  }

  // Its images have their channels last.
  static bool is_tflite(std::span<const SideRow> rows) {
    return std::any_of(rows.begin(), rows.end(), [](const SideRow& row) {
      const std::string_view type = row.type;
      return is_tflite_operator(type.substr(type.rfind('+') + 1));
    });
  }

  std::vector<Part> before_, after_;
  bool other_layout_ = false;
};

// Rows that are connected by matched parts.
class Joined {
 public:
  explicit Joined(std::size_t rows) : parent_(rows) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  std::uint32_t root(std::uint32_t row) {
    while (parent_[row] != row) row = parent_[row] = parent_[parent_[row]];
    return row;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[root(a)] = root(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

// Sorts by the order of `after`; a removed group follows the one that came before it.
void sort_along(std::vector<Group>& groups, std::size_t rows_before) {
  std::vector<std::uint32_t> owner(rows_before);
  for (std::uint32_t g = 0; g < groups.size(); ++g)
    for (const std::uint32_t row : groups[g].before) owner[row] = g;
  struct Place {
    std::int64_t after;
    std::uint32_t group;
  };
  std::vector<Place> places;
  for (std::uint32_t g = 0; g < groups.size(); ++g)
    if (!groups[g].after.empty()) places.push_back({2 * std::int64_t{groups[g].after.front()}, g});
  std::int64_t behind = -1;
  for (std::uint32_t row = 0; row < rows_before; ++row) {
    const Group& group = groups[owner[row]];
    if (!group.after.empty())
      behind = 2 * std::int64_t{group.after.front()} + 1;
    else if (group.before.front() == row)
      places.push_back({behind, owner[row]});
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.after < b.after; });
  std::vector<Group> sorted;
  sorted.reserve(groups.size());
  for (const Place& place : places) sorted.push_back(std::move(groups[place.group]));
  groups = std::move(sorted);
}

// Marks as few groups as possible as moved: all others stay in their order.
void mark_moved(std::vector<Group>& groups) {
  std::vector<Pair> places;  // ascending in `after`, as the groups are
  std::vector<std::uint32_t> owners;
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    if (groups[g].before.empty() || groups[g].after.empty()) continue;
    places.push_back({static_cast<std::uint32_t>(owners.size()), groups[g].before.front()});
    owners.push_back(g);
    groups[g].moved = true;
  }
  for (const Pair& stays : ascending(places)) groups[owners[stays.before]].moved = false;
}

}  // namespace

bool are_same_type(std::string_view before, std::string_view after) {
  while (before != after) {
    const std::size_t left = std::min(before.find('+'), before.size());
    const std::size_t right = std::min(after.find('+'), after.size());
    if (in_onnx(before.substr(0, left)) != in_onnx(after.substr(0, right))) return false;
    if ((left == before.size()) != (right == after.size())) return false;
    before.remove_prefix(std::min(left + 1, before.size()));
    after.remove_prefix(std::min(right + 1, after.size()));
  }
  return true;
}

std::vector<Group> match_rows(std::span<const SideRow> before, std::span<const SideRow> after) {
  Matcher matcher(before, after);
  matcher.run();
  const auto count = static_cast<std::uint32_t>(before.size());
  Joined joined(before.size() + after.size());
  for (const Part& part : matcher.before())
    if (part.match != kNone) joined.join(part.row, count + matcher.after()[part.match].row);
  std::vector<Group> groups;
  std::vector<std::uint32_t> group_of(before.size() + after.size(), kNone);
  for (std::uint32_t i = 0; i < group_of.size(); ++i) {
    std::uint32_t& group = group_of[joined.root(i)];
    if (group == kNone) {
      group = static_cast<std::uint32_t>(groups.size());
      groups.emplace_back();
    }
    if (i < count)
      groups[group].before.push_back(i);
    else
      groups[group].after.push_back(i - count);
  }
  join_folded_norms(groups, before, after);
  sort_along(groups, before.size());
  mark_moved(groups);
  return groups;
}

}  // namespace strata::compare
