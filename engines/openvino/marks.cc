#include "marks.h"

#include <charconv>

#include <fmt/format.h>

#include "strata/base/text_map.h"

namespace strata::openvino {

namespace {

constexpr std::string_view kOpen = "@strata:", kClose = "@";

}  // namespace

Marks::Marks(const Model& source, ov::Model& model) {
  const Graph& graph = source.graph();
  TextMap<std::string_view, TensorId> values;
  for (TensorId id = 0; id < graph.tensors.size(); ++id)
    if (graph.tensors[id].producer != kNone) values.emplace(graph.tensors[id].name, id);
  for (const auto& op : model.get_ordered_ops()) {
    Mark mark;
    bool any = false;
    for (std::size_t i = 0; i < op->get_output_size(); ++i) {
      std::string_view value;
      for (const std::string& name : op->output(i).get_names()) {
        const auto found = values.find(name);
        if (found == values.end()) continue;
        const NodeId producer = graph.tensors[found->second].producer;
        // If a value has several names, others copy the one that was made first.
        if (!value.empty() && producer > mark.last) continue;
        value = found->first;
        mark.last = any ? std::max(mark.last, producer) : producer;
      }
      any = any || !value.empty();
      mark.values.push_back(value);
    }
    if (!any) continue;
    mark.before = op->get_friendly_name();
    op->set_friendly_name(fmt::format("{}{}{}", kOpen, marks_.size(), kClose));
    marks_.push_back(std::move(mark));
  }
}

void Marks::keep_apart(ov::Model& model) const {
  for (const auto& op : model.get_ordered_ops()) {
    if (last_in(op->get_friendly_name()) == nullptr) continue;
    for (const auto& output : op->outputs())
      if (!output.get_names().empty()) model.add_output(output);
  }
}

template <class Each>
void Marks::find_in(std::string_view text, const Each& each) const {
  for (std::size_t at = text.find(kOpen); at != text.npos; at = text.find(kOpen, at + 1)) {
    std::size_t number = 0;
    const char* digits = text.data() + at + kOpen.size();
    const auto [end, wrong] = std::from_chars(digits, text.data() + text.size(), number);
    const bool whole = wrong == std::errc() && end != text.data() + text.size() && *end == '@';
    if (whole && number < marks_.size())
      each(at, static_cast<std::size_t>(end + 1 - text.data()), marks_[number]);
  }
}

const Marks::Mark* Marks::last_in(std::string_view names) const {
  const Mark* last = nullptr;
  find_in(names, [&](std::size_t, std::size_t, const Mark& mark) {
    if (last == nullptr || mark.last >= last->last) last = &mark;
  });
  return last;
}

std::string Marks::readable(std::string_view text) const {
  std::string out;
  std::size_t copied = 0;
  find_in(text, [&](std::size_t from, std::size_t to, const Mark& mark) {
    out.append(text.substr(copied, from - copied)).append(mark.before);
    copied = to;
  });
  return out.append(text.substr(copied));
}

}  // namespace strata::openvino
