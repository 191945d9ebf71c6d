// The network as nested boxes: layers in the modules of their paths, and which boxes are linked.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "strata/document/table.h"

namespace strata {

struct GraphBox {
  std::string name;
  std::optional<std::size_t> row = {};  // of a layer; modules have none
  bool open = false;
  GraphBox* parent = nullptr;
  std::vector<std::unique_ptr<GraphBox>> children = {};  // in running order
  std::size_t index = 0, depth = 0, first = 0, layers = 0;
  std::set<std::pair<std::size_t, std::size_t>> links = {};  // of children, by their indices
  std::set<std::size_t> entered = {}, left = {};  // children with a line from and to outside
};

// The root, which is open; nothing if the table's edges are not known.
std::unique_ptr<GraphBox> graph_boxes(const Table& table);
// Opens level after level while at most this many boxes can be seen; returns how many levels exist
// below the last one that is open.
std::size_t open_levels(GraphBox& root, std::size_t most);

}  // namespace strata
