#include <stdexcept>

#include "strata/base/text_map.h"
#include "strata/graph/graph.h"

namespace strata {

namespace {

// Nothing in memory has more of anything that a node lists.
std::uint32_t count_of(std::size_t size) {
  if (size >= kNone) throw std::length_error("a node lists more than can be counted");
  return static_cast<std::uint32_t>(size);
}

// Where attributes are tells which they are: nodes that share a list of them have the same.
template <class Operation>
std::size_t hash_of(const Operation& of) {
  const TextHash hash;
  const auto attributes = reinterpret_cast<std::uintptr_t>(of.attributes.data());
  const std::size_t words = hash(of.op) + 31 * hash(of.domain);  // files choose both
  const auto rest = 4 * static_cast<std::size_t>(of.opset) + static_cast<std::size_t>(of.phase);
  return (words ^ (attributes >> 3) ^ (rest << 48)) * 0x9e3779b97f4a7c15u >> 32;
}

}  // namespace

NodeList::Packed NodeList::pack(const Node& node) {
  return {.inputs = node.inputs.data(),
          .outputs = node.outputs.data(),
          .name = node.name.data(),
          .name_size = count_of(node.name.size()),
          .input_count = count_of(node.inputs.size()),
          .output_count = count_of(node.outputs.size()),
          .operation = operation_of(node),
          .scope = node.scope};
}

std::uint32_t NodeList::operation_of(const Node& node) {
  const auto is_same = [&](const Operation& own) {
    return own.op == node.op && own.attributes.data() == node.attributes.data() &&
           own.attributes.size() == node.attributes.size() && own.domain == node.domain &&
           own.opset == node.opset && own.phase == node.phase;
  };
  if (2 * operations_.size() >= places_.size()) index_again();
  const std::size_t mask = places_.size() - 1;
  std::size_t at = hash_of(node);
  for (; places_[at & mask] != kNone; ++at)
    if (is_same(operations_[places_[at & mask]])) return places_[at & mask];
  const std::uint32_t place = count_of(operations_.size());
  operations_.push_back({node.op, node.domain, node.attributes, node.opset, node.phase});
  return places_[at & mask] = place;
}

void NodeList::index_again() {
  places_.assign(places_.empty() ? 32 : 2 * places_.size(), kNone);
  const std::size_t mask = places_.size() - 1;
  for (std::uint32_t i = 0; i < operations_.size(); ++i) {
    std::size_t at = hash_of(operations_[i]);
    while (places_[at & mask] != kNone) ++at;
    places_[at & mask] = i;
  }
}

}  // namespace strata
