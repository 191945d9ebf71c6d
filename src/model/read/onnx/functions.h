// Functions that a model defines itself. Calls are replaced by their nodes (see calls.cc); this is
// only what the file says about each function.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "read/onnx/wire.h"
#include "strata/graph/graph.h"

namespace strata::onnx {

struct Default {
  std::string_view name;
  std::string_view message;  // AttributeProto
};

struct Function {
  std::string_view domain;
  std::string_view name;
  std::string_view overload;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<std::string_view> nodes;  // NodeProto messages
  std::vector<Default> defaults;        // attributes that a call may leave out
  std::vector<OpsetImport> opsets;
};

class Functions {
 public:
  // Adds a FunctionProto.
  void add(Source& source, std::string_view message);
  bool empty() const { return functions_.empty(); }
  const Function* find(std::string_view domain, std::string_view name, std::string_view overload);

 private:
  const std::string& key_of(std::string_view domain, std::string_view name,
                            std::string_view overload);

  std::deque<Function> functions_;
  std::deque<std::string> keys_;
  NameTable numbers_;
  std::string key_;  // for the current look-up
};

OpsetImport read_opset(Source& source, std::string_view message);
// The version of a domain among imports; 0 if it is not imported.
std::int32_t opset_of(std::span<const OpsetImport> imports, std::string_view domain);
// The name of an AttributeProto.
std::string_view attribute_name(Source& source, std::string_view message);

}  // namespace strata::onnx
