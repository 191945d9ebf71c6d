// Marks on the nodes of OpenVINO's graph that survive its optimizer: which source values a node
// makes.
//
// OpenVINO gives a fused node the names of all nodes that went into it. Names from the file may
// contain anything and need not be unique, so nodes that make values of the file get names of ours
// before the model is compiled.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <openvino/core/model.hpp>

#include "strata/graph/graph.h"

namespace strata::openvino {

class Marks {
 public:
  // Renames the nodes of `model`, which OpenVINO has read from the file of `source`.
  Marks(const Model& source, ov::Model& model);

  struct Mark {
    std::string before;                    // OpenVINO's own name
    std::vector<std::string_view> values;  // by output; empty where the file has no such value
    NodeId last = 0;                       // place of the source node that makes the last of them
  };
  const std::vector<Mark>& all() const { return marks_; }
  // The mark that comes last in the source among those in a list of names; null: there is none.
  const Mark* last_in(std::string_view names) const;
  // Makes every marked value an output, so that no two nodes can be fused.
  void keep_apart(ov::Model& model) const;
  // The text with OpenVINO's own names in place of ours.
  std::string readable(std::string_view text) const;

 private:
  template <class Each>
  void find_in(std::string_view text, const Each& each) const;

  std::vector<Mark> marks_;
};

}  // namespace strata::openvino
