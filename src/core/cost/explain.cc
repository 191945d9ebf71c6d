#include "strata/cost/explain.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cost/convention_rules.h"
#include "cost/explain_module.h"
#include "cost/explain_page.h"
#include "cost/weights.h"
#include "cost/work_terms.h"
#include "ops/registry.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

using namespace page;

// Puts a sum, or a text that begins with a minus, in parentheses after a factor.
std::string as_factor(const std::string& text) {
  const bool is_sum =
      text.starts_with('-') || text.find(" + ") != text.npos || text.find(" - ") != text.npos;
  return is_sum ? "(" + text + ")" : text;
}

class Explanation {
 public:
  Explanation(const Model& model, const Costs& costs, const Layers& layers, std::size_t index,
              const Convention& convention, const ExplainStyle& style)
      : model_(model),
        costs_(costs),
        layers_(layers),
        index_(index),
        layer_(layers.list[index]),
        convention_(convention),
        page_(style.color) {}

  std::string text() {
    title();
    tensors();
    page_.gap();
    if (convention_.is_strata() || count_as(convention_, costs_, one_layer()).layers[0].is_stratas)
      strata_numbers();
    else
      convention_numbers();
    quirks();
    return page_.take();
  }

 private:
  void title();
  void tensors();
  void tensor(std::string_view label, std::string_view name, DType type, std::string_view shape);
  void strata_numbers();
  void bytes_of_nodes();
  void convention_numbers();
  void part_numbers(const CountedPart& part);
  void where(const std::vector<std::string_view>& names, const LayerFacts& facts);
  void quirks();
  std::string times_text() const;
  // Strata's own count of this layer.
  Certainty certainty(Metric metric) const {
    const Layers one = one_layer();
    const Convention strata = *find_convention("strata");
    return certainty_of(costs_, one, count_as(strata, costs_, one).total, strata, metric);
  }
  std::string_view default_text() const {
    using Default = ConventionRules::Default;
    const Default fallback = convention_.rules().fallback;
    return fallback == Default::Unknown  ? "as unknown"
           : fallback == Default::Strata ? "as strata counts it"
                                         : "0";
  }
  Layers one_layer() const {
    Layers one{{layer_}, {}};
    const auto members = layers_.nodes_of(layer_);
    one.members.assign(members.begin(), members.end());
    one.list[0].first = 0;
    return one;
  }

  const Model& model_;
  const Costs& costs_;
  const Layers& layers_;
  std::size_t index_;
  const Layer& layer_;
  const Convention& convention_;
  Page page_;
};

void Explanation::title() {
  std::string title =
      page_.bold(layer_path(model_, costs_, layer_)) + "  " + layer_type(model_, costs_, layer_);
  std::uint32_t calls = 0;
  for (const Layer& other : layers_.list)
    if (other.scope != 0 && layer_.scope != 0 && !layer_.functional &&
        model_.scopes[other.scope].path == model_.scopes[layer_.scope].path)
      ++calls;
  if (calls > 1) title += page_.dim(fmt::format("  call {} of {}", layer_.call + 1, calls));
  page_.line(title);
  page_.line(answer_text(model_, costs_, layers_, one_layer(), convention_));
  page_.line(page_.dim(convention_text(convention_)));
  page_.rule();
}

void Explanation::tensor(std::string_view label, std::string_view tensor_name, DType type,
                         std::string_view shape) {
  page_.labelled(label, padded(std::string(name_of(type)), 6) + padded(std::string(shape), 24) +
                            page_.dim(tensor_name));
}

