#include "strata/sensitivity/findings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strata/base/statistics.h"

namespace strata {

namespace {

constexpr int kPermutations = 10000;
constexpr double kClear = 0.05;         // p
constexpr double kTwice = 2;            // a group's median over that elsewhere
constexpr double kOutstanding = 10;     // a layer's drop over the median elsewhere
constexpr std::size_t kFewest = 4;      // layers needed, so that there are others to compare with
constexpr std::size_t kMaxSingles = 3;  // single layers that are named

bool is_exit_of(const QuantLayer& layer, BlockKind kind) {
  return layer.role == LayerRole::BlockExit && layer.exit_of == kind;
}

bool is_inverted_exit(const QuantLayer& layer) {
  return is_exit_of(layer, BlockKind::MBConv) || is_exit_of(layer, BlockKind::FusedMBConv);
}

struct Group {
  const char* words;
  bool (*has)(const QuantLayer& layer);
};

// Wider groups come first: if two are equally clear, the first is named.
constexpr Group kGroups[] = {
    {"exit convolutions of MBConv and fused MBConv blocks, which have no activation",
     is_inverted_exit},
    {"exit convolutions of MBConv blocks, which have no activation",
     [](const QuantLayer& l) { return is_exit_of(l, BlockKind::MBConv); }},
    {"exit convolutions of fused MBConv blocks, which have no activation",
     [](const QuantLayer& l) { return is_exit_of(l, BlockKind::FusedMBConv); }},
    {"last layers of residual blocks, before the sum",
     [](const QuantLayer& l) { return is_exit_of(l, BlockKind::Residual); }},
    {"shortcuts beside a block", [](const QuantLayer& l) { return l.role == LayerRole::Shortcut; }},
    {"pointwise scaling convolutions in attention, which have neither norm nor activation",
     [](const QuantLayer& l) { return l.role == LayerRole::AttentionScaling; }},
    {"layers whose outputs are multiplied in attention",
     [](const QuantLayer& l) {
       return l.role == LayerRole::AttentionInput || l.role == LayerRole::AttentionScaling;
     }},
    {"layers with neither norm nor activation", [](const QuantLayer& l) { return l.neither(); }},
    {"layers with a norm and no activation",
     [](const QuantLayer& l) { return l.has_norm && !l.has_activation; }},
    {"depthwise convolutions", [](const QuantLayer& l) { return l.depthwise; }},
    {"first layers, which read the network's inputs", [](const QuantLayer& l) { return l.first; }},
    {"last layers, which make the network's outputs", [](const QuantLayer& l) { return l.last; }},
    {"pointwise convolutions",
     [](const QuantLayer& l) { return l.kind == LayerKind::Conv && l.pointwise; }},
    {"convolutions with a window, not depthwise",
     [](const QuantLayer& l) {
       return l.kind != LayerKind::Linear && !l.pointwise && !l.depthwise;
     }},
    {"products with a stored matrix",
     [](const QuantLayer& l) { return l.kind == LayerKind::Linear; }},
};

// Ranks from 1; ties share their mean rank.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i + 1;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) ranks[order[k]] = static_cast<double>(i + 1 + end) / 2;
    i = end;
  }
  return ranks;
}

// One-sided: the share of random choices of equally many layers whose sum of ranks is at least as
// high.
double rank_sum_p(const std::vector<double>& ranks, const std::vector<bool>& in) {
  double own = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!in[i]) continue;
    own += ranks[i];
    ++count;
  }
  std::mt19937_64 random(0);
  std::vector<double> deck = ranks;
  int as_high = 0;
  for (int round = 0; round < kPermutations; ++round) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      std::swap(deck[i], deck[i + random() % (deck.size() - i)]);
      sum += deck[i];
    }
    if (sum >= own - 1e-9) ++as_high;
  }
  return (1.0 + as_high) / (1.0 + kPermutations);
}

class Search {
 public:
  Search(const std::vector<QuantLayer>& layers, std::span<const std::optional<double>> drops)
      : layers_(layers) {
    for (std::size_t l = 0; l < std::min(layers.size(), drops.size()); ++l)
      if (drops[l] && std::isfinite(*drops[l])) {
        open_.push_back(l);
        drops_.push_back(*drops[l]);
      }
  }

  std::vector<Finding> run() {
    std::vector<Finding> found;
    while (open_.size() >= kFewest) {
      auto best = best_group();
      if (!best) break;
      set_aside(best->layers);
      found.push_back(std::move(*best));
    }
    for (std::size_t i = 0; i < kMaxSingles && open_.size() >= kFewest; ++i) {
      auto alone = worst_alone();
      if (!alone) break;
      set_aside(alone->layers);
      found.push_back(std::move(*alone));
    }
    return found;
  }

 private:
  struct Split {
    Finding finding;
    double least = 0;  // smallest drop in the group
  };

