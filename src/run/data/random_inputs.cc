#include <cmath>
#include <cstring>
#include <numbers>

#include <fmt/format.h>

#include "base/half.h"
#include "ops/registry.h"
#include "strata/data/inputs.h"

namespace strata {

namespace {

// Counter-based: element i of a stream is a function of seed and i.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Rows of the stored table that the input picks from; 0 if it picks from none.
std::int64_t table_rows(const Graph& graph, TensorId input) {
  for (const Node& node : graph.nodes) {
    if (traits_of(node).op != Op::Gather || node.inputs.size() < 2 || node.inputs[1] != input)
      continue;
    const Tensor& table = graph.tensors[node.inputs[0]];
    const Attribute* axis = node.attribute("axis");
    const auto* number = axis != nullptr ? std::get_if<std::int64_t>(&axis->value) : nullptr;
    const auto at = static_cast<std::size_t>(number != nullptr ? *number : 0);
    if (at < table.type->dims.size() && table.type->dims[at].is_number())
      return table.type->dims[at].value();
  }
  return 0;
}

bool is_image(const TypeInfo& type) {
  if (type.dims.size() != 4) return false;
  const Expr& channels = type.dims[1];
  return channels.is(1) || channels.is(3) || channels.is(4);
}

template <class T, class Make>
void fill(HostTensor& tensor, std::int64_t count, const Make& make) {
  tensor.data.resize(static_cast<std::size_t>(count) * sizeof(T));
  for (std::int64_t i = 0; i < count; ++i) {
    const T element = make(i);
    std::memcpy(tensor.data.data() + static_cast<std::size_t>(i) * sizeof(T), &element, sizeof(T));
  }
}

template <class T>
void fill_integers(HostTensor& tensor, std::int64_t count, std::int64_t rows, Random& random) {
  const std::int64_t last = tensor.dims.empty() ? 1 : tensor.dims.back();
  const bool positions = contains(tensor.name, "position");
  const bool mask = contains(tensor.name, "mask");
  fill<T>(tensor, count, [&](std::int64_t i) -> T {
    if (mask) return T{1};
    if (positions) return static_cast<T>(i % last);
    const std::uint64_t bound = rows > 0 ? static_cast<std::uint64_t>(rows) : 2;
    return static_cast<T>(random.next() % bound);
  });
}

// Returns false for types for which nothing can be made up.
bool fill_random(HostTensor& tensor, std::int64_t count, const TypeInfo& type, std::int64_t rows,
                 Random& random) {
  const bool image = is_image(type);
  const auto real = [&] { return image ? random.uniform() : random.normal(); };
  switch (type.dtype) {
    case DType::F32:
      fill<float>(tensor, count, [&](std::int64_t) { return static_cast<float>(real()); });
      return true;
    case DType::F64:
      fill<double>(tensor, count, [&](std::int64_t) { return real(); });
      return true;
    case DType::F16:
      fill<std::uint16_t>(tensor, count,
                          [&](std::int64_t) { return half_bits(static_cast<float>(real())); });
      return true;
    case DType::BF16:
      fill<std::uint16_t>(tensor, count,
                          [&](std::int64_t) { return bfloat_bits(static_cast<float>(real())); });
      return true;
    case DType::U8:
      fill<std::uint8_t>(tensor, count, [&](std::int64_t) {
        return static_cast<std::uint8_t>(image ? random.next() : random.next() % 2);
      });
      return true;
    case DType::Bool:
      fill<std::uint8_t>(tensor, count, [](std::int64_t) { return std::uint8_t{1}; });
      return true;
    case DType::I8:
      fill_integers<std::int8_t>(tensor, count, std::min<std::int64_t>(rows, 128), random);
      return true;
    case DType::I16:
      fill_integers<std::int16_t>(tensor, count, std::min<std::int64_t>(rows, 32768), random);
      return true;
    case DType::I32:
      fill_integers<std::int32_t>(tensor, count, rows, random);
      return true;
    case DType::I64:
      fill_integers<std::int64_t>(tensor, count, rows, random);
      return true;
    default:
      return false;
  }
}

}  // namespace

Result<std::vector<HostTensor>> random_inputs(const Model& model, std::uint64_t seed) {
  const Graph& graph = model.graph();
  constexpr std::int64_t kMostBytes = std::int64_t{16} << 30;
  std::vector<HostTensor> inputs;
  for (std::size_t number = 0; number < graph.inputs.size(); ++number) {
    const Tensor& given = graph.tensors[graph.inputs[number]];
    HostTensor tensor;
    tensor.name = given.name;
    tensor.dtype = given.type->dtype;
    for (const Expr& size : given.type->dims) {
      if (!size.is_number())
        return failure(Code::OpenInput, {.name = std::string(given.name),
                                         .found = text(given.type->dims),
                                         .wanted = size.text()});
      tensor.dims.push_back(size.value());
    }
    const Expr needed = bytes(elements(given.type->dims), given.type->dtype);
    if (!given.type->ranked || given.type->kind != ValueKind::Tensor || needed.is_unknown())
      return failure(
          Code::NoElements, {.name = std::string(given.name)},
          fmt::format("input \"{}\" is of a kind that no elements can be made up for", given.name));
    if (needed.value() > kMostBytes)
      return failure(fmt::format("input \"{}\" is {} and would take {} bytes", given.name,
                                 text(given.type->dims), needed.value()));
    Random random(seed * 1'000'003 + number);
    if (!fill_random(tensor, elements(given.type->dims).value(), given.type,
                     table_rows(graph, graph.inputs[number]), random))
      return failure(
          Code::NoElements, {.name = std::string(given.name)},
          fmt::format("input \"{}\" has the type {}, which no elements can be made up for",
                      given.name, name_of(given.type->dtype)));
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace strata
