// Works out which scopes of a file are calls of the same module, and which call contains which: the
// second half of ScopeTree.
#include <algorithm>
#include <numeric>

#include "read/onnx/scope_text.h"
#include "read/onnx/scopes.h"

namespace strata::onnx {

namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 9 && text[0] != '0' &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

void ScopeTree::finish() {
  find_modules();
  count_calls();
  make_scopes();
  for (Graph& graph : model_.graphs)
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      const Place& place = places_[graph.nodes[id].scope];
      const Module& module = modules_[place.module];
      graph.nodes.set_scope(id, module.first + std::min(place.call, module.calls - 1));
    }
}

// TorchScript adds `_1` to the last component when a scope is entered again, and to no other: the
// second calls of `head` and of `head.conv` are `/head_1/…` and `/head/conv_1/…`. It is a call
// number only if the same scope exists without it and no weights show that a module has that name.
std::string_view ScopeTree::without_call_number(const Entry& entry, const Module& parent) {
  if (entry.style == Style::Dotted) {
    const std::size_t at = entry.text.rfind('@');
    return at != std::string_view::npos && is_number(entry.text.substr(at + 1))
               ? entry.text.substr(0, at)
               : entry.text;
  }
  if (entry.style != Style::Torch) return entry.text;
  const std::size_t bar = last_of(entry.text, '_');
  if (bar == std::string_view::npos || bar == 0 || !is_number(entry.text.substr(bar + 1)))
    return entry.text;
  const std::size_t suffix = entry.text.size() - bar;
  if (ids_.find(entry.key.substr(0, entry.key.size() - suffix)) == nullptr) return entry.text;
  std::string path(parent.path);
  if (entry.text.size() > parent.text.size() && entry.text.starts_with(parent.text) &&
      !parent.text.empty() && entry.text[parent.text.size()] == '.')
    path += entry.text.substr(parent.text.size());
  else
    path += (path.empty() ? "" : ".") + std::string(entry.text);
  return has_weights(path) ? entry.text : entry.text.substr(0, bar);
}

// True if the name of a stored tensor starts with this path and a dot.
bool ScopeTree::has_weights(std::string_view path) {
  if (!weights_known_) {
    weights_known_ = true;
    constexpr std::size_t kLongest = 512;
    constexpr int kDeepest = 32;
    for (const Tensor& tensor : model_.graph().tensors) {
      if (tensor.role != Role::Initializer || tensor.name.size() > kLongest) continue;
      std::size_t dot = tensor.name.find('.');
      for (int depth = 0; dot != std::string_view::npos && depth < kDeepest; ++depth) {
        weighted_.insert(tensor.name.substr(0, dot), 0);
        dot = tensor.name.find('.', dot + 1);
      }
    }
  }
  return weighted_.find(path) != nullptr;
}

void ScopeTree::find_modules() {
  modules_.emplace_back();
  modules_[0].cls = root_class_;
  modules_[0].written = 1;
  modules_[0].has_nodes = true;
  places_.resize(entries_.size());
  modules_.reserve(entries_.size());
  NameTable numbers;
  numbers.reserve(entries_.size());
  for (Id id = 1; id < entries_.size(); ++id) {
    const Entry& entry = entries_[id];
    const Place around = places_[entry.parent];
    const Module& parent = modules_[around.module];
    Module module;
    module.text = without_call_number(entry, parent);
    module.parent = around.module;
    module.name = module.text;
    // The part that the text repeats: its parent's text, or the whole path down to here.
    const std::string_view before = entry.style == Style::Torch    ? parent.text
                                    : entry.style == Style::Dotted ? parent.path
                                                                   : std::string_view();
    const bool repeats = !before.empty() && module.text.size() > before.size() + 1 &&
                         module.text.starts_with(before) &&
                         (module.text[before.size()] == '.' ||
                          (entry.style == Style::Dotted && module.text[before.size()] == '/'));
    if (repeats) module.name = module.text.substr(before.size() + 1);
    if (parent.path.empty() || entry.style == Style::Dotted) {
      module.path = module.text;
    } else {
      const std::size_t size = parent.path.size() + 1 + module.name.size();
      const auto path = model_.keep_span<char>(size);
      char* at = std::copy(parent.path.begin(), parent.path.end(), path.data());
      *at++ = entry.style == Style::Slashed ? '/' : '.';
      std::copy(module.name.begin(), module.name.end(), at);
      module.path = {path.data(), size};
    }
    const auto number = numbers.insert(module.path, static_cast<std::uint32_t>(modules_.size()));
    if (number.is_new) modules_.push_back(module);
    Module& known = modules_[number.value];
    places_[id] = {number.value, known.written++};
    known.has_nodes = known.has_nodes || entry.has_nodes;
    known.says_calls = known.says_calls || entry.style == Style::Dotted;
    known.says_parent = known.says_parent || known.says_calls || around.call > 0;
    if (known.cls.empty()) known.cls = entry.cls;
  }
}

// A module that has nodes of its own is called as often as it is written. One that only contains
// modules never gets a number; its calls follow from theirs.
void ScopeTree::count_calls() {
  const auto seems = [](const Module& module) -> std::uint32_t {
    if (module.has_nodes || module.says_calls || module.written > 1) return module.written;
    return module.children >= 2 && module.fewest == module.most ? module.fewest : 0;
  };
  for (std::size_t i = modules_.size(); i-- > 1;) {
    const std::uint32_t calls = seems(modules_[i]);
    Module& parent = modules_[modules_[i].parent];
    parent.fewest = parent.children == 0 ? calls : std::min(parent.fewest, calls);
    parent.most = std::max(parent.most, calls);
    parent.divisor = std::gcd(parent.divisor, calls);
    ++parent.children;
  }
  modules_[0].calls = 1;
  for (std::size_t i = 1; i < modules_.size(); ++i) {
    Module& module = modules_[i];
    const std::uint32_t around = modules_[module.parent].calls;
    module.calls = seems(module);
    if (module.calls == 0)
      module.calls = module.divisor != 0 && module.divisor % around == 0 ? around : 1;
  }
}

void ScopeTree::make_scopes() {
  model_.scopes.clear();
  model_.scopes.reserve(entries_.size());
  model_.scopes.push_back({{}, {}, modules_[0].cls, kNone, 0});
  // The parent's call that each entry is in, if entries say so.
  std::vector<std::uint32_t> first_said(modules_.size());
  std::vector<std::uint32_t> said;
  for (std::size_t i = 1; i < modules_.size(); ++i)
    if (modules_[i].says_parent) {
      first_said[i] = static_cast<std::uint32_t>(said.size());
      said.resize(said.size() + modules_[i].written);
    }
  for (Id id = 1; id < entries_.size() && !said.empty(); ++id)
    if (modules_[places_[id].module].says_parent)
      said[first_said[places_[id].module] + places_[id].call] = places_[entries_[id].parent].call;

  for (std::size_t i = 1; i < modules_.size(); ++i) {
    Module& module = modules_[i];
    const Module& parent = modules_[module.parent];
    module.first = static_cast<ScopeId>(model_.scopes.size());
    for (std::uint32_t call = 0; call < module.calls; ++call) {
      // Otherwise, calls are spread evenly over those of the parent.
      const std::uint32_t of =
          module.says_parent && call < module.written
              ? std::min(said[first_said[i] + call], parent.calls - 1)
              : static_cast<std::uint32_t>(std::uint64_t{call} * parent.calls / module.calls);
      model_.scopes.push_back({module.name, module.path, module.cls, parent.first + of, call});
    }
  }
}

}  // namespace strata::onnx
