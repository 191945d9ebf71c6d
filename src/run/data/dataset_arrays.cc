// Items from .npy and .pb files. Only the needed slice of a large file is read.
#include <fmt/format.h>

#include "base/mapped_file.h"
#include "data/dataset_items.h"
#include "data/npy.h"
#include "data/onnx_tensor.h"

namespace strata {

namespace {

// An array in a mapped file.
struct Array {
  std::shared_ptr<const MappedFile> file;
  std::vector<std::byte> unpacked;  // used if the file does not hold the elements as memory does
  std::string_view elements;
  ItemShape shape;
};

Status append(const Array& array, std::int64_t first, std::int64_t count, const std::string& path,
              std::vector<std::byte>& data) {
  if (first + count > array.shape.count)
    return failure(fmt::format("{}: has changed while it was in use", path));
  const std::size_t item = array.elements.size() / static_cast<std::size_t>(array.shape.count);
  const std::string_view part = array.elements.substr(static_cast<std::size_t>(first) * item,
                                                      static_cast<std::size_t>(count) * item);
  if (part.empty()) return {};
  if (array.unpacked.empty()) MappedFile::want(part);
  const auto* bytes = reinterpret_cast<const std::byte*>(part.data());
  data.insert(data.end(), bytes, bytes + part.size());
  return {};
}

Result<Array> open_npy(const ItemType& type, const std::string& path) {
  Array array;
  auto file = MappedFile::open(path);
  if (!file) return failure(file);
  array.file = std::move(*file);
  auto header = read_npy_header(array.file->bytes(), path);
  if (!header) return failure(header);
  array.elements = array.file->bytes().substr(header->start);
  if (array.elements.size() != header->element_bytes)
    return failure(
        fmt::format("{}: not a .npy file that can be read: its shape needs {} bytes and "
                    "it has {}",
                    path, header->element_bytes, array.elements.size()));
  auto shape = item_shape(type, header->dtype, header->dims, path);
  if (!shape) return failure(shape);
  array.shape = std::move(*shape);
  return array;
}

Result<Array> open_pb(const ItemType& type, const std::string& path) {
  Array array;
  auto file = MappedFile::open(path);
  if (!file) return failure(file);
  array.file = std::move(*file);
  auto head = read_onnx_tensor_head(array.file->bytes(), path);
  if (!head) return failure(head);
  Expr count = 1;
  bool negative = false;
  for (const std::int64_t size : head->dims) {
    count *= size;
    negative = negative || size < 0;
  }
  const Expr needed = bytes(count, head->dtype);
  if (!head->raw.empty() && !negative && bits(head->dtype) >= 8 && needed.is_number() &&
      static_cast<std::uint64_t>(needed.value()) == head->raw.size()) {
    array.elements = head->raw;
  } else {  // in typed fields, or wrong
    auto tensor = read_onnx_tensor(array.file->bytes(), path);
    if (!tensor) return failure(tensor);
    array.unpacked = std::move(tensor->data);
    array.elements = {reinterpret_cast<const char*>(array.unpacked.data()), array.unpacked.size()};
  }
  auto shape = item_shape(type, head->dtype, head->dims, path);
  if (!shape) return failure(shape);
  array.shape = std::move(*shape);
  return array;
}

template <auto open>
class ArrayItems final : public ItemReader {
 public:
  explicit ArrayItems(ItemType type) : type_(std::move(type)) {}

  Result<std::int64_t> count(const std::string& path) const override {
    auto array = open(type_, path);
    if (!array) return failure(array);
    return array->shape.count;
  }
  Result<std::vector<std::int64_t>> read(const std::string& path, std::int64_t first,
                                         std::int64_t count,
                                         std::vector<std::byte>& data) const override {
    auto array = open(type_, path);
    if (!array) return failure(array);
    if (auto fine = append(*array, first, count, path, data); !fine) return failure(fine);
    return std::move(array->shape.item);
  }

 private:
  ItemType type_;
};

}  // namespace

std::unique_ptr<ItemReader> npy_items(ItemType type) {
  return std::make_unique<ArrayItems<open_npy>>(std::move(type));
}

std::unique_ptr<ItemReader> pb_items(ItemType type) {
  return std::make_unique<ArrayItems<open_pb>>(std::move(type));
}

}  // namespace strata
