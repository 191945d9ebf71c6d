#include "document/chart/graph_boxes.h"

#include <algorithm>

#include <fmt/format.h>

#include "document/row_values.h"
#include "strata/base/text_map.h"

namespace strata {

namespace {

constexpr std::size_t kDeepest = 12;    // modules around a layer
constexpr std::size_t kMaxBoxes = 120;  // in one module; more are put into sections
constexpr std::size_t kSection = 60;    // boxes of a section

GraphBox& add(GraphBox& parent, std::string name, std::optional<std::size_t> row) {
  parent.children.push_back(std::make_unique<GraphBox>());
  GraphBox& box = *parent.children.back();
  box.name = std::move(name);
  box.row = row;
  box.parent = &parent;
  return box;
}

// `features.0.1` is in modules; `/features/features.0/Conv`, as nodes are named, too.
std::vector<std::string> words_of(std::string path) {
  const char joint = path.starts_with('/') ? '/' : '.';
  if (joint == '/') path.erase(0, 1);
  std::vector<std::string> words;
  std::size_t from = 0;
  for (std::size_t at = path.find(joint); at != path.npos; at = path.find(joint, from)) {
    words.push_back(path.substr(from, at - from));
    from = at + 1;
  }
  words.push_back(path.substr(from));
  return words;
}

// A module that only holds another one is one box with it.
void join_shells(GraphBox& box) {
  for (auto& child : box.children) {
    while (child->children.size() == 1 && !child->children[0]->row) {
      auto inner = std::move(child->children[0]);
      inner->name = child->name + "." + inner->name;
      inner->parent = &box;
      child = std::move(inner);
    }
    join_shells(*child);
  }
}

void make_sections(GraphBox& box) {
  while (box.children.size() > kMaxBoxes) {
    auto all = std::exchange(box.children, {});
    for (std::size_t from = 0; from < all.size(); from += kSection) {
      const std::size_t to = std::min(from + kSection, all.size());
      GraphBox& part =
          add(box, fmt::format("{} to {} of {}", from + 1, to, all.size()), std::nullopt);
      for (std::size_t i = from; i < to; ++i) {
        all[i]->parent = &part;
        part.children.push_back(std::move(all[i]));
      }
    }
  }
  for (auto& child : box.children) make_sections(*child);
}

void count(GraphBox& box, std::size_t depth) {
  box.depth = depth;
  box.layers = box.row ? 1 : 0;
  if (box.row) box.first = *box.row;
  for (auto& child : box.children) {
    count(*child, depth + 1);
    box.layers += child->layers;
  }
  std::stable_sort(box.children.begin(), box.children.end(),
                   [](const auto& a, const auto& b) { return a->first < b->first; });
  if (!box.children.empty()) box.first = box.children[0]->first;
  for (std::size_t i = 0; i < box.children.size(); ++i) box.children[i]->index = i;
}

GraphBox* leave(GraphBox* box) {
  box->parent->left.insert(box->index);
  return box->parent;
}

GraphBox* enter(GraphBox* box) {
  box->parent->entered.insert(box->index);
  return box->parent;
}

// Adds a line from `a` to `b` at every level at which it is seen; nullptr is the world.
void link(GraphBox* a, GraphBox* b, GraphBox* root) {
  while (a != nullptr && b != nullptr && a->parent != b->parent) {
    if (a->depth >= b->depth)
      a = leave(a);
    else
      b = enter(b);
  }
  if (a != nullptr && b != nullptr && a != b) a->parent->links.insert({a->index, b->index});
  while (a == nullptr && b != root) b = enter(b);
  while (b == nullptr && a != root) a = leave(a);
}

// True for rows that read something, are read or make something.
std::vector<bool> linked_rows(const Table& table) {
  std::vector<bool> linked(table.rows.size(), false);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (const std::int32_t from : table.edges.reads[row]) {
      linked[row] = true;
      if (from >= 0) linked[static_cast<std::size_t>(from)] = true;
    }
    if (!text_of(table, table.rows[row], "output").empty()) linked[row] = true;
  }
  return linked;
}

}  // namespace

std::unique_ptr<GraphBox> graph_boxes(const Table& table) {
  if (table.rows.empty() || table.edges.reads.size() != table.rows.size()) return nullptr;
  auto root = std::make_unique<GraphBox>();
  root->open = true;
  TextMap<std::string, GraphBox*> modules;  // by path
  std::vector<GraphBox*> boxes(table.rows.size(), nullptr);
  const std::vector<bool> linked = linked_rows(table);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (!linked[row]) continue;
    const std::vector<std::string> words = words_of(text_of(table, table.rows[row], "layer"));
    GraphBox* at = root.get();
    std::string path;
    for (std::size_t i = 0; i + 1 < words.size() && i < kDeepest; ++i) {
      path += words[i] + '\n';
      GraphBox*& module = modules[path];
      if (module == nullptr) module = &add(*at, words[i], std::nullopt);
      at = module;
    }
    boxes[row] = &add(*at, words.back(), row);
  }
  join_shells(*root);
  make_sections(*root);
  count(*root, 0);
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    for (const std::int32_t from : table.edges.reads[row])
      link(from < 0 ? nullptr : boxes[static_cast<std::size_t>(from)], boxes[row], root.get());
  for (const std::int32_t row : table.edges.returned)
    if (GraphBox* box = boxes[static_cast<std::size_t>(row)]) link(box, nullptr, root.get());
  return root;
}

std::size_t open_levels(GraphBox& root, std::size_t most) {
  std::vector<GraphBox*> level = {&root};
  std::size_t seen = root.children.size();
  const auto below = [](const std::vector<GraphBox*>& boxes) {
    std::vector<GraphBox*> next;
    for (const GraphBox* box : boxes)
      for (const auto& child : box->children)
        if (!child->children.empty()) next.push_back(child.get());
    return next;
  };
  std::vector<GraphBox*> next = below(level);
  for (; !next.empty(); next = below(next)) {
    std::size_t more = 0;
    for (const GraphBox* box : next) more += box->children.size();
    if (seen + more > most) break;
    for (GraphBox* box : next) box->open = true;
    seen += more;
  }
  std::size_t closed = 0;
  for (; !next.empty(); next = below(next)) ++closed;
  return closed;
}

}  // namespace strata