  Split split(const std::vector<bool>& in) const {
    Split out;
    std::vector<double> own, others;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      (in[i] ? own : others).push_back(drops_[i]);
      if (in[i]) out.finding.layers.push_back(open_[i]);
    }
    out.finding.others = others.size();
    if (!own.empty()) out.least = *std::min_element(own.begin(), own.end());
    if (!own.empty()) out.finding.median = median_of(own);
    if (!others.empty()) out.finding.elsewhere = median_of(others);
    return out;
  }

  static std::string times_text(const Finding& finding) {
    const double times = finding.median / finding.elsewhere;
    if (!(finding.elsewhere > 0)) return "";
    return times < 100 ? fmt::format(", {:.3g} times as much", times)
                       : fmt::format(", {:.0f} times as much", times);
  }

  std::optional<Finding> best_group() const {
    const std::vector<double> ranks = ranks_of(drops_);
    std::vector<Split> splits;
    std::vector<std::vector<bool>> members;
    for (const Group& group : kGroups) {
      std::vector<bool> in(open_.size());
      for (std::size_t i = 0; i < open_.size(); ++i) in[i] = group.has(layers_[open_[i]]);
      const auto count = static_cast<std::size_t>(std::count(in.begin(), in.end(), true));
      if (count < 2 || open_.size() - count < 2) continue;
      // Two names for the same layers are one group.
      if (std::find(members.begin(), members.end(), in) != members.end()) continue;
      splits.push_back(split(in));
      splits.back().finding.group = group.words;
      members.push_back(std::move(in));
    }
    std::optional<Finding> best;
    for (std::size_t g = 0; g < splits.size(); ++g) {
      Finding& finding = splits[g].finding;
      if (!(finding.median > 0) || finding.median < kTwice * finding.elsewhere) continue;
      finding.p = std::min(1.0, rank_sum_p(ranks, members[g]) * static_cast<double>(splits.size()));
      const bool all_stand_out =
          finding.elsewhere > 0 && splits[g].least >= kOutstanding * finding.elsewhere;
      if (finding.p > kClear && !all_stand_out) continue;
      if (!best || finding.p < best->p) best = finding;
    }
    if (!best) return std::nullopt;
    const std::string evidence =
        best->p <= kClear ? fmt::format("rank-sum p {} {:.2g} for {} groups looked at",
                                        best->p <= 1.01 * floor_p(splits.size()) ? "≤" : "=",
                                        best->p, splits.size())
                          : fmt::format("each has at least {:g} times that", kOutstanding);
    best->sentence =
        fmt::format("{}: median drop {:.3g} in {} layers, {:.3g} in the {} others{}; {}",
                    best->group, best->median, best->layers.size(), best->elsewhere, best->others,
                    times_text(*best), evidence);
    return best;
  }

  static double floor_p(std::size_t groups) {
    return static_cast<double>(groups) / (1.0 + kPermutations);
  }

  std::optional<Finding> worst_alone() const {
    const auto worst =
        static_cast<std::size_t>(std::max_element(drops_.begin(), drops_.end()) - drops_.begin());
    std::vector<bool> in(open_.size(), false);
    in[worst] = true;
    Finding finding = split(in).finding;
    if (!(finding.elsewhere > 0) || finding.median < kOutstanding * finding.elsewhere)
      return std::nullopt;
    const QuantLayer& layer = layers_[open_[worst]];
    finding.group = layer.path;
    const std::string words = layer_words(layer);
    finding.sentence =
        fmt::format("{} stands out{}: drop {:.3g}, median {:.3g} in the {} others{}", layer.path,
                    words.empty() ? "" : " (" + words + ")", finding.median, finding.elsewhere,
                    finding.others, times_text(finding));
    return finding;
  }

  void set_aside(const std::vector<std::size_t>& found) {
    for (std::size_t i = open_.size(); i-- > 0;) {
      if (std::find(found.begin(), found.end(), open_[i]) == found.end()) continue;
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
      drops_.erase(drops_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  const std::vector<QuantLayer>& layers_;
  std::vector<std::size_t> open_;  // layers
  std::vector<double> drops_;      // by layer in open_
};

}  // namespace

std::vector<Finding> find_patterns(const std::vector<QuantLayer>& layers,
                                   std::span<const std::optional<double>> drops) {
  return Search(layers, drops).run();
}

std::string layer_words(const QuantLayer& layer) {
  std::vector<std::string> words;
  if (layer.first) words.emplace_back("first");
  if (layer.last) words.emplace_back("last");
  if (layer.role == LayerRole::BlockExit && layer.exit_of != BlockKind::None)
    words.push_back(fmt::format("exit of {}", name_of(layer.exit_of)));
  else if (layer.role != LayerRole::Plain)
    words.emplace_back(name_of(layer.role));
  if (layer.depthwise) words.emplace_back("depthwise");
  if (layer.neither())
    words.emplace_back("neither norm nor activation");
  else if (!layer.has_activation)
    words.emplace_back("no activation");
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace strata