void Explanation::tensors() {
  const LayerEdges edges(model_, costs_, layers_);
  const Graph& graph = *costs_.nodes[layer_.main].graph;
  const auto show = [&](std::string_view label, TensorId id) {
    const Tensor& t = graph.tensors[id];
    tensor(label, t.name, t.type->dtype, t.type->ranked ? strata::text(t.type->dims) : "?");
  };
  for (TensorId id : edges.inputs(index_)) show("input", id);
  std::vector<std::uint64_t> seen;
  for (std::uint32_t index : layers_.nodes_of(layer_)) {
    const Executed& executed = costs_.nodes[index];
    if (executed.cost->folded) continue;
    const Node& node = executed.get();
    const OpRule* rule = find_rule(node.domain, node.op, node.opset);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNone || (rule != nullptr && has_bit(rule->settings, i))) continue;
      const WeightRef weight = weight_of(*executed.graph, node.inputs[i]);
      if (weight.data == nullptr || std::find(seen.begin(), seen.end(), weight.key) != seen.end())
        continue;
      seen.push_back(weight.key);
      Dims dims;
      for (std::int64_t size : weight.data->dims) dims.push_back(size);
      const bool state = rule != nullptr && has_bit(rule->buffers, i);
      tensor(state ? "state" : "weight", weight.data->name, weight.data->dtype, strata::text(dims));
    }
  }
  for (TensorId id : edges.outputs(index_)) show("output", id);
}

std::string Explanation::times_text() const {
  const Expr& times = costs_.nodes[layer_.main].times;
  return times.is(1) ? "" : fmt::format(", {} times", exact(times));
}

void Explanation::strata_numbers() {
  const std::vector<WorkRow> rows = work_rows(costs_, layers_, layer_);
  NodeCost sum;
  std::size_t op_width = 0, text_width = 0, amount_width = 0;
  for (std::uint32_t index : layers_.nodes_of(layer_)) {
    const Executed& executed = costs_.nodes[index];
    if (!executed.cost->folded) add_to(sum, executed.cost, executed.times);
  }
  for (const WorkRow& row : rows) {
    op_width = std::max(op_width, display_width(row.op));
    text_width = std::max(text_width, display_width(row.text));
    amount_width = std::max(amount_width, display_width(row.amount));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const WorkRow& row = rows[i];
    const std::string start = padded(row.op, op_width + 2) + padded(row.work, 10);
    const std::size_t left = kLabelWidth + display_width(start);
    if (left + text_width + 2 + amount_width <= kRuleWidth) {
      const std::string indent(amount_width - display_width(row.amount), ' ');
      page_.labelled(i == 0 ? "work" : "",
                     start + padded(row.text, text_width + 2) + indent + row.amount);
      continue;
    }
    // Too long for a line: the product below its factors.
    std::string before = start;
    for (const std::string& line : wrapped(row.text, kRuleWidth - left)) {
      page_.labelled(i == 0 && before == start ? "work" : "", before + line);
      before = std::string(display_width(start), ' ');
    }
    page_.labelled("", before + "= " + row.amount);
  }
  if (!rows.empty()) page_.gap();

  const std::string flops = bounded(exact(sum.flops()), certainty(Metric::Flops));
  page_.derivation("MACs", {bounded(exact(sum.macs), certainty(Metric::Macs)) + times_text()});
  std::string symbols = "2·MACs", numbers = fmt::format("2·{}", as_factor(exact(sum.macs)));
  const std::pair<std::string_view, const Expr*> parts[] = {
      {"adds", &sum.adds}, {"muls", &sum.muls}, {"specials", &sum.specials}};
  for (const auto& [label, amount] : parts) {
    if (amount->is(0)) continue;
    symbols += fmt::format(" + {}", label);
    const std::string text = exact(*amount);
    numbers += " + " + (text.starts_with('-') ? "(" + text + ")" : text);
  }
  page_.derivation("FLOPs", flops == kUnknown ? std::vector<std::string>{flops}
                                              : std::vector<std::string>{symbols, numbers, flops});
  bytes_of_nodes();
  page_.derivation("params", {exact(sum.params)});
  if (sum.certainty != Certainty::Exact)
    page_.labelled("note", "a lower bound: the work of an operator in it is not known");
  if (costs_.nodes[layer_.main].cost->at_load)
    page_.labelled("note",
                   "on constants alone: done once, when the model is loaded, and not in every run");
}

