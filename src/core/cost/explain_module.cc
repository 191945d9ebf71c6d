#include "cost/explain_module.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/visible.h"
#include "cost/explain_page.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

using namespace page;

constexpr std::size_t kMostTerms = 12;  // of a sum that is written out

struct Child {
  std::string path;
  Layers layers = {};
  LayerCount count = {};
};

void add_layer(Layers& to, const Layers& from, const Layer& layer) {
  Layer copy = layer;
  const auto nodes = from.nodes_of(layer);
  copy.first = static_cast<std::uint32_t>(to.members.size());
  to.members.insert(to.members.end(), nodes.begin(), nodes.end());
  to.list.push_back(copy);
}

// The module's layers, by what is directly below it, in running order.
std::vector<Child> children_of(const Model& model, const Costs& costs, const Layers& layers,
                               std::string_view module) {
  std::vector<Child> children;
  std::map<std::string, std::size_t> places;
  for (const Layer& layer : layers.list) {
    const NodeCost& cost = costs.nodes[layer.main].cost;
    if (cost.folded && cost.params.is(0)) continue;  // a constant
    const std::string path = layer_path(model, costs, layer);
    if (path == module) return {};
    if (!path.starts_with(module) || path[module.size()] != '.') continue;
    const std::size_t end = std::min(path.find('.', module.size() + 1), path.size());
    const auto [place, is_new] = places.try_emplace(path.substr(0, end), children.size());
    if (is_new) children.push_back({place->first});
    add_layer(children[place->second].layers, layers, layer);
  }
  return children;
}

std::string class_of(const Model& model, std::string_view path) {
  for (const Scope& scope : model.scopes)
    if (scope.path == path) return std::string(scope.cls);
  return "";
}

std::string percent_text(const Amount& part, const Amount& whole, std::string_view of) {
  const auto share = part.number(), all = whole.number();
  if (!share || !all || *all <= 0) return "";
  return fmt::format(" ({:.1f} %{})", 100 * *share / *all, of);
}

std::string short_text(const Amount& amount) {
  return expr_text(amount.floor(), NumberStyle::Plain, false);
}

// `MACs    = 1 + 2`, then the sum.
void sum_of(Page& out, std::string_view label, const std::vector<std::string>& terms,
            const std::string& sum) {
  std::vector<std::string> shown(
      terms.begin(),
      terms.begin() + static_cast<std::ptrdiff_t>(std::min(terms.size(), kMostTerms)));
  std::string text = fmt::format("{}", fmt::join(shown, " + "));
  if (terms.size() > kMostTerms) text += fmt::format(" + {} more", terms.size() - kMostTerms);
  out.derivation(label, {std::move(text), sum});
}

}  // namespace

Certainty certainty_of(const Costs& costs, const Layers& some, const LayerCount& sum,
                       const Convention& convention, Metric metric) {
  const bool moved = metric == Metric::ReadBytes || metric == Metric::WriteBytes;
  if (!convention.is_strata())
    return moved ? sum.bytes_certainty.value_or(sum.certainty) : sum.certainty;
  for (const std::uint32_t index : some.members) {
    const Executed& executed = costs.nodes[index];
    const NodeCost& cost = executed.cost;
    if (cost.folded || executed.times.is(0)) continue;
    Certainty certainty = moved ? cost.bytes_certainty : cost.certainty;
    // At least some operations, but none of them a MAC (NonMaxSuppression).
    if (metric == Metric::Macs && certainty == Certainty::LowerBound && cost.macs.is(0)) continue;
    if (certainty == Certainty::Exact) continue;
    return sum[metric].floor().is(0) ? Certainty::Unknown : Certainty::LowerBound;
  }
  return Certainty::Exact;
}

std::string convention_text(const Convention& convention) {
  const std::string name(convention.name()), title(convention.title());
  return title.empty() ? name : fmt::format("{}: {}", name, title);
}

std::string answer_text(const Model&, const Costs& costs, const Layers& layers, const Layers& some,
                        const Convention& convention) {
  const LayerCount own = count_as(convention, costs, some).total;
  const LayerCount all = count_as(convention, costs, layers).total;
  const Metric headline = convention.headline();
  const Amount params(own.params), all_params(all.params);
  const bool sure = certainty_of(costs, layers, all, convention, headline) == Certainty::Exact;
  return fmt::format(
      "{} {}{}, {} parameter{}{}.",
      bounded(short_text(own[headline]), certainty_of(costs, some, own, convention, headline)),
      convention.label(headline),
      sure ? percent_text(own[headline], all[headline], " of the network") : "", short_text(params),
      own.params.is(1) ? "" : "s", percent_text(params, all_params, ""));
}

std::optional<std::string> explain_module(const Model& model, const Costs& costs,
                                          const Layers& layers, std::string_view path,
                                          const Convention& convention, const ExplainStyle& style) {
  std::vector<Child> children = children_of(model, costs, layers, path);
  if (children.empty()) return std::nullopt;
  Layers all;
  std::size_t width = 0;
  for (Child& child : children) {
    child.count = count_as(convention, costs, child.layers).total;
    for (const Layer& layer : child.layers.list) add_layer(all, child.layers, layer);
    width = std::max(width, display_width(visible(child.path)));
  }
  const LayerCount total = count_as(convention, costs, all).total;
  const auto text_of = [&](const LayerCount& count, const Layers& some, Metric metric) {
    return bounded(exact(count[metric]), certainty_of(costs, some, count, convention, metric));
  };
  Page out(style.color);
  const std::string cls = class_of(model, path);
  out.line(out.bold(path) + (cls.empty() ? "" : "  " + cls) +
           out.dim(fmt::format("  the sum of {} layer{}", all.list.size(),
                               all.list.size() == 1 ? "" : "s")));
  out.line(answer_text(model, costs, layers, all, convention));
  out.line(out.dim(convention_text(convention)));
  out.rule();
  const Metric headline = convention.headline();
  std::vector<const Child*> ranked;
  for (const Child& child : children) ranked.push_back(&child);
  std::stable_sort(ranked.begin(), ranked.end(), [&](const Child* a, const Child* b) {
    return a->count[headline].number().value_or(0) > b->count[headline].number().value_or(0);
  });
  for (const Child* child : ranked) {
    const auto part = child->count[headline].number(), whole = total[headline].number();
    const bool sure = certainty_of(costs, all, total, convention, headline) == Certainty::Exact;
    const std::string share =
        sure && part && whole && *whole > 0 ? fmt::format("{:5.1f} %", 100 * *part / *whole) : "";
    const std::string own = text_of(child->count, child->layers, headline);
    out.line(padded(visible(child->path), width + 2) +
             padded(own + " " + convention.label(headline), 22) + padded(share, 10) +
             exact(child->count.params) + " parameters");
  }
  out.gap();
  for (std::size_t m = 0; m < kMetrics; ++m) {
    const auto metric = static_cast<Metric>(m);
    if (!convention.has(metric)) continue;
    std::vector<std::string> terms;
    for (const Child& child : children) terms.push_back(text_of(child.count, child.layers, metric));
    sum_of(out, convention.label(metric), terms, text_of(total, all, metric));
  }
  std::vector<std::string> terms;
  for (const Child& child : children) terms.push_back(exact(child.count.params));
  sum_of(out, "params", terms, exact(total.params));
  return out.take();
}

}  // namespace strata
