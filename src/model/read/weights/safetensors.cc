// safetensors: the length of a JSON header, the header, then the elements of all tensors. The
// format asks that they lie side by side, without gaps and without overlaps.
#include <array>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/in_quotes.h"
#include "read/weights/formats.h"
#include "strata/base/text_map.h"

namespace strata::weights {

namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;  // of the format itself
constexpr std::string_view kMetadata = "__metadata__";

struct ElementType {
  std::string_view name;   // in the file
  std::string_view shown;  // strata's own name
  std::uint64_t bits;
};
constexpr ElementType kSafetensorsTypes[] = {
    {"F64", "f64", 64},
    {"F32", "f32", 32},
    {"F16", "f16", 16},
    {"BF16", "bf16", 16},
    {"F8_E4M3", "f8e4m3fn", 8},
    {"F8_E5M2", "f8e5m2", 8},
    {"F8_E8M0", "f8e8m0", 8},
    {"F6_E2M3", "f6e2m3", 6},
    {"F6_E3M2", "f6e3m2", 6},
    {"F4", "f4e2m1", 4},
    {"I64", "i64", 64},
    {"I32", "i32", 32},
    {"I16", "i16", 16},
    {"I8", "i8", 8},
    {"U64", "u64", 64},
    {"U32", "u32", 32},
    {"U16", "u16", 16},
    {"U8", "u8", 8},
    {"BOOL", "bool", 8},
    {"C64", "c64", 64},
    {"F8_E4M3FNUZ", "f8e4m3fnuz", 8},
    {"F8_E5M2FNUZ", "f8e5m2fnuz", 8},
};

const ElementType* find_type(std::string_view name) {
  for (const ElementType& type : kSafetensorsTypes)
    if (type.name == name) return &type;
  return nullptr;
}

std::uint64_t header_length(std::string_view bytes) {
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    length |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return length;
}

// Takes the header as it is parsed. Keeps the first problem as a sentence.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(std::uint64_t data_bytes) : data_bytes_(data_bytes) {}

  Result<Weights> finish() && {
    if (!problem_.empty()) return failure(std::move(problem_));
    if (const auto overlap = find_overlap(extents_))
      return failure(fmt::format("its tensors {} and {} lie over each other",
                                 in_quotes(out_.tensors[overlap->first].name),
                                 in_quotes(out_.tensors[overlap->second].name)));
    std::uint64_t end = 0;
    for (const Extent& extent : extents_) {
      if (extent.begin != end)
        return failure(fmt::format("there are bytes before its tensor {} that belong to no tensor",
                                   in_quotes(out_.tensors[extent.tensor].name)));
      end = extent.end;
    }
    if (end != data_bytes_)
      return failure(fmt::format("its tensors end at {} of {} bytes of data", end, data_bytes_));
    return std::move(out_);
  }

  bool start_object(std::size_t) override {
    ++depth_;
    if (depth_ == 1) return true;
    if (depth_ > 2 || part_ != Part::None) return unexpected("an object");
    return true;
  }
  bool end_object() override {
    --depth_;
    if (depth_ == 0) return true;
    return key_ == kMetadata || end_tensor();
  }
  bool key(string_t& text) override {
    if (depth_ == 1) {
      if (!names_.insert(text).second)
        return wrong(fmt::format("it describes {} twice", in_quotes(text)));
      key_ = text;
      type_ = nullptr;
      dims_.clear();
      offsets_.clear();
      seen_.fill(false);
      part_ = Part::None;
      return true;
    }
    if (key_ == kMetadata) {
      metadata_key_ = text;
      part_ = Part::Text;
      return true;
    }
    part_ = text == "dtype" ? Part::Type : text == "shape" ? Part::Shape : Part::Offsets;
    if (part_ == Part::Offsets && text != "data_offsets")
      return wrong(fmt::format("it says {} of its tensor {}, which the format does not have",
                               in_quotes(text), in_quotes(key_)));
    bool& seen = seen_[static_cast<std::size_t>(part_)];
    if (seen)
      return wrong(
          fmt::format("it says {} of its tensor {} twice", in_quotes(text), in_quotes(key_)));
    return seen = true;
  }
  bool start_array(std::size_t) override {
    if (in_list_ || (part_ != Part::Shape && part_ != Part::Offsets)) return unexpected("a list");
    return in_list_ = true;
  }
  bool end_array() override {
    in_list_ = false;
    part_ = Part::None;
    return true;
  }
  bool string(string_t& text) override {
    if (part_ == Part::Text) {
      out_.properties.emplace_back(std::move(metadata_key_), std::move(text));
      part_ = Part::None;
      return true;
    }
    if (part_ != Part::Type) return unexpected("a text");
    part_ = Part::None;
    type_ = find_type(text);
    if (type_ == nullptr)
      return wrong(
          fmt::format("its tensor {} has elements of the type {}, which strata does not know",
                      in_quotes(key_), in_quotes(text)));
    return true;
  }
  bool number_unsigned(number_unsigned_t number) override {
    if (!in_list_) return unexpected("a number");
    if (part_ == Part::Offsets) {
      if (offsets_.size() == 2) return unexpected("a third offset");
      offsets_.push_back(number);
      return true;
    }
    if (dims_.size() == kMostAxes)
      return wrong(fmt::format("its tensor {} has more than {} axes", in_quotes(key_), kMostAxes));
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return unexpected("a size above 2^63");
    dims_.push_back(static_cast<std::int64_t>(number));
    return true;
  }
  bool number_integer(number_integer_t) override { return unexpected("a number below 0"); }
  bool number_float(number_float_t, const string_t&) override { return unexpected("a fraction"); }
  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a truth value"); }
  bool binary(binary_t&) override { return unexpected("binary data"); }
  bool parse_error(std::size_t place, const std::string&,
                   const nlohmann::detail::exception&) override {
    return wrong(fmt::format("its header is not JSON from byte {} on", place));
  }