// Lists each distinct input, weight and output once, if that is what a node moves.
void Explanation::bytes_of_nodes() {
  std::vector<std::string> read, written;
  Expr read_sum = 0, write_sum = 0;
  const auto label_of = [](const Tensor& tensor, const WeightRef& weight) {
    if (weight.data == nullptr) return std::string("input");
    const std::string_view full = weight.data->name.empty() ? tensor.name : weight.data->name;
    return std::string(full.substr(full.rfind('.') + 1));
  };
  for (std::uint32_t index : layers_.nodes_of(layer_)) {
    const Executed& executed = costs_.nodes[index];
    if (executed.cost->folded || executed.cost->view) continue;
    const Node& node = executed.get();
    const OpRule* rule = find_rule(node.domain, node.op, node.opset);
    std::vector<std::string> terms;
    Expr sum = 0;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorId id = node.inputs[i];
      if (id == kNone || (rule != nullptr && has_bit(rule->settings, i))) continue;
      const auto before = node.inputs.first(i);
      if (std::find(before.begin(), before.end(), id) != before.end()) continue;
      const Tensor& t = executed.graph->tensors[id];
      const WeightRef weight = weight_of(*executed.graph, id);
      const Expr size = weight.data != nullptr ? bytes(weight.data->elements(), weight.data->dtype)
                                               : bytes(elements(t.type->dims), t.type->dtype);
      sum += size;
      terms.push_back(fmt::format("{} {}", label_of(t, weight), exact(size)));
    }
    if (sum == executed.cost->read_bytes)
      read.insert(read.end(), terms.begin(), terms.end());
    else
      read.push_back(fmt::format("what {} touches {}", node.op, exact(executed.cost->read_bytes)));
    const Expr& output = executed.cost->write_bytes;
    const bool nothing = executed.cost->bytes_certainty != Certainty::Exact && output.is(0);
    written.push_back(fmt::format(
        "output {}",
        bounded(exact(output), nothing ? Certainty::Unknown : executed.cost->bytes_certainty)));
    read_sum += executed.cost->read_bytes * executed.times;
    write_sum += executed.cost->write_bytes * executed.times;
  }
  const auto derive = [&](std::string_view label, const std::vector<std::string>& terms,
                          const Expr& sum, Metric metric) {
    std::string text = bounded(exact(sum), certainty(metric));
    if (text != kUnknown) text += " B";
    page_.derivation(label, {fmt::format("{}", fmt::join(terms, " + ")), std::move(text)});
  };
  derive("read", read, read_sum, Metric::ReadBytes);
  derive("write", written, write_sum, Metric::WriteBytes);
}

void Explanation::where(const std::vector<std::string_view>& names, const LayerFacts& facts) {
  bool first = true;
  for (std::string_view wanted : names)
    for (std::size_t i = 0; i < kFacts; ++i) {
      if (kFactNames[i].name != wanted) continue;
      page_.labelled(std::exchange(first, false) ? "where" : "",
                     padded(std::string(wanted), 8) +
                         padded(exact(facts[static_cast<Fact>(i)]), 14) +
                         page_.dim(kFactNames[i].meaning));
    }
  for (std::string_view wanted : names)
    for (std::size_t i = 0; i < kAxisFacts; ++i) {
      if (kAxisFactNames[i].name != wanted) continue;
      std::vector<std::string> sizes;
      for (const auto axis : facts.values().along_axis) sizes.push_back(exact(axis[i]));
      page_.labelled(std::exchange(first, false) ? "where" : "",
                     padded(std::string(wanted), 8) +
                         padded(fmt::format("{}", fmt::join(sizes, ", ")), 14) +
                         page_.dim(fmt::format("{}, along each axis", kAxisFactNames[i].meaning)));
    }
}

