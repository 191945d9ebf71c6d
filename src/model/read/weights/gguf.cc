// GGUF, versions 2 and 3: properties, a description of each tensor, then the elements. All numbers
// are little-endian.
#include <algorithm>
#include <concepts>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/weights/formats.h"
#include "read/weights/ggml_types.h"
#include "strata/base/text_map.h"

namespace strata::weights {

namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr std::uint64_t kMostGgmlAxes = 4;  // of ggml
constexpr int kDeepestArray = 4;
constexpr std::size_t kLongestKey = 200;      // of properties that are kept
constexpr std::uint64_t kLongestList = 4096;  // likewise

// The types of properties.
enum PropertyKind : std::uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kText,
  kArray,
  kU64,
  kI64,
  kF64
};

// Bytes of a number; 0: a text, an array or an unknown type.
std::uint64_t size_of(std::uint32_t kind) {
  switch (kind) {
    case kU8:
    case kI8:
    case kBool:
      return 1;
    case kU16:
    case kI16:
      return 2;
    case kU32:
    case kI32:
    case kF32:
      return 4;
    case kU64:
    case kI64:
    case kF64:
      return 8;
    default:
      return 0;
  }
}

class GgufReader {
 public:
  explicit GgufReader(std::string_view bytes) : bytes_(bytes), at_(kMagic.size()) {}

  Result<Weights> read(bool needs_elements) {
    const auto version = number<std::uint32_t>();
    if (problem_.empty() && version != 2 && version != 3) refuse_version(version);
    const auto tensors = number<std::uint64_t>();
    const auto properties = number<std::uint64_t>();
    // The smallest tensor's description takes 32 bytes, the smallest property 13.
    if (tensors > bytes_.size() / 32 || properties > bytes_.size() / 13)
      wrong(
          fmt::format("it is said to have {} tensors and {} properties, for which it is too small",
                      tensors, properties));
    for (std::uint64_t i = 0; problem_.empty() && i < properties; ++i) property();
    for (std::uint64_t i = 0; problem_.empty() && i < tensors; ++i) tensor();
    if (problem_.empty() && needs_elements) place_tensors();
    if (!problem_.empty()) return failure(std::move(problem_));
    name_quantization();
    return std::move(out_);
  }

