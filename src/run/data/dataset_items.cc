#include "data/dataset_items.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/mapped_file.h"

namespace strata {

namespace {

class ImageItems final : public ItemReader {
 public:
  ImageItems(ImageSteps steps, ImageLimits limits) : steps_(steps), limits_(limits) {}

  Result<std::int64_t> count(const std::string&) const override { return 1; }

  Result<std::vector<std::int64_t>> read(const std::string& path, std::int64_t, std::int64_t,
                                         std::vector<std::byte>& data) const override {
    auto file = MappedFile::open(path);
    if (!file) return failure(file);
    MappedFile::want((*file)->bytes());
    auto image = read_image((*file)->bytes(), path, limits_);
    if (!image) return failure(image);
    return append_image(steps_, std::move(*image), path, limits_, data);
  }

 private:
  ImageSteps steps_;
  ImageLimits limits_;
};

}  // namespace

ItemType item_type(const Tensor& input) {
  ItemType type;
  type.input = input.name;
  type.dtype = input.type->dtype;
  type.ranked = input.type->ranked;
  type.text = fmt::format("{} {}", name_of(type.dtype), type.ranked ? text(input.type->dims) : "?");
  for (const Expr& size : input.type->dims) type.item.push_back(size.number().value_or(-1));
  const bool image = type.item.size() == 3 && type.item[0] == 3;  // channels, and no batch
  const bool empty = std::find(type.item.begin(), type.item.end(), 0) != type.item.end();
  type.stacked = type.ranked && !type.item.empty() && !image && !empty;
  if (type.stacked) {
    type.batch = std::max<std::int64_t>(type.item[0], 1);  // open: -1
    type.item.erase(type.item.begin());
  }
  return type;
}

Result<ItemShape> item_shape(const ItemType& type, DType dtype,
                             const std::vector<std::int64_t>& dims, std::string_view label) {
  const auto wrong = [&](std::string_view more) {
    return failure(fmt::format(
        "{}: is {} {} where input \"{}\" takes {}{}", label, name_of(dtype),
        dims.empty() ? "scalar" : fmt::format("{}", fmt::join(dims, "×")), type.input, type.text,
        more.empty() && type.stacked ? ", with or without the first axis" : more));
  };
  if (dtype != type.dtype) return wrong(fmt::format("; save it as {}", name_of(type.dtype)));
  if (!type.ranked || (!type.stacked && dims == type.item)) return ItemShape{1, dims};
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return wrong("; it has no elements");
  // The number of axes before those of an item.
  const std::size_t extra = dims.size() - std::min(dims.size(), type.item.size());
  if (dims.size() < type.item.size() || extra > (type.stacked ? 2u : 1u)) return wrong("");
  for (std::size_t i = 0; i < type.item.size(); ++i)
    if (type.item[i] >= 0 && type.item[i] != dims[extra + i]) return wrong("");
  ItemShape shape{extra > 0 ? dims[0] : 1,
                  {dims.begin() + static_cast<std::ptrdiff_t>(extra), dims.end()}};
  if (extra == 2) {
    if (dims[1] != type.batch) return wrong("");
    shape.count *= dims[1];
  }
  if (shape.count % type.batch != 0 && type.batch % shape.count != 0)
    return wrong(fmt::format("; {} items neither fill samples of {} nor divide one", shape.count,
                             type.batch));
  return shape;
}

std::unique_ptr<ItemReader> image_items(ImageSteps steps, ImageLimits limits) {
  return std::make_unique<ImageItems>(steps, limits);
}

Result<InputItems> InputItems::open(ItemType type, InputFiles files,
                                    std::unique_ptr<ItemReader> reader) {
  InputItems items;
  items.type_ = std::move(type);
  items.files_ = std::move(files);
  items.reader_ = std::move(reader);
  if (items.files_.kind == SampleKind::Image) return items;
  items.starts_.push_back(0);
  bool single = true;
  for (std::size_t i = 0; i < items.files_.paths->size(); ++i) {
    const auto count = items.reader_->count(items.files_.path(i));
    if (!count) return failure(count);
    items.starts_.push_back(items.starts_.back() + *count);
    single = single && *count == 1;
  }
  if (single) items.starts_ = {};
  return items;
}

std::int64_t InputItems::start(std::size_t i) const {
  return starts_.empty() ? static_cast<std::int64_t>(i) : starts_[i];
}

std::int64_t InputItems::count() const { return start(files_.paths->size()); }

std::size_t InputItems::file_of(std::int64_t item) const {
  if (starts_.empty()) return static_cast<std::size_t>(item);
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), item);
  return static_cast<std::size_t>(after - starts_.begin()) - 1;
}

Result<HostTensor> InputItems::read_sample(std::int64_t i) const {
  HostTensor out;
  out.name = type_.input;
  out.dtype = type_.dtype;
  std::int64_t at = i * type_.batch;
  const std::int64_t end = at + type_.batch;
  for (bool first = true; at < end; first = false) {
    const std::size_t file = file_of(at);
    const std::int64_t count = std::min(end, start(file + 1)) - at;
    const std::string path = files_.path(file);
    auto shape = reader_->read(path, at - start(file), count, out.data);
    if (!shape) return failure(shape);
    if (!first && *shape != out.dims)
      return failure(fmt::format("{}: its items are {} and those before it in the sample {}", path,
                                 fmt::join(*shape, "×"), fmt::join(out.dims, "×")));
    out.dims = std::move(*shape);
    at += count;
  }
  if (type_.stacked) out.dims.insert(out.dims.begin(), type_.batch);
  return out;
}

std::string InputItems::name(std::int64_t i) const {
  const std::int64_t first = i * type_.batch, last = first + type_.batch - 1;
  const std::size_t file = file_of(first), end = file_of(last);
  const std::string& path = (*files_.paths)[file];
  if (end != file) return fmt::format("{} … {}", path, (*files_.paths)[end]);
  if (start(file + 1) - start(file) == type_.batch) return path;
  return fmt::format("{}[{}:{}]", path, first - start(file), last + 1 - start(file));
}

}  // namespace strata
