#include "document/chart/layered.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>

namespace strata {

namespace {

constexpr double kRankGap = 26;  // between ranks, in which lines run
constexpr double kBoxGap = 18;   // between neighbours of a rank
constexpr double kLineGap = 9;   // the same for lines that pass
constexpr int kSweeps = 8;       // over the order
constexpr int kPlacings = 9;     // over the places; the last goes down, so that chains are straight
constexpr double kStraight = 0.5;

struct Item;
struct Joint {
  Item* item;
  double shift;  // of the other end, for a straight line
  double weight;
  bool is_back;
};

// A box, an end, or the point at which a line passes a rank. A value is one line that branches
// where it is read, so that a rank has at most one point for each source.
struct Item {
  LayeredBox box;
  std::size_t rank = 0;
  bool is_point = false, is_end = false;
  double x = 0, y = 0;  // of the middle, and of the top
  double at = 0, mean = 0, offset = 0;
  std::vector<Joint> above = {}, below = {};
};
using Rank = std::vector<Item*>;

// The longest way from the top; a box that reads nothing stands just above its first reader.
std::vector<std::size_t> ranks_of(std::size_t count, std::vector<LayeredLink> links,
                                  std::size_t first) {
  std::stable_sort(links.begin(), links.end(),
                   [](const LayeredLink& a, const LayeredLink& b) { return a.from < b.from; });
  std::vector<std::size_t> rank(count, first);
  std::vector<bool> reads(count, false);
  for (const auto& [from, to] : links) {
    rank[to] = std::max(rank[to], rank[from] + 1);
    reads[to] = true;
  }
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> lowest(count, kNone);
  for (const auto& [from, to] : links) lowest[from] = std::min(lowest[from], rank[to] - 1);
  for (std::size_t i = 0; i < count; ++i)
    if (!reads[i] && lowest[i] != kNone) rank[i] = std::max(rank[i], lowest[i]);
  return rank;
}

class Layout {
 public:
  explicit Layout(const LayeredGraph& graph);
  LayeredPlaces places();

 private:
  struct Way {
    Item *from, *to;
    bool is_back;
  };
  Item* add(const LayeredBox& box, std::size_t rank);
  void link(const Way& way);
  void order();
  void place();
  void measure();

  std::deque<Item> items_;  // boxes first
  std::size_t boxes_;
  std::vector<Rank> ranks_;
  std::map<Item*, std::map<std::size_t, Item*>> passing_;  // points by source and rank
  Item *enter_ = nullptr, *leave_ = nullptr;
  std::vector<double> tops_, heights_;
  double width_ = 0;
};

Layout::Layout(const LayeredGraph& graph) : boxes_(graph.boxes.size()) {
  std::vector<LayeredLink> ahead;
  for (const auto& [from, to] : graph.links)
    if (from != to) ahead.push_back({std::min(from, to), std::max(from, to)});
  const std::vector<std::size_t> rank = ranks_of(boxes_, ahead, graph.entered.empty() ? 0 : 1);
  const std::size_t deepest = rank.empty() ? 0 : *std::max_element(rank.begin(), rank.end());
  ranks_.resize(deepest + (graph.left.empty() ? 1 : 2));
  for (std::size_t i = 0; i < boxes_; ++i) add(graph.boxes[i], rank[i]);
  std::vector<Way> ways;
  if (!graph.entered.empty()) enter_ = add(graph.end, 0);
  if (!graph.left.empty()) leave_ = add(graph.end, deepest + 1);
  for (const std::size_t to : graph.entered) ways.push_back({enter_, &items_[to], false});
  for (const auto& [from, to] : graph.links)
    if (from != to)
      ways.push_back({&items_[std::min(from, to)], &items_[std::max(from, to)], from > to});
  for (const std::size_t from : graph.left) ways.push_back({&items_[from], leave_, false});
  for (Item* end : {enter_, leave_})
    if (end != nullptr) end->is_end = true;
  std::stable_sort(ways.begin(), ways.end(),
                   [](const Way& a, const Way& b) { return a.to->rank < b.to->rank; });
  for (const Way& way : ways) link(way);
}

Item* Layout::add(const LayeredBox& box, std::size_t rank) {
  items_.push_back({.box = box, .rank = rank});
  ranks_[rank].push_back(&items_.back());
  return &items_.back();
}

// Joins the points where the line from the source passes other ranks; makes them as far down as
// needed.
void Layout::link(const Way& way) {
  std::map<std::size_t, Item*>& passing = passing_[way.from];
  const auto join = [&](Item* above, Item* below) {
    const double weight = above->is_point && below->is_point   ? 8
                          : above->is_point || below->is_point ? 2
                                                               : 1;
    const double shift = above->box.out - below->box.in;
    above->below.push_back({below, -shift, weight, way.is_back});
    below->above.push_back({above, shift, weight, way.is_back});
  };
  Item* last = way.from;
  for (std::size_t rank = way.from->rank + 1; rank < way.to->rank; ++rank) {
    Item*& point = passing[rank];
    if (point == nullptr) {
      point = add({.width = 2}, rank);
      point->is_point = true;
      join(last, point);
    }
    last = point;
  }
  join(last, way.to);
}

// Every item moves to the mean place of its neighbours in the rank before.
void Layout::order() {
  const auto number = [](Rank& rank) {
    for (std::size_t i = 0; i < rank.size(); ++i) rank[i]->at = static_cast<double>(i);
  };
  for (Rank& rank : ranks_) number(rank);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const bool down = sweep % 2 == 0;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      Rank& rank = ranks_[down ? i : ranks_.size() - 1 - i];
      for (Item* item : rank) {
        const std::vector<Joint>& near = down ? item->above : item->below;
        double sum = 0;
        for (const Joint& joint : near) sum += joint.item->at;
        item->mean = near.empty() ? item->at : sum / static_cast<double>(near.size());
      }
      std::stable_sort(rank.begin(), rank.end(),
                       [](const Item* a, const Item* b) { return a->mean < b->mean; });
      number(rank);
    }
  }
}