 private:
  enum class Part : std::uint8_t { Type, Shape, Offsets, None, Text };

  bool wrong(std::string sentence) {
    if (problem_.empty()) problem_ = std::move(sentence);
    return false;
  }
  bool unexpected(std::string_view what) {
    if (key_.empty()) return wrong(fmt::format("its header has {} in place of tensors", what));
    return wrong(
        fmt::format("its header has {} in {} where the format has none", what, in_quotes(key_)));
  }

  bool end_tensor() {
    const std::string name = in_quotes(key_);
    if (type_ == nullptr || offsets_.size() != 2 || !seen_[static_cast<std::size_t>(Part::Shape)])
      return wrong(fmt::format("it does not say the type, the shape and the place of {}", name));
    const auto elements = elements_of(dims_);
    std::uint64_t bits = 0;
    if (!elements || __builtin_mul_overflow(*elements, type_->bits, &bits))
      return wrong(fmt::format("its tensor {} would have 2^62 elements or more", name));
    const auto [begin, end] = std::pair(offsets_[0], offsets_[1]);
    if (begin > end || end > data_bytes_)
      return wrong(fmt::format(
          "its tensor {} is said to be at bytes {} to {} of {} bytes of data; the file is "
          "broken, or was not downloaded to the end",
          name, begin, end, data_bytes_));
    if (bits % 8 != 0 || end - begin != bits / 8)
      return wrong(fmt::format("its tensor {} has {} bytes, but {} elements of {} take {}", name,
                               end - begin, *elements, type_->shown, (bits + 7) / 8));
    extents_.push_back({begin, end, out_.tensors.size()});
    out_.tensors.push_back({.name = key_,
                            .type = std::string(type_->shown),
                            .dims = dims_,
                            .elements = *elements,
                            .bytes = end - begin});
    return true;
  }

  std::uint64_t data_bytes_;
  Weights out_;
  std::vector<Extent> extents_;
  TextSet<std::string> names_;
  std::string problem_;
  int depth_ = 0;
  bool in_list_ = false;
  Part part_ = Part::None;
  std::string key_, metadata_key_;
  const ElementType* type_ = nullptr;
  std::vector<std::int64_t> dims_;
  std::vector<std::uint64_t> offsets_;
  std::array<bool, 3> seen_ = {};
};

}  // namespace

bool looks_like_safetensors(std::string_view bytes) {
  constexpr std::uint64_t kImpossible = std::uint64_t{1} << 40;
  if (bytes.size() < kLengthBytes + 2 || bytes[kLengthBytes] != '{') return false;
  const char next = bytes[kLengthBytes + 1];
  return header_length(bytes) < kImpossible && (next == '"' || next == '}' || next == ' ');
}

Result<Weights> read_safetensors(std::string_view bytes, const ReadOptions&) {
  const std::uint64_t length = header_length(bytes);
  if (length > kLongestHeader)
    return failure(fmt::format("its header is said to have {} bytes; the format allows {}", length,
                               kLongestHeader));
  if (length > bytes.size() - kLengthBytes)
    return failure(
        fmt::format("its header is said to have {} bytes, but the file has {} after it "
                    "begins; it was not downloaded to the end",
                    length, bytes.size() - kLengthBytes));
  HeaderReader reader(bytes.size() - kLengthBytes - length);
  nlohmann::json::sax_parse(bytes.substr(kLengthBytes, length), &reader);
  return std::move(reader).finish();
}

}  // namespace strata::weights
