#include "read/onnx/functions.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/limits.h"
#include "read/onnx/node.h"
#include "read/onnx/proto.h"

namespace strata::onnx {

void Functions::add(Source& source, std::string_view message) {
  Function function;
  for (Fields f(source, message); f.next();) {
    switch (f.number()) {
      case proto::function::kName:
        function.name = f.bytes();
        break;
      case proto::function::kDomain:
        function.domain = standard_domain(f.bytes());
        break;
      case proto::function::kOverload:
        function.overload = f.bytes();
        break;
      case proto::function::kInput:
        function.inputs.push_back(f.bytes());
        break;
      case proto::function::kOutput:
        function.outputs.push_back(f.bytes());
        break;
      case proto::function::kNode:
        function.nodes.push_back(f.bytes());
        break;
      case proto::function::kOpsetImport:
        if (function.opsets.size() >= kMostOpsets)
          source.wrong(fmt::format("more than {} domains of operators are imported", kMostOpsets),
                       Code::OverLimit);
        function.opsets.push_back(read_opset(source, f.bytes()));
        break;
      case proto::function::kAttributeDefault: {
        const std::string_view attribute = f.bytes();
        function.defaults.push_back({attribute_name(source, attribute), attribute});
        break;
      }
      default:
        f.skip();
    }
  }
  const std::string& key =
      keys_.emplace_back(key_of(function.domain, function.name, function.overload));
  if (!numbers_.insert(key, static_cast<std::uint32_t>(functions_.size())).is_new)
    source.wrong(fmt::format("the function {} of domain {} is defined twice",
                             in_quotes(function.name), in_quotes(function.domain)));
  functions_.push_back(std::move(function));
}

const Function* Functions::find(std::string_view domain, std::string_view name,
                                std::string_view overload) {
  const std::uint32_t* number = numbers_.find(key_of(domain, name, overload));
  return number == nullptr ? nullptr : &functions_[*number];
}

const std::string& Functions::key_of(std::string_view domain, std::string_view name,
                                     std::string_view overload) {
  key_ = domain;
  key_ += '\0';
  key_ += name;
  key_ += '\0';
  key_ += overload;
  return key_;
}

OpsetImport read_opset(Source& source, std::string_view message) {
  OpsetImport opset = {"", 1};
  for (Fields f(source, message); f.next();) {
    switch (f.number()) {
      case proto::opset::kDomain:
        opset.domain = standard_domain(f.bytes());
        break;
      case proto::opset::kVersion:
        opset.version = f.integer();
        break;
      default:
        f.skip();
    }
  }
  if (opset.version < 0 || opset.version > std::numeric_limits<std::int32_t>::max())
    source.wrong(fmt::format("the file imports version {} of the operator set {}, which cannot be",
                             opset.version, in_quotes(opset.domain)));
  return opset;
}

std::int32_t opset_of(std::span<const OpsetImport> imports, std::string_view domain) {
  std::int64_t version = 0;  // the highest if a domain is imported twice
  for (const OpsetImport& import : imports)
    if (import.domain == domain) version = std::max(version, import.version);
  return static_cast<std::int32_t>(version);
}

std::string_view attribute_name(Source& source, std::string_view message) {
  std::string_view name;
  for (Fields f(source, message); f.next();) {
    if (f.number() == proto::attribute::kName)
      name = f.bytes();
    else
      f.skip();
  }
  return name;
}

}  // namespace strata::onnx
