#include <algorithm>
#include <string>

#include "base/shortened.h"
#include "profile/figures.h"
#include "profile/gather.h"
#include "strata/base/text_map.h"
#include "strata/read/source.h"

namespace strata {

namespace {

struct Module {
  Row row;
  std::size_t parent = 0;
  std::vector<std::size_t> children;
  Figures own;  // of operations that stand in no module inside it
  std::uint32_t own_count = 0;
  std::vector<std::uint32_t> operations;  // the same, those that cost something
};

// Up to this many operations between modules have rows of their own; more go by operator.
constexpr std::size_t kListed = 12;

class Tree {
 public:
  // Modules below `depth` get no row: what they cost goes to the module that they are in.
  Tree(const Analysis& a, std::uint32_t depth) : a_(a), depth_(depth) {
    modules_.emplace_back();
    modules_[0].row.type = std::string(a.model->scopes[0].cls);
    // A file goes by its name; a network of the zoo by what was asked for.
    const Source source(a.model->path);
    modules_[0].row.layer = source.is_zoo() ? source.word() : source.short_name();
    if (modules_[0].row.layer.empty()) modules_[0].row.layer = "(network)";
    if (a.device) modules_[0].row.device = a.device->scopes[0];
  }

  void add(std::uint32_t layer) {
    const Layer& facts = a_.layers.list[layer];
    const bool is_module = !facts.functional && facts.scope != 0;
    const ScopeId shown = shown_scope(facts.scope);
    const std::size_t module = module_of(shown);
    const Figures& figures = a_.by_layer[layer];
    if (shown != facts.scope) {
      // Only the sums below: it has neither a row nor a place between modules.
    } else if (is_module) {
      if (modules_[module].row.calls == 1 && modules_[module].row.output.empty()) {
        Row row = layer_row(a_, {&layer, 1});
        modules_[module].row.input = row.input, modules_[module].row.output = row.output;
        modules_[module].row.dtype = row.dtype, modules_[module].row.type = row.type;
        modules_[module].row.instead = row.instead, modules_[module].row.fused = row.fused;
      }
    } else {
      add_to(modules_[module].own, figures);
      const bool free =
          figures.flops.is(0) && figures.params.is(0) && !figures.seconds && !figures.taken;
      if (!free) {
        ++modules_[module].own_count;
        modules_[module].operations.push_back(layer);
      }
    }
    for (std::size_t at = module;; at = modules_[at].parent) {
      add_to(modules_[at].row.figures, figures);
      modules_[at].row.alive = std::max(modules_[at].row.alive, a_.alive_at(facts));
      if (at == 0) break;
    }
  }

  RowList rows() {
    RowList out;
    emit(out);
    return out;
  }

 private:
  // The scope itself, or the one around it that is at the depth where the tree ends.
  ScopeId shown_scope(ScopeId scope) const {
    std::uint32_t depth = 0;
    for (ScopeId at = scope; at != 0 && at != kNone; at = a_.model->scopes[at].parent) ++depth;
    for (; depth > depth_; --depth) scope = a_.model->scopes[scope].parent;
    return scope;
  }

  // The module of a scope, made with its parents on first sight.
  std::size_t module_of(ScopeId scope) {
    if (scope == 0 || scope == kNone) return 0;
    const Scope& facts = a_.model->scopes[scope];
    const std::size_t parent = module_of(facts.parent);
    auto [known, is_new] = by_path_.try_emplace(facts.path, modules_.size());
    if (is_new) {
      Module module;
      module.parent = parent;
      module.row.layer = shortened(facts.path);
      module.row.type = shortened(facts.cls);
      module.row.depth = modules_[parent].row.depth + 1;
      if (a_.device) module.row.device = a_.device->scopes[scope];
      modules_[parent].children.push_back(modules_.size());
      modules_.push_back(std::move(module));
    }
    Module& module = modules_[known->second];
    if (facts.call + 1 > module.row.calls) module.row.calls = facts.call + 1;
    if (module.row.calls > 1) module.row.device.reset();
    return known->second;
  }

  // Below `(between modules)`, if it was measured: which of them it was.
  void emit_operations(const Module& owner, RowList& out) const {
    const bool measured = owner.own.seconds || owner.own.taken;
    if (!measured || owner.operations.size() < 2) return;
    const bool by_operator = owner.operations.size() > kListed;
    TextMap<std::string, std::size_t> seen;
    for (const std::uint32_t layer : owner.operations) {
      Row row = layer_row(a_, {&layer, 1});
      row.depth = owner.row.depth + 2;
      if (!by_operator) {
        out.push_back(std::move(row));
        continue;
      }
      const auto [known, is_new] = seen.try_emplace(row.type, out.size());
      if (is_new) {
        row.layer = row.type;
        row.input.clear(), row.output.clear();
        out.push_back(std::move(row));
      } else {
        add_to(out[known->second].figures, row.figures);
        ++out[known->second].calls;
      }
    }
  }

  void emit(RowList& out) {
    std::vector<std::size_t> stack{0};
    while (!stack.empty()) {
      const std::size_t at = stack.back();
      stack.pop_back();
      if (at >= modules_.size()) {  // the operations of module `at - size` itself
        const Module& owner = modules_[at - modules_.size()];
        Row row;
        row.layer = "(between modules)";
        row.depth = owner.row.depth + 1;
        row.calls = owner.own_count;
        row.functional = true;
        row.figures = owner.own;
        out.push_back(std::move(row));
        if (owner.row.depth + 2 <= depth_) emit_operations(owner, out);
        continue;
      }
      const Module& module = modules_[at];
      out.push_back(module.row);
      if (module.row.depth >= depth_ || module.children.empty()) continue;
      if (module.own_count > 0) stack.push_back(at + modules_.size());
      for (auto child = module.children.rbegin(); child != module.children.rend(); ++child)
        stack.push_back(*child);
    }
  }

  const Analysis& a_;
  const std::uint32_t depth_;
  std::vector<Module> modules_;  // the first is the network
  TextMap<std::string_view, std::size_t> by_path_;
};

}  // namespace

RowList tree_rows(const Analysis& a, std::uint32_t depth) {
  Tree tree(a, depth);
  for (std::uint32_t layer = 0; layer < a.layers.list.size(); ++layer) tree.add(layer);
  return tree.rows();
}

}  // namespace strata