struct Wish {
  double x, weight;
};

// The nearest places to the wishes that keep order and distance: neighbours that want to pass one
// another become one group (pool adjacent violators).
void settle(Rank& rank, const std::vector<Wish>& wishes) {
  struct Group {
    double sum, weight;
    std::size_t count;
    double mean() const { return sum / weight; }
  };
  std::vector<Group> groups;
  double offset = 0;
  for (std::size_t i = 0; i < rank.size(); ++i) {
    if (i > 0)
      offset += (rank[i - 1]->box.width + rank[i]->box.width) / 2 +
                (rank[i - 1]->is_point && rank[i]->is_point ? kLineGap : kBoxGap);
    rank[i]->offset = offset;
    Group group{wishes[i].weight * (wishes[i].x - offset), wishes[i].weight, 1};
    while (!groups.empty() && groups.back().mean() > group.mean()) {
      group = {group.sum + groups.back().sum, group.weight + groups.back().weight,
               group.count + groups.back().count};
      groups.pop_back();
    }
    groups.push_back(group);
  }
  std::size_t i = 0;
  for (const Group& group : groups)
    for (std::size_t n = 0; n < group.count; ++n, ++i) rank[i]->x = group.mean() + rank[i]->offset;
}

void Layout::place() {
  for (Rank& rank : ranks_) settle(rank, std::vector<Wish>(rank.size(), {0, 1}));
  for (int sweep = 0; sweep < kPlacings; ++sweep) {
    const bool down = sweep % 2 == 0;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      Rank& rank = ranks_[down ? i : ranks_.size() - 1 - i];
      std::vector<Wish> wishes;
      for (const Item* item : rank) {
        double sum = 0, weight = 0;
        for (const Joint& joint : down ? item->above : item->below) {
          sum += joint.weight * (joint.item->x + joint.shift);
          weight += joint.weight;
        }
        wishes.push_back(weight > 0 ? Wish{sum / weight, weight} : Wish{item->x, 0.1});
      }
      settle(rank, wishes);
    }
  }
}

// From the places of middles to those on the paper.
void Layout::measure() {
  double top = 0, left = std::numeric_limits<double>::max();
  for (const Rank& rank : ranks_) {
    double height = 0;
    for (const Item* item : rank) {
      height = std::max(height, item->box.height);
      left = std::min(left, item->x - item->box.width / 2);
    }
    tops_.push_back(top);
    heights_.push_back(height);
    top += height + kRankGap;
  }
  for (Item& item : items_) {
    item.x -= left;
    item.y = tops_[item.rank] + (heights_[item.rank] - item.box.height) / 2;
    width_ = std::max(width_, item.x + item.box.width / 2);
  }
}

LayeredPlaces Layout::places() {
  if (items_.empty()) return {};
  order();
  place();
  measure();
  LayeredPlaces out{.width = width_, .height = tops_.back() + heights_.back()};
  for (std::size_t i = 0; i < boxes_; ++i)
    out.corners.push_back({items_[i].x - items_[i].box.width / 2, items_[i].y});
  if (enter_ != nullptr) out.enter = {enter_->x, enter_->y};
  if (leave_ != nullptr) out.leave = {leave_->x, leave_->y};
  for (const Item& above : items_)
    for (const auto& [below, shift, weight, is_back] : above.below) {
      // Straight to the edge of the rank, over the gap, and from its edge.
      const double bottom = tops_[above.rank] + heights_[above.rank], top = tops_[below->rank];
      const double start = above.is_point ? bottom : above.y + above.box.height;
      const double end = below->is_point ? top + heights_[below->rank] : below->y;
      const double from = above.x + above.box.out;
      double to = below->x + below->box.in;
      if (std::abs(from - to) < kStraight) to = from;
      const bool arrives = !below->is_point && !below->is_end;
      if (from == to) {
        out.lines.push_back({from, start, to, end, is_back, arrives});
        continue;
      }
      if (start < bottom) out.lines.push_back({from, start, from, bottom, is_back, false});
      out.lines.push_back({from, bottom, to, top, is_back, arrives && end <= top});
      if (end > top) out.lines.push_back({to, top, to, end, is_back, arrives});
    }
  return out;
}

}  // namespace

LayeredPlaces layered(const LayeredGraph& graph) { return Layout(graph).places(); }

}  // namespace strata
