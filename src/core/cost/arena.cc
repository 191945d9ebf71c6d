#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "strata/cost/liveness.h"

namespace strata {

namespace {

// Placing the largest first packs best but takes quadratic time; for more tensors than this, only
// the plan in running order is made.
constexpr std::size_t kMaxQuadratic = 4096;

using Blocks = std::vector<ArenaPlan::Block>;

std::int64_t round_up(std::int64_t size, std::int64_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

std::int64_t end_of(const Blocks& blocks, std::int64_t alignment) {
  std::int64_t end = 0;
  for (const auto& block : blocks)
    end = std::max(end, block.offset + round_up(block.bytes, alignment));
  return end;
}

// The free parts of the block, none of which touch each other.
class Gaps {
 public:
  void add(std::int64_t offset, std::int64_t size) {
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && offset + size == next->first) {
      size += next->second;
      next = erase(next);
    }
    if (next != by_offset_.begin())
      if (const auto before = std::prev(next); before->first + before->second == offset) {
        offset = before->first;
        size += before->second;
        erase(before);
      }
    by_offset_.emplace(offset, size);
    by_size_.emplace(size, offset);
  }

  // Takes the front of the smallest gap that is large enough, and of several the lowest; nullopt if
  // there is none.
  std::optional<std::int64_t> take(std::int64_t size) {
    const auto best = by_size_.lower_bound({size, 0});
    if (best == by_size_.end()) return std::nullopt;
    const auto [whole, offset] = *best;
    erase(by_offset_.find(offset));
    if (whole > size) add(offset + size, whole - size);
    return offset;
  }

  // Takes the gap that ends here, if there is one, and returns where it starts.
  std::int64_t take_last(std::int64_t end) {
    if (by_offset_.empty()) return end;
    const auto last = std::prev(by_offset_.end());
    if (last->first + last->second != end) return end;
    const std::int64_t offset = last->first;
    erase(last);
    return offset;
  }

 private:
  using ByOffset = std::map<std::int64_t, std::int64_t>;
  ByOffset::iterator erase(ByOffset::iterator gap) {
    by_size_.erase({gap->second, gap->first});
    return by_offset_.erase(gap);
  }

  ByOffset by_offset_;                                       // offset → size
  std::set<std::pair<std::int64_t, std::int64_t>> by_size_;  // the same as (size, offset)
};

// Best fit in running order: takes the smallest gap that is large enough, otherwise the end.
void place_in_order(Blocks& blocks, std::int64_t alignment) {
  Gaps gaps;
  std::multimap<NodeId, std::size_t> dying;  // last → block
  std::int64_t end = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    while (!dying.empty() && dying.begin()->first < blocks[i].first) {
      const auto& dead = blocks[dying.begin()->second];
      gaps.add(dead.offset, round_up(dead.bytes, alignment));
      dying.erase(dying.begin());
    }
    const std::int64_t need = round_up(blocks[i].bytes, alignment);
    if (const auto offset = gaps.take(need)) {
      blocks[i].offset = *offset;
    } else {
      // A gap that touches the end is extended instead of left behind.
      blocks[i].offset = gaps.take_last(end);
      end = blocks[i].offset + need;
    }
    dying.emplace(blocks[i].last, i);
  }
}

// Places the largest first, each at the lowest offset that does not overlap a tensor alive at the
// same time.
void place_by_size(Blocks& blocks, std::int64_t alignment) {
  std::vector<std::size_t> order(blocks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return blocks[a].bytes > blocks[b].bytes; });
  std::vector<std::size_t> placed;  // sorted by offset
  for (std::size_t i : order) {
    const std::int64_t need = round_up(blocks[i].bytes, alignment);
    std::int64_t offset = 0;
    for (std::size_t other : placed) {
      const auto& block = blocks[other];
      if (block.last < blocks[i].first || blocks[i].last < block.first) continue;
      if (block.offset >= offset + need) break;
      offset = std::max(offset, block.offset + round_up(block.bytes, alignment));
    }
    blocks[i].offset = offset;
    const auto at = std::upper_bound(
        placed.begin(), placed.end(), offset,
        [&](std::int64_t value, std::size_t b) { return value < blocks[b].offset; });
    placed.insert(at, i);
  }
}

std::int64_t rounded_peak(const Blocks& blocks, std::int64_t alignment) {
  std::map<NodeId, std::int64_t> change;
  for (const auto& block : blocks) {
    change[block.first] += round_up(block.bytes, alignment);
    change[block.last + 1] -= round_up(block.bytes, alignment);
  }
  std::int64_t alive = 0, peak = 0;
  for (const auto& [node, bytes] : change) peak = std::max(peak, alive += bytes);
  return peak;
}

}  // namespace

Result<ArenaPlan> plan_arena(const Model& model, const Liveness& liveness, std::int64_t alignment) {
  ArenaPlan plan;
  std::int64_t total = 0;
  for (const Lifetime& life : liveness.lifetimes) {
    const auto size = life.bytes.number();
    if (!size)
      return failure(Code::OpenSizes, {.name = std::string(model.graph().tensors[life.tensor].name),
                                       .found = life.bytes.text(),
                                       .detail = "an arena"});
    if (*size == 0) continue;
    if (__builtin_add_overflow(total, round_up(*size, alignment), &total) ||
        total > Expr::kMaxNumber)
      return failure("the activations together are larger than can be counted");
    plan.blocks.push_back({life.tensor, life.first, life.last, 0, *size});
  }
  place_in_order(plan.blocks, alignment);
  plan.bytes = end_of(plan.blocks, alignment);
  if (plan.blocks.size() <= kMaxQuadratic) {
    Blocks by_size = plan.blocks;
    place_by_size(by_size, alignment);
    if (const std::int64_t end = end_of(by_size, alignment); end < plan.bytes) {
      plan.blocks = std::move(by_size);
      plan.bytes = end;
    }
  }
  plan.bound = rounded_peak(plan.blocks, alignment);
  return plan;
}

}  // namespace strata