void Explanation::part_numbers(const CountedPart& part) {
  const LayerRule* rule = rule_for(part, costs_);
  const Executed& main = costs_.nodes[part.main];
  const LayerFacts facts = facts_of(part, costs_, layers_, layer_);
  if (rule == nullptr) {
    page_.labelled("rule", fmt::format("none for {}: it counts {}", main.get().op, default_text()));
    return;
  }
  page_.labelled("rule", fmt::format("{}, for the operator {}", rule->key, main.get().op));
  std::vector<std::string_view> names;
  for (std::size_t m = 0; m < kMetrics; ++m) {
    const auto metric = static_cast<Metric>(m);
    if (!convention_.has(metric)) continue;
    const std::string& label = convention_.label(metric);
    if (!rule->formulas[m]) {
      page_.derivation(label, {std::string(default_text())});
      continue;
    }
    const Formula& formula = *rule->formulas[m];
    const Amount amount = formula.evaluate(facts.values());
    std::vector<std::string> steps = {formula.text(),
                                      with_groups(formula.filled_in(facts.values()))};
    const bool moved = metric == Metric::ReadBytes || metric == Metric::WriteBytes;
    if (moved) {
      steps.push_back(
          fmt::format("{} elements of {}", exact(amount), strata::name_of(facts.dtype())));
      steps.push_back(exact(bytes_of_amount(amount, facts.dtype())) + " B");
    } else {
      steps.push_back(exact(amount));
    }
    if (!facts.times().is(1)) steps.back() += fmt::format(", {} times", exact(facts.times()));
    page_.derivation(label, std::move(steps));
    for (std::string_view used : formula.names())
      if (std::find(names.begin(), names.end(), used) == names.end()) names.push_back(used);
  }
  if (rule->at_least) page_.labelled("note", "a lower bound: the tool may count more");
  if (!names.empty()) page_.gap();
  where(names, facts);
}

void Explanation::convention_numbers() {
  const auto parts = parts_of(convention_.rules(), costs_, layers_, layer_);
  if (parts.empty()) {
    page_.labelled("rule", "none: this convention does not count operations between modules");
    return;
  }
  if (parts.size() == 1) return part_numbers(parts[0]);
  std::size_t silent = 0;
  for (const CountedPart& part : parts) {
    if (rule_for(part, costs_) == nullptr) {
      ++silent;
      continue;
    }
    part_numbers(part);
    page_.gap();
  }
  if (silent > 0)
    page_.labelled("rule", fmt::format("none for its other {} operators: they count {}", silent,
                                       default_text()));
  const LayerCount sum = count_as(convention_, costs_, one_layer()).total;
  for (std::size_t m = 0; m < kMetrics; ++m)
    if (const auto metric = static_cast<Metric>(m); convention_.has(metric))
      page_.derivation(convention_.label(metric), {"sum of the above", exact(sum[metric])});
}

// Whose rules these are, with the version of the tool, and what is surprising about them.
void Explanation::quirks() {
  if (convention_.quirks().empty() && convention_.source().empty()) return;
  page_.gap();
  bool first = true;
  if (!convention_.is_strata())
    for (const std::string& line : wrapped(convention_.source(), kRuleWidth - kLabelWidth))
      page_.labelled(std::exchange(first, false) ? "source" : "", page_.dim(line));
  first = true;
  for (const std::string& quirk : convention_.quirks()) {
    std::string_view bullet = "· ";
    for (const std::string& line : wrapped(quirk, kRuleWidth - kLabelWidth - 2)) {
      page_.labelled(std::exchange(first, false) ? "note" : "",
                     page_.dim(std::exchange(bullet, "  ")) + page_.dim(line));
    }
  }
}

}  // namespace

Result<std::string> explain(const Model& model, const Costs& costs, const Layers& layers,
                            std::string_view query, const Convention& convention,
                            const ExplainStyle& style) {
  if (const auto module = explain_module(model, costs, layers, query, convention, style))
    return *module;
  const auto index = find_layer(model, costs, layers, query);
  if (!index) return failure(index);
  return Explanation(model, costs, layers, *index, convention, style).text();
}

}  // namespace strata
