#include "read/weights/pickled_tensors.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/weights/formats.h"
#include "strata/base/text_map.h"

namespace strata::weights {

namespace {

constexpr int kDeepest = 32;
constexpr std::size_t kLongestName = 1000;
constexpr std::size_t kMostDescribed = std::size_t{1} << 28;  // a few bytes can name a tensor often
// Training scripts save the state dict among other things, under one of these names.
constexpr std::string_view kUsualNames[] = {"state_dict", "model_state_dict", "model",  "module",
                                            "net",        "network",          "weights"};

class Collector {
 public:
  Collector(const Pickle& pickle, const StorageSize& size_of)
      : pickle_(pickle), size_of_(size_of), visits_left_(8 * pickle.values.size() + 1000) {}

  Result<Weights> collect() {
    const PickledValue* top = &pickle_.at(pickle_.result);
    if (top->kind == ValueKind::Tensor) return failure("it holds one tensor and no state dict");
    if (top->kind != ValueKind::Dict) return failure("it holds no dict of tensors");
    const auto [name, inner] = usual_part(*top);
    const std::size_t all = inner == nullptr ? 0 : tensors_below(pickle_.result, 0);
    visit(inner == nullptr ? *top : *inner, "", 0);
    if (!problem_.empty()) return failure(std::move(problem_));
    if (out_.tensors.empty()) return failure("it holds no tensors");
    if (all > out_.tensors.size())
      out_.notes.push_back(fmt::format(
          "the table is of {}; {} tensors beside it, such as those of an optimizer, are "
          "left out",
          in_quotes(name), all - out_.tensors.size()));
    find_partly_shared();
    return std::move(out_);
  }

 private:
  struct Part {
    std::string_view name;
    const PickledValue* dict;  // nullptr: there is none
  };

  void wrong(std::string sentence) {
    if (problem_.empty()) problem_ = std::move(sentence);
  }

  Part usual_part(const PickledValue& top) const {
    for (const std::string_view name : kUsualNames)
      for (std::size_t i = 0; i + 1 < top.items.size(); i += 2) {
        if (pickle_.at(top.items[i]).text != name) continue;
        const PickledValue& value = pickle_.at(top.items[i + 1]);
        for (std::size_t j = 1; value.kind == ValueKind::Dict && j < value.items.size(); j += 2)
          if (pickle_.at(value.items[j]).kind == ValueKind::Tensor) return {name, &value};
        break;  // only one is looked through, however often the key is there
      }
    return {{}, nullptr};
  }

  // A pickle can be a graph in which the same list is met again and again.
  bool may_visit(int depth) {
    if (depth > kDeepest)
      return wrong(fmt::format("its values are nested deeper than {} levels", kDeepest)), false;
    if (visits_left_ == 0) return wrong("its values refer to each other without end"), false;
    --visits_left_;
    return true;
  }

  std::size_t tensors_below(ValueId id, int depth) {
    const PickledValue& value = pickle_.at(id);
    if (!may_visit(depth)) return 0;
    if (value.kind == ValueKind::Tensor) return 1;
    std::size_t sum = 0;
    for (std::size_t i = 0; problem_.empty() && i < value.items.size(); ++i)
      sum += tensors_below(value.items[i], depth + 1);
    return sum;
  }

  void visit(const PickledValue& value, const std::string& name, int depth) {
    if (!problem_.empty() || !may_visit(depth)) return;
    if (value.kind == ValueKind::Tensor)
      return add(pickle_.tensors[static_cast<std::size_t>(value.number)], name);
    const std::string start = name.empty() ? "" : name + ".";
    if (value.kind == ValueKind::List)
      for (std::size_t i = 0; problem_.empty() && i < value.items.size(); ++i)
        visit(pickle_.at(value.items[i]), fmt::format("{}{}", start, i), depth + 1);
    if (value.kind == ValueKind::Dict)
      for (std::size_t i = 0; problem_.empty() && i + 1 < value.items.size(); i += 2) {
        const PickledValue& key = pickle_.at(value.items[i]);
        if (start.size() + key.text.size() > kLongestName)
          return wrong(fmt::format("a name of its tensors has more than {} bytes", kLongestName));
        const std::string own =
            key.kind == ValueKind::Number ? fmt::format("{}", key.number) : std::string(key.text);
        visit(pickle_.at(value.items[i + 1]), start + own, depth + 1);
      }
  }

