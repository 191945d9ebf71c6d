// Places boxes in ranks, top to bottom, and routes the lines between them: a layered layout
// (Sugiyama, Tagawa, Toda) of the inside of one module, as the page's graph has it.
#pragma once

#include <cstddef>
#include <vector>

namespace strata {

struct LayeredBox {
  double width = 0, height = 0;
  double in = 0, out = 0;  // where lines enter and leave, from the middle
};

struct LayeredLink {
  std::size_t from = 0, to = 0;
};

struct LayeredGraph {
  std::vector<LayeredBox> boxes;  // in running order
  std::vector<LayeredLink> links;
  std::vector<std::size_t> entered, left;  // boxes with a line from outside, and to it
  LayeredBox end;                          // stands where these lines begin and end
};

struct LayeredPoint {
  double x = 0, y = 0;
};

// A line leaves and arrives upright; it bends between if `x1` and `x2` differ.
struct LayeredLine {
  double x1, y1, x2, y2;
  bool is_back = false;  // of a value that a box reads before it is made, as in loops
  bool arrives = false;  // at a box
};

struct LayeredPlaces {
  double width = 0, height = 0;
  std::vector<LayeredPoint> corners = {};  // of the boxes: their upper left ones
  std::vector<LayeredLine> lines = {};
  LayeredPoint enter = {}, leave = {};  // the upper middle of the ends, if there are such lines
};

LayeredPlaces layered(const LayeredGraph& graph);

}  // namespace strata
