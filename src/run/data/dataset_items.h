// Items for one input of a model. A sample has one or several items.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset_files.h"
#include "data/image_steps.h"
#include "strata/engine/engine.h"

namespace strata {

// The type that the input takes.
struct ItemType {
  std::string input;
  std::string text;  // `f32 1×3×224×224`
  DType dtype = DType::Undefined;
  bool ranked = true;              // false: any shape
  bool stacked = true;             // a sample's items are along an axis of their own
  std::int64_t batch = 1;          // items in a sample
  std::vector<std::int64_t> item;  // shape of one item; -1: open
};
ItemType item_type(const Tensor& input);

// The way in which an array holds items.
struct ItemShape {
  std::int64_t count = 0;
  std::vector<std::int64_t> item;
};
Result<ItemShape> item_shape(const ItemType& type, DType dtype,
                             const std::vector<std::int64_t>& dims, std::string_view label);

// Reads one kind of file. All functions may be called from any thread.
class ItemReader {
 public:
  virtual ~ItemReader() = default;
  virtual Result<std::int64_t> count(const std::string& path) const = 0;
  // Appends the elements of some items of a file to `data`; returns the shape of one item.
  virtual Result<std::vector<std::int64_t>> read(const std::string& path, std::int64_t first,
                                                 std::int64_t count,
                                                 std::vector<std::byte>& data) const = 0;
};
std::unique_ptr<ItemReader> npy_items(ItemType type);
std::unique_ptr<ItemReader> pb_items(ItemType type);
std::unique_ptr<ItemReader> image_items(ImageSteps steps, ImageLimits limits);
// Reads the array that is named like the input, or, with `any_name`, the only one in the file.
std::unique_ptr<ItemReader> npz_items(ItemType type, bool any_name);

// The items of all files, one after the other.
class InputItems {
 public:
  static Result<InputItems> open(ItemType type, InputFiles files,
                                 std::unique_ptr<ItemReader> reader);

  const ItemType& type() const { return type_; }
  const InputFiles& files() const { return files_; }
  std::int64_t count() const;
  std::int64_t samples() const { return count() / type_.batch; }
  // The number of items before those of file i; i may be the number of files.
  std::int64_t start(std::size_t i) const;
  std::size_t file_of(std::int64_t item) const;
  Result<HostTensor> read_sample(std::int64_t i) const;
  std::string name(std::int64_t i) const;  // name of a sample

 private:
  ItemType type_;
  InputFiles files_;
  std::unique_ptr<ItemReader> reader_;
  std::vector<std::int64_t> starts_;  // one more than files; empty: one item in each
};

}  // namespace strata