  void add(const PickledTensor& tensor, const std::string& name) {
    const PickledStorage& storage = pickle_.storages[tensor.storage];
    const auto bits_each = static_cast<std::uint64_t>(bits(tensor.dtype));
    if (bits_each == 0)
      return wrong(fmt::format("its tensor {} has elements of an unknown type", in_quotes(name)));
    const auto elements = elements_of(tensor.dims);
    std::uint64_t bytes = 0;
    if (!elements || __builtin_mul_overflow(*elements, bits_each / 8, &bytes))
      return wrong(fmt::format("its tensor {} would have 2^62 elements or more", in_quotes(name)));
    described_ += name.size() + 8 * tensor.dims.size() + sizeof(StoredWeight);
    if (described_ > kMostDescribed)
      return wrong(
          fmt::format("its tensors take more than {} MiB to describe", kMostDescribed >> 20));
    if (!names_.insert(name).second)
      return wrong(fmt::format("it has two tensors {}", in_quotes(name)));
    const auto there = bytes_of(storage);
    if (!there)
      return wrong(fmt::format("its tensor {}: {}", in_quotes(name), there.error().message));
    const auto end = end_of(tensor, *elements);
    std::uint64_t end_byte = 0;
    if (!end || __builtin_mul_overflow(*end, bits_each / 8, &end_byte) || end_byte > *there)
      return wrong(fmt::format("its tensor {} reaches beyond the {} bytes of its storage",
                               in_quotes(name), *there));
    StoredWeight weight{.name = name,
                        .type = std::string(name_of(tensor.dtype)),
                        .dims = tensor.dims,
                        .elements = *elements,
                        .bytes = std::min(bytes, *there)};
    if (*elements > 0) {
      // A view of all elements in a part of the storage is the same in whatever order it has them.
      const bool is_dense = *end - tensor.offset == *elements;
      View view{storage.key, tensor.dtype, tensor.offset, *end, {}, {}};
      if (!is_dense) std::get<4>(view) = tensor.dims, std::get<5>(view) = tensor.strides;
      const auto [known, is_new] = views_.emplace(std::move(view), name);
      if (!is_new) weight.same_as = known->second;
      if (is_new)
        extents_[storage.key].push_back(
            {tensor.offset * (bits_each / 8), end_byte, out_.tensors.size()});
    }
    out_.tensors.push_back(std::move(weight));
  }

  // In elements from the start of the storage; nullopt: beyond any file.
  static std::optional<std::uint64_t> end_of(const PickledTensor& tensor, std::uint64_t elements) {
    if (elements == 0) return 0;
    std::uint64_t last = tensor.offset;
    for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
      std::uint64_t step = 0;
      if (__builtin_mul_overflow(static_cast<std::uint64_t>(tensor.dims[i] - 1),
                                 static_cast<std::uint64_t>(tensor.strides[i]), &step) ||
          __builtin_add_overflow(last, step, &last))
        return std::nullopt;
    }
    return last == UINT64_MAX ? std::nullopt : std::optional(last + 1);
  }

  Result<std::uint64_t> bytes_of(const PickledStorage& storage) {
    const auto known = sizes_.find(storage.key);
    if (known != sizes_.end()) return known->second;
    auto size = size_of_(storage);
    if (size) sizes_.emplace(storage.key, *size);
    return size;
  }

  void find_partly_shared() {
    std::size_t storages = 0;
    for (auto& [key, extents] : extents_) storages += find_overlap(extents) ? 1 : 0;
    if (storages > 0)
      out_.notes.push_back(fmt::format(
          "tensors in {} storage{} share a part of their elements, which is counted for "
          "each of them",
          storages, storages == 1 ? "" : "s"));
  }

  // Storage, type, first and last element; sizes and strides if it leaves elements out.
  using View = std::tuple<std::string_view, DType, std::uint64_t, std::uint64_t,
                          std::vector<std::int64_t>, std::vector<std::int64_t>>;
  const Pickle& pickle_;
  const StorageSize& size_of_;
  std::size_t visits_left_;
  std::size_t described_ = 0;  // bytes of names and sizes
  std::string problem_;
  Weights out_;
  TextSet<std::string> names_;
  std::map<View, std::string> views_;
  TextMap<std::string_view, std::uint64_t> sizes_;
  TextMap<std::string_view, std::vector<Extent>> extents_;
};

}  // namespace

Result<Weights> pickled_weights(const Pickle& pickle, const StorageSize& size_of) {
  return Collector(pickle, size_of).collect();
}

}  // namespace strata::weights