 private:
  void wrong(std::string sentence) {
    if (problem_.empty()) problem_ = std::move(sentence);
  }
  void refuse_version(std::uint32_t version) {
    if (version == 2u << 24 || version == 3u << 24)
      return wrong("it is a big-endian GGUF file; strata reads little-endian ones");
    wrong(fmt::format("it has version {} of GGUF; strata reads 2 and 3", version));
  }
  bool has(std::uint64_t size) {
    if (size <= bytes_.size() - at_) return true;
    wrong(fmt::format("it ends at byte {} within its header; it was not downloaded to the end",
                      bytes_.size()));
    return false;
  }
  template <std::unsigned_integral T>
  T number() {
    if (!problem_.empty() || !has(sizeof(T))) return 0;
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value = static_cast<T>(
          value |
          static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i)));
    at_ += sizeof(T);
    return value;
  }
  std::string_view text() {
    const auto size = number<std::uint64_t>();
    if (!problem_.empty() || !has(size)) return {};
    const std::string_view found = bytes_.substr(at_, size);
    at_ += size;
    return found;
  }

  void property() {
    const std::string_view key = text();
    const auto kind = number<std::uint32_t>();
    if (!problem_.empty()) return;
    if (kind == kText) {
      const std::string_view value = text();
      if (key.starts_with("general.") && value.size() <= 200)
        out_.properties.emplace_back(key, value);
    } else if (kind == kU32 && key == "general.file_type") {
      file_type_ = number<std::uint32_t>();
      has_file_type_ = true;
    } else if (kind == kU32 && key == "general.alignment") {
      alignment_ = number<std::uint32_t>();
      if (alignment_ == 0 || (alignment_ & (alignment_ - 1)) != 0 || alignment_ > 1u << 20)
        wrong(fmt::format("its alignment of {} bytes is not a power of 2 up to 2^20", alignment_));
    } else if (kind == kU16 && key == "split.count") {
      parts_ = number<std::uint16_t>();
    } else if (key.size() > kLongestKey) {
      skip(kind, 0);
    } else if (kind == kArray) {
      list(key);
    } else {
      const std::size_t before = at_;
      skip(kind, 0);
      if (problem_.empty()) out_.numbers.emplace_back(key, std::vector{number_at(kind, before)});
    }
  }

  // Keeps a short list of numbers, and of a list of texts its length.
  void list(std::string_view key) {
    const std::size_t before = at_;
    const auto kind = number<std::uint32_t>();
    const auto count = number<std::uint64_t>();
    const std::size_t items = at_;
    at_ = before;
    skip_array(1);
    if (!problem_.empty()) return;
    const std::uint64_t size = size_of(kind);
    if (kind == kText) out_.numbers.emplace_back(key, std::vector{static_cast<double>(count)});
    if (size == 0 || count > kLongestList) return;
    std::vector<double> values;
    for (std::uint64_t i = 0; i < count; ++i)
      values.push_back(number_at(kind, items + static_cast<std::size_t>(i * size)));
    out_.numbers.emplace_back(key, std::move(values));
  }

  // A number that is known to lie within the file.
  double number_at(std::uint32_t kind, std::size_t at) const {
    const auto read = [&]<class T>(T) {
      T value;
      std::memcpy(&value, bytes_.data() + at, sizeof(T));
      return static_cast<double>(value);
    };
    switch (kind) {
      case kU8:
      case kBool:
        return read(std::uint8_t{});
      case kI8:
        return read(std::int8_t{});
      case kU16:
        return read(std::uint16_t{});
      case kI16:
        return read(std::int16_t{});
      case kU32:
        return read(std::uint32_t{});
      case kI32:
        return read(std::int32_t{});
      case kF32:
        return read(float{});
      case kU64:
        return read(std::uint64_t{});
      case kI64:
        return read(std::int64_t{});
      case kF64:
        return read(double{});
      default:
        return 0;
    }
  }

  void skip(std::uint32_t kind, int depth) {
    if (kind == kText) {
      text();
    } else if (kind == kArray) {
      skip_array(depth + 1);
    } else if (const std::uint64_t size = size_of(kind); size == 0) {
      wrong(fmt::format("a property has the type {}, which GGUF does not have", kind));
    } else if (has(size)) {
      at_ += size;
    }
  }
  void skip_array(int depth) {
    if (depth > kDeepestArray)
      return wrong(fmt::format("its properties are nested deeper than {} levels", kDeepestArray));
    const auto kind = number<std::uint32_t>();
    const auto count = number<std::uint64_t>();
    if (!problem_.empty()) return;
    if (const std::uint64_t size = size_of(kind); size != 0) {
      if (count > (bytes_.size() - at_) / size) return void(has(bytes_.size()));
      at_ += count * size;
      return;
    }
    for (std::uint64_t i = 0; problem_.empty() && i < count; ++i) skip(kind, depth);
  }

  void tensor() {
    StoredWeight weight{.name = std::string(text())};
    const auto axes = number<std::uint32_t>();
    if (axes > kMostGgmlAxes)
      return wrong(fmt::format("its tensor {} has {} axes; ggml has {} at most",
                               in_quotes(weight.name), axes, kMostGgmlAxes));
    for (std::uint32_t i = 0; i < axes; ++i) {
      const auto size = number<std::uint64_t>();
      weight.dims.push_back(static_cast<std::int64_t>(std::min<std::uint64_t>(size, INT64_MAX)));
    }
    const auto kind = number<std::uint32_t>();
    const auto offset = number<std::uint64_t>();
    if (!problem_.empty()) return;
    if (!names_.insert(weight.name).second)
      return wrong(fmt::format("it describes {} twice", in_quotes(weight.name)));
    const GgmlType* type = find_ggml_type(kind);
    if (type == nullptr)
      return wrong(
          fmt::format("its tensor {} has elements of the type {} of ggml, which strata does "
                      "not know",
                      in_quotes(weight.name), kind));
    const auto elements = elements_of(weight.dims);
    if (!elements)
      return wrong(
          fmt::format("its tensor {} would have 2^62 elements or more", in_quotes(weight.name)));
    const std::int64_t row = weight.dims.empty() ? 1 : weight.dims.front();
    if (row % type->elements != 0)
      return wrong(
          fmt::format("its tensor {} has rows of {} elements, which blocks of {} ({}) do not "
                      "fill",
                      in_quotes(weight.name), row, type->elements, type->name));
    // A GGUF file has the innermost axis first.
    std::reverse(weight.dims.begin(), weight.dims.end());
    weight.type = type->name;
    weight.elements = *elements;
    if (__builtin_mul_overflow(*elements / type->elements, type->bytes, &weight.bytes))
      return wrong(fmt::format("its tensor {} is too large", in_quotes(weight.name)));
    extents_.push_back({offset, offset, out_.tensors.size()});
    out_.tensors.push_back(std::move(weight));
  }

  void place_tensors() {
    const std::uint64_t data = (at_ + alignment_ - 1) / alignment_ * alignment_;
    const std::uint64_t there = bytes_.size() - std::min<std::uint64_t>(data, bytes_.size());
    for (Extent& extent : extents_) {
      const StoredWeight& weight = out_.tensors[extent.tensor];
      if (extent.begin % alignment_ != 0)
        return wrong(
            fmt::format("its tensor {} begins at byte {} of the data, which is not a multiple of "
                        "{}",
                        in_quotes(weight.name), extent.begin, alignment_));
      if (extent.begin > there || weight.bytes > there - extent.begin)
        return wrong(
            fmt::format("its tensor {} has {} bytes from byte {} of the data on, but there are "
                        "{} bytes of data; the file is broken, or was not downloaded to the end",
                        in_quotes(weight.name), weight.bytes, extent.begin, there));
      extent.end = extent.begin + weight.bytes;
    }
    if (const auto overlap = find_overlap(extents_))
      wrong(fmt::format("its tensors {} and {} lie over each other",
                        in_quotes(out_.tensors[overlap->first].name),
                        in_quotes(out_.tensors[overlap->second].name)));
  }

  // Norms and biases are always stored as f32; the matrices tell what a file is.
  std::string main_type() const {
    std::map<std::string_view, std::uint64_t> elements;
    for (const StoredWeight& weight : out_.tensors)
      if (weight.dims.size() > 1) elements[weight.type] += weight.elements;
    const auto most =
        std::max_element(elements.begin(), elements.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == elements.end() ? "" : std::string(most->first);
  }

  void name_quantization() {
    if (parts_ > 1)
      out_.notes.push_back(fmt::format(
          "this is one of {} files of a model; the tensors of the others are not in the "
          "table",
          parts_));
    if (!has_file_type_) return;
    const GgufFileType* type = find_file_type(file_type_);
    if (type == nullptr) {
      out_.notes.push_back(fmt::format(
          "the file names its quantization by the number {}, which strata does not know",
          file_type_));
      return;
    }
    out_.quantization = type->name;
    const std::string main = main_type();
    if (!main.empty() && main != type->main)
      out_.notes.push_back(fmt::format(
          "the file calls itself {}, but most weights of its matrices are {}", type->name, main));
  }

  std::string_view bytes_;
  std::size_t at_;
  std::string problem_;
  Weights out_;
  std::vector<Extent> extents_;
  TextSet<std::string> names_;
  std::uint32_t alignment_ = 32;
  std::uint32_t file_type_ = 0;
  bool has_file_type_ = false;
  std::uint16_t parts_ = 1;
};

}  // namespace

bool looks_like_gguf(std::string_view bytes) { return bytes.starts_with(kMagic); }

Result<Weights> read_gguf(std::string_view bytes, const ReadOptions&) {
  return GgufReader(bytes).read(true);
}

Result<Weights> read_gguf_header(std::string_view bytes) { return GgufReader(bytes).read(false); }

}  // namespace strata::weights
